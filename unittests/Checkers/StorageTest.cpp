//===- StorageTest.cpp - tiles that lose bytes to others ------------------===//
//
// PLAN-7, PLAN-9: each program broken and repaired, and random ones against a
// model that remembers, for each byte, every storage that has written it.
//
//===----------------------------------------------------------------------===//

#include "Drive.h"

#include <algorithm>
#include <random>

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

struct StorageTest : ::testing::Test {
  World world{"a5", {.race = false, .init = false, .sync = false}};
  Drive drive{world};
  uint32_t count = 0;

  uint32_t tile(uint32_t line, uint64_t begin, uint64_t bytes, uint32_t elementBits = 32) {
    Storage storage{Space::Ub, world.site(line, "pto.alloc_tile"), begin, begin + bytes, elementBits};
    drive.events().storage(drive.core, ++count, storage);
    return count;
  }
  DirectRegion region(DirectRole role, uint32_t tile, Box bytes) {
    return {Space::Ub, role, 0, std::move(bytes), nullptr, tile};
  }
  void run(uint32_t line, std::vector<DirectRegion> regions) {
    DirectInstruction instruction{Pipe::V};
    drive.events().direct(drive.instr(Pipe::V, world.site(line, "pto.tadd")), {regions, instruction});
  }
  void write(uint32_t line, uint32_t tile, Box bytes) {
    run(line, {region(DirectRole::Write, tile, std::move(bytes))});
  }
  void read(uint32_t line, uint32_t tile, Box bytes) { run(line, {region(DirectRole::Read, tile, std::move(bytes))}); }
  /// "error 3 5 7": written, overwritten and read in these lines.
  std::vector<std::string> found() {
    std::vector<std::string> result;
    for (const Finding &f : world.findings.all()) {
      EXPECT_EQ(f.code, "tile-clobbered");
      EXPECT_EQ(f.notes.size(), 3u);
      result.push_back(std::string(toString(f.severity)) + " " + std::to_string(f.notes[1].place.line) + " " +
                       std::to_string(f.notes[2].place.line) + " " + std::to_string(f.place.line));
    }
    return result;
  }
};
using Found = std::vector<std::string>;

TEST_F(StorageTest, ReadAfterItWasOverwritten) {
  uint32_t a = tile(1, 0, 256), b = tile(2, 128, 256);
  write(3, a, box(0, 256));
  write(4, b, box(128, 256));
  read(5, a, box(0, 256));
  EXPECT_EQ(found(), Found{"error 3 4 5"});
  EXPECT_EQ(
      world.findings.all()[0].message,
      "`pto.tadd` reads UB bytes of a tile that `pto.tadd` has overwritten: it wrote another tile at the same place");
  EXPECT_EQ(world.findings.all()[0].bytes->begin, 128u);
  EXPECT_EQ(world.findings.all()[0].bytes->end, 256u);
}

TEST_F(StorageTest, Apart) {
  uint32_t a = tile(1, 0, 256), b = tile(2, 256, 256);
  write(3, a, box(0, 256));
  write(4, b, box(256, 256));
  read(5, a, box(0, 256));
  EXPECT_EQ(found(), Found{});
}

TEST_F(StorageTest, OverlapIsLegalUntilItHurts) { // PLAN-7
  uint32_t a = tile(1, 0, 256), b = tile(2, 128, 256);
  write(3, a, box(0, 256));
  write(4, b, box(128, 256));
  read(5, a, box(0, 128)); // what is left of it
  read(6, b, box(128, 256));
  write(7, a, box(0, 256)); // takes them back
  read(8, a, box(0, 256));
  EXPECT_EQ(found(), Found{});
  read(9, b, box(128, 256));
  EXPECT_EQ(found(), Found{"error 4 7 9"});
}

TEST_F(StorageTest, NeverWrittenIsNotLost) {
  uint32_t a = tile(1, 0, 256), b = tile(2, 0, 512);
  write(3, b, box(0, 512));
  read(4, a, box(0, 256)); // a reading of what b wrote
  EXPECT_EQ(found(), Found{});
}

TEST_F(StorageTest, ReinterpretationIsAWarning) {
  uint32_t column = tile(1, 0, 64), row = tile(2, 0, 64), bytes = tile(3, 0, 64, 8);
  write(4, column, box(0, 64));
  write(5, row, box(0, 64));
  read(6, column, box(0, 64));
  EXPECT_EQ(found(), Found{"warning 4 5 6"});
  write(7, column, box(0, 64));
  write(8, bytes, box(0, 64));
  read(9, column, box(0, 64));
  EXPECT_EQ(found(), (Found{"warning 4 5 6", "error 7 8 9"}));
}

TEST_F(StorageTest, FirstWhoOverwroteIsNamed) {
  uint32_t a = tile(1, 0, 64), b = tile(2, 32, 64), c = tile(3, 0, 128);
  write(4, a, box(0, 64));
  write(5, b, box(32, 64));
  write(6, c, box(32, 96));
  read(7, a, box(0, 64));
  EXPECT_EQ(found(), Found{"error 4 5 7"});
}

TEST_F(StorageTest, AnInstructionMayOverwriteWhatItReads) {
  uint32_t a = tile(1, 0, 64), b = tile(2, 0, 128);
  write(3, a, box(0, 64));
  run(4, {region(DirectRole::Write, b, box(0, 128)), region(DirectRole::Read, a, box(0, 64))});
  EXPECT_EQ(found(), Found{});
  run(5, {region(DirectRole::Update, a, box(0, 64))});
  EXPECT_EQ(found(), Found{"error 3 4 5"});
}

TEST_F(StorageTest, RowsWithGaps) {
  // Two tiles of 32 columns side by side in rows of 64: neither has the other's bytes.
  uint32_t a = tile(1, 0, 4 * 64), b = tile(2, 32, 4 * 64);
  write(3, a, box(0, 32, {{4, 64}}));
  write(4, b, box(32, 32, {{4, 64}}));
  read(5, a, box(0, 32, {{4, 64}}));
  read(6, b, box(32, 32, {{4, 64}}));
  EXPECT_EQ(found(), Found{});
  write(7, b, box(32, 33, {{4, 64}}));
  read(8, a, box(0, 32, {{4, 64}}));
  EXPECT_EQ(found(), Found{"error 3 7 8"});
}

TEST_F(StorageTest, MicroInstructionsTakeSilently) {
  uint32_t a = tile(1, 0, 256), b = tile(2, 0, 512);
  write(3, a, box(0, 256));
  write(4, b, box(0, 512));
  drive.load(world.site(5, "pto.mte_gm_ub"), 0, 0, 256); // as the bytes of a
  read(6, a, box(0, 256));
  EXPECT_EQ(found(), Found{});
  write(7, b, box(0, 512));
  drive.scope(world.site(8, "pto.vecscope"));
  drive.vsts(world.site(9, "pto.vsts"), 0);
  drive.endScope();
  read(10, a, box(0, 256));
  EXPECT_EQ(found(), Found{});
}

TEST_F(StorageTest, RepeatsAreCounted) {
  uint32_t a = tile(1, 0, 64), b = tile(2, 32, 64);
  const SiteId writes = world.site(4, "pto.tload"), reads = world.site(5, "pto.tadd");
  DirectInstruction instruction{Pipe::V};
  for (int turn = 0; turn < 3; ++turn) {
    write(3, a, box(0, 64));
    std::vector<DirectRegion> other = {region(DirectRole::Write, b, box(32, 64))};
    std::vector<DirectRegion> own = {region(DirectRole::Read, a, box(0, 64))};
    drive.events().direct(drive.instr(Pipe::V, writes), {other, instruction});
    drive.events().direct(drive.instr(Pipe::V, reads), {own, instruction});
  }
  drive.end();
  ASSERT_EQ(world.findings.all().size(), 1u);
  EXPECT_EQ(world.findings.all()[0].count, 3u);
}

/// For each byte, who wrote it last, and from whom it was taken.
TEST_F(StorageTest, RandomTiles) {
  std::mt19937 random(3);
  std::vector<Storage> tiles;
  for (uint32_t i = 0; i < 6; ++i) {
    uint64_t begin = random() % 8 * 32, bytes = (1 + random() % 6) * 32;
    tile(i + 1, begin, bytes);
    tiles.push_back({Space::Ub, 0, begin, begin + bytes, 32});
  }
  struct Byte {
    uint32_t owner = 0;
    bool lost[8] = {};
  };
  std::vector<Byte> model(1024);
  size_t errors = 0;
  for (uint32_t line = 100; line < 3000; ++line) {
    uint32_t number = 1 + random() % 6;
    const Storage &t = tiles[number - 1];
    uint64_t row = 1 + random() % 24, rows = (t.end - t.begin) / 32;
    Box bytes = box(t.begin + random() % (32 - row + 1), row, {{1 + random() % rows, 32}});
    size_t before = world.findings.all().size();
    bool writes = random() % 2, hurt = false;
    bytes.forEachRow([&](uint64_t start, uint64_t n) {
      for (uint64_t i = start; i < start + n; ++i)
        hurt |= model[i].owner != number && model[i].lost[number];
    });
    if (writes)
      write(line, number, bytes);
    else
      read(line, number, bytes);
    EXPECT_EQ(world.findings.all().size() > before, !writes && hurt) << line;
    errors += !writes && hurt;
    // Gaps between rows belong to the tile too, as long as no other tile has bytes among them.
    bool whole = true;
    for (uint64_t i = bytes.lowest(); i < bytes.end(); ++i)
      whole &= model[i].owner == 0 || model[i].owner == number;
    auto take = [&](uint64_t i) {
      if (model[i].owner != 0 && model[i].owner != number)
        model[i].lost[model[i].owner] = true;
      model[i].owner = number;
      model[i].lost[number] = false;
    };
    if (writes && whole)
      for (uint64_t i = bytes.lowest(); i < bytes.end(); ++i)
        take(i);
    else if (writes)
      bytes.forEachRow([&](uint64_t start, uint64_t n) {
        for (uint64_t i = start; i < start + n; ++i)
          take(i);
      });
  }
  EXPECT_GT(errors, 100u);
}

} // namespace
