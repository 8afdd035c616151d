//===- CostTest.cpp - costs against figures computed by hand --------------===//

#include "ptoscope/Timing/Model.h"

#include <gtest/gtest.h>

using namespace ptoscope;
using namespace ptoscope::timing;

namespace {

Cost costOf(ProfileId id, const Work &work) { return Model::of(id).costOf(work); }
double totalOf(ProfileId id, const Work &work) {
  const Cost cost = costOf(id, work);
  return cost.busy + cost.latency;
}

Work tile(const char *name, Timing timing, unsigned bits, uint32_t rows, uint32_t cols, bool contiguous = false) {
  Work work;
  work.kind = Work::Kind::Vector;
  work.timing = timing;
  work.name = name;
  work.fromBits = work.toBits = uint8_t(bits);
  work.isFloat = true;
  work.rows = rows;
  work.cols = cols;
  work.isContiguous = contiguous;
  return work;
}
Work conversion(unsigned from, unsigned to, uint32_t rows, uint32_t cols, bool contiguous = false) {
  Work work = tile("TCVT", Timing::vcvt, from, rows, cols, contiguous);
  work.toBits = uint8_t(to);
  return work;
}
Work transfer(Space from, Space to, uint64_t bytes, uint32_t bursts, uint32_t transfers = 1) {
  Work work;
  work.kind = Work::Kind::Transfer;
  work.from = from;
  work.to = to;
  work.bytes = bytes;
  work.bursts = bursts;
  work.transfers = transfers;
  return work;
}
Work product(unsigned bits, uint32_t m, uint32_t k, uint32_t n) {
  Work work;
  work.kind = Work::Kind::Product;
  work.timing = Timing::cube;
  work.fromBits = uint8_t(bits);
  work.rows = m;
  work.depth = k;
  work.cols = n;
  return work;
}

// Rows of the published tests whose figures the document explains exactly (TIME-10).
TEST(Costs, TransfersOfA3) {
  EXPECT_NEAR(totalOf(ProfileId::A3, transfer(Space::Gm, Space::Ub, 128 * 508, 128)), 773, 4);
  EXPECT_NEAR(totalOf(ProfileId::A3, transfer(Space::Gm, Space::Ub, 128 * 127, 128)), 392, 1);
  EXPECT_NEAR(totalOf(ProfileId::A3, transfer(Space::Gm, Space::Ub, 256 * 240, 256, 8)), 2497, 2497 * 0.06);
  EXPECT_NEAR(totalOf(ProfileId::A3, transfer(Space::Gm, Space::L1, 1024, 1)), 28, 28 * 0.1);
  EXPECT_NEAR(totalOf(ProfileId::A3, transfer(Space::Gm, Space::L1, 18432, 1)), 96, 96 * 0.05);
  EXPECT_EQ(totalOf(ProfileId::A3, transfer(Space::Ub, Space::Ub, 32768, 1)), 1029);
  EXPECT_EQ(totalOf(ProfileId::A3, transfer(Space::Ub, Space::Ub, 63 * 500, 63)), 1323);
}

TEST(Costs, TransfersOfGmShareItsBandwidth) {
  const Cost load = costOf(ProfileId::A3, transfer(Space::Gm, Space::Ub, 128, 1));
  EXPECT_EQ(load.busy, 21); // the interval between two transfers
  EXPECT_EQ(load.gmBytes, 128u);
  EXPECT_FALSE(load.writesGm);
  const Cost store = costOf(ProfileId::A3, transfer(Space::Ub, Space::Gm, 10900, 1));
  EXPECT_NEAR(store.busy, 100, 1);
  EXPECT_TRUE(store.writesGm);
  EXPECT_EQ(costOf(ProfileId::A3, transfer(Space::Ub, Space::Ub, 128, 1)).gmBytes, 0u);
  Work unaligned = transfer(Space::Gm, Space::Ub, 1 << 16, 1);
  const double straight = costOf(ProfileId::A3, unaligned).busy;
  unaligned.isUnaligned = true;
  EXPECT_NEAR(costOf(ProfileId::A3, unaligned).busy / straight, 1.27, 1e-9);
}

// L0 loads of a GEMM's block pair (10): 410 cycles on A3, 334 to 336 on A5.
TEST(Costs, LoadsOfL0) {
  auto pair = [](ProfileId id, uint64_t a, uint64_t b) {
    return costOf(id, transfer(Space::L1, Space::L0A, a, 1)).busy +
           costOf(id, transfer(Space::L1, Space::L0B, b, 1)).busy;
  };
  EXPECT_NEAR(pair(ProfileId::A3, 16 << 10, 32 << 10), 410, 4);
  EXPECT_NEAR(pair(ProfileId::A5, 32 << 10, 32 << 10), 335, 2);
}

TEST(Costs, Products) {
  EXPECT_EQ(totalOf(ProfileId::A3, product(16, 40, 50, 60)), 54);
  EXPECT_EQ(totalOf(ProfileId::A3, product(8, 6, 7, 8)), 7);
  EXPECT_EQ(costOf(ProfileId::A3, product(32, 120, 110, 50)).busy, 6 + 2 * 8 * 4 * 14);
  EXPECT_EQ(totalOf(ProfileId::A5, product(32, 16, 8, 16)), 25 + 8);
  EXPECT_EQ(costOf(ProfileId::A5, product(4, 256, 256, 256)).busy, 2 + 1024);
  Work sum = product(16, 128, 64, 256);
  sum.isAccumulating = true;
  EXPECT_NEAR(costOf(ProfileId::A3, sum).busy, 512 + 12.5, 5); // with what some of them wait (TIME-43)
  EXPECT_GT(costOf(ProfileId::A3, sum).restart, 0);
  // TIME-18
  Work load = transfer(Space::L1, Space::L0A, 32 << 10, 1);
  const double ofBytes = costOf(ProfileId::A5, load).busy;
  load.fromBits = 4;
  EXPECT_NEAR(costOf(ProfileId::A5, load).busy, 2 * ofBytes - 15, 1);
}

TEST(Costs, Drains) {
  Work work;
  work.kind = Work::Kind::Drain;
  work.from = Space::L0C;
  work.to = Space::Gm;
  work.rows = 128;
  work.cols = 256;
  work.toBits = 32;
  work.bytes = 128 * 256 * 4;
  EXPECT_NEAR(costOf(ProfileId::A3, work).busy, 1861, 20);
  EXPECT_EQ(costOf(ProfileId::A3, work).gmBytes, work.bytes);
  work.toBits = 16;
  EXPECT_NEAR(costOf(ProfileId::A3, work).busy, 1000, 30);
  EXPECT_NEAR(costOf(ProfileId::A5, work).busy, 1000, 35);
  work.rows = 256;
  EXPECT_NEAR(costOf(ProfileId::A5, work).busy, 1780, 50);
  // 80 columns are ten blocks of 8: the odd part is 5, four extra passes a row.
  work.rows = 1;
  work.cols = 80;
  EXPECT_NEAR(costOf(ProfileId::A3, work).busy, 164 + 4.45 + 2.6 * 4, 1e-9);
  work.to = Space::Ub;
  EXPECT_EQ(costOf(ProfileId::A3, work).gmBytes, 0u);
}

// p * R + head (TIME-30): repeats by rows for two tiles, over all of a contiguous one.
TEST(Costs, TilesOfA3) {
  EXPECT_EQ(costOf(ProfileId::A3, tile("TABS", Timing::vabs, 32, 64, 64, true)).busy, 68);
  EXPECT_EQ(costOf(ProfileId::A3, tile("TSUB", Timing::vadd, 32, 64, 64, true)).busy, 132);
  EXPECT_EQ(costOf(ProfileId::A3, tile("TSUB", Timing::vadd, 16, 64, 64, true)).busy, 132);
  EXPECT_EQ(costOf(ProfileId::A3, tile("TADDS", Timing::vadds, 32, 256, 16, true)).busy, 264);
  EXPECT_EQ(totalOf(ProfileId::A3, tile("TEXP", Timing::vexp, 32, 64, 64, true)), 159);
  EXPECT_EQ(totalOf(ProfileId::A3, tile("TEXP", Timing::vexp, 16, 32, 32, true)), 47);
  EXPECT_EQ(totalOf(ProfileId::A3, tile("TEXP", Timing::vexp, 16, 32, 32, false)), 32 * 2 + 31);
  EXPECT_EQ(totalOf(ProfileId::A3, tile("TDIV", Timing::vdiv, 32, 64, 64, true)), 288);
  EXPECT_EQ(totalOf(ProfileId::A3, tile("TRSQRT", Timing::vsqrt, 32, 64, 64, true)), 92);
  EXPECT_EQ(totalOf(ProfileId::A3, tile("TSEL", Timing::vsel, 32, 4, 64, true)), 67);
  EXPECT_EQ(totalOf(ProfileId::A3, conversion(32, 16, 4, 64, true)), 33);
  Work root = tile("TSQRT", Timing::vsqrt, 32, 64, 64, true);
  EXPECT_EQ(totalOf(ProfileId::A3, root), 160);
  root.isInPlace = true;
  EXPECT_EQ(totalOf(ProfileId::A3, root), 198);
  EXPECT_NEAR(totalOf(ProfileId::A3, tile("TROWMAX", Timing::vcmax, 16, 64, 128)), 481, 10);
  EXPECT_NEAR(totalOf(ProfileId::A3, tile("TROWEXPAND", Timing::rearrange, 32, 64, 64)), 933, 5);
  EXPECT_NEAR(totalOf(ProfileId::A3, tile("TCOLMAX", Timing::vmax, 16, 64, 64)), 454, 15);
  EXPECT_EQ(totalOf(ProfileId::A3, tile("TCOLMIN", Timing::vmax, 32, 8, 8)), 2 + 7 * 17);
  Work quotient = tile("TDIVS", Timing::vdiv, 16, 63, 64, true);
  quotient.isScalarForm = true;
  EXPECT_NEAR(totalOf(ProfileId::A3, quotient), 328, 2);
  Work sum = tile("TCOLSUM", Timing::vadd, 32, 64, 64);
  sum.isExact = true;
  EXPECT_NEAR(totalOf(ProfileId::A3, sum), 1263, 5);
  // One row is copied (TIME-32).
  EXPECT_EQ(totalOf(ProfileId::A3, tile("TCOLMAX", Timing::vmax, 32, 1, 64)), 5 + 8);
}

// The published figures of representative loops (TIME-20), within 3 %.
TEST(Costs, TilesOfA5) {
  struct Row {
    Work work;
    double cycles;
  };
  const Row kRows[] = {
      {tile("TADD", Timing::vadd, 32, 1, 64), 55},
      {tile("TADD", Timing::vadd, 32, 1, 1280), 80},
      {tile("TADD", Timing::vadd, 32, 10, 640), 245},
      {tile("TADD", Timing::vadd, 32, 10, 65), 121},
      {tile("TMUL", Timing::vmul, 32, 3, 1280), 160},
      {tile("TMINS", Timing::vmaxs, 32, 20, 192), 209},
      {tile("TNEG", Timing::vneg, 32, 20, 1280), 583},
      {tile("TEXP", Timing::vexp, 32, 10, 1280), 462},
      {tile("TEXP", Timing::vexp, 16, 1, 640), 86},
      {tile("TSQRT", Timing::vsqrt, 32, 20, 128), 200},
      {tile("TRSQRT", Timing::vsqrt, 16, 3, 1280), 322},
      {tile("TDIVS", Timing::vdiv, 32, 20, 1280), 867},
      {tile("TSEL", Timing::vsel, 8, 2, 2560), 95},
      {tile("TSEL", Timing::vsel, 32, 1, 320), 91},
      {tile("TSEL", Timing::vsel, 32, 1, 1280), 97},
      {conversion(16, 16, 10, 384), 131},
      {conversion(16, 32, 10, 640), 193},
      {conversion(32, 16, 3, 1280), 127},
      {conversion(32, 16, 10, 128), 78},
      {conversion(32, 8, 1, 640), 178},
      {conversion(32, 8, 3, 1280), 2549},
      {conversion(16, 4, 10, 1280), 8369},
      {conversion(4, 16, 3, 2560), 166},
      {conversion(8, 32, 10, 64), 96},
  };
  for (const Row &row : kRows)
    EXPECT_NEAR(totalOf(ProfileId::A5, row.work), row.cycles, row.cycles * 0.03)
        << row.work.name << " " << row.work.rows << "x" << row.work.cols;
  Work exact = tile("TRECIP", Timing::vdiv, 32, 3, 640);
  exact.isExact = true;
  EXPECT_NEAR(totalOf(ProfileId::A5, exact), 10434, 5);
}

TEST(Costs, AContiguousTileIsOneLine) {
  EXPECT_EQ(totalOf(ProfileId::A5, tile("TADD", Timing::vadd, 32, 10, 128, true)),
            totalOf(ProfileId::A5, tile("TADD", Timing::vadd, 32, 1, 1280)));
}

// TIME-3, TIME-4: no class is free of charge, and more work costs no less.
TEST(Costs, EveryClassHasACost) {
  for (ProfileId id : {ProfileId::A5, ProfileId::A3})
    for (size_t i = 0; i < std::size(kTimingNames); ++i) {
      const Timing timing = Timing(i);
      Work work;
      work.timing = timing;
      if (timing != Timing::none && timing != Timing::scope)
        EXPECT_GT(costOf(id, work).busy, 0) << kTimingNames[i];
      double before = 0;
      for (uint32_t rows : {1, 2, 7, 64, 300}) {
        const double cycles = totalOf(id, tile(nullptr, timing, 32, rows, 200));
        EXPECT_GE(cycles, before) << kTimingNames[i] << " " << rows;
        before = cycles;
      }
      EXPECT_GT(before, 300) << kTimingNames[i];
    }
}

} // namespace
