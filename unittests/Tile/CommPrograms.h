//===- CommPrograms.h - kernels that meet on several devices ----*- C++ -*-===//
//
// What tests of transfers and signals between devices share: addresses of other ranks,
// schedules, small tensors, and a ring of ranks with numbers of their own.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_TILE_COMMPROGRAMS_H
#define PTOSCOPE_UNITTESTS_TILE_COMMPROGRAMS_H

#include "pto/comm/pto_comm_inst.hpp"
#include "ptoscope/world.hpp"

#include "gtest/gtest.h"

#include <string>

namespace devices {

using namespace pto;
using namespace pto::comm;
using ptoscope::CommDeviceContext;
using ptoscope::Options;
using ptoscope::Result;

/// Where another rank has what is local here (COMM-2).
template <typename T> T *remote(const CommDeviceContext *context, T *local, int rank) {
  return reinterpret_cast<T *>(reinterpret_cast<uint64_t>(local) - context->windowsIn[context->rankId] +
                               context->windowsIn[rank]);
}

inline std::vector<Options> schedules() {
  std::vector<Options> all(5);
  all[1].schedule = Options::Lazy;
  for (int i = 2; i < 5; ++i) {
    all[size_t(i)].schedule = Options::Random;
    all[size_t(i)].seed = uint64_t(i);
  }
  return all;
}
inline std::string textOf(const Result &result) { return result.text(); }
inline bool says(const Result &result, const char *part) { return textOf(result).find(part) != std::string::npos; }
inline float valueOf(int rank, int i) { return float((rank * 7919 + i * 31) % 257 - 128); }

constexpr int kRows = 4, kCols = 16, kCount = kRows * kCols;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kCount, kCount, kCount, kCols, 1>>;
using Piece = Tile<TileType::Vec, float, kRows, kCols>;

struct Ring {
  ptoscope::World world;
  ptoscope::Symmetric<float> own, box, out;
  ptoscope::Symmetric<int32_t> word;
  explicit Ring(int ranks)
      : world(ranks), own(world.symmetric<float>(kCount)), box(world.symmetric<float>(kCount)),
        out(world.symmetric<float>(kCount)), word(world.symmetric<int32_t>(1)) {
    for (int rank = 0; rank < ranks; ++rank)
      for (int i = 0; i < kCount; ++i)
        own[rank][i] = valueOf(rank, i);
  }
};

} // namespace devices

#endif // PTOSCOPE_UNITTESTS_TILE_COMMPROGRAMS_H
