//===- WordsTest.cpp - how reports write things ---------------------------===//

#include "ptoscope/Machine/OrderSentences.h"

#include <gtest/gtest.h>

using namespace ptoscope;

namespace {
struct WordsTest : ::testing::Test {
  SiteTable pto, cpp{Language::Cpp};
  SiteId add(SiteTable &table, const char *op, const char *token = "", const char *event = "") {
    Site site;
    site.place = {"k.pto", 24, 5};
    site.op = op;
    site.token = token;
    site.event = event;
    return table.add(std::move(site));
  }
};
} // namespace

TEST_F(WordsTest, Numbers) {
  EXPECT_EQ(hex(0), "0x0");
  EXPECT_EQ(hex(0, 4), "0x0000");
  EXPECT_EQ(hex(0x1f, 4), "0x001f");
  EXPECT_EQ(hex(UINT64_MAX), "0xffffffffffffffff");
  EXPECT_EQ(plural(0, "byte"), "0 bytes");
  EXPECT_EQ(plural(1, "byte"), "1 byte");
  EXPECT_EQ(timesText(1), "once");
  EXPECT_EQ(timesText(12), "12 times");
  EXPECT_EQ(executionText(0), "the 1st time this line runs");
  EXPECT_EQ(executionText(11), "the 12th time this line runs");
  EXPECT_EQ(executionText(21), "the 22nd time this line runs");
  EXPECT_EQ(executionText(112), "the 113th time this line runs");
}

TEST_F(WordsTest, PlacesAndBytes) {
  EXPECT_EQ(lineText({"k.pto", 3, 7}), "k.pto:3");
  EXPECT_EQ(placeText({"k.pto", 3, 7}), "k.pto:3:7");
  EXPECT_EQ(lineText({}), "an unknown place");
  EXPECT_EQ(placeText({}), "an unknown place");
  EXPECT_EQ(pipeText(4), "PIPE_MTE2");
  EXPECT_EQ(pipeText(11), "pipe number 11");
  EXPECT_EQ(bytesText({"ub", "", 0, 256}), "UB bytes 0x0000..0x00ff (256 bytes)");
  EXPECT_EQ(bytesText({"gm", "%arg0", 4, 5}), "GM parameter `%arg0` bytes 0x0004..0x0004 (1 byte)");
  EXPECT_EQ(spaceText({"gm", "", 0, 1}), "GM");
}

TEST_F(WordsTest, Gaps) {
  EXPECT_EQ(fill("{0} {0:hex} {0:hex4} {0:byte} {1:`} {op}, {access}", {31, "x"}, "`a`", "`a` \"NORM\""),
            "31 0x1f 0x001f 31 bytes `x` `a`, `a` \"NORM\"");
  EXPECT_EQ(fill("no gap", {}), "no gap");
  EXPECT_EQ(fill("{0}{1}{2}{3}{4}", {-4, Pipe::V, Space::L0A, CoreId{2}, Place{"f", 2, 1}}), "-4PIPE_VL0AAIV1f:2");
}

TEST_F(WordsTest, LinesInBothLanguages) {
  Words text(&pto), code(&cpp);
  SiteId named = add(pto, "pto.set_flag", "", "READY");
  EXPECT_EQ(text.flagLine("set_flag", Pipe::V, Pipe::MTE3, 2),
            "pto.set_flag[\"PIPE_V\", \"PIPE_MTE3\", \"EVENT_ID2\"]");
  EXPECT_EQ(text.flagLine("wait_flag", Pipe::V, Pipe::MTE3, 2, named),
            "pto.wait_flag[\"PIPE_V\", \"PIPE_MTE3\", \"READY\"]");
  EXPECT_EQ(code.flagLine("wait_flag", Pipe::V, Pipe::MTE3, 2), "wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);");
  EXPECT_EQ(text.barrierLine(Pipe::V), "pto.pipe_barrier \"PIPE_V\"");
  EXPECT_EQ(text.barrierLine(Pipe::All), "pto.barrier #pto.pipe<PIPE_ALL>");
  EXPECT_EQ(code.barrierLine(Pipe::All), "pipe_barrier(PIPE_ALL);");
  EXPECT_EQ(text.flagText(Pipe::V, Pipe::MTE3, 2, named), "PIPE_V -> PIPE_MTE3, EVENT_ID2 (`READY`)");
  EXPECT_EQ(text.flagText(Pipe::V, Pipe::MTE3, 2, kNoSite), "PIPE_V -> PIPE_MTE3, EVENT_ID2");
  EXPECT_EQ(bufferLine("rls_buf", Pipe::V, 3), "pto.rls_buf \"PIPE_V\", 3, 0");
  EXPECT_EQ(semaphoreLine("set", Pipe::FIX, 19), "pto.sync.set <PIPE_FIX>, 19");
  EXPECT_EQ(fenceLine(Fence::VST_VLD), "pto.mem_bar \"VST_VLD\"");
}

TEST_F(WordsTest, AFactBecomesAFinding) {
  SiteId load = add(pto, "pto.vlds", "NORM");
  Finding f = Words(&pto).finding(load, say::kVectorMisaligned("reads", 4, 32));
  EXPECT_EQ(f.code, "ub-misaligned");
  EXPECT_EQ(f.severity, Severity::Error);
  EXPECT_EQ(f.place.line, 24u);
  EXPECT_EQ(f.message, "`pto.vlds` \"NORM\" reads UB at byte 0x4, which is not a multiple of 32");
  EXPECT_EQ(f.help, "align the address, or use the instructions for unaligned access");
  Finding other = Words(&pto).finding(load, say::kScopeFault.as("local-out-of-bounds")(Space::L1, 0x20, 1, 32));
  EXPECT_EQ(other.code, "local-out-of-bounds");
  EXPECT_EQ(other.message, "an access of `pto.vlds` touches L1 byte 0x20, 1 byte beyond its 32 bytes");
  EXPECT_EQ(Words().finding(kNoSite, say::kTrap()).message, "the program reached the instruction");
}
