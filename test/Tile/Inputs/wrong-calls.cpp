// The likeliest wrong calls. Each gets one error, which says what to do.
#include <pto/pto-inst.hpp>

using namespace pto;

using Rows = Tile<TileType::Vec, float, 16, 64>;
using Halves = Tile<TileType::Vec, half, 16, 64>;
using Narrow = Tile<TileType::Vec, float, 16, 32>;
using Matrix = Tile<TileType::Mat, float, 16, 64>;
using View = GlobalTensor<float, TileShape2D<float, 16, 64>, BaseShape2D<float, 16, 64>>;

void wrong(float *pointer, Rows &a, Rows &b, Halves &h, Narrow &n, Matrix &m, View &view) {
  TADD(a, b);           // an operand is missing
  TADD(a, b, h);        // element types
  TADD(a, b, n);        // shapes
  TADD(m, m, m);        // memory
  TADD(a, view, b);     // a view for a tile
  TADDS(a, b, b);       // a tile for a number
  TLOAD(view, a);       // operands the wrong way round
  TSTORE(a, view);      // the same
  TLOAD(a, pointer);    // a pointer for a view
  TMATMUL(a, b, b);     // tiles in the wrong memories
  TCVT(h, a);           // no mode of rounding
  TADD(pointer, a, b);  // a pointer for a tile
}
