//===- ScalarTest.cpp - scalar loads and stores ---------------------------===//
//
// Values, bounds and alignment of scalar accesses to UB and GM, with the memory
// check on and off.
// Rules: SMEM-1, SMEM-2, SMEM-5, SMEM-6.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

using namespace ptoscope;

namespace {
struct ScalarTest : ::testing::Test, Bench {
  uint64_t x = pattern(22);
  uint32_t load = site("pto.load_scalar", 3), store = site("pto.store_scalar", 4);
};
} // namespace

TEST_F(ScalarTest, RoundTripAllWidths) {
  LaunchResult r = run([&](Su &su) {
    const uint64_t value = 0x1122334455667788u;
    for (uint32_t bytes : {1u, 2u, 4u, 8u}) {
      uint64_t part = bytes == 8 ? value : value & ((uint64_t(1) << (8 * bytes)) - 1);
      su.storeScalar(Space::Ub, 64, value, bytes);
      EXPECT_EQ(su.loadScalar(Space::Ub, 64, bytes), part);
      su.storeScalar(Space::Gm, x + 8, value, bytes);
      EXPECT_EQ(su.loadScalar(Space::Gm, x + 8, bytes), part);
      EXPECT_EQ(su.context->local[size_t(Space::Ub)][64], 0x88);
    }
  });
  EXPECT_EQ(codesOf(r), "");
}

TEST_F(ScalarTest, GmBoundsWithTheMemoryCheck) {
  LaunchResult r = run([&](Su &su) {
    su.at(load);
    EXPECT_EQ(su.loadScalar(Space::Gm, x + 20, 4), 0u);
    su.at(store).storeScalar(Space::Gm, x + 24, 1, 4);
    su.at(load);
    EXPECT_EQ(su.loadScalar(Space::Gm, x - 4, 4), 0u);
    EXPECT_EQ(su.loadScalar(Space::Gm, 16, 4), 0u);
  });
  EXPECT_EQ(codesOf(r), "gm-out-of-bounds gm-out-of-bounds gm-out-of-bounds unmapped-gm-address");
  EXPECT_EQ(r.findings.all()[0].message, "`pto.load_scalar` reads 4 bytes at byte 20 of `%arg0`, which has 22 bytes");
  EXPECT_EQ(r.findings.all()[2].message, "`pto.load_scalar` reads 4 bytes at byte -4 of `%arg0`, which has 22 bytes");
  EXPECT_TRUE(r.completed);
}

TEST_F(ScalarTest, GmIsClippedExactlyWithoutIt) {
  options.checks = Checks::none();
  std::vector<uint8_t> before = buffers[0];
  LaunchResult r = run([&](Su &su) {
    EXPECT_EQ(su.loadScalar(Space::Gm, x + 20, 4), uint64_t(before[20] | before[21] << 8));
    EXPECT_EQ(su.loadScalar(Space::Gm, x - 3, 4), uint64_t(before[0]) << 24);
    EXPECT_EQ(su.loadScalar(Space::Gm, x + 22, 4), 0u);
    EXPECT_EQ(su.loadScalar(Space::Gm, UINT64_MAX - 1, 8), 0u);
    su.storeScalar(Space::Gm, x + 20, 0x04030201, 4);
    su.storeScalar(Space::Gm, x - 2, 0x0d0c0b0a, 4);
    su.storeScalar(Space::Gm, x + 100, 5, 4);
  });
  EXPECT_EQ(codesOf(r), "");
  EXPECT_EQ(buffers[0][20], 1);
  EXPECT_EQ(buffers[0][21], 2);
  EXPECT_EQ(buffers[0][0], 0x0c);
  EXPECT_EQ(buffers[0][1], 0x0d);
}

TEST_F(ScalarTest, UbBoundsAndAlignment) {
  LaunchResult r = run([&](Su &su) {
    EXPECT_EQ(su.loadScalar(Space::Ub, 262144, 4), 0u);
    EXPECT_EQ(su.loadScalar(Space::Ub, 262140, 8), 0u);
    EXPECT_EQ(su.loadScalar(Space::Ub, UINT64_MAX - 3, 4), 0u);
    su.at(store).storeScalar(Space::Ub, 2, 1, 4);
    EXPECT_EQ(su.loadScalar(Space::Ub, 0, 4), 0u);
  });
  EXPECT_EQ(codesOf(r), "ub-out-of-bounds scalar-misaligned ub-out-of-bounds scalar-misaligned");
  EXPECT_EQ(r.findings.all()[3].message,
            "`pto.store_scalar` writes 4 bytes of UB at 0x2, which is not a multiple of 4");
  options.checks = Checks::none();
  r = run([&](Su &su) {
    su.storeScalar(Space::Ub, 2, 0x01020304, 4);
    EXPECT_EQ(su.loadScalar(Space::Ub, 2, 4), 0x01020304u);
    su.at(load);
    su.loadScalar(Space::Ub, 262142, 4);
    EXPECT_EQ(su.stop, 1);
  });
  EXPECT_EQ(codesOf(r), "ub-out-of-bounds");
  EXPECT_FALSE(r.completed);
}

TEST_F(ScalarTest, ReadOnlyAndForbiddenSpaces) {
  uint64_t constant = buffer(8, true);
  for (bool memory : {true, false}) {
    options.checks.memory = memory;
    LaunchResult r = run([&](Su &su) {
      su.storeScalar(Space::Gm, constant, 7);
      EXPECT_EQ(su.loadScalar(Space::Gm, constant), 0u);
    });
    EXPECT_EQ(codesOf(r), memory ? "gm-read-only" : "");
  }
  EXPECT_EQ(codesOf(run([&](Su &su) { su.loadScalar(Space::L1, 0); })), "internal-error");
  EXPECT_EQ(codesOf(run([&](Su &su) { su.loadScalar(Space::Ub, 0, 3); })), "internal-error");
}
