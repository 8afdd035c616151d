// Columns joined, mixed and repeated, and tiles made from scalars.

#include "Reference.h"

using namespace reference;

namespace {

void expectSame(const TestTile &tile, const TestTile &expected) {
  ASSERT_TRUE(tile.memory.bytes == expected.memory.bytes) << tile.text();
}

// TMOV-13.
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
        kernels.TCONCAT(ops);
        expectSame(dst, expected);
      }
  });
}

// TMOV-14, HMEAN-31.
TEST(RearrangeTest, ConcatByCounts) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::u8, Elem::f16, Elem::f32})
      for (Elem index : {Elem::i8, Elem::u8, Elem::i16, Elem::i32, Elem::u32})
        for (bool total : {false, true}) {
          int bytes = widthBits(index) / 8, perBlock = 256 / widthBits(index);
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
          kernels.TCONCAT(ops);
          SCOPED_TRACE("index " + std::to_string(int(index)) + " total " + std::to_string(total));
          expectSame(dst, expected);
          if (total)
            expectSame(sum, expectedSum);
        }
  });
}

// TMOV-15.
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
          kernels.TINTERLEAVE(ops);
          SCOPED_TRACE(d0.text());
          expectSame(d0, e0);
          expectSame(d1, e1);
          // The inverse.
          ops.tile[0] = back1.view();
          ops.tile[1] = back0.view();
          ops.tile[2] = d1.view();
          ops.tile[3] = d0.view();
          kernels.TDEINTERLEAVE(ops);
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
      kernels.TDEINTERLEAVE(ops);
      expectSame(even, expectedEven);
      expectSame(odd, expectedOdd);
    }
  });
}

// TRED-10.
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
        kernels.TROWEXPAND(ops);
        expectSame(dst, expected);
        for (int r = 0; r < 21; ++r)
          for (int c = 0; c < 37; ++c)
            expected.set(r, c, src.get(0, c));
        kernels.TCOLEXPAND(ops);
        expectSame(dst, expected);
      }
  });
}

//===----------------------------------------------------------------------===//
// From scalars
//===----------------------------------------------------------------------===//

// TEW-17.
TEST(GenerateTest, ExpandScalar) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : kWidths)
      for (const Name &name : kNames)
        for (int cv : {128, 45, 1}) {
          TestTile dst(name, elem, 128, 128, 37, cv, 1), expected = dst;
          for (int r = 0; r < 37; ++r)
            for (int c = 0; c < cv; ++c)
              expected.set(r, c, 0x123456789abcdef5);
          Operands ops;
          ops.tile[0] = dst.view();
          ops.scalar[0] = 0x123456789abcdef5;
          kernels.TEXPANDS(ops);
          expectSame(dst, expected);
        }
  });
}

// TGEN-1.
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
        kernels.TCI(ops);
        expectSame(dst, expected);
      }
  });
}

// TGEN-2.
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
          kernels.TTRI(ops);
          expectSame(dst, expected);
        }
  });
}

} // namespace
