//===- ScopeTest.cpp - accesses of a vector scope -------------------------===//
//
// Traps without checks, checked loads and stores, and delayed stores of random
// schedules with their fences.
// Rules: LAUNCH-5, SMEM-7, VSCOPE-10, FENCE-1, FENCE-16.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "ptoscope/Machine/SequenceRuntime.h"

#include <csignal>
#include <cstring>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

using namespace ptoscope;

namespace {
struct ScopeTest : ::testing::Test, Bench {
  uint32_t scope = site("pto.vecscope", 10), load = site("pto.vlds", 11, 1), store = site("pto.vsts", 12, 1);
  LaunchResult runScope(const Scope &body) {
    return run([&](Su &su) { su.at(scope).scope(body); });
  }
};
} // namespace

TEST_F(ScopeTest, StrayAccessTrapsAndEndsTheBlock) {
  options.checks = Checks::none();
  int after = 0;
  Scope stray = [&](PtoContext *c) {
    volatile uint8_t *ub = c->local[size_t(Space::Ub)];
    ub[262144 + 100] = 7;
    EXPECT_EQ(ub[262144 + 100], 7); // the instruction finishes
    (void)ub[0xffffffffu];
    ++after;
  };
  LaunchResult r = run([&](Su &su) {
    su.at(scope).scope(stray);
    EXPECT_EQ(su.stop, 1);
    su.at(scope).scope(stray);
  });
  EXPECT_EQ(after, 1);
  EXPECT_FALSE(r.completed);
  EXPECT_EQ(textOf(r), "k.pto:10: ub-out-of-bounds: an access of `pto.vecscope` touches UB byte 0x40064, 101 bytes "
                       "beyond its 262144 bytes\n  help: run with `--check memory` for the exact instruction\n");
  // The page is closed again: the next block traps too.
  options.blocks = 3;
  r = runScope(stray);
  ASSERT_EQ(r.findings.all().size(), 1u);
  EXPECT_EQ(r.findings.all()[0].count, 3u);
  EXPECT_EQ(after, 4);
}

TEST_F(ScopeTest, TrapsOnOtherThreadsAndFarAway) {
  options.checks = Checks::none();
  options.blocks = 8;
  options.threads = 4;
  Scope stray = [](PtoContext *c) {
    volatile uint8_t *ub = c->local[size_t(Space::Ub)];
    for (uint64_t at = 262144; at < 262144 + 40 * 4096; at += 4096)
      ub[at] = 1;
    ub[0xffffffffu + 255] = 1;
  };
  LaunchResult r = runScope(stray);
  ASSERT_EQ(r.findings.all().size(), 1u) << textOf(r);
  EXPECT_EQ(r.findings.all()[0].count, 8u);
}

TEST_F(ScopeTest, FaultsElsewhereGoToThePreviousHandler) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  options.checks = Checks::none();
  auto wild = [&] {
    struct sigaction previous = {};
    previous.sa_handler = [](int) { _exit(42); };
    sigaction(SIGSEGV, &previous, nullptr);
    void *closed = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    Scope body = [&](PtoContext *c) {
      c->local[size_t(Space::Ub)][300000] = 1; // ours
      *static_cast<volatile uint8_t *>(closed) = 1;
    };
    runScope(body);
  };
  EXPECT_EXIT(wild(), ::testing::ExitedWithCode(42), "");
}

TEST_F(ScopeTest, FailuresInsideAScopeCarryItsIterations) {
  uint32_t inner = site("arith.divsi", 13, 1), outer = site("pto.vecscope", 14, 1);
  Scope body = [&](PtoContext *c) {
    c->scopeIterations[0] = 8;
    EXPECT_EQ(ptosc_fail(c, inner, PTO_FAIL_DIVISION, 0), 1);
  };
  LaunchResult r = run([&](Su &su) {
    su.context->suIterations[0] = 2;
    su.at(outer).scope(body);
    EXPECT_EQ(su.stop, 1);
  });
  EXPECT_EQ(codesOf(r), "division");
  EXPECT_EQ(r.findings.all()[0].iterations, (std::vector<int64_t>{2, 8}));
}

TEST_F(ScopeTest, MemoryIsZeroForEveryBlock) {
  options.blocks = 4;
  Scope dirty = [](PtoContext *c) {
    for (Space space : {Space::Ub, Space::L1}) {
      uint8_t *memory = c->local[size_t(space)];
      for (size_t i = 0; i < 262144; i += 61) {
        EXPECT_EQ(memory[i], 0);
        memory[i] = 0xaa;
      }
    }
  };
  EXPECT_EQ(codesOf(runScope(dirty)), "");
}

TEST_F(ScopeTest, CheckedLoadsSeeExactBounds) {
  Scope body = [&](PtoContext *c) {
    uint8_t *ub = c->local[size_t(Space::Ub)];
    for (int i = 0; i < 256; ++i)
      ub[262144 - 256 + i] = uint8_t(i + 1);
    PtoLoadShadow shadow;
    EXPECT_EQ(ptosc_check_load(c, load, 262144 - 256, 256, 32, nullptr, &shadow), ub + 262144 - 256);
    EXPECT_EQ(shadow.stamp, 0u);
    EXPECT_EQ(shadow.defined[3], ~uint64_t(0));
  };
  EXPECT_EQ(codesOf(runScope(body)), "");

  // The whole window has to exist, whatever is used of it.
  Scope halfUsed = [&](PtoContext *c) {
    PtoLoadShadow shadow;
    const uint64_t firstHalf[4] = {~uint64_t(0), ~uint64_t(0), 0, 0};
    const uint8_t *tail = ptosc_check_load(c, load, 262144 - 128, 256, 32, firstHalf, &shadow);
    EXPECT_EQ(tail[0], 0);
  };
  EXPECT_EQ(codesOf(runScope(halfUsed)), "ub-out-of-bounds");

  Scope bad = [&](PtoContext *c) {
    c->scopeIterations[0] = 4;
    PtoLoadShadow shadow;
    c->local[size_t(Space::Ub)][262144 - 128] = 9;
    const uint8_t *zeros = ptosc_check_load(c, load, 262144 - 128, 256, 32, nullptr, &shadow);
    EXPECT_EQ(zeros[0], 0);
    zeros = ptosc_check_load(c, load, 4, 256, 32, nullptr, &shadow);
    EXPECT_EQ(zeros[0], 0);
    EXPECT_NE(ptosc_check_load(c, load, 4, 256, 1, nullptr, &shadow), zeros);
  };
  LaunchResult r = runScope(bad);
  EXPECT_EQ(codesOf(r), "ub-out-of-bounds ub-misaligned");
  EXPECT_EQ(r.findings.all()[0].message,
            "`pto.vlds` reads UB bytes 0x3ff80..0x4007f (a window of 256 bytes at 0x3ff80), 128 of them beyond the "
            "262144 bytes of UB");
  EXPECT_EQ(r.findings.all()[0].iterations, std::vector<int64_t>{4});
  EXPECT_EQ(r.findings.all()[1].message, "`pto.vlds` reads UB at byte 0x4, which is not a multiple of 32");
  EXPECT_TRUE(r.completed);
  EXPECT_EQ(r.stats.vectorAccesses, 3u);
}

TEST_F(ScopeTest, LoadsOfAllRegistersOfAVector) {
  Scope body = [&](PtoContext *c) {
    PtoLoadShadow shadows[3];
    const uint8_t *from[3];
    const PtoRegisters inside{load, 3, 256, 256, 256, 32, 0, 0};
    EXPECT_EQ(ptosc_check_loads(c, &inside, 262144 - 768, shadows, from), ~uint64_t(0)); // nobody says otherwise
    EXPECT_EQ(from[2], c->local[size_t(Space::Ub)] + 262144 - 256);
    EXPECT_EQ(ptosc_check_loads(c, &inside, 262144 - 512, shadows, from), ~uint64_t(0));
    EXPECT_EQ(from[2][0], 0);
  };
  EXPECT_EQ(codesOf(runScope(body)), "ub-out-of-bounds");
}

TEST_F(ScopeTest, BitsOfTheFirstLanes) {
  uint64_t bits[8];
  auto expect = [&](int64_t count, uint32_t bytes, int64_t on) {
    ptosc_prefix_bits(count, bytes, 2, bits);
    for (int64_t bit = 0; bit < 512; ++bit)
      ASSERT_EQ(bits[bit / 64] >> (bit % 64) & 1, uint64_t(bit < on))
          << count << " lanes of " << bytes << ", bit " << bit;
  };
  for (uint32_t bytes : {1u, 2u, 4u, 8u})
    for (int64_t lanes = 0; lanes <= 512 / bytes; ++lanes)
      expect(lanes, bytes, lanes * bytes);
  expect(-5, 4, 0);
  expect(INT64_MIN, 4, 0);
  expect(INT64_MAX, 4, 512);
}

TEST_F(ScopeTest, CheckedStores) {
  Scope body = [&](PtoContext *c) {
    uint8_t *ub = c->local[size_t(Space::Ub)];
    const uint64_t none[4] = {}, low[4] = {0xff, 0, 0, 0}, high[4] = {0, 0, 0, uint64_t(1) << 63};
    EXPECT_EQ(ptosc_check_store(c, store, 0, 256, 32, nullptr, nullptr, nullptr, 0), ub);
    EXPECT_EQ(ptosc_check_store(c, store, 262144 - 32, 256, 32, low, nullptr, nullptr, 0), ub + 262144 - 32);
    ptosc_check_store(c, store, 0xffffff00u, 256, 32, none, nullptr, nullptr, 0);
    uint8_t *scratch = ptosc_check_store(c, store, 262144 - 32, 256, 32, high, nullptr, nullptr, 0);
    EXPECT_TRUE(scratch < ub || scratch > ub + (uint64_t(1) << 32));
    std::memset(scratch, 1, 256);
  };
  LaunchResult r = runScope(body);
  EXPECT_EQ(codesOf(r), "ub-out-of-bounds");
  EXPECT_EQ(r.findings.all()[0].message,
            "`pto.vsts` writes UB bytes 0x400df..0x400df (a window of 256 bytes at 0x3ffe0), 1 of them beyond the "
            "262144 bytes of UB");
  // Without the memory check an access that cannot be made ends the block.
  options.checks.memory = false;
  r = runScope(body);
  EXPECT_EQ(codesOf(r), "ub-out-of-bounds");
  EXPECT_FALSE(r.completed);
}

TEST_F(ScopeTest, PartialStoreWritesActiveBytesOnly) {
  Scope body = [&](PtoContext *c) {
    uint8_t *ub = c->local[size_t(Space::Ub)];
    uint8_t data[130];
    std::memset(data, 5, sizeof(data));
    uint64_t active[3] = {0x8000000000000001u, ~uint64_t(0), 2};
    ptosc_partial_store(c, store, ub + 64, 130, data, active);
    for (uint32_t i = 0; i < 130; ++i)
      EXPECT_EQ(ub[64 + i], (active[i / 64] >> (i % 64)) & 1 ? 5 : 0) << i;
    EXPECT_EQ(ub[63], 0);
    EXPECT_EQ(ub[64 + 130], 0);
  };
  EXPECT_EQ(codesOf(runScope(body)), "");
}

namespace {
/// Distinct results of `body` on the first 64 bytes of UB over many seeds.
std::set<std::string> results(Bench &bench, const std::function<void(PtoContext *, std::string &)> &body,
                              unsigned seeds = 60) {
  std::set<std::string> all;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    bench.options.schedule = {ScheduleKind::Random, seed};
    std::string seen;
    Scope scope = [&](PtoContext *c) { body(c, seen); };
    bench.run([&](Su &su) {
      su.scope(scope);
      su.barrier(Pipe::All);
      const uint8_t *ub = su.context->local[size_t(Space::Ub)];
      seen += " end ";
      for (int i = 0; i < 4; ++i)
        seen += char('0' + ub[i]);
    });
    all.insert(seen);
  }
  return all;
}
void vst(PtoContext *c, uint32_t at, uint8_t value, uint32_t bytes = 4) {
  std::vector<uint8_t> data(bytes, value);
  ptosc_buffered_store(c, 0, c->local[size_t(Space::Ub)] + at, bytes, data.data(), nullptr);
}
void sst(PtoContext *c, uint32_t at, uint8_t value) { ptosc_store_scalar(c, 0, uint32_t(Space::Ub), at, 1, 1, value); }
char vld(PtoContext *c, uint32_t at) { return char('0' + c->local[size_t(Space::Ub)][at]); }
char sld(PtoContext *c, uint32_t at) {
  uint64_t value = 0;
  ptosc_load_scalar(c, 0, uint32_t(Space::Ub), at, 1, 1, &value);
  return char('0' + char(value));
}
} // namespace

TEST_F(ScopeTest, VectorStoreThenLoadNeedsAFence) {
  EXPECT_EQ(results(*this,
                    [](PtoContext *c, std::string &s) {
                      vst(c, 0, 1);
                      s += vld(c, 0);
                    }),
            (std::set<std::string>{"0 end 1111", "1 end 1111"}));
  for (Fence fence : {Fence::VST_VLD, Fence::VV_ALL})
    EXPECT_EQ(results(*this,
                      [=](PtoContext *c, std::string &s) {
                        vst(c, 0, 1);
                        ptosc_fence(c, 0, uint32_t(fence));
                        s += vld(c, 0);
                      }),
              (std::set<std::string>{"1 end 1111"}));
  // A fence of another kind does not help.
  EXPECT_EQ(results(*this,
                    [](PtoContext *c, std::string &s) {
                      vst(c, 0, 1);
                      ptosc_fence(c, 0, uint32_t(Fence::VST_VST));
                      s += vld(c, 0);
                    })
                .size(),
            2u);
}

TEST_F(ScopeTest, VectorStoresToTheSameBytesNeedAFence) {
  EXPECT_EQ(results(*this,
                    [](PtoContext *c, std::string &) {
                      vst(c, 0, 1);
                      vst(c, 0, 2);
                    }),
            (std::set<std::string>{" end 1111", " end 2222"}));
  for (Fence fence : {Fence::VST_VST, Fence::VV_ALL, Fence::VST_VLD})
    EXPECT_EQ(results(*this,
                      [=](PtoContext *c, std::string &) {
                        vst(c, 0, 1);
                        ptosc_fence(c, 0, uint32_t(fence));
                        vst(c, 0, 2);
                      }),
              (std::set<std::string>{" end 2222"}));
}

TEST_F(ScopeTest, ScalarStoresKeepTheirOrderAndAreSeenByScalarLoads) {
  EXPECT_EQ(results(*this,
                    [](PtoContext *c, std::string &s) {
                      sst(c, 0, 1);
                      sst(c, 0, 2);
                      s += sld(c, 0);
                      sst(c, 1, 3);
                      s += sld(c, 1);
                    }),
            (std::set<std::string>{"23 end 2300"}));
}

TEST_F(ScopeTest, ScalarAgainstVectorNeedsAFence) {
  EXPECT_EQ(results(*this,
                    [](PtoContext *c, std::string &s) {
                      sst(c, 0, 1);
                      s += vld(c, 0);
                    })
                .count("0 end 1000"),
            1u);
  EXPECT_EQ(results(*this,
                    [](PtoContext *c, std::string &s) {
                      sst(c, 0, 1);
                      ptosc_fence(c, 0, uint32_t(Fence::ST_VLD));
                      s += vld(c, 0);
                    }),
            (std::set<std::string>{"1 end 1000"}));
  EXPECT_EQ(results(*this,
                    [](PtoContext *c, std::string &) {
                      sst(c, 0, 1);
                      vst(c, 0, 2);
                    })
                .size(),
            2u);
  EXPECT_EQ(results(*this,
                    [](PtoContext *c, std::string &) {
                      sst(c, 0, 1);
                      ptosc_fence(c, 0, uint32_t(Fence::ST_VST));
                      vst(c, 0, 2);
                    }),
            (std::set<std::string>{" end 2222"}));
  EXPECT_EQ(results(*this,
                    [](PtoContext *c, std::string &) {
                      vst(c, 0, 2);
                      sst(c, 0, 1);
                    })
                .size(),
            2u);
  EXPECT_EQ(results(*this,
                    [](PtoContext *c, std::string &) {
                      vst(c, 0, 2);
                      ptosc_fence(c, 0, uint32_t(Fence::VST_ST));
                      sst(c, 0, 1);
                    }),
            (std::set<std::string>{" end 1222"}));
  EXPECT_EQ(results(*this,
                    [](PtoContext *c, std::string &s) {
                      vst(c, 0, 2);
                      ptosc_fence(c, 0, uint32_t(Fence::VST_LD));
                      s += sld(c, 0);
                    }),
            (std::set<std::string>{"2 end 2222"}));
}

TEST_F(ScopeTest, ManyStoresStayBounded) {
  options.schedule = {ScheduleKind::Random, 3};
  Scope body = [](PtoContext *c) {
    for (uint32_t i = 0; i < 20000; ++i) {
      vst(c, (i % 500) * 256, uint8_t(i / 500), 256);
      if (i % 7 == 0)
        ptosc_fence(c, 0, uint32_t(Fence::VST_VST));
      sst(c, 200000 + i % 100, uint8_t(i));
    }
  };
  EXPECT_EQ(codesOf(runScope(body)), "");
}

TEST_F(ScopeTest, BufferedStoreIsImmediateUnderOtherSchedules) {
  Scope body = [](PtoContext *c) {
    vst(c, 0, 1);
    EXPECT_EQ(vld(c, 0), '1');
  };
  EXPECT_EQ(codesOf(runScope(body)), "");
  options.schedule.kind = ScheduleKind::Lazy;
  EXPECT_EQ(codesOf(runScope(body)), "");
}

TEST_F(ScopeTest, PollEndsLongLoops) {
  uint64_t turns = 0;
  Scope endless = [&](PtoContext *c) {
    for (turns = 0; ptosc_scope_turns(c, load, 1, 1) == 1; ++turns) {
    }
  };
  options.maxSteps = 5000;
  LaunchResult r = runScope(endless);
  EXPECT_EQ(codesOf(r), "max-steps");
  EXPECT_EQ(r.findings.all()[0].place.line, 11u);
  EXPECT_LT(turns, 5001u);
  options.maxSteps = 0;
  std::atomic<bool> interrupt = true;
  Scope later = [&](PtoContext *c) {
    interrupt = true;
    endless(c);
  };
  interrupt = false;
  options.interrupt = &interrupt;
  EXPECT_EQ(codesOf(runScope(later)), "interrupted");
  // A stray access ends the loop as well.
  interrupt = false;
  options.checks = Checks::none();
  Scope stray = [&](PtoContext *c) {
    volatile uint8_t *ub = c->local[size_t(Space::Ub)];
    ub[300000] = 1;
    for (turns = 0; ptosc_scope_turns(c, load, 1, 1) == 1; ++turns) {
    }
  };
  EXPECT_EQ(codesOf(runScope(stray)), "ub-out-of-bounds");
  EXPECT_EQ(turns, 0u);
}
