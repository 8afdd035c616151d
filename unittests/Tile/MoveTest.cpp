// Moves between tiles, element by element.

#include "Reference.h"

using namespace reference;

namespace {

/// A multiple of every box of the element type, with room for windows.
constexpr int kRows = 128, kCols = 128;

void expectSame(const TestTile &tile, const TestTile &expected) {
  ASSERT_TRUE(tile.memory.bytes == expected.memory.bytes) << tile.text();
}

TEST(MoveTest, EveryPairOfLayouts) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : kWidths)
      for (const Name &from : kNames)
        for (const Name &to : kNames)
          for (int rv : {128, 37})
            for (int cv : {128, 45, 1}) {
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
              kernels.tmov(ops);
              expectSame(dst, expected);
            }
  });
}

TEST(MoveTest, OntoItself) {
  TestTile tile(kNZ, Elem::f16, kRows, kCols, 37, 45, 1), before = tile;
  Operands ops;
  ops.tile[0] = ops.tile[1] = tile.view();
  hostKernels().tmov(ops);
  expectSame(tile, before);
}

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
    hostKernels().tmov(ops);
    expectSame(dst, expected);
  }
}

TEST(MoveTest, BiasIsWidened) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::f16, Elem::bf16}) {
      TestTile src(kND, elem, 1, 64, 1, 50, 1), dst(kND, Elem::f32, 1, 64, 1, 50, 2), expected = dst;
      for (int c = 0; c < 50; ++c) {
        uint32_t bits = uint32_t(src.get(0, c));
        if (elem == Elem::f16 && (bits & 0x7c00) == 0x7c00)
          src.set(0, c, bits &= 0xfbff);
        expected.set(0, c, elem == Elem::bf16 ? bits << 16
                                              : std::bit_cast<uint32_t>(float(std::bit_cast<_Float16>(uint16_t(bits)))));
      }
      Operands ops;
      ops.tile[0] = dst.view();
      ops.tile[1] = src.view();
      kernels.tmov(ops);
      expectSame(dst, expected);
    }
  });
}

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
          kernels.textract(ops);
          expectSame(small, expectedSmall);
          ops.tile[0] = big.view();
          ops.tile[1] = smallBefore.view();
          kernels.tinsert(ops);
          expectSame(big, expectedBig);
        }
  });
}

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
            kernels.ttrans(ops);
            expectSame(dst, expected);
          }
  });
}

TEST(MoveTest, FillPad) {
  constexpr uint64_t kCustom = (uint64_t(1) << 32) | 0x3fc00000;
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::f32, Elem::f16, Elem::u8, Elem::i16, Elem::i32})
      for (const Name &name : {kND, kDN, kNZ})
        for (uint64_t pad : {uint64_t(1), uint64_t(2), uint64_t(3), kCustom})
          for (bool inPlace : {false, true}) {
            TestTile src(name, elem, 64, 64, 21, 37, 1), dst(name, elem, inPlace ? 64 : 128, 64, 64, 64, 2);
            dst.ref.pad = pad;
            if (inPlace)
              dst.memory = src.memory;
            TestTile expected = dst;
            uint64_t max = elem == Elem::f32 ? 0x7f800000 : elem == Elem::f16 ? 0x7c00 : elem == Elem::u8 ? 0xff
                           : elem == Elem::i16 ? 0x7fff : 0x7fffffff;
            uint64_t min = elem == Elem::f32 ? 0xff800000 : elem == Elem::f16 ? 0xfc00 : elem == Elem::u8 ? 0
                           : elem == Elem::i16 ? 0x8000 : 0x80000000;
            for (int r = 0; r < dst.ref.rows; ++r)
              for (int c = 0; c < 64; ++c)
                expected.set(r, c, r < 21 && c < 37 ? src.get(r, c)
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
            kernels.tfillpad(ops);
            SCOPED_TRACE(dst.text() + " pad " + std::to_string(pad));
            expectSame(dst, expected);
          }
  });
}

//===----------------------------------------------------------------------===//
// Columns joined, mixed, repeated
//===----------------------------------------------------------------------===//

TEST(RearrangeTest, Concat) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::u8, Elem::f16, Elem::f32})
      for (int room : {60, 40, 10}) {
        TestTile a(kND, elem, 8, 32, 7, 25, 1), b(kND, elem, 8, 64, 7, 33, 2), dst(kND, elem, 8, 64, 7, room, 3);
        TestTile expected = dst;
        for (int r = 0; r < 7; ++r)
          for (int c = 0; c < room && c < 58; ++c)
            expected.set(r, c, c < 25 ? a.get(r, c) : b.get(r, c - 25));
        Operands ops;
        ops.tiles = 3;
        ops.tile[0] = dst.view();
        ops.tile[1] = a.view();
        ops.tile[2] = b.view();
        kernels.tconcat(ops);
        expectSame(dst, expected);
      }
  });
}

TEST(RearrangeTest, ConcatByCounts) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::u8, Elem::f16, Elem::f32})
      for (Elem index : {Elem::i8, Elem::u8, Elem::i16, Elem::i32, Elem::u32})
        for (bool total : {false, true}) {
          int bytes = widthBits(elem) / 8, perBlock = 256 / widthBits(index);
          TestTile a(kND, elem, 8, 32, 7, 25, 1), b(kND, elem, 8, 64, 7, 33, 2), dst(kND, elem, 8, 64, 7, 50, 3);
          TestTile na(kND, index, 8, perBlock, 7, 1, 4), nb(kND, index, 8, perBlock, 7, 1, 5);
          TestTile sum(kND, index, 8, perBlock, 7, 1, 6);
          int counts[7][2] = {{0, 0}, {1, 2}, {25, 33}, {26, 31}, {0, 33}, {25, 0}, {-1, 3}};
          TestTile expected = dst, expectedSum = sum;
          for (int r = 0; r < 7; ++r) {
            bool negative = counts[r][0] < 0;
            int huge = index == Elem::u8 || index == Elem::u32 ? 25 : 0; // what -1 byte means
            if (index == Elem::u8 && bytes == 4)
              huge = 25;
            na.set(r, 0, uint64_t(int64_t(negative ? -1 : counts[r][0] * bytes)));
            nb.set(r, 0, uint64_t(int64_t(counts[r][1] * bytes)));
            int n = negative ? huge : std::min(counts[r][0], 25);
            // Counts that do not fit the index type are what is left of them.
            auto kept = [&](int64_t value) {
              if (index == Elem::i8)
                return std::max<int64_t>(int8_t(value), 0);
              return index == Elem::u8 ? int64_t(uint8_t(value)) : value;
            };
            if (!negative)
              n = int(std::min<int64_t>(kept(counts[r][0] * bytes) / bytes, 25));
            int m = int(std::min<int64_t>(std::min<int64_t>(kept(counts[r][1] * bytes) / bytes, 33), 50 - n));
            for (int c = 0; c < n; ++c)
              expected.set(r, c, a.get(r, c));
            for (int c = 0; c < m; ++c)
              expected.set(r, n + c, b.get(r, c));
            expectedSum.set(r, 0, uint64_t((n + m) * bytes));
          }
          Operands ops;
          ops.tiles = total ? 6 : 5;
          ops.tile[0] = dst.view();
          ops.tile[1] = a.view();
          ops.tile[2] = b.view();
          ops.tile[3] = sum.view();
          ops.tile[total ? 4 : 3] = na.view();
          ops.tile[total ? 5 : 4] = nb.view();
          kernels.tconcat(ops);
          SCOPED_TRACE("index " + std::to_string(int(index)) + " total " + std::to_string(total));
          expectSame(dst, expected);
          if (total)
            expectSame(sum, expectedSum);
        }
  });
}

TEST(RearrangeTest, Interleave) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::u8, Elem::f16, Elem::f32, Elem::i64})
      for (const Name &name : {kND, kNZ})
        for (int cv : {1, 2, 17, 32, 64}) {
          TestTile s0(name, elem, 16, 64, 9, cv, 1), s1(name, elem, 16, 64, 9, cv, 2);
          TestTile d0(name, elem, 16, 64, 9, cv, 3), d1(name, elem, 16, 64, 9, cv, 4);
          TestTile e0 = d0, e1 = d1, back0 = d0, back1 = d1, f0 = d0, f1 = d1;
          for (int r = 0; r < 9; ++r)
            for (int p = 0; p < 2 * cv; ++p) {
              uint64_t value = p % 2 == 0 ? s0.get(r, p / 2) : s1.get(r, p / 2);
              (p < cv ? e0 : e1).set(r, p % cv, value);
            }
          for (int r = 0; r < 9; ++r)
            for (int c = 0; c < cv; ++c) {
              f0.set(r, c, s0.get(r, c));
              f1.set(r, c, s1.get(r, c));
            }
          Operands ops;
          ops.tiles = 4;
          ops.tile[0] = d1.view();
          ops.tile[1] = d0.view();
          ops.tile[2] = s1.view();
          ops.tile[3] = s0.view();
          kernels.tinterleave(ops);
          SCOPED_TRACE(d0.text());
          expectSame(d0, e0);
          expectSame(d1, e1);
          // The inverse.
          ops.tile[0] = back1.view();
          ops.tile[1] = back0.view();
          ops.tile[2] = d1.view();
          ops.tile[3] = d0.view();
          kernels.tdeinterleave(ops);
          expectSame(back0, f0);
          expectSame(back1, f1);
        }
  });
}

TEST(RearrangeTest, DeinterleaveOfOneTile) {
  atEveryLevel([](const Kernels &kernels) {
    for (int cv : {1, 2, 33, 64}) {
      TestTile src(kND, Elem::f16, 16, 64, 9, cv, 1);
      TestTile even(kND, Elem::f16, 16, 32, 9, (cv + 1) / 2, 2), odd(kND, Elem::f16, 16, 32, 9, cv / 2, 3);
      TestTile expectedEven = even, expectedOdd = odd;
      for (int r = 0; r < 9; ++r)
        for (int c = 0; c < cv; ++c)
          (c % 2 ? expectedOdd : expectedEven).set(r, c / 2, src.get(r, c));
      Operands ops;
      ops.tiles = 3;
      ops.tile[0] = odd.view();
      ops.tile[1] = even.view();
      ops.tile[2] = src.view();
      kernels.tdeinterleave(ops);
      expectSame(even, expectedEven);
      expectSame(odd, expectedOdd);
    }
  });
}

TEST(RearrangeTest, Expand) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : kWidths)
      for (const Name &name : {kND, kDN}) {
        TestTile dst(kND, elem, 64, 64, 21, 37, 1), src(name, elem, 64, 64, 21, 37, 2), expected = dst;
        for (int r = 0; r < 21; ++r)
          for (int c = 0; c < 37; ++c)
            expected.set(r, c, src.get(r, 0));
        Operands ops;
        ops.tiles = 2;
        ops.tile[0] = dst.view();
        ops.tile[1] = src.view();
        kernels.trowexpand(ops);
        expectSame(dst, expected);
        for (int r = 0; r < 21; ++r)
          for (int c = 0; c < 37; ++c)
            expected.set(r, c, src.get(0, c));
        kernels.tcolexpand(ops);
        expectSame(dst, expected);
      }
  });
}

//===----------------------------------------------------------------------===//
// From scalars
//===----------------------------------------------------------------------===//

TEST(GenerateTest, ExpandScalar) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : kWidths)
      for (const Name &name : kNames)
        for (int cv : {128, 45, 1}) {
          TestTile dst(name, elem, kRows, kCols, 37, cv, 1), expected = dst;
          for (int r = 0; r < 37; ++r)
            for (int c = 0; c < cv; ++c)
              expected.set(r, c, 0x123456789abcdef5);
          Operands ops;
          ops.tile[0] = dst.view();
          ops.scalar[0] = 0x123456789abcdef5;
          kernels.texpands(ops);
          expectSame(dst, expected);
        }
  });
}

TEST(GenerateTest, Count) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::i16, Elem::u16, Elem::i32, Elem::u32})
      for (bool down : {false, true}) {
        TestTile dst(kND, elem, 2, 64, 1, 45, 1), expected = dst;
        int64_t start = down ? 20 : (elem == Elem::i16 || elem == Elem::u16 ? 0xfff0 : 0xfffffff0);
        for (int c = 0; c < 45; ++c)
          expected.set(0, c, uint64_t(down ? start - c : start + c));
        Operands ops;
        ops.tile[0] = dst.view();
        ops.scalar[0] = uint64_t(start);
        ops.mode = down;
        kernels.tci(ops);
        expectSame(dst, expected);
      }
  });
}

TEST(GenerateTest, Triangle) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::f32, Elem::f16, Elem::bf16, Elem::i32, Elem::u8, Elem::i16})
      for (bool upper : {false, true})
        for (int diagonal : {-100, -3, 0, 1, 7, 100}) {
          TestTile dst(kND, elem, 32, 64, 21, 37, 1), expected = dst;
          uint64_t one = elem == Elem::f32 ? 0x3f800000 : elem == Elem::f16 ? 0x3c00 : elem == Elem::bf16 ? 0x3f80 : 1;
          for (int r = 0; r < 21; ++r)
            for (int c = 0; c < 37; ++c)
              expected.set(r, c, (upper ? c >= r + diagonal : c <= r + diagonal) ? one : 0);
          Operands ops;
          ops.tile[0] = dst.view();
          ops.scalar[0] = uint64_t(int64_t(diagonal));
          ops.mode = upper;
          kernels.ttri(ops);
          expectSame(dst, expected);
        }
  });
}

} // namespace
