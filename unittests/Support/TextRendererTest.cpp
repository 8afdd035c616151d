//===- TextRendererTest.cpp - snapshots of the text form ------------------===//
//
// Whole outputs, since their exact form is what people see.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/TextRenderer.h"
#include "Samples.h"

using namespace ptoscope;

namespace {

SourceLines oneLine(std::string text) {
  return [text](const std::string &, uint32_t) { return std::optional<std::string>(text); };
}

TEST(TextRenderer, EveryField) {
  EXPECT_EQ(renderText(sampleRace(), {oneLine("    %z = pto.vadd %x, %y\n"), false}),
            R"(add.pto:31:5: error[race-raw]: `vadd` reads `x` while `mte_gm_ub` may still be writing it
   31 |     %z = pto.vadd %x, %y
      |     ^
   note: UB bytes 0x0000..0x03ff, loop iteration 2 (from 0)
add.pto:27:5: note: the write is issued here on MTE2, unordered with V
   note: both belong to block 0
   note: seen 4 times
   help: after line 27 set a flag from MTE2 to V and wait for it before line 31
   after line 27: pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID2"]
   before line 31: pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID2"]
)");
}

TEST(TextRenderer, BareFindings) {
  std::vector<Finding> findings = {
      makeFinding("usage", {}, "parameter 1 (`%y`) has no `--arg`"),
      makeFinding("file-error", {"x.npy", 0, 0}, "cannot read this file: no such file or directory"),
      makeFinding("flag-leftover", {"a.pto", 7, 0}, "a flag is left"),
      makeFinding("transfer-empty", {"a.pto", 123456, 2}, "nothing to move"),
  };
  EXPECT_EQ(renderText(findings, {oneLine("x"), false}),
            R"(ptoscope: error[usage]: parameter 1 (`%y`) has no `--arg`
x.npy: error[file-error]: cannot read this file: no such file or directory
a.pto:7: warning[flag-leftover]: a flag is left
    7 | x
a.pto:123456:2: remark[transfer-empty]: nothing to move
123456 | x
       |  ^
)");
  EXPECT_EQ(renderText(std::span<const Finding>()), "");
}

TEST(TextRenderer, Categories) {
  EXPECT_EQ(renderText(makeFinding("negative-tail-count", {"a.pto", 1, 1}, "the count is -3")),
            R"(a.pto:1:1: warning[negative-tail-count]: the count is -3
   note: no manual defines this; results on hardware may differ
)");
  EXPECT_EQ(renderText(makeFinding("not-modelled", {"a.pto", 1, 1}, "`pto.x` is not modelled")),
            R"(a.pto:1:1: error[not-modelled]: `pto.x` is not modelled
   note: this is a limit of PTOScope, not a fault of the program
)");
  EXPECT_NE(renderText(makeFinding("internal-error", {}, "oops")).find("note: this is a bug in PTOScope"),
            std::string::npos);
}

TEST(TextRenderer, BytesAndIterations) {
  Finding finding = makeFinding("gm-out-of-bounds", {"a.pto", 2, 3}, "m");
  finding.bytes = ByteRange{"gm", "%arg0", 0x12340, 0x12341};
  finding.iterations = {3, 0, 2};
  EXPECT_EQ(renderText(finding), R"(a.pto:2:3: error[gm-out-of-bounds]: m
   note: GM byte 0x12340 of `%arg0`, loop iterations 3, 0, 2 (from 0, outermost first)
)");
  finding.bytes->end = finding.bytes->begin; // an empty range names its place
  finding.iterations.clear();
  EXPECT_EQ(renderText(finding), R"(a.pto:2:3: error[gm-out-of-bounds]: m
   note: GM bytes 0x12340 of `%arg0`
)");
  finding.bytes = ByteRange{"gm", "%arg0", uint64_t(-64), 192}; // it begins in front of the buffer
  EXPECT_EQ(renderText(finding), R"(a.pto:2:3: error[gm-out-of-bounds]: m
   note: GM bytes -0x0040..0x00bf of `%arg0`
)");
}

TEST(TextRenderer, CaretFollowsTabsAndWideCharacters) {
  Finding finding = makeFinding("parse-error", {"a.pto", 1, 7}, "m");
  EXPECT_EQ(renderText(finding, {oneLine("\t// \xc3\xa9x"), false}),
            "a.pto:1:7: error[parse-error]: m\n    1 | \t// \xc3\xa9x\n      | \t    ^\n");
  finding.place.column = 99; // outside the line: no caret
  EXPECT_EQ(renderText(finding, {oneLine("x"), false}), "a.pto:1:99: error[parse-error]: m\n    1 | x\n");
  SourceLines none = [](const std::string &, uint32_t) { return std::nullopt; };
  EXPECT_EQ(renderText(finding, {none, false}), "a.pto:1:99: error[parse-error]: m\n");
}

TEST(TextRenderer, ControlCharactersStayOut) {
  Finding finding = makeFinding("parse-error", {"a\033[2J.pto", 1, 1}, "bad \033[31m\rtext\nsecond line");
  EXPECT_EQ(renderText(finding, {oneLine("\033]0;title\007"), false}),
            "a?[2J.pto:1:1: error[parse-error]: bad ?[31m?text\n   second line\n    1 | ?]0;title?\n      | ^\n");
}

TEST(TextRenderer, LongLinesAreCut) {
  std::string line = std::string(5000, 'a') + "X" + std::string(5000, 'b');
  Finding finding = makeFinding("parse-error", {"a.pto", 1, 5001}, "m");
  EXPECT_EQ(renderText(finding, {oneLine(line), false}), "a.pto:1:5001: error[parse-error]: m\n    1 | ..." +
                                                             std::string(80, 'a') + "X" + std::string(79, 'b') +
                                                             "...\n      |    " + std::string(80, ' ') + "^\n");
  finding.place.column = 1;
  EXPECT_EQ(renderText(finding, {oneLine(line), false}),
            "a.pto:1:1: error[parse-error]: m\n    1 | " + std::string(160, 'a') + "...\n      | ^\n");
  finding.place.column = 10001;
  EXPECT_EQ(renderText(finding, {oneLine(line), false}), "a.pto:1:10001: error[parse-error]: m\n    1 | ..." +
                                                             std::string(160, 'b') + "\n      |    " +
                                                             std::string(159, ' ') + "^\n");
}

TEST(TextRenderer, Colours) {
  Finding finding = makeFinding("race-raw", {"a.pto", 1, 1}, "m");
  finding.help = "h";
  EXPECT_EQ(renderText(finding, {oneLine("x"), true}),
            "\033[1ma.pto:1:1:\033[0m \033[1;31merror[race-raw]:\033[0m m\n    1 | x\n      | "
            "\033[1;32m^\033[0m\n   \033[1;32mhelp:\033[0m h\n");
}

TEST(TextRenderer, Summary) {
  FindingList list(2);
  EXPECT_EQ(summarize(list), "");
  list.add(makeFinding("race-raw", {"a", 1, 1}, "m"));
  EXPECT_EQ(summarize(list), "1 error");
  list.add(makeFinding("race-raw", {"a", 2, 1}, "m"));
  list.add(makeFinding("flag-leftover", {"a", 3, 1}, "m"));
  list.add(makeFinding("transfer-empty", {"a", 4, 1}, "m"));
  EXPECT_EQ(summarize(list), "2 errors, 1 warning, 1 remark");
  list.add(makeFinding("race-raw", {"a", 5, 1}, "m"));
  EXPECT_EQ(summarize(list), "2 errors, 1 warning, 1 remark; 1 more finding is not listed");
}

// Lines that help does not quote are shown, also if they begin one that it does.
TEST(TextRenderer, LinesThatHelpDoesNotName) {
  Finding finding = makeFinding("race-raw", {"a.pto", 2, 3}, "m");
  finding.help = "add `pto.sync.set <PIPE_FIX>, 17` somewhere";
  finding.edits = {{{"a.pto", 4, 1}, false, "pto.sync.set <PIPE_FIX>, 1"},
                   {{"a.pto", 4, 1}, false, "pto.sync.set <PIPE_FIX>, 17"}};
  EXPECT_EQ(renderText(finding), "a.pto:2:3: error[race-raw]: m\n"
                                 "   help: add `pto.sync.set <PIPE_FIX>, 17` somewhere\n"
                                 "   before line 4: pto.sync.set <PIPE_FIX>, 1\n");
}

TEST(TextRenderer, CoresThatShowARepeat) {
  Finding finding = makeFinding("race-raw", {"a.pto", 2, 3}, "m");
  finding.cores = {"AIV0"};
  FindingList list;
  list.add(finding);
  EXPECT_EQ(renderText(list.all()[0]), "a.pto:2:3: error[race-raw]: m\n");
  list.add(finding);
  EXPECT_EQ(renderText(list.all()[0]), "a.pto:2:3: error[race-raw]: m\n   note: seen 2 times\n");
  finding.cores = {"AIV1"};
  list.add(finding);
  EXPECT_EQ(renderText(list.all()[0]), "a.pto:2:3: error[race-raw]: m\n   note: seen 3 times, on AIV0 and AIV1\n");
}

} // namespace
