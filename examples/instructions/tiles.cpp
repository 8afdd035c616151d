// Every tile instruction once: the examples of docs/tile-instructions.md. a3.pto, cube.pto and vector.pto
// have the same in text, line by line.
#define __PTO_AUTO__
#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>

#include <cstdio>
#include <vector>

using namespace pto;

template <typename T, int Rows, int Cols>
using View = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<Rows * Cols, Rows * Cols, Rows * Cols, Cols, 1>>;

using F32 = Tile<TileType::Vec, float, 16, 64>;
using F16 = Tile<TileType::Vec, half, 16, 64>;
using I32 = Tile<TileType::Vec, int32_t, 16, 64>;
using I16 = Tile<TileType::Vec, int16_t, 16, 64>;
using I8 = Tile<TileType::Vec, int8_t, 16, 64>;
using Exponents = Tile<TileType::Vec, uint8_t, 16, 32, BLayout::RowMajor, 16, 2>;
using Groups = Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, 16, 2>;
using Mask = Tile<TileType::Vec, int8_t, 16, 32>;
using Column = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor>;
using Row = Tile<TileType::Vec, float, 1, 64>;
using Icolumn = Tile<TileType::Vec, int32_t, 16, 1, BLayout::ColMajor>;
using Irow = Tile<TileType::Vec, int32_t, 1, 64>;
using Ui32 = Tile<TileType::Vec, uint32_t, 16, 64>;
using Blocks = Tile<TileType::Vec, uint32_t, 16, 8>;
using Wide = Tile<TileType::Vec, float, 16, 128>;
using Small = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 8, 32>;
using SmallI32 = Tile<TileType::Vec, int32_t, 16, 64, BLayout::RowMajor, 8, 32>;
using Turned = Tile<TileType::Vec, float, 64, 16>;
using Padded = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Zero>;
using Piece = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 32>;
using Scores = Tile<TileType::Vec, float, 1, 128>;
using Numbers = Tile<TileType::Vec, uint32_t, 1, 128>;
using Records = Tile<TileType::Vec, float, 1, 256>;
using Merged = Tile<TileType::Vec, float, 1, 512>;
using Values = Tile<TileType::Vec, uint16_t, 1, 256>;
using Wanted = Tile<TileType::Vec, uint8_t, 1, 32>;
using Bins = Tile<TileType::Vec, uint32_t, 1, 256>;
using L1 = Tile<TileType::Mat, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor>;
using Left = Tile<TileType::Left, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor>;
using Right = Tile<TileType::Right, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor>;
using Acc = Tile<TileType::Acc, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 1024>;
using L1Row = Tile<TileType::Mat, float, 1, 64>;
using Bias = Tile<TileType::Bias, float, 1, 64>;
using L1Words = Tile<TileType::Mat, uint64_t, 1, 64>;
using Scaling = Tile<TileType::Scaling, uint64_t, 1, 64>;
using AccRow = Tile<TileType::Acc, float, 16, 64, BLayout::ColMajor, 1, 64, SLayout::RowMajor, 1024>;
using LeftRow = Tile<TileType::Left, half, 16, 64, BLayout::ColMajor, 1, 64, SLayout::RowMajor>;
using L1One = Tile<TileType::Mat, half, 16, 64, BLayout::ColMajor, 1, 64, SLayout::RowMajor>;

AICORE void olderTargets(__gm__ float *xIn, __gm__ float *yIn) {
  View<float, 16, 64> x(xIn), y(yIn);
  F32 a, b, d;

  TLOAD(a, x);
  TLOAD(b, y);
  TADDRELU(d, a, b);
  TSTORE(y, d);
}

AICORE void cubeCore(__gm__ half *aIn, __gm__ half *bIn, __gm__ half *oneIn, __gm__ float *rowIn,
                     __gm__ uint64_t *wordsIn, __gm__ float *outIn, __gm__ half *halvesIn) {
  View<half, 64, 64> a(aIn), b(bIn), halves(halvesIn);
  View<half, 1, 64> one(oneIn);
  View<float, 1, 64> row(rowIn);
  View<uint64_t, 1, 64> words(wordsIn);
  View<float, 64, 64> out(outIn);
  L1 l1a, l1b, l1c;
  Left left;
  Right right;
  Acc acc, sum;
  L1Row l1bias;
  Bias bias;
  L1Words l1words;
  Scaling scales;
  AccRow accrow, sumrow;
  LeftRow leftrow;
  L1One l1row;

  TLOAD(l1a, a);
  TLOAD(l1b, b);
  TLOAD(l1bias, row);
  TLOAD(l1words, words);
  TLOAD(l1row, one);
  TEXTRACT(left, l1a, 0, 0);
  TMOV(right, l1b);
  TMOV(bias, l1bias);
  TMOV(scales, l1words);
  TMOV(leftrow, l1row);
  // Products.
  TMATMUL(acc, left, right);
  TMATMUL_ACC(sum, acc, left, right);
  TMATMUL_BIAS(acc, left, right, bias);
  TGEMV(accrow, leftrow, right);
  TGEMV_ACC(sumrow, accrow, leftrow, right);
  TGEMV_BIAS(accrow, leftrow, right, bias);
  // Out of the accumulator.
  TMOV_FP<decltype(l1c), decltype(sum), decltype(scales)>(l1c, sum, scales);
  TEXTRACT_FP<decltype(l1c), decltype(sum), decltype(scales)>(l1c, sum, scales, 0, 0);
  TINSERT_FP<decltype(l1c), decltype(sum), decltype(scales)>(l1c, sum, scales, 0, 0);
  TSTORE(out, acc);
  TSTORE_FP<decltype(sum), decltype(halves), decltype(scales)>(halves, sum, scales);
}

AICORE void vectorCore(__gm__ float *xIn, __gm__ float *yIn, __gm__ float *tableIn) {
  View<float, 16, 64> x(xIn), y(yIn), table(tableIn);
  const uint32_t key[2] = {7, 7}, counter[4] = {7, 7, 7, 7};
  F32 a, b, c, d, tmp;
  F16 h;
  I32 i, j, n, places;
  I16 w;
  I8 bytes;
  Exponents exponents;
  Groups largest, scalings;
  Mask mask;
  Column sums, offsets;
  Row totals;
  Icolumn ids;
  Irow line;
  Ui32 words;
  Blocks blocks;
  Wide wide;
  Small small;
  SmallI32 few;
  Turned turned;
  Padded padded;
  Piece piece;
  Scores scores;
  Numbers numbers;
  Records records;
  Merged merged;
  Values values;
  Wanted wanted;
  Bins bins;

  TLOAD(a, x);
  TLOAD(b, y);
  TPREFETCH(c, x);
  // Element by element.
  TADD(d, a, b);
  TSUB(d, a, b);
  TMUL(d, a, b);
  TDIV(d, a, b);
  TMAX(d, a, b);
  TMIN(d, a, b);
  TFMOD(d, a, b);
  TREM(d, a, b, tmp);
  TPOW(d, a, b, tmp);
  TPRELU(d, a, b, tmp);
  TADDC(d, a, b, c);
  TSUBC(d, a, b, c);
  TMULADDDST(d, a, b);
  TFUSEDMULADD(d, a, b);
  TFUSEDMULADDRELU(d, a, b);
  TSUBRELU(d, a, b);
  // With one source.
  TABS(d, a);
  TNEG(d, a);
  TRELU(d, a);
  TEXP(d, a);
  TLOG(d, a);
  TSQRT(d, a);
  TRECIP(d, a);
  TRSQRT(d, a, tmp);
  // With a scalar.
  TADDS(d, a, 2.0f);
  TSUBS(d, a, 2.0f);
  TMULS(d, a, 2.0f);
  TDIVS(d, a, 2.0f);
  TMAXS(d, a, 2.0f);
  TMINS(d, a, 2.0f);
  TFMODS(d, a, 2.0f);
  TLRELU(d, a, 2.0f);
  TAXPY(d, a, 2.0f);
  TREMS(d, a, 2.0f, tmp);
  TPOWS(d, a, 2.0f, tmp);
  TADDSC(d, a, 2.0f, b);
  TSUBSC(d, a, 2.0f, b);
  TEXPANDS(c, 2.0f);
  // Conversion, bits.
  TCVT(i, a, RoundMode::CAST_RINT);
  TCVT(j, b, RoundMode::CAST_RINT);
  TCVT(h, a, RoundMode::CAST_RINT);
  TAND(n, i, j);
  TOR(n, i, j);
  TSHL(n, i, j);
  TSHR(n, i, j);
  TXOR(n, i, j, places);
  TNOT(n, i);
  TANDS(n, i, 3);
  TORS(n, i, 3);
  TSHLS(n, i, 3);
  TSHRS(n, i, 3);
  TXORS(n, i, 3, places);
  TCVT(w, i, RoundMode::CAST_RINT, SaturationMode::OFF);
  TADDRELUCONV(h, a, b);
  TSUBRELUCONV(h, a, b);
  TADDDEQRELU(h, i, j, 2.0f, tmp);
  // Comparison, choice.
  TCMP(mask, a, b, CmpMode::LT);
  TSEL(d, mask, a, b, tmp);
  TSELS(d, mask, a, tmp, 2.0f);
  TCMPS(mask, a, 2.0f, CmpMode::GT);
  // Reductions.
  TROWSUM(sums, a, tmp);
  TROWPROD(sums, a, tmp);
  TROWMAX(sums, a, tmp);
  TROWMIN(sums, a, tmp);
  TROWARGMAX(ids, a, tmp);
  TROWARGMIN(ids, a, tmp);
  TCOLSUM(totals, a);
  TCOLPROD(totals, a);
  TCOLMAX(totals, a);
  TCOLMIN(totals, a);
  TCOLARGMAX(line, a, tmp);
  TCOLARGMIN(line, a, tmp);
  // Rows and columns repeated.
  TROWEXPAND(d, sums);
  TCOLEXPAND(d, totals);
  TROWEXPANDADD(d, a, sums);
  TROWEXPANDSUB(d, a, sums);
  TROWEXPANDMUL(d, a, sums);
  TROWEXPANDDIV(d, a, sums);
  TROWEXPANDMAX(d, a, sums);
  TROWEXPANDMIN(d, a, sums);
  TROWEXPANDEXPDIF(d, a, sums);
  TCOLEXPANDADD(d, a, totals);
  TCOLEXPANDSUB(d, a, totals);
  TCOLEXPANDMUL(d, a, totals);
  TCOLEXPANDDIV(d, a, totals);
  TCOLEXPANDMAX(d, a, totals);
  TCOLEXPANDMIN(d, a, totals);
  TCOLEXPANDEXPDIF(d, a, totals);
  TPAIRREDUCESUM(d, a);
  TROWMAX(offsets, b, tmp);
  // Quantisation.
  TQUANT<QuantType::MXFP8>(bytes, a, &exponents, &largest, &scalings);
  TQUANT<QuantType::INT8_SYM>(bytes, a, sums);
  TDEQUANT(d, bytes, sums, offsets);
  // Moves, sources of different extents, joining, padding.
  TMOV(d, a);
  TEXPANDS(small, 2.0f);
  TEXPANDS(few, 1);
  TPARTADD(d, a, small);
  TPARTMUL(d, a, small);
  TPARTMAX(d, a, small);
  TPARTMIN(d, a, small);
  TPARTARGMAX(d, a, small, n, i, few);
  TPARTARGMIN(d, a, small, n, i, few);
  TCONCAT(wide, a, b);
  TEXPANDS(ids, 3);
  TCONCAT(wide, a, b, ids, ids);
  TINTERLEAVE(c, d, a, b);
  TDEINTERLEAVE(c, d, a, b);
  TTRANS(turned, a, tmp);
  TFILLPAD(padded, small);
  TFILLPAD_EXPAND(padded, small);
  TFILLPAD_INPLACE(padded, padded);
  TEXTRACT(piece, a, 0, 32);
  TINSERT(d, piece, 0, 32);
  // Generators.
  TCI(line, 3);
  TTRI<decltype(d), 1>(d, 1);
  TRANDOM(words, key, counter);
  TEXPANDS(places, 0);
  TEXPANDS(blocks, 0);
  // Gather, scatter, sort.
  TGATHER(d, a, places);
  TGATHERB(d, a, blocks);
  TSCATTER(d, a, places);
  TEXPANDS(ids, 0);
  MGATHER<Coalesce::Row>(d, table, ids);
  TEXPANDS(numbers, 0);
  TEXPANDS(scores, 2.0f);
  TSORT32(records, scores, numbers);
  TMRGSORT(merged, records, 64);
  TEXPANDS(values, 0);
  TEXPANDS(wanted, 0);
  THISTOGRAM<HistByte::BYTE_1>(bins, values, wanted);
  MSCATTER<Coalesce::Row>(table, d, ids);
  TSTORE(y, d);
}

int main() {
  std::vector<float> x(16 * 64, 1.5f), y(16 * 64, 0.5f), table(16 * 64, 2.0f), row(64, 1.0f), out(64 * 64);
  std::vector<half> a(64 * 64, half(1.0f)), b(64 * 64, half(0.5f)), one(64, half(1.0f)), halves(64 * 64);
  std::vector<uint64_t> words(64, 0x3F800000); // 1.0
  const ptoscope::Result results[] = {ptoscope::launch(olderTargets, 1, x, y),
                                      ptoscope::launch(cubeCore, 1, a, b, one, row, words, out, halves),
                                      ptoscope::launch(vectorCore, 1, x, y, table)};
  size_t findings = 0;
  for (const ptoscope::Result &result : results) {
    result.print();
    findings += result.size();
  }
  std::printf("%zu findings\n", findings);
  return findings != 0;
}
