//===- ClobberedTest.cpp - tiles whose bytes another tile has taken -------===//
//
// PLAN-7, PLAN-9: programs as the text makes them, broken and repaired.
//
//===----------------------------------------------------------------------===//

#include "TextPrograms.h"

namespace {
using namespace text;

struct TileClobbered : ::testing::Test {
  Program p;
  uint64_t in, out;
  unsigned allocs = 0;

  TileClobbered() {
    p.automatic = true;
    in = p.buffer(std::vector<float>(16 * 64, 1));
    out = p.buffer(std::vector<float>(16 * 64, 0));
  }
  /// Every allocation is a line of its own.
  TileView alloc(TileView type, int64_t address) {
    p.call("pto.alloc_tile." + std::to_string(++allocs),
           [&](SiteId site) { return ptosc_tile_alloc(p.core, site, &type, address, type.ref.rows, type.ref.cols); });
    return type;
  }
  TileView reshape(TileView type, const TileView &source) {
    type.ref.validRows = type.ref.rows;
    type.ref.validCols = type.ref.cols;
    p.call("pto.treshape", [&](SiteId site) { return ptosc_tile_reshape(p.core, site, &type, &source); });
    return type;
  }
  GlobalView view(uint64_t pointer, const TileView &tile) {
    return p.view(pointer, Elem::f32, {tile.ref.validRows, tile.ref.validCols}, {tile.ref.validCols, 1});
  }
  void load(TileView &tile) {
    GlobalView from = view(in, tile);
    p.issue("TLOAD", {&tile}, &from);
  }
  void store(TileView &tile) {
    GlobalView to = view(out, tile);
    p.issue("TSTORE", {&tile}, &to);
  }
  /// "error", "warning" or nothing: what the finding is.
  std::string found(std::function<void()> body) {
    LaunchResult result = p.run([&] {
      allocs = 0;
      body();
    });
    std::string text;
    for (const Finding &finding : result.findings.all()) {
      EXPECT_EQ(finding.code, "tile-clobbered") << textOf(result);
      EXPECT_EQ(finding.notes.size(), 3u);
      text += std::string(toString(finding.severity));
    }
    return text;
  }
  /// Two tiles of 4 KiB, the second at `address`; the first is read last.
  void twoTiles(int64_t address) {
    TileView a = alloc(vec(Elem::f32, {16, 64}), 0), b = alloc(vec(Elem::f32, {16, 64}), address);
    load(a);
    load(b);
    store(a);
  }
};

TEST_F(TileClobbered, ReadAfterAnotherTileTookItsBytes) {
  LaunchResult result = p.run([&] { twoTiles(2048); });
  ASSERT_EQ(textOf(result),
            "tile-clobbered: `pto.tstore` reads UB bytes of a tile that `pto.tload` has overwritten: it "
            "wrote another tile at the same place\n");
  const Finding &finding = result.findings.all()[0];
  EXPECT_EQ(finding.notes[0].message, "UB bytes 0x0800..0x0fff (2048 bytes)");
  EXPECT_TRUE(finding.notes[1].message.starts_with("`pto.tload` wrote them here, in the tile placed at test.pto:"));
  EXPECT_TRUE(finding.notes[2].message.ends_with(", UB bytes 0x0800..0x17ff (4096 bytes)"));
}

TEST_F(TileClobbered, TilesThatAreApart) {
  EXPECT_EQ(found([&] { twoTiles(4096); }), "");
}

TEST_F(TileClobbered, OnlyWithTheMemoryCheck) {
  p.checks.memory = false;
  EXPECT_EQ(found([&] { twoTiles(2048); }), "");
}

TEST_F(TileClobbered, ReuseIsLegal) {
  EXPECT_EQ(found([&] {
              TileView a = alloc(vec(Elem::f32, {16, 64}), 0), b = alloc(vec(Elem::f32, {16, 64}), 2048);
              for (int turn = 0; turn < 3; ++turn) {
                load(a);
                store(a);
                load(b);
                store(b);
              }
            }),
            "");
}

TEST_F(TileClobbered, ReadingsOfOneTile) {
  EXPECT_EQ(found([&] {
              TileView a = alloc(vec(Elem::f32, {16, 64}), 0);
              TileView flat = reshape(vec(Elem::f32, {1, 1024}), a), half = p.subview(a, 0, 32, 16, 32);
              load(a);
              p.issue("TADD", {&flat, &flat, &flat});
              p.issue("TADD", {&half, &half, &half});
              store(a);
            }),
            "");
}

TEST_F(TileClobbered, AColumnReadAsARow) {
  auto both = [&](bool writesAgain) {
    TileView column = alloc(typeOf(TileType::Vec, Elem::f32, {16, 1}, BLayout::ColMajor), 0);
    TileView row = alloc(vec(Elem::f32, {1, 16}), 0);
    TileView source = alloc(vec(Elem::f32, {1, 16}), 1024), other = alloc(vec(Elem::f32, {16, 8}), 2048);
    TileView scratch = alloc(vec(Elem::f32, {16, 8}), 4096);
    load(source);
    load(other);
    p.issue("TADD", {&row, &source, &source});
    if (writesAgain)
      p.issue("TROWSUM", {&column, &other, &scratch});
    p.issue("TADD", {&row, &row, &row});
    p.issue("TROWEXPAND", {&other, &column});
  };
  // The column was never written: it is a reading of the row.
  EXPECT_EQ(found([&] { both(false); }), "");
  // The row was overwritten, and is read; it changes the bytes in place, so the column has them still.
  EXPECT_EQ(found([&] { both(true); }), "warning");
}

TEST_F(TileClobbered, ATileOfALoopKeepsItsContent) {
  EXPECT_EQ(found([&] {
              for (int turn = 0; turn < 3; ++turn) {
                allocs = 0;
                TileView a = alloc(vec(Elem::f32, {16, 64}), 0);
                if (turn == 0)
                  load(a);
                store(a);
              }
            }),
            "");
}

TEST_F(TileClobbered, AScalarStoreIsWhoeverReadsIt) {
  EXPECT_EQ(found([&] {
              TileView a = alloc(vec(Elem::f32, {1, 8}), 0), b = alloc(vec(Elem::i32, {1, 16}), 0);
              load(a);
              GlobalView from = p.view(in, Elem::i32, {1, 16}, {16, 1});
              p.issue("TLOAD", {&b}, &from);
              p.order();
              for (int i = 0; i < 8; ++i)
                p.set(a, i, 0);
              p.order();
              store(a);
            }),
            "");
}

} // namespace
