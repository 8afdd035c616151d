//===- CommTest.cpp - transfers, signals and collectives between devices --===//
//
// Kernels on worlds of one to five devices under every schedule, against plain loops; and
// what is reported when an order, a signal or an operand is missing.
//
//===----------------------------------------------------------------------===//

#include "CommPrograms.h"

#include <cmath>

using namespace devices;

namespace {

/// Each rank gives its numbers to the next one, which doubles them.
template <bool WithBarrier>
void ring(const CommDeviceContext *context, float *own, float *box, float *out, int32_t *word) {
  const int rank = int(context->rankId), next = (rank + 1) % int(context->rankNum);
  Piece stage, piece;
  TASSIGN(stage, 0x0);
  TASSIGN(piece, 0x1000);
  View from(own), to(remote(context, box, next));
  TPUT(to, from, stage);
  if constexpr (WithBarrier)
    pipe_barrier(PIPE_ALL);
  TNOTIFY(Signal(remote(context, word, next)), 1, NotifyOp::Set);
  TWAIT(Signal(word), 1, WaitCmp::EQ);
  View mine(box), result(out);
  TLOAD(piece, mine);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADD(piece, piece, piece);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(result, piece);
}

TEST(Comm, RingPassesNumbersOn) { // COMM-25
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (const Options &options : schedules()) {
      Ring test(ranks);
      Result result =
          test.world.run(options, ring<true>, 1, test.world.context(), test.own, test.box, test.out, test.word);
      EXPECT_TRUE(result.ok() && result.size() == 0) << textOf(result);
      for (int rank = 0; rank < ranks; ++rank)
        for (int i = 0; i < kCount; ++i)
          ASSERT_EQ(test.out[rank][i], 2 * valueOf((rank + ranks - 1) % ranks, i)) << ranks << " " << rank;
    }
}

TEST(Comm, SignalThatOvertakesItsDataIsARace) { // COMM-22
  for (const Options &options : schedules()) {
    Ring test(4);
    Result result =
        test.world.run(options, ring<false>, 1, test.world.context(), test.own, test.box, test.out, test.word);
    EXPECT_FALSE(result.ok());
    EXPECT_TRUE(result.has("race-blocks") && says(result, "does not wait for it, so the signal may come first") &&
                says(result, "put `pipe_barrier(PIPE_ALL);` before `TNOTIFY`") && says(result, "of rank "))
        << textOf(result);
  }
}

TEST(Comm, LateDataIsSeen) { // the lazy schedule shows what the race can do
  Ring test(2);
  Options options;
  options.unchecked().schedule = Options::Lazy;
  test.world.run(options, ring<false>, 1, test.world.context(), test.own, test.box, test.out, test.word);
  bool differs = false;
  for (int rank = 0; rank < 2; ++rank)
    for (int i = 0; i < kCount; ++i)
      differs |= test.out[rank][i] != 2 * valueOf(1 - rank, i);
  EXPECT_TRUE(differs);
}

// --- signals -------------------------------------------------------------------------------------

TEST(Comm, MatrixOfSignals) { // COMM-23
  auto kernel = [](const CommDeviceContext *context, int32_t *words) {
    if (context->rankId == 0)
      return TWAIT(Signal2D<4, 8>(words, 16), 3, WaitCmp::GE);
    for (int i = 0; i < 32; ++i)
      if (i % 3 + 1 == int(context->rankId))
        TNOTIFY(Signal(remote(context, words, 0) + i / 8 * 16 + i % 8), 3 + i, NotifyOp::Set);
  };
  for (const Options &options : schedules()) {
    auto world = ptoscope::world(4);
    auto words = world.symmetric<int32_t>(64);
    Result result = world.run(options, kernel, 1, world.context(), words);
    EXPECT_TRUE(result.ok()) << textOf(result);
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(words[0][i / 8 * 16 + i % 8], 3 + i);
  }
}

TEST(Comm, SumsOfAllRanksAndBlocks) { // COMM-20
  auto kernel = [](const CommDeviceContext *context, int32_t *word) {
    TNOTIFY(Signal(remote(context, word, 0)), int32_t(context->rankId) + 1, NotifyOp::AtomicAdd);
    TWAIT(Signal(remote(context, word, 0)), 2 * (1 + 2 + 3), WaitCmp::EQ);
  };
  for (const Options &options : schedules()) {
    auto world = ptoscope::world(3);
    auto word = world.symmetric<int32_t>(1);
    Result result = world.run(options, kernel, 2, world.context(), word);
    EXPECT_TRUE(result.ok()) << textOf(result);
    EXPECT_EQ(word[0][0], 12);
    EXPECT_EQ(word[1][0], 0);
  }
}

TEST(Comm, EveryComparison) { // COMM-21
  auto world = ptoscope::world(1);
  auto words = world.symmetric<int32_t>(2);
  words[0][0] = -5;
  std::string seen;
  auto kernel = [&](int32_t *word) {
    for (WaitCmp cmp : {WaitCmp::EQ, WaitCmp::NE, WaitCmp::GT, WaitCmp::GE, WaitCmp::LT, WaitCmp::LE})
      for (int32_t value : {-6, -5, 4})
        seen += TTEST(Signal(word), value, cmp) ? '1' : '0';
  };
  EXPECT_TRUE(world.run(kernel, 1, words).ok());
  EXPECT_EQ(seen, "010"
                  "101"
                  "100"
                  "110"
                  "001"
                  "011");
}

TEST(Comm, PollingLetsOthersRun) { // COMM-24, COMM-6
  auto kernel = [](const CommDeviceContext *context, int32_t *word) {
    if (context->rankId == 0)
      while (!TTEST(Signal(word), 2, WaitCmp::EQ)) {
      }
    else
      TNOTIFY(Signal(remote(context, word, 0)), 1, NotifyOp::AtomicAdd);
  };
  for (const Options &options : schedules()) {
    auto world = ptoscope::world(3);
    auto word = world.symmetric<int32_t>(1);
    Result result = world.run(options, kernel, 1, world.context(), word);
    EXPECT_TRUE(result.ok()) << textOf(result);
    auto lonely = ptoscope::world(2); // only one adds
    auto other = lonely.symmetric<int32_t>(1);
    Result stuck = lonely.run(options, kernel, 1, lonely.context(), other);
    EXPECT_TRUE(stuck.has("livelock") && says(stuck, "TTEST")) << textOf(stuck);
  }
}

TEST(Comm, AllWaitingIsADeadlock) { // COMM-6
  auto kernel = [](const CommDeviceContext *context, int32_t *words) {
    if (context->rankId != 2)
      TWAIT(Signal(words + 3), 7, WaitCmp::GE);
  };
  for (const Options &options : schedules()) {
    auto world = ptoscope::world(3);
    auto words = world.symmetric<int32_t>(8);
    words[1][3] = 5;
    Result result = world.run(options, kernel, 1, world.context(), words);
    EXPECT_FALSE(result.completed());
    EXPECT_TRUE(result.has("deadlock") && says(result, "rank 0") && says(result, "rank 1") &&
                says(result, "the signal at byte 12 of `window of rank 1` to be >= 7 (it is 5)"))
        << textOf(result);
  }
}

TEST(Comm, SignalsAreNotData) { // COMM-26
  auto kernel = [](bool plain, float *data, int32_t *words) {
    Piece piece;
    TASSIGN(piece, 0x0);
    TNOTIFY(Signal(words), 1, NotifyOp::Set);
    TWAIT(Signal(words), 1, WaitCmp::EQ);
    View view(plain ? reinterpret_cast<float *>(words) : data);
    TLOAD(piece, view);
  };
  for (bool plain : {false, true}) {
    auto world = ptoscope::world(2);
    auto data = world.symmetric<float>(kCount);
    auto words = world.symmetric<int32_t>(kCount);
    Result result = world.run(kernel, 1, plain, data, words);
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.has("signal-plain-access"), plain) << textOf(result);
  }
}

template <int How> void pollByHand(const CommDeviceContext *context, float *box, int32_t *word) {
  Piece piece;
  TASSIGN(piece, 0x0);
  View at(remote(context, box, 1));
  if (context->rankId == 0) {
    View from(box);
    TPUT(at, from, piece);
    if constexpr (How != 2)
      pipe_barrier(PIPE_ALL);
    st_dev(7, remote(context, word, 1), 0);
    return;
  }
  if constexpr (How == 1) {
    while (*static_cast<volatile int32_t *>(word) != 7)
      dcci(word, 0);
    dcci(word, 0);
  } else {
    while (ld_dev(word, 0) != 7) {
    }
  }
  TLOAD(piece, at);
}
TEST(Comm, PollingByHand) { // COMM-29
  for (const Options &options : schedules())
    for (int how = 0; how < 3; ++how) {
      auto world = ptoscope::world(2);
      auto box = world.symmetric<float>(kCount);
      auto word = world.symmetric<int32_t>(1);
      Result result = how == 0   ? world.run(options, pollByHand<0>, 1, world.context(), box, word)
                      : how == 1 ? world.run(options, pollByHand<1>, 1, world.context(), box, word)
                                 : world.run(options, pollByHand<2>, 1, world.context(), box, word);
      EXPECT_EQ(result.ok(), how != 2) << how << textOf(result);
    }
}

/// The producer stores the word itself and writes its line back.
template <bool WritesBack> void storeByHand(const CommDeviceContext *context, float *box, int32_t *word) {
  Piece piece;
  TASSIGN(piece, 0x0);
  View at(remote(context, box, 1));
  if (context->rankId == 0) {
    View from(box);
    TPUT(at, from, piece);
    pipe_barrier(PIPE_ALL);
    volatile int32_t *flag = remote(context, word, 1);
    *flag = 7;
    if constexpr (WritesBack) {
      dcci(flag, cache_line_t::SINGLE_CACHE_LINE, dcci_dst_t::CACHELINE_OUT);
      dsb(DSB_DDR);
    }
    return;
  }
  TWAIT(Signal(word), 7, WaitCmp::GE);
  TLOAD(piece, at);
}
TEST(Comm, StoringByHand) { // COMM-29
  for (const Options &options : schedules())
    for (bool writesBack : {true, false}) {
      auto world = ptoscope::world(2);
      auto box = world.symmetric<float>(kCount);
      auto word = world.symmetric<int32_t>(16);
      Result result =
          world.run(options, writesBack ? storeByHand<true> : storeByHand<false>, 1, world.context(), box, word);
      EXPECT_EQ(result.ok(), writesBack) << textOf(result);
    }
}

/// Rank 0 overwrites one box in every turn. With `Answers` it waits until rank 1 has read it.
template <bool Answers, bool Adds> void oneBox(const CommDeviceContext *context, float *box, int32_t *words) {
  constexpr int kTurns = 3;
  Piece piece;
  TASSIGN(piece, 0x0);
  View at(remote(context, box, 1)), own(box);
  for (int turn = 1; turn <= kTurns; ++turn) {
    if (context->rankId == 0) {
      TPUT(at, own, piece);
      pipe_barrier(PIPE_ALL);
      TNOTIFY(Signal(remote(context, words, 1)), Adds ? 1 : turn, Adds ? NotifyOp::AtomicAdd : NotifyOp::Set);
      if constexpr (Answers)
        TWAIT(Signal(words + 1), turn, WaitCmp::GE);
    } else {
      TWAIT(Signal(words), turn, WaitCmp::GE);
      TLOAD(piece, own);
      pipe_barrier(PIPE_ALL);
      if constexpr (Answers)
        TNOTIFY(Signal(remote(context, words + 1, 0)), turn, NotifyOp::Set);
    }
  }
}
TEST(Comm, AWaitLearnsNoMoreThanItNeeds) { // COMM-25: whatever value it has met in this run
  for (const Options &options : schedules())
    for (int how = 0; how < 4; ++how) {
      auto world = ptoscope::world(2);
      auto box = world.symmetric<float>(kCount);
      auto words = world.symmetric<int32_t>(2);
      auto kernel = how == 0   ? oneBox<true, true>
                    : how == 1 ? oneBox<true, false>
                    : how == 2 ? oneBox<false, true>
                               : oneBox<false, false>;
      Result result = world.run(options, kernel, 1, world.context(), box, words);
      EXPECT_EQ(result.ok(), how < 2) << how << textOf(result);
      EXPECT_EQ(result.has("race-blocks"), how >= 2) << how;
    }
}

// --- transfers -----------------------------------------------------------------------------------

/// A tensor with gaps between its rows.
constexpr int kHigh = 12, kWide = 48, kPitch = 56;
using Large = GlobalTensor<float, Shape<2, 1, 1, kHigh, kWide>, Stride<kHigh * kPitch, 1, 1, kPitch, 1>>;
constexpr int kLarge = 2 * kHigh * kPitch;

template <typename T, bool PingPong> void putLarge(const CommDeviceContext *context, float *own, float *box, bool add) {
  if (context->rankId != 0)
    return;
  T ping, pong;
  if constexpr (T::ValidRow == DYNAMIC) {
    ping.SetValidShape(5, 32); // divides neither
    pong.SetValidShape(5, 32);
  }
  TASSIGN(ping, 0x0);
  TASSIGN(pong, 0x4000);
  Large from(own), to(remote(context, box, 1));
  for (int turn = 0; turn < 2; ++turn)
    if constexpr (PingPong)
      TPUT(to, from, ping, pong, add ? AtomicType::AtomicAdd : AtomicType::AtomicNone);
    else if (add)
      TPUT<AtomicType::AtomicAdd>(to, from, ping);
    else
      TPUT(to, from, ping);
  if constexpr (T::ValidRow == DYNAMIC) { // COMM-36
    EXPECT_EQ(ping.GetValidRow(), 2u);
    EXPECT_EQ(ping.GetValidCol(), 16u);
  }
}

template <typename T, bool PingPong> void checkLarge() {
  for (bool add : {false, true})
    for (const Options &options : schedules()) {
      auto world = ptoscope::world(2);
      auto own = world.symmetric<float>(kLarge), box = world.symmetric<float>(kLarge);
      for (int i = 0; i < kLarge; ++i) {
        own[0][i] = valueOf(0, i);
        box[1][i] = -1;
      }
      Result result = world.run(options, putLarge<T, PingPong>, 1, world.context(), own, box, add);
      EXPECT_TRUE(result.ok() && result.size() == 0) << textOf(result);
      for (int i = 0; i < kLarge; ++i)
        ASSERT_EQ(box[1][i], i % kPitch >= kWide ? -1 : add ? -1 + 2 * valueOf(0, i) : valueOf(0, i)) << i;
    }
}
TEST(Comm, LargeTensorsGoInStrips) { // COMM-30, COMM-32, COMM-35
  checkLarge<Tile<TileType::Vec, float, 4, 16>, false>();
  checkLarge<Tile<TileType::Vec, float, 4, 16>, true>();
  checkLarge<Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, -1, -1>, false>();
  checkLarge<Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, -1, -1>, true>();
}

TEST(Comm, GetReadsAnotherWindow) { // COMM-31, COMM-32
  auto kernel = [](const CommDeviceContext *context, float *own, float *box) {
    using T = Tile<TileType::Vec, float, 32, 64>; // holds more than there is
    T ping, pong;
    TASSIGN(ping, 0x0);
    TASSIGN(pong, 0x4000);
    Large from(remote(context, own, 1 - int(context->rankId))), to(box);
    if (context->rankId)
      TGET(to, from, ping, pong);
    else
      TGET(to, from, ping);
  };
  for (const Options &options : schedules()) {
    auto world = ptoscope::world(2);
    auto own = world.symmetric<float>(kLarge), box = world.symmetric<float>(kLarge);
    for (int i = 0; i < kLarge; ++i)
      for (int rank : {0, 1})
        own[rank][i] = valueOf(rank, i);
    Result result = world.run(options, kernel, 1, world.context(), own, box);
    EXPECT_TRUE(result.ok() && result.size() == 0) << textOf(result);
    for (int i = 0; i < kLarge; ++i)
      for (int rank : {0, 1})
        ASSERT_EQ(box[rank][i], i % kPitch >= kWide ? 0 : valueOf(1 - rank, i)) << i;
  }
}

TEST(Comm, FixedStripsHaveToDivide) { // COMM-35
  auto kernel = [](float *own, float *box) {
    Tile<TileType::Vec, float, 5, 16> piece;
    TASSIGN(piece, 0x0);
    Large from(own), to(box);
    TPUT(to, from, piece);
  };
  auto world = ptoscope::world(1);
  auto own = world.symmetric<float>(kLarge), box = world.symmetric<float>(kLarge);
  own[0][11 * kPitch] = 3;
  Result result = world.run(kernel, 1, own, box);
  EXPECT_TRUE(result.has("comm-operand") && says(result, "moves 12 rows in strips of 5")) << textOf(result);
  EXPECT_EQ(box[0][11 * kPitch], 3);
}

TEST(Comm, FlagsOfTheProgramAreInTheWay) { // COMM-41
  auto kernel = [](int id, float *own, float *box) {
    Piece piece;
    TASSIGN(piece, 0x0);
    View from(own), to(box);
    set_flag(PIPE_MTE2, PIPE_MTE3, id);
    TPUT(to, from, piece);
    wait_flag(PIPE_MTE2, PIPE_MTE3, id);
  };
  for (int id : {0, 3}) {
    auto world = ptoscope::world(1);
    auto own = world.symmetric<float>(kCount), box = world.symmetric<float>(kCount);
    EXPECT_EQ(world.run(kernel, 1, id, own, box).has("comm-flag"), id == 0);
  }
}

TEST(Comm, TwoRanksThatWriteTheSameBytes) { // COMM-27
  auto kernel = [](bool apart, const CommDeviceContext *context, float *own, float *box) {
    Piece piece;
    TASSIGN(piece, 0x0);
    View from(own), to(remote(context, box, 0) + (apart ? int(context->rankId) * kCount : 0));
    TPUT(to, from, piece);
  };
  for (bool apart : {false, true}) {
    auto world = ptoscope::world(3);
    auto own = world.symmetric<float>(kCount), box = world.symmetric<float>(3 * kCount);
    Result result = world.run(kernel, 1, apart, world.context(), own, box);
    EXPECT_EQ(result.ok(), apart) << textOf(result);
    EXPECT_EQ(result.has("race-blocks") && says(result, "`TPUT` of rank 1 writes"), !apart) << textOf(result);
  }
}

TEST(Comm, OrderPassesOn) { // COMM-25: rank 0 tells 1, which tells 2 without touching the data
  auto kernel = [](bool through, const CommDeviceContext *context, float *box, int32_t *words) {
    Piece piece;
    TASSIGN(piece, 0x0);
    View at(remote(context, box, 2));
    if (context->rankId == 0) {
      View from(box);
      TPUT(at, from, piece);
      pipe_barrier(PIPE_ALL);
      TNOTIFY(Signal(remote(context, words, 1)), 1, NotifyOp::Set);
    } else if (context->rankId == 1) {
      if (through)
        TWAIT(Signal(words), 1, WaitCmp::EQ);
      TNOTIFY(Signal(remote(context, words, 2)), 1, NotifyOp::Set);
    } else {
      TWAIT(Signal(words), 1, WaitCmp::EQ);
      TLOAD(piece, at);
    }
  };
  for (bool through : {false, true})
    for (const Options &options : schedules()) {
      auto world = ptoscope::world(3);
      auto box = world.symmetric<float>(kCount);
      auto words = world.symmetric<int32_t>(1);
      Result result = world.run(options, kernel, 1, through, world.context(), box, words);
      EXPECT_EQ(result.ok(), through) << textOf(result);
    }
}

TEST(Comm, BarriersBelongToADevice) { // COMM-5
  auto kernel = [](bool meet, const CommDeviceContext *context, float *own, float *box) {
    Piece piece;
    TASSIGN(piece, 0x0);
    if (context->rankId == 2)
      return; // takes no part
    View from(own + get_block_idx() * kCount), to(box + get_block_idx() * kCount),
        back(box + (1 - get_block_idx()) * kCount);
    TPUT(to, from, piece);
    if (meet)
      SYNCALL();
    TLOAD(piece, back);
  };
  for (bool meet : {false, true}) {
    auto world = ptoscope::world(3);
    auto own = world.symmetric<float>(2 * kCount), box = world.symmetric<float>(2 * kCount);
    Result result = world.run(kernel, 2, meet, world.context(), own, box);
    EXPECT_EQ(result.ok(), meet) << textOf(result);
    EXPECT_EQ(says(result, "block 1 of rank 0"), !meet) << textOf(result);
  }
}

// --- collectives -----------------------------------------------------------------------------------

using Member = GlobalTensor<int32_t, Shape<1, 2, 1, 6, 24>, Stride<1, 6 * 24, 1, 24, 1>>;
constexpr int kMember = 2 * 6 * 24;
using Whole = GlobalTensor<int32_t, Shape<1, 2, 1, DYNAMIC, 24>, Stride<1, DYNAMIC, 1, 24, 1>>;
int32_t numberOf(int rank, int i) { return (rank + 3) * 1009 + i * (rank % 2 ? 7 : -5); }

template <typename T>
void collect(int what, int root, const CommDeviceContext *context, int32_t *own, int32_t *all, int32_t *result) {
  if (int(context->rankId) != root)
    return;
  const int ranks = int(context->rankNum);
  T a, b, c;
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x2000);
  TASSIGN(c, 0x4000);
  std::vector<Member> members;
  for (int rank = 0; rank < ranks; ++rank)
    members.emplace_back(remote(context, own, rank));
  auto group = ParallelGroup<Member>::Create(members.data(), ranks, root);
  EXPECT_TRUE(group.GetSize() == ranks && group.GetRootIdx() == root && !group.empty() &&
              group[0].data() == members[0].data());
  Whole whole(all, {ranks * 6}, {ranks * 6 * 24});
  Member one(result);
  switch (what) {
  case 0:
    TBROADCAST(group, one, a);
    break;
  case 1:
    TBROADCAST(group, one, a, b);
    break;
  case 2:
    TGATHER(group, whole, a);
    break;
  case 3:
    pto::comm::TGATHER(group, whole, a, b);
    break;
  case 4:
    TSCATTER(group, whole, a);
    break;
  case 5:
    pto::comm::TSCATTER(group, whole, a, b);
    break;
  case 6:
    TREDUCE(group, one, a, b, ReduceOp::Sum);
    break;
  case 7:
    TREDUCE(group, one, a, b, c, ReduceOp::Max);
    break;
  case 8:
    TREDUCE(group, one, a, b, ReduceOp::Min);
    break;
  }
}

template <typename T> void checkCollectives() {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (int what = 0; what <= 8; ++what)
      for (const Options &options : schedules()) {
        const int root = ranks / 2;
        auto world = ptoscope::world(ranks);
        auto own = world.symmetric<int32_t>(kMember), all = world.symmetric<int32_t>(size_t(ranks) * kMember),
             result = world.symmetric<int32_t>(kMember);
        for (int rank = 0; rank < ranks; ++rank)
          for (int i = 0; i < kMember; ++i) {
            own[rank][i] = numberOf(rank, i);
            result[rank][i] = numberOf(9, i);
          }
        for (int i = 0; i < ranks * kMember; ++i)
          all[root][i] = numberOf(8, i);
        Result run = world.run(options, collect<T>, 1, what, root, world.context(), own, all, result);
        ASSERT_TRUE(run.ok() && run.size() == 0) << textOf(run);
        // Where element (j, row, col) of a member lies in the whole.
        auto place = [&](int rank, int i) { return i / 144 * (ranks * 144) + (rank * 6 + i % 144 / 24) * 24 + i % 24; };
        for (int i = 0; i < kMember; ++i) {
          int32_t sum = numberOf(root, i), most = sum, least = sum;
          for (int rank = 0; rank < ranks; ++rank) {
            if (rank != root)
              sum += numberOf(rank, i);
            most = std::max(most, numberOf(rank, i));
            least = std::min(least, numberOf(rank, i));
            ASSERT_EQ(own[rank][i], what < 2                 ? numberOf(9, i)
                                    : what == 4 || what == 5 ? numberOf(8, place(rank, i))
                                                             : numberOf(rank, i))
                << what;
            if (what == 2 || what == 3) {
              ASSERT_EQ(all[root][place(rank, i)], numberOf(rank, i)) << what;
            }
          }
          ASSERT_EQ(result[root][i], what < 6 ? numberOf(9, i) : what == 6 ? sum : what == 7 ? most : least) << what;
        }
      }
}
TEST(Comm, CollectivesWhole) { checkCollectives<Tile<TileType::Vec, int32_t, 16, 24>>(); }  // COMM-42, COMM-43
TEST(Comm, CollectivesInStrips) { checkCollectives<Tile<TileType::Vec, int32_t, 3, 8>>(); } // COMM-37, COMM-44

TEST(Comm, BadOperands) { // COMM-16, COMM-4
  auto reduce = [](int count, int root, int32_t *own, int32_t *result) {
    Tile<TileType::Vec, int32_t, 16, 24> a, b;
    TASSIGN(a, 0x0);
    TASSIGN(b, 0x2000);
    Member members[2] = {Member(own), Member(own)}, one(result);
    TREDUCE(ParallelGroup<Member>{members, count, root}, one, a, b, ReduceOp::Sum);
  };
  auto world = ptoscope::world(2);
  auto own = world.symmetric<int32_t>(kMember), result = world.symmetric<int32_t>(kMember);
  Result noRoot = world.run(reduce, 1, 2, 2, own, result), noGroup = world.run(reduce, 1, 0, 0, own, result);
  EXPECT_TRUE(says(noRoot, "names rank 2 as the root of a group of 2")) << textOf(noRoot);
  EXPECT_TRUE(says(noGroup, "a group of 0 ranks")) << textOf(noGroup);
  auto notify = [](const CommDeviceContext *context, int rank, int offset, int32_t *word) {
    auto *at = reinterpret_cast<uint8_t *>(remote(context, word, rank)) + offset;
    TNOTIFY(Signal(reinterpret_cast<int32_t *>(at)), 1, NotifyOp::Set);
  };
  EXPECT_TRUE(world.run(notify, 1, world.context(), 1, 0, own).ok());
  Result misaligned = world.run(notify, 1, world.context(), 1, 2, own);
  EXPECT_TRUE(misaligned.has("scalar-misaligned")) << textOf(misaligned);
  Result nobody = world.run(notify, 1, world.context(), 5, 0, own); // there is no rank 5
  EXPECT_TRUE(nobody.has("unmapped-gm-address") || nobody.has("gm-out-of-bounds")) << textOf(nobody);
  auto nothing = [] {};
  Result none = ptoscope::world(0).run(nothing, 1), many = ptoscope::world(65).run(nothing, 1),
         noBlocks = ptoscope::world(2).run(nothing, 0);
  EXPECT_TRUE(says(none, "a world of 0 devices") && says(many, "a world of 65 devices") &&
              says(noBlocks, "0 blocks on each device"));
  auto small = ptoscope::world(2, 1024);
  small.symmetric<float>(300);
  EXPECT_TRUE(says(small.run(nothing, 1), "a window of 1024 bytes has no room for 1200 more"));
}

// --- asynchronous transfers --------------------------------------------------------------------------

template <bool Waits> void putAsync(const CommDeviceContext *context, float *own, float *box, int32_t *word) {
  const int rank = int(context->rankId), next = (rank + 1) % int(context->rankNum);
  Tile<TileType::Vec, uint8_t, 1, 256> scratch;
  Piece piece;
  TASSIGN(scratch, 0x0);
  TASSIGN(piece, 0x1000);
  AsyncSession session;
  EXPECT_TRUE(BuildAsyncSession<DmaEngine::SDMA>(scratch, reinterpret_cast<uint8_t *>(context->workSpace), session));
  View from(own), to(remote(context, box, next));
  PrefetchAsyncContext hint; // COMM-56
  TPREFETCH_ASYNC(from, hint);
  AsyncEvent event = TPUT_ASYNC(to, from, session);
  EXPECT_TRUE(event.valid());
  if constexpr (Waits) {
    EXPECT_TRUE(event.Wait(session));
  }
  TNOTIFY(Signal(remote(context, word, next)), 1, NotifyOp::Set);
  TWAIT(Signal(word), 1, WaitCmp::EQ);
  View mine(box);
  TLOAD(piece, mine);
  if constexpr (!Waits)
    event.Wait(session);
}
TEST(Comm, AsynchronousPut) { // COMM-50, COMM-51
  for (const Options &options : schedules()) {
    Ring test(3);
    Result result = test.world.run(options, putAsync<true>, 1, test.world.context(), test.own, test.box, test.word);
    EXPECT_TRUE(result.ok() && result.size() == 0) << textOf(result);
    for (int i = 0; i < kCount; ++i)
      for (int rank = 0; rank < 3; ++rank)
        ASSERT_EQ(test.box[rank][i], valueOf((rank + 2) % 3, i));
    Ring late(3);
    Result race = late.world.run(options, putAsync<false>, 1, late.world.context(), late.own, late.box, late.word);
    EXPECT_TRUE(race.has("race-blocks") && says(race, "a transfer engine of rank ")) << textOf(race);
  }
}

TEST(Comm, AsynchronousTraps) { // COMM-52 to COMM-55
  auto kernel = [](int what, const CommDeviceContext *context, float *own, float *box) {
    Tile<TileType::Vec, uint8_t, 1, 256> scratch;
    TASSIGN(scratch, 0x0);
    AsyncSession session;
    auto *space = reinterpret_cast<uint8_t *>(context->workSpace);
    if (what != 1)
      BuildAsyncSession(scratch, space, session);
    View from(own), to(box);
    if (what == 0) { // rows with gaps
      Large wide(own), target(box);
      AsyncEvent event = TGET_ASYNC(target, wide, session);
      EXPECT_TRUE(!event.valid() && event.Wait(session));
    } else if (what == 2) {
      AsyncEvent last;
      for (int i = 0; i < 65; ++i)
        last = TGET_ASYNC(to, from, session);
      while (!last.Test(session)) {
      }
    } else if (what == 3) {
      EXPECT_FALSE(BuildAsyncSession<DmaEngine::URMA>(space, 9, session));
    } else {
      TGET_ASYNC(to, from, session);
    }
  };
  const char *kParts[] = {"a tensor is not contiguous", "a session that BuildAsyncSession has not made",
                          "starts transfer number 65", "names rank 9; there are 2", "may still run"};
  for (int what = 0; what < 5; ++what) {
    auto world = ptoscope::world(2);
    auto own = world.symmetric<float>(kLarge), box = world.symmetric<float>(kLarge);
    Options lazy;
    lazy.schedule = Options::Lazy;
    Result result = world.run(lazy, kernel, 1, what, world.context(), own, box);
    EXPECT_TRUE(says(result, kParts[what])) << textOf(result);
  }
}

TEST(Comm, ArgumentsOfRanks) { // COMM-5
  auto world = ptoscope::world(3);
  std::vector<std::vector<float>> inputs(3, std::vector<float>(kCount));
  std::vector<float> shared(3 * kCount);
  for (int rank = 0; rank < 3; ++rank)
    for (int i = 0; i < kCount; ++i)
      inputs[size_t(rank)][size_t(i)] = valueOf(rank, i);
  auto kernel = [](float *own, float *all, int64_t offset) {
    Piece piece;
    TASSIGN(piece, 0x0);
    View from(own), to(all + offset);
    TPUT(to, from, piece);
  };
  Result result = world.run(kernel, 1, ptoscope::perRank(inputs), shared,
                            ptoscope::perRank([](int rank) { return int64_t(rank) * kCount; }));
  EXPECT_TRUE(result.ok()) << textOf(result);
  for (int i = 0; i < 3 * kCount; ++i)
    EXPECT_EQ(shared[size_t(i)], valueOf(i / kCount, i % kCount));
}

} // namespace
