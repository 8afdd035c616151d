//===- SyncProgramTest.cpp - blocks that wait for each other --------------===//
//
// SYNCALL and atomic updates of several blocks under eager, lazy and many random
// schedules and on one, two and four threads: the same bytes each time. Programs
// without the barrier, or with a block that leaves it out, are reported.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <algorithm>

using namespace pto;
using namespace programs;

namespace {

constexpr int kRows = 8, kCols = 16, kTile = kRows * kCols, kBlocks = 6;
template <typename T> using Block = Vec<T, kRows, kCols>;
template <typename T> using Window = View<T, kRows, kCols>;

/// Every schedule on every number of threads.
template <typename Run> void everyRun(Run run, int randomOnes = 50) {
  for (unsigned threads : {1u, 2u, 4u})
    for (ptoscope::Options options : schedules(randomOnes)) {
      SCOPED_TRACE(nameOf(options) + " on " + std::to_string(threads) + " threads");
      options.threads = threads;
      run(options);
      if (testing::Test::HasFailure())
        return;
    }
}

template <typename T> std::vector<T> numbers(int n) {
  std::vector<T> result(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i)
    result[size_t(i)] = T(i * 37 % 61 - 30);
  return result;
}

//===----------------------------------------------------------------------===//
// Atomic updates
//===----------------------------------------------------------------------===//

// Blocks of a program with SYNCALL share a thread if there is a core for each; more
// of them than cores are spread over threads.
constexpr int kMany = 100;

/// Windows of neighbouring blocks share half their rows.
constexpr int kOverlap = kTile / 2;

template <typename T> struct Atomics {
  std::vector<T> sum, most, least;
  explicit Atomics(int blocks)
      : sum(size_t(kOverlap * (blocks + 1)), T(3)), most(sum.size(), T(-12)), least(sum.size(), T(12)) {}
  bool operator==(const Atomics &) const = default;
};

template <typename T> void atomics(int blocks, int randomOnes) {
  const std::vector<T> x = numbers<T>(blocks * kTile);
  Atomics<T> want(blocks);
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < kTile; ++i) {
      const T value = x[size_t(block * kTile + i)];
      const auto at = size_t(block * kOverlap + i);
      want.sum[at] = T(want.sum[at] + value);
      want.most[at] = std::max(want.most[at], value);
      want.least[at] = std::min(want.least[at], value);
    }
  auto kernel = [](const T *px, T *ps, T *pm, T *pl) {
    Block<T> a;
    TASSIGN(a, 0);
    const int64_t me = get_block_idx();
    Window<T> gx(const_cast<T *>(px) + me * kTile), gs(ps + me * kOverlap), gm(pm + me * kOverlap),
        gl(pl + me * kOverlap);
    Event<Op::TLOAD, Op::TSTORE_VEC> loaded = TLOAD(a, gx);
    TSTORE<Block<T>, Window<T>, AtomicType::AtomicAdd>(gs, a, loaded);
    TSTORE<Block<T>, Window<T>, AtomicType::AtomicMax>(gm, a);
    TSTORE<Block<T>, Window<T>, AtomicType::AtomicMin>(gl, a);
  };
  everyRun(
      [&](const ptoscope::Options &options) {
        Atomics<T> got(blocks);
        ptoscope::Result result = ptoscope::launch(options, kernel, blocks, x, got.sum, got.most, got.least);
        EXPECT_EQ(result.size(), 0u) << result.text();
        EXPECT_TRUE(got == want); // small whole numbers: the order of sums does not show
      },
      randomOnes);
}
template <typename T> void atomics() {
  atomics<T>(kBlocks, 50);
  atomics<T>(kMany, 5);
}
TEST(TileSyncProgram, AtomicsOfFloats) { atomics<float>(); }
TEST(TileSyncProgram, AtomicsOfHalves) { atomics<half>(); }
TEST(TileSyncProgram, AtomicsOfInts) { atomics<int32_t>(); }
TEST(TileSyncProgram, AtomicsOfShorts) { atomics<int16_t>(); }

/// Scatters of several blocks to the same elements.
void scatters(int blocks, int randomOnes) {
  const std::vector<int32_t> x = numbers<int32_t>(blocks * kTile);
  std::vector<int32_t> i(x.size()), want(kTile);
  for (int k = 0; k < blocks * kTile; ++k) {
    i[size_t(k)] = k * k % kTile;
    want[size_t(i[size_t(k)])] += x[size_t(k)];
  }
  auto kernel = [](const int32_t *px, const int32_t *pi, int32_t *py) {
    Block<int32_t> a, idx;
    TASSIGN(a, 0);
    TASSIGN(idx, 0x1000);
    const int64_t first = get_block_idx() * kTile;
    Window<int32_t> gx(const_cast<int32_t *>(px) + first), gi(const_cast<int32_t *>(pi) + first), gy(py);
    TLOAD(a, gx);
    Event<Op::TLOAD, Op::MSCATTER> loaded = TLOAD(idx, gi);
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(gy, a, idx, loaded);
  };
  everyRun(
      [&](const ptoscope::Options &options) {
        std::vector<int32_t> y(kTile);
        ptoscope::Result result = ptoscope::launch(options, kernel, blocks, x, i, y);
        EXPECT_EQ(result.size(), 0u) << result.text();
        EXPECT_EQ(y, want);
      },
      randomOnes);
}
// TGATHER-9.
TEST(TileSyncProgram, AtomicScatters) {
  scatters(kBlocks, 50);
  scatters(kMany, 5);
}

/// The atomic update of one block and the plain store of another are in no order.
TEST(TileSyncProgram, PlainStoreBesideAtomics) {
  const std::vector<float> x = numbers<float>(kBlocks * kTile);
  auto kernel = [](const float *px, float *py, bool allAtomic) {
    Block<float> a;
    TASSIGN(a, 0);
    Window<float> gx(const_cast<float *>(px) + get_block_idx() * kTile), gy(py);
    Event<Op::TLOAD, Op::TSTORE_VEC> loaded = TLOAD(a, gx);
    if (allAtomic || get_block_idx() != 2)
      TSTORE<Block<float>, Window<float>, AtomicType::AtomicAdd>(gy, a, loaded);
    else
      TSTORE(gy, a, loaded);
  };
  for (const ptoscope::Options &options : schedules())
    for (bool allAtomic : {true, false}) {
      std::vector<float> y(kTile);
      ptoscope::Result result = ptoscope::launch(options, kernel, kBlocks, x, y, allAtomic);
      EXPECT_EQ(result.has("race-blocks"), !allAtomic) << result.text();
      EXPECT_EQ(result.ok(), allAtomic) << result.text();
    }
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

enum class Fault { None, NoBarrier, OneSkips };
enum class Form { Cores, Hard, Soft };

/// Three phases: every block stores the sum of each row of its own tile, then adds
/// up one row of all blocks, then block 0 adds up the rows.
constexpr uint32_t kCoresLine = __LINE__ + 8;
template <Form F> struct Reduction {
  static constexpr int kPad = 8; ///< floats of the smallest transfer that is a whole row of a tile

  template <typename Workspace> static void sync(Fault fault, Workspace &workspace) {
    if (fault == Fault::NoBarrier || (fault == Fault::OneSkips && get_block_idx() == 3))
      return;
    if constexpr (F == Form::Cores)
      SYNCALL<SyncCoreType::AIVOnly>();
    else if constexpr (F == Form::Hard)
      SYNCALL<SyncAllMode::Hard, SyncCoreType::Mix>();
    else
      SYNCALL<SyncAllMode::Soft, SyncCoreType::AIVOnly>(workspace, get_block_num());
  }

  /// partial: a line of kRows sums, a block each; total: a padded sum of each row.
  static void kernel(const float *px, float *partial, float *total, float *result, int32_t *work, Fault fault) {
    Block<float> a, tmp;
    Column<float, kRows> sums;
    Vec<float, kBlocks, kPad> parts, partsTmp;
    Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, kBlocks, 1> one;
    Vec<float, 1, kPad> sum;
    Vec<float, kRows, kPad> all;
    TASSIGN(a, 0);
    TASSIGN(tmp, 0x1000);
    TASSIGN(sums, 0x2000);
    TASSIGN(parts, 0x3000);
    TASSIGN(partsTmp, 0x4000);
    TASSIGN(sum, 0x5000);
    TASSIGN(all, 0x6000);
    TASSIGN(one, 0x7000);
    const int64_t me = get_block_idx(), blocks = get_block_num();
    GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 16, 1>> workspace(work);
    Window<float> gx(const_cast<float *>(px) + me * kTile);
    ColumnView<float, kRows> mine(partial + me * kRows);
    TLOAD(a, gx);
    fence();
    TROWSUM(sums, a, tmp);
    fence();
    TSTORE(mine, sums);
    sync(fault, workspace);
    // Rows me, me + blocks, … of the sums of all blocks.
    GlobalTensor<float, Shape<1, 1, 1, kBlocks, kRows>, Stride<1, 1, 1, kRows, 1>> every(partial);
    TLOAD(parts, every);
    fence();
    TCOLSUM(sum, parts);
    fence();
    for (int64_t row = me; row < kRows; row += blocks) {
      // Column `row` of the sums, in the first place of its line.
      GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>> to(total + row * kPad);
      Tile<TileType::Vec, float, 1, kPad, BLayout::RowMajor, 1, 1> cell;
      TASSIGN(cell, 0x8000);
      cell.SetValue(0, sum.GetValue(row));
      fence();
      TSTORE(to, cell);
      fence();
    }
    sync(fault, workspace);
    if (me != 0)
      return;
    GlobalTensor<float, Shape<1, 1, 1, kRows, 1>, Stride<1, 1, 1, kPad, 1>> lines(total);
    Tile<TileType::Vec, float, kRows, kPad, BLayout::RowMajor, kRows, 1> column;
    TASSIGN(column, 0x6000);
    TLOAD(column, lines);
    fence();
    Tile<TileType::Vec, float, 1, kPad, BLayout::RowMajor, 1, 1> answer;
    TASSIGN(answer, 0x9000);
    TCOLSUM(answer, column);
    fence();
    GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>> out(result);
    TSTORE(out, answer);
  }

  std::vector<float> x = numbers<float>(kBlocks * kTile), partial = std::vector<float>(kBlocks * kRows, 1e9f),
                     total = std::vector<float>(kRows * kPad, 1e9f), result = std::vector<float>(1, 1e9f);
  std::vector<int32_t> work = std::vector<int32_t>(16);

  ptoscope::Result launch(const ptoscope::Options &options, Fault fault) {
    return ptoscope::launch(options, kernel, kBlocks, x, partial, total, result, work, fault);
  }
};

template <Form F> void reductions() {
  float want = 0;
  for (float value : Reduction<F>().x)
    want += value;
  everyRun([&](const ptoscope::Options &options) {
    Reduction<F> data;
    ptoscope::Result result = data.launch(options, Fault::None);
    EXPECT_EQ(result.size(), 0u) << result.text();
    EXPECT_EQ(data.result[0], want);
    for (int row = 0; row < kRows; ++row) {
      float sum = 0;
      for (int block = 0; block < kBlocks; ++block)
        for (int c = 0; c < kCols; ++c)
          sum += data.x[size_t(block * kTile + row * kCols + c)];
      EXPECT_EQ(data.total[size_t(row * Reduction<F>::kPad)], sum);
    }
  });
}
TEST(TileSyncProgram, ReductionInThreePhases) { reductions<Form::Cores>(); }
TEST(TileSyncProgram, ReductionWithHardBarriers) { reductions<Form::Hard>(); }
// TSYNC-10.
TEST(TileSyncProgram, ReductionWithSoftBarriers) { reductions<Form::Soft>(); }

TEST(TileSyncProgram, WithoutTheBarrier) {
  for (unsigned threads : {1u, 4u})
    for (ptoscope::Options options : schedules()) {
      options.threads = threads;
      SCOPED_TRACE(nameOf(options));
      ptoscope::Result result = Reduction<Form::Cores>().launch(options, Fault::NoBarrier);
      EXPECT_TRUE(result.has("race-blocks")) << result.text();
    }
}

TEST(TileSyncProgram, OneBlockLeavesItOut) {
  for (ptoscope::Options options : schedules()) {
    SCOPED_TRACE(nameOf(options));
    ptoscope::Result result = Reduction<Form::Cores>().launch(options, Fault::OneSkips);
    EXPECT_FALSE(result.completed());
    ASSERT_TRUE(result.has("deadlock")) << result.text();
    const std::string text = result.text();
    EXPECT_NE(text.find("at an all-core barrier: block 3 has ended without reaching it"), std::string::npos) << text;
    for (size_t i = 0; i < result.size(); ++i)
      EXPECT_TRUE(std::string(result[i].code) != "deadlock" || result[i].line == kCoresLine) << result.text();
  }
}

/// A barrier needs all blocks at once.
// TSYNC-10.
TEST(TileSyncProgram, MoreBlocksThanCores) {
  auto kernel = [] { SYNCALL<SyncCoreType::AIVOnly>(); };
  ptoscope::Result result = ptoscope::launch(kernel, 10000);
  EXPECT_FALSE(result.ok());
  ASSERT_TRUE(result.has("too-many-blocks")) << result.text();
  const std::string text = result.text();
  EXPECT_NE(text.find("`SYNCALL` waits for all 10000 blocks, more than the target has cores"), std::string::npos)
      << text;
  EXPECT_NE(text.find("launch at most one block per core"), std::string::npos) << text;
  EXPECT_TRUE(ptoscope::launch(kernel, 8).ok());
}

/// Many barriers after each other: every block adds to what the others left.
TEST(TileSyncProgram, BarriersInALoop) {
  constexpr int kRounds = 5;
  auto kernel = [](int32_t *p) {
    Block<int32_t> a, b;
    TASSIGN(a, 0);
    TASSIGN(b, 0x1000);
    const int64_t me = get_block_idx(), next = (me + 1) % get_block_num();
    for (int round = 0; round < kRounds; ++round) {
      // Two halves: what is read in a round is written in the next.
      int32_t *from = p + round % 2 * kBlocks * kTile, *to = p + (round + 1) % 2 * kBlocks * kTile;
      Window<int32_t> other(from + next * kTile), mine(to + me * kTile);
      TLOAD(a, other);
      fence();
      TADDS(b, a, int32_t(me));
      fence();
      TSTORE(mine, b);
      SYNCALL();
    }
  };
  std::vector<int32_t> start = numbers<int32_t>(2 * kBlocks * kTile), want = start;
  for (int round = 0; round < kRounds; ++round)
    for (int me = 0; me < kBlocks; ++me)
      for (int i = 0; i < kTile; ++i)
        want[size_t(((round + 1) % 2 * kBlocks + me) * kTile + i)] =
            want[size_t((round % 2 * kBlocks + (me + 1) % kBlocks) * kTile + i)] + me;
  everyRun([&](const ptoscope::Options &options) {
    std::vector<int32_t> data = start;
    ptoscope::Result result = ptoscope::launch(options, kernel, kBlocks, data);
    EXPECT_EQ(result.size(), 0u) << result.text();
    EXPECT_EQ(data, want);
  });
}

/// The first event has id 0 and the second id 1, whichever is recorded first.
TEST(TileSyncProgram, EventsTakeTheirIdsWhenMade) { // XSYNC-33, TSYNC-7
  auto kernel = [](event_t id) {
    Event<Op::TLOAD, Op::TADDS> first, second;
    second.Record();
    wait_flag(PIPE_MTE2, PIPE_V, id);
    pipe_barrier(PIPE_ALL); // drains: the flag has to be the one that was recorded
    first.Record();
    first.Wait();
  };
  ptoscope::Result result = ptoscope::launch(kernel, 1, EVENT_ID1), other = ptoscope::launch(kernel, 1, EVENT_ID0);
  EXPECT_FALSE(other.ok()) << other.text();
  EXPECT_TRUE(result.completed() && result.size() == 0) << result.text();
}

} // namespace
