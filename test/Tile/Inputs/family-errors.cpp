// Wrong calls, one per CASE; all is well in the last.
#include <pto/pto-inst.hpp>

using namespace pto;

struct Pipe {};

AICORE void kernel() {
  Tile<TileType::Vec, float, 16, 64> a, b;
  Tile<TileType::Vec, int32_t, 16, 64> i;
  Tile<TileType::Vec, uint8_t, 16, 64> u;
  Tile<TileType::Vec, float8_e4m3_t, 16, 64> f8;
  Tile<TileType::Vec, float, 1, 64> list;
  Tile<TileType::Vec, float, 1, 128> records;
  Tile<TileType::Vec, uint32_t, 1, 64> numbers;
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor> scale;
  TileLeft<half, 32, 16> left;
  TileRight<half, 32, 32> right;
  TileRight<half, 16, 32> fits;
  TileRight<float, 16, 32> wide;
  TileAcc<float, 32, 32> sum;
  Tile<TileType::Bias, float, 1, 32> bias;
  Pipe pipe;
  GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>> g;
  (void)pipe, (void)f8, (void)right, (void)wide, (void)u, (void)scale, (void)bias, (void)g, (void)records, (void)list, (void)numbers, (void)a, (void)b, (void)i, (void)sum, (void)left, (void)fits;
#if CASE == 0
  TPipe<0, Direction::DIR_V2C_CTRL, 1024, 2> control(nullptr, 0, 0);
#elif CASE == 1
  TMATMUL_MX(sum, left, left, fits, fits);
#elif CASE == 2
  TCVT(f8, i, RoundMode::CAST_RINT);
#elif CASE == 3
  TMATMUL(sum, left, right);
#elif CASE == 4
  TMATMUL(sum, left, wide);
#elif CASE == 5
  TGEMV(sum, left, fits);
#elif CASE == 6
  TGATHER(a, b, a);
#elif CASE == 7
  TSORT32(list, list, numbers);
#elif CASE == 8
  TQUANT<QuantType::INT8_SYM>(u, a, scale);
#elif CASE == 9
  SETFMATRIX(a);
#else
  TCVT(i, a, RoundMode::CAST_TRUNC);
  TCVT(i, a, b, RoundMode::CAST_TRUNC, SaturationMode::OFF);
  TMATMUL<AccPhase::Partial>(sum, left, fits);
  TMATMUL_ACC(sum, left, fits);
  TMATMUL_ACC<AccPhase::Final>(sum, sum, left, fits);
  TMATMUL_BIAS(sum, left, fits, bias);
  TGATHER(a, b, i);
  TGATHER<decltype(a), decltype(b), MaskPattern::P1111>(a, b);
  TSCATTER(a, b, i);
  TSCATTER<MaskPattern::P1111>(a, b);
  MGATHER<Coalesce::Elem, GatherOOB::Clamp>(a, g, i);
  MGATHER(a, g, i);
  MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add, ScatterOOB::Skip>(g, a, i);
  TSORT32(records, list, numbers);
  TMRGSORT(records, records, 64);
  TQUANT<QuantType::INT8_ASYM>(u, a, scale, scale);
  TDEQUANT(a, u, scale, scale);
  const uint32_t key[2] = {}, counter[4] = {};
  TRANDOM(i, key, counter);
  TPRINT(a);
#endif
}
