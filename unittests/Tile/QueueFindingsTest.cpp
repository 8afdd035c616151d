//===- QueueFindingsTest.cpp - what is reported of tile queues ------------===//
//
// Each fault beside its repaired twin: queues that no one pops, entries that are used
// after they are free or that are left, ids that meet, sides and sizes that do not fit.
//
//===----------------------------------------------------------------------===//

#include "QueuePrograms.h"

#include <memory>

using namespace queues;

namespace {

using Queue = TPipe<0, DIR_C2V, kBytes, 2>;
using Part = Vec<float, kRows / 2, kCols>;

/// What a run of two programs finds.
template <typename Cube, typename Vector> ptoscope::Result found(const char *arch, Cube cube, Vector vector) {
  static std::vector<half> x = numbered(16), unit = identity(kCols);
  static std::vector<uint8_t> slots(16 * kBytes);
  static std::vector<float> out(16 * kSize);
  return ptoscope::launch(on(arch), ptoscope::mixed(cube, vector), 1, x, unit, slots, out);
}
using X = half *;
using S = uint8_t *;

/// Pushes `count` times.
template <typename Pipe = Queue> void push(X x, X unit, S slots, int count) {
  Pipe pipe(slots, kUbRing, kL1Ring);
  AccTile acc;
  makeAcc(acc, x, unit);
  for (int i = 0; i < count; ++i)
    TPUSH<Pipe, AccTile, TILE_UP_DOWN>(pipe, acc);
}
/// Pops `count` of them, frees `frees`, and stores what it got.
template <typename Pipe = Queue> void pop(S slots, float *out, int count, int frees) {
  Pipe pipe(slots, kUbRing, kL1Ring);
  Part tile;
  for (int i = 0; i < count; ++i) {
    TPOP<Pipe, Part, TILE_UP_DOWN>(pipe, tile);
    fence();
    Window<float, kRows / 2, kCols> view(out + i * kSize + get_subblockid() * kSize / 2);
    TSTORE(view, tile);
    fence();
    if (i < frees)
      TFREE<Pipe, TILE_UP_DOWN>(pipe);
  }
}

std::string textOf(const ptoscope::Result &result) { return result.text(); }
void expectCode(const ptoscope::Result &result, const char *code, const std::vector<const char *> &parts) {
  ASSERT_EQ(result.size(), 1u) << result.text();
  EXPECT_STREQ(result[0].code, code) << result.text();
  for (const char *part : parts)
    EXPECT_NE(textOf(result).find(part), std::string::npos) << part << "\n" << result.text();
}

TEST(TileQueueFindings, SubblocksThatDoNotExist) { // FIFO-24
  for (const char *arch : {"a3", "a5"})
    for (int number : {-1, 2}) {
      auto cube = [](X x, X u, S s, float *) { push(x, u, s, 1); };
      auto vector = [number](X, X, S s, float *) {
        Queue pipe(s, kUbRing, kL1Ring);
        Part tile;
        TPOP<Queue, Part, TILE_UP_DOWN>(pipe, tile, int(get_subblockid()) == 0 ? number : 1);
        TFREE<Queue, TILE_UP_DOWN>(pipe);
      };
      const ptoscope::Result result = found(arch, cube, vector);
      ASSERT_FALSE(result.ok());
      EXPECT_STREQ(result[0].code, "queue-use") << result.text();
      EXPECT_NE(textOf(result).find("`TPOP` names a sub-block other than 0 and 1"), std::string::npos) << result.text();
    }
}

//===----------------------------------------------------------------------===//
// Waits that never end (FIFO-28)
//===----------------------------------------------------------------------===//

TEST(TileQueueFindings, PoppedByNoOne) {
  for (const char *arch : {"a3", "a5"}) {
    auto cube = [](X x, X u, S s, float *) { push(x, u, s, 3); };
    auto none = [](X, X, S s, float *) { Queue pipe(s, kUbRing, kL1Ring); };
    auto reads = [](X, X, S s, float *o) { pop(s, o, 3, 3); };
    expectCode(found(arch, cube, none), "deadlock",
               {std::string(arch) == "a5" ? "PIPE_FIX of AIC waits forever" : "the scalar unit of AIC waits forever",
                "push 3", "queue 0 (C2V, ids 0 and 1, 2 slots)", "space id 1",
                "AIV0 has popped 0 times and never frees"});
    EXPECT_EQ(found(arch, cube, reads).size(), 0u) << arch;
  }
}

TEST(TileQueueFindings, PushedTooRarely) {
  for (const char *arch : {"a3", "a5"}) {
    auto cube = [](X x, X u, S s, float *) { push(x, u, s, 2); };
    auto greedy = [](X, X, S s, float *o) { pop(s, o, 3, 3); };
    auto modest = [](X, X, S s, float *o) { pop(s, o, 2, 2); };
    expectCode(found(arch, cube, greedy), "deadlock",
               {std::string(arch) == "a5" ? "PIPE_V of AIV0" : "the scalar unit of AIV0", "push 3", "data id 0",
                "AIC pushes only 2 times"});
    EXPECT_EQ(found(arch, cube, modest).size(), 0u) << arch;
  }
}

/// FIFO-24: with a split both vector cores have to pop.
TEST(TileQueueFindings, OneCoreDoesNotPop) {
  auto cube = [](X x, X u, S s, float *) { push(x, u, s, 3); };
  auto vector = [](X, X, S s, float *o) {
    if (get_subblockid() == 0)
      pop(s, o, 3, 3);
    else
      Queue pipe(s, kUbRing, kL1Ring);
  };
  expectCode(found("a5", cube, vector), "deadlock", {"AIV1 has popped 0 times and never frees an entry"});
}

/// Data goes to the vector cores by one queue and back by another; the first push is forgotten.
TEST(TileQueueFindings, NoPushBeforeAPop) {
  using There = TPipe<0, DIR_C2V, kBytes, 2>;
  using Back = TPipe<2, DIR_V2C, kBytes, 2>;
  auto cube = [](bool pushes) {
    return [pushes](X x, X u, S s, float *) {
      There there(s, kUbRing, kL1Ring);
      Back back(s + 2 * kBytes, kUbRing, kL1Ring);
      AccTile acc;
      MatTile<float, kRows, kCols> tile;
      makeAcc(acc, x, u);
      if (pushes)
        TPUSH<There, AccTile, TILE_UP_DOWN>(there, acc);
      TPOP<Back, MatTile<float, kRows, kCols>, TILE_UP_DOWN>(back, tile);
      fence();
      TFREE<Back, TILE_UP_DOWN>(back);
    };
  };
  auto vector = [](X, X, S s, float *) {
    There there(s, kUbRing, kL1Ring);
    Back back(s + 2 * kBytes, kUbRing, kL1Ring);
    Part tile;
    TPOP<There, Part, TILE_UP_DOWN>(there, tile);
    fence();
    TPUSH<Back, Part, TILE_UP_DOWN>(back, tile);
    fence();
    TFREE<There, TILE_UP_DOWN>(there);
  };
  ptoscope::Result result = found("a3", cube(false), vector);
  expectCode(
      result, "deadlock",
      {"of AIV0 waits forever for push 1 into queue 0", "AIC has not pushed", "help: let AIC push into queue 0"});
  EXPECT_EQ(found("a3", cube(true), vector).size(), 0u) << found("a3", cube(true), vector).text();
}

//===----------------------------------------------------------------------===//
// Entries (FIFO-25, FIFO-26, FIFO-27)
//===----------------------------------------------------------------------===//

TEST(TileQueueFindings, LeftAtTheEnd) {
  auto cube = [](X x, X u, S s, float *) { push(x, u, s, 3); };
  auto unread = [](X, X, S s, float *o) { pop(s, o, 2, 2); };
  auto unfreed = [](X, X, S s, float *o) { pop(s, o, 3, 1); };
  auto right = [](X, X, S s, float *o) { pop(s, o, 3, 3); };
  ptoscope::Result result = found("a5", cube, unread);
  ASSERT_EQ(result.size(), 2u) << result.text(); // of each vector core
  EXPECT_STREQ(result[0].code, "queue-leak");
  EXPECT_NE(textOf(result).find("ends with 1 slot that AIV0 never popped"), std::string::npos) << result.text();
  EXPECT_NE(textOf(result).find("that AIV1 never popped"), std::string::npos) << result.text();
  EXPECT_TRUE(result.ok());
  result = found("a5", cube, unfreed);
  ASSERT_EQ(result.size(), 2u) << result.text();
  EXPECT_NE(textOf(result).find("ends with 2 slots that AIV1 popped and never freed"), std::string::npos)
      << result.text();
  EXPECT_EQ(found("a5", cube, right).size(), 0u);
  // On A2/A3 pops free.
  EXPECT_EQ(found("a3", cube, unfreed).size(), 0u);
  // Nor does a core pop that never makes its side.
  auto idle = [](X, X, S, float *) {};
  auto once = [](X x, X u, S s, float *) { push(x, u, s, 1); };
  result = found("a5", once, idle);
  ASSERT_EQ(result.size(), 2u) << result.text();
  EXPECT_NE(textOf(result).find("ends with 1 slot that AIV1 never popped"), std::string::npos) << result.text();
}

/// FIFO-1: a queue is the core's own, of this launch.
TEST(TileQueueFindings, MadeElsewhere) {
  std::unique_ptr<Queue> kept;
  auto idle = [](X, X, S, float *) {};
  auto makes = [&](X, X, S s, float *) { kept = std::make_unique<Queue>(s, kUbRing, kL1Ring); };
  auto uses = [&](X x, X u, S, float *) {
    AccTile acc;
    makeAcc(acc, x, u);
    TPUSH<Queue, AccTile, TILE_UP_DOWN>(*kept, acc);
  };
  for (const char *arch : {"a3", "a5"}) {
    EXPECT_EQ(found(arch, makes, idle).size(), 0u);
    expectCode(found(arch, uses, idle), "queue-use", {"`TPUSH` uses a queue that this core has not made"});
    kept.reset();
  }
}

TEST(TileQueueFindings, FreedTwice) {
  auto cube = [](X x, X u, S s, float *) { push(x, u, s, 1); };
  auto twice = [](X, X, S s, float *) {
    Queue pipe(s, kUbRing, kL1Ring);
    Part tile;
    TPOP<Queue, Part, TILE_UP_DOWN>(pipe, tile);
    TFREE<Queue, TILE_UP_DOWN>(pipe);
    if (get_subblockid() == 0)
      TFREE<Queue, TILE_UP_DOWN>(pipe);
  };
  expectCode(found("a5", cube, twice), "queue-free", {"`TFREE` frees an entry of queue 0"});
  EXPECT_EQ(found("a3", cube, twice).size(), 0u); // FIFO-25: does nothing there
  // FIFO-25: a pop through global memory frees; on A5 TFREE frees again.
  using Global = TPipe<0, DIR_C2V_GM, kBytes, 2>;
  auto global = [](X x, X u, S s, float *) { push<Global>(x, u, s, 2); };
  auto again = [](X, X, S s, float *o) { pop<Global>(s, o, 2, get_subblockid() == 0 ? 1 : 0); };
  auto once = [](X, X, S s, float *o) { pop<Global>(s, o, 2, 0); };
  expectCode(found("a5", global, again), "queue-free", {});
  EXPECT_EQ(found("a5", global, once).size(), 0u);
}

/// FIFO-23: an entry on chip is read after it is free: the next push may overwrite it.
TEST(TileQueueFindings, UsedAfterFree) {
  constexpr int count = 5;
  auto cube = [](X x, X u, S s, float *) { push(x, u, s, count); };
  auto reads = [](bool early) {
    return [early](X, X, S s, float *) {
      Queue pipe(s, kUbRing, kL1Ring);
      Part tile, copy;
      TASSIGN(copy, 0);
      for (int i = 0; i < count; ++i) {
        TPOP<Queue, Part, TILE_UP_DOWN>(pipe, tile);
        if (early)
          TFREE<Queue, TILE_UP_DOWN>(pipe);
        TADDS(copy, tile, 1.0f);
        if (!early)
          TFREE<Queue, TILE_UP_DOWN>(pipe);
      }
    };
  };
  ptoscope::Result result = found("a5", cube, reads(true));
  EXPECT_TRUE(result.has("race-war") || result.has("race-raw")) << result.text();
  EXPECT_EQ(found("a5", cube, reads(false)).size(), 0u);
}

/// FIFO-29: the store pipe reads the popped tile, and the free on PIPE_V does not wait for it.
TEST(TileQueueFindings, StoreStraightFromAnEntry) {
  constexpr int count = 4;
  auto cube = [](X x, X u, S s, float *) { push(x, u, s, count); };
  auto stores = [](bool ordered) {
    return [ordered](X, X, S s, float *o) {
      Queue pipe(s, kUbRing, kL1Ring);
      Part tile;
      for (int i = 0; i < count; ++i) {
        TPOP<Queue, Part, TILE_UP_DOWN>(pipe, tile);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        Window<float, kRows / 2, kCols> view(o + i * kSize + get_subblockid() * kSize / 2);
        TSTORE(view, tile);
        if (ordered) {
          set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
          wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        }
        TFREE<Queue, TILE_UP_DOWN>(pipe);
      }
    };
  };
  const ptoscope::Result result = found("a5", cube, stores(false));
  EXPECT_TRUE(result.has("race-war") || result.has("race-raw")) << result.text();
  EXPECT_EQ(found("a5", cube, stores(true)).size(), 0u);
}

/// FIFO-29: the pop brings data to its own pipe only.
TEST(TileQueueFindings, PoppedOnAnotherPipe) {
  auto cube = [](X x, X u, S s, float *) { push(x, u, s, 1); };
  auto stores = [](bool ordered) {
    return [ordered](X, X, S s, float *o) {
      Queue pipe(s, kUbRing, kL1Ring);
      Part tile;
      TPOP<Queue, Part, TILE_UP_DOWN>(pipe, tile);
      if (ordered)
        fence();
      Window<float, kRows / 2, kCols> view(o + get_subblockid() * kSize / 2);
      TSTORE(view, tile);
      fence();
      TFREE<Queue, TILE_UP_DOWN>(pipe);
    };
  };
  for (const char *arch : {"a3", "a5"}) { // A2/A3: the load, A5: the push
    EXPECT_TRUE(found(arch, cube, stores(false)).has("race-raw")) << arch;
    EXPECT_EQ(found(arch, cube, stores(true)).size(), 0u) << arch;
  }
}

/// FIFO-29: the product has to be ready when the push reads it.
TEST(TileQueueFindings, PushBeforeTheProduct) {
  auto cube = [](bool ordered) {
    return [ordered](X x, X u, S s, float *) {
      Queue pipe(s, kUbRing, kL1Ring);
      AccTile acc;
      makeAcc(acc, x, u);
      TileLeft<half, kRows, kCols> left;
      TileRight<half, kCols, kCols> right;
      TASSIGN(left, 0);
      TASSIGN(right, 0);
      TMATMUL_ACC(acc, left, right);
      if (ordered)
        fence();
      TPUSH<Queue, AccTile, TILE_UP_DOWN>(pipe, acc);
    };
  };
  auto vector = [](X, X, S s, float *o) { pop(s, o, 1, 1); };
  for (const char *arch : {"a3", "a5"}) {
    EXPECT_TRUE(found(arch, cube(false), vector).has("race-raw")) << arch;
    EXPECT_EQ(found(arch, cube(true), vector).size(), 0u) << arch;
  }
}

//===----------------------------------------------------------------------===//
// Declarations (FIFO-7, FIFO-8, FIFO-10, FIFO-11, FIFO-31, FIFO-32)
//===----------------------------------------------------------------------===//

template <uint8_t Second> ptoscope::Result twoQueues() {
  using Other = TPipe<Second, DIR_V2C, kBytes, 2>;
  auto both = [](X, X, S s, float *) {
    Queue first(s, kUbRing, kL1Ring);
    Other second(s + 2 * kBytes, kUbRing, kL1Ring);
  };
  return found("a5", both, both);
}
TEST(TileQueueFindings, OverlappingIds) {
  expectCode(twoQueues<1>(), "queue-ids", {"queue 1 (V2C, ids 1 and 2, 2 slots) takes ids of queue 0 (C2V"});
  EXPECT_EQ(twoQueues<2>().size(), 0u);
  // One after the other they may have the same ids.
  auto cube = [](X x, X u, S s, float *) {
    push(x, u, s, 3);
    push(x, u, s, 2);
  };
  auto vector = [](X, X, S s, float *o) {
    pop(s, o, 3, 3);
    pop(s, o + 3 * kSize, 2, 2);
  };
  for (const char *arch : {"a3", "a5"})
    EXPECT_EQ(found(arch, cube, vector).size(), 0u) << found(arch, cube, vector).text();
}

template <uint32_t Slots> ptoscope::Result declared() {
  using Pipe = TPipe<0, DIR_C2V, kBytes, Slots>;
  auto both = [](X, X, S s, float *) { Pipe pipe(s, kUbRing, kL1Ring); };
  return found("a5", both, both);
}
TEST(TileQueueFindings, NumberOfSlots) {
  EXPECT_TRUE(declared<16>().has("queue-shape"));
  EXPECT_FALSE(declared<16>().ok());
  EXPECT_TRUE(declared<5>().has("queue-weak"));
  EXPECT_TRUE(declared<15>().has("queue-weak"));
  for (const ptoscope::Result &result : {declared<14>(), declared<3>(), declared<1>()})
    EXPECT_EQ(result.size(), 0u) << result.text();
}

TEST(TileQueueFindings, SidesDiffer) {
  using Longer = TPipe<0, DIR_C2V, kBytes, 4>;
  auto cube = [](X, X, S s, float *) { Queue pipe(s, kUbRing, kL1Ring); };
  auto longer = [](X, X, S s, float *) { Longer pipe(s, kUbRing, kL1Ring); };
  auto moved = [](X, X, S s, float *) { Queue pipe(s, kUbRing + 0x1000, kL1Ring); };
  auto same = [](X, X, S s, float *) { Queue pipe(s, kUbRing, kL1Ring); };
  ptoscope::Result result = found("a5", cube, longer);
  EXPECT_TRUE(result.has("queue-shape")) << result.text();
  EXPECT_NE(textOf(result).find("has a SlotNum of 4 here and a SlotNum of 2 on AIC"), std::string::npos)
      << result.text();
  EXPECT_TRUE(found("a5", cube, moved).has("queue-shape"));
  EXPECT_EQ(found("a3", cube, moved).size(), 0u); // a landing place is the own affair of who pops
  EXPECT_EQ(found("a5", cube, same).size(), 0u);
}

TEST(TileQueueFindings, EntriesTooSmall) {
  using Small = TPipe<0, DIR_C2V, kBytes / 4, 2>;
  auto cube = [](X x, X u, S s, float *) { push<Small>(x, u, s, 1); };
  auto vector = [](X, X, S s, float *o) { pop<Small>(s, o, 1, 1); };
  for (const char *arch : {"a3", "a5"})
    EXPECT_TRUE(found(arch, cube, vector).has("queue-shape")) << arch;
  auto nowhere = [](X x, X u, S, float *) { push(x, u, nullptr, 1); };
  auto reads = [](X, X, S, float *o) { pop(nullptr, o, 1, 1); };
  EXPECT_TRUE(found("a3", nowhere, reads).has("queue-shape")); // FIFO-11
  EXPECT_EQ(found("a5", nowhere, reads).size(), 0u);
}

//===----------------------------------------------------------------------===//
// What the push put into the entry (FIFO-47)
//===----------------------------------------------------------------------===//

/// Pops one tile, and stores nothing.
template <typename T, TileSplitAxis Split> void take(S slots) {
  Queue pipe(slots, kUbRing, kL1Ring);
  T tile;
  TPOP<Queue, T, Split>(pipe, tile);
  fence();
  TFREE<Queue, Split>(pipe);
}
template <TileSplitAxis Split> void give(X x, X unit, S slots) {
  Queue pipe(slots, kUbRing, kL1Ring);
  AccTile acc;
  makeAcc(acc, x, unit);
  TPUSH<Queue, AccTile, Split>(pipe, acc);
}
/// What is found when the cluster pushes with one split and pops `T` with another.
template <TileSplitAxis Pushed, typename T, TileSplitAxis Popped> ptoscope::Result exchanged(const char *arch) {
  auto cube = [](X x, X u, S s, float *) { give<Pushed>(x, u, s); };
  auto vector = [](X, X, S s, float *) { take<T, Popped>(s); };
  return found(arch, cube, vector);
}

TEST(TileQueueFindings, PoppedWithAnotherSplit) {
  const ptoscope::Result forgotten = exchanged<TILE_UP_DOWN, Part, TILE_NO_SPLIT>("a3");
  expectCode(forgotten, "queue-shape",
             {"`TPOP` takes 8 x 32, without a split, from an entry that was filled with 16 x 32, split up and down",
              "note: the push of this entry is here"});
  // Half of the columns, and rows of the whole: both vector cores take part in both splits on A5, too.
  using Left = Vec<float, kRows, kCols>;
  for (const char *arch : {"a3", "a5"}) {
    EXPECT_TRUE((exchanged<TILE_UP_DOWN, Left, TILE_LEFT_RIGHT>(arch).has("queue-shape"))) << arch;
    EXPECT_EQ((exchanged<TILE_UP_DOWN, Part, TILE_UP_DOWN>(arch).size()), 0u) << arch;
  }
  // Through global memory the cube core stores the same with every split.
  EXPECT_EQ((exchanged<TILE_NO_SPLIT, Part, TILE_UP_DOWN>("a3").size()), 0u);
  EXPECT_EQ((exchanged<TILE_UP_DOWN, Vec<float, kRows, kCols>, TILE_NO_SPLIT>("a3").size()), 0u);
}

TEST(TileQueueFindings, PoppedAsOtherElements) {
  for (const char *arch : {"a3", "a5"}) {
    expectCode(exchanged<TILE_UP_DOWN, Vec<half, kRows / 2, kCols>, TILE_UP_DOWN>(arch), "queue-shape",
               {"`TPOP` takes elements of f16 from an entry that was filled with f32"});
    EXPECT_TRUE((exchanged<TILE_UP_DOWN, Vec<int32_t, kRows / 2, kCols>, TILE_UP_DOWN>(arch).has("queue-shape")));
  }
}

TEST(TileQueueFindings, PoppedInOtherRows) {
  // On chip the capacity is the length of a row, through global memory the valid columns are.
  using Wide = Tile<TileType::Vec, float, kRows / 2, kCols + 8, BLayout::RowMajor, kRows / 2, kCols>;
  using Narrow = Tile<TileType::Vec, float, kRows / 2, kCols, BLayout::RowMajor, kRows / 2, kCols - 8>;
  using Columns = Tile<TileType::Vec, float, kRows / 2, kCols, BLayout::ColMajor>;
  using Row = Tile<TileType::Vec, float, 1, kCols + 8, BLayout::RowMajor, 1, kCols>;
  using Wider = TPipe<0, DIR_C2V, 2 * kBytes, 2>;
  auto cube = [](X x, X u, S s, float *) { push<Wider>(x, u, s, 1); };
  auto wide = [](X, X, S s, float *) {
    Wider pipe(s, kUbRing, kL1Ring);
    Wide tile;
    TPOP<Wider, Wide, TILE_UP_DOWN>(pipe, tile);
    TFREE<Wider, TILE_UP_DOWN>(pipe);
  };
  expectCode(found("a5", cube, wide), "queue-shape",
             {"takes element (1, 0) of its tile from place 40 of the entry, and the push put it at place 32"});
  EXPECT_EQ(found("a3", cube, wide).size(), 0u);
  EXPECT_TRUE((exchanged<TILE_UP_DOWN, Narrow, TILE_UP_DOWN>("a3").has("queue-shape")));
  EXPECT_EQ((exchanged<TILE_UP_DOWN, Narrow, TILE_UP_DOWN>("a5").size()), 0u);
  EXPECT_TRUE((exchanged<TILE_UP_DOWN, Columns, TILE_UP_DOWN>("a5").has("queue-shape")));
  EXPECT_EQ((exchanged<TILE_UP_DOWN, Row, TILE_UP_DOWN>("a5").size()), 0u); // one row has no next one
}

/// Both vector cores push halves; the cube core takes the whole, of as many fractals.
TEST(TileQueueFindings, HalvesOfTheCubesTile) {
  using Back = TPipe<0, DIR_V2C, 2 * kBytes, 2>;
  using Half = Tile<TileType::Vec, float, kRows, kCols, BLayout::ColMajor, kRows, kCols, SLayout::RowMajor>;
  auto vector = [](X, X, S s, float *) {
    Back pipe(s, kUbRing, kL1Ring);
    Half tile;
    TASSIGN(tile, 0);
    TEXPANDS(tile, 1.0f);
    fence();
    TPUSH<Back, Half, TILE_UP_DOWN>(pipe, tile);
  };
  auto whole = [](X, X, S s, float *) {
    Back pipe(s, kUbRing, kL1Ring);
    MatTile<float, 2 * kRows, kCols> tile;
    TPOP<Back, MatTile<float, 2 * kRows, kCols>, TILE_UP_DOWN>(pipe, tile);
    TFREE<Back, TILE_UP_DOWN>(pipe);
  };
  auto flat = [](X, X, S s, float *) {
    Back pipe(s, kUbRing, kL1Ring);
    Tile<TileType::Mat, float, 2 * kRows, kCols> tile;
    TPOP<Back, Tile<TileType::Mat, float, 2 * kRows, kCols>, TILE_UP_DOWN>(pipe, tile);
    TFREE<Back, TILE_UP_DOWN>(pipe);
  };
  auto one = [](X, X, S s, float *) {
    Back pipe(s, kUbRing, kL1Ring);
    MatTile<float, kRows, kCols> tile;
    TPOP<Back, MatTile<float, kRows, kCols>, TILE_UP_DOWN>(pipe, tile);
    TFREE<Back, TILE_UP_DOWN>(pipe);
  };
  EXPECT_EQ(found("a5", whole, vector).size(), 0u) << found("a5", whole, vector).text();
  EXPECT_TRUE(found("a5", flat, vector).has("queue-shape"));
  EXPECT_TRUE(found("a5", one, vector).has("queue-shape"));
}

//===----------------------------------------------------------------------===//
// Sides and splits (FIFO-22, FIFO-24, FIFO-45)
//===----------------------------------------------------------------------===//

TEST(TileQueueFindings, WrongSide) {
  auto idle = [](X, X, S, float *) {};
  auto pushes = [](X, X, S s, float *) {
    Queue pipe(s, kUbRing, kL1Ring);
    Part tile;
    TASSIGN(tile, 0);
    TPUSH<Queue, Part, TILE_UP_DOWN>(pipe, tile);
  };
  auto pops = [](X, X, S s, float *) {
    Queue pipe(s, kUbRing, kL1Ring);
    Part tile;
    TPOP<Queue, Part, TILE_UP_DOWN>(pipe, tile);
  };
  EXPECT_TRUE(found("a5", idle, pushes).has("queue-use"));
  expectCode(found("a5", pops, idle), "queue-use", {"`TPOP` pops on a cube core"});
  auto whole = [](X, X, S s, float *) {
    Queue pipe(s, kUbRing, kL1Ring);
    Vec<float, kRows, kCols> tile;
    TPOP<Queue, Vec<float, kRows, kCols>, TILE_NO_SPLIT>(pipe, tile);
  };
  EXPECT_TRUE(found("a5", idle, whole).has("queue-use"));
}

TEST(TileQueueFindings, SplitsThatDoNotHalve) {
  using Odd = Tile<TileType::Acc, float, kRows, kCols, BLayout::ColMajor, kRows - 1, kCols, SLayout::RowMajor, 1024>;
  auto cube = [](X, X, S s, float *) {
    Queue pipe(s, kUbRing, kL1Ring);
    Odd acc;
    TASSIGN(acc, 0);
    TPUSH<Queue, Odd, TILE_UP_DOWN>(pipe, acc);
  };
  auto idle = [](X, X, S, float *) {};
  for (const char *arch : {"a3", "a5"})
    expectCode(found(arch, cube, idle), "queue-shape", {"splits 15 x 32: the number of rows is odd"});
  auto odd = [](X, X, S s, float *) {
    Queue pipe(s, kUbRing, kL1Ring);
    Odd acc;
    TASSIGN(acc, 0);
    TPUSH<Queue, Odd, TILE_UP_DOWN_ODD>(pipe, acc);
  };
  expectCode(found("a5", odd, idle), "queue-shape", {"through global memory"});
}

//===----------------------------------------------------------------------===//
// What libraries of devices do not do (FIFO-33, FIFO-35)
//===----------------------------------------------------------------------===//

TEST(TileQueueFindings, TwoWayViews) {
  using Both = TPipe<0, DIR_BOTH, kBytes, 2>;
  using Entry = View<float, kRows, kCols>;
  auto cube = [](X, X, S s, float *) {
    Both pipe(s, kUbRing, kL1Ring);
    Entry entry(nullptr);
    TALLOC<Both, Entry, TILE_UP_DOWN>(pipe, entry);
    TPUSH<Both, Entry, TILE_UP_DOWN>(pipe, entry);
  };
  auto vector = [](X, X, S s, float *) {
    Both pipe(s, kUbRing, kL1Ring);
    Entry entry(nullptr);
    TPOP<Both, Entry, TILE_UP_DOWN>(pipe, entry);
    TFREE<Both, Entry, TILE_UP_DOWN>(pipe, entry);
  };
  ptoscope::Result result = found("a3", cube, vector);
  EXPECT_TRUE(result.has("queue-weak")) << result.text();
  EXPECT_TRUE(result.ok()) << result.text();
  expectCode(found("a5", cube, [](X, X, S, float *) {}), "not-modelled", {"an entry on chip as a view"});
}

} // namespace
