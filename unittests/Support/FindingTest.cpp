//===- FindingTest.cpp - making and collecting findings -------------------===//
//
// Joining of repeats, limits, order; Result beside it.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"
#include "ptoscope/Support/Result.h"

#include <memory>

using namespace ptoscope;

namespace {

Finding at(uint32_t line, std::string_view code = "race-raw", std::string message = "m") {
  return makeFinding(code, {"a.pto", line, 1}, std::move(message));
}

TEST(Finding, TakesSeverityAndCategoryFromTheTable) {
  Finding finding = makeFinding("negative-tail-count", {"a.pto", 1, 2}, "text");
  EXPECT_EQ(finding.severity, Severity::Warning);
  EXPECT_EQ(finding.category, Category::UndefinedByManual);
  EXPECT_EQ(finding.place, (Place{"a.pto", 1, 2}));
  EXPECT_EQ(finding.message, "text");
  EXPECT_EQ(finding.count, 1u);
}

TEST(FindingList, JoinsRepeatsInOrderOfFirstAppearance) {
  FindingList list;
  list.add(at(3));
  list.add(at(1));
  list.add(at(3));
  Finding many = at(1);
  many.count = 5;
  list.add(many);
  ASSERT_EQ(list.all().size(), 2u);
  EXPECT_EQ(list.all()[0].place.line, 3u);
  EXPECT_EQ(list.all()[0].count, 2u);
  EXPECT_EQ(list.all()[1].count, 6u);
}

TEST(FindingList, TellsDifferentFindingsApart) {
  FindingList list;
  list.add(at(1));
  list.add(at(1, "race-war"));
  list.add(at(1, "race-raw", "other"));
  Finding noted = at(1);
  noted.notes.push_back({{"a.pto", 7, 1}, "n"});
  list.add(noted);
  noted.notes[0].place.line = 8;
  list.add(noted);
  noted.notes[0].message = "the same place in other words";
  list.add(noted);
  EXPECT_EQ(list.all().size(), 5u);
  EXPECT_EQ(list.all()[4].count, 2u);
}

TEST(FindingList, IsFullAfterErrors) {
  FindingList list(2);
  EXPECT_FALSE(list.full());
  for (uint32_t line = 1; line <= 3; ++line)
    for (const char *code : {"transfer-empty", "flag-leftover"}) // remarks and warnings have limits of their own
      list.add(at(line, code));
  EXPECT_FALSE(list.full());
  EXPECT_EQ(list.dropped(), 2u);
  list.add(at(1));
  EXPECT_FALSE(list.full());
  list.add(at(2));
  EXPECT_TRUE(list.full());
  list.add(at(4));
  list.add(at(1)); // a repeat still counts
  EXPECT_EQ(list.all().size(), 6u);
  EXPECT_EQ(list.all()[4].count, 2u);
  EXPECT_EQ(list.dropped(), 3u);
  for (Severity severity : {Severity::Error, Severity::Warning, Severity::Remark})
    EXPECT_EQ(list.count(severity), 2u);
}

TEST(FindingList, HostWarningsDoNotCrowdOutOthers) { // REPORT-1
  FindingList list(2);
  for (uint32_t line = 1; line <= 3; ++line)
    list.add(at(line, "host-only")); // a limit of their own, too
  EXPECT_FALSE(list.full());
  EXPECT_EQ(list.dropped(), 1u);
  EXPECT_EQ(list.count(Severity::Warning), 2u);
  list.add(at(1, "flag-leftover"));
  EXPECT_EQ(list.all().size(), 3u);
  EXPECT_EQ(list.count(Severity::Warning), 3u);
  EXPECT_EQ(list.dropped(), 1u);
}

TEST(FindingList, Fails) {
  FindingList list;
  EXPECT_FALSE(list.failed(true));
  list.add(at(1, "transfer-empty"));
  EXPECT_FALSE(list.failed(true));
  list.add(at(1, "flag-leftover"));
  EXPECT_FALSE(list.failed());
  EXPECT_TRUE(list.failed(true));
  list.add(at(1));
  EXPECT_TRUE(list.failed());
}

TEST(FindingList, Merges) {
  FindingList a(3), b(2);
  a.add(at(1));
  b.add(at(1));
  b.add(at(2));
  b.add(at(3));
  a.merge(std::move(b));
  ASSERT_EQ(a.all().size(), 2u);
  EXPECT_EQ(a.all()[0].count, 2u);
  EXPECT_EQ(a.all()[1].place.line, 2u);
  EXPECT_EQ(a.dropped(), 1u);
}

TEST(FindingList, TakesManyRepeatsAndManyFindings) {
  FindingList list;
  for (uint32_t i = 0; i < 200000; ++i)
    list.add(at(i % 50000 + 1));
  EXPECT_EQ(list.all().size(), 50000u);
  EXPECT_EQ(list.all()[0].count, 4u);
}

TEST(Result, HoldsAValueOrAFinding) {
  Result<std::unique_ptr<int>> good = std::make_unique<int>(3);
  ASSERT_TRUE(good);
  EXPECT_EQ(**good, 3);
  std::unique_ptr<int> taken = *std::move(good);
  EXPECT_EQ(*taken, 3);
  Result<std::unique_ptr<int>> bad = makeFinding("usage", {}, "no");
  ASSERT_FALSE(bad);
  Result<void> passedOn = bad.takeFinding();
  ASSERT_FALSE(passedOn);
  EXPECT_EQ(passedOn.finding().message, "no");
  EXPECT_TRUE(Result<void>());
}

} // namespace
