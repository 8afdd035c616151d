//===- CodesTest.cpp - the table of codes ---------------------------------===//
//
// The pattern that rows and pages follow, and the search by name.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Finding.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

using namespace ptoscope;

namespace {

TEST(Codes, AreSortedAndUnique) {
  for (size_t i = 1; i < codes().size(); ++i)
    EXPECT_LT(codes()[i - 1].code, codes()[i].code);
}

TEST(Codes, RowsFollowThePattern) {
  for (const CodeInfo &row : codes()) {
    SCOPED_TRACE(std::string(row.code));
    EXPECT_EQ(findCode(row.code), &row);
    for (char c : row.code)
      EXPECT_TRUE((c >= 'a' && c <= 'z') || c == '-');
    EXPECT_FALSE(row.title.empty());
    EXPECT_LE(row.title.size(), 60u);
    EXPECT_FALSE(row.title.ends_with('.'));
    EXPECT_EQ(row.title.find('\n'), std::string_view::npos);
    // The manual leaves it undefined: a warning. Wrong use and bugs: errors.
    if (row.category == Category::UndefinedByManual)
      EXPECT_EQ(row.severity, Severity::Warning);
    if (row.category == Category::Usage || row.category == Category::Internal)
      EXPECT_EQ(row.severity, Severity::Error);
  }
}

TEST(Codes, PagesFollowThePattern) {
  for (const CodeInfo &row : codes()) {
    SCOPED_TRACE(std::string(row.code));
    // That there are five parts is checked when the table is compiled.
    for (std::string_view part :
         {row.page.meaning, row.page.example, row.page.repair, row.page.ignore, row.page.assumes}) {
      EXPECT_FALSE(part.empty());
      EXPECT_FALSE(part.starts_with('\n') || part.ends_with('\n')) << part;
      EXPECT_EQ(part.find("\n\nRepair"), std::string_view::npos) << part;
    }
    EXPECT_TRUE(row.page.example.starts_with("  ")) << row.page.example;
    std::istringstream text{std::string(row.page.text)};
    size_t lines = 0;
    for (std::string line; std::getline(text, line); ++lines) {
      // Columns, not bytes: an ellipsis is one character.
      size_t columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
      EXPECT_LE(columns, 90u) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    EXPECT_GE(lines, 8u);
    EXPECT_LE(lines, 20u);
  }
}

TEST(Codes, HaveTheSeverityTheyAreKnownFor) {
  auto severity = [](std::string_view code) { return findCode(code)->severity; };
  auto category = [](std::string_view code) { return findCode(code)->category; };
  EXPECT_EQ(severity("race-raw"), Severity::Error);
  EXPECT_EQ(severity("flag-leftover"), Severity::Warning);
  EXPECT_EQ(severity("init-store-gm"), Severity::Remark);
  EXPECT_EQ(severity("gm-stride-overlap"), Severity::Warning);
  EXPECT_EQ(severity("stride-overlap"), Severity::Error);
  EXPECT_EQ(category("not-modelled"), Category::NotModelled);
  EXPECT_EQ(category("queue-exhausted"), Category::NotModelled);
  EXPECT_EQ(category("negative-tail-count"), Category::UndefinedByManual);
  EXPECT_EQ(category("file-error"), Category::Usage);
  EXPECT_EQ(category("internal-error"), Category::Internal);
}

TEST(Codes, UnknownOnes) {
  EXPECT_EQ(findCode("no-such-code"), nullptr);
  EXPECT_EQ(findCode(""), nullptr);
  EXPECT_EQ(nearestCode("race-rav"), "race-raw");
  EXPECT_EQ(nearestCode("dedlock"), "deadlock");
  EXPECT_EQ(nearestCode("race"), "race-raw");
  EXPECT_EQ(nearestCode("misaligned"), "gm-misaligned"); // before ub-misaligned by name
  EXPECT_EQ(nearestCode("RACE-RAW"), "race-raw");
  EXPECT_EQ(nearestCode("race-rwa"), "race-raw"); // one mistake, not two
  // What no code resembles gets none.
  for (const std::string &word : {std::string(), std::string("a"), std::string("bogus"), std::string(100000, 'x')})
    EXPECT_EQ(nearestCode(word), "") << word.substr(0, 20);
}

} // namespace
