// What a small kernel costs the compiler: measured by `ptoscope-bench tile`.
#include <pto/pto-inst.hpp>

using namespace pto;
using Vec = Tile<TileType::Vec, float, 32, 256>;
using View = GlobalTensor<float, Shape<1, 1, 1, 32, 256>, Stride<8192, 8192, 8192, 256, 1>>;

AICORE void add(Vec &a, Vec &b, Vec &c, View &x, View &y, View &z) {
  Event<Op::TLOAD, Op::TADD> first = TLOAD(a, x);
  Event<Op::TLOAD, Op::TADD> second = TLOAD(b, y);
  Event<Op::TADD, Op::TSTORE_VEC> added = TADD(c, a, b, first, second);
  TSTORE(z, c, added);
}
