//===- CountedSlipsTest.cpp - which line upsets the balance of flags ------===//

#include "ptoscope/Machine/CountedSlips.h"

#include <gtest/gtest.h>

namespace ptoscope {
namespace {

using What = CountedSlip::What;

struct CountedSlipsTest : testing::Test {
  SiteTable sites;
  FlagUses uses;
  std::vector<SiteId> lines; ///< by number

  explicit CountedSlipsTest(Language language = Language::Pto) : sites(language) {
    for (uint32_t line = 0; line < 10; ++line) {
      Site site;
      site.place = {"k", line, 3};
      site.next = {"k", line + 1, 3};
      lines.push_back(sites.add(site));
    }
  }
  void use(uint32_t line, bool sets, Pipe src, Pipe dst, int64_t id, int times = 1, bool outruns = false) {
    for (int i = 0; i < times; ++i)
      uses.count(lines[line], src, dst, id, sets, outruns && i == 0);
  }
  void set(uint32_t line, int64_t id, int times = 1) { use(line, true, Pipe::MTE2, Pipe::V, id, times); }
  void wait(uint32_t line, int64_t id, int times = 1, bool outruns = false) {
    use(line, false, Pipe::MTE2, Pipe::V, id, times, outruns);
  }
  std::vector<CountedSlip> slips() const { return slipsOf(sites, uses.all()); }
  static SourceLines text(std::string line) {
    return [line](const std::string &, uint32_t) { return std::optional(line); };
  }
};
struct CountedSlipsOfCppTest : CountedSlipsTest {
  CountedSlipsOfCppTest() : CountedSlipsTest(Language::Cpp) {}
};

TEST_F(CountedSlipsTest, NothingWhereFlagsAreInBalance) {
  set(1, 0, 3);
  wait(2, 0, 3);
  EXPECT_TRUE(slips().empty());
  uses.clear();
  EXPECT_TRUE(uses.all().empty());
}

TEST_F(CountedSlipsTest, AWrongIdOfASetBeforeALoop) {
  set(1, 5);
  set(4, 0, 3);
  wait(2, 0, 3, /*outruns=*/true);
  wait(6, 0);
  std::vector<CountedSlip> found = slips();
  ASSERT_EQ(found.size(), 2u); // line 6 would explain the counts, too
  EXPECT_EQ(found[0].what, What::Id);
  EXPECT_EQ(found[0].at.line, 1u);
  EXPECT_EQ(found[0].cause.message,
            "this set is of PIPE_MTE2 -> PIPE_V, EVENT_ID5, which is set once more than it is waited "
            "for; PIPE_MTE2 -> PIPE_V, EVENT_ID0 is waited for once more than it is set");
  EXPECT_EQ(found[1].at.line, 6u);
  std::optional<Remedy> remedy = remedyOf(found[0], text("  set[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID5\"]"));
  ASSERT_TRUE(remedy);
  EXPECT_EQ(remedy->help, "at k:1 write `EVENT_ID0` for `EVENT_ID5`");
  EXPECT_EQ(remedy->edits.at(0).replaces, "EVENT_ID5");
  EXPECT_EQ(remedy->edits[0].insertText, "EVENT_ID0");
  EXPECT_EQ(remedy->edits[0].place.column, 31u);
  EXPECT_FALSE(remedyOf(found[0], text("  set(kFrom, kTo, kId);")));
  EXPECT_FALSE(remedyOf(found[0], text("  set(EVENT_ID5); reset(EVENT_ID5);")));
  // Two explanations are none where nothing can be tried.
  EXPECT_FALSE(onlyCause(found, FindingList(), text("EVENT_ID5")));
}

TEST_F(CountedSlipsTest, IdsAreNamedAsTheOtherLineNamesThem) {
  sites[lines[1]].event = "INPUT";
  sites[lines[2]].event = "OUTPUT";
  set(1, 0);
  wait(2, 1, 1, /*outruns=*/true);
  std::vector<CountedSlip> found = slips();
  ASSERT_EQ(found.size(), 1u);
  std::optional<Remedy> remedy = remedyOf(found[0], text("  wait[\"OUTPUT\"]"));
  ASSERT_TRUE(remedy);
  EXPECT_EQ(remedy->help, "at k:2 write `INPUT` for `OUTPUT`");
}

TEST_F(CountedSlipsTest, TheFirstWaitWithoutASetIsTheLikelierOne) {
  set(1, 0);
  set(4, 0, 3);
  wait(2, 0, 3);
  wait(6, 5, 1, /*outruns=*/true);
  std::vector<CountedSlip> found = slips();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].at.line, 6u);
  EXPECT_EQ(found[1].at.line, 1u);
}

TEST_F(CountedSlipsTest, ALineWithAValueForItsIdIsNotWrong) {
  set(1, 0);
  set(1, 5);
  wait(2, 0, 2);
  EXPECT_TRUE(slips().empty());
}

TEST_F(CountedSlipsTest, ReversedPipes) {
  set(1, 0);
  use(2, false, Pipe::V, Pipe::MTE2, 0, 1, /*outruns=*/true);
  std::vector<CountedSlip> found = slips();
  ASSERT_EQ(found.size(), 2u); // either of them
  EXPECT_EQ(found[0].what, What::Pipes);
  EXPECT_EQ(found[0].at.line, 2u);
  EXPECT_EQ(found[0].cause.message,
            "the set at k:1 uses PIPE_MTE2 -> PIPE_V but this wait uses PIPE_V -> PIPE_MTE2 (both "
            "EVENT_ID0); neither has a match");
  std::optional<Remedy> remedy = remedyOf(found[0], text("  wait(PIPE_V, PIPE_MTE2, 0);"));
  ASSERT_TRUE(remedy);
  EXPECT_EQ(remedy->help, "swap PIPE_V and PIPE_MTE2 at k:2");
  EXPECT_EQ(remedy->edits.at(0).insertText, "PIPE_MTE2, PIPE_V");
  EXPECT_EQ(remedy->edits[0].replaces, "PIPE_V, PIPE_MTE2");
  remedy = onlyCause(found, FindingList(), text("  wait(PIPE_V, PIPE_MTE2, 0);"));
  ASSERT_TRUE(remedy);
  EXPECT_TRUE(remedy->edits.empty());
}

TEST_F(CountedSlipsTest, AWaitThatIsThereTwice) {
  set(1, 0, 3);
  wait(4, 0, 3);
  wait(5, 0, 3);
  std::vector<CountedSlip> found = slips();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, What::Doubled);
  EXPECT_EQ(found[0].at.line, 5u);
  const std::string line = "pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID0\"]";
  std::optional<Remedy> remedy = remedyOf(found[0], text("    " + line));
  ASSERT_TRUE(remedy);
  EXPECT_EQ(remedy->edits.at(0).replaces, line);
  EXPECT_EQ(remedy->edits[0].insertText, "");
  EXPECT_EQ(remedy->edits[0].place.column, 5u);
}

TEST_F(CountedSlipsTest, AWaitWhoseSetIsMissingIsNot) {
  set(1, 0, 3);
  wait(4, 0, 3);
  wait(6, 0, 3);
  EXPECT_TRUE(slips().empty());
}

TEST_F(CountedSlipsOfCppTest, AForgottenWait) {
  set(4, 0);
  const std::vector<CountedSlip> found = slips();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, What::Forgotten);
  auto raceOf = [](Pipe src, Pipe dst, uint32_t first, uint32_t second) {
    FindingList list;
    Finding race = makeFinding("race-raw", {"k", second, 3}, "a race");
    race.order = {uint8_t(src), uint8_t(dst), {"k", first, 3}, {"k", second, 3}};
    list.add(std::move(race));
    return list;
  };
  std::optional<Remedy> remedy = onlyCause(found, raceOf(Pipe::MTE2, Pipe::V, 2, 6), text(""));
  ASSERT_TRUE(remedy);
  EXPECT_EQ(remedy->help, "add `wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);` behind k:4");
  EXPECT_TRUE(remedy->edits.at(0).after);
  EXPECT_EQ(remedy->edits[0].place.line, 4u);
  // Other pipes, and a set that is not between the two.
  EXPECT_FALSE(onlyCause(found, raceOf(Pipe::V, Pipe::MTE3, 2, 6), text("")));
  EXPECT_FALSE(onlyCause(found, raceOf(Pipe::MTE2, Pipe::V, 1, 2), text("")));
  EXPECT_FALSE(onlyCause(found, raceOf(Pipe::MTE2, Pipe::V, 5, 6), text("")));
}

} // namespace
} // namespace ptoscope
