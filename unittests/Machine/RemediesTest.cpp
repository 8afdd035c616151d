//===- RemediesTest.cpp - lines are offered only if they repair -----------===//

#include "ptoscope/Machine/Remedies.h"

#include <gtest/gtest.h>

namespace ptoscope {
namespace {

Edit before(uint32_t line, std::string text, std::string file = "k.pto") {
  return {{std::move(file), line, 3}, false, std::move(text)};
}

/// A race at `line` that each of `lines`, put before it, may repair.
Finding fault(uint32_t line, const std::vector<std::string> &lines) {
  Finding f = makeFinding("race-raw", {"k.pto", line, 1}, "two accesses");
  f.help = "advice";
  for (const std::string &text : lines)
    f.remedies.push_back({"add " + text, {before(line, text)}});
  return f;
}

struct RemediesTest : testing::Test {
  FindingList findings;
  std::vector<std::string> tried;

  /// `report` says what is left of a text.
  void prove(const std::function<FindingList(const std::string &)> &report) {
    proveRemedies(findings, "k.pto", "one\ntwo\n", [&](const std::string &text) -> std::optional<FindingList> {
      tried.push_back(text);
      return report(text);
    });
  }
  static FindingList listOf(std::vector<Finding> found) {
    FindingList list;
    for (Finding &f : found)
      list.add(std::move(f));
    return list;
  }
  static bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
};

TEST_F(RemediesTest, TheFirstThatWorks) {
  findings.add(fault(2, {"wrong", "right", "never tried"}));
  prove([](const std::string &text) { return has(text, "right") ? FindingList() : listOf({fault(3, {})}); });
  EXPECT_EQ(findings[0].help, "add right");
  ASSERT_EQ(findings[0].edits.size(), 1u);
  EXPECT_EQ(findings[0].edits[0].insertText, "right");
  EXPECT_EQ(tried.size(), 2u);
}

TEST_F(RemediesTest, NoneThatWorks) {
  findings.add(fault(2, {"x"}));
  prove([](const std::string &) { return listOf({fault(3, {"x"})}); });
  EXPECT_EQ(findings[0].help, "advice");
  EXPECT_TRUE(findings[0].edits.empty());
  // The fault has only moved down, so more of the same is not tried.
  EXPECT_EQ(tried.size(), 1u);
}

TEST_F(RemediesTest, AllTogether) {
  findings.add(fault(1, {"x"}));
  findings.add(fault(2, {"y"}));
  prove([](const std::string &text) {
    return has(text, "x") && has(text, "y") ? FindingList() : listOf({fault(9, {})});
  });
  EXPECT_EQ(findings[0].help, "add x");
  EXPECT_EQ(findings[1].help, "add y");
}

TEST_F(RemediesTest, LinesThatContributeNothing) {
  for (const char *line : {"x", "y", "z"})
    findings.add(fault(1 + uint32_t(findings.all().size()), {line}));
  prove([](const std::string &text) {
    return has(text, "x") && has(text, "z") ? FindingList() : listOf({fault(9, {})});
  });
  EXPECT_EQ(findings[0].help, "add x");
  EXPECT_EQ(findings[1].help, "the lines proposed for line 1 repair this too");
  EXPECT_TRUE(findings[1].edits.empty());
  EXPECT_EQ(findings[2].help, "add z");
}

TEST_F(RemediesTest, AllTogetherThoughOneMightBeEnough) {
  // They want the same flag, so each is tried alone first; that must not use up all attempts.
  for (uint32_t i = 1; i <= 6; ++i) {
    Finding finding = fault(1 + i % 2, {"x" + std::to_string(i), "wrong" + std::to_string(i)});
    finding.message += std::to_string(i);
    finding.remedies[0].edits.push_back(before(1, "set"));
    findings.add(std::move(finding));
  }
  prove([](const std::string &text) {
    for (const char *line : {"x1", "x2", "x3", "x4", "x5", "x6"})
      if (!has(text, line))
        return listOf({fault(9, {})});
    return FindingList();
  });
  for (const Finding &finding : findings.all())
    EXPECT_EQ(finding.edits.size(), 2u);
  EXPECT_LE(tried.size(), 12u);
}

TEST_F(RemediesTest, OneForAll) {
  findings.add(fault(1, {"x"}));
  findings.add(fault(2, {"y"}));
  prove([](const std::string &text) {
    return has(text, "x") && !has(text, "y") ? FindingList() : listOf({fault(9, {})});
  });
  EXPECT_EQ(findings[0].help, "add x");
  EXPECT_EQ(findings[1].help, "the lines proposed for line 1 repair this too");
  EXPECT_TRUE(findings[1].edits.empty());
}

TEST_F(RemediesTest, WhatShowsAfterwardsIsRepairedToo) {
  for (bool repairable : {true, false}) {
    findings = FindingList();
    findings.add(fault(1, {"x"}));
    prove([&](const std::string &text) {
      if (has(text, "y"))
        return FindingList();
      return listOf({fault(3, repairable ? std::vector<std::string>{"y"} : std::vector<std::string>{})});
    });
    EXPECT_EQ(findings[0].help,
              repairable ? "add x; this uncovers further findings with their own fixes; apply it and run again"
                         : "advice");
    EXPECT_EQ(findings[0].edits.empty(), !repairable);
  }
}

TEST_F(RemediesTest, WarningsAreFaultsUnlessNoManualDefinesIt) {
  for (bool undefined : {true, false}) {
    findings = FindingList();
    findings.add(fault(1, {"x"}));
    prove([&](const std::string &) {
      return listOf({makeFinding(undefined ? "undefined-by-manual" : "flag-leftover", {"k.pto", 1, 1}, "m")});
    });
    EXPECT_EQ(findings[0].edits.empty(), !undefined);
  }
}

TEST_F(RemediesTest, NoLinesHideANamedCause) {
  findings.add(fault(1, {"x"}));
  Finding other = fault(2, {});
  nameCause(other, {"k.pto", 1, 1}, "the buffers overlap");
  EXPECT_EQ(other.notes[0].message, "likely cause: the buffers overlap");
  findings.add(other);
  prove([](const std::string &) { return FindingList(); });
  suggestRemedies(findings);
  EXPECT_TRUE(tried.empty());
  EXPECT_EQ(findings[0].help, "advice");
  EXPECT_TRUE(findings[0].edits.empty());
}

TEST_F(RemediesTest, ACauseHasTheLinesOfAnyThatNamesIt) {
  for (bool same : {true, false}) {
    findings = FindingList();
    for (uint32_t line : {1, 2}) {
      Finding finding = fault(line, line == 1 ? std::vector<std::string>{"x"} : std::vector<std::string>{});
      nameCause(finding, {"k.pto", same ? 1 : line, 1}, "nothing waits");
      findings.add(std::move(finding));
    }
    prove([](const std::string &) { return FindingList(); });
    EXPECT_EQ(findings[0].help, same ? "add x" : "advice");
    EXPECT_EQ(findings[1].help, same ? "the lines proposed for line 1 repair this too" : "advice");
  }
}

TEST_F(RemediesTest, LinesForTheCauseComeFirst) {
  findings.add(fault(1, {"x"}));
  findings.add(fault(2, {"y"}));
  findings[1].causeNamed = true;
  // All together would do, too.
  prove([](const std::string &text) { return has(text, "y") ? FindingList() : listOf({fault(9, {})}); });
  EXPECT_EQ(findings[0].help, "the lines proposed for line 2 repair this too");
  EXPECT_TRUE(findings[0].edits.empty());
  EXPECT_EQ(findings[1].help, "add y");
  EXPECT_EQ(tried.size(), 1u);
}

TEST_F(RemediesTest, TheSameLinesAreTriedOnce) {
  findings.add(fault(2, {"x"}));
  Finding other = fault(2, {"x", "y"});
  other.message = "two other accesses";
  findings.add(other);
  prove([](const std::string &text) { return has(text, "y") ? FindingList() : listOf({fault(9, {})}); });
  EXPECT_EQ(findings[1].help, "add y");
  EXPECT_EQ(tried.size(), 2u);
}

// A read of bytes that were never written, because it came too early, has no remedy of its own.
TEST_F(RemediesTest, ConsequencesVanishOrTheLinesAreWrong) {
  for (bool vanishes : {true, false}) {
    findings = FindingList();
    findings.add(fault(1, {}));
    findings.add(fault(2, {"x"}));
    prove([&](const std::string &) { return vanishes ? FindingList() : listOf({fault(1, {})}); });
    EXPECT_EQ(findings[0].help, vanishes ? "the lines proposed for line 2 repair this too" : "advice");
    EXPECT_EQ(findings[1].help, vanishes ? "add x" : "advice");
  }
}

TEST_F(RemediesTest, NoSuggestionBesideAnErrorWithoutOne) {
  findings.add(fault(1, {"x"}));
  findings.add(makeFinding("flag-leftover", {"k.pto", 1, 1}, "m"));
  FindingList more = findings;
  more.add(fault(2, {}));
  suggestRemedies(findings);
  EXPECT_EQ(findings[0].edits.size(), 1u);
  suggestRemedies(more);
  EXPECT_TRUE(more[0].edits.empty());
}

TEST_F(RemediesTest, OtherFilesAreNotTried) {
  Finding f = fault(1, {});
  f.remedies.push_back({"add x", {before(1, "x", "other.pto")}});
  findings.add(f);
  prove([](const std::string &) { return FindingList(); });
  EXPECT_TRUE(tried.empty());
  EXPECT_TRUE(findings[0].edits.empty());
}

TEST_F(RemediesTest, TrialsAreBounded) {
  uint32_t line = 1;
  findings.add(fault(1, {"a", "b", "c", "d", "e"}));
  prove([&](const std::string &) { return listOf({fault(line += 10, {"a", "b", "c", "d", "e"})}); });
  EXPECT_EQ(tried.size(), 12u);
  EXPECT_TRUE(findings[0].edits.empty());
}

/// Words of line 2, and what it says about them.
Remedy causeOf(std::string right) {
  return {"write " + right, {{{"k.pto", 2, 1}, false, right, "two"}}, Note{{"k.pto", 2, 1}, "it is " + right}};
}

TEST_F(RemediesTest, ACauseThatRepairsAllComesFirst) {
  findings.add(fault(1, {"x"}));
  findings.add(fault(2, {}));
  nameCause(findings[1], {"k.pto", 1, 1}, "something else");
  const std::vector<Remedy> causes = {causeOf("three"), causeOf("four")};
  proveRemedies(
      findings, "k.pto", "one\ntwo\n",
      [&](const std::string &text) -> std::optional<FindingList> {
        tried.push_back(text);
        return text == "one\nfour\n" ? FindingList() : listOf({fault(9, {})});
      },
      causes);
  EXPECT_EQ(tried, (std::vector<std::string>{"one\nthree\n", "one\nfour\n"}));
  EXPECT_EQ(findings[0].notes.at(0).message, "likely cause: it is four");
  EXPECT_EQ(findings[0].help, "write four");
  ASSERT_EQ(findings[0].edits.size(), 1u);
  EXPECT_EQ(findings[0].edits[0].replaces, "two");
  EXPECT_TRUE(findings[1].notes.empty());
  EXPECT_EQ(findings[1].help, "the lines proposed for line 1 repair this too");
}

TEST_F(RemediesTest, ACauseThatDoesNotRepairIsNotNamed) {
  findings.add(fault(1, {"x"}));
  const std::vector<Remedy> causes = {causeOf("three")};
  proveRemedies(
      findings, "k.pto", "one\ntwo\n",
      [&](const std::string &text) -> std::optional<FindingList> {
        return has(text, "x") && has(text, "two") ? FindingList() : listOf({fault(9, {})});
      },
      causes);
  EXPECT_EQ(findings[0].help, "add x");
  EXPECT_TRUE(findings[0].notes.empty());
}

TEST_F(RemediesTest, ASuggestedCauseIsNamedWhereItMayShow) {
  findings.add(makeFinding("ub-out-of-bounds", {"k.pto", 1, 1}, "too far"));
  findings.add(fault(2, {"x"}));
  findings.add(makeFinding("flag-leftover", {"k.pto", 3, 1}, "still set"));
  suggestRemedies(findings, causeOf("three"));
  EXPECT_TRUE(findings[0].notes.empty());
  EXPECT_EQ(findings[1].notes.at(0).message, "likely cause: it is three");
  EXPECT_EQ(findings[1].help, "write three; this is a suggestion, it was not tried");
  EXPECT_EQ(findings[2].help, "what is proposed for line 2 may repair this too");
}

TEST_F(RemediesTest, Suggestions) {
  findings.add(fault(1, {"x", "y"}));
  suggestRemedies(findings);
  EXPECT_EQ(findings[0].help, "add x; this is a suggestion, it was not tried");
  EXPECT_EQ(findings[0].edits.size(), 1u);
}

} // namespace
} // namespace ptoscope
