//===- TileMixed.cpp - mixed kernels, gathers from global memory ----------===//

#include "TileMixed.h"
#include "TileAttention.h"
#include "TileBench.h"

using namespace pto;
using bench::Array, bench::leastTimes, bench::wrong;

bool bench::attend(bool checked, Array<uint16_t> &q, Array<uint16_t> &k, Array<uint16_t> &v, Array<float> &o,
                   int64_t heads, int64_t length, int64_t blocks) {
  ptoscope::Options options;
  options.arch = "a5";
  if (!checked)
    options.unchecked();
  ptoscope::Result result = ptoscope::launch(options, ptoscope::mixed(attention::products, attention::softmax), blocks,
                                             q, k, v, o, heads, length);
  if (!result.ok())
    result.print();
  return result.ok();
}

namespace {

//===----------------------------------------------------------------------===//
// Elements of global memory by index
//===----------------------------------------------------------------------===//

constexpr int kRows = 16, kCols = 256, kCount = kRows * kCols;
template <typename T> using Vec = Tile<TileType::Vec, T, kRows, kCols>;
template <typename T>
using View = GlobalTensor<T, Shape<1, 1, 1, kRows, kCols>, Stride<kCount, kCount, kCount, kCols, 1>>;

template <bool Scatters> void byIndex(float *x, int32_t *indices, int64_t turns) {
  Vec<float> tile;
  Vec<int32_t> index;
  TASSIGN(tile, 0);
  TASSIGN(index, kCount * 4);
  View<float> view(x);
  View<int32_t> from(indices);
  TLOAD(tile, view);
  TLOAD(index, from);
  pipe_barrier(PIPE_ALL);
  for (int64_t t = 0; t < turns; ++t) {
    if constexpr (Scatters)
      MSCATTER<Coalesce::Elem>(view, tile, index);
    else
      MGATHER<Coalesce::Elem>(tile, view, index);
    pipe_barrier(PIPE_ALL);
  }
}

template <bool Scatters> bool gather(const std::string &name) {
  constexpr int64_t kTurns = 16;
  Array<float> x(kCount);
  Array<int32_t> indices(kCount);
  for (int i = 0; i < kCount; ++i) {
    x[size_t(i)] = float(i);
    indices[size_t(i)] = (i * 37 + 11) % kCount;
  }
  bool ok = true;
  auto [off, on] = leastTimes([&] { ok &= bench::run(false, byIndex<Scatters>, x, indices, kTurns); },
                              [&] { ok &= bench::run(true, byIndex<Scatters>, x, indices, kTurns); });
  if (!ok)
    return wrong(name);
  bench::report(name + " of 4096 elements, checks off", off * 1e6 / kTurns, "us");
  return bench::figure(name + " of 4096 elements, all checks on / checks off", on / off, 20);
}

} // namespace

bool bench::tileGathers() {
  bool ok = gather<false>("MGATHER");
  return gather<true>("MSCATTER") && ok;
}
