//===- TextIndexTest.cpp - sorts, gathers and scatters of text ------------===//
//
// Where they differ from C++, against models that are written out here.
//
//===----------------------------------------------------------------------===//

#include "TextPrograms.h"

#include <algorithm>

namespace {
using namespace text;

TEST(TextIndex, MissingElementsSortAsLargeNumbers) { // IRSORT-2
  auto program = [](int valid) {
    return onUb(
        [=](Program &p) {
          TileView d = p.alloc(vec(Elem::f32, {2, 128}), kC), s = p.alloc(vec(Elem::f32, {2, 64}), kA, 2, valid),
                   i = p.alloc(vec(Elem::u32, {1, 64}), kB, 1, valid), tmp = p.alloc(vec(Elem::f32, {1, 64}), kD);
          p.issue("TSORT32", {&d, &s, &i, &tmp});
        },
        [](Bytes &ub) {
          for (size_t i = 0; i < 128; ++i)
            putAt<float>(ub, kA, i, float(i * 37 % 101));
          for (size_t i = 0; i < 64; ++i)
            putAt<uint32_t>(ub, kB, i, uint32_t(1000 + i));
        });
  };
  auto model = [](const OnUb &run, int valid, Bytes &ub) {
    for (int r = 0; r < 2; ++r)
      for (int g = 0; g < (valid + 31) / 32; ++g) {
        std::vector<std::pair<float, uint32_t>> records;
        for (int k = 0; k < 32; ++k) {
          const int c = g * 32 + k;
          records.push_back({c < valid ? valueAt<float>(run.before, kA, size_t(r * 64 + c)) : 4286578688.0f,
                             valueAt<uint32_t>(run.before, kB, size_t(c))});
        }
        // Numbers ascend with the columns: the earlier of equal ones comes first.
        std::sort(records.begin(), records.end(),
                  [](auto &a, auto &b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
        for (size_t k = 0; k < 32; ++k) {
          putAt<float>(ub, kC, size_t(r * 128 + g * 64) + 2 * k, records[k].first);
          putAt<uint32_t>(ub, kC, size_t(r * 128 + g * 64) + 2 * k + 1, records[k].second);
        }
      }
    // Scratch holds nothing afterwards; here it is not touched.
  };
  OnUb full = program(64), tail = program(45);
  expectUb(full, [&](Bytes &ub) { model(full, 64, ub); });
  expectUb(
      tail, [&](Bytes &ub) { model(tail, 45, ub); },
      "undefined-by-manual: `pto.tsort32` breaks IRSORT-2: it sorts rows of 45 columns, so that the last group has 13 "
      "of 32; missing ones "
      "count as large numbers, whose records come before most others\n");
}

TEST(TextIndex, ScattersClearOrNameRows) { // IRGATHER-5, IRGATHER-6
  for (const char *arch : {"a5", "a3"}) {
    const bool rows = arch[1] == '3';
    OnUb run = onUb(
        [=](Program &p) {
          TileView d = p.alloc(vec(Elem::i16, {8, 64}), kC), s = p.alloc(vec(Elem::i16, {4, 32}), kA, 3, 20),
                   i = p.alloc(vec(Elem::u16, {4, 32}), kB, 3, 20);
          p.issue("TSCATTER", {&d, &s, &i});
        },
        [=](Bytes &ub) {
          for (size_t i = 0; i < 128; ++i)
            putAt<uint16_t>(ub, kB, i, uint16_t(i * 29 % (rows ? 8 : 512)));
        },
        1, arch);
    expectUb(run, [&](Bytes &ub) {
      if (!rows)
        std::fill_n(ub.begin() + kC, 8 * 64 * 2, 0);
      for (size_t r = 0; r < 3; ++r)
        for (size_t c = 0; c < 20; ++c) {
          const size_t index = valueAt<uint16_t>(run.before, kB, r * 32 + c);
          putAt<int16_t>(ub, kC, rows ? index * 64 + c : index, valueAt<int16_t>(run.before, kA, r * 32 + c));
        }
    });
  }
}

TEST(TextIndex, PatternsPackEachRow) { // IRGATHER-2
  for (int dstCols : {16, 10, 30}) {
    OnUb run = onUb([=](Program &p) {
      TileView d = p.alloc(vec(Elem::i16, {4, 32}), kC, 4, dstCols), s = p.alloc(vec(Elem::i16, {4, 64}), kA, 3, 33);
      p.issue("TGATHER_MASK", {&d, &s}, nullptr, {}, /*P1010*/ 2);
    });
    expectUb(run, [&](Bytes &ub) {
      for (size_t r = 0; r < 3; ++r)
        for (size_t k = 0; k < size_t(std::min(dstCols, 16)); ++k)
          putAt<int16_t>(ub, kC, r * 32 + k, valueAt<int16_t>(run.before, kA, r * 64 + 2 * k + 1));
    });
  }
}

template <typename T> void gathersColumns(uint32_t mode) { // IRGATHER-3
  const T wanted = T(3);
  const int32_t offset = -5;
  OnUb run = onUb(
      [=](Program &p) {
        TileView d = p.alloc(vec(Elem::i32, {4, 64}), kC, 4, 40), n = p.alloc(vec(Elem::i32, {4, 8}), kD, 4, 1),
                 s = p.alloc(vec(elemOf<T>(), {4, 64}), kA, 3, 61), tmp = p.alloc(vec(Elem::u8, {4, 64}), kB);
        uint64_t bits = 0;
        std::memcpy(&bits, &wanted, sizeof(T));
        p.issue("TGATHER_CMP", {&d, &n, &s, &tmp}, nullptr, {bits, uint64_t(int64_t(offset))}, mode);
      },
      [](Bytes &ub) {
        for (size_t i = 0; i < 256; ++i)
          putAt<T>(ub, kA, i, T(int(i * 7 % 11) - 2));
      });
  expectUb(run, [&](Bytes &ub) {
    for (size_t r = 0; r < 3; ++r) {
      size_t found = 0;
      for (size_t c = 0; c < 61; ++c) {
        const T value = valueAt<T>(run.before, kA, r * 64 + c);
        if (mode == 0 ? value == wanted : value > wanted)
          putAt<int32_t>(ub, kC, r * 64 + found++, offset + int32_t(c));
      }
      putAt<int32_t>(ub, kD, r * 8, int32_t(found));
    }
  });
}

TEST(TextIndex, ColumnsThatCompare) {
  for (uint32_t mode : {0u, 4u}) {
    gathersColumns<float>(mode);
    gathersColumns<int32_t>(mode);
    gathersColumns<int16_t>(mode);
    gathersColumns<int8_t>(mode);
  }
}

TEST(TextIndex, JoinsCountElements) { // IRCAT-2
  OnUb run = onUb(
      [](Program &p) {
        TileView d = p.alloc(vec(Elem::i16, {4, 64}), kC, 4, 40), a = p.alloc(vec(Elem::i16, {4, 32}), kA, 4, 20),
                 b = p.alloc(vec(Elem::i16, {4, 32}), kB, 4, 30), na = p.alloc(vec(Elem::i32, {4, 8}), kD, 4, 1),
                 nb = p.alloc(vec(Elem::i32, {4, 8}), kD + 256, 4, 1);
        p.issue("TCONCAT", {&d, &a, &b, &na, &nb});
      },
      [](Bytes &ub) {
        constexpr int counts[4][2] = {{3, 5}, {20, 30}, {25, 7}, {0, -4}};
        for (size_t r = 0; r < 4; ++r)
          for (size_t k = 0; k < 2; ++k)
            putAt<int32_t>(ub, size_t(kD) + 256 * k, r * 8, counts[r][k]);
      });
  constexpr size_t taken[4][2] = {{3, 5}, {20, 20}, {20, 7}, {0, 0}};
  expectUb(run, [&](Bytes &ub) {
    for (size_t r = 0; r < 4; ++r)
      for (size_t k = 0; k < taken[r][0] + taken[r][1]; ++k)
        putAt<int16_t>(ub, kC, r * 64 + k,
                       k < taken[r][0] ? valueAt<int16_t>(run.before, kA, r * 32 + k)
                                       : valueAt<int16_t>(run.before, kB, r * 32 + k - taken[r][0]));
  });
}

TEST(TextIndex, RunsOfAMerge) { // IRSORT-4
  auto found = [](int64_t length) {
    return onUb([=](Program &p) {
             TileView d = p.alloc(vec(Elem::f32, {1, 512}), kC), s = p.alloc(vec(Elem::f32, {1, 512}), kA);
             p.issue("TMRGSORT_RUNS", {&d, &s}, nullptr, {uint64_t(length)});
           })
        .found;
  };
  EXPECT_EQ(found(128), "");
  for (int64_t bad : {int64_t(0), int64_t(-64), int64_t(100), INT64_MIN, int64_t(1) << 40})
    EXPECT_EQ(found(bad), "operand-range: `pto.tmrgsort_runs` breaks IRSORT-4: its runs have " + std::to_string(bad) +
                              " elements, which is not a multiple of 64\n");
}

TEST(TextIndex, IndicesOfElementsOrRows) { // IRGATHER-8
  for (bool rows : {false, true}) {
    std::vector<uint32_t> source(16 * 32);
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = uint32_t(i * 7 + 1);
    uint64_t gm = 0;
    OnUb run = onUb(
        [&](Program &p) {
          TileView d = p.alloc(vec(Elem::u32, {4, 32}), kC, 4, 20),
                   i = rows ? p.alloc(vec(Elem::i32, {1, 8}), kA, 1, 4) : p.alloc(vec(Elem::i32, {4, 32}), kA, 4, 20);
          GlobalView view = p.view(gm, Elem::u32, {16, 32}, {32, 1});
          p.issue("MGATHER", {&d, &i}, &view, {}, PTO_INDEX_BY_EXTENTS);
        },
        [&](Bytes &ub) {
          for (size_t i = 0; i < 128; ++i)
            putAt<uint32_t>(ub, kA, i, uint32_t(i * 11 % (rows ? 16 : 512)));
        },
        1, "a5", [&](Program &p) { gm = p.buffer(source); });
    expectUb(run, [&](Bytes &ub) {
      for (size_t r = 0; r < 4; ++r)
        for (size_t c = 0; c < 20; ++c) {
          const uint32_t index = valueAt<uint32_t>(run.before, kA, rows ? r : r * 32 + c);
          putAt<uint32_t>(ub, kC, r * 32 + c, source[rows ? index * 32 + c : index]);
        }
    });
  }
}

} // namespace
