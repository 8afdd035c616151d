//===- QueueFormsTest.cpp - types of tile queues, and what they promise ---===//
//
// FIFO-1 to FIFO-3, FIFO-12 to FIFO-14: names and numbers that programs use, where popped
// tiles land, and queues that are made one after another.
//
//===----------------------------------------------------------------------===//

#include "QueuePrograms.h"

#include <type_traits>

using namespace queues;

namespace {

static_assert(UNDEFINED == 0 && DIR_C2V == 1 && DIR_V2C == 2 && DIR_BOTH == 3 && DIR_V2C_CTRL == 4 && DIR_C2V_GM == 5 &&
              DIR_V2C_GM == 6 && DIR_BOTH_GM == 7);
static_assert(TILE_NO_SPLIT == 0 && TILE_UP_DOWN == 1 && TILE_LEFT_RIGHT == 2 && TILE_UP_DOWN_ODD == 3 &&
              TILE_LEFT_RIGHT_ODD == 4);
static_assert(std::is_same_v<std::underlying_type_t<Direction>, uint8_t> &&
              std::is_same_v<std::underlying_type_t<TileSplitAxis>, uint8_t>);
using Named = TPipe<4, DIR_C2V, 1024, 8>;
static_assert(!std::is_copy_constructible_v<Named> && !std::is_copy_assignable_v<Named>);
static_assert(std::is_same_v<decltype(Named::fifo), RingFIFO<1024, 8, 2>> &&
              std::is_same_v<RingFIFO<1024, 8, 2>, DataFIFO<1024, 8, 2>>);
static_assert(RingFIFO<1024, 8, 4>::SLOT_SIZE == 1024 && RingFIFO<1024, 8, 4>::SLOT_NUM == 8 &&
              RingFIFO<1024, 8, 4>::LOCAL_SLOT_NUM == 4);

template <typename Pipe> void push(Pipe &pipe, const half *x, const half *unit) {
  AccTile acc;
  makeAcc(acc, x, unit);
  constexpr uint8_t kSplit = TILE_UP_DOWN; // splits may be numbers (FIFO-1)
  TPUSH<Pipe, AccTile, kSplit>(pipe, acc);
  fence();
}
using Rows = Vec<float, kRows / 2, kCols>;
template <typename Pipe, bool Frees> void popTo(Pipe &pipe, Rows &tile, float *out) {
  TPOP<Pipe, Rows, TILE_UP_DOWN>(pipe, tile);
  fence();
  View<float, kRows / 2, kCols> view(out + get_subblockid() * kSize / 2);
  TSTORE(view, tile);
  fence();
  if constexpr (Frees)
    TFREE<Pipe, 1>(pipe);
}

/// What a program writes to the members counts from its next call on.
TEST(TileQueueForms, MembersOfTheRing) { // FIFO-2
  using Pipe = TPipe<0, DIR_C2V, kBytes, 2>;
  for (const char *arch : {"a3", "a5"}) {
    std::vector<half> x = numbered(1), unit = identity(kCols);
    std::vector<uint8_t> slots(2 * kBytes);
    std::vector<float> out(kSize);
    auto cube = [](half *x, half *u, uint8_t *s, float *) {
      Pipe pipe(s, 0, 0);
      pipe.fifo.C2V_CONSUMER_BUF = kUbRing;
      EXPECT_EQ(pipe.fifo.GM_SLOT_BUFFER, s);
      push(pipe, x, u);
    };
    auto vector = [](half *, half *, uint8_t *s, float *o) {
      Pipe pipe(s, 0, 0);
      pipe.fifo.C2V_CONSUMER_BUF = kUbRing;
      Rows tile, at;
      popTo<Pipe, true>(pipe, tile, o);
      TASSIGN(at, kUbRing);
      EXPECT_EQ(tile.data(), at.data());
    };
    runs(arch, cube, vector, x, unit, slots, out);
    EXPECT_EQ(out, std::vector<float>(x.begin(), x.end())) << arch;
  }
}

/// Tiles from a ring in GM land in LocalSlotNum places in turn: entries apart on a3, tiles apart on a5.
template <uint8_t Dir> void landing(const char *arch, size_t apart) {
  constexpr int kCount = 7, kLocal = 3;
  using Pipe = TPipe<0, Dir, kBytes, 4, kLocal>;
  std::vector<half> x = numbered(kCount), unit = identity(kCols);
  std::vector<uint8_t> slots(4 * kBytes);
  std::vector<float> out(x.size());
  auto cube = [](half *x, half *u, uint8_t *s, float *) {
    Pipe pipe(s, kUbRing, kL1Ring);
    for (int i = 0; i < kCount; ++i)
      push(pipe, x + i * kSize, u);
  };
  auto vector = [apart](half *, half *, uint8_t *s, float *o) {
    Pipe pipe(s, kUbRing, kL1Ring);
    Rows tile, first;
    TASSIGN(first, kUbRing);
    for (int i = 0; i < kCount; ++i) {
      popTo<Pipe, false>(pipe, tile, o + i * kSize);
      EXPECT_EQ(size_t(tile.data() - first.data()) * sizeof(float), size_t(i % kLocal) * apart) << i;
    }
  };
  runs(arch, cube, vector, x, unit, slots, out);
  EXPECT_EQ(out, std::vector<float>(x.begin(), x.end())) << arch;
}
TEST(TileQueueForms, LandingPlaces) { // FIFO-12
  landing<DIR_C2V>("a3", kBytes);
  landing<DIR_C2V_GM>("a5", kBytes / 2);
}

/// A queue of other ids, then one of the same: each starts with an empty ring.
TEST(TileQueueForms, OneAfterAnother) { // FIFO-13
  using Long = TPipe<0, DIR_C2V, kBytes, 2>;
  using Short = TPipe<0, DIR_C2V, kBytes, 1>;
  for (const char *arch : {"a3", "a5"}) {
    std::vector<half> x = numbered(5), unit = identity(kCols);
    std::vector<uint8_t> slots(2 * kBytes);
    std::vector<float> out(x.size());
    auto cube = [](half *x, half *u, uint8_t *s, float *) {
      {
        Long pipe(s, kUbRing, kL1Ring);
        for (int i = 0; i < 3; ++i)
          push(pipe, x + i * kSize, u);
      }
      Short pipe(s, kUbRing, kL1Ring);
      for (int i = 3; i < 5; ++i)
        push(pipe, x + i * kSize, u);
    };
    auto vector = [](half *, half *, uint8_t *s, float *o) {
      Rows tile;
      {
        Long pipe(s, kUbRing, kL1Ring);
        for (int i = 0; i < 3; ++i)
          popTo<Long, true>(pipe, tile, o + i * kSize);
      }
      Short pipe(s, kUbRing, kL1Ring);
      for (int i = 3; i < 5; ++i)
        popTo<Short, true>(pipe, tile, o + i * kSize);
    };
    runs(arch, cube, vector, x, unit, slots, out);
    EXPECT_EQ(out, std::vector<float>(x.begin(), x.end())) << arch;
  }
}

/// A unit flag in the type orders nothing: a push before the product has ended is a race with and without it.
template <bool UnitFlag> void pushesEarly(const char *arch) {
  using Pipe = TPipe<0, DIR_C2V, kBytes, 2, 2, false, UnitFlag>;
  for (bool waits : {true, false}) {
    std::vector<half> x = numbered(1), unit = identity(kCols);
    std::vector<uint8_t> slots(2 * kBytes);
    std::vector<float> out(kSize);
    auto cube = [waits](half *x, half *u, uint8_t *s, float *) {
      Pipe pipe(s, kUbRing, kL1Ring);
      AccTile acc;
      makeAcc(acc, x, u);
      TileLeft<half, kRows, kCols> left;
      TileRight<half, kCols, kCols> right;
      TASSIGN(left, 0);
      TASSIGN(right, 0);
      TMATMUL(acc, left, right); // once more
      if (waits)
        fence();
      TPUSH<Pipe, AccTile, TILE_UP_DOWN>(pipe, acc);
    };
    auto vector = [](half *, half *, uint8_t *s, float *o) {
      Pipe pipe(s, kUbRing, kL1Ring);
      Rows tile;
      popTo<Pipe, true>(pipe, tile, o);
    };
    ptoscope::Result result = ptoscope::launch(on(arch), ptoscope::mixed(cube, vector), 1, x, unit, slots, out);
    EXPECT_EQ(result.has("race-raw"), !waits) << result.text();
    EXPECT_EQ(result.ok(), waits) << result.text();
  }
}
TEST(TileQueueForms, UnitFlagOrdersNothing) { // FIFO-14
  for (const char *arch : {"a3", "a5"}) {
    pushesEarly<false>(arch);
    pushesEarly<true>(arch);
  }
}

} // namespace
