//===- RaceTest.cpp - races between pipes ---------------------------------===//
//
// Every case twice: broken with the exact report, repaired with silence. The
// first group is SYNCEX-1 to SYNCEX-8, as far as they concern one core.
// Rules: RACE-1, RACE-2, RACE-3, RACE-4, HB2, HB5, HB6, HB7, HB8, BUF-2, BUF-4, BUF-5, DMA-32,
// DMA-34, ROW-5, SYNCEX-1, SYNCEX-2, SYNCEX-3, SYNCEX-4, SYNCEX-5, SYNCEX-8.
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

/// load -> vector -> store; either flag may be missing.
void loadComputeStore(World &world, bool inFlag, bool outFlag) {
  SiteId load = world.site(2, "pto.mte_gm_ub"), scope = world.site(5, "pto.vecscope");
  SiteId vlds = world.site(6, "pto.vlds", kNoSite, scope), vsts = world.site(8, "pto.vsts", kNoSite, scope);
  SiteId store = world.site(12, "pto.mte_ub_gm");
  world.sites[scope].next.line = 10; // behind the whole scope
  Drive d(world);
  d.load(load, 0, 0, 1024);
  if (inFlag)
    d.flag(Pipe::MTE2, Pipe::V, 0);
  d.scope(scope);
  for (uint64_t at = 0; at < 1024; at += 256)
    d.vsts(vsts, 4096 + at, {d.vlds(vlds, at)});
  d.endScope();
  if (outFlag)
    d.flag(Pipe::V, Pipe::MTE3, 0);
  d.store(store, 4096, 0, 1024);
}

TEST(Race, Kernel1FlagsOnBothSides) {
  World world("a5", raceOnly());
  loadComputeStore(world, true, true);
  EXPECT_EQ(world.summary(), Lines());
  EXPECT_EQ(world.factory->counts().flags, 4u);
  EXPECT_EQ(world.factory->counts().blocks, 1);
  EXPECT_EQ(world.factory->counts().instructions, 7u);
  EXPECT_EQ(world.factory->counts().accesses, 12u);
  EXPECT_EQ(world.factory->counts().bytes, 4u * 1024 + 8 * 256);
}

TEST(Race, Kernel1WithoutTheInputFlag) {
  World world("a5", raceOnly());
  loadComputeStore(world, false, true);
  ASSERT_EQ(world.summary(), Lines{"race-raw 2->6"});
  const Finding &f = world.findings.all()[0];
  EXPECT_EQ(f.message, "`pto.vlds` on PIPE_V reads UB bytes that `pto.mte_gm_ub` on PIPE_MTE2 may still be writing");
  EXPECT_EQ(f.count, 4u);
  ASSERT_TRUE(f.bytes);
  EXPECT_EQ(f.bytes->space, "ub");
  EXPECT_EQ(f.bytes->begin, 0u);
  EXPECT_EQ(f.bytes->end, 256u);
  ASSERT_EQ(f.notes.size(), 3u);
  EXPECT_EQ(f.notes[0].message, "UB bytes 0x0000..0x00ff (256 bytes)");
  EXPECT_EQ(f.notes[1].place.line, 5u);
  EXPECT_EQ(f.notes[1].message, "the later read belongs to the vector scope that starts here");
  EXPECT_EQ(f.notes[2].place.line, 2u);
  EXPECT_EQ(f.notes[2].message,
            "the write is issued here on PIPE_MTE2; PIPE_V may start before the transfer of PIPE_MTE2 has ended");
  EXPECT_EQ(f.remedies.at(0).help, "add `pto.set_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID0\"]` before k.pto:3 and "
                                   "`pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID0\"]` before k.pto:5 "
                                   "(EVENT_ID0 is free for this pair)");
  ASSERT_EQ(f.remedies.at(0).edits.size(), 2u);
  EXPECT_EQ(f.remedies.at(0).edits[0].place.line, 3u);
  EXPECT_FALSE(f.remedies.at(0).edits[0].after);
  EXPECT_EQ(f.remedies.at(0).edits[0].insertText, "pto.set_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID0\"]");
  EXPECT_EQ(f.remedies.at(0).edits[1].place.line, 5u);
  EXPECT_FALSE(f.remedies.at(0).edits[1].after);
  EXPECT_EQ(f.remedies.at(0).edits[1].insertText, "pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID0\"]");
}

TEST(Race, Kernel1WithoutTheOutputFlag) {
  World world("a5", raceOnly());
  loadComputeStore(world, true, false);
  ASSERT_EQ(world.summary(), Lines{"race-raw 8->12"});
  const Finding &f = world.findings.all()[0];
  // One range over all stores of the scope, the set behind the scope and the wait
  // before the transfer: nothing may be inserted inside the scope.
  EXPECT_EQ(f.bytes->begin, 4096u);
  EXPECT_EQ(f.bytes->end, 5120u);
  EXPECT_EQ(f.notes[1].message, "the write is issued here on PIPE_V; PIPE_MTE3 may start before the vector scope of "
                                "PIPE_V has ended");
  ASSERT_EQ(f.remedies.at(0).edits.size(), 2u);
  EXPECT_EQ(f.remedies.at(0).edits[0].place.line, 10u);
  EXPECT_FALSE(f.remedies.at(0).edits[0].after);
  EXPECT_EQ(f.remedies.at(0).edits[1].insertText, "pto.wait_flag[\"PIPE_V\", \"PIPE_MTE3\", \"EVENT_ID0\"]");
  EXPECT_EQ(f.remedies.at(0).edits[1].place.line, 12u);
}

TEST(Race, Kernel2WaitIssuedBeforeTheSet) {
  // V's wait stands before the set in the program and executes after it.
  World world("a5", raceOnly());
  SiteId load = world.site(2, "pto.mte_gm_ub"), scope = world.site(5, "pto.vecscope");
  Drive d(world);
  int64_t none = 0;
  Instr wait{CoreId{1}, Pipe::V, 1, kNoSite, &none, 0}, run{CoreId{1}, Pipe::V, 2, scope, &none, 0};
  d.events().issue(wait);
  d.events().issue(run);
  d.load(load, 0, 0, 256);
  d.set(Pipe::MTE2, Pipe::V, 3);
  d.events().waitFlag(wait, Pipe::MTE2, Pipe::V, 3, 1);
  d.events().scopeBegin(run);
  d.running = run;
  d.vlds(scope, 0);
  d.end();
  EXPECT_EQ(world.summary(), Lines());
}

/// Two buffers in turn (SYNCEX-3). `reverse` are the flags that free buffers.
void pingPong(World &world, int64_t n, bool reverse) {
  SiteId loop = world.site(1, "scf.for");
  SiteId load = world.site(2, "pto.mte_gm_ub", loop), scope = world.site(5, "pto.vecscope", loop);
  SiteId vlds = world.site(6, "pto.vlds", kNoSite, scope), vsts = world.site(8, "pto.vsts", kNoSite, scope);
  SiteId store = world.site(12, "pto.mte_ub_gm", loop);
  Drive d(world);
  for (int64_t id = 0; reverse && id < 2; ++id) {
    d.set(Pipe::V, Pipe::MTE2, id);
    d.set(Pipe::MTE3, Pipe::V, id);
  }
  for (int64_t i = 0; i < n; ++i) {
    d.iterations = {i};
    int64_t pp = i % 2;
    uint64_t in = uint64_t(pp) * 1024, out = 8192 + uint64_t(pp) * 1024;
    if (reverse)
      d.wait(Pipe::V, Pipe::MTE2, pp);
    d.load(load, uint64_t(i) * 256, in, 256);
    d.set(Pipe::MTE2, Pipe::V, pp);
    d.wait(Pipe::MTE2, Pipe::V, pp);
    if (reverse)
      d.wait(Pipe::MTE3, Pipe::V, pp);
    d.scope(scope);
    d.vsts(vsts, out, {d.vlds(vlds, in)});
    d.endScope();
    if (reverse)
      d.set(Pipe::V, Pipe::MTE2, pp);
    d.flag(Pipe::V, Pipe::MTE3, pp);
    d.store(store, out, uint64_t(i) * 256, 256);
    if (reverse)
      d.set(Pipe::MTE3, Pipe::V, pp);
  }
}

TEST(Race, Kernel3PingPong) {
  for (int64_t n : {1, 2, 5, 50}) {
    World world("a5", raceOnly());
    pingPong(world, n, true);
    EXPECT_EQ(world.summary(), Lines()) << n;
  }
}

TEST(Race, Kernel3PingPongWithoutReverseFlags) {
  World few("a5", raceOnly());
  pingPong(few, 2, false);
  EXPECT_EQ(few.summary(), Lines()); // no buffer is used twice

  World world("a5", raceOnly());
  pingPong(world, 5, false);
  // Refilling the input buffer: MTE2 has no order with its own older transfer
  // either, but V's read came between, so that is the access to name.
  EXPECT_EQ(world.summary(), (Lines{"race-war 6->2", "race-war 12->8"}));
  const Finding &f = world.findings.all()[0];
  EXPECT_EQ(f.iterations, std::vector<int64_t>{2});
  EXPECT_EQ(f.notes[0].message, "UB bytes 0x0000..0x00ff (256 bytes), iteration 2 of the loop at k.pto:1");
  EXPECT_NE(f.notes[1].message.find("the read is issued here on PIPE_V, iteration 0 of the loop at k.pto:1"),
            std::string::npos);
  EXPECT_EQ(f.count, 3u);
  // Loop-carried: a wait alone would hang in the first iteration, so both
  // lines go before the refill.
  EXPECT_EQ(f.remedies.at(0).help,
            "before k.pto:2 add `pto.set_flag[\"PIPE_V\", \"PIPE_MTE2\", \"EVENT_ID0\"]` and then "
            "`pto.wait_flag[\"PIPE_V\", \"PIPE_MTE2\", \"EVENT_ID0\"]` (EVENT_ID0 is free for this pair)");
}

/// The same loop with buffer ids; `mode` of all brackets, and which release of
/// V is left out.
void bufferLoop(World &world, int64_t n, int64_t mode, bool releaseInput) {
  SiteId load = world.site(2, "pto.mte_gm_ub"), scope = world.site(5, "pto.vecscope");
  SiteId vlds = world.site(6, "pto.vlds", kNoSite, scope), vsts = world.site(8, "pto.vsts", kNoSite, scope);
  SiteId store = world.site(12, "pto.mte_ub_gm");
  Drive d(world);
  for (int64_t i = 0; i < n; ++i) {
    int64_t pp = i % 2;
    uint64_t in = uint64_t(pp) * 1024, out = 8192 + uint64_t(pp) * 1024;
    d.get(Pipe::MTE2, pp, mode);
    d.load(load, uint64_t(i) * 256, in, 256);
    d.rls(Pipe::MTE2, pp, mode);
    d.get(Pipe::V, pp, mode);
    d.get(Pipe::V, 4 + pp, mode);
    d.scope(scope);
    d.vsts(vsts, out, {d.vlds(vlds, in)});
    d.endScope();
    if (releaseInput)
      d.rls(Pipe::V, pp, mode);
    d.rls(Pipe::V, 4 + pp, mode);
    d.get(Pipe::MTE3, 4 + pp, mode);
    d.store(store, out, uint64_t(i) * 256, 256);
    d.rls(Pipe::MTE3, 4 + pp, mode);
  }
}

TEST(Race, Kernel4BufferIds) {
  for (int64_t n : {1, 2, 5, 20000}) {
    World world("a5", raceOnly());
    bufferLoop(world, n, 0, true);
    EXPECT_EQ(world.summary(), Lines()) << n;
  }
}

TEST(Race, Kernel4WithoutTheReleaseOfV) {
  World world("a5", raceOnly());
  bufferLoop(world, 5, 0, false);
  EXPECT_EQ(world.summary(), Lines{"race-war 6->2"});
}

TEST(Race, LegacyGetDoesNotWait) {
  World world("a5", raceOnly());
  bufferLoop(world, 1, 1, true);
  EXPECT_EQ(world.summary(), (Lines{"race-raw 2->6", "race-raw 8->12"}));
}

TEST(Race, LegacyReleaseCoversEveryPipeThatGotTheId) {
  for (bool vGotIt : {true, false}) {
    World world("a5", raceOnly());
    SiteId first = world.site(2, "pto.mte_gm_ub"), copy = world.site(4, "pto.mte_ub_ub"),
           second = world.site(9, "pto.mte_gm_ub");
    Drive d(world);
    if (vGotIt)
      d.get(Pipe::V, 3, 1);
    d.get(Pipe::MTE2, 3, 1);
    d.load(first, 0, 4096, 256);
    d.transfer(Pipe::V, copy, Space::Ub, box(0, 256), Space::Ub, box(8192, 256));
    d.rls(Pipe::MTE2, 3, 1); // of MTE2, but it covers V's copy if V got the id
    d.get(Pipe::MTE3, 3, 0);
    d.transfer(Pipe::MTE3, second, Space::Ub, box(8192, 256), Space::Gm, box(world.y().base, 256));
    d.end();
    EXPECT_EQ(world.summary(), vGotIt ? Lines() : Lines{"race-raw 4->9"});
  }
}

TEST(Race, LegacyReleaseStopsAtWhatWasIssued) {
  World world("a5", raceOnly());
  SiteId early = world.site(2, "pto.mte_ub_ub"), late = world.site(4, "pto.mte_ub_ub"),
         store = world.site(9, "pto.mte_ub_gm");
  Drive d(world);
  d.get(Pipe::V, 3, 1);
  d.transfer(Pipe::V, early, Space::Ub, box(0, 256), Space::Ub, box(4096, 256));
  int64_t none = 0;
  // The release is issued before the second copy and executes after it.
  Instr release{CoreId{1}, Pipe::MTE2, 1, kNoSite, &none, 0};
  d.events().issue(release);
  d.transfer(Pipe::V, late, Space::Ub, box(0, 256), Space::Ub, box(8192, 256));
  d.events().rlsBuf(release, 3, 1, 1);
  Instr get{CoreId{1}, Pipe::MTE3, 1, kNoSite, &none, 0};
  d.events().getBuf(get, 3, 0, 1);
  Instr out{CoreId{1}, Pipe::MTE3, 2, store, &none, 0};
  TransferEvent event{Space::Ub, Space::Gm,  box(4096, 256),   box(world.y().base, 256), box(world.y().base, 256),
                      nullptr,   &world.y(), AccessKind::Write};
  d.events().transfer(out, event);
  EXPECT_EQ(world.summary(), Lines());
  event.src = box(8192, 256);
  event.dst = event.copied = box(world.y().base + 4096, 256);
  out.ordinal = 3;
  d.events().transfer(out, event);
  d.end();
  EXPECT_EQ(world.summary(), Lines{"race-raw 4->9"});
}

TEST(Race, GetJoinsExactlyTheReleasesIssuedBeforeIt) {
  for (uint64_t before : {0u, 1u, 2u}) {
    World world("a5", raceOnly());
    SiteId a = world.site(2, "pto.mte_gm_ub"), b = world.site(3, "pto.mte_gm_ub"),
           store = world.site(9, "pto.mte_ub_gm");
    Drive d(world);
    // Issued after `before` of the releases, executed after both.
    Instr get{};
    auto issueGet = [&](uint64_t releases) {
      if (releases == before)
        get = d.issue(Pipe::MTE3, kNoSite);
    };
    issueGet(0);
    d.load(a, 0, 0, 256);
    d.rls(Pipe::MTE2, 7);
    issueGet(1);
    d.load(b, 4096, 4096, 256);
    d.rls(Pipe::MTE2, 7);
    issueGet(2);
    d.events().start(get);
    d.events().getBuf(get, 7, 0, before);
    d.store(store, 0, 0, 256);
    d.store(store, 4096, 4096, 256);
    d.end();
    Lines expected;
    if (before < 1)
      expected.push_back("race-raw 2->9");
    if (before < 2)
      expected.push_back("race-raw 3->9");
    EXPECT_EQ(world.summary(), expected) << before;
  }
}

TEST(Race, Kernel5TwoStoresToOneAddress) {
  for (bool fixed : {false, true}) {
    World world("a5", raceOnly());
    SiteId first = world.site(3, "pto.mte_ub_gm"), second = world.site(7, "pto.mte_ub_gm");
    Drive d(world);
    d.store(first, 0, 0x100, 256);
    if (fixed)
      d.barrier(Pipe::MTE3);
    d.store(second, 1024, 0x140, 192);
    d.end();
    if (fixed) {
      EXPECT_EQ(world.summary(), Lines());
      continue;
    }
    ASSERT_EQ(world.summary(), Lines{"race-waw 3->7"});
    const Finding &f = world.findings.all()[0];
    EXPECT_EQ(f.message, "`pto.mte_ub_gm` on PIPE_MTE3 writes GM parameter `%y` bytes that `pto.mte_ub_gm` on "
                         "PIPE_MTE3 may still be writing");
    EXPECT_EQ(f.bytes->parameter, "%y");
    EXPECT_EQ(f.bytes->begin, 0x140u);
    EXPECT_EQ(f.bytes->end, 0x200u);
    EXPECT_EQ(f.notes[0].message, "GM parameter `%y` bytes 0x0140..0x01ff (192 bytes)");
    EXPECT_EQ(f.remedies.at(0).help, "add `pto.pipe_barrier \"PIPE_MTE3\"` before k.pto:7");
    ASSERT_EQ(f.remedies.at(0).edits.size(), 1u);
    EXPECT_EQ(f.remedies.at(0).edits[0].insertText, "pto.pipe_barrier \"PIPE_MTE3\"");
  }
}

TEST(Race, Kernel8PipeAllOrdersTheScalarUnit) {
  for (bool fixed : {false, true}) {
    World world("a5", raceOnly());
    SiteId load = world.site(2, "pto.mte_gm_ub"), scalar = world.site(4, "pto.load_scalar");
    Drive d(world);
    d.load(load, 0, 0, 64);
    if (fixed)
      d.barrier(Pipe::All);
    d.loadScalar(scalar, 60);
    d.end();
    EXPECT_EQ(world.summary(), fixed ? Lines() : Lines{"race-raw 2->4"});
    if (!fixed) {
      EXPECT_EQ(world.findings.all()[0].bytes->begin, 60u);
      EXPECT_EQ(world.findings.all()[0].bytes->end, 64u);
      EXPECT_EQ(world.findings.all()[0].remedies.at(0).edits[1].insertText,
                "pto.wait_flag[\"PIPE_MTE2\", \"PIPE_S\", \"EVENT_ID0\"]");
    }
  }
}

TEST(Race, ScalarStoreNeedsAFlagToTheTransfer) {
  for (bool fixed : {false, true}) {
    World world("a5", raceOnly());
    SiteId scalar = world.site(2, "pto.store_scalar"), store = world.site(4, "pto.mte_ub_gm");
    Drive d(world);
    d.storeScalar(scalar, 8);
    if (fixed)
      d.flag(Pipe::S, Pipe::MTE3, 0);
    d.store(store, 0, 0, 32);
    d.end();
    EXPECT_EQ(world.summary(), fixed ? Lines() : Lines{"race-raw 2->4"});
  }
}

TEST(Race, ASetIsNoBarrierOfItsOwnPipe) {
  World world("a5", raceOnly());
  SiteId first = world.site(2, "pto.mte_gm_ub"), second = world.site(4, "pto.mte_gm_ub");
  Drive d(world);
  d.load(first, 0, 0, 256);
  d.flag(Pipe::MTE2, Pipe::V, 0);
  d.load(second, 4096, 0, 256);
  EXPECT_EQ(world.summary(), Lines{"race-waw 2->4"});
  // What comes back by another pipe does order them.
  World back("a5", raceOnly());
  SiteId a = back.site(2, "pto.mte_gm_ub"), b = back.site(4, "pto.mte_gm_ub");
  Drive e(back);
  e.load(a, 0, 0, 256);
  e.flag(Pipe::MTE2, Pipe::V, 0);
  e.flag(Pipe::V, Pipe::MTE2, 0);
  e.load(b, 4096, 0, 256);
  EXPECT_EQ(back.summary(), Lines());
}

TEST(Race, VectorPipeIsInOrderOnA5Only) {
  for (const char *profile : {"a5", "a3"}) {
    for (bool barrier : {false, true}) {
      World world(profile, raceOnly());
      SiteId first = world.site(2, "pto.mte_ub_ub"), second = world.site(4, "pto.mte_ub_ub");
      Drive d(world);
      d.transfer(Pipe::V, first, Space::Ub, box(0, 64), Space::Ub, box(1024, 64));
      if (barrier)
        d.barrier(Pipe::V);
      d.transfer(Pipe::V, second, Space::Ub, box(1024, 64), Space::Ub, box(2048, 64));
      d.end();
      bool racy = std::string(profile) == "a3" && !barrier;
      EXPECT_EQ(world.summary(), racy ? Lines{"race-raw 2->4"} : Lines()) << profile << barrier;
    }
  }
}

TEST(Race, PartsOfAGranuleKeepTheirOwnWriters) {
  World world("a5", raceOnly());
  SiteId low = world.site(2, "pto.mte_gm_ub"), high = world.site(3, "pto.mte_gm_ub"),
         read = world.site(6, "pto.mte_ub_gm");
  Drive d(world);
  d.load(low, 0, 0, 10);
  d.flag(Pipe::MTE2, Pipe::MTE3, 0); // covers the first load only
  d.load(high, 64, 10, 22);
  d.store(read, 0, 0, 10);
  EXPECT_EQ(world.summary(), Lines());
  d.store(read, 9, 4096, 2);
  d.end();
  ASSERT_EQ(world.summary(), Lines{"race-raw 3->6"});
  EXPECT_EQ(world.findings.all()[0].bytes->begin, 10u);
  EXPECT_EQ(world.findings.all()[0].bytes->end, 11u);
}

TEST(Race, PartsOfAGranuleKeepTheirOwnReaders) {
  World world("a5", raceOnly());
  SiteId low = world.site(2, "pto.mte_ub_gm"), high = world.site(3, "pto.mte_ub_gm"),
         write = world.site(6, "pto.mte_gm_ub");
  Drive d(world);
  d.store(low, 0, 0, 16);
  d.flag(Pipe::MTE3, Pipe::MTE2, 0);
  d.store(high, 16, 64, 16);
  d.load(write, 0, 0, 16);
  EXPECT_EQ(world.summary(), Lines());
  d.load(write, 4096, 15, 3);
  d.end();
  EXPECT_EQ(world.summary(), (Lines{"race-waw 6->6", "race-war 3->6"}));
}

TEST(Race, StridedTransfersThatInterleaveDoNotMeet) {
  for (uint64_t shift : {64u, 60u}) {
    World world("a5", raceOnly());
    SiteId first = world.site(2, "pto.mte_gm_ub"), second = world.site(4, "pto.mte_gm_ub");
    Drive d(world);
    uint64_t gm = world.x().base;
    d.transfer(Pipe::MTE2, first, Space::Gm, box(gm, 512), Space::Ub, box(0, 64, {{8, 128}}));
    d.transfer(Pipe::MTE2, second, Space::Gm, box(gm + 512, 512), Space::Ub, box(shift, 64, {{8, 128}}));
    d.end();
    if (shift == 64) {
      EXPECT_EQ(world.summary(), Lines());
      continue;
    }
    ASSERT_EQ(world.summary(), Lines{"race-waw 2->4"});
    EXPECT_EQ(world.findings.all()[0].bytes->begin, 60u);
    EXPECT_EQ(world.findings.all()[0].bytes->end, 64u);
  }
}

TEST(Race, StridedStoresToGmByTheByte) {
  for (uint64_t shift : {64u, 63u}) {
    World world("a5", raceOnly());
    SiteId first = world.site(2, "pto.mte_ub_gm"), second = world.site(4, "pto.mte_ub_gm");
    Drive d(world);
    uint64_t gm = world.y().base;
    d.transfer(Pipe::MTE3, first, Space::Ub, box(0, 512), Space::Gm, box(gm, 64, {{8, 128}}));
    d.transfer(Pipe::MTE3, second, Space::Ub, box(512, 512), Space::Gm, box(gm + shift, 64, {{8, 128}}));
    d.end();
    EXPECT_EQ(world.summary(), shift == 64 ? Lines() : Lines{"race-waw 2->4"});
    if (shift == 63) {
      const ByteRange &bytes = *world.findings.all()[0].bytes;
      EXPECT_EQ(bytes.end - bytes.begin, 1u);
      EXPECT_EQ(bytes.begin % 128, 63u);
    }
  }
}

TEST(Race, PaddingIsPartOfTheWrite) {
  for (bool padded : {false, true}) {
    World world("a5", raceOnly());
    SiteId load = world.site(2, "pto.mte_gm_ub"), store = world.site(4, "pto.mte_ub_gm");
    Drive d(world);
    d.transferCopied(Pipe::MTE2, load, Space::Gm, box(world.x().base, 40), Space::Ub, box(0, padded ? 64 : 40),
                     box(0, 40));
    d.store(store, 40, 0, 24);
    d.end();
    EXPECT_EQ(world.summary(), padded ? Lines{"race-raw 2->4"} : Lines());
  }
}

TEST(Race, MaskedStoreTouchesItsActiveBytesOnly) {
  World world("a5", raceOnly());
  SiteId scope = world.site(2, "pto.vecscope"), vsts = world.site(3, "pto.vsts", kNoSite, scope),
         store = world.site(6, "pto.mte_ub_gm");
  Drive d(world);
  uint64_t active[4] = {0xff, 0, 0, 0};
  d.scope(scope);
  d.vsts(vsts, 64, {}, 256, active);
  d.endScope();
  d.store(store, 72, 0, 32);
  EXPECT_EQ(world.summary(), Lines());
  d.store(store, 71, 512, 2);
  d.end();
  ASSERT_EQ(world.summary(), Lines{"race-raw 3->6"});
  EXPECT_EQ(world.findings.all()[0].bytes->begin, 71u);
  EXPECT_EQ(world.findings.all()[0].bytes->end, 72u);
}

TEST(Race, AtomicsDoNotRaceWithEachOther) {
  World world("a5", raceOnly());
  SiteId add = world.site(2, "pto.mte_ub_gm"), store = world.site(4, "pto.mte_ub_gm");
  Drive d(world);
  d.store(add, 0, 0, 64, atomicUpdate(4, 0));
  d.store(add, 64, 0, 64, atomicUpdate(4, 0));
  EXPECT_EQ(world.summary(), Lines());
  d.store(store, 128, 32, 4);
  d.end();
  EXPECT_EQ(world.summary(), Lines{"race-waw 2->4"});
}

TEST(Race, AtomicsOfTwoKindsNeedAnOrder) {
  for (bool fixed : {false, true}) {
    World world("a5", raceOnly());
    SiteId add = world.site(2, "pto.mte_ub_gm"), most = world.site(4, "pto.mte_ub_gm");
    Drive d(world);
    d.store(add, 0, 0, 64, atomicUpdate(4, 0));
    if (fixed)
      d.barrier(Pipe::MTE3);
    d.store(most, 64, 32, 64, atomicUpdate(4, 1));
    d.end();
    EXPECT_EQ(world.summary(), fixed ? Lines() : Lines{"race-waw 2->4"});
  }
}

TEST(Race, FloatSumsDependOnTheirOrder) {
  for (bool fixed : {false, true}) {
    World world("a5", raceOnly());
    SiteId first = world.site(2, "pto.mte_ub_gm"), second = world.site(4, "pto.mte_ub_gm");
    Drive d(world);
    d.store(first, 0, 0, 64, atomicUpdate(1, 0));
    if (fixed)
      d.barrier(Pipe::MTE3);
    d.store(second, 64, 32, 64, atomicUpdate(1, 0));
    d.end();
    EXPECT_EQ(world.summary(), fixed ? Lines() : Lines{"order-dependent 4"});
  }
}

TEST(Race, GmRoundTripNeedsAFlag) {
  for (bool fixed : {false, true}) {
    World world("a5", raceOnly());
    SiteId store = world.site(2, "pto.mte_ub_gm"), load = world.site(4, "pto.mte_gm_ub");
    Drive d(world);
    d.store(store, 0, 128, 256);
    if (fixed)
      d.flag(Pipe::MTE3, Pipe::MTE2, 0);
    d.transfer(Pipe::MTE2, load, Space::Gm, box(world.y().base + 256, 64), Space::Ub, box(1024, 64));
    d.end();
    EXPECT_EQ(world.summary(), fixed ? Lines() : Lines{"race-raw 2->4"});
  }
}

TEST(Race, TransfersThatStartOutOfOrderAreReportedInProgramOrder) {
  World world("a5", raceOnly());
  SiteId first = world.site(2, "pto.mte_gm_ub"), second = world.site(4, "pto.mte_ub_ub");
  Drive d(world);
  int64_t none = 0;
  auto event = [&](Box src, Box dst) {
    return TransferEvent{Space::Gm, Space::Ub, src, dst, dst, &world.x(), nullptr, AccessKind::Write};
  };
  uint64_t gm = world.x().base;
  d.events().transfer({CoreId{1}, Pipe::MTE2, 2, second, &none, 0}, event(box(gm, 64), box(0, 64)));
  d.events().transfer({CoreId{1}, Pipe::MTE2, 1, first, &none, 0}, event(box(gm + 64, 64), box(32, 64)));
  d.end();
  EXPECT_EQ(world.summary(), Lines{"race-waw 2->4"});
}

TEST(Race, AllEventIdsInUse) {
  World world("a5", raceOnly());
  SiteId load = world.site(2, "pto.mte_gm_ub"), store = world.site(4, "pto.mte_ub_gm");
  Drive d(world);
  for (int64_t id = 0; id < kEventIds; ++id)
    d.flag(Pipe::MTE2, Pipe::MTE3, id);
  d.load(load, 0, 0, 64);
  d.store(store, 0, 0, 64);
  d.end();
  ASSERT_EQ(world.summary(), Lines{"race-raw 2->4"});
  EXPECT_EQ(world.findings.all()[0].remedies.at(0).edits[0].insertText, "pto.get_buf \"PIPE_MTE2\", 0, 0");
}

TEST(Race, RepeatsAreCountedNotListed) {
  World world("a5", raceOnly());
  SiteId load = world.site(2, "pto.mte_gm_ub"), store = world.site(4, "pto.mte_ub_gm");
  Drive d(world);
  for (uint64_t i = 0; i < 1000; ++i) {
    d.load(load, i * 64, (i % 64) * 64, 64);
    d.store(store, (i % 64) * 64, i * 64, 64);
    d.barrier(Pipe::All);
  }
  d.end();
  ASSERT_EQ(world.summary(), Lines{"race-raw 2->4"});
  EXPECT_EQ(world.findings.all()[0].count, 1000u);
}

TEST(Race, SwitchedOff) {
  World world("a5", Checks::none());
  loadComputeStore(world, false, false);
  EXPECT_EQ(world.summary(), Lines());
}

} // namespace
