//===- RegistersTest.cpp - packed registers, blocks, event-id arrays ------===//
//
// What serves transfers to L1 and copies in blocks, the widest strides, event-id
// arrays, and names of events in reports.
// Rules: DREG-6, DREG-7, DREG-8, DREG-9, DREG-10, DREG-11, DMA-11, DMA-16, CHIP-1, FLAG-13,
// SYNCALL-5.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <cstring>
#include <sys/mman.h>

using namespace ptoscope;

namespace {
struct RegistersTest : ::testing::Test, Bench {
  uint64_t x = pattern(8192);
  std::vector<uint8_t> l1After;

  /// A copy_gm_to_cbuf of 64 bytes on a cube core, with `before` in front.
  LaunchResult loading(const Program &before, Move m) {
    m.flags |= PTO_TRANSFER_REGISTERS;
    return run(
        [&, m](Su &su) {
          before(su);
          su.transfer(Space::Gm, Space::L1, Pipe::MTE2, m);
          su.barrier(Pipe::All);
          const uint8_t *l1 = su.context->local[size_t(Space::L1)];
          l1After.assign(l1, l1 + 16384);
        },
        true);
  }
  static int64_t pack(unsigned firstBits, int64_t first, int64_t second) {
    return int64_t(uint64_t(first) | uint64_t(second) << firstBits);
  }
};
} // namespace

TEST_F(RegistersTest, PackedLoopsOfL1) {
  LaunchResult r = loading(
      [](Su &su) {
        su.reg(PTO_REG_LOOP_SIZE_OUTTOL1, pack(21, 3, 2), 0);
        su.reg(PTO_REG_LOOP1_STRIDE_OUTTOL1, pack(40, 100, 64), 0);
        su.reg(PTO_REG_LOOP2_STRIDE_OUTTOL1, pack(40, 1000, 4096), 0);
      },
      {.src = x, .len = 64});
  EXPECT_EQ(codesOf(r), "");
  std::vector<uint8_t> expected(16384);
  for (size_t outer = 0; outer < 2; ++outer)
    for (size_t inner = 0; inner < 3; ++inner)
      std::memcpy(&expected[inner * 64 + outer * 4096], &buffers[0][inner * 100 + outer * 1000], 64);
  EXPECT_EQ(l1After, expected);
}

TEST_F(RegistersTest, ResetMeansOnePassAndDirectionsAreSeparate) {
  LaunchResult r = loading(
      [](Su &su) {
        su.reg(PTO_REG_LOOP_SIZE_OUTTOUB, 4, 4);
        su.reg(PTO_REG_LOOP1_STRIDE_OUTTOL1, pack(40, 100, 64), 0);
      },
      {.src = x, .len = 64});
  EXPECT_EQ(codesOf(r), "");
  EXPECT_EQ(std::memcmp(l1After.data(), buffers[0].data(), 64), 0);
  EXPECT_EQ(std::vector<uint8_t>(l1After.begin() + 64, l1After.end()), std::vector<uint8_t>(16384 - 64));
}

TEST_F(RegistersTest, LargestFieldsAndStrayBits) {
  // All 61 bits of a stride word are fields; a loop that runs once ignores them.
  LaunchResult r = loading([](Su &su) { su.reg(PTO_REG_LOOP1_STRIDE_OUTTOL1, int64_t(~uint64_t(0) >> 3), 0); },
                           {.src = x, .len = 64});
  EXPECT_EQ(codesOf(r), "");
  r = loading([](Su &su) { su.reg(PTO_REG_LOOP1_STRIDE_OUTTOL1, INT64_MIN, 0); }, {.src = x, .len = 64});
  EXPECT_EQ(codesOf(r), "undefined-by-manual");
  EXPECT_EQ(r.findings.all()[0].message, "the word 0x8000000000000000 of `pto.unknown` has bits above bit 60, which "
                                         "belong to no field; they are ignored");
  // No count at all: nothing moves.
  r = loading([](Su &su) { su.reg(PTO_REG_LOOP_SIZE_OUTTOL1, 0, 0); }, {.src = x, .len = 64});
  EXPECT_EQ(codesOf(r), "transfer-empty");
  EXPECT_EQ(l1After, std::vector<uint8_t>(16384));
}

TEST_F(RegistersTest, PadValueOfL1IsRecorded) {
  Program set = [](Su &su) { su.reg(PTO_REG_PAD_VAL_OUTTOL1, 0x77, 0); };
  EXPECT_EQ(codesOf(loading(set, {.src = x, .len = 64})), "");
  LaunchResult r = loading(set, {.src = x, .len = 40});
  EXPECT_EQ(codesOf(r), "undefined-by-manual");
  EXPECT_EQ(std::vector<uint8_t>(l1After.begin() + 40, l1After.end()), std::vector<uint8_t>(16384 - 40));
  EXPECT_EQ(codesOf(loading([](Su &) {}, {.src = x, .len = 40})), "");
}

TEST_F(RegistersTest, BlocksAreTheUnitOfGapCopies) {
  auto copying = [&](Move m) {
    m.flags |= PTO_TRANSFER_BLOCKS;
    return run([&, m](Su &su) {
      su.load({.src = x, .len = 4096});
      su.barrier(Pipe::All);
      su.copy(m);
      su.barrier(Pipe::All);
      const uint8_t *ub = su.context->local[size_t(Space::Ub)];
      l1After.assign(ub, ub + 16384);
    });
  };
  LaunchResult r = copying({.dst = 8192, .len = 2, .count = 3, .srcStride = 1, .dstStride = 2});
  EXPECT_EQ(codesOf(r), "");
  for (size_t row = 0; row < 3; ++row)
    EXPECT_EQ(std::memcmp(&l1After[8192 + row * 128], &buffers[0][row * 96], 64), 0);
  for (int64_t value : {int64_t(65536), int64_t(1) << 59, INT64_MAX}) {
    r = copying({.dst = 8192, .len = value});
    EXPECT_EQ(codesOf(r), "transfer-operand");
    EXPECT_EQ(r.findings.all()[0].message, "the row length of `pto.unknown` is " + std::to_string(value) +
                                               ", more than the 65535 its field can hold");
    r = copying({.dst = 8192, .len = 1, .count = 2, .dstStride = value});
    EXPECT_EQ(r.findings.all()[0].message, "the destination gap of the row of `pto.unknown` is " +
                                               std::to_string(value) + ", more than the 65535 its field can hold");
  }
  // The field is larger than the memory.
  EXPECT_EQ(codesOf(copying({.dst = 8192, .len = 65535})), "ub-out-of-bounds ub-out-of-bounds");
  options.checks = Checks::none();
  EXPECT_EQ(codesOf(copying({.dst = 8192, .len = INT64_MAX})), "transfer-operand");
  EXPECT_EQ(codesOf(copying({.dst = 8192, .len = int64_t(1) << 40})), "transfer-operand");
}

TEST_F(RegistersTest, HintsHaveARange) {
  auto hinted = [&](int64_t sid, int64_t l2, int64_t cache) {
    return run([=, this](Su &su) {
      PtoTransfer t{};
      t.srcSpace = uint32_t(Space::Gm);
      t.dstSpace = uint32_t(Space::Ub);
      t.pipe = uint32_t(Pipe::MTE2);
      t.flags = PTO_TRANSFER_HINTS;
      t.src = x;
      t.len = 32;
      t.count = 1;
      t.sid = sid;
      t.l2 = l2;
      t.cache = cache;
      su.issue([&] { return ptosc_transfer(su.context, su.site, &t); });
    });
  };
  EXPECT_EQ(codesOf(hinted(15, 3, 0)), "");
  EXPECT_EQ(codesOf(hinted(16, 0, 0)), "transfer-operand");
  EXPECT_EQ(codesOf(hinted(0, -1, 0)), "transfer-operand");
  EXPECT_EQ(codesOf(hinted(0, 4, 0)), "transfer-width");
  EXPECT_EQ(codesOf(hinted(0, 0, 15)), "");
  EXPECT_EQ(codesOf(hinted(0, 0, 16)), "transfer-operand");
}

TEST_F(RegistersTest, WidestGmStride) {
  // Two rows as far apart as the 40-bit field allows, in memory that is not there until it is touched.
  const int64_t stride = (int64_t(1) << 40) - 1;
  const size_t bytes = size_t(stride) + 64;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    GTEST_SKIP() << "the host has no terabyte of address space to spare";
  auto *far = static_cast<uint8_t *>(memory);
  uint64_t big = gm.add(far, bytes, "%big");
  for (unsigned i = 0; i < 4; ++i) {
    options.schedule = schedule(i);
    std::memset(far, 0, 64);
    std::memset(far + stride, 0, 64);
    LaunchResult r = run([&](Su &su) {
      su.load({.src = x, .len = 64, .count = 2, .srcStride = 64, .dstStride = 64});
      su.barrier(Pipe::All);
      su.store({.dst = big, .len = 64, .count = 2, .srcStride = 64, .dstStride = stride});
      su.barrier(Pipe::All);
      su.load({.src = big, .dst = 1024, .len = 64, .count = 2, .srcStride = stride, .dstStride = 64});
      su.barrier(Pipe::All);
      EXPECT_EQ(std::memcmp(su.context->local[size_t(Space::Ub)] + 1024, buffers[0].data(), 128), 0);
    });
    EXPECT_EQ(codesOf(r), "");
    EXPECT_EQ(std::memcmp(far, buffers[0].data(), 64), 0);
    EXPECT_EQ(std::memcmp(far + stride, buffers[0].data() + 64, 64), 0);
  }
  LaunchResult r =
      run([&](Su &su) { su.load({.src = big + 1, .len = 64, .count = 2, .srcStride = stride, .dstStride = 64}); });
  EXPECT_EQ(codesOf(r), "gm-out-of-bounds");
  munmap(memory, bytes);
}

TEST_F(RegistersTest, EventArrays) {
  uint32_t get = site("pto.eventid_array_get", 7), set = site("pto.eventid_array_set", 6);
  PtoEventId array[2];
  auto program = [&](int64_t setAt, int64_t getAt, int64_t &result) {
    return run([&, setAt, getAt](Su &su) {
      array[0] = array[1] = {77, 1};
      su.issue([&] { return ptosc_event_array(su.context, su.site, array, 2); });
      su.issue([&] { return ptosc_event_array_set(su.context, set, array, 2, setAt, -5); });
      su.issue([&] { return ptosc_event_array_get(su.context, get, array, 2, getAt, &result); });
    });
  };
  int64_t result = 0;
  EXPECT_EQ(codesOf(program(1, 1, result)), "");
  EXPECT_EQ(result, -5);
  LaunchResult r = program(1, 0, result);
  EXPECT_EQ(codesOf(r), "event-array-unset");
  EXPECT_EQ(r.findings.all()[0].place.line, 7u);
  EXPECT_FALSE(r.completed);
  for (int64_t bad : {int64_t(2), int64_t(-1), INT64_MIN}) {
    EXPECT_EQ(codesOf(program(1, bad, result)), "event-array-bounds");
    r = program(bad, 1, result);
    EXPECT_EQ(codesOf(r), "event-array-bounds");
    EXPECT_EQ(r.findings.all()[0].place.line, 6u);
  }
}

TEST_F(RegistersTest, MessageAreaLiesInABuffer) {
  options.profile = findProfile("a3");
  for (bool memory : {true, false}) {
    options.checks.memory = memory;
    EXPECT_EQ(codesOf(run([&](Su &su) { su.reg(PTO_REG_FFTS_BASE, int64_t(x), 0); })), "");
    EXPECT_EQ(codesOf(run([&](Su &su) { su.reg(PTO_REG_FFTS_BASE, 64, 0); })), memory ? "unmapped-gm-address" : "");
  }
}

TEST_F(RegistersTest, ReportsNameSymbolicEvents) {
  uint32_t wait = site("pto.wait_flag", 5);
  sites[wait].event = "EVT_IN_FWD_0";
  LaunchResult r = run([&](Su &su) { su.at(wait).wait(Pipe::MTE2, Pipe::V, 2); });
  EXPECT_EQ(codesOf(r), "deadlock");
  EXPECT_EQ(r.findings.all()[0].message, "PIPE_V waits forever for flag PIPE_MTE2 -> PIPE_V, EVENT_ID2 "
                                         "(`EVT_IN_FWD_0`): no set of this flag was ever issued");
  // EVENT_ID2 in the text would move the name to another id.
  EXPECT_NE(r.findings.all()[0].help.find("\"PIPE_V\", \"EVT_IN_FWD_0\"]"), std::string::npos);
}
