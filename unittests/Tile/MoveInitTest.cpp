//===- MoveInitTest.cpp - what no one wrote, on its way -------------------===//
//
// Moves carry bytes that no one wrote: it is no error until something computes with
// them, and then it is one, however often they were moved. Every program stands
// twice: with a tile that is loaded in part, and with one that is loaded whole.
//
//===----------------------------------------------------------------------===//

#include "MovePrograms.h"

#include <functional>

namespace {

constexpr int kSize = 32;
using Vec = Tile<TileType::Vec, float, kSize, kSize>;
using Dynamic = Tile<TileType::Vec, float, kSize, kSize, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using Square = Plain<float, kSize, kSize, Layout::ND>;
constexpr int kLoaded = 20; // rows and columns, in a tile that is loaded in part

template <typename T> void placeAt(T &tile, int slot) { TASSIGN(tile, slot * 0x4000); }

/// Calls `program` with a tile that is loaded, whole or in part.
ptoscope::Result launchOn(bool whole, const std::function<void(Vec &, Square &)> &program,
                          const ptoscope::Options &options = {}) {
  std::vector<float> x(kSize * kSize, 1.0f), y(kSize * kSize);
  auto kernel = [&](float *px, float *py) {
    Vec a;
    placeAt(a, 0);
    Dynamic part(whole ? kSize : kLoaded, whole ? kSize : kLoaded);
    placeAt(part, 0);
    const int64_t extent = whole ? kSize : kLoaded;
    GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, kSize, 1>> gx(px, {extent, extent});
    Square gy(py);
    TLOAD(part, gx);
    pipe_barrier(PIPE_ALL);
    program(a, gy);
  };
  return ptoscope::launch(options, kernel, 1, x, y);
}

void expectUse(const std::function<void(Vec &, Square &)> &program) {
  ptoscope::Result broken = launchOn(false, program);
  EXPECT_TRUE(broken.has("init-read")) << broken.text();
  ptoscope::Result repaired = launchOn(true, program);
  EXPECT_EQ(repaired.size(), 0u) << repaired.text();
}
void expectNoUse(const std::function<void(Vec &, Square &)> &program) {
  ptoscope::Result result = launchOn(false, program);
  EXPECT_TRUE(result.ok()) << result.text();
  EXPECT_FALSE(result.has("init-read")) << result.text();
}

// TILE-16, TMOV-16.
TEST(TileMoveInit, TMOV) {
  auto move = [](Vec &a, auto &nz) {
    placeAt(nz, 1);
    TMOV(nz, a);
    pipe_barrier(PIPE_V);
  };
  using Boxed = Tile<TileType::Vec, float, kSize, kSize, BLayout::ColMajor, kSize, kSize, SLayout::RowMajor>;
  expectUse([&](Vec &a, Square &) {
    Boxed b;
    Vec c;
    move(a, b);
    placeAt(c, 2);
    TMOV(c, b);
    pipe_barrier(PIPE_V);
    TABS(c, c);
  });
  // The part that was loaded is defined in every layout, and no other is used.
  expectNoUse([&](Vec &a, Square &) {
    Boxed b;
    Vec c;
    Dynamic part(kLoaded, kLoaded);
    move(a, b);
    placeAt(c, 2);
    placeAt(part, 2);
    TMOV(c, b);
    pipe_barrier(PIPE_V);
    TABS(part, part);
  });
}

TEST(TileMoveInit, Windows) {
  auto program = [](int row, int col) {
    return [=](Vec &a, Square &) {
      Dynamic window(16, 16), within(16, 16);
      Vec b;
      placeAt(window, 1);
      placeAt(b, 2);
      placeAt(within, 2);
      TEXTRACT(window, a, row, col);
      pipe_barrier(PIPE_V);
      TINSERT(b, window, 0, 0);
      pipe_barrier(PIPE_V);
      TABS(within, within);
    };
  };
  expectUse(program(5, 0));
  expectUse(program(0, 5));
  expectNoUse(program(4, 4));
}

TEST(TileMoveInit, TTRANS) {
  auto program = [](int rows, int cols) {
    return [=](Vec &a, Square &) {
      Vec b, tmp;
      Dynamic part(rows, cols);
      placeAt(b, 1);
      placeAt(tmp, 2);
      placeAt(part, 1);
      TTRANS(b, a, tmp);
      pipe_barrier(PIPE_V);
      TABS(part, part);
    };
  };
  expectUse(program(kLoaded + 1, 1));
  expectNoUse(program(kLoaded, kLoaded));
}

// TILE-17.
TEST(TileMoveInit, ScratchIsUndefinedAfterwards) {
  auto program = [](bool repaired) {
    return [=](Vec &a, Square &) {
      Vec b, tmp;
      placeAt(b, 1);
      placeAt(tmp, 2);
      TEXPANDS(tmp, 1.0f);
      pipe_barrier(PIPE_V);
      TTRANS(b, a, tmp);
      pipe_barrier(PIPE_V);
      TABS(b, repaired ? b : tmp);
    };
  };
  // It had been written: the report says who has undone that.
  auto broken = launchOn(true, program(false));
  ASSERT_TRUE(broken.has("init-clobbered"));
  EXPECT_FALSE(broken.has("init-read"));
  EXPECT_TRUE(launchOn(true, program(true)).ok());
}

TEST(TileMoveInit, ScratchThatNoOneWrote) {
  auto program = [](bool repaired) {
    return [=](Vec &a, Square &) {
      Vec b, tmp;
      placeAt(b, 1);
      placeAt(tmp, 2);
      TTRANS(b, a, tmp);
      pipe_barrier(PIPE_V);
      TABS(b, repaired ? b : tmp);
    };
  };
  EXPECT_TRUE(launchOn(true, program(false)).has("init-read"));
  EXPECT_TRUE(launchOn(true, program(true)).ok());
}

using Padded =
    Tile<TileType::Vec, float, kSize, kSize, BLayout::RowMajor, kSize, kSize, SLayout::NoneBox, 512, PadValue::Min>;

TEST(TileMoveInit, TFILLPAD) {
  auto program = [](int valid) {
    return [=](Vec &, Square &) {
      Dynamic src(valid, valid);
      Padded dst;
      Vec all;
      placeAt(src, 0);
      placeAt(dst, 1);
      placeAt(all, 1);
      TFILLPAD(dst, src);
      pipe_barrier(PIPE_V);
      TABS(all, all);
    };
  };
  expectNoUse(program(kLoaded));
  expectUse(program(kLoaded + 1));
}

TEST(TileMoveInit, TFILLPAD_INPLACE) {
  auto program = [](int valid) {
    return [=](Vec &, Square &) {
      Dynamic src(valid, valid);
      Padded dst;
      Vec all;
      placeAt(src, 0);
      placeAt(dst, 0);
      placeAt(all, 0);
      TFILLPAD_INPLACE(dst, src);
      pipe_barrier(PIPE_V);
      TABS(all, all);
    };
  };
  expectNoUse(program(kLoaded));
  expectUse(program(kLoaded + 1));
}

TEST(TileMoveInit, ColumnsJoinedAndMixed) {
  using Wide = Tile<TileType::Vec, float, kSize, 2 * kSize>;
  expectUse([](Vec &a, Square &) {
    Wide b;
    placeAt(b, 1);
    TCONCAT(b, a, a);
    pipe_barrier(PIPE_V);
    TABS(b, b);
  });
  expectUse([](Vec &a, Square &) {
    Vec b, c;
    placeAt(b, 1);
    placeAt(c, 2);
    TINTERLEAVE(b, c, a, a);
    pipe_barrier(PIPE_V);
    TABS(b, b);
  });
  // The first half of the mixture comes from columns that were loaded.
  expectNoUse([](Vec &a, Square &) {
    Vec b, c;
    Dynamic part(kLoaded, kSize);
    placeAt(b, 1);
    placeAt(c, 2);
    placeAt(part, 2);
    TINTERLEAVE(b, c, a, a);
    pipe_barrier(PIPE_V);
    TABS(part, part);
  });
}

//===----------------------------------------------------------------------===//
// What a move reaches is defined, and nothing beside it
//===----------------------------------------------------------------------===//

/// `make` writes a part of the tile in slot 1; rows x cols of it are used then.
ptoscope::Result useOf(int rows, int cols, const std::function<void(Vec &)> &make) {
  return launchOn(true, [&](Vec &a, Square &) {
    make(a);
    pipe_barrier(PIPE_ALL);
    Dynamic used(rows, cols);
    placeAt(used, 1);
    TABS(used, used);
  });
}
void expectWritten(int rows, int cols, const std::function<void(Vec &)> &make) {
  ptoscope::Result inside = useOf(rows, cols, make);
  EXPECT_EQ(inside.size(), 0u) << inside.text();
  EXPECT_TRUE(useOf(rows + 1, cols, make).has("init-read"));
  EXPECT_TRUE(useOf(rows, cols + 1, make).has("init-read"));
}

TEST(TileMoveInit, ExactlyWhatWasMoved) {
  expectWritten(9, 13, [](Vec &) {
    Dynamic src(9, 13);
    Vec dst;
    placeAt(src, 0);
    placeAt(dst, 1);
    TMOV(dst, src);
  });
  expectWritten(9, 13, [](Vec &a) {
    Dynamic dst(9, 13);
    placeAt(dst, 1);
    TEXTRACT(dst, a, 3, 5);
  });
  expectWritten(9, 13, [](Vec &) {
    Dynamic src(9, 13);
    Vec dst;
    placeAt(src, 0);
    placeAt(dst, 1);
    TINSERT(dst, src, 0, 0);
  });
  expectWritten(9, 13, [](Vec &) {
    Dynamic src(13, 9), dst(9, 13);
    Vec tmp;
    placeAt(src, 0);
    placeAt(dst, 1);
    placeAt(tmp, 2);
    TTRANS(dst, src, tmp);
  });
  expectWritten(9, 7, [](Vec &) {
    Dynamic src(9, 13), even(9, 9), odd(9, 9);
    placeAt(src, 0);
    placeAt(even, 1);
    placeAt(odd, 2);
    TDEINTERLEAVE(odd, even, src);
  });
  expectWritten(1, 13, [](Vec &) {
    Tile<TileType::Vec, int32_t, 1, kSize, BLayout::RowMajor, 1, 13> row;
    placeAt(row, 1);
    TCI(row, 0);
  });
}

/// A row of counts after the other; only what they count is read and written.
TEST(TileMoveInit, ExactlyWhatIsCounted) {
  auto make = [](int validCols) {
    return [=](Vec &) {
      Dynamic first(9, validCols), second(9, validCols), dst(9, kSize);
      Tile<TileType::Vec, int32_t, 9, 8> counts;
      placeAt(first, 0);
      placeAt(second, 0);
      placeAt(dst, 1);
      placeAt(counts, 2);
      TEXPANDS(counts, std::min(validCols, 6) * 4);
      pipe_barrier(PIPE_V);
      TCONCAT(dst, first, second, counts, counts);
    };
  };
  expectWritten(9, 12, make(kSize));
  expectWritten(9, 8, make(4));
  // Six of each row are counted, and six were loaded.
  auto joined = [](int loaded) {
    return [=](Vec &, Square &) {
      Dynamic part(9, loaded), whole(9, kSize), dst(9, kSize);
      Tile<TileType::Vec, int32_t, 9, 8> counts;
      placeAt(part, 3);
      placeAt(whole, 3);
      placeAt(dst, 1);
      placeAt(counts, 2);
      TEXPANDS(part, 1.0f);
      TEXPANDS(counts, 6 * 4);
      pipe_barrier(PIPE_V);
      TCONCAT(dst, whole, whole, counts, counts);
    };
  };
  EXPECT_TRUE(launchOn(true, joined(6)).ok());
  EXPECT_TRUE(launchOn(true, joined(5)).has("init-read"));
}

//===----------------------------------------------------------------------===//
// Where elements change on the way
//===----------------------------------------------------------------------===//

using Acc = TileAcc<float, kSize, kSize>;

/// A program that gets an accumulator, filled or not.
ptoscope::Result withAcc(bool filled, const std::function<void(Acc &, Vec &)> &program) {
  return launchOn(true, [&](Vec &a, Square &) {
    Acc acc;
    TASSIGN(acc, 0);
    if (filled)
      acc.SetElement(0, 0, 1.0f); // opens the whole tile
    program(acc, a);
  });
}
void expectAccUse(const std::function<void(Acc &, Vec &)> &program) {
  EXPECT_TRUE(withAcc(false, program).has("init-read"));
  ptoscope::Result repaired = withAcc(true, program);
  EXPECT_EQ(repaired.size(), 0u) << repaired.text();
}

// TMOV-16.
TEST(TileMoveInit, AccConverts) {
  expectAccUse([](Acc &acc, Vec &a) { TMOV<ReluPreMode::NormalRelu>(a, acc); });
  expectAccUse([](Acc &acc, Vec &) {
    Tile<TileType::Vec, half, kSize, kSize> h;
    placeAt(h, 1);
    TMOV(h, acc);
  });
  expectAccUse([](Acc &acc, Vec &a) { TMOV(a, acc, uint64_t(0x3f800000)); });
  // Carried, and used later.
  expectAccUse([](Acc &acc, Vec &a) {
    TMOV(a, acc);
    pipe_barrier(PIPE_ALL);
    TABS(a, a);
  });
  EXPECT_TRUE(withAcc(false, [](Acc &acc, Vec &a) { TMOV(a, acc); }).ok());
}

// TSTORE-15.
TEST(TileMoveInit, Stores) {
  std::vector<float> out(kSize * kSize);
  ptoscope::Registration registered(out.data(), out.size());
  expectAccUse([&](Acc &acc, Vec &) {
    Square view(out.data());
    TSTORE(view, acc);
  });
  expectUse([](Vec &a, Square &view) { TSTORE<Vec, Square, AtomicType::AtomicAdd>(view, a); });
  // A remark: many programs store a tail that no one looks at.
  expectNoUse([](Vec &a, Square &view) { TSTORE(view, a); });
}

} // namespace
