//===- ScopeLogTest.cpp - turns of loops, noted at once and one by one ----===//
//
// A log that is told of whole loops answers as one that is told of their accesses,
// however many of them have left it.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/InstructionLog.h"

#include <gtest/gtest.h>
#include <random>

using namespace ptoscope;

namespace {

struct BothLogs {
  ScopeLog whole, single;
  uint32_t next = 1;

  void loop(uint64_t ordinal, std::span<LoopAccess> accesses, uint64_t turns, int64_t outer) {
    int64_t iterations[ScopeLog::kMaxDepth] = {outer};
    whole.noteLoop(ordinal, next, {accesses, {}, {}, turns, 1}, turns, iterations);
    for (uint64_t turn = 0; turn < turns; ++turn)
      for (const LoopAccess &access : accesses) {
        iterations[1] = int64_t(turn);
        const LocalAccess one{access.site,        Space::Ub, nullptr,    access.address + turn * access.stride,
                              access.windowBytes, nullptr,   VectorLoad, true};
        single.note(ordinal, next++, one, iterations);
      }
  }
  void access(uint64_t ordinal, const LocalAccess &access, int64_t outer) {
    const int64_t iterations[ScopeLog::kMaxDepth] = {outer};
    for (ScopeLog *log : {&whole, &single})
      log->note(ordinal, next, access, iterations);
    ++next;
  }
  void compare(std::mt19937 &random, uint64_t ordinal) const {
    for (int i = 0; i < 20; ++i) {
      const auto number = uint32_t(next - 1 - random() % std::min<uint64_t>(next - 1, 2 * ScopeLog::kSize));
      const uint64_t of = ordinal - random() % 2;
      const auto site = SiteId(random() % 3);
      const uint64_t byte = random() % 20000;
      same(whole.byNumber(of, number), single.byNumber(of, number));
      same(whole.byPlace(of, site, byte), single.byPlace(of, site, byte));
      EXPECT_EQ(whole.latestOf(of, site), single.latestOf(of, site));
      EXPECT_EQ(whole.hullOf(of, site), single.hullOf(of, site));
    }
  }

private:
  static void same(const ScopeLog::Turns *one, const ScopeLog::Turns *other) {
    ASSERT_EQ(one != nullptr, other != nullptr);
    if (one)
      EXPECT_EQ(*one, *other);
  }
};

/// Many loops of about so many turns, asked about rarely.
void compareLogs(uint32_t longest, uint32_t seed) {
  std::mt19937 random(seed);
  BothLogs logs;
  uint64_t ordinal = 1;
  for (int i = 0; i < 2500; ++i) {
    ordinal += random() % 8 == 0;
    std::vector<LoopAccess> accesses(1 + random() % 3);
    for (uint32_t k = 0; LoopAccess & access : accesses)
      access = {SiteId(k++), false, 256, random() % 32 * 256, 256, 0, 0};
    logs.loop(ordinal, accesses, 2 + random() % longest, i);
    if (random() % 4 == 0)
      logs.access(ordinal, {SiteId(random() % 3), Space::Ub, nullptr, random() % 8192, 64, nullptr, VectorLoad, true},
                  i);
    if (random() % 700 == 0)
      logs.compare(random, ordinal);
  }
  logs.compare(random, ordinal);
}

} // namespace

TEST(ScopeLog, AnswersAlikeForLoopsAndAccesses) {
  for (uint32_t longest : {1, 3, 20, 200})
    for (uint32_t seed = 1; seed <= 3; ++seed)
      compareLogs(longest, seed);
}
