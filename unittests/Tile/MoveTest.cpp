// Moves between tiles, element by element.

#include "../Sample.h"
#include "Reference.h"

using namespace reference;

namespace {

/// A multiple of every box of the element type, with room for windows.
constexpr int kRows = 128, kCols = 128;

void expectSame(const TestTile &tile, const TestTile &expected) {
  ASSERT_TRUE(tile.memory.bytes == expected.memory.bytes) << tile.text();
}

// TMOV-1.
TEST(MoveTest, EveryPairOfLayouts) {
  atEveryLevel([](const Kernels &kernels) {
    Sample sample(5);
    for (Elem elem : kWidths)
      for (const Name &from : kNames)
        for (const Name &to : kNames)
          for (int rv : {128, 37})
            for (int cv : {128, 45, 1}) {
              if (!sample.next())
                continue;
              TestTile src(from, elem, kRows, kCols, rv, cv, 1), dst(to, elem, kRows, kCols, rv, cv, 2);
              SCOPED_TRACE(src.text() + " to " + to.name);
              TestTile expected = dst;
              for (int r = 0; r < rv; ++r)
                for (int c = 0; c < cv; ++c)
                  expected.set(r, c, src.get(r, c));
              Operands ops;
              ops.tiles = 2;
              ops.tile[0] = dst.view();
              ops.tile[1] = src.view();
              kernels.TMOV(ops);
              expectSame(dst, expected);
            }
  });
}

TEST(MoveTest, OntoItself) {
  TestTile tile(kNZ, Elem::f16, kRows, kCols, 37, 45, 1), before = tile;
  Operands ops;
  ops.tile[0] = ops.tile[1] = tile.view();
  hostKernels().TMOV(ops);
  expectSame(tile, before);
}

// TMOV-7.
TEST(MoveTest, HalvesForTwoVectorCores) {
  for (Part part : {Part::FirstRows, Part::LastRows, Part::FirstCols, Part::LastCols}) {
    TestTile src(kNZ, Elem::f32, 64, 64, 40, 32, 1, 1024), dst(kND, Elem::f32, 64, 64, 40, 32, 2), expected = dst;
    bool byRows = part == Part::FirstRows || part == Part::LastRows;
    int row = part == Part::LastRows ? 20 : 0, col = part == Part::LastCols ? 16 : 0;
    for (int r = 0; r < (byRows ? 20 : 40); ++r)
      for (int c = 0; c < (byRows ? 32 : 16); ++c)
        expected.set(r, c, src.get(row + r, col + c));
    Operands ops;
    ops.tile[0] = dst.view();
    ops.tile[1] = src.view();
    ops.mode = MoveMode{.part = part}.pack();
    hostKernels().TMOV(ops);
    expectSame(dst, expected);
  }
}

// TMOV-1.
TEST(MoveTest, BiasIsWidened) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::f16, Elem::bf16}) {
      TestTile src(kND, elem, 1, 64, 1, 50, 1), dst(kND, Elem::f32, 1, 64, 1, 50, 2), expected = dst;
      for (int c = 0; c < 50; ++c) {
        uint32_t bits = uint32_t(src.get(0, c));
        if (elem == Elem::f16 && (bits & 0x7c00) == 0x7c00)
          src.set(0, c, bits &= 0xfbff);
        expected.set(0, c,
                     elem == Elem::bf16 ? bits << 16
                                        : std::bit_cast<uint32_t>(float(std::bit_cast<_Float16>(uint16_t(bits)))));
      }
      Operands ops;
      ops.tile[0] = dst.view();
      ops.tile[1] = src.view();
      kernels.TMOV(ops);
      expectSame(dst, expected);
    }
  });
}

// TMOV-3.
TEST(MoveTest, Windows) {
  atEveryLevel([](const Kernels &kernels) {
    std::mt19937 random(3);
    for (Elem elem : kWidths)
      for (const Name &from : kNames)
        for (const Name &to : kNames) {
          int rv = 1 + int(random() % 60), cv = 1 + int(random() % 60);
          int row = int(random() % 60), col = int(random() % 60);
          TestTile big(from, elem, kRows, kCols, kRows, kCols, 1), small(to, elem, kRows, kCols, rv, cv, 2);
          SCOPED_TRACE(big.text() + " and " + small.text() + " at " + std::to_string(row) + "," + std::to_string(col));
          Operands ops;
          ops.tiles = 2;
          ops.scalar[kRowScalar] = uint64_t(row);
          ops.scalar[kColScalar] = uint64_t(col);
          TestTile expectedBig = big, expectedSmall = small;
          for (int r = 0; r < rv; ++r)
            for (int c = 0; c < cv; ++c) {
              expectedSmall.set(r, c, big.get(row + r, col + c));
              expectedBig.set(row + r, col + c, small.get(r, c));
            }
          TestTile smallBefore = small;
          ops.tile[0] = small.view();
          ops.tile[1] = big.view();
          kernels.TEXTRACT(ops);
          expectSame(small, expectedSmall);
          ops.tile[0] = big.view();
          ops.tile[1] = smallBefore.view();
          kernels.TINSERT(ops);
          expectSame(big, expectedBig);
        }
  });
}

// TMOV-10.
TEST(MoveTest, Transpose) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : kWidths)
      for (const Name &from : kNames)
        for (const Name &to : kNames)
          for (int rv : {128, 37}) {
            int cv = rv == 128 ? 128 : 21;
            TestTile src(from, elem, kRows, kCols, rv, cv, 1), dst(to, elem, kRows, kCols, cv, rv, 2);
            SCOPED_TRACE(src.text() + " to " + to.name);
            TestTile expected = dst;
            for (int r = 0; r < rv; ++r)
              for (int c = 0; c < cv; ++c)
                expected.set(c, r, src.get(r, c));
            Operands ops;
            ops.tiles = 3;
            ops.tile[0] = dst.view();
            ops.tile[1] = src.view();
            kernels.TTRANS(ops);
            expectSame(dst, expected);
          }
  });
}

// TMOV-11.
TEST(MoveTest, FillPad) {
  constexpr uint64_t kCustom = (uint64_t(1) << 32) | 0x3fc00000;
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::f32, Elem::f16, Elem::u8, Elem::i16, Elem::i32})
      for (const Name &name : {kND, kDN, kNZ})
        for (uint64_t pad : {uint64_t(1), uint64_t(2), uint64_t(3), kCustom})
          for (bool inPlace : {false, true}) {
            TestTile src(name, elem, 64, 64, 21, 37, 1), dst(name, elem, inPlace ? 64 : 128, 64, 40, 50, 2);
            dst.ref.pad = pad;
            if (inPlace)
              dst.memory = src.memory;
            TestTile expected = dst;
            uint64_t max = elem == Elem::f32   ? 0x7f800000
                           : elem == Elem::f16 ? 0x7c00
                           : elem == Elem::u8  ? 0xff
                           : elem == Elem::i16 ? 0x7fff
                                               : 0x7fffffff;
            uint64_t min = elem == Elem::f32   ? 0xff800000
                           : elem == Elem::f16 ? 0xfc00
                           : elem == Elem::u8  ? 0
                           : elem == Elem::i16 ? 0x8000
                                               : 0x80000000;
            for (int r = 0; r < dst.ref.rows; ++r)
              for (int c = 0; c < 64; ++c)
                expected.set(r, c,
                             r < 21 && c < 37 ? src.get(r, c)
                             : pad == 1       ? 0
                             : pad == 2       ? max
                             : pad == 3       ? min
                                              : kCustom);
            Operands ops;
            ops.tiles = 2;
            ops.tile[0] = dst.view();
            ops.tile[1] = src.view();
            if (inPlace)
              ops.tile[1].data = ops.tile[0].data;
            kernels.TFILLPAD(ops);
            SCOPED_TRACE(dst.text() + " pad " + std::to_string(pad));
            expectSame(dst, expected);
          }
  });
}

} // namespace
