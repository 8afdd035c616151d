//===- LineTest.cpp - lines against granules ------------------------------===//
//
// Shadow records of whole 256-byte lines, of parts of them and of pages must not change a verdict. Random
// accesses are made twice: as they are, and in pieces of one granule, which
// never use a line's record. Both must name the same conflicts in the same
// order.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/ScopeShadow.h"

#include "gtest/gtest.h"

#include <random>

using namespace ptoscope;

namespace {

constexpr uint64_t kBytes = 1024 + 96; // the last line is not whole

struct Window {
  uint64_t address;
  uint32_t bytes;
  bool masked = false;
  uint64_t active[16] = {};
};

constexpr uint64_t kPageBytes = kPageLines * kLineBytes, kPages = 3;

struct Source {
  std::mt19937_64 random;
  uint64_t upTo(uint64_t n) { return random() % n; }
  /// Mostly whole pages; and all the others, anywhere.
  Window pages() {
    if (upTo(3) != 0)
      return {kPageBytes * upTo(kPages), uint32_t(kPageBytes * (1 + upTo(2)))};
    Window w = window();
    w.address += kLineBytes * upTo(kPages * kPageLines);
    return w;
  }
  Window window() {
    Window w;
    switch (upTo(8)) {
    case 0: // anything, also past the end
      w = {upTo(kBytes), uint32_t(1 + upTo(400))};
      break;
    case 1: // off a line
      w = {32 * upTo(32), 256};
      break;
    case 2: // masked; granules keep their masks when the window is cut
      w = {32 * upTo(28), uint32_t(32 * (1 + upTo(8))), true};
      for (uint64_t &word : w.active)
        word = upTo(2) ? ~uint64_t(0) : random();
      break;
    case 3: // several lines
      w = {256 * upTo(3), uint32_t(256 * (1 + upTo(3)))};
      break;
    case 4: // the first or the last of a line, which mostly meet at the same place
    case 5: {
      const uint32_t cut = upTo(8) == 0 ? uint32_t(32 * (1 + upTo(7))) : upTo(4) == 0 ? 160 : 128;
      w = upTo(2) ? Window{256 * upTo(5), cut} : Window{256 * upTo(5) + cut, 256 - cut};
      break;
    }
    default:
      w = {256 * upTo(5), 256};
    }
    return w;
  }
};

/// Calls fn(address, bytes, active) for the part of the window in each granule.
template <typename Fn> void forEachPiece(const Window &w, Fn fn) {
  for (uint64_t at = w.address; at < w.address + w.bytes;) {
    uint64_t end = std::min<uint64_t>((at / kBlockBytes + 1) * kBlockBytes, w.address + w.bytes);
    uint64_t offset = at - w.address, word = w.masked ? w.active[offset / 64] >> (offset % 64) : 0;
    fn(at, uint32_t(end - at), w.masked ? &word : nullptr);
    at = end;
  }
}

void compareWithGranules(bool byPages) {
  uint64_t withConflict = 0, without = 0;
  const uint32_t size = byPages ? kPages * kPageBytes + kBytes : kBytes;
  for (uint64_t seed = 1; seed <= (byPages ? 1000 : 3000); ++seed) {
    Source source{std::mt19937_64(seed)};
    LocalShadow lines(size, byPages), granules(size);
    constexpr Pipe kPipes[] = {Pipe::V, Pipe::MTE2, Pipe::MTE3};
    std::array<uint64_t, 3> ordinals{};
    std::array<VectorClock, 3> clocks{};
    for (int i = 0; i < 60; ++i) {
      size_t pipe = source.upTo(3);
      Slot slot = slotOf(CoreId{1}, kPipes[pipe]);
      if (ordinals[pipe] == 0 || source.upTo(3) == 0)
        ++ordinals[pipe];
      if (pipe == 0) // in-order
        clocks[0].ended[slot] = ordinals[0];
      if (source.upTo(2)) // some other pipe's instructions become known
        for (size_t other = 0; other < 3; ++other)
          clocks[pipe].ended[slotOf(CoreId{1}, kPipes[other])] =
              std::max(clocks[pipe].ended[slotOf(CoreId{1}, kPipes[other])],
                       ordinals[other] - std::min(ordinals[other], source.upTo(2)));
      Epoch self(slot, ordinals[pipe], SiteId(source.upTo(4)));
      Window w = byPages ? source.pages() : source.window();
      ConflictList whole, pieces;
      auto both = [&]<bool Writes>() {
        lines.access<Writes>(self, clocks[pipe], w.address, w.bytes, w.masked ? w.active : nullptr, whole);
        forEachPiece(w, [&](uint64_t address, uint32_t bytes, const uint64_t *active) {
          granules.access<Writes>(self, clocks[pipe], address, bytes, active, pieces);
        });
      };
      if (source.upTo(2))
        both.operator()<true>();
      else
        both.operator()<false>();
      ASSERT_EQ(whole.all().size(), pieces.all().size()) << "seed " << seed << " step " << i;
      for (size_t k = 0; k < whole.all().size(); ++k) {
        const ShadowConflict &a = whole.all()[k], &b = pieces.all()[k];
        ASSERT_TRUE(a.other == b.other && a.otherWrites == b.otherWrites && a.begin == b.begin && a.end == b.end)
            << "seed " << seed << " step " << i;
      }
      (whole.empty() ? without : withConflict)++;
    }
  }
  EXPECT_GT(withConflict, 10000u);
  EXPECT_GT(without, 10000u);
}

TEST(Line, LeadingBlocks) {
  for (uint32_t bytes : {0u, 31u, 32u, 63u, 64u, 96u, 128u, 160u, 192u, 224u, 255u, 256u}) {
    std::array<uint64_t, 4> active{};
    for (uint32_t i = 0; i < bytes; ++i)
      active[i / 64] |= uint64_t(1) << i % 64;
    EXPECT_EQ(leadingBlocks(active.data(), 256), bytes % 32 == 0 ? bytes : 0) << bytes;
    for (uint32_t other = bytes + 1; other < 256; ++other) { // one that is behind them
      std::array<uint64_t, 4> more = active;
      more[other / 64] |= uint64_t(1) << other % 64;
      EXPECT_EQ(leadingBlocks(more.data(), 256), 0u) << bytes << " and " << other;
    }
  }
  const uint64_t all = ~uint64_t(0);
  EXPECT_EQ(leadingBlocks(&all, 64), 64u);
  EXPECT_EQ(leadingBlocks(&all, 48), 0u); // no whole words: it is not looked at
}

TEST(Line, LocalShadowAgreesWithGranules) { compareWithGranules(false); }
TEST(Line, PagesAgreeWithGranules) { compareWithGranules(true); }

TEST(Line, ScopeShadowAgreesWithGranules) {
  uint64_t withConflict = 0, without = 0;
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Source source{std::mt19937_64(seed)};
    ScopeShadow lines(kBytes), granules(kBytes);
    // Stamps of each load: one, and one per piece.
    std::vector<std::pair<uint32_t, std::vector<uint32_t>>> loads;
    for (int i = 0; i < 80; ++i) {
      if (source.upTo(25) == 0) {
        lines.begin();
        granules.begin();
        loads.clear();
      }
      if (source.upTo(4) == 0) {
        FenceClasses classes = classesOf(Fence(source.upTo(4)));
        lines.fence(classes);
        granules.fence(classes);
        continue;
      }
      Window w = source.window();
      LocalAccess access{SiteId(source.upTo(4)),        Space::Ub,  nullptr, w.address, w.bytes,
                         w.masked ? w.active : nullptr, VectorLoad, true};
      std::vector<ScopeConflict> whole, pieces;
      auto forPieces = [&](auto fn) {
        forEachPiece(w, [&](uint64_t address, uint32_t bytes, const uint64_t *active) {
          LocalAccess piece = access;
          piece.address = address;
          piece.windowBytes = bytes;
          piece.active = active;
          fn(piece);
        });
      };
      if (source.upTo(2)) {
        uint32_t stamp = lines.load(access, whole);
        std::vector<uint32_t> stamps;
        forPieces([&](const LocalAccess &piece) { stamps.push_back(granules.load(piece, pieces)); });
        loads.emplace_back(stamp, std::move(stamps));
      } else {
        access.accessClass = VectorStore;
        std::vector<uint32_t> stamps, pieceStamps;
        for (uint64_t n = loads.empty() ? 0 : source.upTo(4); n > 0; --n) {
          const auto &load = loads[loads.size() - 1 - source.upTo(std::min<size_t>(loads.size(), 4))];
          stamps.push_back(load.first);
          pieceStamps.insert(pieceStamps.end(), load.second.begin(), load.second.end());
        }
        lines.store(access, stamps.data(), uint32_t(stamps.size()), whole);
        forPieces([&](const LocalAccess &piece) {
          granules.store(piece, pieceStamps.data(), uint32_t(pieceStamps.size()), pieces);
        });
      }
      ASSERT_EQ(whole.size(), pieces.size()) << "seed " << seed << " step " << i;
      for (size_t k = 0; k < whole.size(); ++k)
        ASSERT_TRUE(whole[k].first == pieces[k].first && whole[k].firstClass == pieces[k].firstClass &&
                    whole[k].begin == pieces[k].begin && whole[k].end == pieces[k].end)
            << "seed " << seed << " step " << i;
      (whole.empty() ? without : withConflict)++;
    }
  }
  EXPECT_GT(withConflict, 10000u);
  EXPECT_GT(without, 10000u);
}

} // namespace
