//===- QueueStaleTest.cpp - popped tiles that are used too late -----------===//
//
// FIFO-23: what is popped is there until its place is popped again. All instructions
// are in order here; only which tile they name is at fault.
//
//===----------------------------------------------------------------------===//

#include "QueuePrograms.h"

using namespace queues;

namespace {

using Queue = TPipe<0, DIR_C2V, kBytes, 2>; // two entries on chip, two landing places
using Part = Vec<float, kRows / 2, kCols>;
constexpr int kPops = 4;

/// How the vector cores use what they pop.
template <typename Body> ptoscope::Result pops(const char *arch, Body body) {
  std::vector<half> x = numbered(1), unit = identity(kCols);
  std::vector<uint8_t> slots(2 * kBytes);
  auto cube = [](half *x, half *unit, uint8_t *slots) {
    Queue pipe(slots, kUbRing, kL1Ring);
    AccTile acc;
    makeAcc(acc, x, unit);
    for (int i = 0; i < kPops; ++i)
      TPUSH<Queue, AccTile, TILE_UP_DOWN>(pipe, acc);
  };
  auto vector = [body](half *, half *, uint8_t *slots) {
    Queue pipe(slots, kUbRing, kL1Ring);
    Part sum;
    TASSIGN(sum, 0);
    TEXPANDS(sum, 0.0f);
    fence();
    body(pipe, sum);
  };
  return ptoscope::launch(on(arch), ptoscope::mixed(cube, vector), 1, x, unit, slots);
}
void take(Queue &pipe, Part &tile) {
  TPOP<Queue, Part, TILE_UP_DOWN>(pipe, tile);
  fence();
}
void giveBack(Queue &pipe) {
  fence();
  TFREE<Queue, TILE_UP_DOWN>(pipe);
}
/// Pops `count` tiles, one after the other.
void skip(Queue &pipe, int count) {
  Part tile;
  for (int i = 0; i < count; ++i) {
    take(pipe, tile);
    giveBack(pipe);
  }
}
/// Reads a tile after `between` more pops.
auto late(int between) {
  return [between](Queue &pipe, Part &sum) {
    Part first;
    take(pipe, first);
    giveBack(pipe);
    skip(pipe, between);
    TADD(sum, sum, first);
    fence();
    skip(pipe, kPops - 1 - between);
  };
}

TEST(TileQueueStale, PlaceWasPoppedAgain) {
  for (const char *arch : {"a3", "a5"})
    for (int between : {2, 3}) {
      ptoscope::Result result = pops(arch, late(between));
      // On A5 the read races with the push that fills the entry again, too.
      ASSERT_TRUE(result.has("race-war")) << arch << result.text();
      EXPECT_NE(std::string(result.text()).find("`TADD` reads `src1`, which was popped at"), std::string::npos)
          << result.text();
      EXPECT_NE(std::string(result.text()).find("has put another tile into its place (FIFO-23)"), std::string::npos);
    }
  // A landing place is the tile's until LocalSlotNum pops later.
  EXPECT_EQ(pops("a3", late(1)).size(), 0u) << pops("a3", late(1)).text();
  EXPECT_EQ(pops("a3", late(0)).size(), 0u);
}

TEST(TileQueueStale, NewContentOnPurpose) {
  for (const char *arch : {"a3", "a5"}) {
    // One tile for all pops.
    auto again = [](Queue &pipe, Part &sum) {
      Part tile;
      for (int i = 0; i < kPops; ++i) {
        take(pipe, tile);
        TADD(sum, sum, tile);
        giveBack(pipe);
      }
    };
    // A tile that TASSIGN puts there names whatever is there.
    auto assigned = [](Queue &pipe, Part &sum) {
      Part first, tile;
      take(pipe, first);
      giveBack(pipe);
      skip(pipe, 1);
      take(pipe, tile);
      TASSIGN(first, kUbRing);
      TADD(sum, sum, first);
      giveBack(pipe);
      skip(pipe, 1);
    };
    // What the old tile wrote itself is what it reads.
    auto written = [](Queue &pipe, Part &sum) {
      Part first, tile;
      take(pipe, first);
      giveBack(pipe);
      skip(pipe, 1);
      take(pipe, tile);
      TADDS(first, sum, 1.0f);
      fence();
      TADD(sum, sum, first);
      giveBack(pipe);
      skip(pipe, 1);
    };
    EXPECT_EQ(pops(arch, again).size(), 0u) << pops(arch, again).text();
    EXPECT_EQ(pops(arch, assigned).size(), 0u) << pops(arch, assigned).text();
    EXPECT_EQ(pops(arch, written).size(), 0u) << pops(arch, written).text();
  }
}

} // namespace
