//===- ScopeTest.cpp - fences inside a vector scope -----------------------===//
//
// Which accesses of a scope need which fence; broken and repaired.
// Rules: S10, FENCE-1, FENCE-15, FENCE-16, FENCE-17, FENCE-19, SYNCEX-6.
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

/// One scope with the sites every test uses.
struct ScopeTest : ::testing::Test {
  World world{"a5", raceOnly()};
  SiteId scope = world.site(1, "pto.vecscope");
  SiteId ld = world.site(2, "pto.vlds", kNoSite, scope), ld2 = world.site(3, "pto.vlds", kNoSite, scope);
  SiteId st = world.site(4, "pto.vsts", kNoSite, scope), st2 = world.site(5, "pto.vsts", kNoSite, scope);
  SiteId sld = world.site(6, "pto.load_scalar", kNoSite, scope);
  SiteId sst = world.site(7, "pto.store_scalar", kNoSite, scope);
  Drive d{world};
};

TEST_F(ScopeTest, LoadAfterStore) {
  d.scope(scope);
  d.vsts(st, 512);
  d.vlds(ld, 640);
  d.end();
  ASSERT_EQ(world.summary(), Lines{"race-scope 4->2"});
  const Finding &f = world.findings.all()[0];
  EXPECT_EQ(f.message, "`pto.vlds` reads UB bytes that `pto.vsts` of the same vector scope may not have written "
                       "yet: no VST_VLD fence between them");
  EXPECT_EQ(f.bytes->begin, 640u);
  EXPECT_EQ(f.bytes->end, 768u);
  EXPECT_EQ(f.remedies.at(0).help, "add `pto.mem_bar \"VST_VLD\"` before k.pto:2");
  ASSERT_EQ(f.remedies.at(0).edits.size(), 1u);
  EXPECT_EQ(f.remedies.at(0).edits[0].insertText, "pto.mem_bar \"VST_VLD\"");
  ASSERT_EQ(f.notes.size(), 3u);
  EXPECT_EQ(f.notes[2].place.line, 1u);
}

TEST_F(ScopeTest, LoadAfterStoreWithTheFence) {
  d.scope(scope);
  d.vsts(st, 512);
  d.fence(Fence::VST_VLD);
  d.vlds(ld, 640);
  EXPECT_EQ(world.summary(), Lines());
  // The fence covers what came before it only.
  d.vsts(st2, 4096);
  d.vlds(ld2, 4096);
  EXPECT_EQ(world.summary(), Lines{"race-scope 5->3"});
}

TEST_F(ScopeTest, InPlaceIsClean) {
  d.scope(scope);
  for (uint64_t at = 0; at < 4096; at += 256)
    d.vsts(st, at, {d.vlds(ld, at)});
  EXPECT_EQ(world.summary(), Lines());
}

TEST_F(ScopeTest, UnrelatedValueOverLoadedBytes) {
  d.scope(scope);
  d.vlds(ld, 0);
  uint32_t other = d.vlds(ld2, 1024);
  d.vsts(st, 0, {other});
  d.end();
  ASSERT_EQ(world.summary(), Lines{"race-scope 2->4"});
  EXPECT_EQ(world.findings.all()[0].remedies.at(0).edits[0].insertText, "pto.mem_bar \"VLD_VST\"");
}

TEST_F(ScopeTest, UnrelatedValueWithTheFence) {
  d.scope(scope);
  d.vlds(ld, 0);
  d.fence(Fence::VLD_VST);
  d.vsts(st, 0);
  EXPECT_EQ(world.summary(), Lines());
}

TEST_F(ScopeTest, OnlyTheInstancesAStoreDerivesFromAreExempt) {
  d.scope(scope);
  uint32_t first = d.vlds(ld, 0);
  uint32_t second = d.vlds(ld2, 0);
  d.vsts(st, 0, {second});
  EXPECT_EQ(world.summary(), Lines{"race-scope 2->4"});
  d.endScope();
  d.scope(scope);
  first = d.vlds(ld, 0);
  second = d.vlds(ld2, 0);
  d.vsts(st2, 0, {d.merge({first, second})});
  EXPECT_EQ(world.summary().size(), 1u);
}

TEST_F(ScopeTest, StampsCarriedAroundALoop) {
  d.scope(scope);
  uint32_t sum = 0;
  for (uint64_t i = 0; i < 5000; ++i) {
    sum = d.merge({sum, d.vlds(ld, (i % 16) * 256)});
    EXPECT_NE(sum, 0u);
  }
  // The sum derives from every load of every iteration.
  for (uint64_t i = 0; i < 16; ++i)
    d.vsts(st, i * 256, {sum});
  EXPECT_EQ(world.summary(), Lines());
  d.endScope();

  d.scope(scope);
  sum = 0;
  uint32_t without = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    uint32_t stamp = d.vlds(i == 50 ? ld2 : ld, (i % 16) * 256);
    sum = d.merge({sum, stamp});
    without = i == 50 ? without : d.merge({without, stamp});
  }
  d.vsts(st, (50 % 16) * 256, {without});
  EXPECT_EQ(world.summary(), Lines{"race-scope 3->4"});
}

TEST_F(ScopeTest, PrefixSumInPlaceIsFast) {
  // x[i] = x[0] + … + x[i]: each store derives from a chain as long as the loop.
  d.scope(scope);
  uint32_t sum = 0;
  for (uint64_t i = 0; i < 1000000; ++i) {
    sum = d.merge({sum, d.vlds(ld, (i % 1000) * 256)});
    d.vsts(st, (i % 1000) * 256, {sum});
    if (i % 1000 == 999) {
      d.fence(Fence::VST_VLD);
      d.fence(Fence::VST_VST);
    }
  }
  EXPECT_EQ(world.summary(), Lines());
}

TEST_F(ScopeTest, AScopeWithoutEnd) {
  // More accesses than fit into memory one by one; still exact at the end.
  d.scope(scope);
  for (uint64_t i = 0; i < 6000000; ++i) {
    uint32_t stamp = d.vlds(ld, (i % 100) * 256);
    d.vsts(st, (i % 100) * 256, {stamp});
    d.fence(Fence::VST_VLD);
  }
  EXPECT_EQ(world.summary(), Lines());
  d.vlds(ld, 0);
  d.vsts(st, 0);
  EXPECT_EQ(world.summary(), Lines{"race-scope 2->4"});
}

TEST_F(ScopeTest, OrderIsTransitive) {
  // Load A, store B made of it, fence, load B, store over A what was loaded.
  d.scope(scope);
  uint32_t a = d.vlds(ld, 0);
  d.vsts(st, 512, {a});
  d.fence(Fence::VST_VLD);
  uint32_t b = d.vlds(ld2, 512);
  d.vsts(st2, 0, {b});
  EXPECT_EQ(world.summary(), Lines());
}

TEST_F(ScopeTest, AChainWithoutTheFence) {
  d.scope(scope);
  uint32_t a = d.vlds(ld, 0);
  d.vsts(st, 512, {a});
  uint32_t b = d.vlds(ld2, 1024);
  d.vsts(st2, 0, {b});
  EXPECT_EQ(world.summary(), Lines{"race-scope 2->5"});
}

TEST_F(ScopeTest, AChainWhoseStoreIsMadeOfSomethingElse) {
  // Nothing leads from the load of A to the store of B.
  d.scope(scope);
  d.vlds(ld, 0);
  d.vsts(st, 512);
  d.fence(Fence::VST_VLD);
  uint32_t b = d.vlds(ld2, 512);
  d.vsts(st2, 0, {b});
  EXPECT_EQ(world.summary(), Lines{"race-scope 2->5"});
}

TEST_F(ScopeTest, AChainThatEndsInAnUnrelatedValue) {
  d.scope(scope);
  uint32_t a = d.vlds(ld, 0);
  d.vsts(st, 512, {a});
  d.fence(Fence::VST_VLD);
  d.vlds(ld2, 512);
  d.vsts(st2, 0);
  EXPECT_EQ(world.summary(), Lines{"race-scope 2->5"});
}

TEST_F(ScopeTest, ChainsOfFencesNeedAnAccessBetweenThem) {
  // VST_VLD and then VLD_VST order two stores if a load stands between the fences.
  for (bool between : {true, false}) {
    d.scope(scope);
    d.vsts(st, 0);
    d.fence(Fence::VST_VLD);
    if (between)
      d.vlds(ld, 8192);
    d.fence(Fence::VLD_VST);
    d.vsts(st2, 0);
    EXPECT_EQ(world.summary(), between ? Lines() : Lines{"race-scope 4->5"});
    d.endScope();
  }
}

TEST_F(ScopeTest, ChainsOverScalarAccesses) {
  // The vector load comes before the scalar store, that before the scalar load.
  for (bool fence : {true, false}) {
    d.scope(scope);
    d.vlds(ld, 0);
    d.fence(Fence::VLD_ST);
    d.scopeStoreScalar(sst, 4096);
    d.scopeLoadScalar(sld, 8192);
    if (fence)
      d.fence(Fence::LD_VST);
    d.vsts(st, 0);
    EXPECT_EQ(world.summary(), fence ? Lines() : Lines{"race-scope 2->4"});
    d.endScope();
  }
}

TEST_F(ScopeTest, LongChains) {
  // Each turn passes bytes on through memory; the last store goes over the first
  // load. More fences than are remembered one by one.
  for (bool whole : {true, false}) {
    d.scope(scope);
    uint32_t value = d.vlds(ld, 0);
    for (uint64_t i = 0; i < 200000; ++i) {
      d.vsts(st, 4096 + i % 8 * 256, {value});
      d.fence(Fence::VV_ALL);
      value = d.vlds(ld2, 4096 + i % 8 * 256);
    }
    // The load of the last turn is behind everything; the value of no load is behind
    // what the fences say alone.
    d.vlds(ld, 256);
    d.vsts(st2, whole ? 0 : 256, {value});
    EXPECT_EQ(world.summary(), whole ? Lines() : Lines{"race-scope 2->5"});
    d.endScope();
  }
}

TEST_F(ScopeTest, StoreAfterStore) {
  d.scope(scope);
  d.vsts(st, 0);
  d.vsts(st2, 0);
  EXPECT_EQ(world.summary(), Lines{"race-scope 4->5"});
  EXPECT_EQ(world.findings.all()[0].remedies.at(0).edits[0].insertText, "pto.mem_bar \"VST_VST\"");
  d.endScope();
  d.scope(scope);
  d.vsts(st2, 0);
  d.fence(Fence::VST_VST);
  d.vsts(st, 0);
  EXPECT_EQ(world.summary().size(), 1u);
}

TEST_F(ScopeTest, SuccessiveScopesNeedNoFence) {
  d.scope(scope);
  d.vsts(st, 0);
  d.endScope();
  d.scope(scope);
  d.vlds(ld, 0);
  d.vsts(st, 0, {});
  d.endScope();
  // Same scope, though: the load and the unrelated store.
  EXPECT_EQ(world.summary(), Lines{"race-scope 2->4"});
}

TEST_F(ScopeTest, PartsOfAGranule) {
  d.scope(scope);
  d.vsts(st, 0, {}, 8);
  d.vsts(st, 8, {}, 8);
  d.vsts(st2, 16, {}, 16);
  d.vlds(ld, 32, 32);
  EXPECT_EQ(world.summary(), Lines());
  d.vlds(ld, 12, 6);
  ASSERT_EQ(world.summary(), (Lines{"race-scope 5->2", "race-scope 4->2"}));
  EXPECT_EQ(world.findings.all()[0].bytes->begin, 16u);
  EXPECT_EQ(world.findings.all()[0].bytes->end, 18u);
  EXPECT_EQ(world.findings.all()[1].bytes->begin, 12u);
  EXPECT_EQ(world.findings.all()[1].bytes->end, 16u);
}

TEST_F(ScopeTest, MasksDecide) {
  uint64_t low[4] = {0xffff, 0, 0, 0}, high[4] = {0xffff0000, 0, 0, 0};
  d.scope(scope);
  d.vsts(st, 3, {}, 256, low);
  d.vlds(ld, 3, 256, high);
  EXPECT_EQ(world.summary(), Lines());
}

TEST_F(ScopeTest, ScalarsAreOrderedAmongThemselves) {
  d.scope(scope);
  d.scopeStoreScalar(sst, 0);
  d.scopeLoadScalar(sld, 0);
  d.scopeStoreScalar(sst, 0);
  EXPECT_EQ(world.summary(), Lines());
}

/// Every kind: which pairs (earlier, later) of classes it orders.
TEST(Scope, EveryFence) {
  constexpr AccessClass kClasses[] = {VectorLoad, VectorStore, ScalarLoad, ScalarStore};
  auto isStore = [](AccessClass c) { return c == VectorStore || c == ScalarStore; };
  auto isScalar = [](AccessClass c) { return c == ScalarLoad || c == ScalarStore; };
  // Written down again from FENCE-2 to FENCE-14.
  const std::map<Fence, std::pair<std::string, std::string>> kMeaning = {
      {Fence::VV_ALL, {"vL vS", "vL vS"}}, {Fence::VST_VLD, {"vS", "vL"}},      {Fence::VLD_VST, {"vL", "vS"}},
      {Fence::VST_VST, {"vS", "vS"}},      {Fence::VS_ALL, {"vL vS", "sL sS"}}, {Fence::VST_LD, {"vS", "sL"}},
      {Fence::VLD_ST, {"vL", "sS"}},       {Fence::VST_ST, {"vS", "sS"}},       {Fence::SV_ALL, {"sL sS", "vL vS"}},
      {Fence::ST_VLD, {"sS", "vL"}},       {Fence::LD_VST, {"sL", "vS"}},       {Fence::ST_VST, {"sS", "vS"}},
      {Fence::SS_ALL, {"sL sS", "sL sS"}}, {Fence::ST_LD, {"sS", "sL"}},        {Fence::LD_ST, {"sL", "sS"}},
      {Fence::ST_ST, {"sS", "sS"}}};
  const std::map<AccessClass, std::string> kShort = {
      {VectorLoad, "vL"}, {VectorStore, "vS"}, {ScalarLoad, "sL"}, {ScalarStore, "sS"}};
  ASSERT_EQ(kMeaning.size(), 16u);
  for (const auto &[kind, meaning] : kMeaning)
    for (AccessClass a : kClasses)
      for (AccessClass b : kClasses) {
        World world("a5", raceOnly());
        SiteId scope = world.site(1, "pto.vecscope");
        SiteId first = world.site(2, "first", kNoSite, scope), second = world.site(3, "second", kNoSite, scope);
        Drive d(world);
        d.scope(scope);
        auto access = [&](AccessClass c, SiteId site) {
          if (c == VectorLoad)
            d.vlds(site, 0);
          else if (c == VectorStore)
            d.vsts(site, 0);
          else if (c == ScalarLoad)
            d.scopeLoadScalar(site, 4);
          else
            d.scopeStoreScalar(site, 4);
        };
        access(a, first);
        d.fence(kind);
        access(b, second);
        d.end();
        bool needed = (isStore(a) || isStore(b)) && !(isScalar(a) && isScalar(b));
        bool covered = meaning.first.find(kShort.at(a)) != std::string::npos &&
                       meaning.second.find(kShort.at(b)) != std::string::npos;
        EXPECT_EQ(world.summary(), needed && !covered ? Lines{"race-scope 2->3"} : Lines())
            << nameOf(kind) << " " << kShort.at(a) << " " << kShort.at(b);
        if (needed && !covered) {
          // The help names the one kind that orders exactly this pair.
          std::string text = world.findings.all()[0].remedies.at(0).edits.at(0).insertText;
          bool named = false;
          for (const auto &[other, pair] : kMeaning)
            named |= pair.first == kShort.at(a) && pair.second == kShort.at(b) &&
                     text == "pto.mem_bar \"" + std::string(nameOf(other)) + "\"";
          EXPECT_TRUE(named) << text;
        }
      }
}

} // namespace
