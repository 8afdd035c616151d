//===- LaunchTest.cpp - C++ kernels on the machine ------------------------===//

#include "ptoscope/launch.hpp"

#include "pto/pto-inst.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace pto;

namespace {

constexpr int kRows = 32, kCols = 256, kTile = kRows * kCols;
using Vec = Tile<TileType::Vec, float, kRows, kCols>;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kTile, kTile, kTile, kCols, 1>>;

/// Ordered by flags.
AICORE void addFlags(__gm__ float *x, __gm__ float *y, __gm__ float *z, bool wait) {
  Vec a, b, c;
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x8000);
  TASSIGN(c, 0x10000);
  View ga(x + get_block_idx() * kTile), gb(y + get_block_idx() * kTile), gc(z + get_block_idx() * kTile);
  TLOAD(a, ga);
  TLOAD(b, gb);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  if (wait)
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADD(c, a, b);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(gc, c);
}

/// Ordered by events.
AICORE void addEvents(__gm__ float *x, __gm__ float *y, __gm__ float *z) {
  Vec a, b, c;
  TASSIGN<0x0>(a);
  TASSIGN<0x8000>(b);
  TASSIGN<0x10000>(c);
  View ga(x), gb(y), gc(z);
  Event<Op::TLOAD, Op::TADD> loadedA, loadedB;
  Event<Op::TADD, Op::TSTORE_VEC> added;
  loadedA = TLOAD(a, ga);
  loadedB = TLOAD(b, gb);
  added = TADD(c, a, b, loadedA, loadedB);
  TSTORE(gc, c, added);
}

struct Data {
  std::vector<float> x, y, z;
  explicit Data(int blocks = 1) : x(blocks * kTile), y(x.size()), z(x.size(), -1.0f) {
    std::iota(x.begin(), x.end(), 0.5f);
    std::iota(y.begin(), y.end(), 1.25f);
  }
  void expectSums() const {
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(z[i], x[i] + y[i]) << i;
  }
};

struct Schedule {
  const char *name;
  ptoscope::Options options;
};
std::vector<Schedule> schedules() {
  std::vector<Schedule> result = {{"eager", {}}, {"lazy", {}}, {"unchecked", {}}};
  result[1].options.schedule = ptoscope::Options::Lazy;
  result[2].options.unchecked();
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    result.push_back({"random", {}});
    result.back().options.schedule = ptoscope::Options::Random;
    result.back().options.seed = seed;
  }
  return result;
}

// TSYNC-2.
TEST(TileLaunch, FlagsUnderEverySchedule) {
  for (const Schedule &schedule : schedules())
    for (unsigned threads : {1u, 3u}) {
      SCOPED_TRACE(schedule.name);
      Data data(4);
      ptoscope::Options options = schedule.options;
      options.threads = threads;
      ptoscope::Result result = ptoscope::launch(options, addFlags, 4, data.x, data.y, data.z, true);
      EXPECT_TRUE(result.ok()) << result.text();
      EXPECT_EQ(result.size(), 0u) << result.text();
      data.expectSums();
    }
}

// TSYNC-6, TSYNC-7.
TEST(TileLaunch, EventsUnderEverySchedule) {
  for (const Schedule &schedule : schedules()) {
    SCOPED_TRACE(schedule.name);
    Data data;
    ptoscope::Result result = ptoscope::launch(schedule.options, addEvents, 1, data.x, data.y, data.z);
    EXPECT_EQ(result.size(), 0u) << result.text();
    data.expectSums();
  }
}

TEST(TileLaunch, AFunctionThatIsNull) {
  void (*none)(__gm__ float *) = nullptr;
  std::vector<float> x(kTile);
  ptoscope::Result result = ptoscope::launch(none, 1, x);
  EXPECT_FALSE(result.completed());
  ASSERT_TRUE(result.has("usage")) << result.text();
  EXPECT_NE(std::string(result.text()).find("a launch without a kernel: its function is null"), std::string::npos);
}

// TSYNC-12.
TEST(TileLaunch, MissingWaitIsARace) {
  Data data;
  ptoscope::Result result = ptoscope::launch(addFlags, 1, data.x, data.y, data.z, false);
  EXPECT_FALSE(result.ok());
  ASSERT_TRUE(result.has("race-raw")) << result.text();
  std::string text = result.text();
  EXPECT_NE(text.find("LaunchTest.cpp:"), std::string::npos) << text;
  EXPECT_NE(text.find("`TADD` on PIPE_V reads UB bytes that `TLOAD` on PIPE_MTE2 may still be writing"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("likely cause: nothing waits for flag PIPE_MTE2 -> PIPE_V, EVENT_ID0, which is set here"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("EVENT_ID7"), std::string::npos) << text;
  EXPECT_NE(text.find("the 1st time this line runs"), std::string::npos) << text;

  // The same for programs, with the lines as edits.
  std::string json = result.text(ptoscope::Result::Json), sarif = result.text(ptoscope::Result::Sarif);
  EXPECT_NE(json.find("\"code\": \"race-raw\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"insertText\": \"wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\""), std::string::npos) << json;
  EXPECT_NE(sarif.find("\"ruleId\": \"race-raw\""), std::string::npos) << sarif;
  EXPECT_EQ(text, result.text());
}

/// One line, with other operands each time it runs: none is taken for the one before.
TEST(TileLaunch, OneLineManyOperands) {
  using Some = Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
  using Part = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<kTile, kTile, kTile, kCols, 1>>;
  struct Turn {
    int rows, cols;
    uint32_t address;
    const char *code; ///< of the finding that it deserves
  };
  const Turn turns[] = {{4, 8, 64, nullptr},
                        {32, 256, 0, nullptr},
                        {1, 3, 0x3c000, nullptr},
                        {32, 256, 0x3c000, "ub-out-of-bounds"}, // though 4 x 8 would fit
                        {4, 8, 0x40000, "ub-out-of-bounds"},
                        {4, 8, 16, "ub-misaligned"},
                        {5, 9, 96, nullptr}};
  Data data;
  for (const Turn &turn : turns) {
    std::vector<float> z(kTile, -1.0f);
    // Sound turns before and after, so that there is something to confuse it with.
    const Turn sequence[] = {{4, 8, 32, nullptr}, turn, {32, 16, 0, nullptr}, turn};
    auto kernel = [&sequence](float *x, float *out) {
      for (const Turn &now : sequence) {
        Some tile(now.rows, now.cols);
        TASSIGN(tile, now.address);
        Part from(x, Shape<1, 1, 1, DYNAMIC, DYNAMIC>(now.rows, now.cols)),
            to(out, Shape<1, 1, 1, DYNAMIC, DYNAMIC>(now.rows, now.cols));
        TLOAD(tile, from);
        set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        TSTORE(to, tile);
        pipe_barrier(PIPE_ALL);
      }
    };
    ptoscope::Result result = ptoscope::launch(kernel, 1, data.x, z);
    if (turn.code) {
      EXPECT_TRUE(result.has(turn.code)) << result.text();
      continue;
    }
    EXPECT_EQ(result.size(), 0u) << result.text();
    for (int i = 0; i < kTile; ++i) {
      bool covered = false;
      for (const Turn &now : sequence)
        covered |= i / kCols < now.rows && i % kCols < now.cols;
      ASSERT_EQ(z[size_t(i)], covered ? data.x[size_t(i)] : -1.0f) << i;
    }
  }
}

/// The same where nothing differs but that tiles share their place, or do not.
TEST(TileLaunch, OneLineInPlaceAndNot) {
  using Whole =
      Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, kRows, kCols, SLayout::NoneBox, 512, PadValue::Zero>;
  using Some = Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, 4, 8>;
  for (bool apart : {false, true}) {
    auto kernel = [apart] {
      Whole whole;
      Some some;
      TASSIGN(whole, 0);
      for (int turn = 0; turn < 2; ++turn) {
        TASSIGN(some, apart && turn == 1 ? 0x8000 : 0);
        TFILLPAD_INPLACE(whole, some);
      }
    };
    ptoscope::Result result = ptoscope::launch(kernel, 1);
    EXPECT_EQ(result.has("tile-shape"), apart) << result.text();
    EXPECT_EQ(result.size(), apart ? 1u : 0u) << result.text();
  }
}

/// Two places, of which odd blocks come to the second one first.
void storeTwice(float *z, std::atomic<bool> *odd, bool together) {
  Vec a;
  TASSIGN(a, 0);
  const int64_t block = get_block_idx();
  View low(z), high(z + kTile);
  // Block 1 names both places before block 0 does.
  while (together && block == 0 && !*odd)
    std::this_thread::yield();
  for (int64_t step = 0; step < 2; ++step)
    if ((step + block) % 2 == 0)
      TSTORE(low, a);
    else
      TSTORE(high, a);
  if (block == 1)
    *odd = true;
}

TEST(TileLaunch, ReportsDoNotDependOnThreads) {
  // More than a target has cores: they are not all resident, and threads take them in turn.
  constexpr int64_t kBlocks = 200;
  std::string first;
  for (unsigned threads : {1u, 2u, 3u}) {
    std::vector<float> z(2 * kTile);
    std::atomic<bool> odd = false;
    ptoscope::Options options;
    options.threads = threads;
    options.init = false;
    ptoscope::Result result =
        ptoscope::launch(options, storeTwice, kBlocks, ptoscope::buffer(z.data(), z.size(), "z"), &odd, threads > 1);
    ASSERT_EQ(result.size(), 2u) << result.text();
    EXPECT_STREQ(result[0].code, "race-blocks");
    EXPECT_LT(result[0].line, result[1].line);
    if (threads == 1)
      first = result.text();
    EXPECT_EQ(result.text(), first) << threads;
  }
}

// TSYNC-12.
TEST(TileLaunch, WaitWithoutSetIsADeadlockAndDestructorsRun) {
  bool left = false;
  struct Guard {
    bool &left;
    ~Guard() { left = true; }
  };
  auto kernel = [&left] {
    Guard guard{left};
    wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID3);
    FAIL() << "not stopped";
  };
  ptoscope::Result result = ptoscope::launch(kernel, 1);
  EXPECT_TRUE(result.has("deadlock")) << result.text();
  EXPECT_FALSE(result.completed());
  EXPECT_TRUE(left);
}

TEST(TileLaunch, ExceptionsOfKernelsReachTheCaller) {
  EXPECT_THROW(ptoscope::launch([] { throw std::runtime_error("mine"); }, 3), std::runtime_error);
}

// GT-9.
TEST(TileLaunch, UnregisteredPointer) {
  Data data;
  float *x = data.x.data();
  ptoscope::Result result = ptoscope::launch(addFlags, 1, x, data.y, data.z, true);
  ASSERT_TRUE(result.has("unmapped-gm-address")) << result.text();
  EXPECT_NE(std::string(result.text()).find("ptoscope::buffer(pointer, count)"), std::string::npos) << result.text();
  ptoscope::Registration registered(x, data.x.size());
  EXPECT_TRUE(ptoscope::launch(addFlags, 1, x, data.y, data.z, true).ok());
  data.expectSums();
}

TEST(TileLaunch, BeyondTheBuffer) {
  Data data;
  ptoscope::Result result =
      ptoscope::launch(addFlags, 1, ptoscope::buffer(data.x.data(), kTile - 1, "x"), data.y, data.z, true);
  ASSERT_TRUE(result.has("gm-out-of-bounds")) << result.text();
  EXPECT_NE(std::string(result.text()).find("4 bytes beyond the end of `x`"), std::string::npos) << result.text();
}

TEST(TileLaunch, ReadOnlyBuffer) {
  Data data;
  const std::vector<float> &z = data.z;
  auto kernel = [](const float *x, const float *y, const float *z) {
    addFlags(const_cast<float *>(x), const_cast<float *>(y), const_cast<float *>(z), true);
  };
  EXPECT_TRUE(ptoscope::launch(kernel, 1, data.x, data.y, z).has("gm-read-only"));
}

TEST(TileLaunch, MisalignedView) {
  std::vector<float> x(kTile + 1);
  auto kernel = [](float *x, uint32_t bytes) {
    Vec a;
    TASSIGN(a, 0);
    View ga(reinterpret_cast<float *>(reinterpret_cast<char *>(x) + bytes));
    TLOAD(a, ga);
  };
  EXPECT_TRUE(ptoscope::launch(kernel, 1, x, 4u).ok());
  ptoscope::Result result = ptoscope::launch(kernel, 1, x, 2u);
  EXPECT_TRUE(result.has("gm-misaligned"));
  std::string text = result.text();
  EXPECT_NE(text.find("at byte 2, which is not a multiple of 4"), std::string::npos) << text;
}

// TASSIGN-5.
TEST(TileLaunch, BeyondTheMemoryOfTheTile) {
  Data data;
  auto kernel = [](float *x, uint32_t address) {
    Vec a;
    TASSIGN(a, address);
    View ga(x);
    TLOAD(a, ga);
  };
  EXPECT_TRUE(ptoscope::launch(kernel, 1, data.x, 0x38000u).ok());
  EXPECT_TRUE(ptoscope::launch(kernel, 1, data.x, 0x38020u).has("ub-out-of-bounds"));
  EXPECT_TRUE(ptoscope::launch(kernel, 1, data.x, 0x10u).has("ub-misaligned"));
  ptoscope::Options a3;
  a3.arch = "a3";
  EXPECT_TRUE(ptoscope::launch(a3, kernel, 1, data.x, 0x38000u).has("ub-out-of-bounds"));
  a3.ubBytes = 512 << 10;
  EXPECT_TRUE(ptoscope::launch(a3, kernel, 1, data.x, 0x38000u).ok());
}

// TASSIGN-7, TASSIGN-8.
TEST(TileLaunch, UnassignedTileAndUndefinedBytes) {
  Data data;
  auto unassigned = [](float *x) {
    Vec a;
    View ga(x);
    TLOAD(a, ga);
  };
  EXPECT_TRUE(ptoscope::launch(unassigned, 1, data.x).has("tile-unassigned"));
  auto undefined = [] {
    Vec a, b;
    TASSIGN(a, 0);
    TASSIGN(b, 0x8000);
    TADD(b, a, a);
  };
  EXPECT_TRUE(ptoscope::launch(undefined, 1).has("init-read"));
}

// TLOAD-6.
TEST(TileLaunch, ShapesHaveToAgree) {
  Data data;
  using Dynamic = Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
  auto kernel = [](float *x, int rows) {
    Dynamic a(rows, kCols);
    TASSIGN(a, 0);
    View ga(x);
    TLOAD(a, ga);
  };
  EXPECT_TRUE(ptoscope::launch(kernel, 1, data.x, kRows).ok());
  EXPECT_TRUE(ptoscope::launch(kernel, 1, data.x, kRows - 1).has("tile-shape"));
  EXPECT_TRUE(ptoscope::launch(kernel, 1, data.x, kRows + 1).has("tile-extent"));
}

// TSYNC-10, TLAUNCH-4.
TEST(TileLaunch, SyncAllIsABarrier) {
  // Every block adds its own tile to that of its neighbour, which it sees only
  // behind the barrier.
  constexpr int kBlocks = 5;
  for (const Schedule &schedule : schedules()) {
    SCOPED_TRACE(schedule.name);
    Data data(kBlocks);
    auto kernel = [](float *x, float *y, float *z) {
      Vec a, b, c;
      TASSIGN(a, 0);
      TASSIGN(b, 0x8000);
      TASSIGN(c, 0x10000);
      const int64_t me = get_block_idx(), next = (me + 1) % get_block_num();
      View own(x + me * kTile), shared(y + me * kTile), other(y + next * kTile), out(z + me * kTile);
      TLOAD(a, own);
      pipe_barrier(PIPE_ALL);
      TSTORE(shared, a);
      SYNCALL<SyncCoreType::AIVOnly>();
      TLOAD(b, other);
      pipe_barrier(PIPE_ALL);
      TADD(c, a, b);
      pipe_barrier(PIPE_ALL);
      TSTORE(out, c);
    };
    ptoscope::Result result = ptoscope::launch(schedule.options, kernel, kBlocks, data.x, data.y, data.z);
    EXPECT_EQ(result.size(), 0u) << result.text();
    for (int block = 0; block < kBlocks; ++block)
      for (int i = 0; i < kTile; ++i)
        ASSERT_EQ(data.z[block * kTile + i], data.x[block * kTile + i] + data.x[(block + 1) % kBlocks * kTile + i]);
  }
}

// TLAUNCH-3.
TEST(TileLaunch, DirectCall) {
  Data data;
  ptoscope::Registration x(data.x.data(), data.x.size()), y(data.y.data(), data.y.size()),
      z(data.z.data(), data.z.size());
  addEvents(data.x.data(), data.y.data(), data.z.data());
  data.expectSums();
  EXPECT_TRUE(ptoscope::finishDirectCalls());
  testing::internal::CaptureStderr();
  addFlags(data.x.data(), data.y.data(), data.z.data(), false);
  EXPECT_FALSE(ptoscope::finishDirectCalls());
  EXPECT_NE(testing::internal::GetCapturedStderr().find("race-raw"), std::string::npos);
}

// TILE-13.
TEST(TileLaunch, DataDrainsThePipes) {
  for (const Schedule &schedule : schedules()) {
    Data data;
    float seen = 0;
    auto kernel = [&seen](float *x) {
      Vec a;
      TASSIGN(a, 0);
      View ga(x);
      TLOAD(a, ga);
      seen = a.data()[5];
    };
    EXPECT_TRUE(ptoscope::launch(schedule.options, kernel, 1, data.x).ok());
    EXPECT_EQ(seen, data.x[5]);
  }
}

} // namespace
