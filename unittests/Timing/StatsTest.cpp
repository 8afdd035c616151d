//===- StatsTest.cpp - what a timeline adds up to -------------------------===//

#include "ptoscope/Timing/Stats.h"
#include "Sketch.h"

#include "ptoscope/Timing/Timer.h"

#include "gtest/gtest.h"

#include <nlohmann/json.hpp>

using namespace ptoscope;
using namespace ptoscope::timing;
using namespace ptoscope::timing::testing;

namespace {

LaunchTime launchOf(double cycles, uint32_t cores = 1) {
  LaunchTime time;
  time.cycles = cycles;
  time.withLaunch = cycles + 100;
  time.clockMHz = 1000;
  time.coresUsed = cores;
  time.coresThere = 64;
  return time;
}

const PipeStats &rowOf(const Stats &stats, Pipe pipe, uint8_t core = 1) {
  for (const PipeStats &row : stats.pipes)
    if (row.pipe == pipe && row.core.index == core)
      return row;
  throw std::runtime_error("no such row");
}

class StatsTest : public ::testing::Test {
protected:
  SiteTable sites;
  StatsSink sink{sites, 0};
  Sketch sketch{sink, sites};
  SiteId load = sketch.site(2, "pto.mte_gm_ub"), scope = sketch.site(5, "pto.vecscope", Timing::scope),
         vadd = sketch.site(6, "pto.vadd", Timing::vadd), store = sketch.site(9, "pto.mte_ub_gm", Timing::store),
         wait = sketch.site(4, "pto.wait_flag", Timing::sync), set = sketch.site(3, "pto.set_flag", Timing::sync);
};

TEST_F(StatsTest, BusyWaitingIdle) {
  sketch.slice(Pipe::MTE2, load, 0, 0, 100);
  sketch.waited(sketch.make(Pipe::V, wait, 1, 110, 111), Reason::Flag, 20, set, Pipe::MTE2);
  sketch.slice(Pipe::V, scope, 2, 111, 161);
  Stats stats = sink.finish(launchOf(200));
  const PipeStats &v = rowOf(stats, Pipe::V);
  EXPECT_DOUBLE_EQ(v.time.busy, 51);
  EXPECT_DOUBLE_EQ(v.time.waiting, 90);
  EXPECT_DOUBLE_EQ(v.waitingFor[size_t(Reason::Flag)], 90);
  EXPECT_DOUBLE_EQ(v.time.idle, 200 - 51 - 90);
  EXPECT_EQ(v.time.instructions, 2u);
  EXPECT_DOUBLE_EQ(rowOf(stats, Pipe::MTE2).time.idle, 100);
  ASSERT_EQ(stats.waits.size(), 1u);
  EXPECT_EQ(stats.waits[0].site, wait);
  EXPECT_EQ(stats.waits[0].cause, set);
  EXPECT_EQ(stats.waits[0].causePipe, Pipe::MTE2);
  EXPECT_DOUBLE_EQ(stats.sites[wait].waited, 90);
}

TEST_F(StatsTest, WaitingForIssueIsIdle) {
  sketch.waited(sketch.make(Pipe::MTE2, load, 50, 50, 60), Reason::Issue, 0, kNoSite, Pipe::S);
  Stats stats = sink.finish(launchOf(60));
  EXPECT_DOUBLE_EQ(rowOf(stats, Pipe::MTE2).time.waiting, 0);
  EXPECT_DOUBLE_EQ(rowOf(stats, Pipe::MTE2).time.idle, 50);
  EXPECT_TRUE(stats.waits.empty());
}

TEST_F(StatsTest, OverlapWhateverIsToldFirst) {
  // MTE2 0..100 and 100..200, V 50..150, MTE3 140..160: two or more from 50 to 160.
  sketch.slice(Pipe::MTE2, load, 0, 0, 100);
  sketch.slice(Pipe::V, scope, 1, 50, 150);
  sketch.slice(Pipe::MTE3, store, 2, 140, 160);
  sketch.slice(Pipe::MTE2, load, 3, 100, 200);
  Stats stats = sink.finish(launchOf(200));
  EXPECT_DOUBLE_EQ(stats.overlap, 110.0 / 200);
  EXPECT_DOUBLE_EQ(stats.anyBusy, 1);
  EXPECT_DOUBLE_EQ(stats.bestOverlap, 120.0 / 200) << "V and MTE3 apart, both beside MTE2";
  ASSERT_TRUE(stats.bound);
  EXPECT_EQ(stats.pipes[*stats.bound].pipe, Pipe::MTE2);
  EXPECT_DOUBLE_EQ(stats.roofline, 200);
}

TEST_F(StatsTest, TheScalarUnitDoesNotOverlap) {
  sketch.slice(Pipe::MTE2, load, 0, 0, 100);
  sketch.slice(Pipe::S, set, 0, 0, 100);
  Stats stats = sink.finish(launchOf(100));
  EXPECT_DOUBLE_EQ(stats.overlap, 0);
}

TEST_F(StatsTest, CoresAreAveraged) {
  sketch.slice(Pipe::MTE2, load, 0, 0, 100, 0);
  sketch.slice(Pipe::V, scope, 0, 0, 100, 0);
  sketch.slice(Pipe::MTE2, load, 0, 0, 40, 1);
  Stats stats = sink.finish(launchOf(100, 2));
  EXPECT_DOUBLE_EQ(rowOf(stats, Pipe::MTE2).time.busy, 70);
  EXPECT_DOUBLE_EQ(rowOf(stats, Pipe::MTE2).mostBusy, 100);
  EXPECT_DOUBLE_EQ(stats.overlap, 0.5);
  EXPECT_EQ(stats.coreTracks, 2u);
}

TEST_F(StatsTest, BlocksOfACoreFollowEachOther) {
  Slice second = sketch.make(Pipe::MTE2, load, 100, 100, 150);
  sketch.slice(Pipe::V, scope, 0, 0, 90);
  second.track.block = 7;
  sink.slice(second);
  Stats stats = sink.finish(launchOf(150));
  EXPECT_DOUBLE_EQ(stats.anyBusy, 140.0 / 150);
  EXPECT_EQ(stats.coreTracks, 1u);
}

TEST_F(StatsTest, PathsAndScopes) {
  sketch.transfer(sketch.make(Pipe::MTE2, load, 0, 0, 10), Space::Gm, Space::Ub, 1024, 300);
  sketch.transfer(sketch.make(Pipe::MTE2, load, 1, 10, 20), Space::Gm, Space::Ub, 1024, 310);
  std::pair<SiteId, double> parts[] = {{scope, 30}, {vadd, 70}};
  Slice slice = sketch.make(Pipe::V, scope, 2, 310, 410);
  slice.parts = parts;
  slice.vectorInstructions = 150;
  sink.slice(slice);
  Stats stats = sink.finish(launchOf(410));
  ASSERT_EQ(stats.paths.size(), 1u);
  EXPECT_EQ(stats.paths[0].bytes, 2048u);
  EXPECT_EQ(stats.paths[0].transfers, 2u);
  EXPECT_DOUBLE_EQ(stats.sites[vadd].busy, 70);
  EXPECT_DOUBLE_EQ(stats.sites[scope].busy, 30);
  EXPECT_EQ(stats.vectorInstructions, 150u);
  EXPECT_DOUBLE_EQ(stats.scopeCycles, 100);
}

TEST_F(StatsTest, AFullQueueIsNoInstruction) {
  Slice stall = sketch.make(Pipe::S, load, 10, 30, 30);
  stall.ordinal = 0;
  sketch.waited(stall, Reason::QueueFull, 10, kNoSite, Pipe::MTE2);
  Stats stats = sink.finish(launchOf(30));
  EXPECT_EQ(stats.sites[load].times, 0u);
  EXPECT_DOUBLE_EQ(stats.sites[load].waited, 0);
}

class StatsText : public StatsTest {
protected:
  StatsText() {
    sketch.transfer(sketch.make(Pipe::MTE2, load, 0, 0, 100), Space::Gm, Space::Ub, 12800, 120);
    sketch.waited(sketch.make(Pipe::V, wait, 1, 110, 111), Reason::Flag, 0, set, Pipe::MTE2);
    sketch.slice(Pipe::V, scope, 2, 111, 161);
    stats = sink.finish(launchOf(200));
  }
  Stats stats;
  StatsContext context{sites, Model::of(ProfileId::A5), "a5, built in", false,
                       [](const std::string &file, uint32_t line) -> std::optional<std::string> {
                         return file == "dir/k.pto" ? std::optional("text " + std::to_string(line)) : std::nullopt;
                       }};
};

TEST_F(StatsText, Table) {
  stats.advice.push_back({"single-buffer", "one buffer", "use two", 50, {load}});
  const std::string text = renderStats(stats, context);
  for (const char *line :
       {"\ncycles           200 (0.20 us at 1000 MHz), with launch 300 (0.30 us), on 1 of 64 cores\n",
        "\npipe    busy        waiting        idle        instr.  bytes  waits for\n",
        "\nMTE2     100  50 %        0   0 %   100  50 %       1  12800\n",
        "\nVECTOR    51  26 %      110  55 %    39  20 %       2         flag 110\n",
        "\noverlap          0 % of the time two or more pipes are busy; at best 51 %\n",
        "\nbound by         MTE2, busy 50 % of the time; if it never paused: 100 cycles, 2.00 times as fast\n",
        "\nGM to UB         12800 bytes, 64.0 per cycle; 128.0 while MTE2 is busy with them\n",
        "\nlongest waits\n  110 cycles  VECTOR  k.pto:4 pto.wait_flag, once, flag  for MTE2, k.pto:3 pto.set_flag\n",
        "\n  50 cycles (25 %): one buffer\n    use two\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
  EXPECT_TRUE(text.starts_with("timing           a5, built in; figures: "));
}

TEST_F(StatsText, Lines) {
  EXPECT_EQ(renderLines(stats, context), "dir/k.pto\n"
                                         "cycles  share  waits  times  line  source\n"
                                         "   100   50 %             1     2  text 2\n"
                                         "                                3  text 3\n"
                                         "     1    0 %    110      1     4  text 4\n"
                                         "    50   25 %             1     5  text 5\n\n");
}

TEST_F(StatsText, Json) {
  auto json = toJson(stats, context);
  EXPECT_EQ(json["launch"]["cycles"], 200);
  EXPECT_EQ(json["timing"]["profile"], "a5");
  EXPECT_EQ(json["bound"]["pipe"], "MTE2");
  ASSERT_EQ(json["pipes"].size(), 2u);
  EXPECT_EQ(json["pipes"][1]["pipe"], "VECTOR");
  EXPECT_EQ(json["pipes"][1]["waitingFor"]["flag"], 110);
  EXPECT_EQ(json["waits"][0]["cause"]["line"], 3);
  EXPECT_EQ(json["paths"][0]["bytes"], 12800);
  EXPECT_EQ(json["sites"].size(), 3u);
}

} // namespace
