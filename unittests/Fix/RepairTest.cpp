//===- RepairTest.cpp - rounds of repair, with made-up findings -----------===//

#include "ptoscope/Fix/Repair.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ptoscope {
namespace {

const Texts kStart = {{"k", "a\nb\n"}};

Finding fault(const std::string &message, std::vector<std::string> lines, const std::string &file = "k") {
  Finding finding = makeFinding("race-raw", {"k", 1, 1}, message);
  for (std::string &line : lines)
    finding.edits.push_back({{file, 2, 1}, false, std::move(line)});
  return finding;
}

bool has(const Texts &texts, const std::string &line) { return texts.at("k").find(line + "\n") != std::string::npos; }

Repair repairWith(const Examine &examine, unsigned rounds = 10) {
  Result<Repair> result = repair(kStart, examine, rounds);
  EXPECT_TRUE(bool(result));
  return std::move(*result);
}

TEST(Repair, OneRoundForAllFindings) {
  Repair done = repairWith([](const Texts &texts) {
    FindingList list;
    for (const char *line : {"x", "y"})
      if (!has(texts, line))
        list.add(fault(line, {line}));
    return list;
  });
  EXPECT_EQ(done.end, Repair::End::Clean);
  EXPECT_EQ(done.texts.at("k"), "a\nx\ny\nb\n");
  ASSERT_EQ(done.rounds.size(), 1u);
  EXPECT_EQ(done.rounds[0].size(), 2u);
}

TEST(Repair, LinesThatContradictEachOtherAreTriedAlone) {
  Repair done = repairWith([](const Texts &texts) {
    FindingList list;
    if (has(texts, "x") == has(texts, "y")) { // one of them, not both
      list.add(fault("one", {"x"}));
      list.add(fault("two", {"y"}));
    }
    return list;
  });
  EXPECT_EQ(done.end, Repair::End::Clean);
  EXPECT_EQ(done.texts.at("k"), "a\nx\nb\n");
}

TEST(Repair, AFaultMayHideAnother) {
  Repair done = repairWith([](const Texts &texts) {
    FindingList list;
    if (!has(texts, "x"))
      list.add(makeFinding("deadlock", {"k", 1, 1}, "hangs")), list[0].edits = fault("", {"x"}).edits;
    else if (!has(texts, "y"))
      list.add(fault("hidden", {"y"}));
    return list;
  });
  EXPECT_EQ(done.end, Repair::End::Clean);
  EXPECT_EQ(done.rounds.size(), 2u);
}

TEST(Repair, StuckWithoutLines) {
  Repair done = repairWith([](const Texts &) {
    FindingList list;
    list.add(fault("no lines", {}));
    return list;
  });
  EXPECT_EQ(done.end, Repair::End::NoEdits);
  EXPECT_EQ(done.texts, kStart);
}

TEST(Repair, StuckWhereLinesDoNotHelp) {
  unsigned looks = 0;
  Repair done = repairWith([&](const Texts &) {
    ++looks;
    FindingList list;
    list.add(fault("stays", {"x"}));
    return list;
  });
  EXPECT_EQ(done.end, Repair::End::NoProgress);
  EXPECT_EQ(done.texts, kStart);
  EXPECT_EQ(looks, 2u);
}

TEST(Repair, TheLimitOfRounds) {
  // Each line uncovers another fault, forever.
  Repair done = repairWith(
      [](const Texts &texts) {
        FindingList list;
        const size_t lines = size_t(std::ranges::count(texts.at("k"), '\n'));
        Finding next = makeFinding(lines % 2 ? "race-raw" : "race-war", {"k", 1, 1}, "again");
        next.edits = fault("", {"x"}).edits;
        list.add(next);
        return list;
      },
      3);
  EXPECT_EQ(done.end, Repair::End::Rounds);
  EXPECT_EQ(done.rounds.size(), 3u);
}

TEST(Repair, PlacesThatAreNotToBeHad) {
  Repair done = repairWith([](const Texts &) {
    FindingList list;
    list.add(fault("elsewhere", {"x"}, "other"));
    return list;
  });
  EXPECT_EQ(done.end, Repair::End::NoProgress);
  ASSERT_EQ(done.refusals.size(), 1u);
  EXPECT_EQ(done.refusals[0].message, "`x` belongs here, and this file may not be changed");
}

TEST(Repair, WarningsAboutWhatNoManualDefinesAreNoFaults) {
  Repair done = repairWith([](const Texts &) {
    FindingList list;
    Finding finding = fault("open", {"x"});
    finding.severity = Severity::Warning;
    finding.category = Category::UndefinedByManual;
    list.add(finding);
    return list;
  });
  EXPECT_EQ(done.end, Repair::End::Clean);
  EXPECT_EQ(done.texts, kStart);
}

} // namespace
} // namespace ptoscope
