//===- TimesTest.cpp - how long C++ launches take on a device -------------===//

#include "CommPrograms.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace pto;

namespace {

constexpr int kRows = 32, kCols = 256, kTile = kRows * kCols;
using Vec = Tile<TileType::Vec, float, kRows, kCols>;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kTile, kTile, kTile, kCols, 1>>;

/// Doubles tiles, through one buffer or through two.
AICORE void doubled(__gm__ float *x, __gm__ float *z, int tiles, int buffers) {
  Vec a, c;
  for (int i = 0; i < tiles; ++i) {
    const int own = i % buffers;
    const auto id = event_t(own);
    TASSIGN(a, uint64_t(own) * 0x8000);
    TASSIGN(c, uint64_t(2 + own) * 0x8000);
    View from(x + i * kTile), to(z + i * kTile);
    if (i >= buffers) {
      wait_flag(PIPE_V, PIPE_MTE2, id);
      wait_flag(PIPE_MTE3, PIPE_V, id);
    }
    TLOAD(a, from);
    set_flag(PIPE_MTE2, PIPE_V, id);
    wait_flag(PIPE_MTE2, PIPE_V, id);
    TADD(c, a, a);
    set_flag(PIPE_V, PIPE_MTE2, id);
    set_flag(PIPE_V, PIPE_MTE3, id);
    wait_flag(PIPE_V, PIPE_MTE3, id);
    TSTORE(to, c);
    set_flag(PIPE_MTE3, PIPE_V, id);
  }
  for (int own = 0; own < buffers; ++own) {
    wait_flag(PIPE_V, PIPE_MTE2, event_t(own));
    wait_flag(PIPE_MTE3, PIPE_V, event_t(own));
  }
}

struct TimesOfLaunches : ::testing::Test {
  static constexpr int kTiles = 16;
  std::vector<float> x = std::vector<float>(kTiles * kTile, 2), z = std::vector<float>(kTiles * kTile);
  ptoscope::Result run(ptoscope::Options options, int buffers) {
    ptoscope::Result result = ptoscope::launch(options, doubled, 1, x, z, kTiles, buffers);
    EXPECT_TRUE(result.ok()) << result.text();
    return result;
  }
};

TEST_F(TimesOfLaunches, AreAskedFor) {
  EXPECT_EQ(run({}, 1).cycles(), 0);
  ptoscope::Options options;
  options.timing = true;
  ptoscope::Result result = run(options, 1);
  EXPECT_GT(result.cycles(), 0);
  // With the start of the launch, at 1650 MHz.
  EXPECT_GT(result.microseconds(), result.cycles() / 1650);
}

TEST_F(TimesOfLaunches, DependOnTheProgramAlone) {
  ptoscope::Options options;
  options.timing = true;
  const double cycles = run(options, 2).cycles();
  for (bool checks : {true, false})
    for (int schedule : {ptoscope::Options::Eager, ptoscope::Options::Lazy, ptoscope::Options::Random})
      for (unsigned threads : {1u, 3u}) {
        ptoscope::Options other = options;
        if (!checks)
          other.unchecked();
        other.schedule = ptoscope::Options::Order(schedule);
        other.seed = 7;
        other.threads = threads;
        EXPECT_EQ(run(other, 2).cycles(), cycles);
      }
  EXPECT_LT(cycles, 0.8 * run(options, 1).cycles()) << "two buffers let pipes overlap";
}

TEST_F(TimesOfLaunches, DoNotDependOnWhereBuffersLie) {
  // A memory so slow that every line of it counts.
  std::ifstream figures(PTOSCOPE_SOURCE "/share/timing/a5.timing");
  const std::string slow = ::testing::TempDir() + "slow.timing";
  std::ofstream out(slow);
  for (std::string line; std::getline(figures, line);)
    out << (line.starts_with("gm.hbm.rate ") ? "gm.hbm.rate 1 assumed" : line) << "\n";
  out.close();
  ptoscope::Options options;
  options.timingFile = slow.c_str();
  std::vector<float> room(3 * kTile + 256);
  double cycles = 0;
  for (size_t at : {0, 1, 60, 128}) {
    float *from = room.data() + at;
    ptoscope::Result result = ptoscope::launch(options, doubled, 1, ptoscope::buffer(from, kTile),
                                               ptoscope::buffer(from + kTile, kTile), 1, 1);
    ASSERT_TRUE(result.ok()) << result.text();
    cycles = at == 0 ? result.cycles() : cycles;
    EXPECT_EQ(result.cycles(), cycles) << at;
  }
}

TEST_F(TimesOfLaunches, RefuseFilesThatAreNone) {
  ptoscope::Options options;
  options.timingFile = "/no/such/file.timing";
  ptoscope::Result result = ptoscope::launch(options, doubled, 1, x, z, kTiles, 1);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.size(), 1u);
  options.timingFile = PTOSCOPE_SOURCE "/share/timing/a3.timing";
  result = ptoscope::launch(options, doubled, 1, x, z, kTiles, 1);
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(result.has("usage")) << result.text();
  options.arch = "a2"; // A2 and A3 have the same figures
  EXPECT_GT(run(options, 1).cycles(), 0);
}

TEST_F(TimesOfLaunches, SayWhereTheCyclesGo) {
  ptoscope::Options options;
  options.timing = true;
  const double cycles = run(options, 1).cycles();
  EXPECT_EQ(run(options, 1).stats(), nullptr) << "no one asked";
  options.stats = true;
  ptoscope::Result one = run(options, 1), two = run(options, 2);
  const ptoscope::StatsView *stats = one.stats();
  ASSERT_NE(stats, nullptr);
  EXPECT_EQ(stats->cycles, cycles);
  EXPECT_EQ(one.cycles(), cycles);
  EXPECT_LT(stats->overlap, two.stats()->overlap);
  EXPECT_LE(stats->roofline, cycles);
  std::map<std::string, ptoscope::StatsView::Pipe> pipes;
  for (size_t i = 0; i < stats->pipeCount; ++i)
    pipes[stats->pipes[i].name] = stats->pipes[i];
  ASSERT_TRUE(pipes.contains(stats->bound)) << stats->bound;
  EXPECT_EQ(pipes[stats->bound].busy, stats->roofline);
  const auto bytes = uint64_t(kTiles * kTile * sizeof(float));
  EXPECT_EQ(pipes["MTE2"].bytes, bytes);
  EXPECT_EQ(pipes["MTE3"].bytes, bytes);
  // A load, two waits but for the first turn, a set; and the last wait.
  EXPECT_EQ(pipes["MTE2"].instructions, uint64_t(3 * kTiles));
  for (const auto &[name, pipe] : pipes)
    EXPECT_NEAR(pipe.busy + pipe.waiting + pipe.idle, cycles, 1e-6 * cycles) << name;
  // What the advice promises, two buffers save.
  ASSERT_GT(stats->adviceCount, 0u);
  EXPECT_STREQ(stats->advice[0].code, "single-buffer");
  EXPECT_NEAR(stats->advice[0].saves, cycles - two.cycles(), 0.1 * (cycles - two.cycles()));
  for (size_t i = 0; i < two.stats()->adviceCount; ++i)
    EXPECT_STRNE(two.stats()->advice[i].code, "single-buffer");
  EXPECT_NE(std::string(stats->table).find("MTE2"), std::string::npos);
  EXPECT_NE(std::string(stats->lines).find("TimesTest.cpp"), std::string::npos);
  EXPECT_EQ(stats->json[0], '{');
}

TEST_F(TimesOfLaunches, SayNothingOfALaunchThatEndsEarly) {
  ptoscope::Options options;
  options.stats = true;
  ptoscope::Result result = ptoscope::launch(options, [] { wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); }, 1);
  EXPECT_FALSE(result.completed());
  EXPECT_EQ(result.stats(), nullptr);
  EXPECT_EQ(result.cycles(), 0);
}

std::string contentOf(const std::string &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(TimesOfLaunches, LeaveFiles) {
  const std::string trace = ::testing::TempDir() + "launch.json", report = ::testing::TempDir() + "launch.html";
  ptoscope::Options options;
  options.trace = trace.c_str();
  options.report = report.c_str();
  EXPECT_GT(run(options, 2).cycles(), 0);
  EXPECT_NE(contentOf(trace).find("TLOAD"), std::string::npos);
  EXPECT_NE(contentOf(report).find("TimesTest.cpp"), std::string::npos);
  std::remove(trace.c_str());
  std::remove(report.c_str());

  // Refused before anything runs.
  z.assign(z.size(), -1);
  for (const auto &[path, code] :
       {std::pair(trace + ".txt", "usage"), std::pair(trace + "/none/a.json", "file-error")}) {
    options = {};
    options.trace = path.c_str();
    ptoscope::Result result = ptoscope::launch(options, doubled, 1, x, z, kTiles, 1);
    EXPECT_TRUE(result.has(code)) << result.text();
    options = {};
    options.report = path.c_str();
    EXPECT_TRUE(ptoscope::launch(options, doubled, 1, x, z, kTiles, 1).has(code));
  }
  EXPECT_EQ(z[0], -1);
}

/// Each rank waits for a number from the one before it.
void pass(const devices::CommDeviceContext *context, float *own, float *box, float *out, int32_t *word) {
  using namespace devices;
  const int next = (int(context->rankId) + 1) % int(context->rankNum);
  Piece stage, piece;
  TASSIGN(stage, 0x0);
  TASSIGN(piece, 0x1000);
  devices::View from(own), to(remote(context, box, next)), mine(box), result(out);
  TPUT(to, from, stage);
  pipe_barrier(PIPE_ALL);
  TNOTIFY(Signal(remote(context, word, next)), 1, NotifyOp::Set);
  TWAIT(Signal(word), 1, WaitCmp::EQ);
  TLOAD(piece, mine);
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  TSTORE(result, piece);
}

TEST_F(TimesOfLaunches, OfDevicesThatMeetBySignals) {
  double cycles = 0;
  for (ptoscope::Options options : devices::schedules()) {
    options.timing = true;
    devices::Ring test(3);
    ptoscope::Result result =
        test.world.run(options, pass, 1, test.world.context(), test.own, test.box, test.out, test.word);
    ASSERT_TRUE(result.ok()) << result.text();
    if (cycles == 0)
      cycles = result.cycles();
    EXPECT_EQ(result.cycles(), cycles);
  }
  EXPECT_GT(cycles, 1000) << "a signal takes its time";
}

} // namespace
