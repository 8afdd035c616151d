//===- constants.hpp - enumerations and numbers of the tile API -*- C++ -*-===//
//
// CPP-11 to CPP-13, SURF-21 to SURF-24. Enumerations that descriptors carry are in
// detail/kinds.hpp.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMMON_CONSTANTS_HPP
#define PTO_COMMON_CONSTANTS_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/detail/kinds.hpp"
#include "pto/detail/numbers.hpp"
#include "pto/detail/words.hpp"

// Programs for headers without them define these themselves.
#undef PIPE_FIX
#undef EVENT_ID0
#undef EVENT_ID1
#undef EVENT_ID2
#undef EVENT_ID3
#undef EVENT_ID4
#undef EVENT_ID5
#undef EVENT_ID6
#undef EVENT_ID7
#undef SINGLE_CACHE_LINE
#undef ENTIRE_DATA_CACHE
#undef CACHELINE_ALL
#undef CACHELINE_UB
#undef CACHELINE_OUT
#undef CACHELINE_ATOMIC
#undef DSB_ALL
#undef DSB_DDR
#undef DSB_UB

/// Pipes and event ids; the numbers are the architecture's.
enum pipe_t : int {
  PIPE_S = 0,
  PIPE_V = 1,
  PIPE_M = 2,
  PIPE_MTE1 = 3,
  PIPE_MTE2 = 4,
  PIPE_MTE3 = 5,
  PIPE_ALL = 6,
  PIPE_FIX = 10
};
enum event_t : int { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
inline constexpr int EVENT_ID_MAX = 8;

// Kernels also bring constants of these names, as macros or in a namespace
// `cache_line_t` of their own: theirs are found first.
namespace ptoscope_cache {
enum line : int { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum destination : int { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum scope : int { DSB_ALL, DSB_DDR, DSB_UB, DSB_SEQ };
} // namespace ptoscope_cache
namespace cache_line_t {
using namespace ptoscope_cache;
}
namespace dcci_dst_t {
using namespace ptoscope_cache;
}
using namespace ptoscope_cache;
using mem_dsb_t = int;

/// Fields of the word that a signal between cores carries.
#ifndef FFTS_BASE_COUNT_WIDTH
#define FFTS_BASE_COUNT_WIDTH 0xf
#endif
#ifndef FFTS_MODE_VAL
#define FFTS_MODE_VAL 2
#endif
#ifndef FFTS_MODE_WIDTH
#define FFTS_MODE_WIDTH 3
#endif
#ifndef FFTS_MODE_OFFSET
#define FFTS_MODE_OFFSET 4
#endif
#ifndef FFTS_EVENT_ID_WIDTH
#define FFTS_EVENT_ID_WIDTH 0xf
#endif
#ifndef FFTS_EVENT_ID_OFFSET
#define FFTS_EVENT_ID_OFFSET 8
#endif
#ifndef FFTS_MODE_BIT_START
#define FFTS_MODE_BIT_START 4
#endif
#ifndef FFTS_FLAG_ID_BIT_START
#define FFTS_FLAG_ID_BIT_START 8
#endif

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
enum class AccPhase : uint8_t { Unspecified = 0, Unknown = 0, Partial = 2, Final = 3 };
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
enum class MxQuantAlg : uint8_t { OcpMxFp8E4M3, NvMxFp8E4M3, OcpMxFp4E2M1, NvMxFp4E2M1, Hif4 };
enum class VecStoreMode : uint8_t { ND, NZ };
enum class PrintFormat : uint8_t { Width8_Precision4 = 0, Width8_Precision2 = 1, Width10_Precision6 = 2 };
enum class HistByte : uint8_t { BYTE_0, BYTE_1, BYTE_2, BYTE_3 };
enum class SyncAllMode : uint8_t { Hard, Soft };
enum class SyncCoreType : uint8_t { AIVOnly, AICOnly, Mix };
/// What two modes of a signal are called in headers of mixed kernels, and the first of
/// the ids that those headers keep.
enum CVSyncMode : uint8_t { V_SUBCORES_SYNC = 1, CV_CORE_SYNC = 2 };
enum CVCommId : uint8_t { CV_COMM_CTRL = 12 };
inline constexpr int SYNC_AIC_FLAG = 11, SYNC_AIV_FLAG = 12, SYNC_AIC_AIV_FLAG = 13, SYNC_AIV_ONLY_ALL = 14,
                     SYNC_FLAG_ID_MAX = 16, SYNCALL_SOFT_WORKSPACE_INT32 = 16;
/// Not scoped: they are arguments of templates that take a uint8_t.
enum TileSplitAxis : uint8_t {
  TILE_NO_SPLIT = 0,
  TILE_UP_DOWN = 1,
  TILE_LEFT_RIGHT = 2,
  TILE_UP_DOWN_ODD = 3,
  TILE_LEFT_RIGHT_ODD = 4
};
enum Direction : uint8_t {
  UNDEFINED = 0,
  DIR_C2V = 1,
  DIR_V2C = 2,
  DIR_BOTH = 3,
  DIR_V2C_CTRL = 4,
  DIR_C2V_GM = 5,
  DIR_V2C_GM = 6,
  DIR_BOTH_GM = 7
};

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

using TRandomKey = uint32_t[2];
using TRandomCounter = uint32_t[4];

inline constexpr int DYNAMIC = -1;
namespace GlobalTensorDim {
inline constexpr int DIM_0 = 0, DIM_1 = 1, DIM_2 = 2, DIM_3 = 3, DIM_4 = 4, TOTAL_DIM = 5;
}
namespace TileConfig {
inline constexpr int alignedSize = 32, fixedRowSize = 16, fixedColSize = 16, fixedMxRowSize = 16, fixedMxColSize = 2,
                     fractalABSize = 512, fractalCSize = 1024, fractalMxSize = 32;
}
inline constexpr int BLOCK_BYTE_SIZE = 32, REPEAT_BYTE = 256, REPEAT_MAX = 255, C0_SIZE_BYTE = 32, FRACTAL_NZ_ROW = 16,
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

#include "pto/detail/letters_end.inc"

#endif // PTO_COMMON_CONSTANTS_HPP
