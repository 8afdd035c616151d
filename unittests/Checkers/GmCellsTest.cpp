//===- GmCellsTest.cpp - GM accesses without a pattern --------------------===//
//
// Against plain models: every byte with everything that happened to it. What is
// kept must follow the bytes, not the number of accesses.
//
//===----------------------------------------------------------------------===//

#include "Drive.h"
#include "ptoscope/Checkers/BlockConflicts.h"
#include "ptoscope/Checkers/GmLog.h"

#include <random>
#include <set>

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

TEST(GmCells, AgreeWithAMap) {
  std::mt19937 random(7);
  GmCells cells;
  uint32_t keys[3];
  for (uint32_t k = 0; k < 3; ++k)
    keys[k] = cells.numberOf({nullptr, k, 0, k == 2 ? AccessKind::Write : AccessKind::Read, {}, kNoBarrier});
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> model; ///< highest order by key and byte
  for (int i = 0; i < 20000; ++i) {
    uint32_t key = keys[random() % 3];
    uint64_t order = random() % 500, at = random() % 6000, bytes = 1 + random() % 70;
    Box b = box(at, bytes);
    if (random() % 4 == 0)
      b.dims = {{3, 100}};
    cells.add(key, order, b);
    b.forEachRow([&](uint64_t start, uint64_t n) {
      for (uint64_t byte = start; byte < start + n; ++byte) {
        uint64_t &highest = model[{key, byte}];
        highest = std::max(highest, order);
      }
    });
  }
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> found;
  cells.forEach([&](uint32_t key, uint64_t order, uint64_t address, uint32_t mask) {
    for (unsigned k = 0; k < 32; ++k)
      if (mask >> k & 1) {
        EXPECT_TRUE(found.insert({{key, address + k}, order}).second) << "byte noted twice";
      }
  });
  EXPECT_EQ(found, model);
  EXPECT_LE(cells.size(), model.size());
  // A query gives the same, cut to its bytes.
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> cut;
  cells.query(box(1003, 777), [&](uint32_t key, uint64_t order, uint64_t address, uint32_t mask) {
    for (unsigned k = 0; k < 32; ++k)
      if (mask >> k & 1)
        cut[{key, address + k}] = order;
  });
  std::erase_if(model, [](const auto &entry) { return entry.first.second < 1003 || entry.first.second >= 1780; });
  EXPECT_EQ(cut, model);
}

/// Writes of MTE3 in an order without a pattern, and reads of MTE2 that know of
/// a part of them.
TEST(GmCells, ALogThatNobodyWaitsForStaysExact) {
  World world;
  HappensBefore order{*world.profile};
  GmLog log{order};
  std::vector<GmConflict> conflicts;
  std::mt19937 random(11);
  int64_t none = 0;
  uint64_t writesSoFar = 0, readsSoFar = 0, known = 0;
  constexpr uint64_t kBytes = 1 << 16;
  std::vector<uint64_t> last(kBytes);                   ///< ordinal of the last write of each byte
  std::vector<std::pair<uint64_t, uint64_t>> writes(1); ///< by ordinal
  for (int i = 0; i < 50000; ++i) {
    Instr write{CoreId{1}, Pipe::MTE3, ++writesSoFar, kNoSite, &none, 0};
    if (i == 40000) {
      order.setFlag(write, Pipe::MTE3, Pipe::MTE2, 0, 1);
      known = writesSoFar;
      writes.push_back({0, 0});
      continue;
    }
    uint64_t at = random() % (kBytes - 16), bytes = 1 + random() % 16;
    writes.push_back({at, bytes});
    std::fill_n(last.begin() + ptrdiff_t(at), bytes, writesSoFar);
    log.access(order.begin(write), writesSoFar, 2, AccessKind::Write, &world.x(), box(at, bytes), conflicts);
    // Its own pipe has no order either: every meeting is a conflict there.
    conflicts.clear();
  }
  EXPECT_LE(log.footprint().size(), GmLog::kMaxEntries);
  for (bool waited : {false, true}) {
    if (waited)
      order.waitFlag({CoreId{1}, Pipe::MTE2, ++readsSoFar, kNoSite, &none, 0}, Pipe::MTE3, Pipe::MTE2, 0, 1);
    for (int i = 0; i < 2000; ++i) {
      uint64_t at = random() % (kBytes - 8), bytes = 1 + random() % 8;
      Instr read{CoreId{1}, Pipe::MTE2, ++readsSoFar, kNoSite, &none, 0};
      conflicts.clear();
      log.access(order.begin(read), readsSoFar, 3, AccessKind::Read, &world.x(), box(at, bytes), conflicts);
      bool expected = std::any_of(last.begin() + ptrdiff_t(at), last.begin() + ptrdiff_t(at + bytes),
                                  [&](uint64_t ordinal) { return ordinal > (waited ? known : 0); });
      ASSERT_EQ(!conflicts.empty(), expected) << "read of " << bytes << " at " << at << (waited ? " waited" : "");
      for (const GmConflict &conflict : conflicts) {
        auto [start, size] = writes[conflict.ordinal];
        EXPECT_TRUE(start <= conflict.begin && conflict.end <= start + size);
        EXPECT_TRUE(at <= conflict.begin && conflict.end <= at + bytes);
        EXPECT_GT(conflict.ordinal, waited ? known : 0);
      }
    }
  }
}

/// Blocks with many scattered pieces: broken by one byte, and repaired.
TEST(GmCells, BlocksWithoutAPattern) {
  for (bool broken : {false, true}) {
    World world;
    BlockConflicts conflicts(world.sites);
    FindingList findings;
    std::mt19937 random(3);
    SiteId site = world.site(4, "pto.mte_ub_gm");
    for (int64_t block = 0; block < 3; ++block) {
      std::vector<GmEntry> entries;
      for (uint64_t i = 0; i < 4000; ++i) {
        GmEntry e;
        // Three blocks share 32-byte blocks of GM, never a byte.
        e.boxes.item = box(world.x().base + (random() % 20000) * 32 + uint64_t(block) * 8, 1 + random() % 8);
        e.boxes.firstOrder = i + 1;
        e.object = &world.x();
        e.site = site;
        e.kind = AccessKind::Write;
        if (broken && block == 2 && i == 1234)
          e.boxes.item = box(world.x().base, 32 * 20000);
        entries.push_back(e);
      }
      conflicts.add(block, entries, findings);
    }
    EXPECT_EQ(findings.failed(), broken);
    EXPECT_GT(conflicts.cellCount(), 0u);
  }
}

} // namespace
