// What the headers offer, each with the label of its rule. Numbers are written out:
// they are those of the rules, not of the headers.

#include <pto/pto-inst.hpp>

using namespace pto;

// --- CPP-3: qualifiers vanish ------------------------------------------------------------
__global__ AICORE void kernel(__gm__ float *x, __ubuf__ int *) {
  static_assert(std::is_same_v<decltype(x), float *>);
  static_assert(std::is_same_v<decltype(__cce_get_tile_ptr(x)), float *>);
  set_mask_norm(1, 2);
  set_vector_mask();
  // --- CPP-5 ---
  PTO_STATIC_ASSERT(true);
  PTO_STATIC_ASSERT(true, "text");
  PTO_CPU_ASSERT(x != nullptr);
  PTO_CPU_ASSERT(x != nullptr, "text");
  PTO_ASSERT(x != nullptr, "text");
}

// --- CPP-4: one target, both kinds of core ---------------------------------------------------
#if defined(PTO_NPU_ARCH_A2A3) == defined(PTO_NPU_ARCH_A5) || !defined(__DAV_CUBE__) || !defined(__DAV_VEC__)
#error "a program is compiled for one target and for both kinds of core"
#endif

// --- CPP-6 -------------------------------------------------------------------------------------
static_assert(sizeof(half) == 2 && sizeof(bfloat16_t) == 2 && !std::is_same_v<half, bfloat16_t>);
static_assert(std::is_same_v<float16_t, half> && std::is_same_v<aclFloat16, half> &&
              std::is_same_v<float32_t, float>);
static_assert(std::is_same_v<pto::half, half> && std::is_same_v<pto::bfloat16_t, bfloat16_t> &&
              std::is_same_v<pto::float16_t, half> && std::is_same_v<pto::float32_t, float> &&
              std::is_same_v<pto::aclFloat16, half>);
static_assert(std::is_same_v<decltype(float8_e4m3_t() + half(1.0f)), double> &&
              std::is_same_v<decltype(half(1.0f) / float4_e2m1x2_t()), double> &&
              std::is_same_v<decltype(float8_e5m2_t() < half(1.0f)), bool>);
static_assert(sizeof(float8_e4m3_t) == 1 && sizeof(float8_e5m2_t) == 1 && sizeof(float8_e8m0_t) == 1 &&
              sizeof(hifloat8_t) == 1);
static_assert(sizeof(int4b_t) == 1 && sizeof(float4_e2m1x2_t) == 1 && sizeof(float4_e1m2x2_t) == 1);

// --- CPP-11 ------------------------------------------------------------------------------------
/// Enumerators count from `first` on.
template <typename E, typename... Rest> constexpr bool counts(int first, E e, Rest... rest) {
  if (int(e) != first)
    return false;
  if constexpr (sizeof...(rest) == 0)
    return true;
  else
    return counts(first + 1, rest...);
}
static_assert(counts(0, TileType::Vec, TileType::Mat, TileType::Left, TileType::Right, TileType::Acc,
                     TileType::Bias, TileType::Scaling, TileType::ScaleLeft, TileType::ScaleRight,
                     TileType::Ctrl));
static_assert(counts(0, BLayout::RowMajor, BLayout::ColMajor) &&
              counts(0, SLayout::NoneBox, SLayout::RowMajor, SLayout::ColMajor));
static_assert(counts(0, Layout::ND, Layout::DN, Layout::NZ, Layout::SCALE, Layout::MX_A_ND, Layout::MX_A_DN,
                     Layout::MX_A_ZZ, Layout::MX_B_ND, Layout::MX_B_DN, Layout::MX_B_NN, Layout::HIF4_A_ZZ,
                     Layout::HIF4_B_NN, Layout::NC1HWC0, Layout::GNC1HWC0, Layout::NCHW, Layout::GNCHW,
                     Layout::NHWC, Layout::NDC1HWC0, Layout::NCDHW, Layout::FRACTAL_Z,
                     Layout::FRACTAL_Z_S16S8, Layout::FRACTAL_Z_3D, Layout::MAX));
static_assert(counts(0, PadValue::Null, PadValue::Zero, PadValue::Max, PadValue::Min) &&
              uint64_t(PadValue::CustomBase) == 0x100000000);
static_assert(counts(0, CompactMode::Null, CompactMode::Normal, CompactMode::RowPlusOne,
                     CompactMode::RowAlignedPadding));
static_assert(counts(0, AtomicType::AtomicNone, AtomicType::AtomicAdd, AtomicType::AtomicMax,
                     AtomicType::AtomicMin));
static_assert(counts(0, ReluPreMode::NoRelu, ReluPreMode::NormalRelu) &&
              counts(0, SaturationMode::ON, SaturationMode::OFF));
static_assert(counts(0, RoundMode::CAST_NONE, RoundMode::CAST_RINT, RoundMode::CAST_ROUND,
                     RoundMode::CAST_FLOOR, RoundMode::CAST_CEIL, RoundMode::CAST_TRUNC,
                     RoundMode::CAST_ODD));
static_assert(counts(0, CmpMode::EQ, CmpMode::NE, CmpMode::LT, CmpMode::LE, CmpMode::GT, CmpMode::GE));
static_assert(counts(1, MaskPattern::P0101, MaskPattern::P1010, MaskPattern::P0001, MaskPattern::P0010,
                     MaskPattern::P0100, MaskPattern::P1000, MaskPattern::P1111));
static_assert(counts(0, AccPhase::Unspecified) && counts(2, AccPhase::Partial, AccPhase::Final));
static_assert(counts(0, STPhase::Unspecified) && counts(2, STPhase::Partial, STPhase::Final));
static_assert(counts(0, AccToVecMode::SingleModeVec0, AccToVecMode::SingleModeVec1,
                     AccToVecMode::DualModeSplitM, AccToVecMode::DualModeSplitN));
static_assert(counts(0, TFillPadMode::Normal, TFillPadMode::InPlace, TFillPadMode::Expand));
static_assert(counts(0, ScatterAxis::SCATTER_ROW, ScatterAxis::SCATTER_COL) &&
              counts(0, GatherAxis::GATHER_ROW, GatherAxis::GATHER_COL));
static_assert(counts(0, ScatterAtomicOp::None, ScatterAtomicOp::Add, ScatterAtomicOp::Max,
                     ScatterAtomicOp::Min));
static_assert(counts(0, ScatterOOB::Undefined, ScatterOOB::Skip, ScatterOOB::Clamp, ScatterOOB::Wrap) &&
              counts(0, GatherOOB::Undefined, GatherOOB::Clamp, GatherOOB::Wrap, GatherOOB::Zero));
static_assert(counts(0, ScatterConflict::Last, ScatterConflict::Default) &&
              counts(0, Coalesce::Row, Coalesce::Elem));
static_assert(counts(0, QuantType::MXFP8, QuantType::MXFP4_E2M1, QuantType::INT8_SYM, QuantType::INT8_ASYM) &&
              counts(0, QuantScaleAlg::OCP, QuantScaleAlg::NV));
static_assert(counts(0, HistByte::BYTE_0, HistByte::BYTE_1, HistByte::BYTE_2, HistByte::BYTE_3));
#define ALGORITHM(NAME) static_assert(counts(0, NAME::DEFAULT, NAME::HIGH_PRECISION));
ALGORITHM(PowAlgorithm)
ALGORITHM(DivAlgorithm)
ALGORITHM(SqrtAlgorithm)
ALGORITHM(RsqrtAlgorithm)
ALGORITHM(RecipAlgorithm)
ALGORITHM(ExpAlgorithm)
ALGORITHM(LogAlgorithm)
ALGORITHM(FmodAlgorithm)
ALGORITHM(FmodSAlgorithm)
ALGORITHM(RemAlgorithm)
ALGORITHM(RemSAlgorithm)
static_assert(counts(0, SyncAllMode::Hard, SyncAllMode::Soft) &&
              counts(0, SyncCoreType::AIVOnly, SyncCoreType::AICOnly, SyncCoreType::Mix));
static_assert(counts(0, TileSplitAxis::TILE_NO_SPLIT, TileSplitAxis::TILE_UP_DOWN,
                     TileSplitAxis::TILE_LEFT_RIGHT, TileSplitAxis::TILE_UP_DOWN_ODD,
                     TileSplitAxis::TILE_LEFT_RIGHT_ODD));
static_assert(counts(0, Direction::UNDEFINED, Direction::DIR_C2V, Direction::DIR_V2C, Direction::DIR_BOTH,
                     Direction::DIR_V2C_CTRL));
static_assert(counts(0, PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL) && PIPE_FIX == 10);
static_assert(counts(0, EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6,
                     EVENT_ID7) &&
              EVENT_ID_MAX == 8);

// --- CPP-12 ------------------------------------------------------------------------------------
static_assert(DYNAMIC == -1 && GlobalTensorDim::DIM_0 == 0 && GlobalTensorDim::DIM_4 == 4 &&
              GlobalTensorDim::TOTAL_DIM == 5);
static_assert(TileConfig::alignedSize == 32 && TileConfig::fixedRowSize == 16 &&
              TileConfig::fixedColSize == 16 && TileConfig::fixedMxRowSize == 16 &&
              TileConfig::fixedMxColSize == 2 && TileConfig::fractalABSize == 512 &&
              TileConfig::fractalCSize == 1024 && TileConfig::fractalMxSize == 32);
static_assert(BLOCK_BYTE_SIZE == 32 && C0_SIZE_BYTE == 32 && MX_BLOCK_SIZE == 32 && REPEAT_BYTE == 256 &&
              CUBE_BLOCK_SIZE == 512 && FRACTAL_NZ_ROW == 16 && MX_ROW_LEN == 16 && MX_COL_LEN == 2);
static_assert(NUM_1 == 1 && NUM_4 == 4 && NUM_8 == 8 && NUM_12 == 12 && NUM_16 == 16 && NUM_32 == 32 &&
              NUM_64 == 64 && NUM_77 == 77 && NUM_96 == 96 && NUM_128 == 128 && NUM_256 == 256 &&
              NUM_512 == 512);

#ifdef PTO_SHORT_TILE // TILE-15
template <TileType Loc, typename E, int R, int C, BLayout B = BLayout::RowMajor, int RV = R, int CV = C,
          SLayout S = SLayout::NoneBox, int F = 512, auto P = PadValue::Null,
          CompactMode M = CompactMode::Null>
using Full = LocatedTile<Loc, E, R, C, B, RV, CV, S, F, P, M>;
static_assert(std::is_same_v<Tile<float, 16, 8>, Full<TileType::Vec, float, 16, 8>>);
#else
template <TileType Loc, typename E, int R, int C, BLayout B = BLayout::RowMajor, int RV = R, int CV = C,
          SLayout S = SLayout::NoneBox, int F = 512, auto P = PadValue::Null,
          CompactMode M = CompactMode::Null>
using Full = Tile<Loc, E, R, C, B, RV, CV, S, F, P, M>;
#endif

// --- CPP-13, TLOAD-10 ----------------------------------------------------------------------------
template <typename E, auto P>
using Padded = Full<TileType::Vec, E, 8, 32, BLayout::RowMajor, 8, 32, SLayout::NoneBox, 512, P>;
static_assert(isCustomPadValue(PadCustom<-1.0f>) && getCustomPadBits(PadCustom<-1.0f>) == 0xbf800000);
static_assert(!isCustomPadValue(PadValue::Max) && getCustomPadBits(PadValueCustom(int8_t(-2))) == 0xfe);
static_assert(getCustomPadBits(PadValueCustom16(0x1234)) == 0x1234);
static_assert(GetPadValue<Padded<float, PadCustom<-1.0f>>>() == -1.0f &&
              GetPadValue<Padded<int16_t, PadValue::Min>>() == -32768);
static_assert(GetPadValue<Padded<uint8_t, PadValue::Min>>() == 0 &&
              GetPadValue<Padded<int32_t, PadValue::Max>>() == 0x7fffffff);
static_assert(GetPadValue<Padded<float, PadValue::Max>>() == __builtin_inff() &&
              GetPadValue<Padded<float, PadValue::Zero>>() == 0);

// --- GT-1, GT-2, GT-3 ----------------------------------------------------------------------------
using Bare = GlobalTensor<float>;
static_assert(Bare::layout == Layout::ND && Bare::staticShape[0] == -1 && Bare::staticStride[4] == -1);
constexpr Shape<2, -1, 3, -1, -1> kNothing, kFive(7, 8, 9, 10, 11), kThree(4, 5, 6);
static_assert(kNothing.shape[1] == 1 && kNothing.shape[4] == 1 && kNothing.shape[0] == 2);
static_assert(kFive.shape[0] == 2 && kFive.shape[1] == 8 && kFive.shape[2] == 3 && kFive.shape[3] == 10 &&
              kFive.shape[4] == 11);
static_assert(kThree.shape[1] == 4 && kThree.shape[2] == 3 && kThree.shape[3] == 5 && kThree.shape[4] == 6);
constexpr GlobalTensor<float, Shape<2, -1, 3, -1, -1>> kView(nullptr, kThree, Stride<>(1, 2, 3, 4, 5));
static_assert(kView.GetShape(0) == 2 && kView.GetShape(3) == 5 && kView.GetShape(5) == -1 &&
              kView.GetStride(4) == 5 && kView.GetStride(-1) == -1 && decltype(kView)::GetShape<2>() == 3);
constexpr int64_t afterSetting() {
  GlobalTensor<float, Shape<2, -1, 3, -1, -1>> view;
  view.SetShape<1, 4>(20, 30);
  view.SetStride<0>(40);
  return view.GetShape(1) * 10000 + view.GetShape(4) * 100 + view.GetStride(0);
}
static_assert(afterSetting() == 203040);

// --- TILE-1, TILE-6, TILE-8 ------------------------------------------------------------------------
template <typename T>
constexpr bool is(TileType loc, TileLayoutCustom layout, int fractal, CompactMode compact) {
  return T::Loc == loc && GetTileLayoutCustom<T>() == layout && T::SFractalSize == fractal &&
         T::Compact == compact;
}
constexpr auto kNull = CompactMode::Null, kNormal = CompactMode::Normal;
static_assert(is<TileLeft<half, 16, 16>>(TileType::Left, TileLayoutCustom::NZ, 512, kNull));
static_assert(is<TileRight<half, 16, 16>>(TileType::Right, TileLayoutCustom::ZN, 512, kNull));
static_assert(is<TileAcc<float, 16, 16>>(TileType::Acc, TileLayoutCustom::NZ, 1024, kNull));
static_assert(is<TileLeftScale<uint8_t, 16, 2>>(TileType::ScaleLeft, TileLayoutCustom::ZZ, 32, kNull));
static_assert(is<TileRightScale<uint8_t, 2, 16>>(TileType::ScaleRight, TileLayoutCustom::NN, 32, kNull));
static_assert(is<TileLeftCompact<half, 16, 16>>(TileType::Left, TileLayoutCustom::NZ, 512, kNormal));
static_assert(is<TileRightCompact<half, 16, 16>>(TileType::Right, TileLayoutCustom::ZN, 512, kNormal));
static_assert(is<TileAccCompact<float, 16, 16>>(TileType::Acc, TileLayoutCustom::NZ, 1024, kNormal));
static_assert(TileLeft<half, 16, 32>::InnerRows == 16 && TileLeft<half, 16, 32>::InnerCols == 16 &&
              TileRight<int8_t, 32, 16>::InnerRows == 32 && TileRight<int8_t, 32, 16>::InnerCols == 16);
using Part = Full<TileType::Vec, float, 16, 64, BLayout::RowMajor, 7, DYNAMIC>;
static_assert(Part::Rows == 16 && Part::Cols == 64 && Part::ValidRow == 7 && Part::ValidCol == -1 &&
              Part::Numel == 1024 && Part::RowStride == 64 && Part::ColStride == 1 &&
              Part::GetValidRow() == 7 && Part::GetSizeInBytes() == 4096);

// --- TASSIGN-1 -----------------------------------------------------------------------------------
/// TASSIGN<Address> of 32 bytes is refused beyond the end.
#ifdef PTO_NPU_ARCH_A2A3
constexpr int kUb = 192 << 10, kL0c = 128 << 10;
#else
constexpr int kUb = 256 << 10, kL0c = 256 << 10;
#endif
void atTheEnd(Full<TileType::Vec, float, 1, 8> &vec, Full<TileType::Mat, float, 1, 8> &mat,
              TileAcc<float, 16, 16> &acc) {
  TASSIGN<kUb - 32>(vec);
  TASSIGN<(512 << 10) - 32>(mat);
  TASSIGN<kL0c - 1024>(acc);
}

// --- CPP-8, CPP-9, TSYNC-5 -----------------------------------------------------------------------
void calls(Full<TileType::Vec, float, 8, 8> &a, Full<TileType::Vec, float, 8, 8> &b,
           GlobalTensor<float, TileShape2D<float, 8, 8>, BaseShape2D<float, 8, 8>> &g) {
  Event<Op::TLOAD, Op::TADD> e0, e1, e2, e3, e4, e5, e6, e7;
  static_assert(std::is_same_v<decltype(TADD(a, a, b, e0, e1, e2, e3, e4, e5, e6, e7)), RecordEvent>);
  static_assert(std::is_same_v<decltype(TLOAD_IMPL(a, g)), RecordEvent> &&
                std::is_same_v<decltype(TCONCAT_IMPL(a, a, b)), RecordEvent>);
  TPRINT_IMPL(a);
  TDIVS(a, b, 2.0f);
  TDIVS(a, 2.0f, b);
  TSYNC<Op::TADD>();
  TSYNC(e0, e1);
  TSYNC();
  dcci(g.data(), SINGLE_CACHE_LINE);
  dcci(nullptr, ENTIRE_DATA_CACHE);
  dcci((__gm__ void *)nullptr, cache_line_t::ENTIRE_DATA_CACHE, dcci_dst_t::CACHELINE_OUT);
  dsb(DSB_DDR);
}

#ifdef WRONG
static_assert(counts(0, RoundMode::CAST_RINT));
#endif
