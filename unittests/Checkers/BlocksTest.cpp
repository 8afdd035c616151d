//===- BlocksTest.cpp - blocks that meet in global memory -----------------===//
//
// Conflicts between blocks by footprint; broken and repaired.
// Rules: LAUNCH-3, LAUNCH-4, RACE-2.
//
//===----------------------------------------------------------------------===//

#include "Drive.h"
#include "ptoscope/Checkers/BlockConflicts.h"

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

Checks raceOnly() {
  Checks checks = Checks::none();
  checks.race = true;
  return checks;
}

TEST(Blocks, EachItsOwnPart) {
  World world("a5", raceOnly());
  SiteId load = world.site(2, "pto.mte_gm_ub"), store = world.site(4, "pto.mte_ub_gm");
  for (int64_t block = 0; block < 64; ++block) {
    Drive d(world, block);
    for (uint64_t tile = 0; tile < 4; ++tile) {
      d.load(load, uint64_t(block) * 4096 + tile * 1024, tile * 1024, 1024);
      d.store(store, 65536 + tile * 1024, uint64_t(block) * 4096 + tile * 1024, 1024);
    }
  }
  EXPECT_EQ(world.summary(), Lines());
  EXPECT_EQ(world.factory->counts().blocks, 64);
}

TEST(Blocks, PartsThatOverlapByAByte) {
  World world("a5", raceOnly());
  SiteId store = world.site(4, "pto.mte_ub_gm");
  for (int64_t block = 0; block < 3; ++block) {
    Drive d(world, block);
    d.store(store, 0, uint64_t(block) * 64, 65);
  }
  ASSERT_EQ(world.summary(), Lines{"race-blocks 4->4"});
  const Finding &f = world.findings.all()[0];
  EXPECT_EQ(f.message, "`pto.mte_ub_gm` writes GM parameter `%y` bytes that `pto.mte_ub_gm` of another block "
                       "writes, and blocks have no order");
  EXPECT_EQ(f.notes[0].message, "block 1 writes GM parameter `%y` bytes 0x0040..0x0040 (1 byte)");
  EXPECT_EQ(f.notes[1].message, "block 0 writes them here");
  EXPECT_EQ(f.bytes->parameter, "%y");
  EXPECT_EQ(f.bytes->begin, 64u);
  EXPECT_EQ(f.bytes->end, 65u);
  EXPECT_EQ(f.count, 2u);
}

TEST(Blocks, ReadOfAnotherBlocksResult) {
  World world("a5", raceOnly());
  SiteId load = world.site(2, "pto.mte_gm_ub"), store = world.site(4, "pto.mte_ub_gm");
  for (int64_t block = 0; block < 5; ++block) {
    Drive d(world, block);
    d.store(store, 0, uint64_t(block) * 256, 256);
    if (block == 4)
      d.transfer(Pipe::MTE2, load, Space::Gm, box(world.y().base + 3 * 256 + 8, 16), Space::Ub, box(8192, 16));
  }
  ASSERT_EQ(world.summary(), Lines{"race-blocks 4->2"});
  EXPECT_EQ(world.findings.all()[0].notes[1].message, "block 3 writes them here");
}

TEST(Blocks, AtomicsOfManyBlocks) {
  World world("a5", raceOnly());
  SiteId add = world.site(4, "pto.mte_ub_gm");
  for (int64_t block = 0; block < 8; ++block) {
    Drive d(world, block);
    d.store(add, 0, 0, 256, atomicUpdate(4, 0));
  }
  EXPECT_EQ(world.summary(), Lines());
  Drive d(world, 8);
  d.store(world.site(6, "pto.mte_ub_gm"), 0, 255, 1);
  d.end();
  EXPECT_EQ(world.summary(), Lines{"race-blocks 4->6"});
}

// Updates of one kind commute, sums of floats up to rounding; a sum and a maximum do not.
TEST(Blocks, AtomicsOfTwoKinds) {
  struct Case {
    AccessKind first, second;
    Lines expected;
  } cases[] = {{atomicUpdate(4, 1), atomicUpdate(4, 1), {}},
               {atomicUpdate(4, 0), atomicUpdate(4, 1), {"race-blocks 4->6"}},
               {atomicUpdate(3, 0), atomicUpdate(4, 0), {"race-blocks 4->6"}},
               {atomicUpdate(1, 1), atomicUpdate(1, 1), {}},
               {atomicUpdate(1, 0), atomicUpdate(1, 0), {"order-dependent 6"}}};
  for (const Case &c : cases) {
    World world("a5", raceOnly());
    SiteId first = world.site(4, "pto.mte_ub_gm"), second = world.site(6, "pto.mte_ub_gm");
    Drive(world, 0).store(first, 0, 0, 256, c.first);
    Drive(world, 1).store(second, 0, 128, 256, c.second);
    EXPECT_EQ(world.summary(), c.expected);
    Drive(world, 2).store(second, 0, 384, 256, c.second); // beside both
    EXPECT_EQ(world.summary(), c.expected);
  }
}

TEST(Blocks, InterleavedColumnsDoNotMeet) {
  for (uint64_t width : {64u, 68u}) {
    World world("a5", raceOnly());
    SiteId store = world.site(4, "pto.mte_ub_gm");
    for (int64_t block = 0; block < 8; ++block) {
      Drive d(world, block);
      d.transfer(Pipe::MTE3, store, Space::Ub, box(0, width * 100), Space::Gm,
                 box(world.y().base + uint64_t(block) * 64, width, {{100, 512}}));
    }
    EXPECT_EQ(world.summary(), width == 64 ? Lines() : Lines{"race-blocks 4->4"});
  }
}

TEST(Blocks, CompactFootprint) {
  World world;
  auto entry = [&](Box item, uint64_t count, int64_t stride) {
    GmEntry e;
    e.boxes.item = item;
    e.boxes.count = count;
    e.boxes.stride = stride;
    e.object = &world.x();
    e.site = 0;
    e.kind = AccessKind::Write;
    return e;
  };
  // A 4 x 3 grid of tiles, rows of 512 bytes, tiles of 128 bytes x 8 rows.
  std::vector<GmEntry> grid;
  for (uint64_t row = 0; row < 3; ++row)
    grid.push_back(entry(box(row * 8 * 512, 128, {{8, 512}}), 4, 128));
  auto parts = compactFootprint(grid, SiteTable());
  ASSERT_EQ(parts.size(), 1u);
  ASSERT_EQ(parts[0].boxes.size(), 1u);
  EXPECT_EQ(parts[0].boxes[0].lowest(), 0u);
  EXPECT_EQ(parts[0].boxes[0].end(), 24u * 512);
  EXPECT_EQ(parts[0].boxes[0].bytes(), 24u * 512);

  std::vector<GmEntry> loose = {entry(box(100, 10), 1, 0), entry(box(0, 50), 1, 0), entry(box(50, 50), 1, 0),
                                entry(box(300, 10), 1, 0), entry(box(300, 10), 1, 0)};
  parts = compactFootprint(loose, SiteTable());
  ASSERT_EQ(parts[0].boxes.size(), 2u);
  EXPECT_EQ(parts[0].boxes[0].rowBytes, 110u);
  EXPECT_EQ(parts[0].boxes[1].base, 300u);
}

TEST(Blocks, ManyBlocksStaySmall) {
  World world;
  BlockConflicts conflicts(world.sites);
  FindingList findings;
  for (int64_t block = 0; block < 10000; ++block) {
    GmEntry e;
    e.boxes.item = box(world.x().base + uint64_t(block) * 64, 64);
    e.object = &world.x();
    e.site = 0;
    e.kind = AccessKind::Write;
    conflicts.add(block, {e}, findings);
  }
  EXPECT_EQ(conflicts.entryCount(), 1u);
  EXPECT_TRUE(findings.empty());
}

} // namespace
