//===- OverlapTest.cpp - operands of one instruction that share bytes -----===//

#include "Programs.h"

using namespace pto;
using programs::Vec;

namespace {

/// Fills UB, then calls the instruction; what it reads is defined, and only its
/// operands decide.
template <typename Kernel> ptoscope::Result run(Kernel instruction, const ptoscope::Options &options = {}) {
  auto kernel = [&] {
    Vec<float, 64, 256> all;
    TASSIGN(all, 0);
    TEXPANDS(all, 1.0f);
    programs::fence();
    instruction();
  };
  return ptoscope::launch(options, kernel, 1);
}

template <typename T> T at(T tile, uint32_t address) {
  TASSIGN(tile, address);
  return tile;
}

template <typename Kernel> void overlaps(Kernel instruction, const char *text) {
  ptoscope::Result result = run(instruction);
  EXPECT_TRUE(result.has("tile-overlap")) << text;
  EXPECT_NE(std::string(result.text()).find(text), std::string::npos) << result.text();
  EXPECT_TRUE(result.ok()); // a warning: the run goes on
  EXPECT_EQ(run(instruction, ptoscope::Options().unchecked()).size(), 0u);
}
template <typename Kernel> void isFine(Kernel instruction) {
  ptoscope::Result result = run(instruction);
  EXPECT_EQ(result.size(), 0u) << result.text();
}

using Matrix = Vec<float, 16, 16>;

} // namespace

// TILE-18.
TEST(TileOverlap, ElementByElement) {
  auto add = [](uint32_t to, uint32_t from) {
    return [=] {
      Matrix c = at(Matrix(), to), a = at(Matrix(), from), b = at(Matrix(), 0x4000);
      TADD(c, a, b);
    };
  };
  isFine(add(0, 0)); // in place
  isFine(add(0, 1024));
  overlaps(add(0, 960), "`TADD` writes `dst` over `src0`, which it reads too: both have byte 960 of UB");
  overlaps(add(64, 0), "both have byte 64 of UB");
}

TEST(TileOverlap, AnotherShape) {
  // The same bytes as 16 x 16 and as 8 x 32: other elements at the same index.
  auto move = [](uint32_t to) {
    return [=] {
      Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, 8, 16> c = at(decltype(c)(), to);
      Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 8, 16> a = at(decltype(a)(), 0);
      TABS(c, a);
    };
  };
  isFine(move(1024));
  overlaps(move(0), "`TABS` writes `dst` over `src`");
}

TEST(TileOverlap, HullsThatMeetWithoutBytes) {
  // Left and right half of one matrix: rows take turns.
  isFine([] {
    Matrix all = at(Matrix(), 0);
    Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, 8> left, right;
    TSUBVIEW(left, all, 0, 0);
    TSUBVIEW(right, all, 0, 8);
    TADD(left, left, right);
  });
  overlaps(
      [] {
        Matrix all = at(Matrix(), 0);
        Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 8, 16> upper, lower;
        TSUBVIEW(upper, all, 0, 0);
        TSUBVIEW(lower, all, 4, 0);
        TADD(upper, upper, lower);
      },
      "`TADD` writes `dst` over `src1`, which it reads too: both have byte 256 of UB");
}

TEST(TileOverlap, ElementsThatChangeTheirPlaces) {
  auto transpose = [](uint32_t to) {
    return [=] {
      Matrix c = at(Matrix(), to), a = at(Matrix(), 0), scratch = at(Matrix(), 0x4000);
      TTRANS(c, a, scratch);
    };
  };
  isFine(transpose(1024));
  overlaps(transpose(0), "`TTRANS` writes `dst` over `src`");

  auto interleave = [](uint32_t first, uint32_t second) {
    return [=] {
      Matrix d1 = at(Matrix(), first), d0 = at(Matrix(), second), s1 = at(Matrix(), 0x4000), s0 = at(Matrix(), 0x5000);
      TINTERLEAVE(d1, d0, s1, s0);
    };
  };
  isFine(interleave(0, 1024));
  overlaps(interleave(0, 512), "`TINTERLEAVE` writes `dst1` over `dst0`, which it writes too");
  overlaps(interleave(0x4000, 0), "`TINTERLEAVE` writes `dst1` over `src1`");

  auto gather = [](uint32_t to) {
    return [=] {
      Matrix c = at(Matrix(), to), a = at(Matrix(), 0), scratch = at(Matrix(), 0x4000);
      Vec<int32_t, 16, 16> indices = at(Vec<int32_t, 16, 16>(), 0x5000);
      TEXPANDS(indices, 3);
      programs::fence();
      TGATHER(c, a, indices, scratch);
    };
  };
  isFine(gather(1024));
  overlaps(gather(0), "`TGATHER` writes `dst` over `src`");
}

TEST(TileOverlap, VectorsOfRowsAndColumns) {
  using Column = programs::Column<float, 16>;
  auto most = [](uint32_t to) {
    return [=] {
      Column c = at(Column(), to);
      Matrix a = at(Matrix(), 0), scratch = at(Matrix(), 0x4000);
      TROWMAX(c, a, scratch);
    };
  };
  isFine(most(1024));
  overlaps(most(0), "`TROWMAX` writes `dst` over `src`");
  isFine([] {
    Matrix x = at(Matrix(), 0);
    Column c = at(Column(), 1024);
    TROWEXPANDSUB(x, x, c);
  });
  overlaps(
      [] {
        Matrix x = at(Matrix(), 0);
        Column c = at(Column(), 512);
        TROWEXPANDSUB(x, x, c);
      },
      "`TROWEXPANDSUB` writes `dst` over `src1`");
}

TEST(TileOverlap, Conversions) {
  auto narrow = [](uint32_t to) {
    return [=] {
      Vec<half, 16, 16> c = at(Vec<half, 16, 16>(), to);
      Matrix a = at(Matrix(), 0);
      TCVT(c, a, RoundMode::CAST_RINT);
    };
  };
  isFine(narrow(1024));
  overlaps(narrow(0), "`TCVT` writes `dst` over `src`");
  isFine([] {
    Vec<int32_t, 16, 16> c = at(Vec<int32_t, 16, 16>(), 0);
    Matrix a = at(Matrix(), 0);
    TCVT(c, a, RoundMode::CAST_RINT);
  });
}
