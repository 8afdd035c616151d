//===- GatherTest.cpp - gathers, scatters, sorts, random words ------------===//

#include "Reference.h"

#include "pto/detail/gather.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace reference;

namespace {

Operands operandsOf(std::initializer_list<TestTile *> tiles, uint32_t mode = 0) {
  Operands ops;
  for (TestTile *tile : tiles)
    ops.tile[ops.tiles++] = tile->view();
  ops.mode = mode;
  return ops;
}

void checkSame(const TestTile &got, const TestTile &want) {
  ASSERT_TRUE(got.memory.bytes == want.memory.bytes) << want.text();
}

// TGATHER-1.
TEST(TileGather, ByIndex) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : kWidths)
      for (Elem number : {Elem::u32, Elem::i32, Elem::u16})
        for (const Name &layout : {kND, kDN}) {
          TestTile dst(layout, elem, 64, 64, 9, 37, 1), src(layout, elem, 64, 64, 64, 64, 2),
              idx(layout, number, 64, 64, 9, 37, 3);
          for (int r = 0; r < 9; ++r)
            for (int c = 0; c < 37; ++c)
              idx.set(r, c, uint64_t(r * 977 + c * 613) % 4099); // up to 4095 there are elements
          TestTile want = dst;
          for (int r = 0; r < 9; ++r)
            for (int c = 0; c < 37; ++c) {
              const auto i = int64_t(idx.get(r, c));
              want.set(r, c, i < 4096 ? src.get(i / 64, i % 64) : 0);
            }
          kernels.TGATHER(operandsOf({&dst, &src, &idx}));
          checkSame(dst, want);
        }
  });
}

// TGATHER-5.
TEST(TileGather, Scatter) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : kWidths) {
      TestTile dst(kND, elem, 16, 64, 16, 64, 1), src(kND, elem, 16, 64, 16, 64, 2),
          idx(kND, Elem::i32, 16, 64, 5, 33, 3);
      for (int r = 0; r < 5; ++r)
        for (int c = 0; c < 33; ++c)
          idx.set(r, c, uint64_t(r * 31 + c * 7) % 1100 - (c == 9 ? 2000 : 0)); // some twice, some outside
      TestTile want = dst;
      for (int r = 0; r < 5; ++r)
        for (int c = 0; c < 33; ++c)
          if (const auto i = uint32_t(idx.get(r, c)); i < 1024)
            want.set(i / 64, i % 64, src.get(r, c));
      kernels.TSCATTER(operandsOf({&dst, &src, &idx}));
      checkSame(dst, want);
    }
  });
}

/// Low bit first, as patterns are read.
bool takes(int pattern, int c) {
  const char *kText[] = {"", "0101", "1010", "0001", "0010", "0100", "1000", "1111"};
  return kText[pattern][3 - c % 4] == '1';
}

// TGATHER-3, TGATHER-6.
TEST(TileGather, Patterns) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : kWidths)
      for (int pattern = 1; pattern <= 7; ++pattern)
        for (int cols : {64, 61, 3, 0}) {
          int taken = 0;
          for (int c = 0; c < cols; ++c)
            taken += takes(pattern, c);
          TestTile src(kND, elem, 8, 64, 7, cols, 2), dst(kND, elem, 8, 64, 7, taken, 1);
          TestTile want = dst;
          for (int r = 0; r < 7; ++r)
            for (int c = 0, k = 0; c < cols; ++c)
              if (takes(pattern, c))
                want.set(r, k++, src.get(r, c));
          kernels.TGATHER_MASK(operandsOf({&dst, &src}, uint32_t(pattern)));
          checkSame(dst, want);

          TestTile wide(kND, elem, 8, 64, 7, cols, 5), packed(kND, elem, 8, 64, 7, taken, 6);
          want = wide;
          for (int r = 0; r < 7; ++r)
            for (int c = 0, k = 0; c < cols; ++c)
              want.set(r, c, takes(pattern, c) ? packed.get(r, k++) : 0);
          kernels.TSCATTER_MASK(operandsOf({&wide, &packed}, uint32_t(pattern)));
          checkSame(wide, want);
        }
  });
}

// TGATHER-4.
TEST(TileGather, Blocks) {
  atEveryLevel([](const Kernels &kernels) {
    TestTile src(kND, Elem::f16, 8, 64, 8, 64, 1), dst(kND, Elem::f16, 8, 64, 5, 40, 2),
        offset(kND, Elem::u32, 8, 8, 5, 3, 3);
    for (int r = 0; r < 5; ++r)
      for (int c = 0; c < 3; ++c)
        offset.set(r, c, uint64_t(r * 190 + c * 34) % 1000);
    TestTile want = dst;
    for (int r = 0; r < 5; ++r)
      for (int c = 0; c < 40; ++c) {
        const int64_t byte = int64_t(offset.get(r, c / 16)) + c % 16 * 2;
        want.set(r, c, src.memory.get(Elem::u8, byte) | src.memory.get(Elem::u8, byte + 1) << 8);
      }
    kernels.TGATHERB(operandsOf({&dst, &src, &offset}));
    checkSame(dst, want);
  });
}

GlobalRef viewOf(Memory &memory, Elem elem, int64_t rows, int64_t cols, int64_t stride) {
  return {memory.data(), elem, uint8_t(Layout::ND), {1, 1, 1, rows, cols}, {0, 0, 0, stride, 1}};
}

/// -1: nowhere.
int64_t resolved(uint64_t index, int64_t count, Outside outside) {
  if (index < uint64_t(count))
    return int64_t(index);
  return outside == Outside::Clamp ? count - 1 : outside == Outside::Wrap ? int64_t(index % uint64_t(count)) : -1;
}

// TGATHER-7, TGATHER-8, TGATHER-9.
TEST(TileGather, ViewsOfGlobalMemory) {
  atEveryLevel([](const Kernels &kernels) {
    for (Outside outside : {Outside::Refuse, Outside::Skip, Outside::Clamp, Outside::Wrap, Outside::Zero})
      for (bool byRow : {false, true})
        for (uint32_t atomic : {0u, 1u, 2u, 3u}) {
          constexpr int kRows = 20, kCols = 30, kStride = 40;
          const int cols = byRow ? kCols : 9;
          Memory gm(kRows * kStride * 4, 7);
          TestTile tile(kND, Elem::i32, 8, 32, 6, cols, 1);
          TestTile idx(kND, Elem::i32, 8, 32, byRow ? 1 : 6, byRow ? 6 : cols, 2);
          for (int r = 0; r < 6; ++r)
            for (int c = 0; c < (byRow ? 1 : cols); ++c)
              idx.set(byRow ? 0 : r, byRow ? r : c,
                      byRow ? uint64_t(r * 9) % 25 : uint64_t(r * 211 + c * 97) % 700 - (c == 3 ? 5000 : 0));
          Operands ops = operandsOf({&tile, &idx}, IndexMode{atomic, byRow, outside}.pack());
          ops.hasGlobal = true;
          ops.global.ref = viewOf(gm, Elem::i32, kRows, kCols, kStride);
          ops.global.data = gm.data();
          const auto place = [&](int r, int c) -> int64_t {
            if (byRow) {
              const int64_t row = resolved(uint32_t(idx.get(0, r)), kRows, outside);
              return row < 0 ? row : row * kStride + c;
            }
            const int64_t i = resolved(uint32_t(idx.get(r, c)), kRows * kCols, outside);
            return i < 0 ? i : i / kCols * kStride + i % kCols;
          };
          Memory after = gm;
          for (int r = 0; r < 6; ++r)
            for (int c = 0; c < cols; ++c)
              if (const int64_t at = place(r, c); at >= 0) {
                const auto old = int32_t(after.get(Elem::i32, at)), value = int32_t(tile.get(r, c));
                after.set(Elem::i32, at,
                          uint32_t(atomic == 0   ? value
                                   : atomic == 1 ? int32_t(uint32_t(old) + uint32_t(value))
                                   : atomic == 2 ? std::max(old, value)
                                                 : std::min(old, value)));
              }
          kernels.MSCATTER(ops);
          ASSERT_TRUE(gm.bytes == after.bytes);
          if (atomic != 0)
            continue;
          TestTile want = tile;
          for (int r = 0; r < 6; ++r)
            for (int c = 0; c < cols; ++c)
              want.set(r, c, place(r, c) < 0 ? 0 : gm.get(Elem::i32, place(r, c)));
          kernels.MGATHER(ops);
          checkSame(tile, want);
        }
  });
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

struct Item {
  float score;
  uint32_t number;
};
float halfOf(uint64_t bits) {
  const int exponent = int(bits >> 10 & 31), fraction = int(bits & 1023);
  const float value = exponent ? std::ldexp(float(1024 + fraction), exponent - 25) : std::ldexp(float(fraction), -24);
  return bits >> 15 ? -value : value;
}
Item itemAt(const TestTile &tile, int r, int k) {
  const bool half = tile.ref.elem == Elem::f16;
  const int64_t byte = (int64_t(r) * tile.ref.cols) * (half ? 2 : 4) + 8 * k;
  float score;
  uint32_t word = 0, number = 0;
  std::memcpy(&word, tile.memory.bytes.data() + Memory::kGuard + byte, half ? 2 : 4);
  std::memcpy(&number, tile.memory.bytes.data() + Memory::kGuard + byte + 4, 4);
  if (half)
    score = halfOf(word);
  else
    std::memcpy(&score, &word, 4);
  return {score, number};
}

void checkSort(const Kernels &kernels, Elem elem, int cols, bool shared) {
  const bool half = elem == Elem::f16;
  TestTile src(kND, elem, 4, 96, 3, cols, 1), idx(kND, Elem::u32, 4, 96, shared ? 1 : 3, cols, 2);
  TestTile dst(kND, elem, 4, half ? 384 : 192, 3, cols * (half ? 4 : 2), 3);
  std::mt19937 random(unsigned(cols + shared));
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < cols; ++c) {
      const float value = float(int(random() % 41) - 20); // many equal ones
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      if (half)
        bits = value == 0 ? 0 : (bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 1023);
      src.set(r, c, bits);
      idx.set(shared ? 0 : r, c, random());
    }
  kernels.TSORT32(operandsOf({&dst, &src, &idx}));
  for (int r = 0; r < 3; ++r)
    for (int first = 0; first < cols; first += 32) {
      const int n = std::min(32, cols - first);
      std::vector<int> order(size_t(n), 0);
      std::iota(order.begin(), order.end(), 0);
      const auto score = [&](int k) {
        const uint64_t bits = src.get(r, first + k);
        const auto word = uint32_t(bits);
        float value;
        std::memcpy(&value, &word, 4);
        return half ? halfOf(bits) : value;
      };
      std::sort(order.begin(), order.end(),
                [&](int a, int b) { return score(a) != score(b) ? score(a) > score(b) : a < b; });
      for (int k = 0; k < n; ++k) {
        const Item item = itemAt(dst, r, first + k);
        ASSERT_EQ(item.score, score(order[size_t(k)])) << r << ", " << first + k;
        ASSERT_EQ(item.number, idx.get(shared ? 0 : r, first + order[size_t(k)])) << r << ", " << first + k;
      }
    }
}

// TSORT-1, TSORT-2.
TEST(TileSort, GroupsOf32) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::f32, Elem::f16})
      for (int cols : {32, 96, 45, 7})
        for (bool shared : {false, true})
          checkSort(kernels, elem, cols, shared);
  });
}

/// Fills records [first, first + n) with descending scores.
void fillRun(TestTile &tile, int first, int n, std::mt19937 &random, uint32_t &number) {
  std::vector<float> scores(size_t(n), 0.0f);
  for (float &score : scores)
    score = float(random() % 60);
  std::sort(scores.begin(), scores.end(), std::greater<>());
  for (int k = 0; k < n; ++k) {
    uint8_t *at = tile.memory.data() + 8 * (first + k);
    std::memcpy(at, &scores[size_t(k)], 4);
    std::memcpy(at + 4, &number, 4);
    ++number;
  }
}

// TSORT-4.
TEST(TileSort, MergesLists) {
  atEveryLevel([](const Kernels &kernels) {
    for (int lists = 2; lists <= 4; ++lists)
      for (bool exhausted : {false, true}) {
        std::mt19937 random(5);
        uint32_t number = 0;
        std::vector<TestTile> tiles;
        std::vector<int> lengths;
        for (int i = 0; i < lists; ++i) {
          const int n = 10 + 7 * i;
          tiles.emplace_back(kND, Elem::f32, 1, 128, 1, 2 * n, unsigned(i));
          fillRun(tiles.back(), 0, n, random, number);
          lengths.push_back(n);
        }
        TestTile dst(kND, Elem::f32, 1, 512, 1, 512, 9), tmp(kND, Elem::f32, 1, 512, 1, 512, 10);
        uint16_t counts[4] = {9, 9, 9, 9};
        Operands ops = operandsOf({&dst, &tmp}, exhausted);
        for (TestTile &tile : tiles)
          ops.tile[ops.tiles++] = tile.view();
        ops.scalar[0] = reinterpret_cast<uint64_t>(counts);
        kernels.TMRGSORT(ops);
        std::vector<int> taken(4, 0);
        for (int k = 0;; ++k) {
          int best = -1;
          for (int i = 0; i < lists; ++i)
            if (taken[size_t(i)] < lengths[size_t(i)] &&
                (best < 0 || itemAt(tiles[size_t(i)], 0, taken[size_t(i)]).score >
                                 itemAt(tiles[size_t(best)], 0, taken[size_t(best)]).score))
              best = i;
          if (best < 0)
            break;
          const Item want = itemAt(tiles[size_t(best)], 0, taken[size_t(best)]++), got = itemAt(dst, 0, k);
          ASSERT_EQ(got.score, want.score) << k;
          ASSERT_EQ(got.number, want.number) << k;
          if (exhausted && taken[size_t(best)] == lengths[size_t(best)])
            break;
        }
        for (int i = 0; i < 4; ++i)
          ASSERT_EQ(int(counts[i]), taken[size_t(i)]) << i;
      }
  });
}

// TSORT-5, HMEAN-35: of C++ what is left over stays.
TEST(TileSort, MergesRuns) {
  atEveryLevel([](const Kernels &kernels) {
    for (Rules rules : {Rules::Cpp, Rules::Text}) {
      std::mt19937 random(6);
      uint32_t number = 0;
      constexpr int kRun = 32, kRuns = 6; // four become one, and two
      TestTile src(kND, Elem::f32, 1, 512, 1, 2 * kRun * kRuns, 1), dst(kND, Elem::f32, 1, 512, 1, 512, 2);
      for (int i = 0; i < kRuns; ++i)
        fillRun(src, i * kRun, kRun, random, number);
      const TestTile before = dst;
      Operands ops = operandsOf({&dst, &src});
      ops.rules = rules;
      ops.scalar[0] = 2 * kRun;
      kernels.TMRGSORT_RUNS(ops);
      for (auto [first, n] : {std::pair{0, 4 * kRun}, {4 * kRun, 2 * kRun}}) {
        std::vector<Item> want;
        for (int k = 0; k < n; ++k)
          want.push_back(itemAt(src, 0, first + k));
        // Numbers ascend with places: the first of equals stays first.
        std::sort(want.begin(), want.end(), [](const Item &a, const Item &b) {
          return a.score != b.score ? a.score > b.score : a.number < b.number;
        });
        for (int k = 0; k < n; ++k) {
          const Item wanted = rules == Rules::Cpp && first > 0 ? itemAt(before, 0, first + k) : want[size_t(k)];
          ASSERT_EQ(itemAt(dst, 0, first + k).score, wanted.score);
          ASSERT_EQ(itemAt(dst, 0, first + k).number, wanted.number);
        }
      }
    }
  });
}

// TGEN-3, TGEN-4, TGEN-5, HMEAN-39, IRGEN-4.
TEST(TileRandom, KnownWords) {
  atEveryLevel([](const Kernels &kernels) {
    // Published test vectors of Philox 4x32-10: counter and key all zeros, all ones.
    const uint32_t zeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    const uint32_t ones[] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    for (bool one : {false, true}) {
      for (Rules rules : {Rules::Cpp, Rules::Text}) {
        TestTile dst(kND, Elem::u32, 1, 256, 1, 256, 1);
        Operands ops = operandsOf({&dst}, 10);
        ops.rules = rules;
        for (int i = 0; i < 3; ++i)
          ops.scalar[i] = one ? ~uint64_t(0) : 0;
        kernels.TRANDOM(ops);
        for (int w = 0; w < 4; ++w)
          EXPECT_EQ(uint32_t(dst.get(0, rules == Rules::Text ? w : 64 * w)), (one ? ones : zeros)[w]) << w;
      }
    }
  });
}

} // namespace
