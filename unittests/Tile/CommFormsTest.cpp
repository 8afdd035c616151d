//===- CommFormsTest.cpp - types, forms and engines of pto::comm ----------===//
//
// What programs write: the context and the enumerations, signals of any shape, events, every
// engine of asynchronous transfers with each of its calls; blocks that meet by signals.
//
//===----------------------------------------------------------------------===//

#include "CommPrograms.h"

#include <cstddef>

using namespace devices;

namespace {

// --- types ---------------------------------------------------------------------------------------

TEST(CommForms, Context) { // COMM-3, COMM-2
  static_assert(sizeof(CommDeviceContext) == 1056 && offsetof(CommDeviceContext, workSpace) == 0 &&
                offsetof(CommDeviceContext, workSpaceSize) == 8 && offsetof(CommDeviceContext, rankId) == 16 &&
                offsetof(CommDeviceContext, rankNum) == 20 && offsetof(CommDeviceContext, winSize) == 24 &&
                offsetof(CommDeviceContext, windowsIn) == 32 && offsetof(CommDeviceContext, windowsOut) == 544);
  auto world = ptoscope::world(3, 8192);
  auto own = world.symmetric<float>(4);
  for (int rank = 0; rank < 3; ++rank) {
    const CommDeviceContext *context = world.contextOf(rank);
    EXPECT_TRUE(context->rankId == uint32_t(rank) && context->rankNum == 3 && context->winSize == 8192);
    for (int other = 0; other < 64; ++other) { // those that do not exist are 0 (COMM-4)
      EXPECT_EQ(context->windowsIn[other], context->windowsOut[other]);
      EXPECT_EQ(context->windowsIn[other], other < 3 ? reinterpret_cast<uint64_t>(world.window(other)) : 0);
    }
    for (int other = 0; other < 3; ++other)
      EXPECT_EQ(remote(context, own[rank], other), own[other]);
  }
}

TEST(CommForms, EnumerationsAndSignals) { // COMM-10 to COMM-12
  static_assert(int(NotifyOp::AtomicAdd) == 0 && int(NotifyOp::Set) == 1);
  static_assert(int(WaitCmp::EQ) == 0 && int(WaitCmp::NE) == 1 && int(WaitCmp::GT) == 2 && int(WaitCmp::GE) == 3 &&
                int(WaitCmp::LT) == 4 && int(WaitCmp::LE) == 5);
  static_assert(int(ReduceOp::Sum) == 0 && int(ReduceOp::Max) == 1 && int(ReduceOp::Min) == 2);
  static_assert(int(DmaEngine::SDMA) == 0 && int(DmaEngine::URMA) == 1 && int(DmaEngine::RDMA) == 2);
  static_assert(int(CollEngine::AIV) == 0 && int(CollEngine::CCU) == 1);
  int32_t words[64] = {};
  Signal one(words);
  EXPECT_TRUE(one.data() == words && one.GetShape(GlobalTensorDim::DIM_3) == 1 &&
              one.GetShape(GlobalTensorDim::DIM_4) == 1);
  Signal2D<2, 8> dense(words), apart(words, 16);
  EXPECT_TRUE(dense.GetShape(GlobalTensorDim::DIM_3) == 2 && dense.GetShape(GlobalTensorDim::DIM_4) == 8 &&
              dense.GetStride(GlobalTensorDim::DIM_3) == 8 && apart.GetStride(GlobalTensorDim::DIM_3) == 16);
  // Any shape: every third word of each of two rows.
  auto kernel = [](bool late, int32_t *at) {
    GlobalSignal<Shape<1, 1, 1, 2, 3>, Stride<1, 1, 1, 16, 3>> some(at);
    if (!late)
      for (int row = 0; row < 2; ++row)
        for (int col = 0; col < 3; ++col)
          TNOTIFY(Signal(at + row * 16 + col * 3), 7, NotifyOp::Set);
    EXPECT_EQ(TTEST(some, 7, WaitCmp::EQ), !late);
  };
  for (bool late : {false, true}) {
    auto world = ptoscope::world(1);
    auto at = world.symmetric<int32_t>(32);
    Result result = world.run(kernel, 1, late, at);
    EXPECT_TRUE(result.ok()) << textOf(result);
  }
  float numbers[2] = {};
  using One = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
  One members[2] = {One(numbers), One(numbers + 1)};
  ParallelGroup<One> group{members, 2, 1}, made = ParallelGroup<One>::Create(members, 2, 1), none;
  EXPECT_TRUE(group.GetSize() == 2 && group.GetRootIdx() == 1 && !group.empty() && group[1].data() == numbers + 1);
  EXPECT_TRUE(made.GetSize() == 2 && made.GetRootIdx() == 1 && none.empty());
}

TEST(CommForms, WaitsForItsEvents) { // COMM-13: TPUT loads what a store before it has written
  auto kernel = [](bool waits, float *own, float *box) {
    Piece made, stage;
    TASSIGN(made, 0x0);
    TASSIGN(stage, 0x1000);
    View at(own), to(box);
    TLOAD(made, at);
    Event<Op::TLOAD, Op::TADDS> loaded;
    loaded.Record();
    loaded.Wait();
    TADDS(made, made, 1.0f);
    Event<Op::TADDS, Op::TSTORE_VEC> added;
    added.Record();
    added.Wait();
    Event<Op::TSTORE_VEC, Op::TLOAD> stored = TSTORE(at, made);
    if (waits)
      TPUT(to, at, stage, stored);
    else
      TPUT(to, at, stage);
  };
  for (const Options &options : schedules())
    for (bool waits : {true, false}) {
      auto world = ptoscope::world(1);
      auto own = world.symmetric<float>(kCount), box = world.symmetric<float>(kCount);
      for (int i = 0; i < kCount; ++i)
        own[0][i] = valueOf(0, i);
      Result result = world.run(options, kernel, 1, waits, own, box);
      EXPECT_EQ(result.has("race-raw") || result.has("race-war"), !waits) << textOf(result);
      for (int i = 0; waits && i < kCount; ++i)
        ASSERT_EQ(box[0][i], valueOf(0, i) + 1) << i;
    }
}

// --- transfers -----------------------------------------------------------------------------------

TEST(CommForms, ExtentsThatDiffer) { // COMM-33
  auto kernel = [](float *own, float *box) {
    Piece stage;
    TASSIGN(stage, 0x0);
    GlobalTensor<float, Shape<1, 1, 1, kRows - 1, kCols>, Stride<kCount, kCount, kCount, kCols, 1>> from(own);
    View to(box);
    TPUT(to, from, stage);
  };
  auto world = ptoscope::world(1);
  auto own = world.symmetric<float>(kCount), box = world.symmetric<float>(kCount);
  for (int i = 0; i < kCount; ++i)
    own[0][i] = 1;
  Result result = world.run(kernel, 1, own, box);
  EXPECT_TRUE(result.has("comm-operand") && says(result, "the tensors of `TPUT` differ")) << textOf(result);
  for (int i = 0; i < kCount; ++i)
    EXPECT_EQ(box[0][i], i < kCount - kCols ? 1 : 0) << i;
}

TEST(CommForms, NothingToMove) { // COMM-34
  auto kernel = [](float *own, float *box) {
    using Rows = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, kCols>, Stride<kCount, kCount, kCount, kCols, 1>>;
    Piece stage;
    TASSIGN(stage, 0x0);
    Rows from(own, Shape<1, 1, 1, DYNAMIC, kCols>(0)), to(box, Shape<1, 1, 1, DYNAMIC, kCols>(0));
    TPUT(to, from, stage);
    TGET(to, from, stage);
  };
  auto world = ptoscope::world(1);
  auto own = world.symmetric<float>(kCount), box = world.symmetric<float>(kCount);
  own[0][0] = 1;
  Result result = world.run(kernel, 1, own, box);
  EXPECT_TRUE(result.ok() && result.size() == 0) << textOf(result);
  EXPECT_EQ(box[0][0], 0);
}

/// The last store of a transfer may still run when the call returns: work of MTE2 comes after it, that of V does not.
TEST(CommForms, LastStoreMayStillRun) { // COMM-40
  auto kernel = [](bool onV, float *own, float *box) {
    Piece stage, other;
    TASSIGN(stage, 0x0);
    TASSIGN(other, 0x1000);
    View from(own), to(box);
    TPUT(to, from, stage);
    if (onV)
      TEXPANDS(stage, 0.0f); // overwrites what is being stored
    else
      TLOAD(stage, from);
  };
  for (const Options &options : schedules())
    for (bool onV : {true, false}) {
      auto world = ptoscope::world(1);
      auto own = world.symmetric<float>(kCount), box = world.symmetric<float>(kCount);
      Result result = world.run(options, kernel, 1, onV, own, box);
      EXPECT_EQ(result.has("race-war"), onV) << textOf(result);
      EXPECT_EQ(result.ok(), !onV) << textOf(result);
    }
}

/// Ranks that are not the root do nothing; their memory is all that a collective needs.
TEST(CommForms, RootAlone) { // COMM-45
  auto kernel = [](const CommDeviceContext *context, float *own, float *sum) {
    if (context->rankId != 1)
      return;
    Piece a, b;
    TASSIGN(a, 0x0);
    TASSIGN(b, 0x1000);
    View members[3] = {View(remote(context, own, 0)), View(remote(context, own, 1)), View(remote(context, own, 2))};
    View to(sum);
    TREDUCE(ParallelGroup<View>{members, 3, 1}, to, a, b, ReduceOp::Sum);
  };
  auto world = ptoscope::world(3);
  auto own = world.symmetric<float>(kCount), sum = world.symmetric<float>(kCount);
  for (int rank = 0; rank < 3; ++rank)
    for (int i = 0; i < kCount; ++i)
      own[rank][i] = valueOf(rank, i);
  Result result = world.run(kernel, 1, world.context(), own, sum);
  EXPECT_TRUE(result.ok()) << textOf(result);
  for (int i = 0; i < kCount; ++i)
    EXPECT_EQ(sum[1][i], valueOf(0, i) + valueOf(1, i) + valueOf(2, i));
}

/// Blocks of one launch meet by signals, without a world.
TEST(CommForms, BlocksOfALaunch) { // COMM-28
  constexpr int kBlocks = 4;
  auto kernel = [](bool waits, float *own, float *out, int32_t *words) {
    const int block = int(get_block_idx()), next = (block + 1) % kBlocks;
    Piece piece;
    TASSIGN(piece, 0x0);
    View from(own + block * kCount), to(out + next * kCount), mine(out + block * kCount);
    TPUT(to, from, piece);
    pipe_barrier(PIPE_ALL);
    TNOTIFY(Signal(words + next), 1, NotifyOp::Set);
    if (waits)
      TWAIT(Signal(words + block), 1, WaitCmp::EQ);
    TLOAD(piece, mine);
    if (!waits)
      TWAIT(Signal(words + block), 1, WaitCmp::EQ);
  };
  for (const Options &options : schedules())
    for (bool waits : {true, false}) {
      std::vector<float> own(kBlocks * kCount), out(own.size());
      std::vector<int32_t> words(kBlocks);
      for (size_t i = 0; i < own.size(); ++i)
        own[i] = float(i % 97);
      Result result = ptoscope::launch(options, kernel, kBlocks, waits, own, out, words);
      EXPECT_EQ(result.ok(), waits) << textOf(result);
      EXPECT_EQ(result.has("race-blocks"), !waits) << textOf(result);
      for (size_t i = 0; i < own.size(); ++i)
        ASSERT_EQ(out[(i + kCount) % own.size()], own[i]) << i;
    }
}

// --- engines -------------------------------------------------------------------------------------

/// A session of this engine, by the call without and the call with a rank.
template <DmaEngine E> bool open(AsyncSession &session, const CommDeviceContext *context, bool named, int64_t dest) {
  Tile<TileType::Vec, uint8_t, 1, 256> scratch;
  TASSIGN(scratch, 0x0);
  auto *space = reinterpret_cast<uint8_t *>(context->workSpace);
  if constexpr (E == DmaEngine::SDMA)
    return BuildAsyncSession<E>(scratch, space, session);
  else if constexpr (E == DmaEngine::URMA)
    return named ? BuildAsyncSession<E>(space, dest, session) : BuildAsyncSession<E>(space, session);
  else
    return named ? BuildAsyncSession<E>(scratch, space, dest, int64_t(context->rankId), session)
                 : BuildAsyncSession<E>(scratch, space, int64_t(context->rankId), session);
}

/// Each rank puts its numbers into the box of the next one, and gets those of the one after it. RDMA copies rows
/// with gaps, too.
template <DmaEngine E, bool Waits>
void engines(const CommDeviceContext *context, float *own, float *box, float *out, int32_t *word, bool named) {
  constexpr int kGap = E == DmaEngine::RDMA ? 2 : 1;
  using Rows = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols / kGap>, Stride<kCount, kCount, kCount, kCols, 1>>;
  const int ranks = int(context->rankNum), next = (int(context->rankId) + 1) % ranks;
  AsyncSession session;
  EXPECT_TRUE(open<E>(session, context, named, next));
  Rows from(own), to(remote(context, box, next)), result(out), source(remote(context, own, next));
  AsyncEvent put = TPUT_ASYNC<E>(to, from, session), get = TGET_ASYNC<E>(result, source, session, next);
  EXPECT_TRUE(put.valid() && get.valid());
  if constexpr (Waits)
    EXPECT_TRUE(get.Wait(session)); // of the session's last one, so of both
  TNOTIFY(Signal(remote(context, word, next)), 1, NotifyOp::Set);
  TWAIT(Signal(word), 1, WaitCmp::EQ);
  Piece piece;
  TASSIGN(piece, 0x1000);
  View mine(box);
  TLOAD(piece, mine);
  if constexpr (!Waits)
    get.Wait(session);
}
template <DmaEngine E> void checkEngine() {
  constexpr int kRanks = 3, kMoved = E == DmaEngine::RDMA ? kCols / 2 : kCols;
  for (const Options &options : schedules())
    for (bool named : {false, true}) {
      Ring test(kRanks);
      Result result = test.world.run(options, engines<E, true>, 1, test.world.context(), test.own, test.box, test.out,
                                     test.word, named);
      EXPECT_TRUE(result.ok() && result.size() == 0) << textOf(result);
      for (int rank = 0; rank < kRanks; ++rank)
        for (int i = 0; i < kCount; ++i) {
          const bool moved = i % kCols < kMoved;
          ASSERT_EQ(test.box[rank][i], moved ? valueOf((rank + kRanks - 1) % kRanks, i) : 0) << rank << " " << i;
          ASSERT_EQ(test.out[rank][i], moved ? valueOf((rank + 1) % kRanks, i) : 0) << rank << " " << i;
        }
      Ring late(kRanks);
      Result race = late.world.run(options, engines<E, false>, 1, late.world.context(), late.own, late.box, late.out,
                                   late.word, named);
      EXPECT_TRUE(race.has("race-blocks") && says(race, "a transfer engine of rank ")) << textOf(race);
    }
}
TEST(CommForms, EngineSdma) { checkEngine<DmaEngine::SDMA>(); } // COMM-50
TEST(CommForms, EngineUrma) { checkEngine<DmaEngine::URMA>(); } // COMM-54
TEST(CommForms, EngineRdma) { checkEngine<DmaEngine::RDMA>(); } // COMM-52, COMM-54

TEST(CommForms, EnginesOfA5) { // COMM-54
  auto kernel = [](int engine, const CommDeviceContext *context) {
    AsyncSession session;
    const bool made = engine == 0   ? open<DmaEngine::SDMA>(session, context, false, 0)
                      : engine == 1 ? open<DmaEngine::URMA>(session, context, false, 0)
                                    : open<DmaEngine::RDMA>(session, context, false, 0);
    EXPECT_EQ(made, engine == 0);
  };
  for (int engine = 0; engine < 3; ++engine) {
    auto world = ptoscope::world(2);
    Options options;
    options.arch = "a3";
    Result result = world.run(options, kernel, 1, engine, world.context());
    EXPECT_EQ(result.ok(), engine == 0) << textOf(result);
    EXPECT_EQ(says(result, engine == 1 ? "a session of URMA, an engine of a5; the target is a3"
                                       : "a session of RDMA, an engine of a5; the target is a3"),
              engine != 0)
        << textOf(result);
  }
}

} // namespace
