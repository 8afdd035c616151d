// What is refused by name, one per CASE; all is well in the last.
#include <pto/pto-inst.hpp>
#if CASE == 3 // not in the precompiled header
#include <pto/common/cpu_stub.hpp>
#endif

using namespace pto;

AICORE void kernel() {
#if CASE == 0
  Tile<TileType::Ctrl, uint64_t, 1, 4> control;
  TASSIGN(control, 0);
#elif CASE == 1
  Tile<TileType::Ctrl, uint64_t, 1, 4> control;
  TASSIGN(control, static_cast<uint64_t *>(nullptr));
#elif CASE == 2
  ConvTile<TileType::Vec, half, 4096, Layout::NHWC, ConvTileShape<1, 16, 16, 16>> image;
  ConvTile<TileType::Vec, half, 4096, Layout::NC1HWC0, ConvTileShape<1, 1, 16, 16, 16>> blocks;
  TTRANS(blocks, image, blocks);
#elif CASE == 3
  cpu_sim::register_hooks(0);
#elif CASE == 4
  const Tile<TileType::Vec, float, 16, 64> fixed;
  TABS(fixed, fixed);
#elif CASE == 6
  Tile<TileType::Vec, float8_e4m3_t, 16, 64> q;
  Tile<TileType::Vec, float, 16, 64> a;
  Tile<TileType::Vec, uint8_t, 16, 32> exponent;
  Tile<TileType::Vec, float, 16, 8> max;
  TQUANT<QuantType::MXFP8>(q, a, &exponent, &max, &max, true);
#elif CASE == 7
  Tile<TileType::Vec, float8_e4m3_t, 16, 64> q;
  Tile<TileType::Vec, float, 16, 64> a;
  Tile<TileType::Vec, uint8_t, 16, 32> exponent;
  Tile<TileType::Vec, float, 16, 8> max;
  TQUANT<1, MxQuantAlg::Hif4>(q, a, &exponent, &max, &max);
#elif CASE == 8
  TileLeft<half, 16, 32> left;
  TileRight<half, 32, 16, 31> right;
  TileAcc<float, 16, 16> sum;
  TMATMUL(sum, left, right);
#elif CASE == 9
  Tile<TileType::Vec, float, 16, 64> a;
  Tile<TileType::Vec, half, 16, 64> b;
  TGATHER<decltype(a), decltype(b), MaskPattern::P0101>(a, b);
#elif CASE == 10
  Tile<TileType::Vec, float, 16, 64> a;
  GlobalTensor<float> table(nullptr);
  GlobalTensor<int32_t> indices(nullptr);
  MGATHER<Coalesce::Row>(a, table, indices);
#elif CASE == 11
  TileLeftScale<float8_e8m0_t, 16, 2> scale;
  TileRight<float8_e4m3_t, 64, 16> right;
  TGET_SCALE_ADDR(scale, right);
#elif CASE == 13
  TMPipe<0, FIFOType::CTRL_FIFO, 2, 1, Tile<TileType::Vec, half, 16, 32>, Tile<TileType::Mat, half, 16, 32>> pipe(nullptr);
#else
  TileLeftScale<float8_e8m0_t, 16, 2> scale;
  TASSIGN(scale, 0);
  TileLeft<half, 16, 32, 16, 31> left;
  TileRight<half, 32, 16> right;
  TileAcc<float, 16, 16> sum;
  TMATMUL(sum, left, right);
  (void)scale;
#endif
}
