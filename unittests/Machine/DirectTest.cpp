//===- DirectTest.cpp - direct instructions on the real machine -----------===//
//
// What an instruction with its own meaning asks of its core: the UB of another core
// and CTRL, as they are when it is issued.
// Rules: CHIP-4, FIX-28, MIX-4, ISSUE-2, PARAM-2.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Direct.h"
#include "Bench.h"

#include <cstring>

using namespace ptoscope;

namespace {

/// Fills bytes of a UB with one value.
struct Fill {
  UbTarget target;
  uint64_t at;
  uint32_t bytes;
  uint8_t value;

  void issue(Su &su, Pipe pipe) const {
    DirectInstruction instruction{pipe};
    instruction.payloadBytes = sizeof(Fill);
    instruction.payload = this;
    instruction.run = [](const void *payload) {
      const auto &fill = *static_cast<const Fill *>(payload);
      std::memset(fill.target.base + fill.at, fill.value, fill.bytes);
    };
    instruction.regions = [](const void *payload, std::vector<DirectRegion> &regions) {
      const auto &fill = *static_cast<const Fill *>(payload);
      regions.push_back({Space::Ub, DirectRole::Write, 0, Box{fill.at, fill.bytes, {}}});
      regions.back().core = fill.target.core;
    };
    DirectHull hull{Space::Ub, 0, true, 32, at, at + bytes};
    su.issue([&] { return issueDirect(su.context, su.site, instruction, {&hull, 1}); });
  }
};

struct DirectTest : ::testing::Test, Bench {};

TEST_F(DirectTest, CubeCoreWritesTheUbOfEither) {
  uint64_t out = buffer(128);
  std::vector<uint8_t> both(64, 7);
  both.resize(128, 8);
  for (unsigned i = 0; i < 12; ++i) {
    options.schedule = schedule(i);
    std::fill(buffers[0].begin(), buffers[0].end(), uint8_t(0));
    LaunchResult r = runMixed(
        [&](Su &su) {
          for (uint8_t k = 0; k < 2; ++k) {
            EXPECT_EQ(ubOf(su.context, k).core.index, 1 + k);
            Fill{ubOf(su.context, k), 96, 64, uint8_t(7 + k)}.issue(su, Pipe::FIX);
            su.syncSet(Pipe::FIX, 1 + 16 * k);
          }
        },
        [&](Su &su) {
          uint64_t k = uint64_t(su.context->subblockIdx);
          for (unsigned other = 0; other < 2; ++other) {
            EXPECT_EQ(ubOf(su.context, other).base, su.context->local[size_t(Space::Ub)]);
            EXPECT_EQ(ubOf(su.context, other).core.index, 1 + k);
          }
          su.syncWait(Pipe::MTE3, 1);
          su.store({.src = 96, .dst = out + 64 * k, .len = 64});
        });
    ASSERT_EQ(codesOf(r), "") << i << textOf(r);
    EXPECT_EQ(buffers[0], both) << i;
  }
}

TEST_F(DirectTest, BoundsAreThoseOfAnyUb) {
  auto fill = [&](uint64_t at) {
    return codesOf(runMixed([&](Su &su) { Fill{ubOf(su.context, 1), at, 64, 1}.issue(su, Pipe::FIX); }, [](Su &) {}));
  };
  EXPECT_EQ(fill(262144 - 64), "");
  EXPECT_EQ(fill(262144 - 32), "ub-out-of-bounds");
}

TEST_F(DirectTest, RegionsOfFb) { // PARAM-2
  auto read = [&](uint64_t begin, uint64_t end) {
    LaunchResult result = run(
        [&](Su &su) {
          DirectInstruction instruction{Pipe::FIX};
          instruction.run = [](const void *) {};
          DirectHull hull{Space::Fb, 2, false, 64, begin, end};
          su.issue([&] { return issueDirect(su.context, su.site, instruction, {&hull, 1}); });
        },
        true);
    return result.findings.empty() ? "" : result.findings.all()[0].message;
  };
  EXPECT_EQ(read(0, 4096), "");
  EXPECT_EQ(read(0x10000, 0x11000), "");
  EXPECT_EQ(read(0, 4100), "operand 2 of `pto.unknown` reads FB bytes 0x0..0x1003; a region of FB has 4096 bytes");
  EXPECT_EQ(read(0x10fc0, 0x11004),
            "operand 2 of `pto.unknown` reads FB bytes 0x10fc0..0x11003; a region of FB has 4096 bytes");
  EXPECT_NE(read(0x8000, 0x8040), "");
  EXPECT_NE(read(0x20000, 0x20040), "");
  EXPECT_NE(read(32, 64), "");
}

TEST_F(DirectTest, ACoreAloneHasOneUb) {
  auto own = [](Su &su) {
    for (unsigned k = 0; k < 2; ++k)
      EXPECT_EQ(ubOf(su.context, k).base, su.context->local[size_t(Space::Ub)]);
  };
  run(own);
  run(own, true);
  std::unique_ptr<OpenBlock> block = openBlock(gm, sites, options);
  ASSERT_TRUE(block);
  for (unsigned k = 0; k < 2; ++k) {
    EXPECT_EQ(ubOf(block->core(), k).base, block->core()->local[size_t(Space::Ub)]);
    EXPECT_EQ(ubOf(block->core(), k).core.index, ubOf(block->core(), 0).core.index);
  }
  block->close();
}

TEST_F(DirectTest, ControlWordAtIssue) {
  run([&](Su &su) {
    EXPECT_EQ(controlWord(su.context), 0u);
    su.ctrl(int64_t(1) << 48 | 5);
    EXPECT_EQ(controlWord(su.context), uint64_t(1) << 48 | 5);
    su.ctrl(-1);
    EXPECT_EQ(controlWord(su.context), ~uint64_t(0));
  });
}

} // namespace
