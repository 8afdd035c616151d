// What a kernel learns about its launch, and instructions that change nothing.

#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>

#include <cstdio>
#include <vector>

using namespace pto;

static bool right = true;
static void expect(bool holds, const char *what) {
  if (!holds)
    std::printf("wrong: %s\n", what);
  right = right && holds;
}

constexpr int kBlocks = 3, kCols = 64;
using Row = Tile<TileType::Vec, float, 8, kCols>;
using View = GlobalTensor<float, TileShape2D<float, 8, kCols>, BaseShape2D<float, 8, kCols>>;

/// TLAUNCH-1, TLAUNCH-2: each block once, with its own copies of the arguments.
static void queries() {
  std::vector<int> seen(kBlocks);
  ptoscope::Options options;
  options.cookie = 42;
  const ptoscope::Result result = ptoscope::launch(
      options,
      [&seen](int argument) {
        const int64_t me = get_block_idx();
        ++seen[size_t(me)];
        expect(argument == 5, "the argument");
        ++argument;
        expect(get_block_num() == kBlocks, "get_block_num");
        expect(get_subblockid() == 0 && get_subblockdim() == 1, "get_subblockid, get_subblockdim");
        expect(get_coreid() == me, "get_coreid");
        expect(get_task_cookie() == 42, "get_task_cookie");
      },
      kBlocks, 5);
  expect(result.ok() && result.size() == 0, result.text());
  expect(seen == std::vector<int>(kBlocks, 1), "every block runs once");
}

/// TASSIGN-6: the second load goes through another pointer. TSYNC-11: fences of the cache do nothing, and
/// report nothing.
static void anotherPointer() {
  std::vector<float> x(8 * kCols, 1.0f), y(8 * kCols, 2.0f), sums(8 * kCols);
  const ptoscope::Result result = ptoscope::launch(
      [](float *px, float *py, float *out) {
        Row a, b;
        TASSIGN(a, 0);
        TASSIGN(b, 0x1000);
        View view(px), target(out);
        TLOAD(a, view);
        TASSIGN(view, py);
        expect(view.data() == py, "TASSIGN of a view");
        Event<Op::TLOAD, Op::TADD> loaded = TLOAD(b, view);
        dcci(px, ENTIRE_DATA_CACHE);
        dsb(DSB_ALL);
        Event<Op::TADD, Op::TSTORE> added = TADD(a, a, b, loaded);
        TSTORE(target, a, added);
      },
      1, x, y, sums);
  expect(result.ok() && result.size() == 0, result.text());
  expect(sums == std::vector<float>(8 * kCols, 3.0f), "the sums");
}

/// TRED-6: reductions of no columns and of no rows leave their destinations alone.
static void reductionsOfNothing() {
  std::vector<float> columns(8 * 8), rows(8 * kCols);
  const ptoscope::Result result = ptoscope::launch(
      [](float *perRow, float *perColumn) {
        Tile<TileType::Vec, float, 8, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC> src(8, 0);
        Tile<TileType::Vec, float, 8, 8> column;
        Row row, tmp;
        TASSIGN(src, 0);
        TASSIGN(column, 0x1000);
        TASSIGN(row, 0x2000);
        TASSIGN(tmp, 0x4000);
        TEXPANDS(column, 7.0f);
        TEXPANDS(row, 9.0f);
        pipe_barrier(PIPE_V);
        TROWSUM(column, src, tmp);
        src.SetValidShape(0, kCols);
        Event<Op::TCOLSUM, Op::TSTORE> reduced = TCOLSUM(row, src);
        GlobalTensor<float, TileShape2D<float, 8, 8>, BaseShape2D<float, 8, 8>> first(perRow);
        View second(perColumn);
        TSTORE(first, column, reduced);
        TSTORE(second, row);
      },
      1, columns, rows);
  expect(result.ok() && result.size() == 0, result.text());
  expect(columns == std::vector<float>(8 * 8, 7.0f) && rows == std::vector<float>(8 * kCols, 9.0f),
         "reductions of nothing");
}

int main() {
  queries();
  anotherPointer();
  reductionsOfNothing();
  std::printf(right ? "right\n" : "not right\n");
  return !right;
}
