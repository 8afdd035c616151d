//===- constants.hpp - enumerations and numbers of the tile API -*- C++ -*-===//
//
// CPP-11 to CPP-13. Enumerations that descriptors carry are in detail/kinds.hpp.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMMON_CONSTANTS_HPP
#define PTO_COMMON_CONSTANTS_HPP

#include "pto/common/type.hpp"
#include "pto/detail/kinds.hpp"

/// Pipes and event ids; the numbers are the architecture's.
enum pipe_t {
  PIPE_S = 0,
  PIPE_V = 1,
  PIPE_M = 2,
  PIPE_MTE1 = 3,
  PIPE_MTE2 = 4,
  PIPE_MTE3 = 5,
  PIPE_ALL = 6,
  PIPE_FIX = 10
};
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
inline constexpr int EVENT_ID_MAX = 8;

enum mem_dsb_t { DSB_ALL, DSB_DDR, DSB_UB };
enum cache_line_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum dcci_dst_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

namespace pto {

using ptoscope::tile::AccToVecMode;
using ptoscope::tile::AtomicType;
using ptoscope::tile::BLayout;
using ptoscope::tile::CompactMode;
using ptoscope::tile::Layout;
using ptoscope::tile::PadValue;
using ptoscope::tile::ReluPreMode;
using ptoscope::tile::SLayout;
using ptoscope::tile::TFillPadMode;
using ptoscope::tile::TileType;

enum class RoundMode : uint8_t {
  CAST_NONE = 0,
  CAST_RINT = 1,
  CAST_ROUND = 2,
  CAST_FLOOR = 3,
  CAST_CEIL = 4,
  CAST_TRUNC = 5,
  CAST_ODD = 6
};
enum class SaturationMode : uint8_t { ON = 0, OFF = 1 };
enum class CmpMode : uint8_t { EQ = 0, NE = 1, LT = 2, LE = 3, GT = 4, GE = 5 };
enum class MaskPattern : uint8_t { P0101 = 1, P1010 = 2, P0001 = 3, P0010 = 4, P0100 = 5, P1000 = 6, P1111 = 7 };
enum class AccPhase : uint8_t { Unspecified = 0, Partial = 2, Final = 3 };
enum class STPhase : uint8_t { Unspecified = 0, Partial = 2, Final = 3 };
enum class ScatterAxis : uint8_t { SCATTER_ROW = 0, SCATTER_COL = 1 };
enum class GatherAxis : uint8_t { GATHER_ROW = 0, GATHER_COL = 1 };
enum class ScatterAtomicOp : uint8_t { None, Add, Max, Min };
enum class ScatterOOB : uint8_t { Undefined, Skip, Clamp, Wrap };
enum class GatherOOB : uint8_t { Undefined, Clamp, Wrap, Zero };
enum class ScatterConflict : uint8_t { Last, Default };
enum class Coalesce : uint8_t { Row, Elem };
enum class QuantType : uint8_t { MXFP8, MXFP4_E2M1, INT8_SYM, INT8_ASYM };
enum class QuantScaleAlg : uint8_t { OCP, NV };
enum class HistByte : uint8_t { BYTE_0, BYTE_1, BYTE_2, BYTE_3 };
enum class SyncAllMode : uint8_t { Hard, Soft };
enum class SyncCoreType : uint8_t { AIVOnly, AICOnly, Mix };
enum class TileSplitAxis : uint8_t {
  TILE_NO_SPLIT = 0,
  TILE_UP_DOWN = 1,
  TILE_LEFT_RIGHT = 2,
  TILE_UP_DOWN_ODD = 3,
  TILE_LEFT_RIGHT_ODD = 4
};
enum class Direction : uint8_t { UNDEFINED = 0, DIR_C2V = 1, DIR_V2C = 2, DIR_BOTH = 3, DIR_V2C_CTRL = 4 };

#define PTO_ALGORITHM(NAME) enum class NAME : uint8_t { DEFAULT, HIGH_PRECISION };
PTO_ALGORITHM(PowAlgorithm)
PTO_ALGORITHM(DivAlgorithm)
PTO_ALGORITHM(SqrtAlgorithm)
PTO_ALGORITHM(RsqrtAlgorithm)
PTO_ALGORITHM(RecipAlgorithm)
PTO_ALGORITHM(ExpAlgorithm)
PTO_ALGORITHM(LogAlgorithm)
PTO_ALGORITHM(FmodAlgorithm)
PTO_ALGORITHM(FmodSAlgorithm)
PTO_ALGORITHM(RemAlgorithm)
PTO_ALGORITHM(RemSAlgorithm)
#undef PTO_ALGORITHM

inline constexpr int DYNAMIC = -1;
namespace GlobalTensorDim {
inline constexpr int DIM_0 = 0, DIM_1 = 1, DIM_2 = 2, DIM_3 = 3, DIM_4 = 4, TOTAL_DIM = 5;
}
namespace TileConfig {
inline constexpr int alignedSize = 32, fixedRowSize = 16, fixedColSize = 16, fixedMxRowSize = 16, fixedMxColSize = 2,
                     fractalABSize = 512, fractalCSize = 1024, fractalMxSize = 32;
}
inline constexpr int BLOCK_BYTE_SIZE = 32, REPEAT_BYTE = 256, C0_SIZE_BYTE = 32, FRACTAL_NZ_ROW = 16,
                     CUBE_BLOCK_SIZE = 512, MX_COL_LEN = 2, MX_ROW_LEN = 16, MX_BLOCK_SIZE = 32;
inline constexpr int NUM_1 = 1, NUM_4 = 4, NUM_8 = 8, NUM_12 = 12, NUM_16 = 16, NUM_32 = 32, NUM_64 = 64, NUM_77 = 77,
                     NUM_96 = 96, NUM_128 = 128, NUM_256 = 256, NUM_512 = 512;

// --- pad values ----------------------------------------------------------------------------

/// A custom value, by its bits.
constexpr PadValue customPad(uint32_t bits) { return PadValue(uint64_t(PadValue::CustomBase) | bits); }
constexpr PadValue PadValueCustom(float value) { return customPad(std::bit_cast<uint32_t>(value)); }
constexpr PadValue PadValueCustom(half value) { return customPad(std::bit_cast<uint16_t>(value)); }
constexpr PadValue PadValueCustom(bfloat16_t value) { return customPad(value.bits); }
constexpr PadValue PadValueCustom(int32_t value) { return customPad(uint32_t(value)); }
constexpr PadValue PadValueCustom(uint32_t value) { return customPad(value); }
constexpr PadValue PadValueCustom(int16_t value) { return customPad(uint16_t(value)); }
constexpr PadValue PadValueCustom(int8_t value) { return customPad(uint8_t(value)); }
constexpr PadValue PadValueCustom(uint8_t value) { return customPad(value); }
constexpr PadValue PadValueCustom16(uint16_t bits) { return customPad(bits); }
template <auto Value> inline constexpr PadValue PadCustom = PadValueCustom(Value);
constexpr bool isCustomPadValue(PadValue pad) { return uint64_t(pad) >= uint64_t(PadValue::CustomBase); }
constexpr uint32_t getCustomPadBits(PadValue pad) { return uint32_t(uint64_t(pad)); }

} // namespace pto

#endif // PTO_COMMON_CONSTANTS_HPP
