//===- TextOperandsTest.cpp - operands that text cannot have --------------===//

#include "TextPrograms.h"

#include <algorithm>

namespace {
using namespace text;

TEST(TextOperands, WithoutARun) {
  auto problem = [](const char *record, std::vector<TileView> tiles, std::vector<int64_t> view = {}) {
    PtoTileCall call{};
    call.record = indexOf(record);
    call.tiles = uint32_t(tiles.size());
    for (size_t i = 0; i < tiles.size(); ++i)
      call.tile[i] = &tiles[i];
    GlobalView global{};
    global.ref.elem = tiles[0].ref.elem;
    for (size_t k = 0; k < 5; ++k)
      global.ref.shape[k] = k < 3 || view.empty() ? 1 : view[k - 3];
    if (!view.empty())
      call.global = &global;
    const Fact fact = staticProblem(call, Rules::Text, /*scalars=*/true);
    return fact.code ? findingOf(fact, {}, "pto.op").message : "";
  };
  auto tile = [](Elem elem, int rows, int cols) {
    TileView result = vec(elem, {8, 64});
    result.ref.validRows = rows;
    result.ref.validCols = cols;
    return result;
  };
  const TileView a = tile(Elem::f32, 8, 40), open = tile(Elem::f32, -1, 40), other = tile(Elem::f32, 8, 41);
  EXPECT_EQ(problem("TADD", {a, a, a}), "");
  EXPECT_EQ(problem("TADD", {a, open, a}), "");
  EXPECT_EQ(problem("TADD", {open, a, other}), "");
  EXPECT_NE(problem("TADD", {a, a, other}), "");
  EXPECT_NE(problem("TADD", {a, a, tile(Elem::f16, 8, 40)}), "");
  EXPECT_EQ(problem("TLOAD", {a}, {8, 40}), "");
  EXPECT_EQ(problem("TLOAD", {a}, {8, 64}), "");
  EXPECT_EQ(problem("TLOAD", {a}, {-1, 3}), "");
  EXPECT_NE(problem("TLOAD", {a}, {8, 39}), "");
  EXPECT_NE(problem("TLOAD", {a}, {9, 40}), "");
  EXPECT_EQ(problem("TSTORE", {a}, {40, 8}), "");
  EXPECT_NE(problem("TSTORE", {a}, {8, 41}), "");
}

TEST(TextOperands, OperandsThatTypesOfCppRefuse) {
  auto found = [](const char *record, std::vector<TileView> types, uint32_t mode = 0) {
    return onUb([=](Program &p) {
             std::vector<TileView> tiles = types;
             std::vector<const TileView *> operands;
             for (size_t i = 0; i < tiles.size(); ++i) {
               tiles[i] = p.alloc(tiles[i], int64_t(4096 * i));
               operands.push_back(&tiles[i]);
             }
             p.issue(record, operands, nullptr, {}, mode);
           })
        .found;
  };
  const TileView f32 = vec(Elem::f32, {8, 64}), i16 = vec(Elem::i16, {8, 64}), i64 = vec(Elem::i64, {8, 8}),
                 mat = typeOf(TileType::Mat, Elem::f32, {8, 64}), half = vec(Elem::f16, {8, 64});
  EXPECT_EQ(found("TADD", {f32, f32, f32}), "");
  EXPECT_EQ(found("TADD", {f32, f32, i16}),
            "verify-error: `pto.tadd` breaks TIR-11: it does not take this element type for `%src1`\n");
  EXPECT_EQ(found("TADD", {i64, i64, i64}),
            "verify-error: `pto.tadd` breaks TIR-11: it does not take this element type for `%dst`\n");
  EXPECT_EQ(found("TADD", {f32, f32, mat}),
            "verify-error: `pto.tadd` breaks TIR-11: it does not take a tile of this memory as `%src1`\n");
  EXPECT_EQ(found("TADD", {f32, f32, f32, f32}),
            "verify-error: `pto.tadd` breaks IRX-2: it does not take so many tiles\n");
  EXPECT_EQ(found("TMOV", {i16, half}), "");
  EXPECT_EQ(found("TMOV", {i16, f32}),
            "verify-error: `pto.tmov` breaks TIR-11: it does not convert between the elements of its operands\n");
  EXPECT_EQ(found("TCVT", {vec(Elem::e4m3, {8, 64}), i16}),
            "verify-error: `pto.tcvt` breaks TIR-11: it does not convert between the elements of its operands\n");
  EXPECT_EQ(found("TAXPY", {f32, half}), "");
  EXPECT_EQ(found("TAXPY", {half, f32}),
            "verify-error: `pto.taxpy` breaks TIR-11: it does not convert between the elements of its operands\n");
  const TileView column = typeOf(TileType::Vec, Elem::f32, {64, 8}, BLayout::ColMajor);
  EXPECT_EQ(found("TROWSUM", {typeOf(TileType::Vec, Elem::f32, {64, 1}, BLayout::ColMajor), column}),
            "verify-error: `pto.trowsum` breaks TIR-11: `%src` has to be `row_major` without boxes\n");
  EXPECT_EQ(found("TROWSUM", {typeOf(TileType::Vec, Elem::f32, {64, 1}, BLayout::ColMajor), vec(Elem::f32, {64, 8})}),
            "");
  EXPECT_EQ(found("TCMP", {vec(Elem::u8, {64, 32}), column, column}),
            "verify-error: `pto.tcmp` breaks TIR-11: `%src0` has to be `row_major` without boxes\n");
  EXPECT_EQ(found("TCMP", {vec(Elem::u8, {8, 32}), f32, vec(Elem::i32, {8, 64})}),
            "verify-error: `pto.tcmp` breaks TIR-11: it does not take this element type for `%src1`\n");
  // 256 counts do not fit.
  EXPECT_EQ(found("THISTOGRAM", {vec(Elem::u32, {8, 64}), vec(Elem::u16, {8, 64}), vec(Elem::u8, {8, 32})}, 1),
            "tile-shape: `%dst` of `pto.thistogram` has 8 x 64 elements, and needs 8 x 256\n");
}

} // namespace
