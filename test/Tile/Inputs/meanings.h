//===- meanings.h - what the programs of meanings-*.cpp share ---------*- C++ -*-===//
//
// Tiles are filled and read through `data()`, kernels are called directly. Expected
// values come from scalar models in the programs, written from the rules that they name.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TEST_MEANINGS_H
#define PTOSCOPE_TEST_MEANINGS_H

#include <pto/pto-inst.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

using namespace pto;

template <typename T, int R, int C>
using Vec = Tile<TileType::Vec, T, R, C, BLayout::RowMajor, DYNAMIC, DYNAMIC>;

inline int failures = 0;
inline bool equal(const char *what, long i, double got, double wanted) {
  if (got == wanted || (got != got && wanted != wanted))
    return true;
  if (++failures <= 20)
    std::printf("%s: number %ld is %.9g, not %.9g\n", what, i, got, wanted);
  return false;
}
template <typename T> void equalAll(const char *what, const T *got, const std::vector<T> &wanted) {
  for (size_t i = 0; i < wanted.size(); ++i)
    equal(what, long(i), double(got[i]), double(wanted[i]));
}

/// Places tiles one behind the other.
inline uint64_t place = 0;
template <typename T> void put(T &tile) {
  TASSIGN(tile, place);
  place += (T::kBytes + 31) / 32 * 32;
  std::memset(static_cast<void *>(tile.data()), 0, size_t(T::kBytes));
}
template <typename... T> void putAll(T &...tiles) {
  place = 0;
  (put(tiles), ...);
}

/// Numbers of our own, the same everywhere.
inline uint32_t seed = 1;
inline uint32_t draw() {
  seed = seed * 1664525u + 1013904223u;
  return seed >> 8;
}
inline float drawFloat(float low, float high) { return low + float(draw() % 4097) / 4096 * (high - low); }
template <typename T> T bitsTo(uint32_t bits) {
  T value;
  std::memcpy(static_cast<void *>(&value), &bits, sizeof(T));
  return value;
}
inline float asFloat(uint32_t bits) { return bitsTo<float>(bits); }

#endif // PTOSCOPE_TEST_MEANINGS_H
