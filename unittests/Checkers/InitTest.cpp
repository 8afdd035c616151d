//===- InitTest.cpp - uses of bytes that were never written ---------------===//
//
// Definedness through transfers, copies, loads and stores; broken and repaired.
// Rules: LAUNCH-5, LAUNCH-6, D13, ROW-1, ROW-5.
//
//===----------------------------------------------------------------------===//

#include "Drive.h"

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

struct InitTest : ::testing::Test {
  static Checks initOnly() {
    Checks checks = Checks::none();
    checks.init = true;
    return checks;
  }
  World world{"a5", initOnly()};
  SiteId scope = world.site(1, "pto.vecscope");
  SiteId vlds = world.site(2, "pto.vlds", kNoSite, scope), vlds2 = world.site(3, "pto.vlds", kNoSite, scope);
  SiteId vadd = world.site(4, "pto.vadd", kNoSite, scope), vsts = world.site(5, "pto.vsts", kNoSite, scope);
  SiteId load = world.site(6, "pto.mte_gm_ub"), store = world.site(7, "pto.mte_ub_gm");
  SiteId copy = world.site(8, "pto.mte_ub_ub"), scalar = world.site(9, "pto.load_scalar");
  Drive d{world};
  uint64_t all[4] = {~0ull, ~0ull, ~0ull, ~0ull};
};

TEST_F(InitTest, LoadsSeeTheBitmapAndAreInnocent) {
  d.load(load, 0, 0, 100);
  d.scope(scope);
  d.vlds(vlds, 0);
  EXPECT_EQ(d.defined[0], ~0ull);
  EXPECT_EQ(d.defined[1], (1ull << 36) - 1);
  EXPECT_EQ(d.defined[2], 0u);
  EXPECT_EQ(d.defined[3], 0u);
  EXPECT_EQ(world.summary(), Lines());
}

TEST_F(InitTest, UndefinedUse) {
  d.load(load, 0, 0, 100);
  d.scope(scope);
  d.vlds(vlds, 0);
  d.events().undefinedUse(d.running, vadd, {1}, d.defined, all);
  d.events().undefinedUse(d.running, vadd, {1}, d.defined, all);
  d.end();
  ASSERT_EQ(world.summary(), Lines{"init-read 4"});
  const Finding &f = world.findings.all()[0];
  EXPECT_EQ(f.message, "operand 1 of `pto.vadd` holds bytes that were never written, in an active lane");
  EXPECT_EQ(f.notes[0].message, "156 undefined bytes in active lanes, the first is byte 100 of the register");
  ASSERT_EQ(f.notes.size(), 2u);
  EXPECT_EQ(f.notes[1].place.line, 2u);
  EXPECT_EQ(f.count, 2u);
}

TEST_F(InitTest, ARegisterOfALongerVector) {
  d.load(load, 0, 0, 100);
  d.scope(scope);
  d.vlds(vlds, 0);
  d.events().undefinedUse(d.running, vadd, {.operand = 1, .part = 15}, d.defined, all);
  EXPECT_EQ(world.findings.all().at(0).notes[0].message,
            "156 undefined bytes in active lanes, the first is byte 3940 of the vector");
}

TEST_F(InitTest, InactiveLanesAreNoUse) {
  d.load(load, 0, 0, 100);
  d.scope(scope);
  d.vlds(vlds, 0);
  uint64_t active[4] = {~0ull, (1ull << 36) - 1, 0, 0};
  d.events().undefinedUse(d.running, vadd, {0}, d.defined, active);
  EXPECT_EQ(world.summary(), Lines());
}

TEST_F(InitTest, TheLoadIsNamedOnlyWhenItIsKnown) {
  d.scope(scope);
  d.vlds(vlds, 0);
  d.vlds(vlds2, 1024);
  d.events().undefinedUse(d.running, vadd, {0}, d.defined, all);
  EXPECT_EQ(world.findings.all().at(0).notes.size(), 1u);
}

TEST_F(InitTest, StoresCarryDefinedness) {
  d.scope(scope);
  uint64_t bits[4] = {0x00ff, 0, 0, 0}, active[4] = {0x0ff0, 0, 0, 0};
  d.vsts(vsts, 10, {}, 256, active, bits);
  d.vlds(vlds, 0, 64);
  EXPECT_EQ(d.defined[0], uint64_t(0xf0) << 10);
  // Active and undefined again: the byte becomes undefined.
  uint64_t none[4] = {};
  d.vsts(vsts, 10, {}, 256, active, none);
  d.vlds(vlds, 0, 64);
  EXPECT_EQ(d.defined[0], 0u);
  d.vsts(vsts, 0);
  d.vlds(vlds, 0, 256);
  EXPECT_EQ(d.defined[3], ~0ull);
}

TEST_F(InitTest, WindowsAtAnyAddress) {
  d.load(load, 0, 0, 256);
  d.scope(scope);
  d.vlds(vlds, 13, 256);
  EXPECT_EQ(d.defined[2], ~0ull);
  EXPECT_EQ(d.defined[3], ~0ull >> 13);
}

TEST_F(InitTest, RestOfTheLastBlockBecomesUndefined) {
  d.load(load, 0, 0, 256);
  d.load(load, 0, 0, 40); // bytes 40..63 are anybody's guess now
  d.scope(scope);
  d.vlds(vlds, 0);
  EXPECT_EQ(d.defined[0], (1ull << 40) - 1);
  EXPECT_EQ(d.defined[1], ~0ull);
}

TEST_F(InitTest, BytesThatATransferLeftUndefined) {
  SiteId shorter = world.site(10, "pto.mte_gm_ub");
  d.load(load, 0, 0, 256);
  d.load(shorter, 0, 0, 40);
  d.scope(scope);
  d.vlds(vlds, 0);
  d.events().undefinedUse(d.running, vadd, {1}, d.defined, all);
  d.endScope();
  ASSERT_EQ(world.summary(), Lines{"init-clobbered 4"});
  const Finding &f = world.findings.all()[0];
  EXPECT_EQ(f.message, "operand 1 of `pto.vadd` holds bytes that `pto.mte_gm_ub` left undefined, in an active lane");
  EXPECT_EQ(f.notes.back().place.line, 10u);
  EXPECT_EQ(f.help, "write the bytes again after k.pto:10, or keep them where this instruction does not touch them");
  // Written again: defined. Undefined bytes stored there: no one's fault but the store's.
  d.load(load, 0, 0, 256);
  d.scope(scope);
  d.vlds(vlds2, 0);
  EXPECT_EQ(d.defined[0], ~0ull);
  uint64_t none[4] = {};
  d.vsts(vsts, 0, {}, 256, nullptr, none);
  d.vlds(vlds2, 0);
  d.events().undefinedUse(d.running, vadd, {2}, d.defined, all);
  EXPECT_EQ(world.summary(), (Lines{"init-clobbered 4", "init-read 4"}));
}

TEST_F(InitTest, ClobberedBytesForScalarsAndGm) {
  SiteId shorter = world.site(10, "pto.mte_gm_ub");
  d.load(load, 0, 0, 256);
  d.load(shorter, 0, 0, 40);
  d.loadScalar(scalar, 44);
  d.store(store, 0, 0, 256);
  ASSERT_EQ(world.findings.all().size(), 2u);
  EXPECT_EQ(world.findings.all()[0].code, "init-clobbered");
  EXPECT_EQ(world.findings.all()[0].message, "`pto.load_scalar` reads UB bytes that `pto.mte_gm_ub` left undefined");
  EXPECT_EQ(world.findings.all()[1].code, "init-store-gm");
  EXPECT_EQ(world.findings.all()[1].message, "`pto.mte_ub_gm` copies to GM bytes that `pto.mte_gm_ub` left undefined");
  EXPECT_EQ(world.findings.all()[1].notes.back().place.line, 10u);
}

TEST_F(InitTest, UndefinedBytesOfSeveralLoads) {
  // One brought clobbered bytes, one bytes that no one wrote: neither is blamed.
  d.load(load, 0, 0, 256);
  d.load(load, 0, 0, 40);
  d.scope(scope);
  d.vlds(vlds, 0);
  d.vlds(vlds2, 1024);
  d.events().undefinedUse(d.running, vadd, {0}, d.defined, all);
  ASSERT_EQ(world.summary(), Lines{"init-read 4"});
  EXPECT_EQ(world.findings.all()[0].message,
            "operand 0 of `pto.vadd` holds bytes that are undefined, in an active lane");
}

TEST_F(InitTest, RowsWithShortTails) {
  d.transfer(Pipe::MTE2, load, Space::Gm, box(world.x().base, 120), Space::Ub, box(0, 40, {{3, 64}}));
  d.scope(scope);
  d.vlds(vlds, 0);
  EXPECT_EQ(d.defined[0], (1ull << 40) - 1);
  EXPECT_EQ(d.defined[2], (1ull << 40) - 1);
  EXPECT_EQ(d.defined[3], 0u);
}

TEST_F(InitTest, PaddingDefines) {
  d.transferCopied(Pipe::MTE2, load, Space::Gm, box(world.x().base, 80), Space::Ub, box(0, 64, {{2, 64}}),
                   box(0, 40, {{2, 64}}));
  d.scope(scope);
  d.vlds(vlds, 0);
  EXPECT_EQ(d.defined[0], ~0ull);
  EXPECT_EQ(d.defined[1], ~0ull);
  EXPECT_EQ(d.defined[2], 0u);
}

TEST_F(InitTest, CopiesCarryDefinednessByteByByte) {
  d.load(load, 0, 0, 40);
  d.load(load, 0, 64, 64);
  d.transfer(Pipe::V, copy, Space::Ub, box(0, 128), Space::Ub, box(1000, 32, {{4, 96}}));
  d.scope(scope);
  d.vlds(vlds, 1000, 32);
  EXPECT_EQ(d.defined[0] & 0xffffffff, 0xffffffffu);
  d.vlds(vlds, 1096, 32);
  EXPECT_EQ(d.defined[0] & 0xffffffff, 0xffu);
  d.vlds(vlds, 1192, 32);
  EXPECT_EQ(d.defined[0] & 0xffffffff, 0xffffffffu);
  d.vlds(vlds, 1100, 8);
  EXPECT_EQ(d.defined[0] & 0xff, 0x0fu);
}

TEST_F(InitTest, StoreToGmIsARemarkPerSite) {
  d.load(load, 0, 0, 128);
  d.store(store, 0, 0, 128);
  EXPECT_EQ(world.summary(), Lines());
  d.store(store, 64, 4096, 128);
  d.store(store, 0, 8192, 256);
  d.end();
  ASSERT_EQ(world.summary(), Lines{"init-store-gm 7"});
  const Finding &f = world.findings.all()[0];
  EXPECT_EQ(f.severity, Severity::Remark);
  EXPECT_EQ(f.message, "`pto.mte_ub_gm` copies to GM bytes that are undefined");
  EXPECT_EQ(f.notes[0].message, "64 of 128 bytes are undefined, the first at UB byte 0x0080");
  EXPECT_EQ(f.count, 2u);
}

TEST_F(InitTest, ScalarLoad) {
  d.storeScalar(world.site(10, "pto.store_scalar"), 100, 4);
  d.loadScalar(scalar, 100, 4);
  EXPECT_EQ(world.summary(), Lines());
  d.loadScalar(scalar, 102, 4);
  d.end();
  ASSERT_EQ(world.summary(), Lines{"init-scalar 9"});
  EXPECT_EQ(world.findings.all()[0].notes[0].message, "UB bytes 0x0066..0x0069 (4 bytes), 2 of them undefined");
}

TEST_F(InitTest, GmIsDefined) {
  d.loadScalarGm(scalar, world.x().base + 16);
  EXPECT_EQ(world.summary(), Lines());
}

TEST_F(InitTest, BlocksStartUndefined) {
  d.load(load, 0, 0, 256);
  d.end();
  Drive next(world, 1);
  next.scope(scope);
  next.vlds(vlds, 0);
  EXPECT_EQ(next.defined[0], 0u);
}

TEST(Init, SwitchedOff) {
  Checks race = Checks::none();
  race.race = true;
  World world("a5", race);
  SiteId scope = world.site(1, "pto.vecscope");
  Drive d(world);
  d.scope(scope);
  d.vlds(scope, 0);
  EXPECT_EQ(d.defined[3], ~0ull);
  d.events().undefinedUse(d.running, scope, {0}, d.defined, d.defined);
  d.loadScalar(scope, 8192);
  d.end();
  EXPECT_EQ(world.summary(), Lines());
}

} // namespace
