//===- EditsTest.cpp - lines into texts, and the difference ---------------===//

#include "ptoscope/Support/Edits.h"

#include <gtest/gtest.h>

namespace ptoscope {
namespace {

Edit before(uint32_t line, std::string text, uint32_t column = 3) {
  return {{"k.pto", line, column}, false, std::move(text)};
}
Edit after(uint32_t line, std::string text, uint32_t column = 1) {
  return {{"k.pto", line, column}, true, std::move(text)};
}

TEST(Edits, LinesGoToTheirPlaces) {
  EXPECT_EQ(withLines("a\n  b\n", {before(2, "x"), before(1, "y"), before(2, "z")}), "y\na\n  x\n  z\n  b\n");
  EXPECT_EQ(withLines("a\nb", {after(1, "x")}), "a\nx\nb");
  EXPECT_EQ(withLines("a\n", {after(1, "x", 0)}), "a\nx\n");
}

TEST(Edits, ALastLineWithoutAnEndGetsOne) { EXPECT_EQ(withLines("a\nb", {after(2, "x")}), "a\nb\nx\n"); }

TEST(Edits, IndentationAndLineEndsAreThoseOfTheText) {
  EXPECT_EQ(*applyEdits("k.pto", "  k(a);\n", std::vector{before(1, "x", 5)}), "  x\n  k(a);\n");
  EXPECT_EQ(*applyEdits("k.pto", "\t\ta\n", std::vector{before(1, "x")}), "\t\tx\n\t\ta\n");
  EXPECT_EQ(*applyEdits("k.pto", "  a\r\n", std::vector{before(1, "x\ny")}), "  x\r\n  y\r\n  a\r\n");
}

TEST(Edits, PlacesThatTheTextDoesNotHaveAreRefused) {
  auto refusal = [](const Edit &edit, const std::string &text) {
    Result<std::string> result = applyEdits("k.pto", text, std::span(&edit, 1));
    return result ? "" : result.finding().message;
  };
  EXPECT_EQ(refusal(before(3, "x"), "a\nb\n"), "`x` cannot be inserted: the file ends with line 2");
  EXPECT_EQ(refusal(before(1, "x"), "a\n"), "`x` cannot be inserted: the line has only 1 characters");
  EXPECT_EQ(refusal(before(0, "x"), "a\n"), "`x` cannot be inserted: it has no line");
  EXPECT_EQ(refusal({{"other.pto", 1, 1}, false, "x"}, "a\n"),
            "`x` cannot be inserted: it belongs to this file, not to `k.pto`");
  EXPECT_EQ(refusal(after(2, "x"), "a\nb\n"), "");
}

TEST(Edits, WordsAreReplacedWhereTheyStand) {
  const std::string text = "a\n  set(x, 5);\nb\n";
  const Edit change{{"k.pto", 2, 10}, false, "0", "5"}, removal{{"k.pto", 2, 3}, false, "", "set(x, 5);"};
  EXPECT_EQ(withLines(text, {change}), "a\n  set(x, 0);\nb\n");
  EXPECT_EQ(*applyEdits("k.pto", text, std::vector{change, before(2, "y")}), "a\n  y\n  set(x, 0);\nb\n");
  // A line without words goes; a comment stays.
  EXPECT_EQ(withLines(text, {removal}), "a\nb\n");
  EXPECT_EQ(withLines("a\n  set(x, 5); // why\n", {removal}), "a\n   // why\n");
  const Edit other{{"k.pto", 1, 1}, false, "0", "5"};
  EXPECT_EQ(withLines(text, {other}), text);
  Result<std::string> refused = applyEdits("k.pto", text, std::span(&other, 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.finding().message, "`5` cannot be replaced: something else stands there");
  EXPECT_EQ(linesAdded(change), 0);
  EXPECT_EQ(linesAdded(removal), -1);
  EXPECT_EQ(linesAdded(before(1, "x\ny")), 2);
}

TEST(Edits, WhatSeveralFindingsOfferIsThereOnce) {
  Finding first = makeFinding("race-raw", {"k.pto", 2, 1}, "a"), second = makeFinding("race-waw", {"k.pto", 3, 1}, "b");
  first.edits = {after(1, "set"), before(3, "wait"), before(3, "wait")};
  second.edits = {after(1, "set"), before(4, "wait")};
  const std::vector<Edit> edits = editsOf(std::vector{first, second});
  ASSERT_EQ(edits.size(), 4u);
  EXPECT_EQ(edits[3].place.line, 4u);
}

std::string numbers(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i)
    text += std::to_string(i) + "\n";
  return text;
}

TEST(Diff, HunksWithThreeLinesAround) {
  EXPECT_EQ(unifiedDiff("f", "a\n", "a\n"), "");
  EXPECT_EQ(unifiedDiff("f", numbers(1, 9), numbers(1, 4) + "x\n" + numbers(5, 9)),
            "--- f\n+++ f\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+x\n 5\n 6\n 7\n");
  EXPECT_EQ(unifiedDiff("f", "", "x\n"), "--- f\n+++ f\n@@ -0,0 +1 @@\n+x\n");
  EXPECT_EQ(unifiedDiff("f", "a\nb", "a\nc\n"),
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n");
  // Two changes that are near share a hunk, others do not.
  const std::string far =
      unifiedDiff("f", numbers(1, 30), "0\n" + numbers(1, 5) + "x\n" + numbers(6, 20) + numbers(22, 30));
  EXPECT_EQ(far, "--- f\n+++ f\n@@ -1,8 +1,10 @@\n+0\n 1\n 2\n 3\n 4\n 5\n+x\n 6\n 7\n 8\n"
                 "@@ -18,7 +20,6 @@\n 18\n 19\n 20\n-21\n 22\n 23\n 24\n");
}

TEST(Diff, NamesAreThoseThatPatchFinds) {
  EXPECT_TRUE(unifiedDiff("a b", "a\n", "b\n").starts_with("--- a b\t\n+++ a b\t\n@@"));
  EXPECT_TRUE(unifiedDiff("a\n\"b\\ c", "a\n", "b\n").starts_with("--- \"a\\012\\\"b\\\\ c\"\n+++ \"a"));
  EXPECT_TRUE(unifiedDiff("\xC3\xA9", "a\n", "b\n").starts_with("--- \xC3\xA9\n"));
}

TEST(Diff, ColoursEndWithTheirLine) {
  EXPECT_EQ(unifiedDiff("f", "a\n", "b\n", true),
            "\033[1m--- f\033[0m\n\033[1m+++ f\033[0m\n\033[36m@@ -1 +1 @@\033[0m\n"
            "\033[31m-a\033[0m\n\033[32m+b\033[0m\n");
}

/// What the hunks make of the old text.
std::string patched(const std::string &old, const std::string &diff) {
  std::string result;
  size_t at = 0; // of `old`
  auto takeOld = [&] {
    size_t end = old.find('\n', at) + 1;
    std::string line = old.substr(at, end - at);
    at = end;
    return line;
  };
  size_t taken = 0;
  for (size_t begin = 0; begin < diff.size();) {
    size_t end = diff.find('\n', begin) + 1;
    const std::string line = diff.substr(begin, end - begin);
    begin = end;
    if (line.starts_with("---") || line.starts_with("+++"))
      continue;
    if (line.starts_with("@@")) {
      size_t start = std::stoul(line.substr(4));
      const bool empty = line.find(",0 +") != std::string::npos;
      for (; taken + 1 < start + empty; ++taken)
        result += takeOld();
    } else if (line[0] == '+') {
      result += line.substr(1);
    } else {
      std::string kept = takeOld();
      ++taken;
      EXPECT_EQ(kept, line.substr(1));
      if (line[0] == ' ')
        result += kept;
    }
  }
  return result + old.substr(at);
}

TEST(Diff, RandomTextsArePatchedBack) {
  uint64_t state = 1;
  auto draw = [&](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 2000; ++round) {
    std::string texts[2];
    for (std::string &text : texts)
      for (uint64_t lines = draw(30); lines > 0; --lines)
        text += std::string(1, char('a' + draw(4))) + "\n";
    const std::string diff = unifiedDiff("f", texts[0], texts[1]);
    ASSERT_EQ(patched(texts[0], diff), texts[1]) << diff;
  }
  // More differences than are looked for: replaced as a whole.
  const std::string many = numbers(1, 3000), others = numbers(5000, 8000);
  EXPECT_EQ(patched(many, unifiedDiff("f", many, others)), others);
}

} // namespace
} // namespace ptoscope
