//===- SortProgramTest.cpp - programs that sort, draw and print -----------===//
//
// TSORT32, TMRGSORT, TRANDOM and TPRINT in every form of their signatures, launched
// with all checks.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <algorithm>
#include <numeric>

using namespace pto;
using namespace programs;

namespace sortProgram {

struct Item {
  float score;
  uint32_t number;
  bool operator==(const Item &) const = default;
};
/// The order of records: descending; equal ones stay in turn.
void sortItems(std::vector<Item> &items) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return items[a].score != items[b].score ? items[a].score > items[b].score : a < b;
  });
  const std::vector<Item> before = items;
  for (size_t k = 0; k < order.size(); ++k)
    items[k] = before[order[k]];
}
/// Records of 8 bytes.
template <typename T> std::vector<Item> itemsOf(const std::vector<T> &records) {
  std::vector<Item> result;
  const auto *bytes = reinterpret_cast<const uint8_t *>(records.data());
  for (size_t at = 0; at + 8 <= records.size() * sizeof(T); at += 8) {
    T score;
    Item item;
    std::memcpy(static_cast<void *>(&score), bytes + at, sizeof(T));
    std::memcpy(&item.number, bytes + at + 4, 4);
    item.score = float(score);
    result.push_back(item);
  }
  return result;
}

constexpr int kRows = 3, kCols = 96;

template <typename T, bool Shared, bool Scratch> void sortGroups() {
  static constexpr int kWide = kCols * 8 / int(sizeof(T)), kIndexRows = Shared ? 1 : kRows;
  clean([](const ptoscope::Options &options) {
    std::vector<T> x(kRows * kCols), y(kRows * kWide);
    std::vector<uint32_t> i(kIndexRows * kCols);
    for (size_t k = 0; k < x.size(); ++k)
      x[k] = T(int(k * 53 % 37) - 18); // many equal ones
    for (size_t k = 0; k < i.size(); ++k)
      i[k] = uint32_t(k * 2654435761u);
    auto kernel = [](const T *px, const uint32_t *pi, T *py) {
      Vec<T, kRows, kCols> a, tmp;
      Vec<uint32_t, kIndexRows, kCols> idx;
      Vec<T, kRows, kWide> b;
      TASSIGN(a, 0);
      TASSIGN(tmp, 0x1000);
      TASSIGN(idx, 0x2000);
      TASSIGN(b, 0x3000);
      View<T, kRows, kCols> gx(const_cast<T *>(px));
      View<uint32_t, kIndexRows, kCols> gi(const_cast<uint32_t *>(pi));
      View<T, kRows, kWide> gy(py);
      TLOAD(a, gx);
      Event<Op::TLOAD, Op::TSORT32> loaded = TLOAD(idx, gi);
      Event<Op::TSORT32, Op::TSTORE_VEC> done;
      if constexpr (Scratch)
        done = TSORT32(b, a, idx, tmp, loaded);
      else
        done = TSORT32(b, a, idx, loaded);
      TSTORE(gy, b, done);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, i, y);
    const std::vector<Item> got = itemsOf(y);
    for (int r = 0; r < kRows; ++r)
      for (int first = 0; first < kCols; first += 32) {
        std::vector<Item> want;
        for (int c = first; c < first + 32; ++c)
          want.push_back({float(x[size_t(r * kCols + c)]), i[size_t((Shared ? 0 : r) * kCols + c)]});
        sortItems(want);
        for (int k = 0; k < 32; ++k)
          EXPECT_EQ(got[size_t(r * kCols + first + k)], want[size_t(k)]) << r << ", " << first + k;
      }
    return result;
  });
}
TEST(TileSortProgram, GroupsOf32) {
  sortGroups<float, true, false>();
  sortGroups<float, false, true>();
  sortGroups<half, true, true>();
  sortGroups<half, false, false>();
}

/// Of a group that is not full the records that are there are sorted, with a warning.
// TSORT-3.
TEST(TileSortProgram, LastGroups) {
  for (int cols : {32, 13, 45, 64}) {
    std::vector<float> x(64), y(128);
    std::vector<uint32_t> i(64);
    for (size_t k = 0; k < x.size(); ++k) {
      x[k] = float(k * 29 % 64);
      i[k] = uint32_t(k);
    }
    auto kernel = [=](float *px, uint32_t *pi, float *py) {
      using Row = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
      Row a(cols);
      Tile<TileType::Vec, uint32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC> idx(cols);
      Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, DYNAMIC> b(2 * cols);
      TASSIGN(a, 0);
      TASSIGN(idx, 0x1000);
      TASSIGN(b, 0x2000);
      const Shape<1, 1, 1, 1, DYNAMIC> shape(cols), wide(2 * cols);
      GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>> gx(px, shape), gy(py, wide);
      GlobalTensor<uint32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>> gi(pi, shape);
      TLOAD(a, gx);
      TLOAD(idx, gi);
      programs::fence();
      TSORT32(b, a, idx);
      programs::fence();
      TSTORE(gy, b);
    };
    ptoscope::Result result = ptoscope::launch(kernel, 1, x, i, y);
    EXPECT_TRUE(result.ok()) << result.text();
    EXPECT_EQ(result.size(), cols % 32 == 0 ? 0u : 1u) << result.text();
    EXPECT_EQ(result.has("undefined-by-manual"), cols % 32 != 0);
    const std::vector<Item> got = itemsOf(y);
    for (int first = 0; first < cols; first += 32) {
      std::vector<Item> want;
      for (int c = first; c < std::min(first + 32, cols); ++c)
        want.push_back({x[size_t(c)], i[size_t(c)]});
      sortItems(want);
      for (size_t k = 0; k < want.size(); ++k)
        EXPECT_EQ(got[size_t(first) + k], want[k]) << cols << ": " << first + int(k);
    }
  }
}

//===----------------------------------------------------------------------===//
// Merges
//===----------------------------------------------------------------------===//

constexpr int kListMax = 64; ///< records of the longest list
struct Lists {
  int count[4] = {40, 56, 24, 64};
  std::vector<float> records[4];
  Lists() {
    uint32_t number = 0;
    for (int i = 0; i < 4; ++i) {
      std::vector<Item> items;
      for (int k = 0; k < count[i]; ++k, ++number)
        items.push_back({float((number * 29) % 67), number});
      sortItems(items);
      records[i].resize(size_t(2 * count[i]));
      std::memcpy(records[i].data(), items.data(), 8 * items.size());
    }
  }
};
struct Counts {
  uint16_t of[4];
};

/// The first list goes first on a tie; `exhausted` ends with the first empty list.
std::vector<Item> mergedOf(const Lists &lists, int n, bool exhausted, int (&taken)[4]) {
  std::vector<Item> from[4], result;
  for (int i = 0; i < n; ++i)
    from[i] = itemsOf(lists.records[i]);
  for (;;) {
    int best = -1;
    for (int i = 0; i < n; ++i)
      if (taken[i] < lists.count[i] &&
          (best < 0 || from[i][size_t(taken[i])].score > from[best][size_t(taken[best])].score))
        best = i;
    if (best < 0)
      return result;
    result.push_back(from[best][size_t(taken[best]++)]);
    if (exhausted && taken[best] == lists.count[best])
      return result;
  }
}

template <int N, bool Exhausted> void merge() {
  static constexpr int kRoom = 4 * 2 * kListMax;
  clean([](const ptoscope::Options &options) {
    Lists lists;
    std::vector<float> y(kRoom);
    Counts counts{{9, 9, 9, 9}};
    int taken[4] = {};
    const std::vector<Item> want = mergedOf(lists, N, Exhausted, taken);
    auto kernel = [&](const float *p0, const float *p1, const float *p2, const float *p3, float *py, int written) {
      using List = Tile<TileType::Vec, float, 1, 2 * kListMax, BLayout::RowMajor, 1, DYNAMIC>;
      using Room = Tile<TileType::Vec, float, 1, kRoom>;
      using Part = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, kRoom, 1>>;
      const float *pointers[] = {p0, p1, p2, p3};
      List a[4] = {List(2 * lists.count[0]), List(2 * lists.count[1]), List(2 * lists.count[2]),
                   List(2 * lists.count[3])};
      Room b, tmp;
      for (int i = 0; i < N; ++i) {
        TASSIGN(a[i], i * 0x400);
        Part part(const_cast<float *>(pointers[i]), Shape<1, 1, 1, 1, DYNAMIC>(2 * lists.count[i]));
        TLOAD(a[i], part);
      }
      TASSIGN(b, 0x2000);
      TASSIGN(tmp, 0x4000);
      fence();
      if constexpr (N == 2)
        TMRGSORT<Room, Room, List, List, Exhausted>(b, counts, tmp, a[0], a[1]);
      else if constexpr (N == 3)
        TMRGSORT<Room, Room, List, List, List, Exhausted>(b, counts, tmp, a[0], a[1], a[2]);
      else
        TMRGSORT<Room, Room, List, List, List, List, Exhausted>(b, counts, tmp, a[0], a[1], a[2], a[3]);
      fence();
      Tile<TileType::Vec, float, 1, kRoom, BLayout::RowMajor, 1, DYNAMIC> head(2 * written);
      TASSIGN(head, 0x2000);
      Part gy(py, Shape<1, 1, 1, 1, DYNAMIC>(2 * written));
      TSTORE(gy, head);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, lists.records[0], lists.records[1], lists.records[2],
                                               lists.records[3], y, int(want.size()));
    const std::vector<Item> got = itemsOf(y);
    for (size_t k = 0; k < want.size(); ++k)
      EXPECT_EQ(got[k], want[k]) << k;
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(int(counts.of[i]), taken[i]) << "list " << i;
    return result;
  });
}
TEST(TileSortProgram, MergesTwoLists) {
  merge<2, false>();
  merge<2, true>();
}
TEST(TileSortProgram, MergesThreeLists) {
  merge<3, false>();
  merge<3, true>();
}
TEST(TileSortProgram, MergesFourLists) {
  merge<4, false>();
  merge<4, true>();
}

/// 512 values: groups of 32, then runs of four groups, then of four such runs.
// HMEAN-35.
TEST(TileSortProgram, SortsByRuns) {
  constexpr int kValues = 512;
  clean([](const ptoscope::Options &options) {
    std::vector<float> x(kValues), y(2 * kValues);
    std::vector<uint32_t> i(kValues);
    std::iota(i.begin(), i.end(), 0u);
    for (size_t k = 0; k < kValues; ++k)
      x[k] = float(k * 53 % 101);
    auto kernel = [](const float *px, const uint32_t *pi, float *py) {
      Vec<float, 1, kValues> a;
      Vec<uint32_t, 1, kValues> idx;
      Vec<float, 1, 2 * kValues> b, c;
      TASSIGN(a, 0);
      TASSIGN(idx, 0x1000);
      TASSIGN(b, 0x2000);
      TASSIGN(c, 0x3000);
      View<float, 1, kValues> gx(const_cast<float *>(px));
      View<uint32_t, 1, kValues> gi(const_cast<uint32_t *>(pi));
      View<float, 1, 2 * kValues> gy(py);
      TLOAD(a, gx);
      Event<Op::TLOAD, Op::TSORT32> loaded = TLOAD(idx, gi);
      Event<Op::TSORT32, Op::TMRGSORT> sorted = TSORT32(b, a, idx, loaded);
      Event<Op::TMRGSORT, Op::TMRGSORT> merged = TMRGSORT(c, b, 64, sorted);
      Event<Op::TMRGSORT, Op::TSTORE_VEC> done = TMRGSORT(b, c, 256, merged);
      TSTORE(gy, b, done);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, i, y);
    std::vector<Item> want;
    for (size_t k = 0; k < kValues; ++k)
      want.push_back({x[k], uint32_t(k)});
    sortItems(want);
    EXPECT_TRUE(itemsOf(y) == want);
    return result;
  });
}

/// A merge that does not wait for the sort before it, on the same pipe.
// TSYNC-3.
TEST(TileSortProgram, MissingBarrier) {
  for (bool waits : {false, true}) {
    std::vector<float> x(128, 1.0f);
    std::vector<uint32_t> i(128, 7);
    auto kernel = [waits](const float *px, const uint32_t *pi) {
      Vec<float, 1, 128> a;
      Vec<uint32_t, 1, 128> idx;
      Vec<float, 1, 256> b, c;
      TASSIGN(a, 0);
      TASSIGN(idx, 0x1000);
      TASSIGN(b, 0x2000);
      TASSIGN(c, 0x3000);
      View<float, 1, 128> gx(const_cast<float *>(px));
      View<uint32_t, 1, 128> gi(const_cast<uint32_t *>(pi));
      TLOAD(a, gx);
      TLOAD(idx, gi);
      if (waits)
        fence();
      TSORT32(b, a, idx);
      pipe_barrier(PIPE_V);
      TMRGSORT(c, b, 64);
    };
    ptoscope::Result result = ptoscope::launch(kernel, 1, x, i);
    EXPECT_EQ(result.has("race-raw"), !waits) << result.text();
    EXPECT_EQ(result.ok(), waits) << result.text();
  }
}

//===----------------------------------------------------------------------===//
// Random words and prints
//===----------------------------------------------------------------------===//

/// Philox 4x32 by its definition, a word at a time.
uint32_t philox(unsigned __int128 counter, const uint32_t (&key)[2], int rounds, int word) {
  uint32_t x[4], k[2] = {key[0], key[1]};
  for (int i = 0; i < 4; ++i)
    x[i] = uint32_t(counter >> (32 * i));
  for (; rounds > 0; --rounds) {
    const uint64_t p = uint64_t(0xD2511F53) * x[0], q = uint64_t(0xCD9E8D57) * x[2];
    const uint32_t y[] = {uint32_t(q >> 32) ^ x[1] ^ k[0], uint32_t(q), uint32_t(p >> 32) ^ x[3] ^ k[1], uint32_t(p)};
    std::copy(y, y + 4, x);
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return x[word];
}

template <int Rounds, typename T> void randomWords() {
  constexpr int kDrawn = 320, kValid = 300; // two passes a row, the second not full
  clean([](const ptoscope::Options &options) {
    std::vector<T> y(kRows * kValid);
    auto kernel = [](T *py) {
      Tile<TileType::Vec, T, kRows, kDrawn, BLayout::RowMajor, kRows, kValid> a;
      TASSIGN(a, 0);
      const uint32_t key[] = {0x1234567, 0x89abcdef}, counter[] = {0xfffffff0, 0xffffffff, 7, 0};
      View<T, kRows, kValid> gy(py);
      Event<Op::TRANDOM, Op::TSTORE_VEC> drawn;
      if constexpr (Rounds == 10)
        drawn = TRANDOM(a, key, counter);
      else
        drawn = TRANDOM<Rounds>(a, key, counter);
      TSTORE(gy, a, drawn);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, y);
    unsigned __int128 first = ((unsigned __int128)(7) << 64) | 0xfffffffffffffff0u;
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kValid; ++c) {
        EXPECT_EQ(uint32_t(y[size_t(r * kValid + c)]),
                  philox(first + unsigned(c % 64), {0x1234567, 0x89abcdef}, Rounds, c % 256 / 64))
            << r << ", " << c;
        if (c == 255 || c == kValid - 1)
          first += kDrawn / 4;
      }
    return result;
  });
}
// HMEAN-39, HMEAN-40.
TEST(TileRandomProgram, Words) {
  randomWords<10, uint32_t>();
  randomWords<7, int32_t>();
}

// TGEN-6.
TEST(TilePrintProgram, TheValidRegion) {
  std::vector<float> x(8 * 8);
  for (int i = 0; i < 64; ++i)
    x[size_t(i)] = float(i) * 0.25f - 2;
  int line = 0;
  auto kernel = [&line](const float *px) {
    Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 2, 3> a;
    Tile<TileType::Vec, half, 8, 16, BLayout::RowMajor, 2, 3> b;
    Tile<TileType::Vec, int8_t, 32, 2, BLayout::ColMajor, 3, 2> c;
    Vec<float, 8, 8> tmp;
    TASSIGN(a, 0);
    TASSIGN(b, 0x1000);
    TASSIGN(c, 0x2000);
    TASSIGN(tmp, 0x3000);
    GlobalTensor<float, Shape<1, 1, 1, 2, 3>, Stride<1, 1, 1, 8, 1>> gx(const_cast<float *>(px));
    Event<Op::TLOAD, Op::TCVT> loaded = TLOAD(a, gx);
    TCVT(b, a, RoundMode::CAST_RINT, loaded);
    TEXPANDS(c, int8_t(-7));
    line = __LINE__ + 1;
    TPRINT(a);
    TPRINT(b, tmp);
    TPRINT(c);
    TPRINT_IMPL(c);
  };
  for (const ptoscope::Options &options : schedules()) {
    SCOPED_TRACE(nameOf(options));
    testing::internal::CaptureStdout();
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x);
    const std::string text = testing::internal::GetCapturedStdout();
    EXPECT_EQ(result.size(), 0u) << result.text();
    const std::string numbers = "-2 -1.75 -1.5\n0 0.25 0.5\n";
    const auto title = [&](int further, const char *tile) {
      return std::string(__FILE__) + ":" + std::to_string(line + further) + ": TPRINT: " + tile + "\n";
    };
    const char *const a = "f32 8 x 8 in UB at 0x0000, row_major, valid 2 x 3";
    const char *const b = "f16 8 x 16 in UB at 0x1000, row_major, valid 2 x 3";
    const char *const c = "i8 32 x 2 in UB at 0x2000, col_major, valid 3 x 2";
    const std::string sevens = "-7 -7\n-7 -7\n-7 -7\n";
    EXPECT_EQ(text, title(0, a) + numbers + title(1, b) + numbers + title(2, c) + sevens + title(3, c) + sevens);
  }
}

/// In the order of blocks, however many threads run them; a block that an error ends has printed before.
// TGEN-6.
TEST(TilePrintProgram, BlocksInOrder) {
  auto kernel = [] {
    Tile<TileType::Vec, int32_t, 1, 8> a;
    TASSIGN(a, 0);
    TEXPANDS(a, int32_t(get_block_idx()));
    TPRINT(a);
  };
  for (unsigned threads : {1u, 2u, 7u}) {
    ptoscope::Options options;
    options.threads = threads;
    testing::internal::CaptureStdout();
    ptoscope::Result result = ptoscope::launch(options, kernel, 23);
    const std::string text = testing::internal::GetCapturedStdout();
    EXPECT_EQ(result.size(), 0u) << result.text();
    std::string rest = text;
    for (int block = 0; block < 23; ++block) {
      const std::string n = std::to_string(block), who = ", valid 1 x 8, block " + n + "\n";
      const size_t at = rest.find('\n') + 1;
      ASSERT_TRUE(at > who.size() && rest.compare(at - who.size(), who.size(), who) == 0) << rest;
      std::string row = n;
      for (int i = 1; i < 8; ++i)
        row += " " + n;
      ASSERT_EQ(rest.substr(at, row.size() + 1), row + "\n");
      rest.erase(0, at + row.size() + 1);
    }
    EXPECT_EQ(rest, "");
  }
}

template <typename T> std::string printedHalves() {
  std::vector<uint8_t> x(32);
  for (size_t i = 0; i < 8; ++i)
    x[i] = uint8_t(2 * i | (2 * i + 1) << 4); // the codes in order
  auto kernel = [](const uint8_t *px) {
    Tile<TileType::Vec, T, 1, 64, BLayout::RowMajor, 1, 16> a;
    TASSIGN(a, 0);
    View<T, 1, 16> gx(reinterpret_cast<T *>(const_cast<uint8_t *>(px)));
    TLOAD(a, gx);
    TPRINT(a);
  };
  testing::internal::CaptureStdout();
  ptoscope::Result result = ptoscope::launch(kernel, 1, x);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(result.size(), 0u) << result.text();
  return text.substr(text.find('\n') + 1);
}
TEST(TilePrintProgram, TwoElementsInAByte) {
  EXPECT_EQ(printedHalves<int4b_t>(), "0 1 2 3 4 5 6 7 -8 -7 -6 -5 -4 -3 -2 -1\n");
  EXPECT_EQ(printedHalves<float4_e2m1x2_t>(), "0 0.5 1 1.5 2 3 4 6 -0 -0.5 -1 -1.5 -2 -3 -4 -6\n");
  EXPECT_EQ(printedHalves<float4_e1m2x2_t>(),
            "0 0.25 0.5 0.75 1 1.25 1.5 1.75 -0 -0.25 -0.5 -0.75 -1 -1.25 -1.5 -1.75\n");
}

/// A tile that no one placed, one that ends outside its memory, and one that ends with it.
TEST(TilePrintProgram, TilesThatAreNotThere) {
  auto kernel = [](int64_t address) {
    Vec<float, 1, 8> a;
    if (address >= 0)
      TASSIGN(a, address);
    TPRINT(a);
  };
  for (auto [address, code] : {std::pair{-1, "tile-unassigned"}, {0x3ffe0, ""}, {0x40000, "ub-out-of-bounds"}}) {
    testing::internal::CaptureStdout();
    ptoscope::Result result = ptoscope::launch(kernel, 1, int64_t(address));
    const bool isThere = *code == 0;
    EXPECT_EQ(testing::internal::GetCapturedStdout().empty(), !isThere);
    EXPECT_EQ(result.size(), isThere ? 0u : 1u) << result.text();
    EXPECT_TRUE(isThere || result.has(code)) << result.text();
  }
}

/// What was printed stays undefined.
// TGEN-6.
TEST(TilePrintProgram, DoesNotDefine) {
  auto kernel = [] {
    Vec<float, 1, 8> a;
    TASSIGN(a, 0);
    TPRINT(a);
    TADD(a, a, a);
  };
  testing::internal::CaptureStdout();
  ptoscope::Result result = ptoscope::launch(kernel, 1);
  testing::internal::GetCapturedStdout();
  EXPECT_TRUE(result.has("init-read")) << result.text();
}

} // namespace sortProgram
