//===- GatherProgramTest.cpp - programs that gather and scatter -----------===//
//
// Every form of TGATHER, TGATHERB, TSCATTER, MGATHER and MSCATTER, launched with
// all checks; and programs whose indices are wrong, undefined or not there yet.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <numeric>

using namespace pto;
using namespace programs;

namespace {

constexpr int kRows = 8, kCols = 64, kCount = kRows * kCols;

/// A permutation.
template <typename I = int32_t> std::vector<I> shuffled(int n = kCount) {
  std::vector<I> result(static_cast<size_t>(n));
  for (int k = 0; k < n; ++k)
    result[size_t(k)] = I((k * 37 + 11) % n);
  return result;
}
template <typename T> std::vector<T> counted(int n = kCount) {
  std::vector<T> result(static_cast<size_t>(n));
  for (int k = 0; k < n; ++k)
    result[size_t(k)] = T(k % 251 + 1);
  return result;
}

//===----------------------------------------------------------------------===//
// Tile to tile
//===----------------------------------------------------------------------===//

template <typename T, typename I, bool Scratch> void gatherByIndex() {
  clean([](const ptoscope::Options &options) {
    const std::vector<T> x = counted<T>();
    const std::vector<I> i = shuffled<I>();
    std::vector<T> y(kCount);
    auto kernel = [](const T *px, const I *pi, T *py) {
      Vec<T, kRows, kCols> a, b;
      Vec<I, kRows, kCols> idx, tmp;
      TASSIGN(a, 0);
      TASSIGN(b, 0x1000);
      TASSIGN(idx, 0x2000);
      TASSIGN(tmp, 0x3000);
      View<T, kRows, kCols> gx(const_cast<T *>(px)), gy(py);
      View<I, kRows, kCols> gi(const_cast<I *>(pi));
      TLOAD(a, gx);
      Event<Op::TLOAD, Op::TGATHER> loaded = TLOAD(idx, gi);
      Event<Op::TGATHER, Op::TSTORE_VEC> done;
      if constexpr (Scratch)
        done = TGATHER(b, a, idx, tmp, loaded);
      else
        done = TGATHER(b, a, idx, loaded);
      TSTORE(gy, b, done);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, i, y);
    for (size_t k = 0; k < kCount; ++k)
      EXPECT_EQ(y[k], x[size_t(i[k])]) << k;
    return result;
  });
}
TEST(TileGatherProgram, ByIndex) {
  gatherByIndex<float, int32_t, true>();
  gatherByIndex<float, uint32_t, false>();
  gatherByIndex<int16_t, uint16_t, true>();
  gatherByIndex<uint8_t, int16_t, false>();
}

/// Low bit first, as patterns are read.
const char *const kPatterns[] = {"", "0101", "1010", "0001", "0010", "0100", "1000", "1111"};
bool takes(MaskPattern pattern, int c) { return kPatterns[int(pattern)][3 - c % 4] == '1'; }
constexpr int countOf(MaskPattern pattern) {
  return pattern == MaskPattern::P1111 ? kCols : pattern <= MaskPattern::P1010 ? kCols / 2 : kCols / 4;
}

/// What a pattern takes, and back with zeros between.
template <MaskPattern P> void byPattern() {
  static constexpr int kTaken = countOf(P);
  clean([](const ptoscope::Options &options) {
    const std::vector<int32_t> x = counted<int32_t>();
    std::vector<int32_t> y(kRows * kTaken), z(kCount);
    auto kernel = [](const int32_t *px, int32_t *py, int32_t *pz) {
      using All = Vec<int32_t, kRows, kCols>;
      using Some = Vec<int32_t, kRows, kTaken>;
      All a, c;
      Some b;
      TASSIGN(a, 0);
      TASSIGN(b, 0x1000);
      TASSIGN(c, 0x2000);
      View<int32_t, kRows, kCols> gx(const_cast<int32_t *>(px)), gz(pz);
      View<int32_t, kRows, kTaken> gy(py);
      TLOAD(a, gx);
      fence();
      TGATHER<Some, All, P>(b, a);
      pipe_barrier(PIPE_V);
      TSCATTER<P>(c, b);
      fence();
      TSTORE(gy, b);
      TSTORE(gz, c);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, y, z);
    for (int r = 0, k = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c) {
        const int32_t value = x[size_t(r * kCols + c)];
        if (takes(P, c)) {
          EXPECT_EQ(y[size_t(k++)], value) << r << ", " << c;
        }
        EXPECT_EQ(z[size_t(r * kCols + c)], takes(P, c) ? value : 0) << r << ", " << c;
      }
    return result;
  });
}
TEST(TileGatherProgram, ByPattern) {
  byPattern<MaskPattern::P0101>();
  byPattern<MaskPattern::P1010>();
  byPattern<MaskPattern::P0001>();
  byPattern<MaskPattern::P0010>();
  byPattern<MaskPattern::P0100>();
  byPattern<MaskPattern::P1000>();
  byPattern<MaskPattern::P1111>();
}

TEST(TileGatherProgram, Blocks) {
  constexpr int kBlocks = kCols * 2 / 32; // of 32 bytes, a row
  clean([](const ptoscope::Options &options) {
    const std::vector<int16_t> x = counted<int16_t>();
    std::vector<uint32_t> offset(kRows * 8);
    for (int r = 0; r < kRows; ++r)
      for (int b = 0; b < kBlocks; ++b)
        offset[size_t(r * 8 + b)] = uint32_t((r * 190 + b * 34) % 900 & ~1); // any even byte
    std::vector<int16_t> y(kCount);
    auto kernel = [](const int16_t *px, const uint32_t *po, int16_t *py) {
      Vec<int16_t, kRows, kCols> a, b;
      Tile<TileType::Vec, uint32_t, kRows, 8, BLayout::RowMajor, kRows, kBlocks> offsets;
      TASSIGN(a, 0);
      TASSIGN(b, 0x1000);
      TASSIGN(offsets, 0x2000);
      View<int16_t, kRows, kCols> gx(const_cast<int16_t *>(px)), gy(py);
      GlobalTensor<uint32_t, Shape<1, 1, 1, kRows, kBlocks>, Stride<1, 1, 1, 8, 1>> go(const_cast<uint32_t *>(po));
      TLOAD(a, gx);
      Event<Op::TLOAD, Op::TGATHERB> loaded = TLOAD(offsets, go);
      Event<Op::TGATHERB, Op::TSTORE_VEC> done = TGATHERB(b, a, offsets, loaded);
      TSTORE(gy, b, done);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, offset, y);
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c)
        EXPECT_EQ(y[size_t(r * kCols + c)], x[offset[size_t(r * 8 + c / 16)] / 2 + size_t(c % 16)]) << r << ", " << c;
    return result;
  });
}

/// Places that no index names keep what they had.
TEST(TileGatherProgram, ScatterByIndex) {
  constexpr int kUsed = 5;
  clean([](const ptoscope::Options &options) {
    const std::vector<float> x = counted<float>();
    const std::vector<int32_t> i = shuffled();
    std::vector<float> y(kCount, -1.0f);
    auto kernel = [](const float *px, const int32_t *pi, float *py) {
      Vec<float, kRows, kCols> a, b;
      Tile<TileType::Vec, int32_t, kRows, kCols, BLayout::RowMajor, kUsed, kCols> idx;
      TASSIGN(a, 0);
      TASSIGN(b, 0x1000);
      TASSIGN(idx, 0x2000);
      View<float, kRows, kCols> gx(const_cast<float *>(px)), gy(py);
      View<int32_t, kUsed, kCols> gi(const_cast<int32_t *>(pi));
      TLOAD(a, gx);
      TLOAD(b, gy);
      Event<Op::TLOAD, Op::TSCATTER> loaded = TLOAD(idx, gi);
      Event<Op::TSCATTER, Op::TSTORE_VEC> done = TSCATTER(b, a, idx, loaded);
      TSTORE(gy, b, done);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, i, y);
    std::vector<float> want(kCount, -1.0f);
    for (size_t k = 0; k < kUsed * kCols; ++k)
      want[size_t(i[k])] = x[k];
    EXPECT_EQ(y, want);
    return result;
  });
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

constexpr int kViewRows = 12;
using Table = View<int32_t, kViewRows, kCols>;

/// -1: nowhere.
int64_t placeOf(int64_t index, int64_t count, GatherOOB rule) {
  const uint64_t large = uint32_t(index);
  if (large < uint64_t(count))
    return int64_t(large);
  return rule == GatherOOB::Clamp ? count - 1 : rule == GatherOOB::Wrap ? int64_t(large % uint64_t(count)) : -1;
}

/// Elements: an index for each. Rows: an index for each row, in one row or column.
enum class Indices { Elements, InRow, InColumn };

template <Indices K>
using IndexTile =
    std::conditional_t<K == Indices::Elements, Vec<int32_t, kRows, kCols>,
                       std::conditional_t<K == Indices::InRow, Vec<int32_t, 1, kRows>, Column<int32_t, kRows>>>;
template <Indices K>
using IndexView =
    std::conditional_t<K == Indices::Elements, View<int32_t, kRows, kCols>,
                       std::conditional_t<K == Indices::InRow, View<int32_t, 1, kRows>, ColumnView<int32_t, kRows>>>;
template <Indices K> inline constexpr Coalesce kBy = K == Indices::Elements ? Coalesce::Elem : Coalesce::Row;

template <Indices K, bool Outside> std::vector<int32_t> indices() {
  const int places = K == Indices::Elements ? kViewRows * kCols : kViewRows;
  const int n = K == Indices::Elements ? kCount : kRows;
  std::vector<int32_t> result(static_cast<size_t>(n));
  for (int k = 0; k < n; ++k)
    result[size_t(k)] = (k * 37 + 5) % places;
  if (Outside)
    result[1] = places, result[3] = places * 5 + 2, result[6] = -1;
  return result;
}

enum class Call { Deduced, Plain, Rule, Scratch };

template <Indices K, GatherOOB Rule, Call C> void gatherView() {
  clean([](const ptoscope::Options &options) {
    const std::vector<int32_t> x = counted<int32_t>(kViewRows * kCols), i = indices<K, Rule != GatherOOB::Undefined>();
    std::vector<int32_t> y(kCount);
    auto kernel = [](const int32_t *px, const int32_t *pi, int32_t *py) {
      Vec<int32_t, kRows, kCols> a, tmp;
      IndexTile<K> idx;
      TASSIGN(a, 0);
      TASSIGN(idx, 0x1000);
      TASSIGN(tmp, 0x2000);
      Table gx(const_cast<int32_t *>(px));
      View<int32_t, kRows, kCols> gy(py);
      IndexView<K> gi(const_cast<int32_t *>(pi));
      Event<Op::TLOAD, Op::MGATHER> loaded = TLOAD(idx, gi);
      Event<Op::MGATHER, Op::TSTORE_VEC> done;
      if constexpr (C == Call::Deduced)
        done = MGATHER(a, gx, idx, loaded);
      else if constexpr (C == Call::Plain)
        done = MGATHER<kBy<K>>(a, gx, idx, loaded);
      else if constexpr (C == Call::Rule)
        done = MGATHER<kBy<K>, Rule>(a, gx, idx, loaded);
      else
        done = MGATHER<kBy<K>, Rule>(a, gx, idx, tmp, loaded);
      TSTORE(gy, a, done);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, i, y);
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c) {
        int64_t at;
        if (K == Indices::Elements) {
          at = placeOf(i[size_t(r * kCols + c)], kViewRows * kCols, Rule);
        } else {
          const int64_t row = placeOf(i[size_t(r)], kViewRows, Rule);
          at = row < 0 ? row : row * kCols + c;
        }
        EXPECT_EQ(y[size_t(r * kCols + c)], at < 0 ? 0 : x[size_t(at)]) << r << ", " << c;
      }
    return result;
  });
}
template <Indices K> void gatherViews() {
  gatherView<K, GatherOOB::Undefined, Call::Deduced>();
  gatherView<K, GatherOOB::Undefined, Call::Plain>();
  gatherView<K, GatherOOB::Clamp, Call::Rule>();
  gatherView<K, GatherOOB::Wrap, Call::Rule>();
  gatherView<K, GatherOOB::Zero, Call::Scratch>();
}
TEST(TileGatherProgram, ElementsOfMemory) { gatherViews<Indices::Elements>(); }
TEST(TileGatherProgram, RowsOfMemory) {
  gatherViews<Indices::InRow>();
  gatherViews<Indices::InColumn>();
}

constexpr GatherOOB likeGather(ScatterOOB rule) {
  return rule == ScatterOOB::Clamp ? GatherOOB::Clamp : rule == ScatterOOB::Wrap ? GatherOOB::Wrap : GatherOOB::Zero;
}
template <Indices K, ScatterAtomicOp A, ScatterOOB Rule, bool Deduced = false> void scatterView() {
  clean([](const ptoscope::Options &options) {
    const std::vector<int32_t> x = counted<int32_t>(), i = indices<K, Rule != ScatterOOB::Undefined>();
    std::vector<int32_t> y = counted<int32_t>(kViewRows * kCols);
    for (int32_t &value : y)
      value = 150 - value;
    std::vector<int32_t> want = y;
    auto kernel = [](const int32_t *px, const int32_t *pi, int32_t *py) {
      Vec<int32_t, kRows, kCols> a;
      IndexTile<K> idx;
      TASSIGN(a, 0);
      TASSIGN(idx, 0x1000);
      View<int32_t, kRows, kCols> gx(const_cast<int32_t *>(px));
      Table gy(py);
      IndexView<K> gi(const_cast<int32_t *>(pi));
      TLOAD(a, gx);
      Event<Op::TLOAD, Op::MSCATTER> loaded = TLOAD(idx, gi);
      if constexpr (Deduced)
        MSCATTER(gy, a, idx, loaded);
      else if constexpr (Rule == ScatterOOB::Undefined)
        MSCATTER<kBy<K>, A>(gy, a, idx, loaded);
      else
        MSCATTER<kBy<K>, A, Rule, ScatterConflict::Default>(gy, a, idx, loaded);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, i, y);
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c) {
        const int k = r * kCols + c;
        const int64_t place = K == Indices::Elements ? placeOf(i[size_t(k)], kViewRows * kCols, likeGather(Rule))
                                                     : placeOf(i[size_t(r)], kViewRows, likeGather(Rule));
        if (place < 0)
          continue;
        int32_t &old = want[size_t(K == Indices::Elements ? place : place * kCols + c)];
        const int32_t value = x[size_t(k)];
        old = A == ScatterAtomicOp::Add   ? old + value
              : A == ScatterAtomicOp::Max ? std::max(old, value)
              : A == ScatterAtomicOp::Min ? std::min(old, value)
                                          : value;
      }
    EXPECT_EQ(y, want);
    return result;
  });
}
template <Indices K> void scatterViews() {
  scatterView<K, ScatterAtomicOp::None, ScatterOOB::Undefined, true>();
  scatterView<K, ScatterAtomicOp::None, ScatterOOB::Undefined>();
  scatterView<K, ScatterAtomicOp::Add, ScatterOOB::Undefined>();
  scatterView<K, ScatterAtomicOp::Max, ScatterOOB::Skip>();
  scatterView<K, ScatterAtomicOp::Min, ScatterOOB::Clamp>();
  scatterView<K, ScatterAtomicOp::Add, ScatterOOB::Wrap>();
  scatterView<K, ScatterAtomicOp::None, ScatterOOB::Wrap>();
}
TEST(TileGatherProgram, ElementsToMemory) { scatterViews<Indices::Elements>(); }
TEST(TileGatherProgram, RowsToMemory) {
  scatterViews<Indices::InRow>();
  scatterViews<Indices::InColumn>();
}

//===----------------------------------------------------------------------===//
// Wrong programs, and what repairs them
//===----------------------------------------------------------------------===//

enum class Fault { None, Undefined, Early, Overwritten, Outside };

/// All with the same indices, then the next ones.
ptoscope::Result gatherWith(Fault fault, const ptoscope::Options &options) {
  std::vector<int32_t> x = counted<int32_t>(), i = shuffled(), y(kCount), z(kCount), w(kCount), v(kCount);
  if (fault == Fault::Outside)
    i[70] = kCount;
  auto kernel = [=](const int32_t *px, const int32_t *pi, int32_t *py, int32_t *pz, int32_t *pw, int32_t *pv) {
    Vec<int32_t, kRows, kCols> a, b, c, d, idx;
    TASSIGN(a, 0);
    TASSIGN(b, 0x1000);
    TASSIGN(c, 0x2000);
    TASSIGN(d, 0x3000);
    TASSIGN(idx, 0x4000);
    using All = View<int32_t, kRows, kCols>;
    All gx(const_cast<int32_t *>(px)), gi(const_cast<int32_t *>(pi)), gy(py), gz(pz), gw(pw), gv(pv);
    TLOAD(a, gx);
    if (fault == Fault::Early)
      fence();
    if (fault != Fault::Undefined)
      TLOAD(idx, gi);
    if (fault != Fault::Early)
      fence();
    TGATHER(b, a, idx);
    TSCATTER(c, a, idx);
    MGATHER<Coalesce::Elem>(d, gx, idx);
    MSCATTER<Coalesce::Elem>(gv, a, idx);
    if (fault != Fault::Overwritten)
      fence();
    TLOAD(idx, gi);
    fence();
    TSTORE(gy, b);
    TSTORE(gz, c);
    TSTORE(gw, d);
  };
  return ptoscope::launch(options, kernel, 1, x, i, y, z, w, v);
}

/// How many findings of a kind name an instruction.
int countOf(const ptoscope::Result &result, const char *code, const char *instruction) {
  int count = 0;
  for (size_t k = 0; k < result.size(); ++k)
    count +=
        std::string(result[k].code) == code && std::string(result[k].message).find(instruction) != std::string::npos;
  return count;
}

// TGATHER-2, TGATHER-8.
TEST(TileGatherProgram, WrongIndices) {
  for (const ptoscope::Options &options : schedules()) {
    SCOPED_TRACE(nameOf(options));
    const ptoscope::Result clean = gatherWith(Fault::None, options);
    EXPECT_EQ(clean.size(), 0u) << clean.text();

    const ptoscope::Result undefined = gatherWith(Fault::Undefined, options);
    EXPECT_FALSE(undefined.ok());
    EXPECT_GE(countOf(undefined, "init-read", "`TGATHER`"), 1) << undefined.text();

    const ptoscope::Result early = gatherWith(Fault::Early, options);
    EXPECT_TRUE(early.has("race-raw")) << early.text();
    for (const char *name : {"`TGATHER`", "`TSCATTER`", "`MGATHER`", "`MSCATTER`"}) {
      // Eagerly the load comes first and conflicts with each.
      const bool isNamed = countOf(early, "race-raw", name) == 1;
      EXPECT_TRUE(isNamed || options.schedule != ptoscope::Options::Eager) << name << early.text();
    }

    const ptoscope::Result overwritten = gatherWith(Fault::Overwritten, options);
    EXPECT_TRUE(overwritten.has("race-war")) << overwritten.text();

    const ptoscope::Result outside = gatherWith(Fault::Outside, options);
    EXPECT_EQ(countOf(outside, "ub-out-of-bounds", "`TGATHER`"), 1) << outside.text();
    EXPECT_EQ(countOf(outside, "ub-out-of-bounds", "`TSCATTER`"), 1) << outside.text();
    EXPECT_EQ(countOf(outside, "gm-out-of-bounds", "`MGATHER`"), 1) << outside.text();
    EXPECT_EQ(countOf(outside, "gm-out-of-bounds", "`MSCATTER`"), 1) << outside.text();
    EXPECT_NE(std::string(outside.text()).find("index 512 at row 1, column 6"), std::string::npos) << outside.text();
  }
}

/// A block beyond the end of its tile.
// TGATHER-2.
TEST(TileGatherProgram, WrongOffset) {
  for (uint32_t last : {992u, 993u}) {
    const std::vector<int16_t> x = counted<int16_t>();
    const std::vector<uint32_t> offset(8, last);
    auto kernel = [](const int16_t *px, const uint32_t *po) {
      Vec<int16_t, kRows, kCols> a;
      Tile<TileType::Vec, int16_t, 1, kCols> b;
      Tile<TileType::Vec, uint32_t, 1, 8, BLayout::RowMajor, 1, 4> offsets;
      TASSIGN(a, 0);
      TASSIGN(b, 0x1000);
      TASSIGN(offsets, 0x2000);
      View<int16_t, kRows, kCols> gx(const_cast<int16_t *>(px));
      View<uint32_t, 1, 4> go(const_cast<uint32_t *>(po));
      TLOAD(a, gx);
      TLOAD(offsets, go);
      fence();
      TGATHERB(b, a, offsets);
    };
    ptoscope::Result result = ptoscope::launch(kernel, 1, x, offset);
    EXPECT_EQ(result.has("ub-out-of-bounds"), last == 993) << result.text();
    EXPECT_EQ(result.ok(), last == 992) << result.text();
  }
}

} // namespace
