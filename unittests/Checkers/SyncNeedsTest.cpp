//===- SyncNeedsTest.cpp - flags and barriers that nothing needs ----------===//
//
// Every flag or barrier that may be left out has a twin that may not.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/SyncNeeds.h"
#include "Drive.h"

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

/// load -> scope -> store, with flags between them.
class SyncNeedsTest : public ::testing::Test {
protected:
  SyncNeedsTest(const char *profile = "a5") : world(profile) {}

  SiteId sync(uint32_t line, std::string op) {
    SiteId site = world.site(line, std::move(op));
    world.sites[site].timing = Timing::sync;
    return site;
  }
  void make(size_t maxEvents = SyncNeeds::kMaxEvents) {
    needs = makeSyncNeeds(world.sites, *world.profile, *world.factory, maxEvents);
    drive.emplace(world, 0, needs.get());
  }
  void copyIn(uint64_t ub = 0) { drive->load(load, 0, ub, 1024); }
  void copyOut(uint64_t ub = 4096) { drive->store(store, ub, 0, 1024); }
  void compute(uint64_t from = 0, uint64_t to = 4096) {
    drive->scope(scope);
    for (uint64_t at = 0; at < 1024; at += 256)
      drive->vsts(vsts, to + at, {drive->vlds(vlds, from + at)});
    drive->endScope();
  }
  bool isOrderedWithout(std::vector<SiteId> sites) { return needs->isOrderedWithout(sites); }

  World world;
  std::unique_ptr<SyncNeeds> needs;
  std::optional<Drive> drive;
  SiteId load = world.site(2, "pto.mte_gm_ub"), setIn = sync(3, "pto.set_flag"), waitIn = sync(4, "pto.wait_flag");
  SiteId scope = world.site(5, "pto.vecscope"), vlds = world.site(6, "pto.vlds", kNoSite, scope),
         vsts = world.site(7, "pto.vsts", kNoSite, scope);
  SiteId setOut = sync(9, "pto.set_flag"), waitOut = sync(10, "pto.wait_flag");
  SiteId store = world.site(11, "pto.mte_ub_gm");
  SiteId barrier = sync(12, "pto.barrier");
};

TEST_F(SyncNeedsTest, FlagsOfADependenceAreNeeded) {
  make();
  copyIn();
  drive->set(Pipe::MTE2, Pipe::V, 0, setIn);
  drive->wait(Pipe::MTE2, Pipe::V, 0, waitIn);
  compute();
  drive->set(Pipe::V, Pipe::MTE3, 0, setOut);
  drive->wait(Pipe::V, Pipe::MTE3, 0, waitOut);
  copyOut();
  drive->end();
  ASSERT_TRUE(needs->isComplete());
  auto groups = needs->groups();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].sites, (std::vector{setIn, waitIn}));
  EXPECT_EQ(groups[1].sites, (std::vector{setOut, waitOut}));
  EXPECT_TRUE(isOrderedWithout({}));
  EXPECT_FALSE(isOrderedWithout(groups[0].sites));
  EXPECT_FALSE(isOrderedWithout(groups[1].sites));
  EXPECT_TRUE(world.findings.empty()) << "the checkers behind it see the same";
}

TEST_F(SyncNeedsTest, AFlagBetweenStrangersIsNotNeeded) {
  make();
  copyIn(0);
  drive->set(Pipe::MTE2, Pipe::V, 0, setIn);
  drive->wait(Pipe::MTE2, Pipe::V, 0, waitIn);
  compute(8192, 16384); // other bytes
  drive->end();
  EXPECT_TRUE(isOrderedWithout({setIn, waitIn}));
}

TEST_F(SyncNeedsTest, EitherOfTwoMayGoButNotBoth) {
  make();
  copyIn();
  drive->set(Pipe::MTE2, Pipe::V, 0, setIn);
  drive->wait(Pipe::MTE2, Pipe::V, 0, waitIn);
  drive->barrier(Pipe::All, barrier);
  compute();
  drive->end();
  auto groups = needs->groups();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_TRUE(groups[0].isBarrier);
  EXPECT_TRUE(isOrderedWithout({barrier}));
  EXPECT_TRUE(isOrderedWithout({setIn, waitIn}));
  EXPECT_FALSE(isOrderedWithout({barrier, setIn, waitIn}));
}

TEST_F(SyncNeedsTest, ABarrierOfAPipeInOrderIsNotNeeded) {
  make();
  compute(0, 4096);
  drive->barrier(Pipe::V, barrier);
  compute(4096, 8192);
  drive->end();
  EXPECT_TRUE(isOrderedWithout({barrier})) << "HB5: scopes of A5 run one after another";
}

class SyncNeedsOfA3 : public SyncNeedsTest {
protected:
  SyncNeedsOfA3() : SyncNeedsTest("a3") {}
};

TEST_F(SyncNeedsOfA3, ABarrierOfAPipeOutOfOrderIsNeeded) {
  make();
  compute(0, 4096);
  drive->barrier(Pipe::V, barrier);
  compute(4096, 8192);
  drive->end();
  EXPECT_FALSE(isOrderedWithout({barrier}));
}

TEST_F(SyncNeedsTest, FlagsThatShareIdsStayTogether) {
  make();
  // Ids 0 and 1 in turn, from the same lines; one more wait at the end.
  for (int64_t id : {0, 1}) {
    copyIn(uint64_t(id) * 1024);
    drive->set(Pipe::MTE2, Pipe::V, id, setIn);
  }
  drive->wait(Pipe::MTE2, Pipe::V, 0, waitIn);
  drive->wait(Pipe::MTE2, Pipe::V, 1, waitOut);
  compute();
  drive->end();
  auto groups = needs->groups();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].sites, (std::vector{setIn, waitIn, waitOut}));
  EXPECT_FALSE(isOrderedWithout(groups[0].sites));
}

TEST_F(SyncNeedsTest, BufferIds) {
  for (bool overlaps : {true, false}) {
    SCOPED_TRACE(overlaps);
    make();
    drive->get(Pipe::MTE2, 3, 0, setIn);
    copyIn();
    drive->rls(Pipe::MTE2, 3, 0, waitIn);
    drive->get(Pipe::V, 3, 0, setOut);
    compute(overlaps ? 0 : 8192, 16384);
    drive->rls(Pipe::V, 3, 0, waitOut);
    drive->end();
    auto groups = needs->groups();
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(isOrderedWithout(groups[0].sites), !overlaps);
  }
}

TEST_F(SyncNeedsTest, WhatOtherBlocksAreToldStays) {
  make();
  copyOut();
  drive->set(Pipe::MTE3, Pipe::S, 0, setIn);
  drive->wait(Pipe::MTE3, Pipe::S, 0, waitIn);
  Instr told = drive->instr(Pipe::S, kNoSite);
  drive->events().signalSet(told, {world.y().base, false, true, 0, 1});
  drive->end();
  EXPECT_FALSE(isOrderedWithout({setIn, waitIn})) << "the store has ended when the signal is set";
}

TEST_F(SyncNeedsTest, AProgramThatIsTooLongIsNotJudged) {
  make(1024);
  for (int i = 0; i < 2000; ++i)
    copyIn();
  drive->end();
  EXPECT_FALSE(needs->isComplete());
}

} // namespace
