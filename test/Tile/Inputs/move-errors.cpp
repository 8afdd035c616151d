// Wrong moves, one per CASE; all is well in the last.
#include <pto/pto-inst.hpp>

using namespace pto;

template <typename T, int R, int C, PadValue P>
using Padded = Tile<TileType::Vec, T, R, C, BLayout::RowMajor, R, C, SLayout::NoneBox, 512, P>;

AICORE void kernel() {
  Tile<TileType::Vec, float, 16, 64> a, b, wide;
  Tile<TileType::Vec, float, 16, 32> narrow;
  Tile<TileType::Vec, float, 64, 16> tall;
  Tile<TileType::Vec, half, 16, 64> h;
  Tile<TileType::Vec, int8_t, 16, 64> i8;
  Tile<TileType::Vec, int8_t, 32, 32> q;
  Tile<TileType::Vec, int32_t, 16, 8> counts;
  Tile<TileType::Vec, int32_t, 1, 64> row;
  Tile<TileType::Vec, int32_t, 2, 64> rows;
  Tile<TileType::Vec, float, 16, 128> joined;
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 9, 30> part;
  Tile<TileType::Vec, float, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor> boxed;
  Tile<TileType::Vec, float, 32, 32> f;
  Tile<TileType::Vec, int4b_t, 16, 64> nibbles;
  Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor> m;
  Tile<TileType::Mat, float, 1, 64> fm;
  Tile<TileType::Mat, uint64_t, 1, 64> wm;
  TileLeft<half, 32, 32> left;
  TileRight<half, 32, 32> right;
  TileAcc<float, 32, 32> acc;
  Tile<TileType::Bias, float, 1, 64> bias;
  Tile<TileType::Scaling, uint64_t, 1, 64> fp;
  Padded<float, 16, 64, PadValue::Zero> zero;
  Padded<float, 32, 64, PadValue::Zero> larger;
  GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>> g;
  GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>, Layout::NHWC> image;
  (void)a, (void)b, (void)wide, (void)narrow, (void)tall, (void)h, (void)i8, (void)q, (void)counts, (void)row, (void)rows;
  (void)joined, (void)part, (void)boxed, (void)f, (void)nibbles, (void)m, (void)fm, (void)wm, (void)left, (void)right;
  (void)acc, (void)bias, (void)fp, (void)zero, (void)larger, (void)g, (void)image;
#if CASE == 0
  TMOV(left, a);
#elif CASE == 1
  TMOV(m, left);
#elif CASE == 2
  TINSERT(left, m, 0, 0);
#elif CASE == 3
  TMOV(h, a);
#elif CASE == 4
  TMOV(q, acc);
#elif CASE == 5
  TMOV<ReluPreMode::NormalRelu>(b, a);
#elif CASE == 6
  TEXTRACT<decltype(f), decltype(acc), AccToVecMode::DualModeSplitM>(f, acc, 0, 0);
#elif CASE == 7
  TMOV(narrow, a);
#elif CASE == 8
  TEXTRACT(a, narrow, 0, 0);
#elif CASE == 9
  TMOV<RoundMode::CAST_RINT>(b, a);
#elif CASE == 10
  TMOV_FP(q, acc, a);
#elif CASE == 11
  TTRANS(b, a, wide);
#elif CASE == 12
  TFILLPAD(b, part);
#elif CASE == 13
  TFILLPAD(larger, part);
#elif CASE == 14
  TFILLPAD_EXPAND(zero, tall);
#elif CASE == 15
  TCONCAT(joined, a, tall);
#elif CASE == 16
  TCI(rows, 0);
#elif CASE == 17
  TSUBVIEW(boxed, boxed, 0, 0);
#elif CASE == 18
  TSUBVIEW(joined, a, 0, 0);
#elif CASE == 19
  TRESHAPE(joined, a);
#elif CASE == 20
  TRESHAPE(boxed, a);
#elif CASE == 21
  TLOAD(a, image);
#elif CASE == 23
  left.GetValue(0);
#elif CASE == 24
  nibbles.GetValue(0);
#elif CASE == 25
  TINTERLEAVE(a, b, part, part);
#elif CASE == 26
  TCI(a, 1);
#else
  Event<Op::TLOAD, Op::TMOV_V2V> e;
  TMOV(b, a, e);
  TMOV(b, a, wide);
  TMOV(b, a, wide, e);
  TMOV(boxed, a);
  TMOV(left, m);
  TMOV(right, m);
  TMOV(bias, fm);
  TMOV(fp, wm);
  TMOV<decltype(f), decltype(acc), ReluPreMode::NormalRelu>(f, acc);
  TMOV<decltype(f), decltype(acc), AccToVecMode::SingleModeVec1, ReluPreMode::NormalRelu>(f, acc, e);
  TMOV<STPhase::Final>(f, acc);
  TMOV<STPhase::Final, decltype(f), decltype(acc), ReluPreMode::NormalRelu>(f, acc);
  TMOV<decltype(q), decltype(acc), ReluPreMode::NormalRelu>(q, acc, 1, e);
  TMOV<decltype(q), decltype(acc), decltype(fp), AccToVecMode::DualModeSplitN, ReluPreMode::NormalRelu>(q, acc, fp, e);
  TMOV_FP<decltype(q), decltype(acc), decltype(fp), ReluPreMode::NormalRelu>(q, acc, fp, e);
  TEXTRACT(left, m);
  TEXTRACT(right, m, 0, 0, e);
  TEXTRACT<decltype(f), decltype(acc), ReluPreMode::NormalRelu>(f, acc, 0, 0);
  TEXTRACT(q, acc, uint64_t(1), 0, 0, e);
  TEXTRACT(q, acc, fp, 0, 0, e);
  TEXTRACT_FP<decltype(q), decltype(acc), decltype(fp)>(q, acc, fp, 0, 0, e);
  TINSERT(a, narrow, 0, 32, e);
  TINSERT<decltype(m), decltype(acc), ReluPreMode::NormalRelu>(m, acc, 0, 0);
  TINSERT(q, acc, uint64_t(1), 0, 0, e);
  TINSERT_FP(q, acc, fp, 0, 0, e);
  TTRANS(tall, a, wide, e);
  TFILLPAD(zero, part, e);
  TFILLPAD<TFillPadMode::InPlace>(zero, part);
  TFILLPAD<decltype(b), PadValue::Max>(b, part);
  TFILLPAD_INPLACE(zero, part);
  TFILLPAD_EXPAND(larger, part, e);
  TCONCAT(joined, a, b, e);
  TCONCAT(joined, a, b, counts, counts, e);
  TCONCAT(joined, a, b, counts, counts, counts, e);
  TCONCAT_IMPL(joined, a, b);
  TINTERLEAVE(a, b, a, b, e);
  TDEINTERLEAVE(a, b, a, b, e);
  TDEINTERLEAVE(a, b, joined, e);
  TCI<decltype(row), int32_t, 1>(row, 3, e);
  TCI<decltype(row), int32_t, false>(row, 3, rows);
  TCI(row, 3);
  TTRI<decltype(a), 1>(a, 0, e);
  TTRI(a, 0);
  TSUBVIEW(part, a, 1, 8, e);
  TRESHAPE(tall, a, e);
  TLOAD_IMPL(a, g);
  TPREFETCH(a, g);
  TPRINT_IMPL(a);
  a.SetValue(3, a.GetValue(4));
#endif
}
