//===- TimesTest.cpp - times depend on the program alone ------------------===//
//
// Random programs, clusters and launches under every schedule, with any number of
// threads, with and without checks: the same slices to the last bit.
//
//===----------------------------------------------------------------------===//

#include "Timed.h"

#include "ptoscope/Timing/Lives.h"

#include <algorithm>
#include <cstring>
#include <random>

using namespace ptoscope;
using namespace ptoscope::timing;

namespace {

/// What is compared: everything about slices that no one may change.
std::vector<std::string> linesOf(const Kept &kept) {
  std::vector<std::string> lines;
  for (const Slice &s : kept.slices) {
    char text[256];
    snprintf(text, sizeof(text), "%lld.%u.%u #%llu site %u core %u: %a %a %a %a %u %a %u %llu",
             (long long)s.track.block, s.track.core.index, unsigned(s.track.pipe), (unsigned long long)s.ordinal,
             s.site, s.physicalCore, s.issued, s.start, s.end, s.visible, unsigned(s.reason), s.waited, s.cause,
             (unsigned long long)s.bytes);
    lines.push_back(text);
  }
  return lines;
}

/// One instruction of a random program.
struct Step {
  enum What { Load, Copy, Store, Scope, Set, Wait, WaitThenSet, Barrier, Get, Release, Scalar } what;
  Pipe src = Pipe::S, dst = Pipe::S;
  int64_t id = 0, bytes = 32, mode = 0;
};

class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed, size_t count = 120) : random(seed) {
    constexpr Pipe kPipes[] = {Pipe::S, Pipe::V, Pipe::MTE2, Pipe::MTE3};
    std::map<std::tuple<Pipe, Pipe, int64_t>, bool> up;
    std::map<int64_t, std::pair<Pipe, bool>> held;
    while (steps.size() < count) {
      Step step;
      step.src = kPipes[below(4)];
      step.dst = kPipes[below(4)];
      step.id = below(3);
      step.bytes = 32 * (1 + below(64));
      switch (below(9)) {
      case 0:
      case 1:
        step.what = Step::Load;
        break;
      case 2:
        step.what = Step::Copy;
        break;
      case 3:
        step.what = Step::Store;
        break;
      case 4:
        step.what = below(2) ? Step::Scope : Step::Scalar;
        break;
      case 5:
      case 6: {
        if (step.src == step.dst)
          continue;
        bool &set = up[{step.src, step.dst, step.id}];
        step.what = set ? Step::Wait : step.dst != Pipe::S && below(4) == 0 ? Step::WaitThenSet : Step::Set;
        if (step.what != Step::WaitThenSet)
          set = !set;
        break;
      }
      case 7: {
        if (step.src == Pipe::S)
          step.src = Pipe::All;
        if (step.src == Pipe::All && below(3))
          continue;
        step.what = Step::Barrier;
        break;
      }
      default: {
        auto &[pipe, isHeld] = held[step.id];
        step.what = isHeld ? Step::Release : Step::Get;
        if (!isHeld)
          pipe = step.src;
        step.src = pipe;
        step.mode = below(4) == 0;
        isHeld = !isHeld;
      }
      }
      steps.push_back(step);
    }
  }

  /// `barrierAt`: an additional PIPE_ALL barrier stands there.
  Program program(uint64_t x, uint64_t y, size_t barrierAt = SIZE_MAX) const {
    return [this, x, y, barrierAt](Su &su) {
      const uint64_t own = uint64_t(su.context->blockIdx) * 65536;
      for (size_t i = 0; i < steps.size(); ++i) {
        if (i == barrierAt)
          su.at(0).barrier(Pipe::All);
        su.at(uint32_t(1 + i));
        issue(su, steps[i], x + own, y + own, i);
      }
    };
  }
  std::vector<Step> steps;

private:
  uint64_t below(uint64_t n) { return random() % n; }
  void issue(Su &su, const Step &step, uint64_t x, uint64_t y, size_t i) const {
    const uint64_t at = i % 8 * 2048;
    switch (step.what) {
    case Step::Load:
      return su.load({.src = x + i % 16 * 2048, .dst = at, .len = step.bytes});
    case Step::Copy:
      return su.copy({.src = at, .dst = 32768 + at, .len = step.bytes});
    case Step::Store:
      return su.store({.src = 32768 + at, .dst = y + i % 16 * 2048, .len = step.bytes});
    case Step::Scope:
      return su.scope(nothing);
    case Step::Set:
      return su.set(step.src, step.dst, step.id);
    case Step::Wait:
      return su.wait(step.src, step.dst, step.id);
    case Step::WaitThenSet:
      su.wait(step.src, step.dst, step.id);
      return su.set(step.src, step.dst, step.id);
    case Step::Barrier:
      return su.barrier(step.src);
    case Step::Get:
      return su.get(step.src, step.id, step.mode);
    case Step::Release:
      return su.rls(step.src, step.id, step.mode);
    case Step::Scalar:
      su.loadScalar(Space::Ub, at);
      return;
    }
  }
  std::mt19937_64 random;
  Scope nothing = [](PtoContext *) {};
};

struct TimesTest : ::testing::Test {
  TimedBench bench;
  Model model = Model::of(ProfileId::A5);
  uint64_t x = bench.buffer(1 << 20), y = bench.buffer(1 << 20);
  TimesTest() {
    for (uint32_t line = 2; line < 400; ++line)
      bench.site("pto.some", line);
  }
};

// TIME-1.
TEST_F(TimesTest, EveryScheduleAndThreadCount) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    RandomProgram random(seed);
    Program program = random.program(x, y);
    bench.options.blocks = 1 + int64_t(seed % 5);
    bench.options.schedule = {};
    bench.options.threads = 1;
    model.set("queue.depth", seed % 3 ? 32 : 2);
    const auto expected = bench.timed(program, model);
    ASSERT_EQ(codesOf(expected.result), "") << seed;
    ASSERT_GT(expected.time.cycles, 0);
    for (unsigned i = 0; i < 8; ++i) {
      bench.options.schedule = Bench::schedule(i);
      bench.options.threads = 1 + i % 3;
      const auto run = bench.timed(program, model);
      ASSERT_EQ(run.time.cycles, expected.time.cycles) << seed << " " << i;
      ASSERT_EQ(run.time.firstTouchBytes, expected.time.firstTouchBytes) << seed << " " << i;
      ASSERT_EQ(linesOf(run.kept), linesOf(expected.kept)) << seed << " " << i;
    }
  }
}

TEST_F(TimesTest, ABarrierNeverShortensARun) {
  for (uint64_t seed = 100; seed < 140; ++seed) {
    RandomProgram random(seed, 60);
    const double alone = bench.timed(random.program(x, y), model).time.cycles;
    for (size_t at = 0; at < random.steps.size(); at += 7)
      EXPECT_GE(bench.timed(random.program(x, y, at), model).time.cycles, alone) << seed << " " << at;
  }
}

TEST_F(TimesTest, SlicesOfAPipeFollowEachOther) {
  for (uint64_t seed = 200; seed < 220; ++seed) {
    RandomProgram random(seed, 200);
    const auto run = bench.timed(random.program(x, y), model);
    std::map<Pipe, Slice> last;
    double issued = 0;
    for (const Slice &slice : run.kept.slices) {
      EXPECT_LE(slice.issued, slice.start);
      EXPECT_LE(slice.start, slice.end);
      EXPECT_LE(slice.end, slice.visible);
      EXPECT_LE(issued, slice.issued) << "told in the order of issue";
      issued = slice.issued;
      if (auto it = last.find(slice.track.pipe); it != last.end()) {
        EXPECT_LE(it->second.end, slice.start);
        EXPECT_NEAR(slice.waited, slice.start - it->second.end, 1e-6 + double(slice.track.pipe == Pipe::S) * 1e9);
        EXPECT_EQ(slice.reason == Reason::None, slice.waited == 0);
      }
      if (slice.reason != Reason::QueueFull)
        last[slice.track.pipe] = slice;
    }
  }
}

//===----------------------------------------------------------------------===//
// Cores that meet
//===----------------------------------------------------------------------===//

TEST_F(TimesTest, SemaphoresOrderTheCoresOfACluster) {
  model = plainModel();
  model.set("sync.semaphore.latency", 100);
  const uint32_t set = 7, wait = 8;
  const Cost toL1 = costOf(model, Space::Gm, Space::L1, 4096), load = costOf(model, Space::Gm, Space::Ub, 8192);
  Program cube = [&](Su &su) {
    su.transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .len = 4096});
    su.at(set).syncSet(Pipe::MTE2, 0);
    su.at(set).syncSet(Pipe::MTE2, 16); // AIV1
  };
  Program vector = [&](Su &su) {
    su.at(wait).syncWait(Pipe::MTE2, 0);
    su.at(0).load({.src = x, .len = 8192});
  };
  for (unsigned i = 0; i < 6; ++i) {
    bench.options.schedule = Bench::schedule(i);
    auto run = bench.timedMixed(cube, vector, model);
    ASSERT_EQ(codesOf(run.result), "");
    EXPECT_DOUBLE_EQ(run.time.cycles, toL1.busy + toL1.latency + 100 + load.busy + load.latency);
    for (uint8_t core : {1, 2}) {
      auto slices = run.kept.of(Pipe::MTE2, 0, core);
      ASSERT_EQ(slices.size(), 2u);
      EXPECT_EQ(slices[0].reason, Reason::Semaphore);
      EXPECT_EQ(slices[0].cause, set);
      EXPECT_EQ(slices[0].causeTrack.core.index, 0);
    }
    EXPECT_EQ(run.kept.arrows.size(), 2u);
    EXPECT_EQ(run.time.coresThere, 32u); // clusters
  }
}

// TIME-63.
TEST_F(TimesTest, AllCoresLeaveABarrierWhenTheLastHasCome) {
  model = plainModel();
  model.set("sync.all.latency", 50);
  bench.needsAllBlocks = true;
  bench.options.blocks = 6;
  const Cost one = costOf(model, Space::Ub, Space::Ub, 1024);
  Program program = [&](Su &su) {
    for (int64_t i = 0; i <= su.context->blockIdx; ++i)
      su.copy({.src = 0, .dst = 4096, .len = 1024});
    su.at(5).syncAll(PTO_SYNC_AIV_ONLY);
    su.at(0).copy({.src = 0, .dst = 4096, .len = 1024});
  };
  for (unsigned i = 0; i < 4; ++i) {
    bench.options.schedule = Bench::schedule(i);
    auto run = bench.timed(program, model);
    ASSERT_EQ(codesOf(run.result), "");
    EXPECT_DOUBLE_EQ(run.time.cycles, 6 * one.busy + one.latency + 50 + one.busy + one.latency);
    for (int64_t block = 0; block < 6; ++block) {
      auto scalar = run.kept.of(Pipe::S, block);
      ASSERT_EQ(scalar.size(), 1u);
      EXPECT_EQ(scalar[0].reason, Reason::AllCores);
      EXPECT_EQ(scalar[0].causeTrack.block, 5);
      EXPECT_DOUBLE_EQ(scalar[0].start, 6 * one.busy + one.latency + 50);
    }
  }
}

TEST_F(TimesTest, QueuesOrderTheirEnds) {
  const uint32_t data = 7, space = 8;
  constexpr uint8_t kData = 0, kSpace = 1;
  QueueShape shape;
  shape.toVector = true;
  shape.slots = shape.ahead = 2;
  shape.slotBytes = 4096;
  Program cube = [&](Su &su) {
    const uint8_t peers = queuePeers(su.context, true);
    su.issue([&] { return openQueue(su.context, 1, shape); });
    for (int i = 0; i < 6; ++i) {
      su.issue([&] { return awaitSpace(su.context, 2, Pipe::MTE2, kSpace, peers); });
      su.at(3).transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .len = 4096});
      su.issue([&] { return signalQueue(su.context, data, Pipe::MTE2, kData, peers); });
    }
    closeQueue(su.context, shape);
  };
  Program vector = [&](Su &su) {
    if (su.context->subblockIdx)
      return;
    const uint8_t peers = queuePeers(su.context, true);
    su.issue([&] { return openQueue(su.context, 1, shape); });
    for (int i = 0; i < 6; ++i) {
      su.issue([&] { return awaitData(su.context, 4, Pipe::V, kData, peers); });
      su.at(5).copy({.src = 0, .dst = 65536, .len = 32768});
      su.issue([&] { return freeQueue(su.context, space, Pipe::V, kSpace, peers); });
    }
    closeQueue(su.context, shape);
  };
  const Cost copy = costOf(model, Space::Ub, Space::Ub, 32768);
  double cycles = 0;
  for (unsigned i = 0; i < 6; ++i) {
    bench.options.schedule = Bench::schedule(i);
    auto run = bench.timedMixed(cube, vector, model);
    ASSERT_EQ(codesOf(run.result), "");
    EXPECT_GE(run.time.cycles, 6 * copy.busy);
    ASSERT_EQ(run.time.cycles, i ? cycles : run.time.cycles);
    cycles = run.time.cycles;
    int forData = 0, forSpace = 0;
    for (const Slice &slice : run.kept.slices) {
      forData += slice.reason == Reason::Queue && slice.cause == data && slice.causeTrack.core.index == 0;
      forSpace += slice.reason == Reason::Queue && slice.cause == space && slice.causeTrack.core.index == 1;
    }
    EXPECT_GE(forData, 1);  // the first entry is waited for
    EXPECT_GE(forSpace, 3); // the copies are slower: the ring is full
  }
}

TEST_F(TimesTest, MemoriesAreInUse) {
  struct Uses : TimelineSink {
    std::vector<std::tuple<uint64_t, uint64_t, double, double>> seen;
    void memory(const MemoryUse &use) override {
      EXPECT_EQ(use.space, Space::Ub);
      for (const Life &life : use.lives)
        seen.push_back({life.begin, life.end, life.from, life.to});
    }
  };
  Program program = [&](Su &su) {
    for (int turn = 0; turn < 3; ++turn)
      for (uint64_t half : {0, 1}) {
        su.load({.src = x, .dst = half * 4096, .len = 4096});
        su.copy({.src = half * 4096, .dst = 65536, .len = 2048});
      }
  };
  Uses first;
  for (unsigned i = 0; i < 6; ++i) {
    bench.options.schedule = Bench::schedule(i);
    Touches touches(100, nullptr);
    auto run = bench.timed(program, model, &touches);
    Lives lives(touches);
    run.timer->solve(model, &lives);
    Uses uses;
    lives.tell(uses);
    if (i == 0)
      first = uses;
    EXPECT_EQ(uses.seen, first.seen) << i;
    auto count = [&](uint64_t begin, uint64_t end) {
      return std::ranges::count_if(
          uses.seen, [&](const auto &life) { return std::get<0>(life) == begin && std::get<1>(life) == end; });
    };
    EXPECT_EQ(count(0, 4096), 3);
    EXPECT_EQ(count(4096, 8192), 3);
    EXPECT_EQ(count(65536, 67584), 6);
  }
}

/// An instruction of PIPE_M or PIPE_FIX on a tile of L0C that takes a known time.
void unitInstruction(Su &su, Pipe pipe, UnitFlag flag, uint64_t at) {
  DirectInstruction instruction{pipe};
  instruction.unit = {flag, at, at + 1024};
  instruction.run = [](const void *) {};
  instruction.regions = [](const void *, std::vector<DirectRegion> &) {};
  instruction.work = [](const void *) {
    Work work;
    work.kind = Work::Kind::Product;
    work.timing = Timing::cube;
    work.fromBits = 16;
    work.rows = work.cols = 64;
    work.depth = 64;
    return work;
  };
  su.issue([&] { return issueDirect(su.context, su.site, instruction, {}); });
}

TEST_F(TimesTest, UnitFlagsPassTiles) {
  model = plainModel();
  Work work;
  work.kind = Work::Kind::Product;
  work.timing = Timing::cube;
  work.fromBits = 16;
  work.rows = work.cols = work.depth = 64;
  const Cost one = model.costOf(work);
  Program program = [&](Su &su) {
    using enum UnitFlag;
    unitInstruction(su.at(1), Pipe::M, CheckAndSet, 0);
    unitInstruction(su.at(2), Pipe::M, CheckAndSet, 1024);
    unitInstruction(su.at(3), Pipe::FIX, CheckAndClear, 0);
    unitInstruction(su.at(4), Pipe::FIX, CheckAndClear, 1024);
    unitInstruction(su.at(5), Pipe::M, CheckAndSet, 0); // waits for the first of PIPE_FIX
  };
  for (unsigned i = 0; i < 6; ++i) {
    bench.options.schedule = Bench::schedule(i);
    auto run = bench.timedCube(program, model);
    ASSERT_EQ(codesOf(run.result), "");
    auto fix = run.kept.of(Pipe::FIX, 0, 0), cube = run.kept.of(Pipe::M, 0, 0);
    ASSERT_EQ(fix.size(), 2u);
    ASSERT_EQ(cube.size(), 3u);
    EXPECT_DOUBLE_EQ(fix[0].start, one.busy + one.latency);
    EXPECT_EQ(fix[0].reason, Reason::Tile);
    EXPECT_EQ(fix[0].cause, 1u);
    EXPECT_DOUBLE_EQ(cube[2].start, std::max(2 * one.busy, 2 * (one.busy + one.latency)));
    EXPECT_EQ(cube[2].cause, 3u);
  }
  // TIME-43: the third product has waited, the others have not.
  for (double restart : {10.0, 1000.0}) {
    model.set("cube.wait", restart);
    auto cube = bench.timedCube(program, model).kept.of(Pipe::M, 0, 0);
    EXPECT_DOUBLE_EQ(cube[0].end - cube[0].start, one.busy);
    EXPECT_DOUBLE_EQ(cube[1].end - cube[1].start, one.busy);
    ASSERT_GT(cube[2].waited, 10);
    EXPECT_DOUBLE_EQ(cube[2].end - cube[2].start, one.busy + std::min(restart, cube[2].waited));
  }
}

//===----------------------------------------------------------------------===//
// GM
//===----------------------------------------------------------------------===//

// TIME-50.
TEST_F(TimesTest, CoresShareTheRateOfGm) {
  model = plainModel();
  const uint64_t kBytes = 16384, kTiles = 16;
  const uint64_t z = bench.buffer(64 * kBytes * kTiles);
  auto cycles = [&](int64_t blocks, double rate) {
    bench.options.blocks = blocks;
    model.set("gm.hbm.rate", rate);
    return bench
        .timed(
            [&](Su &su) {
              for (uint64_t i = 0; i < kTiles; ++i)
                su.load({.src = z + (uint64_t(su.context->blockIdx) * kTiles + i) * kBytes, .len = int64_t(kBytes)});
            },
            model)
        .time;
  };
  const Cost one = costOf(model, Space::Gm, Space::Ub, kBytes);
  const double bursts = double(kTiles) * one.overhead; // on top of what is shared
  // Plenty: each is as fast as its port. Little: all bytes at that rate, however many cores.
  EXPECT_DOUBLE_EQ(cycles(64, 1e9).cycles, kTiles * one.busy + one.latency);
  for (int64_t blocks : {16, 32, 64}) {
    const LaunchTime time = cycles(blocks, 100);
    EXPECT_NEAR(time.cycles, double(uint64_t(blocks) * kTiles * kBytes) / 100 + bursts + one.latency, 1);
    EXPECT_EQ(time.gmReadBytes, double(uint64_t(blocks) * kTiles * kBytes));
    EXPECT_EQ(time.firstTouchBytes, time.gmReadBytes);
    EXPECT_EQ(time.hitShare, 0);
  }
  // A fraction of the cores moves its bytes as fast as the memory gives them.
  EXPECT_NEAR(cycles(1, 100).cycles, double(kTiles * kBytes) / 100 + bursts + one.latency, 1);
}

TEST_F(TimesTest, OverlappingTransfersDoNotExceedTheRate) {
  model = plainModel();
  const uint64_t kBytes = 16384, kTiles = 32;
  const uint64_t from = bench.buffer(64 * kBytes * kTiles), to = bench.buffer(64 * kBytes * kTiles);
  bench.options.blocks = 64;
  model.set("gm.hbm.rate", 200);
  const LaunchTime time = bench
                              .timed(
                                  [&](Su &su) {
                                    for (uint64_t i = 0; i < kTiles; ++i) {
                                      const uint64_t at = (uint64_t(su.context->blockIdx) * kTiles + i) * kBytes;
                                      su.load({.src = from + at, .len = int64_t(kBytes)});
                                      su.store({.src = 65536, .dst = to + at, .len = int64_t(kBytes)});
                                    }
                                  },
                                  model)
                              .time;
  const double least = 2.0 * 64 * kTiles * kBytes / 200;
  EXPECT_GE(time.cycles, 0.99 * least);
  EXPECT_LE(time.cycles, 1.05 * least);
}

// TIME-51.
TEST_F(TimesTest, WhatIsReadAgainComesFromTheCache) {
  model = plainModel();
  const uint64_t kBytes = 16384;
  auto hits = [&](double cacheBytes) {
    model.set("gm.l2.bytes", cacheBytes);
    return bench
        .timed(
            [&](Su &su) {
              for (uint64_t i = 0; i < 64; ++i) // four times the same 256 KiB
                su.load({.src = x + i % 16 * kBytes, .len = int64_t(kBytes)});
            },
            model)
        .time.hitShare;
  };
  EXPECT_DOUBLE_EQ(hits(1 << 20), 0.75);
  EXPECT_LT(hits(1 << 17), 0.05);
}

// TIME-53.
TEST_F(TimesTest, LinesThatManyCoresLoadTakeLonger) {
  model = plainModel();
  const uint64_t kBytes = 16384, kLines = kBytes / 512;
  const uint64_t z = bench.buffer(64 * kBytes);
  auto cycles = [&](int64_t blocks, uint64_t sharing, double wait) {
    bench.options.blocks = blocks;
    model.set("gm.shared", wait);
    return bench
        .timed(
            [&](Su &su) {
              su.load({.src = z + uint64_t(su.context->blockIdx) / sharing * kBytes, .len = int64_t(kBytes)});
              su.load({.src = z + uint64_t(32 + su.context->blockIdx) * kBytes, .dst = kBytes, .len = int64_t(kBytes)});
            },
            model)
        .time.cycles;
  };
  EXPECT_DOUBLE_EQ(cycles(1, 1, 5), cycles(1, 1, 0));
  EXPECT_DOUBLE_EQ(cycles(16, 1, 5), cycles(16, 1, 0));
  // One of two tiles has so many readers, the other has one.
  for (uint64_t readers : {2, 4, 16}) {
    const double mean = double(readers + 1) / 2;
    EXPECT_NEAR(cycles(16, readers, 5) - cycles(16, readers, 0), 2 * kLines * 5 * (mean - 1), 1e-6);
  }
}

//===----------------------------------------------------------------------===//
// Long runs
//===----------------------------------------------------------------------===//

uint64_t residentBytes() {
  FILE *file = fopen("/proc/self/statm", "r");
  unsigned long long pages = 0, resident = 0;
  EXPECT_EQ(fscanf(file, "%llu %llu", &pages, &resident), 2);
  fclose(file);
  return resident * 4096;
}

class LongTimesTest : public TimesTest {
protected:
  /// A timer that has seen the program and tells no one.
  std::unique_ptr<Timer> recorded(const Program &program) {
    image.aiv = [](PtoContext *, const uint64_t *) { return 0; };
    image.sites = &bench.sites;
    auto timer = makeTimer(image, *bench.options.profile, model, bench.options, nullptr);
    bench.options.observers = timer.get();
    EXPECT_EQ(codesOf(bench.run(program)), "");
    bench.options.observers = nullptr;
    return timer;
  }

private:
  KernelImage image;
};

TEST_F(LongTimesTest, MemoryStaysBounded) {
  // More than the budget of 64 MiB: what is beyond it lies in a file, and reads the same.
  const uint64_t kTurns = 3'000'000;
  Program program = [&](Su &su) {
    for (uint64_t i = 0; i < kTurns; ++i) {
      su.load({.src = x, .len = 32});
      su.set(Pipe::MTE2, Pipe::V);
      su.wait(Pipe::MTE2, Pipe::V);
      su.copy({.src = 0, .dst = 64, .len = 32});
    }
  };
  const uint64_t before = residentBytes();
  auto timer = recorded(program);
  const LaunchTime time = timer->solve(model, nullptr);
  // The host may take pages back meanwhile.
  EXPECT_LT(residentBytes(), before + (uint64_t(100) << 20));
  EXPECT_EQ(time.pipes[1][size_t(Pipe::MTE2)].instructions, 2 * kTurns);
  EXPECT_GT(time.cycles, double(kTurns));
  EXPECT_EQ(timer->solve(model, nullptr).cycles, time.cycles);
}

TEST_F(LongTimesTest, EqualBlocksTakeNoMemory) {
  const int64_t kBlocks = 100'000;
  bench.options.blocks = kBlocks;
  Program program = [&](Su &su) {
    su.load({.src = x, .len = 32});
    if (su.context->blockIdx % 3 == 0)
      su.load({.src = x, .len = 64});
  };
  const uint64_t before = residentBytes();
  auto timer = recorded(program);
  // A block of its own takes more than a kilobyte.
  EXPECT_LT(residentBytes(), before + (uint64_t(40) << 20));
  EXPECT_EQ(timer->solve(model, nullptr).pipes[1][size_t(Pipe::MTE2)].instructions,
            uint64_t(kBlocks + kBlocks / 3 + 1));
}

} // namespace
