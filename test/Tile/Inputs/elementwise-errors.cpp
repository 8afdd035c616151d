// Wrong calls, one per CASE.
#include <pto/pto-inst.hpp>

using namespace pto;

template <typename T, int Rows = 16, int Cols = 64> using Vec = Tile<TileType::Vec, T, Rows, Cols>;

AICORE void kernel() {
  Vec<float> a, b, c, tmp;
  Vec<half> h;
  Vec<int32_t> i;
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 8, 64> part;
  Tile<TileType::Vec, float, 16, 64, BLayout::ColMajor> columns;
  Tile<TileType::Mat, float, 16, 64> mat;
  Tile<TileType::Vec, uint8_t, 8, 32> mask;
#if CASE == 0
  TADD(c, a, b);
  TSELS(c, h, a, tmp, 1.0f);
#elif CASE == 1
  TADD(c, a, h);
#elif CASE == 2
  TSUB(c, a, mat);
#elif CASE == 3
  TEXP(i, i);
#elif CASE == 4
  TAND(c, a, b);
#elif CASE == 5
  TMUL(c, a, part);
#elif CASE == 6
  TROWSUM(c, columns, tmp);
#elif CASE == 7
  TCMP(mask, a, b, CmpMode::LT);
#elif CASE == 8
  TADDRELUCONV(i, a, b);
#elif CASE == 9
  TROWARGMAX(c, a, tmp);
#elif CASE == 10
  THISTOGRAM<HistByte::BYTE_2>(i, h, i);
#elif CASE == 11
  TCMP(i, a, h, CmpMode::LT);
#endif
}
