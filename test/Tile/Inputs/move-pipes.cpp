// Moves between memories, each ordered by flags of exactly the pipes that its operation
// names: on another pipe it would be a race. With the shared library, whose records are
// not those of the program.
#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>

#include <cstdio>
#include <vector>

using namespace pto;

constexpr int kSize = 32;
using Mat = Tile<TileType::Mat, float, kSize, kSize>;
using View = GlobalTensor<float, Shape<1, 1, 1, kSize, kSize>, Stride<1, 1, 1, kSize, 1>>;

template <Op Path> void copy(float *in, float *out) {
  Tile<TileType::Vec, float, kSize, kSize> a;
  Mat b;
  TASSIGN(a, 0);
  TASSIGN(b, 0);
  View gin(in), gout(out);
  Event<Op::TLOAD, Path> loaded = TLOAD(a, gin);
  Event<Path, Op::TSTORE_MAT> moved;
  if constexpr (Path == Op::TMOV_V2M)
    moved = TMOV(b, a, loaded);
  else if constexpr (Path == Op::TEXTRACT_V2M)
    moved = TEXTRACT(b, a, 0, 0, loaded);
  else
    moved = TINSERT(b, a, 0, 0, loaded);
  TSTORE(gout, b, moved);
}

template <Op Path> bool works() {
  std::vector<float> in(kSize * kSize), out(kSize * kSize);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = float(i);
  ptoscope::Result result = ptoscope::launch(copy<Path>, 1, in, out);
  result.print();
  return result.size() == 0 && in == out;
}

int main() {
  const bool right = works<Op::TMOV_V2M>() && works<Op::TEXTRACT_V2M>() && works<Op::TINSERT_V2M>();
  std::puts(right ? "right" : "wrong");
  return !right;
}
