//===- Programs.h - what program tests share --------------------*- C++ -*-===//
//
// Every kind of schedule, tiles and views without gaps, and numbers in the small
// formats decoded by their definition.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_TILE_PROGRAMS_H
#define PTOSCOPE_UNITTESTS_TILE_PROGRAMS_H

#include "ptoscope/launch.hpp"

#include "pto/pto-inst.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace programs {

inline ptoscope::Options scheduled(ptoscope::Options::Order order, uint64_t seed = 0) {
  ptoscope::Options options;
  options.schedule = order;
  options.seed = seed;
  return options;
}
/// Eager, lazy, and random ones.
inline std::vector<ptoscope::Options> schedules(int randomOnes = 3) {
  std::vector<ptoscope::Options> result = {scheduled(ptoscope::Options::Eager), scheduled(ptoscope::Options::Lazy)};
  for (int i = 0; i < randomOnes; ++i)
    result.push_back(scheduled(ptoscope::Options::Random, uint64_t(i + 1)));
  return result;
}
inline std::string nameOf(const ptoscope::Options &options) {
  const char *kNames[] = {"eager", "lazy", "random "};
  return kNames[options.schedule] + (options.schedule == ptoscope::Options::Random ? std::to_string(options.seed) : "");
}

template <typename T, int Rows, int Cols> using Vec = pto::Tile<pto::TileType::Vec, T, Rows, Cols>;
template <typename T, int Rows> using Column = pto::Tile<pto::TileType::Vec, T, Rows, 1, pto::BLayout::ColMajor>;
template <typename T, int Rows, int Cols>
using View =
    pto::GlobalTensor<T, pto::Shape<1, 1, 1, Rows, Cols>, pto::Stride<Rows * Cols, Rows * Cols, Rows * Cols, Cols, 1>>;
template <typename T, int Rows>
using ColumnView =
    pto::GlobalTensor<T, pto::Shape<1, 1, 1, Rows, 1>, pto::Stride<Rows, Rows, Rows, 1, Rows>, pto::Layout::DN>;

/// All pipes wait for all.
inline void fence() { pipe_barrier(PIPE_ALL); }

/// Launches under every schedule, wants no finding, then lets `check` look at what
/// the kernel left. `launch(options)` makes its data anew.
template <typename Launch> void clean(Launch launch) {
  for (const ptoscope::Options &options : schedules()) {
    SCOPED_TRACE(nameOf(options));
    ptoscope::Result result = launch(options);
    ASSERT_EQ(result.size(), 0u) << result.text();
    ASSERT_TRUE(result.completed());
  }
}

/// Sign, exponent and fraction; no infinities or NaNs.
inline double decode(uint64_t bits, int exponentBits, int fractionBits) {
  const int bias = (1 << (exponentBits - 1)) - 1, exponent = int(bits >> fractionBits) & ((1 << exponentBits) - 1);
  const int fraction = int(bits) & ((1 << fractionBits) - 1);
  const double size = exponent ? std::ldexp(double((1 << fractionBits) + fraction), exponent - bias - fractionBits)
                               : std::ldexp(double(fraction), 1 - bias - fractionBits);
  return bits >> (exponentBits + fractionBits) & 1 ? -size : size;
}
inline double e4m3(uint8_t bits) { return decode(bits, 4, 3); }
inline double e5m2(uint8_t bits) { return decode(bits, 5, 2); }
inline double e2m1(uint8_t bits) { return decode(bits, 2, 1); }

/// To a multiple of the last place that a format has at x, ties to even.
inline double nearest(double x, int fractionBits, int lowestExponent) {
  if (x == 0)
    return x;
  const int unit = std::max(std::ilogb(x), lowestExponent) - fractionBits;
  return std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
}

template <typename T> uint64_t bitsOf(const T &value) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const void *>(&value), sizeof(T));
  return bits;
}

} // namespace programs

#endif // PTOSCOPE_UNITTESTS_TILE_PROGRAMS_H
