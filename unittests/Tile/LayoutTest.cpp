// Layouts, element by element, against the formulas of GT-5 and
// TILE-5 written out again.

#include "Layout.h"
#include "Reference.h"

#include <set>

using namespace ptoscope;
using namespace reference;

namespace {

TileRef tile(const Name &name, Elem elem, int fractal, int rows, int cols) {
  TileRef ref{};
  ref.elem = elem;
  ref.blockLayout = uint8_t(name.block);
  ref.innerLayout = uint8_t(name.inner);
  ref.fractalBytes = uint16_t(fractal);
  ref.rows = ref.validRows = rows;
  ref.cols = ref.validCols = cols;
  return ref;
}

/// Bytes that hold the elements of a region, one by one.
std::set<int64_t> bytesOfElements(const Map &map, const Region &region, Elem elem) {
  std::set<int64_t> bytes;
  int bits = int(bitsOf(elem));
  for (int64_t r = region.row; r < region.row + region.rows; ++r)
    for (int64_t c = region.col; c < region.col + region.cols; ++c) {
      int64_t bit = map.offset(r, c) * bits;
      for (int64_t b = bit; b < bit + bits; b += 4)
        bytes.insert((b - (((b % 8) + 8) % 8)) / 8);
    }
  return bytes;
}

constexpr uint64_t kBase = 1 << 20;

void expectFootprint(const Map &map, const Region &region, Elem elem, size_t maxBoxes) {
  std::set<int64_t> expected = bytesOfElements(map, region, elem);
  std::set<int64_t> found;
  std::vector<Box> boxes = boxesOf(map, region, elem, kBase);
  for (const Box &box : boxes)
    box.forEachRow([&](uint64_t start, uint64_t bytes) {
      for (uint64_t i = 0; i < bytes; ++i)
        found.insert(int64_t(start + i - kBase));
    });
  EXPECT_EQ(expected, found);
  EXPECT_LE(boxes.size(), maxBoxes);
  if (std::optional<Box> row = rowOf(map, region, elem, kBase)) {
    EXPECT_TRUE(row->dims.empty());
    EXPECT_EQ(int64_t(row->base - kBase), *expected.begin());
    EXPECT_EQ(row->rowBytes, expected.size());
    EXPECT_EQ(*expected.rbegin() - *expected.begin() + 1, int64_t(expected.size()));
  }
  Hull hull = hullOf(map, region, elem);
  EXPECT_EQ(hull.low, *expected.begin());
  EXPECT_EQ(hull.end, *expected.rbegin() + 1);
}

struct Shape {
  int rows, cols;
};

// TILE-5, TILE-6.
TEST(LayoutTest, TilesFollowTheFormulas) {
  for (const Name &name : kNames)
    for (Elem elem : kWidths)
      for (int fractal : {512, 1024, 32}) {
        int ir, ic;
        box(name, elem, fractal, ir, ic);
        if (name.inner == SLayout::NoneBox && fractal != 512)
          continue;
        Extents inner = innerBox(elem, name.inner, fractal);
        EXPECT_EQ(inner.rows, ir);
        EXPECT_EQ(inner.cols, ic);
        for (Shape shape : {Shape{1, 1}, {1, 3}, {2, 1}, {3, 2}}) {
          int rows = shape.rows * (ir == 1 ? 5 : ir), cols = shape.cols * (ic == 1 ? 32 : ic);
          TileRef ref = tile(name, elem, fractal, rows, cols);
          Map map = tileMap(ref);
          std::set<int64_t> seen;
          for (int r = 0; r < rows; ++r)
            for (int c = 0; c < cols; ++c) {
              int64_t offset = map.offset(r, c);
              ASSERT_EQ(offset, formula(name, rows, cols, ir, ic, r, c)) << name.name << " " << r << "," << c;
              ASSERT_TRUE(seen.insert(offset).second);
              Place place = placeOf(ref, offset);
              ASSERT_EQ(place.row, r) << name.name << " " << rows << "x" << cols << " at " << offset;
              ASSERT_EQ(place.col, c) << name.name << " " << rows << "x" << cols << " at " << offset;
            }
          // A bijection onto the tile's storage.
          EXPECT_EQ(*seen.begin(), 0);
          EXPECT_EQ(*seen.rbegin(), rows * cols - 1);
          EXPECT_EQ(tileEnd(ref, rows, cols), rows * cols);
        }
      }
}

// TILE-4.
TEST(LayoutTest, OneRowAndOddRowsOfBoxedTiles) {
  // Vec tiles and tiles of one row need no whole boxes.
  for (Shape shape : {Shape{1, 64}, {5, 64}, {20, 64}})
    for (const Name &name : {kNames[2], kNames[5]}) {
      int ir, ic;
      box(name, Elem::f16, 512, ir, ic);
      TileRef ref = tile(name, Elem::f16, 512, shape.rows, shape.cols);
      for (int r = 0; r < shape.rows; ++r)
        for (int c = 0; c < shape.cols; ++c)
          ASSERT_EQ(tileMap(ref).offset(r, c), formula(name, shape.rows, shape.cols, ir, ic, r, c));
    }
}

TEST(LayoutTest, OneRowOfBytes) {
  const Name &rows = kNames[0];
  ASSERT_EQ(rows.inner, SLayout::NoneBox);
  const Map map = tileMap(tile(rows, Elem::f32, 512, 8, 64));
  EXPECT_TRUE(rowOf(map, {0, 0, 8, 64}, Elem::f32, kBase));
  EXPECT_TRUE(rowOf(map, {2, 0, 3, 64}, Elem::f32, kBase));
  EXPECT_TRUE(rowOf(map, {2, 5, 1, 7}, Elem::f32, kBase));
  EXPECT_FALSE(rowOf(map, {2, 5, 2, 7}, Elem::f32, kBase));
  EXPECT_FALSE(rowOf(map, {0, 0, 8, 0}, Elem::f32, kBase));
}

TEST(LayoutTest, FootprintsOfTiles) {
  std::mt19937 random(7);
  for (const Name &name : kNames)
    for (Elem elem : kWidths)
      for (int fractal : {512, 1024, 32}) {
        if (name.inner == SLayout::NoneBox && fractal != 512)
          continue;
        int ir, ic;
        box(name, elem, fractal, ir, ic);
        int rows = 2 * (ir == 1 ? 9 : ir), cols = 3 * (ic == 1 ? 32 : ic);
        Map map = tileMap(tile(name, elem, fractal, rows, cols));
        SCOPED_TRACE(std::string(name.name) + " fractal " + std::to_string(fractal) + " bits " +
                     std::to_string(bitsOf(elem)));
        // The whole tile is one stretch of bytes.
        expectFootprint(map, {0, 0, rows, cols}, elem, 1);
        for (int i = 0; i < 12; ++i) {
          int rv = 1 + int(random() % unsigned(rows)), cv = 1 + int(random() % unsigned(cols));
          // A prefix: at most two pieces a coordinate; nibbles may double a dimension.
          expectFootprint(map, {0, 0, rv, cv}, elem, elem == Elem::i4x2 ? 16 : 4);
          int r0 = int(random() % unsigned(rows)), c0 = int(random() % unsigned(cols));
          int n = 1 + int(random() % unsigned(rows - r0)), m = 1 + int(random() % unsigned(cols - c0));
          expectFootprint(map, {r0, c0, n, m}, elem, elem == Elem::i4x2 ? 36 : 9);
        }
      }
}

TEST(LayoutTest, PrefixesOfCommonLayoutsAreOneOrTwoBoxes) {
  // NZ: rows of a prefix are one run in every column block.
  Map nz = tileMap(tile(kNames[2], Elem::f16, 512, 64, 64));
  expectFootprint(nz, {0, 0, 37, 48}, Elem::f16, 1);
  expectFootprint(nz, {0, 0, 37, 41}, Elem::f16, 2);
  Map nd = tileMap(tile(kNames[0], Elem::f16, 512, 64, 64));
  expectFootprint(nd, {0, 0, 37, 41}, Elem::f16, 1);
  expectFootprint(nd, {3, 5, 37, 41}, Elem::f16, 1);
}

TEST(LayoutTest, EmptyRegionsHaveNoBytes) {
  Map nd = tileMap(tile(kNames[0], Elem::f16, 512, 64, 64));
  EXPECT_TRUE(boxesOf(nd, {0, 0, 0, 5}, Elem::f16, 0).empty());
  EXPECT_TRUE(boxesOf(nd, {0, 0, 5, 0}, Elem::f16, 0).empty());
  EXPECT_EQ(hullOf(nd, {0, 0, 0, 5}, Elem::f16).end, 0);
  EXPECT_EQ(tileEnd(tile(kNames[0], Elem::f16, 512, 64, 64), 0, 5), 0);
}

// TILE-7.
TEST(LayoutTest, CompactTiles) {
  TileRef nz = tile(kNames[2], Elem::f16, 512, 64, 64);
  nz.compact = uint8_t(CompactMode::Normal);
  nz.validRows = 20;
  nz.validCols = 40;
  EXPECT_EQ(tileMap(nz).offset(0, 16), 32 * 16); // blocks of 32 rows
  EXPECT_EQ(tileMap(nz).offset(19, 33), 2 * 32 * 16 + 19 * 16 + 1);
  TileRef zn = tile(kNames[3], Elem::f16, 512, 64, 64);
  zn.compact = uint8_t(CompactMode::Normal);
  zn.validRows = 20;
  zn.validCols = 40;
  EXPECT_EQ(tileMap(zn).offset(16, 0), 48 * 16);
  nz.compact = uint8_t(CompactMode::RowPlusOne);
  EXPECT_STREQ(layoutProblem(nz), "");
  EXPECT_EQ(tileMap(nz).offset(1, 16), 65 * 16 + 16);
  zn.compact = uint8_t(CompactMode::RowPlusOne);
  EXPECT_STRNE(layoutProblem(zn), "");
  nz.compact = uint8_t(CompactMode::RowAlignedPadding);
  EXPECT_STRNE(layoutProblem(nz), "");
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

constexpr Layout kViews[] = {Layout::ND,      Layout::DN,      Layout::NZ,       Layout::MX_A_ZZ,
                             Layout::MX_A_ND, Layout::MX_A_DN, Layout::MX_B_NN,  Layout::MX_B_ND,
                             Layout::MX_B_DN, Layout::NC1HWC0, Layout::NDC1HWC0, Layout::FRACTAL_Z};

// GT-4, GT-5, GT-6.
TEST(LayoutTest, ViewsFollowTheTable) {
  std::mt19937 random(11);
  for (Layout layout : kViews)
    for (Elem elem : kWidths)
      for (int i = 0; i < 60; ++i) {
        GlobalRef g{};
        g.elem = elem;
        g.layout = uint8_t(layout);
        for (int k = 0; k < 5; ++k)
          g.shape[k] = 1 + int64_t(random() % 4);
        bool mx = layout >= Layout::MX_A_ND && layout <= Layout::MX_B_NN;
        bool blocked = layout == Layout::MX_A_ZZ || layout == Layout::MX_B_NN;
        if (mx) { // indices the map leaves at 0
          g.shape[4] = 2;
          g.shape[0] = 1;
          g.shape[1] = blocked ? g.shape[1] : 1;
          g.shape[3] = blocked ? 16 : g.shape[3];
        }
        int64_t dense = layout == Layout::NDC1HWC0 ? 256 / bitsOf(elem) : 1;
        for (int k = 4; k >= 0; --k) {
          // Dense, apart, permuted, backwards or repeated.
          int kind = i < 10 ? 0 : int(random() % 5);
          g.stride[k] = kind == 0   ? dense
                        : kind == 1 ? dense + 3
                        : kind == 2 ? 1 + int64_t(random() % 50)
                        : kind == 3 ? -dense
                                    : 0;
          dense = (g.stride[k] == 0 ? dense : std::abs(g.stride[k])) * g.shape[k];
        }
        Coverage all = coverage(g);
        Map map = globalMap(g);
        for (int64_t r = 0; r < all.rows; ++r)
          for (int64_t c = 0; c < all.cols; ++c)
            ASSERT_EQ(map.offset(r, c), viewOffset(g, r, c)) << int(layout) << " " << r << "," << c;
        // The corner is the last of every index: the view is covered exactly.
        int64_t last = layout == Layout::NDC1HWC0 ? 256 / int64_t(bitsOf(elem)) - 1 : 0;
        for (int k = 0; k < 5; ++k)
          last += (g.shape[k] - 1) * g.stride[k];
        EXPECT_EQ(map.offset(all.rows - 1, all.cols - 1), last);
        expectFootprint(map, {0, 0, all.rows, all.cols}, elem, elem == Elem::i4x2 ? 64 : 1);
      }
}

TEST(LayoutTest, DenseViewsAreOneStretch) {
  GlobalRef g{nullptr, Elem::f32, uint8_t(Layout::ND), {2, 3, 4, 5, 8}, {480, 160, 40, 8, 1}};
  std::vector<Box> boxes = boxesOf(globalMap(g), {0, 0, 120, 8}, Elem::f32, 64);
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_EQ(boxes[0].base, 64u);
  EXPECT_EQ(boxes[0].rowBytes, 960u * 4);
  EXPECT_TRUE(boxes[0].dims.empty());
  EXPECT_EQ(globalMap(g).row.digits, 1);
}

// GT-5.
TEST(LayoutTest, ColumnsOfDnDoNotWrapAtTheViewsRows) {
  GlobalRef g{nullptr, Elem::f32, uint8_t(Layout::DN), {1, 1, 1, 4, 8}, {32, 32, 32, 8, 1}};
  EXPECT_EQ(globalMap(g).offset(9, 3), 9 * 8 + 3);
}

TEST(LayoutTest, AbsurdStridesSaturate) {
  int64_t big = INT64_MAX / 2;
  GlobalRef g{nullptr, Elem::i64, uint8_t(Layout::ND), {4, 4, 4, 4, 4}, {big, -big, big, big, -big}};
  Hull hull = hullOf(globalMap(g), {0, 0, 256, 4}, Elem::i64);
  EXPECT_EQ(hull.low, -(int64_t(1) << 62));
  EXPECT_EQ(hull.end, int64_t(1) << 62);
  GlobalRef huge{nullptr, Elem::u8, uint8_t(Layout::ND), {big, big, big, big, 4}, {7, 6, 5, 3, 1}};
  EXPECT_EQ(coverage(huge).rows, INT64_MAX);
  EXPECT_EQ(hullOf(globalMap(huge), {0, 0, 4, 4}, Elem::u8).end, 13);
}

// What public headers ask at compile time.
constexpr TileRef kStatic = {0,
                             uint8_t(TileType::Mat),
                             Elem::f16,
                             uint8_t(BLayout::ColMajor),
                             uint8_t(SLayout::RowMajor),
                             512,
                             0,
                             0,
                             64,
                             64,
                             33,
                             17,
                             0,
                             0,
                             0};
static_assert(tileMap(kStatic).offset(33, 17) == 64 * 16 + 33 * 16 + 1);
static_assert(placeOf(kStatic, 64 * 16 + 33 * 16 + 1).row == 33);
static_assert(tileEnd(kStatic, 33, 17) == 64 * 16 + 32 * 16 + 1);
static_assert(bytesFor(Elem::i4x2, 3) == 2);

} // namespace
