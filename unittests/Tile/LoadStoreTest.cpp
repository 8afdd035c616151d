// TLOAD and TSTORE: every pair of layouts, whole memories compared byte by byte.

#include "Reference.h"

using namespace reference;

namespace {

struct View {
  GlobalRef ref{};
  int64_t elements = 0; ///< of memory
};

/// A view of rows x cols whose strides are those of a program: inner ones dense,
/// outer ones with a gap.
View view(Layout layout, Elem elem, int64_t rows, int64_t cols, std::initializer_list<int64_t> shape, int64_t gap) {
  View v;
  v.ref.elem = elem;
  v.ref.layout = uint8_t(layout);
  int k = 0;
  for (int64_t n : shape)
    v.ref.shape[k++] = n;
  bool dn = layout == Layout::DN;
  // DN is dense along its rows.
  int order[] = {4, 3, 2, 1, 0};
  if (dn)
    std::swap(order[0], order[1]);
  int64_t dense = 1;
  for (int i : order) {
    v.ref.stride[i] = dense;
    dense = dense * v.ref.shape[i] + (i == order[0] ? gap : 0);
  }
  v.elements = dense + 8;
  EXPECT_EQ(coverage(v.ref).rows, rows);
  EXPECT_EQ(coverage(v.ref).cols, cols);
  return v;
}

struct Pair {
  Name tile;
  int fractal;
  View view;
  int validRows, validCols, rows, cols;
};

int up(int value, int unit) { return (value + unit - 1) / unit * unit; }

/// The table of section 6 for one element type, in several shapes.
std::vector<Pair> pairs(Elem elem, std::vector<int64_t> gaps) {
  std::vector<Pair> all;
  int block = 256 / widthBits(elem);
  auto add = [&](const Name &name, Layout layout, int r, int c, std::initializer_list<int64_t> shape, int64_t gap,
                 int fractal = 512) {
    int ir, ic;
    box(name, elem, fractal, ir, ic);
    int rows = up(r, name.inner != SLayout::NoneBox ? ir : name.block == BLayout::ColMajor ? block : 1);
    int cols = up(c, name.inner != SLayout::NoneBox ? ic : name.block == BLayout::RowMajor ? block : 1);
    // Room beyond the valid region: another box.
    rows += name.inner != SLayout::NoneBox ? ir : name.block == BLayout::ColMajor ? block : 3;
    cols += name.inner != SLayout::NoneBox ? ic : name.block == BLayout::RowMajor ? block : 3;
    all.push_back({name, fractal, view(layout, elem, r, c, shape, gap), r, c, rows, cols});
  };
  for (int64_t gap : gaps) {
    add(kND, Layout::ND, 7, 37, {1, 1, 1, 7, 37}, gap);
    add(kND, Layout::ND, 24, 2 * block, {2, 3, 2, 2, 2 * block}, gap);
    add(kND, Layout::ND, 1, 1, {1, 1, 1, 1, 1}, gap);
    add(kDN, Layout::DN, 37, 7, {1, 1, 1, 37, 7}, gap);
    add(kDN, Layout::DN, 2 * block, 24, {2, 3, 2, 2 * block, 2}, gap);
    add(kNZ, Layout::NZ, 48, 3 * block, {1, 3, 3, 16, block}, gap);
    add(kNZ, Layout::NZ, 32, 4 * block, {2, 2, 2, 16, block}, gap);
    add(kNZ, Layout::ND, 37, 2 * block + 3, {1, 1, 1, 37, 2 * block + 3}, gap);
    add(kNZ, Layout::ND, 150, 3 * block, {1, 1, 1, 150, 3 * block}, gap);
    add(kZN, Layout::DN, 2 * block + 3, 37, {1, 1, 1, 2 * block + 3, 37}, gap);
    add(kNZ, Layout::DN, 37, 2 * block + 3, {1, 1, 1, 37, 2 * block + 3}, gap);
    add(kND, Layout::DN, 37, 33, {1, 1, 1, 37, 33}, gap);
    add(kDN, Layout::ND, 37, 33, {1, 1, 1, 37, 33}, gap);
    if (widthBits(elem) == 8) {
      add(kZZ, Layout::MX_A_ZZ, 32, 6, {1, 2, 3, 16, 2}, gap, 32);
      add(kZZ, Layout::MX_A_ND, 21, 6, {1, 1, 21, 3, 2}, gap, 32);
      add(kZZ, Layout::MX_A_DN, 21, 6, {1, 1, 3, 21, 2}, gap, 32);
      add(kNN, Layout::MX_B_NN, 6, 32, {1, 2, 3, 16, 2}, gap, 32);
      add(kNN, Layout::MX_B_ND, 6, 21, {1, 1, 3, 21, 2}, gap, 32);
      add(kNN, Layout::MX_B_DN, 6, 21, {1, 1, 21, 3, 2}, gap, 32);
    }
    add(kNZ, Layout::NC1HWC0, 30, 2 * block, {2, 2, 3, 5, block}, gap);
    add(kNZ, Layout::FRACTAL_Z, 32, 16, {2, 2, 2, 16, 4}, gap);
  }
  return all;
}

uint64_t expectedPad(Elem elem, uint64_t pad) {
  if (pad >= uint64_t(PadValue::CustomBase))
    return pad & 0xffffffff; // set() keeps the low bytes
  if (pad == uint64_t(PadValue::Max))
    return elem == Elem::f32    ? 0x7f800000
           : elem == Elem::f16  ? 0x7c00
           : elem == Elem::u8   ? 0xff
           : elem == Elem::i4x2 ? 7
           : elem == Elem::bf16 ? 0x7f80
           : elem == Elem::i16  ? 0x7fff
           : elem == Elem::i32  ? 0x7fffffff
           : elem == Elem::u16  ? 0xffff
                                : 0x7f;
  if (pad == uint64_t(PadValue::Min))
    return elem == Elem::f32    ? 0xff800000
           : elem == Elem::f16  ? 0xfc00
           : elem == Elem::u8   ? 0
           : elem == Elem::i4x2 ? 8
           : elem == Elem::bf16 ? 0xff80
           : elem == Elem::i16  ? 0x8000
           : elem == Elem::i32  ? 0x80000000
           : elem == Elem::u16  ? 0
                                : 0x80;
  return 0;
}

void checkLoad(const Kernels &kernels, const Pair &pair, Elem elem, uint64_t pad, LoadMode mode) {
  TestTile tile(pair.tile, elem, pair.rows, pair.cols, pair.validRows, pair.validCols, 1, pair.fractal);
  tile.ref.pad = pad;
  SCOPED_TRACE(tile.text() + " from layout " + std::to_string(pair.view.ref.layout));
  Memory global(pair.view.elements * 8, 2), globalBefore = global;
  TestTile expected = tile;
  int rv = pair.validRows, cv = pair.validCols;
  if (mode == LoadMode::FullFill)
    for (int r = 0; r < pair.rows; ++r)
      for (int c = 0; c < pair.cols; ++c)
        expected.set(r, c, pad >= uint64_t(PadValue::CustomBase) ? 0 : expectedPad(elem, pad));
  else if (pad != uint64_t(PadValue::Null) && pair.tile.inner == SLayout::NoneBox) {
    int block = 256 / widthBits(elem);
    bool nd = pair.tile.block == BLayout::RowMajor;
    for (int r = 0; r < (nd ? rv : up(rv, block)); ++r)
      for (int c = 0; c < (nd ? up(cv, block) : cv); ++c)
        expected.set(r, c, expectedPad(elem, pad));
  }
  for (int r = 0; r < rv; ++r)
    for (int c = 0; c < cv; ++c)
      expected.set(r, c, global.get(elem, viewOffset(pair.view.ref, r, c)));
  Operands ops;
  ops.tiles = 1;
  ops.tile[0] = tile.view();
  ops.global = {global.data(), pair.view.ref};
  ops.mode = uint32_t(mode);
  kernels.TLOAD(ops);
  ASSERT_TRUE(tile.memory.bytes == expected.memory.bytes);
  ASSERT_TRUE(global.bytes == globalBefore.bytes);
}

// TLOAD-1, TLOAD-2, TLOAD-3.
TEST(LoadTest, EveryPairOfLayouts) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : kWidths)
      for (const Pair &pair : pairs(elem, {0, 64, 5}))
        checkLoad(kernels, pair, elem, uint64_t(PadValue::Null), LoadMode::Hardware);
  });
}

// TLOAD-9, TLOAD-10, TLOAD-11.
TEST(LoadTest, Padding) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem :
         {Elem::i4x2, Elem::u8, Elem::i8, Elem::f16, Elem::bf16, Elem::i16, Elem::u16, Elem::f32, Elem::i32})
      for (const Pair &pair : pairs(elem, {5}))
        for (uint64_t pad : {uint64_t(0), uint64_t(1), uint64_t(2), uint64_t(3), (uint64_t(1) << 32) | 0xbf812345})
          for (LoadMode mode : {LoadMode::Hardware, LoadMode::FullFill})
            checkLoad(kernels, pair, elem, pad, mode);
  });
}

// GT-4.
TEST(LoadTest, BroadcastAndBackwards) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : kWidths) {
      Pair pair = {kND, 512, {}, 6, 40, 8, 64};
      pair.view.elements = 400;
      // Every row the same; columns backwards, from the end of 40.
      pair.view.ref = {nullptr, elem, uint8_t(Layout::ND), {1, 1, 1, 6, 40}, {0, 0, 0, 0, 1}};
      checkLoad(kernels, pair, elem, 0, LoadMode::Hardware);
      pair.view.ref.stride[3] = 1;
      pair.view.ref.stride[4] = 0;
      checkLoad(kernels, pair, elem, 0, LoadMode::Hardware);
      pair.view.ref.stride[3] = 3;
      pair.view.ref.stride[4] = 7;
      checkLoad(kernels, pair, elem, 0, LoadMode::Hardware);
    }
    TestTile tile(kND, Elem::f32, 2, 8, 2, 8, 3), expected = tile;
    Memory global(64, 4);
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 8; ++c)
        expected.set(r, c, global.get(Elem::f32, 15 - 8 * r - c));
    Operands ops;
    ops.tile[0] = tile.view();
    ops.global = {global.data() + 60, {nullptr, Elem::f32, uint8_t(Layout::ND), {1, 1, 1, 2, 8}, {0, 0, 0, -8, -1}}};
    kernels.TLOAD(ops);
    EXPECT_TRUE(tile.memory.bytes == expected.memory.bytes);
  });
}

TEST(LoadTest, EmptyValidRegion) {
  Pair pair = {kND, 512, {}, 0, 8, 4, 8};
  pair.view.elements = 64;
  pair.view.ref = {nullptr, Elem::f32, uint8_t(Layout::ND), {1, 1, 1, 4, 8}, {0, 0, 0, 8, 1}};
  checkLoad(hostKernels(), pair, Elem::f32, 1, LoadMode::Hardware);
}

// TSTORE-1, TSTORE-2.
TEST(StoreTest, EveryPairOfLayouts) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : kWidths)
      for (const Pair &pair : pairs(elem, {0, 64, 5})) {
        TestTile tile(pair.tile, elem, pair.rows, pair.cols, pair.validRows, pair.validCols, 1, pair.fractal);
        SCOPED_TRACE(tile.text() + " to layout " + std::to_string(pair.view.ref.layout));
        TestTile before = tile;
        Memory global(pair.view.elements * 8, 2), expected = global;
        for (int r = 0; r < pair.validRows; ++r)
          for (int c = 0; c < pair.validCols; ++c)
            expected.set(elem, viewOffset(pair.view.ref, r, c), tile.get(r, c));
        Operands ops;
        ops.tile[0] = tile.view();
        ops.global = {global.data(), pair.view.ref};
        kernels.TSTORE(ops);
        ASSERT_TRUE(global.bytes == expected.bytes);
        ASSERT_TRUE(tile.memory.bytes == before.memory.bytes);
      }
  });
}

} // namespace
