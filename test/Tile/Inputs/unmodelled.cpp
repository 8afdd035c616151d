// What is refused by name, one per CASE; all is well in the last.
#include <pto/pto-inst.hpp>

using namespace pto;

AICORE void kernel() {
#if CASE == 0
  TileLeftScale<float8_e8m0_t, 16, 2> scale;
  TASSIGN(scale, 0);
#elif CASE == 1
  TileRightScale<float8_e8m0_t, 2, 16> scale;
  TASSIGN<0>(scale);
#elif CASE == 2
  ConvTile<TileType::Mat, half, 4096, Layout::NC1HWC0, ConvTileShape<1, 1, 16, 16, 16>> image;
#elif CASE == 3
  cpu_sim::LaunchKernelMultiCore(0, nullptr, [] {});
#elif CASE == 4
  cpu_sim::ScopedExecutionContext context(0, 0, 1);
#elif CASE == 5
  cpu_sim::set_task_cookie(7);
#elif CASE == 6
  Tile<TileType::Vec, float8_e4m3_t, 16, 64> q;
  Tile<TileType::Vec, float, 16, 64> a;
  Tile<TileType::Vec, uint8_t, 16, 32> exponent;
  Tile<TileType::Vec, float, 16, 8> max;
  TQUANT<QuantType::MXFP8>(q, a, &exponent, &max, &max, &exponent);
#elif CASE == 7
  Tile<TileType::Vec, float8_e4m3_t, 16, 64> q;
  Tile<TileType::Vec, float, 16, 64> a;
  Tile<TileType::Vec, uint8_t, 16, 32> exponent;
  Tile<TileType::Vec, float, 16, 8> max;
  TQUANT<QuantType::MXFP8, QuantScaleAlg::NV>(q, a, &exponent, &max, &max);
#elif CASE == 8
  TileLeft<half, 16, 32> left;
  TileRight<half, 32, 16, 31> right;
  TileAcc<float, 16, 16> sum;
  TMATMUL(sum, left, right);
#elif CASE == 9
  Tile<TileType::Vec, float, 16, 64> a, b;
  TGATHER<decltype(a), decltype(b), MaskPattern::P0101, GatherAxis::GATHER_COL>(a, b);
#elif CASE == 10
  Tile<TileType::Vec, float, 16, 64> a, b;
  TSCATTER<MaskPattern::P0101, ScatterAxis::SCATTER_COL>(a, b);
#elif CASE == 11
  TGET_SCALE_ADDR(0, 0);
#else
  TileLeftScale<float8_e8m0_t, 16, 2> scale; // a type, as long as it has no place
  TileLeft<half, 16, 32, 16, 31> left;
  TileRight<half, 32, 16> right;
  TileAcc<float, 16, 16> sum;
  TMATMUL(sum, left, right);
  (void)scale;
#endif
}
