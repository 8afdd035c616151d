//===- ReportTest.cpp - what a race report says besides the two places ----===//
//
// Turns of loops, cores, free ids and edits. The expected numbers are those that
// the test put there.
//
//===----------------------------------------------------------------------===//

#include "Drive.h"

#include "ptoscope/Checkers/InstructionLog.h"

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

using Turns = std::vector<int64_t>;

Checks raceOnly() {
  Checks checks = Checks::none();
  checks.race = true;
  return checks;
}

/// A scope with a loop, in a loop of the scalar unit.
struct ReportTest : ::testing::Test {
  explicit ReportTest(const char *profile = "a5") : world(profile, raceOnly()) {}
  World world;
  SiteId outer = world.site(1, "scf.for"), scope = world.site(2, "pto.vecscope", outer);
  SiteId inner = world.site(3, "scf.for", kNoSite, scope);
  SiteId ld = inLoop(4, "pto.vlds"), st = inLoop(5, "pto.vsts");
  SiteId load = world.site(9, "pto.mte_gm_ub", outer), store = world.site(10, "pto.mte_ub_gm", outer);
  int64_t turn[PTO_MAX_LOOP_DEPTH] = {};
  Drive d{world};

  SiteId inLoop(uint32_t line, const char *op) {
    SiteId site = world.site(line, op, inner, scope);
    world.sites[site].depth = 1;
    return site;
  }
  void begin(int64_t outerTurn) {
    d.iterations = {outerTurn};
    d.scope(scope);
    d.running.scopeIterations = turn;
  }
  const Finding &only() const {
    EXPECT_EQ(world.findings.all().size(), 1u);
    return world.findings.all().at(0);
  }
};

TEST_F(ReportTest, TurnsOfBothAccessesOfAScope) {
  begin(7);
  turn[0] = 4;
  d.vsts(st, 512);
  turn[0] = 5;
  d.vlds(ld, 512);
  const Finding &f = only();
  EXPECT_EQ(f.code, "race-scope");
  EXPECT_EQ(f.iterations, (Turns{7, 5}));
  EXPECT_EQ(f.otherIterations, (Turns{7, 4}));
  EXPECT_EQ(f.notes[0].message,
            "UB bytes 0x0200..0x02ff (256 bytes), iteration 7 of the loop at k.pto:1, 5 of the loop at k.pto:3");
  EXPECT_EQ(f.notes[1].message,
            "the earlier store is here, iteration 7 of the loop at k.pto:1, 4 of the loop at k.pto:3");
}

TEST_F(ReportTest, TheTurnOfTheLoadThatConflicts) {
  // Two loads of one line; the store derives from the second and conflicts with the first.
  begin(0);
  d.vlds(ld, 0);
  turn[0] = 1;
  uint32_t stamp = d.vlds(ld, 0);
  d.vsts(st, 0, {stamp});
  EXPECT_EQ(only().iterations, (Turns{0, 1}));
  EXPECT_EQ(only().otherIterations, (Turns{0, 0}));
}

TEST_F(ReportTest, TurnsAcrossPipes) {
  begin(2);
  for (turn[0] = 0; turn[0] < 4; ++turn[0])
    d.vlds(ld, uint64_t(turn[0]) * 256);
  d.iterations = {3};
  d.load(load, 0, 512, 512); // bytes of turns 2 and 3
  const Finding &f = only();
  EXPECT_EQ(f.code, "race-war");
  EXPECT_EQ(f.iterations, (Turns{3}));
  EXPECT_EQ(f.otherIterations, (Turns{2, 2}));
  EXPECT_NE(f.notes[1].message.find(
                "iteration 2 of the loop at k.pto:1, 2 of the loop at k.pto:3 (for the first of these bytes);"),
            std::string::npos)
      << f.notes[1].message;
}

TEST_F(ReportTest, TheTurnOfALaterAccessIsTheCurrentOne) {
  d.iterations = {1};
  d.load(load, 0, 0, 1024);
  begin(1);
  turn[0] = 3;
  d.vlds(ld, 768);
  EXPECT_EQ(only().iterations, (Turns{1, 3}));
  EXPECT_EQ(only().otherIterations, (Turns{1}));
}

TEST_F(ReportTest, NothingIsGuessed) {
  // Whether the masked access touched the byte is not known any more.
  uint64_t some[4] = {~uint64_t(0), 0, 0, 0};
  begin(0);
  d.vlds(ld, 0, 256, some);
  d.load(load, 0, 0, 32);
  EXPECT_EQ(only().otherIterations, (Turns{0}));
}

TEST_F(ReportTest, OldTurnsAreForgotten) {
  begin(0);
  d.vlds(ld, 0);
  for (size_t i = 0; i < ScopeLog::kSize; ++i)
    d.vlds(ld, 1024);
  d.load(load, 0, 0, 32);
  EXPECT_EQ(only().otherIterations, (Turns{0}));
}

TEST_F(ReportTest, CoresThatShowIt) {
  for (uint8_t core : {1, 2}) {
    d.on(core).load(load, 0, 0, 256);
    begin(0);
    d.vlds(ld, 0);
  }
  d.end();
  EXPECT_EQ(only().count, 2u);
  EXPECT_EQ(only().cores, (Lines{"AIV0", "AIV1"}));
}

TEST_F(ReportTest, FreeEventIds) {
  // EVENT_ID0 stands in text that has not run yet.
  NamedIds &ids = world.sites.events(Pipe::MTE2, Pipe::V);
  ids.set = ids.waited = 1;
  d.load(load, 0, 0, 256);
  begin(0);
  d.vlds(ld, 0);
  ASSERT_EQ(only().remedies.at(0).edits.size(), 2u);
  EXPECT_EQ(only().remedies.at(0).edits[1].insertText, "pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID1\"]");
}

TEST_F(ReportTest, AWaitWithItsPipesInReverse) {
  SiteId set = world.site(11, "pto.set_flag"), wait = world.site(12, "pto.wait_flag");
  world.sites.events(Pipe::MTE2, Pipe::V).name(0, true, set);
  world.sites.events(Pipe::V, Pipe::MTE2).name(0, false, wait);
  d.load(load, 0, 0, 256);
  begin(0);
  d.vlds(ld, 0);
  EXPECT_EQ(only().notes[0].place.line, 12u);
  EXPECT_EQ(only().notes[0].message,
            "likely cause: the set at k.pto:11 uses PIPE_MTE2 -> PIPE_V but this wait uses PIPE_V -> PIPE_MTE2 "
            "(both EVENT_ID0); neither has a match");
  EXPECT_EQ(only().help,
            "give the pipes of the set at k.pto:11 and of the wait at k.pto:12 in the same order: from the one that "
            "finishes first to the one that waits");
  EXPECT_TRUE(only().remedies.empty());
}

TEST_F(ReportTest, ASetAndAWaitWithDifferentIds) {
  SiteId set = world.site(11, "pto.set_flag"), wait = world.site(12, "pto.wait_flag");
  world.sites.events(Pipe::MTE2, Pipe::V).name(3, true, set);
  world.sites.events(Pipe::MTE2, Pipe::V).name(5, false, wait);
  d.load(load, 0, 0, 256);
  begin(0);
  d.vlds(ld, 0);
  EXPECT_EQ(only().notes[0].message,
            "likely cause: the set at k.pto:11 uses EVENT_ID3 but this wait uses EVENT_ID5 (both PIPE_MTE2 -> "
            "PIPE_V); neither has a match");
  EXPECT_EQ(only().help, "make the event ids of the set at k.pto:11 and of the wait at k.pto:12 the same");
  EXPECT_TRUE(only().remedies.empty());
}

TEST_F(ReportTest, ASetThatNothingWaitsFor) {
  // Wherever the set is: a trial shows whether the wait is right.
  for (uint32_t line : {5u, 20u}) {
    World fresh("a5", raceOnly());
    SiteId load = fresh.site(4, "pto.mte_gm_ub"), set = fresh.site(line, "pto.set_flag"),
           scope = fresh.site(7, "pto.vecscope");
    SiteId ld = fresh.site(8, "pto.vlds", kNoSite, scope);
    fresh.sites.events(Pipe::MTE2, Pipe::V).name(2, true, set);
    Drive d(fresh);
    d.load(load, 0, 0, 256);
    d.scope(scope);
    d.vlds(ld, 0);
    d.end();
    const Finding &f = fresh.findings.all().at(0);
    EXPECT_EQ(f.notes[0].message,
              "likely cause: nothing waits for flag PIPE_MTE2 -> PIPE_V, EVENT_ID2, which is set here");
    EXPECT_EQ(f.remedies.at(0).help, "add `pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID2\"]` before k.pto:7");
    EXPECT_EQ(f.help, "wait for the flag before k.pto:7");
    EXPECT_EQ(f.remedies.at(0).edits.size(), 1u);
  }
}

TEST_F(ReportTest, BuffersThatOverlap) {
  SiteId other = world.site(11, "pto.mte_gm_ub", outer);
  d.load(load, 0, 0, 256);
  d.load(other, 1024, 128, 256);
  EXPECT_EQ(only().notes[0].message, "likely cause: two buffers overlap: UB bytes 0x0000..0x00ff (256 bytes) there, UB "
                                     "bytes 0x0080..0x017f (256 bytes) here");
  EXPECT_EQ(only().help, "move one of the two buffers; if they are meant to share bytes, put a barrier of PIPE_MTE2 "
                         "between the two");
  EXPECT_TRUE(only().remedies.empty());
}

TEST_F(ReportTest, AScopeAndATransferThatOverlap) {
  // The refill of the other half begins in the middle of what the scope reads; to refill a part of that is common.
  for (uint64_t base : {512u, 0u, 256u}) {
    World fresh("a5", raceOnly());
    SiteId scope = fresh.site(2, "pto.vecscope"), inner = fresh.site(3, "scf.for", kNoSite, scope);
    SiteId ld = fresh.site(4, "pto.vlds", inner, scope), refill = fresh.site(6, "pto.mte_gm_ub");
    fresh.sites[ld].depth = 1;
    Drive d(fresh);
    d.scope(scope);
    int64_t turns[PTO_MAX_LOOP_DEPTH] = {};
    d.running.scopeIterations = turns;
    for (turns[0] = 0; turns[0] < 4; ++turns[0])
      d.vlds(ld, uint64_t(turns[0]) * 256);
    d.endScope();
    d.load(refill, 0, base, base == 512 ? 1024 : 512);
    d.end();
    const Finding &f = fresh.findings.all().at(0);
    EXPECT_EQ(f.notes[0].message == "likely cause: two buffers overlap: UB bytes 0x0000..0x03ff (1024 bytes) there, UB "
                                    "bytes 0x0200..0x05ff (1024 bytes) here",
              base == 512)
        << f.notes[0].message;
    EXPECT_EQ(f.remedies.empty(), base == 512);
  }
}

TEST_F(ReportTest, OneTransferInsideAnother) {
  SiteId other = world.site(11, "pto.mte_gm_ub", outer);
  d.load(load, 0, 0, 256);
  d.load(other, 1024, 128, 128);
  EXPECT_EQ(only().remedies.at(0).help, "add `pto.pipe_barrier \"PIPE_MTE2\"` before k.pto:11");
  EXPECT_EQ(only().remedies.at(0).edits.size(), 1u);
}

TEST_F(ReportTest, TurnsThatOverlap) {
  for (int64_t t : {0, 1}) {
    d.iterations = {t};
    d.load(load, 0, uint64_t(t) * 128, 256);
  }
  EXPECT_EQ(only().notes[0].message,
            "likely cause: one iteration begins before the bytes of another end: UB bytes 0x0000..0x00ff (256 "
            "bytes), then UB bytes 0x0080..0x017f (256 bytes)");
  EXPECT_TRUE(only().remedies.empty());
}

TEST_F(ReportTest, TurnsOfAScopeThatOverlap) {
  begin(0);
  for (turn[0] = 0; turn[0] < 2; ++turn[0])
    d.vsts(st, uint64_t(turn[0]) * 128);
  EXPECT_EQ(only().notes[0].message,
            "likely cause: one iteration touches 256 bytes from 0x0000, the next begins at 0x0080");
  EXPECT_EQ(only().help,
            "make the step of the loop as large as what an iteration touches; if they are meant to share bytes, put a "
            "VST_VST fence between the two");
  EXPECT_TRUE(only().remedies.empty());
}

TEST_F(ReportTest, RowsOfAStoreThatOverlap) {
  begin(0);
  turn[0] = 3;
  for (uint64_t row : {0, 1})
    d.vsts(st, row * 128);
  EXPECT_EQ(only().code, "race-scope");
  EXPECT_EQ(only().message, "`pto.vsts` writes UB bytes of two of its rows, and nothing orders them");
  EXPECT_EQ(only().notes.size(), 1u);
  EXPECT_EQ(
      only().help,
      "rows of this store overlap because their distance is smaller than a row: make its stride as large as a row");
  EXPECT_TRUE(only().remedies.empty());
}

TEST_F(ReportTest, BuffersOfAScopeThatOverlap) {
  // Turn 4 loads what turn 0 has stored; the turn before would be a running sum.
  for (int64_t distance : {4, 1}) {
    World fresh("a5", raceOnly());
    SiteId scope = fresh.site(2, "pto.vecscope"), inner = fresh.site(3, "scf.for", kNoSite, scope);
    SiteId ld = fresh.site(4, "pto.vlds", inner, scope), st = fresh.site(5, "pto.vsts", inner, scope);
    fresh.sites[ld].depth = fresh.sites[st].depth = 1;
    Drive d(fresh);
    d.scope(scope);
    int64_t turns[PTO_MAX_LOOP_DEPTH] = {};
    d.running.scopeIterations = turns;
    for (turns[0] = 0; turns[0] < 6; ++turns[0]) {
      uint32_t value = d.vlds(ld, uint64_t(turns[0]) * 256);
      d.vsts(st, uint64_t(turns[0] + distance) * 256, {value});
    }
    d.end();
    const Finding &f = fresh.findings.all().at(0);
    EXPECT_EQ(f.notes[0].message.starts_with(
                  "likely cause: two buffers overlap: iteration 0 of one meets iteration 4 of the other"),
              distance == 4);
    EXPECT_EQ(f.remedies.empty(), distance == 4);
  }
}

TEST_F(ReportTest, ComputedEventIds) {
  world.sites.events(Pipe::MTE2, Pipe::V).computed = true;
  d.flag(Pipe::MTE2, Pipe::V, 0);
  d.load(load, 0, 0, 256);
  begin(0);
  d.vlds(ld, 0);
  EXPECT_EQ(only().remedies.at(0).edits[1].insertText, "pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID7\"]");
}

TEST_F(ReportTest, ABufferIdWhenFlagsAreUsedUp) {
  world.sites.buffers.set = world.sites.buffers.waited = 3;
  for (int64_t id = 0; id < 8; ++id)
    d.flag(Pipe::MTE2, Pipe::V, id);
  d.load(load, 0, 0, 256);
  begin(0);
  d.vlds(ld, 0);
  Lines lines;
  for (const Edit &edit : only().remedies.at(0).edits)
    lines.push_back(edit.insertText);
  EXPECT_EQ(lines, (Lines{"pto.get_buf \"PIPE_MTE2\", 2, 0", "pto.rls_buf \"PIPE_MTE2\", 2, 0",
                          "pto.get_buf \"PIPE_V\", 2, 0", "pto.rls_buf \"PIPE_V\", 2, 0"}));
  // These lines are an order.
  World repaired("a5", raceOnly());
  SiteId first = repaired.site(1, "pto.mte_gm_ub"), second = repaired.site(2, "pto.vlds");
  Drive r(repaired);
  r.load(first, 0, 0, 256);
  r.get(Pipe::MTE2, 2);
  r.rls(Pipe::MTE2, 2);
  r.get(Pipe::V, 2);
  r.rls(Pipe::V, 2);
  r.scope(second);
  r.vlds(second, 0);
  EXPECT_EQ(repaired.summary(), Lines());
}

struct ReportTestA3 : ReportTest {
  ReportTestA3() : ReportTest("a3") {}
};

TEST_F(ReportTestA3, ABarrierWhereThereAreNoBufferIds) {
  for (int64_t id = 0; id < 8; ++id)
    d.flag(Pipe::MTE2, Pipe::V, id);
  d.load(load, 0, 0, 256);
  begin(0);
  d.vlds(ld, 0);
  ASSERT_EQ(only().remedies.at(0).edits.size(), 1u);
  EXPECT_EQ(only().remedies.at(0).edits[0].insertText, "pto.barrier #pto.pipe<PIPE_ALL>");
}

TEST_F(ReportTestA3, NoMemBar) {
  begin(0);
  d.vsts(st, 0);
  d.vlds(ld, 0);
  EXPECT_EQ(only().help,
            "end the vector scope before k.pto:4, add `pto.pipe_barrier \"PIPE_V\"` there and start another "
            "scope after it; a3 has no `pto.mem_bar`");
  EXPECT_TRUE(only().remedies.empty());
}

TEST_F(ReportTest, FloatSumsDependOnOrder) {
  auto add = [&](SiteId site, bool floats) {
    Instr i = d.instr(Pipe::MTE3, site);
    AccessKind kind = atomicUpdate(floats ? 1 : 4, 0); // CTRL: f32 or s32, add
    d.events().transfer(i, {Space::Ub, Space::Gm, box(0, 64), box(world.y().base, 64), {}, nullptr, &world.y(), kind});
  };
  SiteId other = world.site(11, "pto.mte_ub_gm");
  add(store, false);
  add(other, false); // integers: any order will do
  EXPECT_EQ(world.summary(), Lines());
  d.barrier(Pipe::MTE3);
  add(other, true);
  EXPECT_EQ(world.summary(), Lines());
  add(store, true);
  EXPECT_EQ(world.summary(), Lines{"order-dependent 11"});
  EXPECT_EQ(only().severity, Severity::Warning);
  EXPECT_EQ(only().remedies.at(0).edits[0].insertText, "pto.pipe_barrier \"PIPE_MTE3\"");
}

} // namespace
