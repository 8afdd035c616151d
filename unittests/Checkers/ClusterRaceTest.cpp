//===- ClusterRaceTest.cpp - races between cores and blocks ---------------===//
//
// The memory effect of semaphores (SEM-16) and of all-core barriers (SYNCALL-1);
// every case broken and repaired.
// Rules: HB9, SEM-16, SEM-17, SEM-18, SYNCALL-1, MIX-4, MIX-5, RACE-4, FIX-28.
//
//===----------------------------------------------------------------------===//

#include "Drive.h"

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

Checks raceOnly() {
  Checks checks = Checks::none();
  checks.race = true;
  return checks;
}

struct ClusterRace : ::testing::Test {
  World world{"a5", raceOnly()};
  SiteId cube = world.site(2, "pto.mte_l1_ub"), scope = world.site(10, "pto.vecscope"),
         load = world.site(11, "pto.vlds", kNoSite, scope), store = world.site(14, "pto.mte_ub_gm"),
         toL1 = world.site(16, "pto.mte_ub_l1"), gmIn = world.site(4, "pto.mte_gm_ub");

  /// MTE1 -> FIX, so that the signal covers the copy, and the signal itself.
  void signal(Drive &d, uint8_t to, int64_t id) {
    d.on(0).flag(Pipe::MTE1, Pipe::FIX, 0);
    d.syncSet(Pipe::FIX, to, id);
  }
  void read(Drive &d, uint64_t ub) {
    d.scope(scope);
    d.vlds(load, ub);
    d.endScope();
  }
};

TEST_F(ClusterRace, UbWrittenByTheCubeCore) {
  for (bool repaired : {false, true}) {
    World fresh("a5", raceOnly());
    Drive d(fresh);
    SiteId from = fresh.site(2, "pto.mte_l1_ub"), s = fresh.site(10, "pto.vecscope"),
           l = fresh.site(11, "pto.vlds", kNoSite, s);
    d.on(0).l1ToUb(from, 0, 512, 256);
    d.on(0).flag(Pipe::MTE1, Pipe::FIX, 0);
    d.on(0).syncSet(Pipe::FIX, 1, 1);
    d.on(1);
    if (repaired)
      d.syncWait(Pipe::V, 1);
    d.scope(s);
    d.vlds(l, 512);
    d.endScope();
    d.end();
    if (repaired) {
      EXPECT_EQ(fresh.summary(), Lines());
      continue;
    }
    ASSERT_EQ(fresh.summary(), Lines{"race-raw 2->11"});
    const Finding &f = fresh.findings.all()[0];
    EXPECT_EQ(f.message, "`pto.vlds` on PIPE_V of AIV0 reads UB bytes that `pto.mte_l1_ub` on PIPE_MTE1 of AIC "
                         "may still be writing");
    EXPECT_EQ(f.remedies.at(0).help,
              "add `pto.sync.set <PIPE_FIX>, 0` on AIC after k.pto:2, following a flag PIPE_MTE1 -> PIPE_FIX, "
              "and `pto.sync.wait <PIPE_V>, 0` on AIV0 before k.pto:10 (semaphore 0 of AIV0 is free)");
  }
}

TEST_F(ClusterRace, EachVectorCoreHasItsOwnUb) {
  Drive d(world);
  d.on(0).l1ToUb(cube, 0, 512, 256, 1);
  d.on(1);
  read(d, 512); // AIV0's bytes: no one wrote them
  EXPECT_EQ(world.summary(), Lines());
  d.on(2);
  read(d, 512);
  EXPECT_EQ(world.summary(), Lines{"race-raw 2->11"});
}

TEST_F(ClusterRace, DirectInstructionsNameTheUb) { // FIX-28
  for (uint8_t written : {0, 1})
    for (uint8_t reader : {1, 2})
      for (bool repaired : {false, true}) {
        World fresh("a5", raceOnly());
        SiteId to = fresh.site(2, "pto.mte_l0c_ub"), s = fresh.site(10, "pto.vecscope"),
               l = fresh.site(11, "pto.vlds", kNoSite, s);
        Drive d(fresh);
        d.on(0).l0cToUb(to, 0, 512, 256, written);
        d.on(0).syncSet(Pipe::FIX, reader, 1);
        d.on(reader);
        if (repaired)
          d.syncWait(Pipe::V, 1);
        d.scope(s);
        d.vlds(l, 512);
        d.endScope();
        d.end();
        bool meet = reader == 1 + written;
        EXPECT_EQ(fresh.summary(), meet && !repaired ? Lines{"race-raw 2->11"} : Lines())
            << int(written) << int(reader) << repaired;
        if (meet && !repaired)
          EXPECT_EQ(fresh.findings.all()[0].message,
                    "`pto.vlds` on PIPE_V of AIV" + std::to_string(written) +
                        " reads UB bytes that `pto.mte_l0c_ub` on PIPE_FIX of AIC may still be writing");
      }
}

TEST_F(ClusterRace, TheWaitOrdersItsPipeOnly) {
  Drive d(world);
  d.on(0).l1ToUb(cube, 0, 512, 256);
  signal(d, 1, 3);
  d.on(1).syncWait(Pipe::MTE3, 3);
  d.store(store, 512, 0, 256);
  EXPECT_EQ(world.summary(), Lines());
  read(d, 512);
  EXPECT_EQ(world.summary(), Lines{"race-raw 2->11"});
}

TEST_F(ClusterRace, TheSetPublishesItsPipeOnly) {
  // A signal of FIX without the MTE1 -> FIX flag says nothing about the copy.
  Drive d(world);
  d.on(0).l1ToUb(cube, 0, 512, 256);
  d.syncSet(Pipe::FIX, 1, 1);
  d.on(1).syncWait(Pipe::V, 1);
  read(d, 512);
  EXPECT_EQ(world.summary(), Lines{"race-raw 2->11"});
}

TEST_F(ClusterRace, BufferHandedBack) {
  for (bool repaired : {false, true}) {
    World fresh("a5", raceOnly());
    SiteId from = fresh.site(2, "pto.mte_l1_ub"), s = fresh.site(10, "pto.mte_ub_gm");
    Drive d(fresh);
    for (int round = 0; round < 3; ++round) {
      d.on(0);
      if (round && repaired)
        d.syncWait(Pipe::MTE1, 16 + 5);
      d.l1ToUb(from, 0, 512, 256, 1);
      d.flag(Pipe::MTE1, Pipe::FIX, 0);
      d.syncSet(Pipe::FIX, 2, 0);
      d.on(2).syncWait(Pipe::MTE3, 0);
      d.store(s, 512, uint64_t(round) * 256, 256);
      d.syncSet(Pipe::MTE3, 0, 16 + 5);
    }
    d.end();
    EXPECT_EQ(fresh.summary(), repaired ? Lines() : Lines{"race-war 10->2"});
    if (!repaired)
      EXPECT_EQ(fresh.findings.all()[0].remedies.at(0).help,
                "add `pto.sync.set <PIPE_MTE3>, 0` on AIV1 after k.pto:10, and `pto.sync.wait <PIPE_MTE1>, 16` on "
                "AIC before k.pto:2 (semaphore 16 of AIC is free)");
  }
}

TEST_F(ClusterRace, SharedL1) {
  for (bool repaired : {false, true}) {
    World fresh("a5", raceOnly());
    SiteId to = fresh.site(3, "pto.mte_ub_l1"), from = fresh.site(9, "pto.mte_l1_ub");
    Drive d(fresh);
    d.on(1).ubToL1(to, 0, 4096, 64);
    d.syncSet(Pipe::MTE3, 0, 7);
    d.on(0);
    if (repaired)
      d.syncWait(Pipe::MTE1, 7);
    d.l1ToUb(from, 4096 + 32, 65536, 64);
    d.end();
    EXPECT_EQ(fresh.summary(), repaired ? Lines() : Lines{"race-raw 3->9"});
  }
  // Both vector cores write one L1.
  World fresh("a5", raceOnly());
  SiteId to = fresh.site(3, "pto.mte_ub_l1");
  Drive d(fresh);
  d.on(1).ubToL1(to, 0, 4096, 64);
  d.on(2).ubToL1(to, 0, 4096, 64);
  d.end();
  ASSERT_EQ(fresh.summary(), Lines{"race-waw 3->3"});
  EXPECT_NE(fresh.findings.all()[0].help.find("AIV0 and AIV1 both execute "), std::string::npos);
}

TEST_F(ClusterRace, GmBetweenTheCoresOfABlock) {
  for (bool repaired : {false, true}) {
    World fresh("a5", raceOnly());
    SiteId out = fresh.site(3, "pto.mte_ub_gm"), in = fresh.site(9, "pto.mte_gm_l1");
    Drive d(fresh);
    d.on(1).store(out, 0, 0, 64);
    d.syncSet(Pipe::MTE3, 0, 2);
    d.on(0);
    if (repaired)
      d.syncWait(Pipe::MTE2, 2);
    d.transfer(Pipe::MTE2, in, Space::Gm, box(fresh.y().base + 32, 64), Space::L1, box(0, 64));
    d.end();
    EXPECT_EQ(fresh.summary(), repaired ? Lines() : Lines{"race-raw 3->9"});
    if (!repaired) {
      const Finding &f = fresh.findings.all()[0];
      ASSERT_EQ(f.remedies.at(0).edits.size(), 2u);
      EXPECT_EQ(f.remedies.at(0).edits[0].insertText, "pto.sync.set <PIPE_MTE3>, 0");
      EXPECT_EQ(f.remedies.at(0).edits[0].place.line, 4u); // of the instruction behind
      EXPECT_FALSE(f.remedies.at(0).edits[0].after);
      EXPECT_EQ(f.remedies.at(0).edits[1].insertText, "pto.sync.wait <PIPE_MTE2>, 0");
    }
  }
}

TEST_F(ClusterRace, KthWaitMatchesKthSet) {
  // The second copy is covered by the second set only.
  Drive d(world);
  d.on(0).l1ToUb(cube, 0, 0, 256);
  signal(d, 1, 0);
  d.on(0).l1ToUb(cube, 0, 256, 256);
  signal(d, 1, 0);
  d.on(1).syncWait(Pipe::V, 0);
  read(d, 0);
  EXPECT_EQ(world.summary(), Lines());
  read(d, 256);
  EXPECT_EQ(world.summary(), Lines{"race-raw 2->11"});
}

TEST_F(ClusterRace, AStalledScalarUnitOrdersWhatItIssuesLater) {
  world.site(20, "pto.unused");
  SiteId early = world.site(21, "pto.mte_ub_gm"), late = world.site(22, "pto.mte_ub_gm");
  Drive d(world);
  d.on(0).l1ToUb(cube, 0, 0, 512);
  d.on(0).syncSet(Pipe::S, 1, 0); // drains: publishes MTE1 as well
  d.on(1);
  Instr queued = d.issue(Pipe::MTE3, early); // before the wait, executed after it
  d.syncWait(Pipe::S, 0);
  d.store(late, 0, 0, 256);
  EXPECT_EQ(world.summary(), Lines());
  // Transfers of MTE3 end in any order: the earlier one takes effect last, and
  // knows nothing of the wait.
  TransferEvent event{
      Space::Ub, Space::Gm,  box(256, 256),    box(world.y().base + 4096, 256), box(world.y().base + 4096, 256),
      nullptr,   &world.y(), AccessKind::Write};
  d.events().start(queued);
  d.events().transfer(queued, event);
  EXPECT_EQ(world.summary(), Lines{"race-raw 2->21"});
}

TEST_F(ClusterRace, ReduceOfA3NeedsBothVectorCores) {
  for (uint8_t missing : {0, 1, 2}) {
    World fresh("a3", raceOnly());
    SiteId to = fresh.site(3, "pto.mte_ub_l1"), from = fresh.site(9, "pto.mte_l1_ub");
    Drive d(fresh);
    for (uint8_t core : {1, 2}) {
      d.on(core);
      if (missing != core) {
        d.ubToL1(to, 0, core * 64u, 64);
        d.syncSet(Pipe::S, 0, 4);
      } else { // signals before its work
        d.syncSet(Pipe::S, 0, 4);
        d.ubToL1(to, 0, core * 64u, 64);
      }
    }
    d.on(0).syncWait(Pipe::S, 4);
    d.l1ToUb(from, 64, 65536, 128);
    d.end();
    EXPECT_EQ(fresh.summary(), missing ? Lines{"race-raw 3->9"} : Lines());
    if (missing)
      EXPECT_NE(fresh.findings.all()[0].help.find("`pto.set_cross_core`"), std::string::npos);
  }
}

TEST_F(ClusterRace, AllCoreBarrierOrdersTheCoresOfABlock) {
  for (int variant = 0; variant < 3; ++variant) {
    World fresh("a5", raceOnly());
    SiteId to = fresh.site(3, "pto.mte_ub_l1"), from = fresh.site(9, "pto.mte_l1_ub");
    Drive d(fresh);
    d.on(1).ubToL1(to, 0, 0, 64);
    if (variant == 1)
      d.syncAll({1, 2}, 0, 1); // vector cores only
    if (variant == 2)
      d.syncAll({0, 1, 2}, 0, 1);
    d.on(0).l1ToUb(from, 0, 65536, 64);
    d.end();
    EXPECT_EQ(fresh.summary(), variant == 2 ? Lines() : Lines{"race-raw 3->9"}) << variant;
  }
}

TEST_F(ClusterRace, AllCoreBarrierOrdersBlocks) {
  for (int variant = 0; variant < 4; ++variant) {
    World fresh("a5", raceOnly());
    SiteId out = fresh.site(3, "pto.mte_ub_gm"), in = fresh.site(9, "pto.mte_gm_ub"),
           late = fresh.site(12, "pto.mte_ub_gm");
    for (int64_t block = 0; block < 4; ++block) {
      Drive d(fresh, block);
      if (variant == 2) // the write comes after the barrier
        d.syncAll({1}, 0, 1);
      d.store(out, 0, uint64_t(block) * 64, 64);
      if (variant == 1 || variant == 3)
        d.syncAll({1}, 0, 1);
      d.transfer(Pipe::MTE2, in, Space::Gm, box(fresh.y().base + uint64_t(block + 1) % 4 * 64, 64), Space::Ub,
                 box(8192, 64));
      if (variant == 3) // too early: another block may still read it
        d.store(late, 0, uint64_t(block) * 64, 64);
    }
    if (variant == 1)
      EXPECT_EQ(fresh.summary(), Lines());
    else if (variant == 3)
      EXPECT_EQ(fresh.summary(), (Lines{"race-blocks 9->12", "race-blocks 12->9"}));
    else
      EXPECT_FALSE(fresh.findings.empty()) << variant;
  }
}

TEST_F(ClusterRace, LoopsOfBarriersArePhases) {
  // out[phase] is written by block phase % 4 and read by all in the next phase.
  for (bool broken : {false, true}) {
    World fresh("a5", raceOnly());
    SiteId out = fresh.site(3, "pto.mte_ub_gm"), in = fresh.site(9, "pto.mte_gm_ub");
    for (int64_t block = 0; block < 4; ++block) {
      Drive d(fresh, block);
      for (uint64_t phase = 0; phase < 8; ++phase) {
        if (int64_t(phase % 4) == block)
          d.store(out, 0, (broken ? 0 : phase % 2) * 64, 64);
        if (phase)
          d.transfer(Pipe::MTE2, in, Space::Gm, box(fresh.y().base + (broken ? 0 : (phase + 1) % 2) * 64, 64),
                     Space::Ub, box(8192 + phase * 64, 64));
        d.syncAll({1}, 0, phase + 1);
      }
    }
    if (broken)
      EXPECT_FALSE(fresh.findings.empty());
    else
      EXPECT_EQ(fresh.summary(), Lines());
  }
}

TEST_F(ClusterRace, BarriersOfOtherCoresDoNotCount) {
  // Cube cores pass their own barrier; the vector cores' stores are not ordered
  // by it unless a semaphore brings them there.
  for (bool covered : {false, true}) {
    World fresh("a5", raceOnly());
    SiteId out = fresh.site(3, "pto.mte_ub_gm"), in = fresh.site(9, "pto.mte_gm_l1");
    for (int64_t block = 0; block < 2; ++block) {
      Drive d(fresh, block);
      d.on(1).store(out, 0, uint64_t(block) * 64, 64);
      if (covered) {
        d.syncSet(Pipe::MTE3, 0, 0);
        d.on(0).syncWait(Pipe::MTE2, 0);
      }
      d.syncAll({0}, 0, 1);
      d.on(0).transfer(Pipe::MTE2, in, Space::Gm, box(fresh.y().base + uint64_t(1 - block) * 64, 64), Space::L1,
                       box(0, 64));
    }
    if (covered)
      EXPECT_EQ(fresh.summary(), Lines());
    else
      EXPECT_FALSE(fresh.findings.empty());
  }
}

/// The help of a race between two cores, in a program of C++: what it names is C++.
std::string helpInCpp(const char *profile, uint8_t from, uint8_t to, int usedIds = 0) {
  World fresh(profile, raceOnly());
  fresh.sites = SiteTable(Language::Cpp);
  SiteId out = fresh.site(3, "TSTORE"), in = fresh.site(9, "TLOAD");
  const Pipe storing = from == 0 ? Pipe::FIX : Pipe::MTE3;
  Drive d(fresh);
  for (int id = 0; id < usedIds; ++id)
    for (uint8_t target = 0; target < kCoresPerBlock; ++target)
      d.on(target == 0 ? 1 : 0).syncSet(target == 0 ? Pipe::MTE3 : Pipe::FIX, target, id);
  d.on(from).transfer(storing, out, from == 0 ? Space::L1 : Space::Ub, box(0, 64), Space::Gm, box(fresh.y().base, 64));
  d.on(to).transfer(Pipe::MTE2, in, Space::Gm, box(fresh.y().base, 64), to == 0 ? Space::L1 : Space::Ub, box(0, 64));
  d.end();
  EXPECT_EQ(fresh.summary(), Lines{"race-raw 3->9"});
  const Finding &f = fresh.findings.all()[0];
  EXPECT_EQ(f.help.find("pto."), std::string::npos) << f.help;
  EXPECT_EQ(f.help.find("semaphore"), std::string::npos) << f.help;
  EXPECT_TRUE(f.remedies.empty());
  return f.help;
}

TEST_F(ClusterRace, HelpOfCppPrograms) { // XSYNC-6, XSYNC-7, XSYNC-12
  EXPECT_EQ(helpInCpp("a3", 0, 1), "add `ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(2, 0));` on AIC after k.pto:3, and "
                                   "`wait_flag_dev(0);` on AIV0 before k.pto:9");
  EXPECT_EQ(helpInCpp("a3", 2, 0), "add `ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(2, 0));` on AIV1 and the other "
                                   "vector core after k.pto:3, and `wait_flag_dev(0);` on AIC before k.pto:9");
  EXPECT_EQ(helpInCpp("a3", 1, 2),
            "add `ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(1, 0));` after k.pto:3 and "
            "`wait_flag_dev(0);` before k.pto:9, on both vector cores, or keep their parts of GM "
            "apart");
  EXPECT_EQ(helpInCpp("a5", 0, 2),
            "add `set_intra_block(PIPE_FIX, 0); set_intra_block(PIPE_FIX, 16);` on AIC after k.pto:3, and "
            "`wait_intra_block(PIPE_MTE2, 0);` on AIV1 before k.pto:9");
  EXPECT_EQ(helpInCpp("a5", 2, 0), "add `set_intra_block(PIPE_MTE3, 0);` on AIV1 after k.pto:3, and "
                                   "`wait_intra_block(PIPE_MTE2, 16);` on AIC before k.pto:9");
  EXPECT_EQ(helpInCpp("a5", 1, 2),
            "vector cores do not signal each other: add `set_intra_block(PIPE_MTE3, 0);` on AIV0 "
            "after k.pto:3, let AIC pass it on by `wait_intra_block(PIPE_S, 0);` and "
            "`set_intra_block(PIPE_S, 16);`, and add `wait_intra_block(PIPE_MTE2, 0);` on AIV1 "
            "before k.pto:9, or keep their parts of GM apart");
  EXPECT_EQ(helpInCpp("a5", 0, 1, 16),
            "signal AIV0 from AIC after k.pto:3 and wait before k.pto:9; all cross-core flags "
            "between them are in use, so reuse one whose wait comes before");
}

TEST_F(ClusterRace, DefinednessFollowsTheMemory) {
  Checks init = Checks::none();
  init.init = true;
  World fresh("a5", init);
  SiteId in = fresh.site(2, "pto.mte_gm_l1"), from = fresh.site(3, "pto.mte_l1_ub"),
         scalar = fresh.site(9, "pto.load_scalar");
  Drive d(fresh);
  d.on(0).transfer(Pipe::MTE2, in, Space::Gm, box(fresh.x().base, 64), Space::L1, box(0, 64));
  d.l1ToUb(from, 0, 0, 64, 1);
  d.on(2).loadScalar(scalar, 0);
  EXPECT_EQ(fresh.summary(), Lines());
  d.on(1).loadScalar(scalar, 0); // AIV0's own UB was not written
  EXPECT_EQ(fresh.summary(), Lines{"init-scalar 9"});
}

TEST_F(ClusterRace, DefinednessOfDirectInstructionsFollowsTheMemory) { // FIX-28
  Checks init = Checks::none();
  init.init = true;
  for (DirectRole role : {DirectRole::Read, DirectRole::Copy}) {
    World fresh("a5", init);
    SiteId mad = fresh.site(2, "pto.mad"), to = fresh.site(3, "pto.mte_l0c_ub"),
           scalar = fresh.site(9, "pto.load_scalar"), other = fresh.site(10, "pto.load_scalar");
    Drive d(fresh);
    d.on(0).direct(Pipe::M, mad, {{Space::L0C, DirectRole::Write, 0, box(0, 64)}});
    d.l0cToUb(to, 0, 0, 64, 1, role);
    d.on(2).loadScalar(scalar, 0);
    EXPECT_EQ(fresh.summary(), Lines());
    d.on(1).loadScalar(scalar, 0); // AIV0's own UB was not written
    EXPECT_EQ(fresh.summary(), Lines{"init-scalar 9"});
    // Undefined bytes: an error where they are computed with, carried where copied.
    d.on(0).l0cToUb(to, 64, 64, 1, 1, role);
    d.on(2).loadScalar(other, 64, 1);
    EXPECT_EQ(fresh.summary(), role == DirectRole::Read ? (Lines{"init-scalar 9", "init-read 3"})
                                                        : (Lines{"init-scalar 9", "init-scalar 10"}));
  }
}

} // namespace
