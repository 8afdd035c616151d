//===- TransferTest.cpp - what transfers move -----------------------------===//
//
// The worked examples of the rules, and random operands against a byte by
// byte model written from DMA-18, DMA-22, DMA-26 and ROW-2.
// Rules: DMAEX-1, DMAEX-2, DMAEX-3, DMAEX-4, DMAEX-5, DMAEX-6, DMAEX-7, DMAEX-8, DMAEX-9,
// DMAEX-10, DMAEX-11, DMAEX-12, DREG-10, DREG-11, DMA-9, DMA-10, DMA-33.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <cstring>
#include <random>

using namespace ptoscope;

namespace {
/// Loads with `move` and then copies the first `bytes` of UB to a buffer.
struct TransferTest : ::testing::Test, Bench {
  uint64_t dump = 0;
  size_t dumpBytes = 0;

  void dumpUb(Su &su, int64_t bytes) {
    su.barrier(Pipe::All);
    su.store({.src = 0, .dst = dump, .len = bytes / 4, .count = 4, .srcStride = bytes / 4, .dstStride = bytes / 4});
  }
  std::vector<uint8_t> &ub() { return buffers.back(); }
  /// UB after `program`, which starts from zeros.
  std::vector<uint8_t> &after(int64_t bytes, const Program &program) {
    dump = buffer(size_t(bytes));
    LaunchResult result = run([&](Su &su) {
      program(su);
      dumpUb(su, bytes);
    });
    EXPECT_TRUE(result.completed) << textOf(result);
    EXPECT_EQ(codesOf(result), "");
    return ub();
  }
  uint32_t word(size_t index) {
    uint32_t value;
    std::memcpy(&value, ub().data() + 4 * index, 4);
    return value;
  }
  uint64_t iota32(size_t words) {
    uint64_t address = buffer(words * 4);
    for (uint32_t i = 0; i < words; ++i)
      std::memcpy(buffers.back().data() + 4 * i, &i, 4);
    return address;
  }
};
} // namespace

TEST_F(TransferTest, RowsOfEveryLengthInBothDirections) {
  // Many and few rows, short lengths that are copied in a way of their own and
  // their neighbours, with and without gaps; against a byte by byte copy.
  for (bool checked : {true, false})
    for (int64_t len : {1, 31, 32, 33, 64, 96, 127, 128, 129, 160, 256})
      for (int64_t count : {1, 2, 16, 17, 64, 65, 200})
        for (int64_t gap : {0, 32, 96}) {
          options.checks = checked ? Checks() : Checks::none();
          options.checks.init = false; // gaps of UB are undefined
          buffers.clear();
          int64_t ubStride = (len + 31) / 32 * 32 + gap, gmStride = len + gap, outStride = len + 2 * gap;
          uint64_t x = pattern(size_t(count * gmStride)), out = buffer(size_t(count * outStride));
          std::vector<uint8_t> expected(size_t(count * outStride));
          for (int64_t row = 0; row < count; ++row)
            for (int64_t i = 0; i < len; ++i)
              expected[size_t(row * outStride + i)] = buffers[0][size_t(row * gmStride + i)];
          LaunchResult r = run([&](Su &su) {
            su.load({.src = x, .len = len, .count = count, .srcStride = gmStride, .dstStride = ubStride});
            su.barrier(Pipe::All);
            su.store({.dst = out, .len = len, .count = count, .srcStride = ubStride, .dstStride = outStride});
          });
          ASSERT_EQ(codesOf(r), "");
          ASSERT_EQ(buffers[1], expected) << len << " x " << count << " gap " << gap;
          ASSERT_EQ(r.stats.transferBytes, uint64_t(2 * len * count));
        }
}

TEST_F(TransferTest, Example1Linear) {
  uint64_t x = iota32(64);
  after(256, [&](Su &su) { su.load({.src = x, .len = 64, .count = 4, .srcStride = 64, .dstStride = 64}); });
  EXPECT_EQ(ub(), buffers[0]);
}

TEST_F(TransferTest, Example2StridedSource) {
  uint64_t x = iota32(64);
  after(256, [&](Su &su) { su.load({.src = x, .len = 64, .count = 2, .srcStride = 128, .dstStride = 64}); });
  for (uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(word(i), i);
    EXPECT_EQ(word(16 + i), 32 + i);
  }
}

TEST_F(TransferTest, Examples3And8PadAndBack) {
  uint64_t x = pattern(64 * 200), back = buffer(64 * 200);
  LaunchResult result = run([&](Su &su) {
    // UB is dirtied first, so that fill bytes show.
    su.load({.src = x, .len = 12800});
    su.load({.src = x, .dst = 12800, .len = 3584});
    su.barrier(Pipe::MTE2);
    su.load({.src = x,
             .len = 200,
             .count = 64,
             .srcStride = 200,
             .dstStride = 256,
             .flags = PTO_TRANSFER_PAD,
             .elementBytes = 2,
             .padWidth = 2});
    su.barrier(Pipe::All);
    for (uint32_t row = 0; row < 64; ++row)
      for (uint32_t column = 100; column < 128; ++column)
        EXPECT_EQ(su.loadScalar(Space::Ub, row * 256 + column * 2, 2), 0u);
    su.store({.dst = back, .len = 200, .count = 64, .srcStride = 256, .dstStride = 200});
  });
  EXPECT_EQ(codesOf(result), "");
  EXPECT_EQ(buffers[1], buffers[0]);
}

TEST_F(TransferTest, Example4LeftAndRight) {
  uint64_t x = iota32(8);
  after(128, [&](Su &su) {
    su.load({.src = x,
             .len = 32,
             .count = 1,
             .dstStride = 64,
             .flags = PTO_TRANSFER_PAD,
             .padValue = 0xffffffff,
             .padLeft = 2,
             .padRight = 1});
  });
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(word(i), i >= 2 && i < 10 ? i - 2 : 0xffffffffu) << i;
  EXPECT_EQ(word(16), 0u);
}

TEST_F(TransferTest, Example5LoopGroupedAndLegacy) {
  uint64_t x = pattern(8192);
  Move m{.src = x, .len = 256, .count = 8, .srcStride = 256, .dstStride = 256};
  m.loops = {{4, 2048, 2048}};
  after(8192, [&](Su &su) { su.load(m); });
  EXPECT_EQ(ub(), buffers[0]);
  m.loops.clear();
  m.flags = PTO_TRANSFER_REGISTERS;
  after(8192, [&](Su &su) {
    su.reg(PTO_REG_LOOP_SIZE_OUTTOUB, 4, 1);
    su.reg(PTO_REG_LOOP1_STRIDE_OUTTOUB, 2048, 2048);
    su.load(m);
  });
  EXPECT_EQ(ub(), buffers[0]);
}

TEST_F(TransferTest, Example6TwoLoops) {
  uint64_t x = pattern(256);
  Move m{.src = x, .len = 32, .count = 2, .srcStride = 32, .dstStride = 32};
  m.loops = {{2, 64, 128}, {2, 128, 256}};
  after(512, [&](Su &su) { su.load(m); });
  const uint32_t starts[] = {0, 32, 128, 160, 256, 288, 384, 416};
  std::vector<uint8_t> expected(512);
  for (size_t i = 0; i < 8; ++i)
    std::memcpy(expected.data() + starts[i], buffers[0].data() + 32 * i, 32);
  EXPECT_EQ(ub(), expected);
}

TEST_F(TransferTest, Example7GapCopyInUb) {
  uint64_t x = pattern(256);
  // len 1 nburst(3, 1, 0) in blocks: rows of 32, source step 64, destination step 32.
  after(512, [&](Su &su) {
    su.load({.src = x, .len = 256});
    su.barrier(Pipe::All);
    su.copy({.src = 0, .dst = 256, .len = 32, .count = 3, .srcStride = 64, .dstStride = 32});
  });
  for (size_t block = 0; block < 3; ++block)
    EXPECT_EQ(std::memcmp(ub().data() + 256 + 32 * block, buffers[0].data() + 64 * block, 32), 0);
  EXPECT_EQ(ub()[256 + 96], 0);
}

TEST_F(TransferTest, Example9SeparateStridesOnBothSides) {
  uint64_t x = pattern(1024), out = buffer(4096);
  run([&](Su &su) {
    su.load({.src = x, .len = 1024});
    su.barrier(Pipe::All);
    su.store({.dst = out, .len = 64, .count = 4, .srcStride = 256, .dstStride = 1024});
  });
  std::vector<uint8_t> expected(4096);
  for (size_t row = 0; row < 4; ++row)
    std::memcpy(expected.data() + 1024 * row, buffers[0].data() + 256 * row, 64);
  EXPECT_EQ(buffers[1], expected);
}

TEST_F(TransferTest, Example10RegistersPersistAndAreCapturedAtIssue) {
  uint64_t x = pattern(128);
  options.schedule.kind = ScheduleKind::Lazy;
  after(512, [&](Su &su) {
    su.reg(PTO_REG_LOOP_SIZE_OUTTOUB, 2, 1);
    su.reg(PTO_REG_LOOP1_STRIDE_OUTTOUB, 64, 64);
    su.load({.src = x, .dst = 0, .len = 64, .flags = PTO_TRANSFER_REGISTERS});
    su.load({.src = x, .dst = 128, .len = 64, .flags = PTO_TRANSFER_REGISTERS});
    su.reg(PTO_REG_LOOP_SIZE_OUTTOUB, 1, 1);
    su.load({.src = x, .dst = 256, .len = 64, .flags = PTO_TRANSFER_REGISTERS});
  });
  std::vector<uint8_t> expected(512);
  std::memcpy(expected.data(), buffers[0].data(), 128);
  std::memcpy(expected.data() + 128, buffers[0].data(), 128);
  std::memcpy(expected.data() + 256, buffers[0].data(), 64);
  EXPECT_EQ(ub(), expected);
}

TEST_F(TransferTest, Example11NoRowsMoveNothing) {
  uint64_t x = pattern(128);
  dump = buffer(128);
  LaunchResult result = run([&](Su &su) {
    su.load({.src = x, .len = 32, .count = 0, .flags = PTO_TRANSFER_PAD, .padValue = 7});
    dumpUb(su, 128);
  });
  EXPECT_EQ(codesOf(result), "transfer-empty");
  EXPECT_EQ(result.findings.all()[0].severity, Severity::Remark);
  EXPECT_EQ(ub(), std::vector<uint8_t>(128));
}

TEST_F(TransferTest, Example12Broadcast) {
  uint64_t x = pattern(64);
  after(256, [&](Su &su) { su.load({.src = x, .len = 64, .count = 4, .srcStride = 0, .dstStride = 64}); });
  for (size_t row = 0; row < 4; ++row)
    EXPECT_EQ(std::memcmp(ub().data() + 64 * row, buffers[0].data(), 64), 0);
}

TEST_F(TransferTest, ResetRegistersMeanOnePass) {
  uint64_t x = pattern(64);
  after(128, [&](Su &su) {
    su.reg(PTO_REG_LOOP1_STRIDE_OUTTOUB, 64, 64);
    su.load({.src = x, .len = 64, .flags = PTO_TRANSFER_REGISTERS});
  });
  EXPECT_EQ(std::memcmp(ub().data(), buffers[0].data(), 64), 0);
  EXPECT_EQ(ub()[64], 0);
}

TEST_F(TransferTest, LegacyPadValueKeepsItsWidth) {
  uint64_t x = pattern(32);
  after(128, [&](Su &su) {
    su.reg(PTO_REG_MOV_PAD_VAL, 0x1234, 2);
    su.load({.src = x, .len = 32, .count = 1, .dstStride = 64, .flags = PTO_TRANSFER_REGISTERS | PTO_TRANSFER_PAD});
  });
  for (size_t i = 32; i < 64; i += 2) {
    EXPECT_EQ(ub()[i], 0x34);
    EXPECT_EQ(ub()[i + 1], 0x12);
  }
  EXPECT_EQ(ub()[64], 0);
}

TEST_F(TransferTest, CubeCoreLoadsL1) {
  uint64_t x = pattern(256);
  LaunchResult result = run(
      [&](Su &su) {
        su.transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .len = 256});
        su.barrier(Pipe::All);
        EXPECT_EQ(std::memcmp(su.context->local[size_t(Space::L1)], buffers[0].data(), 256), 0);
      },
      true);
  EXPECT_EQ(codesOf(result), "");
}

// BIAS-2 in bytes: two rows of two blocks, a gap of one block in L1 and none in BT. FRAC-8: BT wants multiples of 64.
TEST_F(TransferTest, CubeCoreLoadsBiasTable) {
  uint64_t x = pattern(256);
  auto load = [&](uint64_t at) {
    return run(
        [&](Su &su) {
          su.transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .len = 256});
          su.barrier(Pipe::All);
          su.transfer(Space::L1, Space::Bt, Pipe::MTE1,
                      {.dst = at, .len = 2, .count = 2, .srcStride = 1, .flags = PTO_TRANSFER_BLOCKS});
          su.barrier(Pipe::All);
          if (at % 64)
            return;
          const auto *bias = static_cast<const uint8_t *>(su.context->local[size_t(Space::Bt)]) + at;
          EXPECT_EQ(std::memcmp(bias, buffers[0].data(), 64), 0);
          EXPECT_EQ(std::memcmp(bias + 64, buffers[0].data() + 96, 64), 0);
        },
        true);
  };
  EXPECT_EQ(codesOf(load(64)), "");
  EXPECT_EQ(codesOf(load(32)), "ub-misaligned");
}

// PARAM-2: the regions of FB lie at their own addresses, 4096 bytes each; FRAC-8: it wants multiples of 64.
TEST_F(TransferTest, CubeCoreLoadsFixpipeParameters) {
  uint64_t x = pattern(256);
  auto load = [&](uint64_t at, bool stays = false) {
    LaunchResult result = run(
        [&](Su &su) {
          const uint8_t *fb = su.context->local[size_t(Space::Fb)];
          su.transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .len = 256});
          su.barrier(Pipe::All);
          su.transfer(Space::L1, Space::Fb, Pipe::FIX,
                      {.dst = at, .len = 2, .count = 2, .srcStride = 2, .flags = PTO_TRANSFER_BLOCKS});
          su.barrier(Pipe::All);
          for (uint64_t region : {0, 0x10000})
            for (uint64_t i = 0; i < 4096; ++i) {
              uint64_t offset = region + i - at;
              uint8_t expected = stays || offset >= 128 ? 0 : buffers[0][offset + (offset < 64 ? 0 : 64)];
              ASSERT_EQ(fb[region + i], expected) << region + i;
            }
        },
        true);
    return result.findings.empty() ? "" : codesOf(result) + ": " + result.findings.all()[0].message;
  };
  EXPECT_EQ(load(0), "");
  EXPECT_EQ(load(4096 - 128), "");
  EXPECT_EQ(load(0x10000), "");
  EXPECT_EQ(load(0x11000 - 128), "");
  std::string outside = "local-out-of-bounds: `pto.unknown` writes ";
  EXPECT_EQ(load(4096 - 64, true), outside + "64 bytes beyond the end of a region of FB: it covers bytes "
                                             "0xfc0..0x103f, a region has 4096");
  EXPECT_EQ(load(0x11000 - 64, true), outside + "64 bytes beyond the end of a region of FB: it covers bytes "
                                                "0x10fc0..0x1103f, a region has 4096");
  EXPECT_TRUE(load(0x2000, true).starts_with(outside));
  EXPECT_TRUE(load(0x20000, true).starts_with(outside));
  EXPECT_TRUE(load(32, true).starts_with("ub-misaligned"));
}

namespace {
/// DMA-18, DMA-22, DMA-26 and ROW-2, one byte at a time.
struct NaiveMachine {
  std::vector<uint8_t> gm, ub; ///< gm is the whole object

  uint8_t readGm(int64_t at) const { return at >= 0 && at < int64_t(gm.size()) ? gm[size_t(at)] : 0; }

  void loops(const Move &m, const std::function<void(int64_t, int64_t)> &row) const {
    std::vector<PtoLoop> dims{{m.count, m.srcStride, m.dstStride}};
    dims.insert(dims.end(), m.loops.begin(), m.loops.end());
    std::function<void(size_t, int64_t, int64_t)> nest = [&](size_t level, int64_t a, int64_t b) {
      if (level == 0)
        return row(a, b);
      for (int64_t i = 0; i < dims[level - 1].count; ++i)
        nest(level - 1, a + i * dims[level - 1].srcStride, b + i * dims[level - 1].dstStride);
    };
    nest(dims.size(), int64_t(m.src), int64_t(m.dst));
  }
  void load(const Move &m) {
    bool pad = m.flags & PTO_TRANSFER_PAD;
    loops(m, [&](int64_t g, int64_t u) {
      if (!pad) {
        for (int64_t i = 0; i < m.len; ++i)
          ub[size_t(u + i)] = readGm(g + i);
        return;
      }
      int64_t lo = m.padLeft * m.elementBytes, end = lo + m.len + m.padRight * m.elementBytes;
      int64_t fillEnd = std::max((end + 31) / 32 * 32, m.dstStride);
      for (int64_t o = 0; o < fillEnd; ++o)
        ub[size_t(u + o)] =
            o >= lo && o < lo + m.len ? readGm(g + o - lo) : uint8_t(m.padValue >> (8 * (o % m.padWidth)));
    });
  }
  void store(const Move &m) {
    loops(m, [&](int64_t u, int64_t g) {
      for (int64_t i = 0; i < m.len; ++i)
        if (g + i >= 0 && g + i < int64_t(gm.size()))
          gm[size_t(g + i)] = ub[size_t(u + i)];
    });
  }
};
} // namespace

TEST_F(TransferTest, RandomOperandsAgainstTheModel) {
  options.checks = Checks::none();
  std::mt19937 rng(99);
  auto below = [&](uint64_t n) { return int64_t(rng() % n); };
  for (int round = 0; round < 600; ++round) {
    Bench bench;
    bench.options.checks = Checks::none();
    bench.options.schedule = {ScheduleKind(round % 3), uint64_t(round)};
    uint64_t base = bench.pattern(size_t(1 + below(6000)), uint32_t(round));
    uint64_t dumpAt = bench.buffer(262144);
    NaiveMachine model{bench.buffers[0], std::vector<uint8_t>(262144)};
    std::vector<std::pair<bool, Move>> moves;
    for (int k = 0; k < 6; ++k) {
      Move m;
      bool isLoad = k < 3 || rng() % 2;
      m.len = 1 + below(100);
      m.count = below(6);
      int64_t gmOffset = below(4000) - 300, ubOffset = below(2000);
      m.srcStride = below(300);
      m.dstStride = below(300);
      m.loops.clear();
      for (int64_t n = below(4); n > 0; --n)
        m.loops.push_back({1 + below(3), below(500), below(500)});
      m.src = uint64_t(isLoad ? gmOffset : ubOffset);
      m.dst = uint64_t(isLoad ? ubOffset : gmOffset);
      if (isLoad && rng() % 2) {
        m.flags = PTO_TRANSFER_PAD;
        m.elementBytes = 1u << (rng() % 3);
        m.padWidth = 1u << (rng() % 3);
        m.padValue = rng();
        m.padLeft = below(5);
        m.padRight = below(5);
      }
      // An object that a transfer starts outside of is the nearest one; keep
      // away from the other buffer by construction of kSpacing.
      if (isLoad)
        model.load(m);
      else
        model.store(m);
      (isLoad ? m.src : m.dst) += base;
      moves.push_back({isLoad, m});
    }
    LaunchResult result = bench.run([&](Su &su) {
      for (auto &[isLoad, m] : moves) {
        if (isLoad)
          su.load(m);
        else
          su.store(m);
        su.barrier(Pipe::All);
      }
      su.store({.src = 0, .dst = dumpAt, .len = 65536, .count = 4, .srcStride = 65536, .dstStride = 65536});
    });
    ASSERT_TRUE(result.completed) << textOf(result);
    ASSERT_EQ(bench.buffers[0], model.gm) << round;
    ASSERT_EQ(bench.buffers[1], model.ub) << round;
  }
}
