//===- TextTransferTest.cpp - loads and stores of text --------------------===//
//
// IRLOAD and IRSTORE rules against walks that are written out here.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "TextPrograms.h"

#include <numeric>

namespace {
using namespace text;
using reference::Name;

std::vector<uint32_t> numbers(size_t n, uint32_t first = 1) {
  std::vector<uint32_t> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

struct View {
  std::vector<int64_t> shape, stride;
  int layout = -1;
};

/// Loads a view of `source` into a vec tile and gives UB, which was 0xee before.
Bytes load(const std::vector<uint32_t> &source, const View &view, const Name &name, Shape shape, Shape valid,
           std::string *found = nullptr) {
  Program p;
  p.automatic = true;
  Bytes ub(65536);
  const uint64_t gm = p.buffer(source);
  LaunchResult result = p.run([&] {
    std::memset(p.core->local[size_t(Space::Ub)], 0xee, ub.size());
    TileView tile = p.alloc(typeOf(TileType::Vec, Elem::u32, shape, name.block, name.inner), 0, valid.rows, valid.cols);
    GlobalView global = p.view(gm, Elem::u32, view.shape, view.stride, view.layout);
    p.issue("TLOAD", {&tile}, &global);
    p.barrier();
    std::memcpy(ub.data(), p.core->local[size_t(Space::Ub)], ub.size());
  });
  if (found)
    *found = textOf(result);
  else
    EXPECT_EQ(textOf(result), "");
  return ub;
}

/// Wants element(r, c) of a region, and nothing else.
void expectTile(const Bytes &ub, const Name &name, Shape shape, Shape region,
                std::function<uint32_t(int, int)> element) {
  Bytes wanted(ub.size(), 0xee);
  int ir, ic;
  reference::box(name, Elem::u32, 512, ir, ic);
  for (int r = 0; r < region.rows; ++r)
    for (int c = 0; c < region.cols; ++c)
      putAt<uint32_t>(wanted, 0, size_t(reference::formula(name, shape.rows, shape.cols, ir, ic, r, c)), element(r, c));
  EXPECT_TRUE(ub == wanted);
}

TEST(TextLoad, TheTileDecidesTheWalk) { // IRLOAD-2
  const std::vector<uint32_t> source = numbers(4096);
  // Rows are digits over n0 to n3.
  Bytes nd = load(source, {{2, 3, 4, 8}, {400, 120, 16, 1}}, reference::kND, {32, 16}, {24, 8});
  expectTile(nd, reference::kND, {32, 16}, {24, 8},
             [&](int r, int c) { return source[size_t(r / 12 * 400 + r / 4 % 3 * 120 + r % 4 * 16 + c)]; });
  // Columns are digits over n0, n1, n2, n4.
  std::string found;
  Bytes dn = load(source, {{2, 3, 8, 4}, {400, 120, 1, 16}}, reference::kDN, {16, 32}, {8, 24}, &found);
  EXPECT_EQ(found,
            "undefined-by-manual: `pto.tload` breaks IRLOAD-2: the layout of the view is not that of the tile, which "
            "is taken\n");
  expectTile(dn, reference::kDN, {16, 32}, {8, 24},
             [&](int r, int c) { return source[size_t(c / 12 * 400 + c / 4 % 3 * 120 + r + c % 4 * 16)]; });
  // The same view, said to be DN.
  dn = load(source, {{2, 3, 8, 4}, {400, 120, 1, 16}, int(Layout::DN)}, reference::kDN, {16, 32}, {8, 24});
  expectTile(dn, reference::kDN, {16, 32}, {8, 24},
             [&](int r, int c) { return source[size_t(c / 12 * 400 + c / 4 % 3 * 120 + r + c % 4 * 16)]; });
  // Rows with gaps between them are ND without being said to.
  nd = load(source, {{4, 1, 64}, {128, 128, 1}}, reference::kND, {4, 64}, {4, 64});
  expectTile(nd, reference::kND, {4, 64}, {4, 64}, [&](int r, int c) { return source[size_t(r * 128 + c)]; });
  // Two dimensions are the same in all layouts.
  for (const Name &name : {reference::kND, reference::kDN, reference::kNZ})
    expectTile(load(source, {{16, 16}, {40, 1}, int(Layout::ND)}, name, {16, 16}, {16, 16}, &found), name, {16, 16},
               {16, 16}, [&](int r, int c) { return source[size_t(r * 40 + c)]; });
}

TEST(TextLoad, BoxesOfAnyHeight) { // IRLOAD-4
  const std::vector<uint32_t> source = numbers(16 * 1024);
  Bytes nz =
      load(source, {{16, 1, 64, 1, 8}, {1024, 1024, 8, 8, 1}, int(Layout::NZ)}, reference::kNZ, {64, 128}, {64, 128});
  expectTile(nz, reference::kNZ, {64, 128}, {64, 128},
             [&](int r, int c) { return source[size_t(c / 8 * 1024 + r * 8 + c % 8)]; });
}

TEST(TextLoad, WhatBothHave) { // IRLOAD-5, IRLOAD-6
  const std::vector<uint32_t> source = numbers(4096);
  const auto element = [&](int r, int c) { return source[size_t(r * 64 + c)]; };
  // More is offered than the tile takes.
  expectTile(load(source, {{16, 32}, {64, 1}}, reference::kND, {16, 64}, {5, 20}), reference::kND, {16, 64}, {5, 20},
             element);
  std::string found;
  Bytes ub = load(source, {{4, 10}, {64, 1}}, reference::kND, {16, 64}, {5, 20}, &found);
  EXPECT_EQ(found, "undefined-by-manual: `pto.tload` breaks IRLOAD-5: it loads a valid region of 5 x 20, but the view "
                   "covers 4 x 10; only what both have is loaded (IRLOAD-6)\n");
  expectTile(ub, reference::kND, {16, 64}, {4, 10}, element);
  // An empty part, and an empty tile.
  expectTile(load(source, {{4, 0}, {64, 1}}, reference::kND, {16, 64}, {5, 0}), reference::kND, {16, 64}, {0, 0},
             element);
}

TEST(TextLoad, AnyStride) { // IRLOAD-7
  const std::vector<uint32_t> source = numbers(4096);
  std::string found;
  Bytes ub = load(source, {{4, 10}, {64, 3}}, reference::kND, {16, 64}, {4, 10}, &found);
  EXPECT_EQ(
      found,
      "undefined-by-manual: `pto.tload` breaks IRLOAD-7: the elements of its view are 3 elements apart; compilers want "
      "them next to each other, here any stride is followed\n");
  expectTile(ub, reference::kND, {16, 64}, {4, 10}, [&](int r, int c) { return source[size_t(r * 64 + 3 * c)]; });
  // One column has no stride.
  expectTile(load(source, {{4, 1}, {64, 3}}, reference::kND, {16, 64}, {4, 1}), reference::kND, {16, 64}, {4, 1},
             [&](int r, int) { return source[size_t(r * 64)]; });
}

/// Stores a tile with numbers in it, from 1 on as they are stored, to `view` of a buffer
/// of zeros.
std::vector<uint32_t> store(Shape shape, Shape valid, const View &view, uint32_t mode, std::string *found = nullptr,
                            Elem elem = Elem::u32) {
  Program p;
  p.automatic = true;
  p.checks.init = false;
  const uint64_t gm = p.buffer(std::vector<uint32_t>(2048));
  LaunchResult result = p.run([&] {
    const std::vector<uint32_t> values = numbers(size_t(shape.rows * shape.cols));
    std::memcpy(p.core->local[size_t(Space::Ub)], values.data(), values.size() * 4);
    TileView tile = p.alloc(vec(Elem::u32, shape), 0, valid.rows, valid.cols);
    GlobalView global = p.view(gm, elem, view.shape, view.stride, view.layout);
    p.issue("TSTORE", {&tile}, &global, {}, mode);
  });
  if (found)
    *found = textOf(result);
  else
    EXPECT_EQ(textOf(result), "");
  return p.contents<uint32_t>(0);
}

TEST(TextStore, WhatBothHave) { // IRSTORE-3
  std::string found;
  std::vector<uint32_t> gm = store({8, 64}, {6, 40}, {{4, 50}, {64, 1}}, 0, &found), wanted(gm.size());
  EXPECT_EQ(
      found,
      "undefined-by-manual: `pto.tstore` breaks IRSTORE-2: it stores a valid region of 6 x 40, but the view covers "
      "4 x 50; only what both have is stored (IRSTORE-3)\n");
  for (uint32_t r = 0; r < 4; ++r)
    for (uint32_t c = 0; c < 40; ++c)
      wanted[r * 64 + c] = r * 64 + c + 1;
  EXPECT_EQ(gm, wanted);
}

TEST(TextStore, OtherFactors) { // IRSTORE-2
  // 1 x 1024 as 32 x 32 with gaps in GM, and 32 x 32 with gaps in the tile as 1 x 1024.
  std::vector<uint32_t> gm = store({1, 1024}, {1, 1024}, {{32, 32}, {40, 1}}, PTO_STORE_FIXED_EXTENTS), wanted(2048);
  for (uint32_t i = 0; i < 1024; ++i)
    wanted[i / 32 * 40 + i % 32] = i + 1;
  EXPECT_EQ(gm, wanted);
  gm = store({32, 64}, {32, 32}, {{1, 1024}, {1024, 1}}, PTO_STORE_FIXED_EXTENTS);
  wanted.assign(2048, 0);
  for (uint32_t i = 0; i < 1024; ++i)
    wanted[i] = i / 32 * 64 + i % 32 + 1;
  EXPECT_EQ(gm, wanted);
  // Gaps on both sides.
  std::string found;
  gm = store({32, 64}, {32, 32}, {{16, 64}, {80, 1}}, PTO_STORE_FIXED_EXTENTS, &found);
  EXPECT_EQ(found, "not-modelled: `pto.tstore` breaks IRSTORE-2: it stores 32 x 32 elements as 16 x 64, and neither "
                   "the tile nor the view has "
                   "them without gaps\n");
  EXPECT_EQ(gm, std::vector<uint32_t>(2048));
  // Extents that only happen to have the same product.
  store({1, 1024}, {1, 1024}, {{32, 32}, {40, 1}}, 0, &found);
  EXPECT_NE(found.find("only what both have is stored"), std::string::npos);
}

TEST(TextStore, ElementsOfOneSize) {
  std::string found;
  store({8, 64}, {8, 64}, {{8, 64}, {64, 1}}, 0, &found, Elem::u16);
  EXPECT_EQ(found, "verify-error: `pto.tstore` breaks TSTORE-2: the elements of tile and view have different sizes\n");
}

TEST(TextStore, ScaledAccumulators) { // IRSTORE-6
  auto program = [](Elem to, uint64_t word, std::string &found) {
    Program p;
    p.automatic = true;
    p.checks.init = false;
    const uint64_t gm = p.buffer(Bytes(256, 0x55));
    MoveMode mode;
    mode.quant = Quant::Scalar;
    found = textOf(p.run([&] {
      auto *acc = reinterpret_cast<float *>(p.core->local[size_t(Space::L0C)]);
      for (int i = 0; i < 256; ++i)
        acc[i] = float(i - 128) * 1.5f;
      TileView tile =
          p.alloc(typeOf(TileType::Acc, Elem::f32, {16, 16}, BLayout::ColMajor, SLayout::RowMajor, 1024), 0);
      GlobalView view = p.view(gm, to, {16, 16}, {16, 1});
      p.issue("TSTORE", {&tile}, &view, {0, 0, word}, mode.pack());
    }));
    return p.contents<uint8_t>(0);
  };
  const uint64_t scale = std::bit_cast<uint32_t>(0.75f);
  for (Elem to : {Elem::i8, Elem::u8}) {
    std::string found;
    Bytes result = program(to, scale, found);
    EXPECT_EQ(found, "");
    for (int i = 0; i < 256; ++i) {
      const double value = std::nearbyint(double(i - 128) * 1.5 * 0.75);
      const double wanted = to == Elem::i8 ? std::clamp(value, -128.0, 127.0) : std::clamp(value, 0.0, 255.0);
      EXPECT_EQ(int(result[size_t(i)]), int(wanted) & 255) << i;
    }
  }
  std::string found;
  EXPECT_EQ(program(Elem::i8, scale | uint64_t(1) << 46, found), Bytes(256, 0x55));
  EXPECT_EQ(found, "operand-range: `pto.tstore` breaks IRSTORE-6: its scale is 0x40003f400000, and bits above 31 are "
                   "not modelled\n");
}

} // namespace
