//===- TransferCheckTest.cpp - what is wrong with a transfer --------------===//
//
// Every check, D3 to D14, that happens at run time: the finding, its
// words, and what becomes of the bytes, with the memory check on and off.
// Rules: D3, D4, D5, D6, D7, D8, D9, D11, D14, DMA-30, ROW-1, ROW-4, ROW-8, DREG-14, CHIP-5.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <cstring>
#include <ctime>

using namespace ptoscope;

namespace {
struct TransferCheck : ::testing::Test, Bench {
  uint64_t x = pattern(4096);
  uint32_t load = site("pto.mte_gm_ub", 10), store = site("pto.mte_ub_gm", 20);
  std::vector<uint8_t> ubAfter;

  LaunchResult loading(const Move &m) {
    options.elideCopies = false; // it looks into UB
    return run([this, m](Su &su) {
      su.at(load).load(m);
      su.barrier(Pipe::All);
      const uint8_t *ub = su.context->local[size_t(Space::Ub)];
      ubAfter.assign(ub, ub + 262144);
    });
  }
  LaunchResult storing(const Move &m) {
    return run([this, m](Su &su) { su.at(store).store(m); });
  }
  bool untouched() const { return ubAfter == std::vector<uint8_t>(262144); }
};
} // namespace

TEST_F(TransferCheck, D3Misaligned) {
  LaunchResult r = loading({.src = x, .dst = 40, .len = 32});
  EXPECT_EQ(codesOf(r), "ub-misaligned");
  EXPECT_EQ(r.findings.all()[0].message, "`pto.mte_gm_ub` writes UB at byte 0x28, which is not a multiple of 32");
  EXPECT_EQ(r.findings.all()[0].help, "round the address to 0x20 or 0x40");
  EXPECT_EQ(r.findings.all()[0].place.line, 10u);
  EXPECT_TRUE(untouched());
  EXPECT_TRUE(r.completed);
  options.checks.memory = false;
  r = loading({.src = x, .dst = 40, .len = 32});
  EXPECT_EQ(codesOf(r), "");
  EXPECT_EQ(std::memcmp(ubAfter.data() + 40, buffers[0].data(), 32), 0);
}

TEST_F(TransferCheck, D4StrideMisaligned) {
  LaunchResult r = loading({.src = x, .len = 32, .count = 2, .srcStride = 33, .dstStride = 40});
  EXPECT_EQ(codesOf(r), "stride-misaligned");
  EXPECT_EQ(r.findings.all()[0].message,
            "the destination stride of `pto.mte_gm_ub` in UB is 40 bytes, not a multiple of 32");
  EXPECT_EQ(codesOf(loading({.src = x, .len = 32, .count = 1, .dstStride = 40})), "");
  EXPECT_EQ(codesOf(loading({.src = x, .len = 32, .loops = {{2, 32, 40}}})), "stride-misaligned");
  EXPECT_EQ(codesOf(storing({.dst = x, .len = 32, .count = 2, .srcStride = 36, .dstStride = 32})), "stride-misaligned");
}

TEST_F(TransferCheck, D5EmptyIsARemark) {
  EXPECT_EQ(codesOf(loading({.src = x, .len = 0})), "transfer-empty");
  LaunchResult r = loading({.src = x, .len = 32, .loops = {{0, 0, 0}}});
  EXPECT_EQ(codesOf(r), "transfer-empty");
  EXPECT_EQ(r.findings.all()[0].message, "`pto.mte_gm_ub` moves nothing: the loop 1 count is 0");
  EXPECT_FALSE(r.findings.failed(true));
}

TEST_F(TransferCheck, D6Negative) {
  LaunchResult r = loading({.src = x, .len = -4});
  EXPECT_EQ(codesOf(r), "transfer-operand");
  EXPECT_EQ(r.findings.all()[0].message, "the row length of `pto.mte_gm_ub` is -4, a negative number");
  EXPECT_TRUE(r.completed);
  EXPECT_EQ(codesOf(loading({.src = x, .count = -1})), "transfer-operand");
  EXPECT_EQ(codesOf(loading({.src = x, .count = 2, .srcStride = -32, .dstStride = 32})), "transfer-operand");
  EXPECT_EQ(codesOf(loading({.src = x, .count = 1, .srcStride = -32, .dstStride = -32})), "");
  EXPECT_EQ(codesOf(loading({.src = x, .loops = {{-1, 0, 0}}})), "transfer-operand");
  EXPECT_EQ(codesOf(loading({.src = x, .flags = PTO_TRANSFER_PAD, .padLeft = -1})), "transfer-operand");
  options.checks = Checks::none();
  r = loading({.src = x, .len = -4});
  EXPECT_EQ(codesOf(r), "transfer-operand");
  EXPECT_FALSE(r.completed);
}

TEST_F(TransferCheck, D7Widths) {
  EXPECT_EQ(codesOf(loading({.src = x, .len = 65536})), "transfer-width gm-out-of-bounds");
  EXPECT_EQ(codesOf(loading({.src = x, .len = 1 << 21})), "transfer-operand");
  EXPECT_EQ(codesOf(loading({.src = x, .count = 2, .srcStride = int64_t(1) << 40, .dstStride = 32})),
            "transfer-operand");
  EXPECT_EQ(codesOf(loading({.src = x, .count = 2, .srcStride = 32, .dstStride = 1 << 21})), "transfer-operand");
  EXPECT_EQ(codesOf(loading({.src = x, .flags = PTO_TRANSFER_PAD, .padRight = 256})), "transfer-operand");
}

TEST_F(TransferCheck, AbsurdSizesEndQuickly) {
  const std::clock_t begin = std::clock();
  const int64_t kHuge = int64_t(1) << 40, kMost = INT64_MAX;
  for (bool memory : {true, false}) {
    options.checks.memory = memory;
    for (Move m : {Move{.src = x, .len = 32, .count = kHuge}, Move{.src = x, .len = kMost, .count = kMost},
                   Move{.src = x, .len = 1, .count = 2000000, .loops = {{2000000, 0, 0}, {2000000, 0, 0}}},
                   Move{.src = UINT64_MAX - 8, .len = 64}, Move{.src = x, .dst = UINT64_MAX - 31, .len = 64},
                   Move{.src = x, .dst = kHuge, .len = 64},
                   Move{.src = x, .len = 32, .count = 3, .srcStride = kMost, .dstStride = kMost}}) {
      LaunchResult r = loading(m);
      EXPECT_TRUE(r.findings.failed()) << textOf(r);
    }
    LaunchResult r = storing({.dst = x, .len = 32, .count = 2000000, .loops = {{2000000, 0, 1000}}});
    EXPECT_EQ(codesOf(r), memory ? "transfer-width transfer-operand" : "transfer-operand");
  }
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 2.0);
}

TEST_F(TransferCheck, D8LocalBounds) {
  LaunchResult r = loading({.src = x, .dst = 262144 - 64, .len = 64, .count = 2, .srcStride = 64, .dstStride = 64});
  EXPECT_EQ(codesOf(r), "ub-out-of-bounds");
  EXPECT_EQ(r.findings.all()[0].message, "`pto.mte_gm_ub` writes 64 bytes beyond the end of UB: it covers bytes "
                                         "0x3ffc0..0x4003f, UB has 262144");
  EXPECT_TRUE(untouched());
  // The fill of the last padded row counts.
  EXPECT_EQ(codesOf(loading({.src = x, .dst = 262144 - 64, .len = 32, .dstStride = 96, .flags = PTO_TRANSFER_PAD})),
            "ub-out-of-bounds");
  EXPECT_EQ(codesOf(storing({.src = 262144, .dst = x, .len = 32})), "ub-out-of-bounds");
  options.checks = Checks::none();
  r = loading({.src = x, .dst = 262144 - 32, .len = 64});
  EXPECT_EQ(codesOf(r), "ub-out-of-bounds");
  EXPECT_FALSE(r.completed);
  options.checks = Checks();
  r = run([&](Su &su) { su.at(load).transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .dst = 524288, .len = 32}); },
          true);
  EXPECT_EQ(codesOf(r), "local-out-of-bounds");
}

TEST_F(TransferCheck, D9GmBoundsAreClipped) {
  for (bool memory : {true, false}) {
    options.checks.memory = memory;
    LaunchResult r = loading({.src = x + 4000, .len = 128, .count = 2, .srcStride = 128, .dstStride = 128});
    if (memory) {
      EXPECT_EQ(r.findings.all()[0].message, "`pto.mte_gm_ub` reads 160 bytes beyond the end of `%arg0` (4096 "
                                             "bytes): it covers bytes 4000..4255");
      EXPECT_EQ(r.findings.all()[0].help, "pass a buffer of at least 4256 bytes for `%arg0`, or shorten the transfer");
    }
    EXPECT_EQ(codesOf(r), memory ? "gm-out-of-bounds" : "");
    EXPECT_TRUE(r.completed);
    std::vector<uint8_t> expected(256);
    std::memcpy(expected.data(), buffers[0].data() + 4000, 96);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), ubAfter.begin()));
  }
}

TEST_F(TransferCheck, D9StartsOutside) {
  LaunchResult r = loading({.src = x - 16, .len = 64});
  EXPECT_EQ(codesOf(r), "gm-out-of-bounds");
  EXPECT_EQ(r.findings.all()[0].message, "`pto.mte_gm_ub` reads 16 bytes before the start of `%arg0` (4096 bytes)");
  EXPECT_EQ(std::memcmp(ubAfter.data() + 16, buffers[0].data(), 48), 0);
  EXPECT_EQ(codesOf(loading({.src = 64, .len = 64})), "unmapped-gm-address");
  EXPECT_EQ(codesOf(storing({.dst = 64, .len = 64})), "unmapped-gm-address");
  GmTable none;
  gm = none;
  EXPECT_EQ(codesOf(loading({.src = x, .len = 64})), "unmapped-gm-address");
  options.checks = Checks::none();
  EXPECT_EQ(codesOf(loading({.src = x, .len = 64})), "");
  EXPECT_TRUE(untouched());
}

TEST_F(TransferCheck, ReadOnlyIsNeverWritten) {
  uint64_t constant = buffer(64, true);
  for (bool memory : {true, false}) {
    options.checks.memory = memory;
    LaunchResult r = run([&](Su &su) {
      su.load({.src = x, .len = 64});
      su.barrier(Pipe::All);
      su.at(store).store({.dst = constant, .len = 64});
    });
    EXPECT_EQ(codesOf(r), memory ? "gm-read-only" : "");
    EXPECT_EQ(buffers[1], std::vector<uint8_t>(64));
  }
}

TEST_F(TransferCheck, D11AndD14Overlap) {
  EXPECT_EQ(codesOf(loading({.src = x, .len = 64, .count = 4, .srcStride = 0, .dstStride = 64})), "");
  LaunchResult r = loading({.src = x, .len = 64, .count = 4, .srcStride = 64, .dstStride = 32});
  EXPECT_EQ(codesOf(r), "stride-overlap");
  EXPECT_TRUE(untouched());
  // Loops that interleave rows do not overlap; loops that revisit them do.
  EXPECT_EQ(
      codesOf(loading({.src = x, .len = 32, .count = 2, .srcStride = 32, .dstStride = 64, .loops = {{2, 64, 32}}})),
      "");
  EXPECT_EQ(
      codesOf(loading({.src = x, .len = 32, .count = 3, .srcStride = 32, .dstStride = 64, .loops = {{3, 64, 32}}})),
      "stride-overlap");
  r = storing({.dst = x, .len = 64, .count = 2, .srcStride = 64, .dstStride = 32});
  EXPECT_EQ(codesOf(r), "gm-stride-overlap");
  EXPECT_EQ(r.findings.all()[0].severity, Severity::Warning);
}

TEST_F(TransferCheck, Padding) {
  EXPECT_EQ(codesOf(loading({.src = x, .len = 32, .padLeft = 1})), "pad-ignored");
  EXPECT_EQ(codesOf(loading({.src = x, .len = 30, .dstStride = 32, .flags = PTO_TRANSFER_PAD})), "pad-phase");
  // Own bytes 32 of a stride of 32, but a loop of 96 fill bytes.
  EXPECT_EQ(codesOf(loading(
                {.src = x, .len = 36, .count = 1, .dstStride = 96, .loops = {{2, 64, 64}}, .flags = PTO_TRANSFER_PAD})),
            "pad-overlap");
  // Right padding belongs to the row: 32 + 8 * 4 bytes on a stride of 32.
  EXPECT_EQ(codesOf(loading({.src = x,
                             .len = 32,
                             .count = 2,
                             .srcStride = 32,
                             .dstStride = 32,
                             .flags = PTO_TRANSFER_PAD,
                             .padRight = 8})),
            "stride-overlap");
}

TEST_F(TransferCheck, StaleLoopSize) {
  Move legacy{.src = x, .len = 32, .flags = PTO_TRANSFER_REGISTERS};
  auto program = [&](bool again) {
    return run([&, again](Su &su) {
      su.reg(PTO_REG_LOOP_SIZE_OUTTOUB, 2, 1);
      su.reg(PTO_REG_LOOP1_STRIDE_OUTTOUB, 32, 32);
      su.load({.src = x, .len = 32});
      su.barrier(Pipe::All);
      if (again)
        su.reg(PTO_REG_LOOP_SIZE_OUTTOUB, 2, 1);
      su.load(legacy);
    });
  };
  EXPECT_EQ(codesOf(program(false)), "stale-loop-size");
  EXPECT_EQ(codesOf(program(true)), "");
}

TEST_F(TransferCheck, CopyOntoItselfIsUndefinedByTheManual) {
  LaunchResult r = run([&](Su &su) {
    su.load({.src = x, .len = 256});
    su.barrier(Pipe::All);
    su.copy({.src = 0, .dst = 32, .len = 32, .count = 4, .srcStride = 32, .dstStride = 32});
    su.barrier(Pipe::All);
    // Rows in rising order: the first block spreads.
    for (size_t block = 0; block < 5; ++block)
      EXPECT_EQ(std::memcmp(su.context->local[size_t(Space::Ub)] + 32 * block, buffers[0].data(), 32), 0);
  });
  EXPECT_EQ(codesOf(r), "undefined-by-manual");
}

TEST_F(TransferCheck, FindingsStopTheRunWhenTheListIsFull) {
  options.maxFindings = 3;
  int64_t issued = 0;
  LaunchResult r = run([&](Su &su) {
    for (int64_t i = 0; i < 100 && !su.stop; ++i, ++issued)
      su.at(load).load({.src = x, .dst = uint64_t(4 + 32 * i), .len = 32});
  });
  EXPECT_EQ(r.findings.all().size(), 3u);
  EXPECT_EQ(issued, 3);
  EXPECT_FALSE(r.completed);
}

TEST_F(TransferCheck, RepeatsAreCountedAndCarryIterations) {
  uint32_t inLoop = site("pto.mte_gm_ub", 30, 1);
  LaunchResult r = run([&](Su &su) {
    for (int64_t i = 0; i < 5; ++i) {
      su.context->suIterations[0] = i + 7;
      su.at(inLoop).load({.src = x, .dst = 4, .len = 32});
    }
  });
  ASSERT_EQ(r.findings.all().size(), 1u);
  EXPECT_EQ(r.findings.all()[0].count, 5u);
  EXPECT_EQ(r.findings.all()[0].iterations, std::vector<int64_t>{7});
}

TEST_F(TransferCheck, PipesAndSpacesThatDoNotExist) {
  EXPECT_EQ(codesOf(run([&](Su &su) { su.transfer(Space::Gm, Space::Ub, Pipe::MTE1, {.src = x}); })), "internal-error");
  EXPECT_EQ(codesOf(run([&](Su &su) { su.transfer(Space::Gm, Space::Gm, Pipe::MTE2, {.src = x}); })), "internal-error");
  EXPECT_EQ(codesOf(run([&](Su &su) { su.transfer(Space(77), Space::Ub, Pipe::MTE2, {.src = x}); })), "internal-error");
}
