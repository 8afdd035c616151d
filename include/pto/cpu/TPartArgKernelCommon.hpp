//===- TPartArgKernelCommon.hpp - frame of a kernel -------------*- C++ -*-===//
//
// Loads values and indices of two sources, runs TPARTARGMAX or TPARTARGMIN on them and
// stores both results (SURF-56).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_CPU_TPARTARGKERNELCOMMON_HPP
#define PTO_CPU_TPARTARGKERNELCOMMON_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/pto-inst.hpp"

namespace pto {
PTO_MODE_BEGIN

struct TPartArgDefaultConfig {
  static constexpr int Rows = 64, Cols = 64, ValidRows1 = 32, ValidCols1 = 32;
};

/// The first source has R x C elements, the second R1 x C1 of rows that lie C apart.
template <int R = TPartArgDefaultConfig::Rows, int C = TPartArgDefaultConfig::Cols,
          int R1 = TPartArgDefaultConfig::ValidRows1, int C1 = TPartArgDefaultConfig::ValidCols1>
struct TPartArgKernelCommon {
  template <typename T, int Rows, int Cols>
  using TileOf = Tile<TileType::Vec, T, Rows, Cols, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
  template <typename T, int Rows, int Cols>
  using ViewOf = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, C, 1>>;
  using ValueTile = TileOf<float, R, C>;
  using ValueTile1 = TileOf<float, R1, C1>;
  using IndexTile = TileOf<uint32_t, R, C>;
  using IndexTile1 = TileOf<uint32_t, R1, C1>;

  template <typename Runner>
  static void Run(float *outVal, float *aVal, float *bVal, uint32_t *outIdx, uint32_t *aIdx, uint32_t *bIdx) {
    ValueTile first(R, C), result(R, C);
    ValueTile1 second(R1, C1);
    IndexTile firstIndex(R, C), resultIndex(R, C);
    IndexTile1 secondIndex(R1, C1);
    int64_t address = 0;
    const auto place = [&address](auto &tile) {
      TASSIGN(tile, address);
      address += (int64_t(tile.GetSizeInBytes()) + 31) / 32 * 32;
    };
    place(first), place(second), place(result), place(firstIndex), place(secondIndex), place(resultIndex);
    TLOAD(first, ViewOf<float, R, C>(aVal));
    TLOAD(second, ViewOf<float, R1, C1>(bVal));
    TLOAD(firstIndex, ViewOf<uint32_t, R, C>(aIdx));
    TLOAD(secondIndex, ViewOf<uint32_t, R1, C1>(bIdx));
    PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
    Runner::Run(result, first, second, resultIndex, firstIndex, secondIndex);
    PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
    ViewOf<float, R, C> values(outVal);
    ViewOf<uint32_t, R, C> indices(outIdx);
    TSTORE(values, result);
    TSTORE(indices, resultIndex);
    // The places are free for whoever comes next.
    PtoSetWaitFlag<PIPE_MTE3, PIPE_MTE2>();
  }
};

template <int R, int C, int R1, int C1, typename Runner>
void RunPartArgKernel(float *outVal, float *aVal, float *bVal, uint32_t *outIdx, uint32_t *aIdx, uint32_t *bIdx) {
  TPartArgKernelCommon<R, C, R1, C1>::template Run<Runner>(outVal, aVal, bVal, outIdx, aIdx, bIdx);
}

PTO_MODE_END
} // namespace pto

#include "pto/detail/letters_end.inc"

#endif // PTO_CPU_TPARTARGKERNELCOMMON_HPP
