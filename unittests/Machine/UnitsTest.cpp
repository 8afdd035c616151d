//===- UnitsTest.cpp - the other parts of a core, each alone --------------===//
//
// Scalar unit, memories, transfer unit, scope unit, sorts and direct
// instructions, without pipes and without a core.
//
//===----------------------------------------------------------------------===//

#include "Direct/DirectUnit.h"
#include "Parts.h"
#include "Scope/ScopeUnit.h"
#include "Sort/SortUnit.h"
#include "Transfer/TransferUnit.h"

#include <cstring>
#include <numeric>

using namespace ptoscope;

namespace {
struct UnitTest : ::testing::Test, Parts {
  UnitTest() { std::iota(buffer.begin(), buffer.end(), uint8_t(1)); }
};
struct ScalarUnitTest : UnitTest {
  ScalarUnit unit{report, memories};
};
struct MemoriesTest : UnitTest {};
struct TransferUnitTest : UnitTest {
  Registers registers;
  AtomicOrder atomics;
  TransferUnit unit{setup, CoreId{1}, CoreKind::AIV, report, memories, registers, atomics};
  PtoTransfer load(uint64_t src, uint64_t dst, int64_t len, int64_t count = 1, int64_t srcStride = 0,
                   int64_t dstStride = 0) {
    PtoTransfer operands{};
    operands.pipe = uint32_t(Pipe::MTE2);
    operands.srcSpace = uint32_t(Space::Gm);
    operands.dstSpace = uint32_t(Space::Ub);
    operands.src = src;
    operands.dst = dst;
    operands.len = len;
    operands.count = count;
    operands.srcStride = srcStride;
    operands.dstStride = dstStride;
    return operands;
  }
  void run(const PtoTransfer &operands) {
    ASSERT_EQ(unit.plan(kNoSite, operands), 0);
    TransferOperation(unit, unit.planned).effect({});
  }
};
struct ScopeUnitTest : UnitTest {
  LocalMemories guarded;
  Random random;
  ScopeUnit unit{setup, context, report, memories, guarded, random};
};
struct SortUnitTest : UnitTest {
  SortUnit unit{report, memories};
  AtomicOrder atomics;
  DirectUnit directs{setup, report, memories, atomics};
};
} // namespace

TEST_F(ScalarUnitTest, RegistersChangeAndReset) {
  EXPECT_EQ(unit.setRegister(kNoSite, PTO_REG_LOOP_SIZE_OUTTOUB, 3, 4), 0);
  EXPECT_EQ(unit.registers.outToUb.count1, 3);
  EXPECT_EQ(unit.registers.outToUb.count2, 4);
  EXPECT_EQ(unit.changes, 1u);
  EXPECT_EQ(unit.setRegister(kNoSite, PTO_REG_LOOP_SIZE_OUTTOUB, 3, 4), 0);
  EXPECT_EQ(unit.changes, 1u) << "the same value is no change";
  EXPECT_EQ(unit.setRegister(kNoSite, PTO_REG_LOOP1_STRIDE_OUTTOL1, 5 | int64_t(7) << 40, 0), 0);
  EXPECT_EQ(unit.registers.outToL1.src1, 5);
  EXPECT_EQ(unit.registers.outToL1.dst1, 7);
  EXPECT_EQ(unit.setRegister(kNoSite, PTO_REG_LOOP_SIZE_OUTTOL1, int64_t(1) << 42, 0), 0);
  EXPECT_EQ(codes(), "undefined-by-manual");
  unit = ScalarUnit(report, memories);
  EXPECT_EQ(unit.registers.outToUb.count1, 1);
  EXPECT_EQ(unit.changes, 0u);
}

TEST_F(ScalarUnitTest, ResolvesAccesses) {
  ScalarTarget target;
  EXPECT_TRUE(unit.resolve(kNoSite, uint32_t(Space::Ub), 1020, 4, false, target));
  EXPECT_EQ(target.host, ub.data() + 1020);
  EXPECT_TRUE(unit.resolve(kNoSite, uint32_t(Space::Gm), x + 8, 8, true, target));
  EXPECT_EQ(target.host, buffer.data() + 8);
  EXPECT_FALSE(unit.resolve(kNoSite, uint32_t(Space::Ub), 1024, 4, false, target));
  EXPECT_FALSE(unit.resolve(kNoSite, uint32_t(Space::Ub), 2, 4, false, target));
  EXPECT_FALSE(unit.resolve(kNoSite, uint32_t(Space::Gm), x + 256, 4, false, target));
  EXPECT_FALSE(unit.resolve(kNoSite, uint32_t(Space::Gm), 64, 4, false, target));
  EXPECT_EQ(codes(), "ub-out-of-bounds scalar-misaligned gm-out-of-bounds unmapped-gm-address");
  uint64_t before = unit.changes;
  uint8_t value[4] = {9, 9, 9, 9};
  EXPECT_TRUE(unit.resolve(kNoSite, uint32_t(Space::Ub), 0, 4, true, target));
  unit.store(target, value);
  unit.store(target, value);
  EXPECT_EQ(unit.changes, before + 1);
}

TEST_F(ScalarUnitTest, CountsStepsUntilItIsTimeToLook) {
  unit.pollAt = 3;
  EXPECT_FALSE(unit.step(1));
  EXPECT_FALSE(unit.step(2));
  EXPECT_TRUE(unit.step(7));
  EXPECT_EQ(unit.site, 7u);
}

TEST(LoopWatchTest, OnlyALoopThatChangesNothingIsHopeless) {
  LoopWatch watch;
  uint8_t carried = 1;
  LoopWatch::View view{1, 1, 1, 0, {&carried, 1}, {}};
  EXPECT_FALSE(watch.repeats(0, view)) << "the first turn";
  for (int i = 0; i < 15; ++i) {
    EXPECT_TRUE(watch.repeats(0, view));
    EXPECT_FALSE(watch.excused(0, false, 0));
    EXPECT_FALSE(watch.hopeless(0));
  }
  EXPECT_TRUE(watch.hopeless(0));
  // Other cores moved: the count begins again.
  EXPECT_TRUE(watch.excused(0, false, 5));
  EXPECT_FALSE(watch.hopeless(0));
  carried = 2;
  EXPECT_FALSE(watch.repeats(0, view));
  view.executed = 2;
  EXPECT_FALSE(watch.repeats(0, view));
  EXPECT_TRUE(watch.repeats(0, view));
  watch = {};
  EXPECT_FALSE(watch.repeats(0, view));
}

TEST_F(MemoriesTest, AdmitsWhatLiesInside) {
  auto admits = [&](Space space, uint64_t begin, uint64_t end, bool writes = false, uint32_t alignment = 1) {
    return memories.admits({space, 0, writes, alignment, begin, end}, kNoSite, report);
  };
  EXPECT_TRUE(admits(Space::Ub, 0, 1024));
  EXPECT_TRUE(admits(Space::Gm, x, x + 256, true));
  EXPECT_EQ(codes(), "");
  EXPECT_FALSE(admits(Space::Ub, 32, 1025));
  EXPECT_FALSE(admits(Space::Ub, 16, 32, false, 32));
  EXPECT_FALSE(admits(Space::Gm, x + 8, x + 257));
  EXPECT_FALSE(admits(Space::Gm, x - 8, x + 8));
  EXPECT_FALSE(admits(Space::Gm, 8, 16));
  EXPECT_FALSE(admits(Space::Gm, x + 2, x + 6, false, 4));
  gm.add(ub.data(), 64, "%constant", /*readOnly=*/true);
  EXPECT_FALSE(admits(Space::Gm, gm.objects().back().base, gm.objects().back().base + 1, true));
  EXPECT_EQ(codes(), "ub-out-of-bounds ub-misaligned gm-out-of-bounds gm-out-of-bounds unmapped-gm-address "
                     "gm-misaligned gm-read-only");
  EXPECT_FALSE(report.stopped);
  // Without the check an access that is refused ends the block; alignment does not count.
  options.checks = Checks::none();
  restart();
  EXPECT_TRUE(admits(Space::Ub, 16, 32, false, 32));
  EXPECT_FALSE(admits(Space::Ub, 32, 1025));
  EXPECT_TRUE(report.stopped);
}

TEST_F(TransferUnitTest, MovesRows) {
  run(load(x, 64, 32, 2, 48, 64));
  EXPECT_EQ(std::memcmp(ub.data() + 64, buffer.data(), 32), 0);
  EXPECT_EQ(ub[96], 0);
  EXPECT_EQ(std::memcmp(ub.data() + 128, buffer.data() + 48, 32), 0);
  EXPECT_EQ(unit.transfers, 1u);
  EXPECT_EQ(unit.bytes, 64u);
  EXPECT_EQ(codes(), "");
}

TEST_F(TransferUnitTest, ThePlainWayMovesTheSame) {
  PlainRows rows;
  ASSERT_TRUE(unit.plainRows(load(x, 64, 32, 2, 48, 64), rows));
  rows.move();
  std::vector<uint8_t> plain = ub;
  std::fill(ub.begin(), ub.end(), uint8_t(0));
  run(load(x, 64, 32, 2, 48, 64));
  EXPECT_EQ(ub, plain);
  EXPECT_FALSE(unit.plainRows(load(x, 1024, 32), rows)) << "outside: the long way tells so";
  EXPECT_FALSE(unit.plainRows(load(x, 8, 32), rows)) << "misaligned";
}

TEST_F(TransferUnitTest, ReadsRegistersWhenItIsIssued) {
  registers.outToUb = {2, 1, 64, 128, 0, 0, false};
  PtoTransfer operands = load(x, 0, 32);
  operands.flags = PTO_TRANSFER_REGISTERS;
  ASSERT_EQ(unit.plan(kNoSite, operands), 0);
  TransferOperation op(unit, unit.planned);
  std::unique_ptr<Operation> queued = op.keep();
  registers.outToUb = {};
  ASSERT_EQ(unit.plan(kNoSite, load(x, 512, 32)), 0) << "the next plan leaves the queued one alone";
  queued->effect({});
  EXPECT_EQ(std::memcmp(ub.data(), buffer.data(), 32), 0);
  EXPECT_EQ(std::memcmp(ub.data() + 128, buffer.data() + 64, 32), 0);
  EXPECT_EQ(ub[512], 0);
}

TEST_F(TransferUnitTest, ABadOneIsToldAndMovesNothing) {
  ASSERT_EQ(unit.plan(kNoSite, load(x, 1008, 32)), 0);
  EXPECT_TRUE(unit.planned.skip);
  TransferOperation(unit, unit.planned).effect({});
  EXPECT_EQ(codes(), "ub-misaligned ub-out-of-bounds");
  EXPECT_EQ(unit.transfers, 0u);
  unit = TransferUnit(setup, CoreId{1}, CoreKind::AIV, report, memories, registers, atomics);
  EXPECT_FALSE(unit.planned.skip);
}

TEST_F(TransferUnitTest, RowsMoveInSteps) {
  options.schedule = {ScheduleKind::Random, 1};
  unit = TransferUnit(setup, CoreId{1}, CoreKind::AIV, report, memories, registers, atomics);
  ASSERT_EQ(unit.plan(kNoSite, load(x, 0, 32, 8, 32, 32)), 0);
  TransferOperation op(unit, unit.planned);
  EXPECT_TRUE(op.overtakes());
  Random random;
  random.seed(1, 0, 0);
  int steps = 1;
  while (!op.advance({}, random))
    ++steps;
  EXPECT_GT(steps, 1);
  EXPECT_EQ(std::memcmp(ub.data(), buffer.data(), 256), 0);
  EXPECT_EQ(unit.transfers, 1u);
}

TEST_F(ScopeUnitTest, RunsAFunctionOnItsCaptures) {
  uint64_t captures[] = {64, 7};
  ScopeOperation op(
      unit,
      [](PtoContext *context, const uint64_t *captures) {
        context->local[size_t(Space::Ub)][captures[0]] = uint8_t(captures[1]);
      },
      captures, 2);
  std::unique_ptr<Operation> queued = op.keep();
  captures[1] = 9;
  queued->effect({});
  EXPECT_EQ(ub[64], 7) << "what was captured when it was issued";
  op.effect({});
  EXPECT_EQ(ub[64], 9);
  EXPECT_EQ(unit.scopes, 2u);
  EXPECT_FALSE(unit.isRunning());
  EXPECT_EQ(report.scope, nullptr);
}

TEST_F(ScopeUnitTest, ABadAccessGoesElsewhere) {
  EXPECT_EQ(unit.checkLoad(kNoSite, 256, 256, 32, nullptr, nullptr), ub.data() + 256);
  const uint8_t *zeros = unit.checkLoad(kNoSite, 896, 256, 32, nullptr, nullptr);
  EXPECT_EQ(std::count(zeros, zeros + 256, 0), 256);
  uint8_t *scratch = unit.checkStore(kNoSite, 8, 256, 32, nullptr, nullptr, nullptr, 0);
  EXPECT_TRUE(scratch < ub.data() || scratch >= ub.data() + ub.size());
  EXPECT_EQ(codes(), "ub-out-of-bounds ub-misaligned");
  EXPECT_EQ(unit.vectorAccesses, 3u);
  // A mask that is off beyond the end makes a store legal.
  uint64_t active[4] = {~uint64_t(0), ~uint64_t(0), 0, 0};
  EXPECT_EQ(unit.checkStore(kNoSite, 896, 256, 32, active, nullptr, nullptr, 0), ub.data() + 896);
}

TEST_F(ScopeUnitTest, RandomSchedulesDelayStores) {
  options.schedule = {ScheduleKind::Random, 0};
  unit = ScopeUnit(setup, context, report, memories, guarded, random);
  uint8_t data[32];
  std::fill_n(data, 32, uint8_t(5));
  unit.bufferedStore(ub.data(), 32, data, nullptr);
  EXPECT_EQ(ub[0], 0);
  unit.fence(kNoSite, uint32_t(Fence::VST_VLD));
  EXPECT_EQ(ub[0], 5);
  uint8_t value[4] = {1, 2, 3, 4}, seen[4] = {};
  EXPECT_TRUE(unit.delayScalar(ub.data() + 64, 4, value));
  unit.overlay(ub.data() + 64, 4, seen);
  EXPECT_EQ(seen[3], 4) << "a scalar load sees the scalar stores of its scope";
  EXPECT_EQ(ub[64], 0);
}

TEST_F(SortUnitTest, SortsAGroup) {
  float scores[32];
  uint32_t indices[32];
  for (uint32_t i = 0; i < 32; ++i) {
    scores[i] = float((i * 7) % 32);
    indices[i] = i;
  }
  std::memcpy(ub.data(), scores, sizeof scores);
  std::memcpy(ub.data() + 128, indices, sizeof indices);
  SortUnit::Call call;
  ASSERT_TRUE(unit.groups(kNoSite, 4, 512, 0, 128, 1, call));
  DirectOperation(directs, SortUnit::instruction(call)).effect({});
  for (uint32_t i = 0; i < 32; ++i) {
    float score;
    uint32_t index;
    std::memcpy(&score, ub.data() + 512 + 8 * i, 4);
    std::memcpy(&index, ub.data() + 516 + 8 * i, 4);
    EXPECT_EQ(score, float(31 - i));
    EXPECT_EQ(index * 7 % 32, 31 - i);
  }
  EXPECT_EQ(codes(), "");
}

TEST_F(SortUnitTest, ABadOneIsToldAndWritesNothing) {
  SortUnit::Call call;
  EXPECT_FALSE(unit.groups(kNoSite, 4, 512, 0, 128, 256, call));
  ASSERT_TRUE(unit.groups(kNoSite, 4, 896, 0, 128, 1, call));
  std::fill(ub.begin(), ub.end(), uint8_t(3));
  DirectOperation(directs, SortUnit::instruction(call)).effect({});
  EXPECT_EQ(std::count(ub.begin(), ub.end(), 3), 1024);
  EXPECT_EQ(codes(), "sort-operand ub-out-of-bounds");
}

TEST_F(SortUnitTest, AQueuedInstructionOwnsItsPayload) {
  uint64_t value = 4;
  std::pair<uint8_t *, uint64_t> payload{ub.data(), value};
  DirectInstruction instruction;
  instruction.pipe = Pipe::V;
  instruction.payload = &payload;
  instruction.payloadBytes = sizeof payload;
  instruction.run = [](const void *payload) {
    auto [to, what] = *static_cast<const std::pair<uint8_t *, uint64_t> *>(payload);
    *to = uint8_t(what);
  };
  DirectOperation op(directs, instruction);
  std::unique_ptr<Operation> queued = op.keep();
  payload.second = 9;
  queued->effect({});
  EXPECT_EQ(ub[0], 4);
  EXPECT_TRUE(queued->overtakes());
}
