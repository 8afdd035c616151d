//===- AnchorsTest.cpp - published figures, read and understood -----------===//

#include "ptoscope/Validate/Programs.h"

#include <gtest/gtest.h>

using namespace ptoscope;
using namespace ptoscope::validate;

namespace {

const std::string kHead =
    "# a comment\nid\tprofile\tkind\tname\tdtype\tshape\textra\tvalue\tunit\tconv\tsource\tnotes\n";

Anchor only(const std::string &row) {
  Result<std::vector<Anchor>> anchors = parseAnchors(kHead + row, "f.tsv");
  EXPECT_TRUE(anchors) << (anchors ? "" : anchors.finding().message);
  return anchors->at(0);
}
std::string failure(const std::string &text, uint32_t line) {
  Result<std::vector<Anchor>> anchors = parseAnchors(text, "f.tsv");
  if (anchors)
    return "it was read";
  EXPECT_EQ(anchors.finding().place.file, "f.tsv");
  EXPECT_EQ(anchors.finding().place.line, line);
  EXPECT_EQ(anchors.finding().category, Category::Usage);
  EXPECT_FALSE(anchors.finding().help.empty());
  return anchors.finding().message;
}

TEST(Anchors, Row) {
  Anchor anchor =
      only("c1\tA2/A3\top\tTADD\tf16\t16x256\ttile=16x300;loop=2D\t92\tcycles\tlatency\tT\tsuspect: no\r\n");
  EXPECT_EQ(anchor.profile, ProfileId::A3);
  EXPECT_EQ(anchor.extents, (std::vector<int64_t>{16, 256}));
  EXPECT_EQ(anchor.value, 92);
  EXPECT_EQ(anchor.convention, Anchor::Convention::Latency);
  EXPECT_EQ(anchor.line, 3u);
  EXPECT_TRUE(anchor.isSuspect());
}

TEST(Anchors, Fields) {
  Fields fields("S0=S1=4096;D=128;base=128x64x256(MxKxN);24 cores;cores=S0/128;split 2x12");
  EXPECT_EQ(fields.number("S0"), 4096);
  EXPECT_EQ(fields.number("S1"), 4096);
  EXPECT_EQ(fields.extents("base"), (std::vector<int64_t>{128, 64, 256}));
  EXPECT_EQ(fields.before("cores"), 24);
  EXPECT_EQ(fields["cores"], "S0/128");
  EXPECT_FALSE(fields.number("cores"));
  EXPECT_TRUE(fields.says("split 2x12"));
  EXPECT_TRUE(fields.extents("D2").empty());
}

TEST(Anchors, RowsOfOneRunHaveOneName) {
  std::string task = "a\tA5\tkernel\tz=x+y f16\tf16\t64x64\tcores=2;metric=task\t5\tus\n";
  std::string busy = "b\tA5\tkernel\tz=x+y f16\tf16\t64x64\tcores=2;metric=vec_busy\t5\tus\n";
  EXPECT_EQ(only(task).run(), only(busy).run());
  EXPECT_NE(only(task).run(), only("c\tA5\tkernel\tz=x+y f16\tf16\t64x64\tcores=3;metric=task\t5\tus\n").run());
}

TEST(Anchors, MalformedRows) {
  EXPECT_EQ(failure(kHead, 0), "the table has no row");
  EXPECT_EQ(failure("id\tprofile\n", 1), "the columns are not those of timing figures");
  EXPECT_EQ(failure(kHead + "c1\tA5\top\n", 3), "the row has 3 columns, not 12");
  auto row = [](std::string profile, std::string kind, std::string shape, std::string value, std::string unit,
                std::string conv) {
    return kHead + "c1\t" + profile + "\t" + kind + "\tTADD\tf32\t" + shape + "\t\t" + value + "\t" + unit + "\t" +
           conv + "\tT\t\n";
  };
  EXPECT_EQ(failure(row("A7", "op", "8x8", "1", "us", ""), 3), "`A7` is not a profile");
  EXPECT_EQ(failure(row("A5", "oop", "8x8", "1", "us", ""), 3), "`oop` is not a kind");
  EXPECT_EQ(failure(row("A5", "op", "8by8", "1", "us", ""), 3), "the shape `8by8` is not of the form ROWSxCOLUMNS");
  EXPECT_EQ(failure(row("A5", "op", "8x0", "1", "us", ""), 3), "the shape `8x0` is not of the form ROWSxCOLUMNS");
  for (std::string value : {"", "x", "-1", "0", "nan", "inf", "1e", "1 "})
    EXPECT_EQ(failure(row("A5", "op", "8x8", value, "us", ""), 3), "the value `" + value + "` is not a number above 0");
  EXPECT_EQ(failure(row("A5", "op", "8x8", "1", "ms", ""), 3), "`ms` is not a unit");
  EXPECT_EQ(failure(row("A5", "op", "8x8", "1", "us", "both"), 3), "`both` is not a convention (column `conv`)");
  std::string fine = row("A5", "op", "8x8", "1", "us", "");
  EXPECT_EQ(failure(fine + fine.substr(fine.find("c1")), 4), "the id `c1` was used before");
  EXPECT_EQ(failure(row("A5", "kernel", "8x8", "1", "us", ""), 3),
            "the row of a kernel does not say what was measured");
}

Work work(const std::string &row) {
  OrReason<Work> work = workOf(only(row + "\t5\tcycles\n"));
  EXPECT_TRUE(work.value) << work.reason;
  return work.value.value_or(Work{});
}

TEST(Ops, Vector) {
  Work add = work("a\tA5\top\tTADD\tf32\t10x577\ttile=10x672;loop=2D");
  EXPECT_EQ(add.kind, Work::Kind::Vector);
  EXPECT_EQ(add.timing, Timing::vadd);
  EXPECT_STREQ(add.name, "TADD");
  EXPECT_EQ(add.rows, 10u);
  EXPECT_EQ(add.cols, 577u);
  EXPECT_FALSE(add.isContiguous);
  EXPECT_FALSE(add.isScalarForm);
  EXPECT_TRUE(work("a\tA5\top\tTADD\tf32\t1x64\ttile=1x64;loop=1D").isContiguous);
  EXPECT_TRUE(work("a\tA2/A3\top\tTMULS\tf32\t7x448\t").isScalarForm);
  EXPECT_FALSE(work("a\tA2/A3\top\tTABS\tf32\t64x64\t").isScalarForm);
  EXPECT_TRUE(work("a\tA2/A3\top\tTSQRT\tf32\t64x64\tinplace=true").isInPlace);
  EXPECT_TRUE(work("a\tA5\top\tTRECIP\tf16\t3x128\tvariant=high_precision").isExact);
  Work convert = work("a\tA5\top\tTCVT\tbf16->e1m2x2\t3x192\t");
  EXPECT_EQ(convert.fromBits, 16);
  EXPECT_EQ(convert.toBits, 4);
}

TEST(Ops, OtherKinds) {
  Work product = work("a\tA2/A3\top\tTMATMUL\tf16\t40x50x60\tMxKxN");
  EXPECT_EQ(product.kind, Work::Kind::Product);
  EXPECT_EQ(std::tuple(product.rows, product.depth, product.cols), std::tuple(40u, 50u, 60u));
  Work load = work("a\tA2/A3\top\tTLOAD\tf32\t256x60\tGM->UB;ND;transfers=8;rows=32;rowbytes=240");
  EXPECT_EQ(load.kind, Work::Kind::Transfer);
  EXPECT_EQ(std::tuple(load.from, load.to), std::tuple(Space::Gm, Space::Ub));
  EXPECT_EQ(std::tuple(load.bytes, load.bursts, load.transfers), std::tuple(uint64_t(61440), 256u, 8u));
  Work blocked = work("a\tA2/A3\top\tTLOAD_CONV\tf16\t1x2x4x4\tGM->L1;C0=16");
  EXPECT_EQ(blocked.bytes, 1024u);
  EXPECT_FALSE(workOf(only("a\tA5\top\tTNOSUCH\tf32\t8x8\t\t5\tcycles\n")).value);
  EXPECT_FALSE(workOf(only("a\tA5\top\tTADD\tf33\t8x8\t\t5\tcycles\n")).value);
  EXPECT_FALSE(workOf(only("a\tA5\top\tTMATMUL\tf16\t8x8\t\t5\tcycles\n")).value);
  EXPECT_FALSE(workOf(only("a\tA5\top\tTLOAD\tf16\t8x8\t\t5\tcycles\n")).value);
}

Recipe recipe(const std::string &row) {
  OrReason<Recipe> recipe = recipeOf(only(row + ";metric=task\t5\tus\n"));
  EXPECT_TRUE(recipe.value) << recipe.reason;
  return recipe.value.value_or(Recipe{});
}

TEST(Programs, Product) {
  Recipe gemm =
      recipe("a\tA2/A3\tkernel\tgemm f16->f32\tf16\t3072x1024x2048\tcores=24;split=4x6;base=128x64x256(MxKxN);stepK=4");
  EXPECT_EQ(gemm.extent, 3072); // rows: rounds of products repeat
  Program program = gemm.program(512);
  EXPECT_EQ(program.kernel, "f32");
  EXPECT_EQ(program.blocks, 24);
  std::string text = program.text();
  EXPECT_NE(text.find("!a_l1 = !pto.tile_buf<mat, 128x256xf16,"), std::string::npos);
  EXPECT_NE(text.find("!right = !pto.tile_buf<right, 64x256xf16,"), std::string::npos);
  EXPECT_NE(text.find("%step_k = arith.constant 256 "), std::string::npos);
  ASSERT_EQ(program.arguments.size(), 11u);
  EXPECT_EQ(program.arguments[0].value, 512u * 1024 * 2);
  EXPECT_EQ(program.arguments[6].value, 4u); // rows of the grid
  EXPECT_EQ(program.arguments[7].value, 2u); // buffers in L1
  EXPECT_EQ(program.arguments[10].value, 0u);
  EXPECT_FALSE(gemm.hasUnitFlags);
  Recipe first =
      recipe("a\tA5\tkernel\tmatmul f16->f16 (B transposed)\tf16\t512x512x512\tcase=2;cores=4;base=256x64x256(MxKxN)");
  Program early = first.program(512);
  ASSERT_EQ(early.arguments.size(), 11u);
  EXPECT_EQ(early.arguments[7].value, 1u);
  EXPECT_EQ(early.arguments[10].value, 1u); // TIME-44
  EXPECT_TRUE(first.hasUnitFlags);
  // Other base blocks give other types; the depth of a transfer shrinks until two buffers fit into L1.
  Program wide =
      recipe("a\tA5\tkernel\tmatmul f16\tf16\t512x512x512\tcores=4;base=256x64x256(MxKxN);stepKa=8").program(512);
  EXPECT_NE(wide.text().find("!a_l1 = !pto.tile_buf<mat, 256x256xf16,"), std::string::npos)
      << wide.text().substr(0, 1500);
}

TEST(Programs, LongKernelsShrink) {
  Recipe gemm = recipe("a\tA2/A3\tkernel\tgemm f16->f32\tf16\t8192x8192x8192\tcores=24");
  ASSERT_EQ(gemm.small.size(), 2u);
  EXPECT_LT(gemm.small[1] * 4, gemm.extent);
  EXPECT_EQ(gemm.small[1], 2 * gemm.small[0]);
}

TEST(Programs, Attention) {
  Recipe attention =
      recipe("a\tA2/A3\tkernel\tflash attention f16 (jit demo)\tf16\tS0=512;S1=4096;D=128\tcores=S0/128");
  EXPECT_EQ(attention.program(4096).blocks, 4);
  EXPECT_EQ(attention.extent, 4096);
}

TEST(Programs, None) {
  auto reason = [](const std::string &row) { return recipeOf(only(row + ";metric=task\t5\tus\n")).reason; };
  EXPECT_EQ(reason("a\tA5\tkernel\tno such kernel\tf16\t8x8\tcores=1"), "there is no program for `no such kernel`");
  EXPECT_EQ(reason("a\tA5\tkernel\tGM->UB copy\tf16\t8x8\tcores=1"), "the row does not say `tile=ROWSxCOLUMNS`");
  EXPECT_EQ(reason("a\tA5\tkernel\tgemm f16\tf16\t8x8x8\tbase=512x64x256"),
            "the base block does not fit into half of L0");
}

} // namespace
