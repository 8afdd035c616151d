//===- Cube.h - cube instructions of generated code -------------*- C++ -*-===//
//
// A cube instruction of a `.pto` program as numbers: what its text says, with every
// value in its place, whichever spelling it has. The runtime makes layouts of both
// sides of it (docs/isa/04-cube.md) and issues a direct instruction whose meaning is
// that of the tile API: one fractal layout, one product, one fixpipe. `check` asks
// for the bytes of the same numbers.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TILE_CUBE_H
#define PTOSCOPE_TILE_CUBE_H

#include "pto/detail/abi.hpp"
#include "ptoscope/Machine/Direct.h"
#include "ptoscope/Machine/Runtime.h"

namespace ptoscope::tile {

enum class CubeOp : uint8_t {
  Frac,   ///< GM to NZ in L1
  Load,   ///< L1 to L0A or L0B
  Scales, ///< L1 to the MX scales of L0A or L0B
  Bias,   ///< L1 to BT, widening
  Mad,
  Store, ///< L0C to GM, L1 or UB
  Fill,  ///< a word over L1
};

/// How the numbers of a load, a load of scales or a product are written.
enum class CubeForm : uint8_t {
  Shape, ///< extents
  Steps, ///< fractals and strides, as the raw instructions take them
  Word,  ///< one packed word (MAD-19)
};

/// Where the chains of a product start (MAD-2).
enum class CubeStart : uint8_t { Zero, Sum, Bias };
enum class CubeTf32 : uint8_t { None, RoundEven, RoundAway };
/// Of a product, Default is IEEE (MAD-15); of a store, CTRL decides (FIX-26).
enum class CubeSaturation : uint8_t { Default, Saturate, KeepNan, None };
enum class CubeLayout : uint8_t { Nz2Nd, Nz2Dn, Nz2Nz };
enum class CubeRelu : uint8_t { None, Normal, Scalar, Vector };
/// Which UB a store goes to (FIX-28, FIX-29).
enum class CubeTarget : uint8_t { Subblock, SplitRows, SplitColumns };

/// Places of `number`.
namespace cube {
enum Frac { kRows, kCols, kInner, kOuter, kGroups, kL2, kL3, kL4, kCache, kSmallC0 };
/// Of Load and Scales: `kLength` is m or n, `kDepth` is k.
enum Shape { kLength, kDepth, kStartRow, kStartCol };
enum Steps { kRowStart, kColStart, kRowSteps, kColSteps, kSrcStride, kDstStride };
enum Bias { kBurst, kBursts, kSrcGap, kDstGap };
enum Mad { kM, kN, kK };
enum Packed { kWord };
enum Store { kStoreM, kStoreN, kSrcRows, kDstStep, kLoop0, kSplit, kCount, kSrc3, kDst3, kSubblock, kSid, kL2Hint };
enum Fill { kOffset, kPattern, kRepeat, kBlocks, kGap };
constexpr size_t kNumbers = 12;

/// Places of `pointer`.
enum Pointer { kSrc = 0, kDst = 1, kQuantWords = 2, kReluWords = 3, kLeft = 0, kRight = 1, kSum = 2, kBiasRow = 3 };
constexpr size_t kPointers = 4;
/// Places of `payload`: a scale and a slope as the bits of an f32, and the bound of
/// `clip`: the bits of an f16, or a number extended to 64 bits by its sign.
enum Payload { kScale, kSlope, kClip };
constexpr size_t kPayloads = 3;
} // namespace cube

} // namespace ptoscope::tile

extern "C" {

/// What an instruction does not have is 0; `number[cube::kCount]` and `[kLoop0]` of a
/// store are 1 then.
struct PtoCubeCall {
  ptoscope::tile::CubeOp op;
  ptoscope::tile::CubeForm form;
  ptoscope::Space dst; ///< of loads, scales and stores
  /// Of source and destination; of a product: left, right, sum.
  ptoscope::tile::Elem elem[3];
  /// Of a load; of Frac: the source is column-major (`dn2nz`).
  uint8_t transpose;
  ptoscope::tile::CubeStart start;
  uint8_t mx;          ///< the product uses scales
  uint8_t disableGemv; ///< MAD-14
  ptoscope::tile::CubeTf32 tf32;
  ptoscope::tile::CubeSaturation saturation;
  ptoscope::UnitFlag unitFlag;
  ptoscope::tile::CubeLayout layout;
  uint8_t quant; ///< number of the mode of `pre_quant` (FIX-10 to FIX-20); 0: none
  ptoscope::tile::CubeRelu relu;
  uint8_t clip;   ///< there is a bound
  uint8_t atomic; ///< pto::AtomicType
  ptoscope::tile::CubeTarget target;
  uint8_t reserved[5];
  uint64_t pointer[ptoscope::tile::cube::kPointers]; ///< addresses
  int64_t number[ptoscope::tile::cube::kNumbers];
  uint64_t payload[ptoscope::tile::cube::kPayloads];
};

/// Nonzero: stop.
int32_t ptosc_cube(PtoContext *, uint32_t site, const PtoCubeCall *);

} // extern "C"

namespace ptoscope::tile {

/// What a call would touch that is not executed: all numbers and pointers are known. Regions of
/// UB name the core. `problem`: what a run would say first.
struct CubeFootprint {
  std::vector<DirectRegion> regions;
  std::vector<DirectHull> hulls;
  Fact problem{};
};
CubeFootprint cubeFootprint(const PtoCubeCall &call, const Profile &profile);

} // namespace ptoscope::tile

#endif // PTOSCOPE_TILE_CUBE_H
