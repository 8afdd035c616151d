//===- WindowTest.cpp - windows of tiles keep the places around them ------===//
//
// Element (i, j) of a window at (r, c) is element (r + i, c + j) of its tile, in
// every layout. The model is the formula of each layout on a copy of all of UB;
// every byte is compared.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "TextPrograms.h"

namespace {
using namespace text;
using reference::Name;

constexpr int kRows = 64, kCols = 64;

/// A window as the test knows it.
struct Window {
  Name name;
  Elem elem;
  int address, row, col, rows, cols, validRows, validCols;

  int bytes() const { return reference::widthBits(elem) / 8; }
  size_t at(int r, int c) const {
    int ir, ic;
    reference::box(name, elem, 512, ir, ic);
    return size_t(address + reference::formula(name, kRows, kCols, ir, ic, row + r, col + c) * bytes());
  }
  TileView tile(Program &p) const {
    TileView parent = p.alloc(typeOf(TileType::Vec, elem, {kRows, kCols}, name.block, name.inner), address);
    // A window of a window is one of the tile.
    TileView half = p.subview(parent, row / 32 * 32, 0, kRows - row / 32 * 32, kCols);
    return p.subview(half, row % 32, col, rows, cols, validRows, validCols);
  }
};

struct Chance {
  std::mt19937 random;
  int below(int n) { return int(random() % unsigned(n)); }
  /// A window of 32 rows and columns or more whose valid part is `validRows` x `validCols`.
  Window window(const Name &name, Elem elem, int address, int validRows, int validCols) {
    Window w{name, elem, address, 0, 0, 32, 32, validRows, validCols};
    // All boxes have sides of at most 32, and 32 elements fill whole blocks of 32 bytes.
    w.row = 32 * below(2);
    w.col = 32 * below(2);
    w.rows = w.row ? 32 : 32 + 32 * below(2);
    w.cols = w.col ? 32 : 32 + 32 * below(2);
    return w;
  }
};

uint64_t get(const Bytes &bytes, const Window &w, int r, int c) {
  uint64_t value = 0;
  std::memcpy(&value, &bytes[w.at(r, c)], size_t(w.bytes()));
  return value;
}
void set(Bytes &bytes, const Window &w, int r, int c, uint64_t value) {
  std::memcpy(&bytes[w.at(r, c)], &value, size_t(w.bytes()));
}

void expectModel(unsigned seed, std::function<void(Program &)> body, std::function<void(Bytes &)> model) {
  expectUb(onUb(body, {}, seed), model);
}

TEST(Window, MovesBetweenAllLayouts) {
  Chance chance{std::mt19937(1)};
  for (const Name &to : reference::kNames)
    for (const Name &from : reference::kNames)
      for (Elem elem : {Elem::u8, Elem::f16, Elem::f32}) {
        const int rows = 1 + chance.below(32), cols = 1 + chance.below(32);
        const Window dst = chance.window(to, elem, 0, rows, cols), src = chance.window(from, elem, 32768, rows, cols);
        SCOPED_TRACE(std::string(from.name) + " to " + to.name + ", " + std::to_string(rows) + " x " +
                     std::to_string(cols) + " of " + std::to_string(dst.bytes()) + " bytes");
        expectModel(
            chance.random(),
            [&](Program &p) {
              TileView a = dst.tile(p), b = src.tile(p);
              p.issue("TMOV", {&a, &b});
            },
            [&](Bytes &ub) {
              for (int r = 0; r < rows; ++r)
                for (int c = 0; c < cols; ++c)
                  set(ub, dst, r, c, get(ub, src, r, c));
            });
      }
}

TEST(Window, ArithmeticInAllLayouts) {
  Chance chance{std::mt19937(2)};
  for (const Name &name : reference::kNames)
    for (Elem elem : {Elem::u8, Elem::i16, Elem::i32}) {
      const int rows = 1 + chance.below(32), cols = 1 + chance.below(32);
      const Window dst = chance.window(name, elem, 0, rows, cols), a = chance.window(name, elem, 16384, rows, cols),
                   b = chance.window(name, elem, 32768, rows, cols);
      SCOPED_TRACE(std::string(name.name) + " " + std::to_string(dst.bytes()));
      expectModel(
          chance.random(),
          [&](Program &p) {
            TileView t[] = {dst.tile(p), a.tile(p), b.tile(p)};
            p.issue("TADD", {&t[0], &t[1], &t[2]});
            p.issue("TADDS", {&t[0], &t[0]}, nullptr, {5});
          },
          [&](Bytes &ub) {
            for (int r = 0; r < rows; ++r)
              for (int c = 0; c < cols; ++c)
                set(ub, dst, r, c, get(ub, a, r, c) + get(ub, b, r, c) + 5);
          });
    }
}

TEST(Window, LoadsAndStores) {
  Chance chance{std::mt19937(3)};
  for (const Name &name : {reference::kND, reference::kDN}) {
    const int rows = 1 + chance.below(32), cols = 1 + chance.below(32);
    const Window w = chance.window(name, Elem::i16, 0, rows, cols);
    const bool dn = name.block == BLayout::ColMajor;
    Program p;
    p.automatic = true;
    std::vector<uint16_t> from(size_t(rows * cols)), none(from.size(), 0);
    for (uint16_t &value : from)
      value = uint16_t(chance.random());
    const uint64_t a = p.buffer(from), b = p.buffer(none);
    LaunchResult result = p.run([&] {
      TileView tile = w.tile(p);
      for (auto [pointer, record] : {std::pair{a, "TLOAD"}, {b, "TSTORE"}}) {
        GlobalView view =
            p.view(pointer, Elem::i16, {rows, cols}, dn ? std::vector<int64_t>{1, rows} : std::vector<int64_t>{cols, 1},
                   int(dn ? Layout::DN : Layout::ND));
        p.issue(record, {&tile}, &view);
      }
      p.barrier();
      const uint8_t *ub = p.core->local[size_t(Space::Ub)];
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c)
          EXPECT_EQ(std::memcmp(ub + w.at(r, c), &from[size_t(dn ? c * rows + r : r * cols + c)], 2), 0);
    });
    EXPECT_EQ(textOf(result), "");
    EXPECT_EQ(p.contents<uint16_t>(1), from);
  }
}

TEST(Window, PaddingStaysInside) {
  // 20 of 32 columns are valid; the rest of the window is filled, and nothing around it.
  const Window dst = {reference::kND, Elem::i16, 0, 32, 16, 20, 32, 20, 32},
               src = {reference::kND, Elem::i16, 32768, 0, 0, 20, 32, 15, 20};
  expectModel(
      9,
      [&](Program &p) {
        TileView a = dst.tile(p), b = src.tile(p);
        a.ref.pad = uint64_t(PadValue::Max);
        p.issue("TFILLPAD", {&a, &b});
      },
      [&](Bytes &ub) {
        for (int r = 0; r < 20; ++r)
          for (int c = 0; c < 32; ++c)
            set(ub, dst, r, c, r < 15 && c < 20 ? get(ub, src, r, c) : 0x7fff);
      });
}

TEST(Window, GathersCountPlacesAroundIt) {
  // A flat index counts with the columns of the tile around (storage order).
  const Window src = {reference::kND, Elem::i16, 32768, 32, 32, 8, 32, 8, 32},
               dst = {reference::kND, Elem::i16, 0, 0, 0, 4, 16, 4, 16},
               index = {reference::kND, Elem::u16, 16384, 0, 0, 4, 16, 4, 16};
  const auto place = [](int r, int c) { return uint16_t((r * 16 + c) % 8 * kCols + (r + c) % 32); };
  expectModel(
      10,
      [&](Program &p) {
        TileView t[] = {dst.tile(p), src.tile(p), index.tile(p)};
        p.order();
        for (int r = 0; r < 4; ++r)
          for (int c = 0; c < 16; ++c)
            p.set(t[2], r * kCols + c, place(r, c));
        p.issue("TGATHER", {&t[0], &t[1], &t[2]});
      },
      [&](Bytes &ub) {
        for (int r = 0; r < 4; ++r)
          for (int c = 0; c < 16; ++c) {
            set(ub, index, r, c, place(r, c));
            set(ub, dst, r, c, get(ub, src, place(r, c) / kCols, place(r, c) % kCols));
          }
      });
}

TEST(Window, HasToLieInItsTile) {
  auto found = [](const Name &name, int64_t row, int64_t col, int64_t rows, int64_t cols) {
    Program p;
    LaunchResult result = p.run([&] {
      TileView tile = p.alloc(typeOf(TileType::Vec, Elem::f16, {64, 64}, name.block, name.inner), 0);
      TileView outer = p.subview(tile, 0, 0, 32, 32);
      p.subview(outer, row, col, rows, cols);
    });
    return textOf(result);
  };
  EXPECT_EQ(found(reference::kND, 16, 16, 16, 16), "");
  EXPECT_EQ(found(reference::kND, 17, 16, 16, 16),
            "tile-window: `pto.subview` breaks ALIAS-5: it gives a window of 16 x 16 elements "
            "starting at row 17, column 16 of a tile that has 32 x 32\n");
  for (int64_t bad : {int64_t(-1), INT64_MIN, INT64_MAX})
    EXPECT_NE(found(reference::kND, bad, 0, 1, 1).find("tile-window"), std::string::npos);
  EXPECT_NE(found(reference::kND, 0, 0, 1, -1).find("tile-window"), std::string::npos);
  EXPECT_NE(found(reference::kND, 0, 0, 1, INT64_MAX).find("tile-window"), std::string::npos);
  EXPECT_EQ(found(reference::kNZ, 16, 16, 16, 16), "");
  EXPECT_EQ(found(reference::kNZ, 8, 16, 16, 16),
            "tile-window: `pto.subview` breaks ALIAS-4: it begins at row 8, column 16, which is not "
            "the corner of a box of 16 x 16\n");
}

TEST(Window, Reshapes) {
  auto found = [](TileView type, int rows, int cols, int32_t *beyond = nullptr) {
    Program p;
    LaunchResult result = p.run([&] {
      TileView tile = p.alloc(vec(Elem::f16, {64, 64}), 64), window = p.subview(tile, 16, 16, rows, cols, rows, 20);
      type.ref.validRows = type.ref.validCols = -1;
      p.call("pto.treshape", [&](SiteId site) { return ptosc_tile_reshape(p.core, site, &type, &window); });
      if (!p.status) {
        EXPECT_EQ(type.ref.address, window.ref.address);
        EXPECT_EQ(type.ref.validRows, std::min<int>(rows, capacityOf(type.ref).rows));
        EXPECT_EQ(type.ref.validCols, std::min<int>(20, capacityOf(type.ref).cols));
      }
      if (beyond)
        *beyond = type.ref.beyondCols;
    });
    return textOf(result);
  };
  int32_t beyond = 0;
  EXPECT_EQ(found(vec(Elem::i16, {16, 32}), 16, 32, &beyond), "");
  EXPECT_EQ(beyond, 32);
  // One row has no gaps.
  EXPECT_EQ(found(vec(Elem::f32, {1, 16}), 1, 32, &beyond), "");
  EXPECT_EQ(beyond, 0);
  EXPECT_EQ(
      found(vec(Elem::f16, {32, 16}), 16, 32),
      "tile-window: `pto.treshape` breaks ALIAS-10: a window of 16 x 32 elements in a tile of 64 x 64 has gaps\n");
}

} // namespace
