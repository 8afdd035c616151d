//===- kinds.hpp - enumerations that descriptors carry ----------*- C++ -*-===//
//
// The enumerations of the tile API that reach the library as numbers, with the
// names and values programs use (CPP-11). Namespace `pto` takes them
// over by using-declarations, so there is one definition.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_KINDS_HPP
#define PTO_DETAIL_KINDS_HPP

#include <cstdint>

namespace ptoscope::tile {

enum class TileType : uint8_t { Vec, Mat, Left, Right, Acc, Bias, Scaling, ScaleLeft, ScaleRight, Ctrl };

enum class BLayout : uint8_t { RowMajor = 0, ColMajor = 1 };
enum class SLayout : uint8_t { NoneBox = 0, RowMajor = 1, ColMajor = 2 };

enum class Layout : uint8_t {
  ND,
  DN,
  NZ,
  SCALE,
  MX_A_ND,
  MX_A_DN,
  MX_A_ZZ,
  MX_B_ND,
  MX_B_DN,
  MX_B_NN,
  HIF4_A_ZZ,
  HIF4_B_NN,
  NC1HWC0,
  GNC1HWC0,
  NCHW,
  GNCHW,
  NHWC,
  NDC1HWC0,
  NCDHW,
  FRACTAL_Z,
  FRACTAL_Z_S16S8,
  FRACTAL_Z_3D,
  MAX
};

/// A custom value is CustomBase | its 32-bit pattern.
enum class PadValue : uint64_t { Null = 0, Zero = 1, Max = 2, Min = 3, CustomBase = uint64_t(1) << 32 };

enum class CompactMode : uint8_t { Null, Normal, RowPlusOne, RowAlignedPadding };

/// Max and Min are an extension: promised by texts, in no other headers.
enum class AtomicType : uint8_t { AtomicNone = 0, AtomicAdd = 1, AtomicMax = 2, AtomicMin = 3 };

enum class ReluPreMode : uint8_t { NoRelu = 0, NormalRelu = 1 };

enum class AccToVecMode : uint8_t { SingleModeVec0 = 0, SingleModeVec1 = 1, DualModeSplitM = 2, DualModeSplitN = 3 };

enum class TFillPadMode : uint8_t { Normal, InPlace, Expand };

} // namespace ptoscope::tile

#endif // PTO_DETAIL_KINDS_HPP
