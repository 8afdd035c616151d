//===- ClusterLaunchTest.cpp - checked clusters on the real machine -------===//
//
// Whole kernels with several cores and several blocks, broken and repaired,
// under every schedule and for several numbers of host threads.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/Checkers.h"

#include "gtest/gtest.h"

#include <set>

using namespace ptoscope;

namespace {

/// What is left out; passed as a kernel argument.
enum Missing : uint64_t { Nothing, Ready, Free, Barrier };

struct Calls {
  PtoContext *context;
  int32_t stop = 0;

  void move(uint32_t site, Pipe pipe, Space from, Space to, uint64_t src, uint64_t dst, int64_t subblock = 0) {
    PtoTransfer t{};
    t.srcSpace = uint32_t(from);
    t.dstSpace = uint32_t(to);
    t.pipe = uint32_t(pipe);
    t.flags = PTO_TRANSFER_SUBBLOCK;
    t.dstSubblock = subblock;
    t.elementBytes = t.padWidth = 1;
    t.src = src;
    t.dst = dst;
    t.len = 64;
    t.count = 1;
    if (!stop)
      stop = ptosc_transfer(context, site, &t);
  }
  void flag(Pipe src, Pipe dst, int64_t id = 0) {
    if (!stop)
      stop = ptosc_set_flag(context, 9, uint32_t(src), uint32_t(dst), id);
    if (!stop)
      stop = ptosc_wait_flag(context, 9, uint32_t(src), uint32_t(dst), id);
  }
  void set(Pipe pipe, int64_t id) {
    if (!stop)
      stop = ptosc_sync_set(context, 9, uint32_t(pipe), id);
  }
  void wait(Pipe pipe, int64_t id) {
    if (!stop)
      stop = ptosc_sync_wait(context, 9, uint32_t(pipe), id);
  }
};

constexpr int64_t kTiles = 5;

/// x -> L1 -> UB of each vector core.
int32_t cube(PtoContext *context, const uint64_t *arguments) {
  Calls c{context};
  uint64_t part = arguments[0] + uint64_t(context->blockIdx) * kTiles * 128;
  for (int64_t tile = 0; tile < kTiles; ++tile)
    for (int64_t k = 0; k < 2; ++k) {
      if (tile)
        c.flag(Pipe::MTE1, Pipe::MTE2, k);
      c.move(1, Pipe::MTE2, Space::Gm, Space::L1, part + uint64_t(tile * 2 + k) * 64, uint64_t(k) * 64);
      c.flag(Pipe::MTE2, Pipe::MTE1, k);
      if (tile && arguments[2] != Free)
        c.wait(Pipe::MTE1, 3 + 16 * k);
      c.move(2, Pipe::MTE1, Space::L1, Space::Ub, uint64_t(k) * 64, 0, k);
      c.flag(Pipe::MTE1, Pipe::FIX, k);
      c.set(Pipe::FIX, 1 + 16 * k);
    }
  return c.stop;
}

/// UB -> y, then, after a barrier over the launch, the neighbour's part of y -> z.
int32_t vector(PtoContext *context, const uint64_t *arguments) {
  Calls c{context};
  uint64_t y = arguments[1], k = uint64_t(context->subblockIdx), block = uint64_t(context->blockIdx);
  uint64_t part = y + block * kTiles * 128;
  for (int64_t tile = 0; tile < kTiles; ++tile) {
    if (arguments[2] != Ready)
      c.wait(Pipe::MTE3, 1);
    c.move(3, Pipe::MTE3, Space::Ub, Space::Gm, 0, part + (uint64_t(tile) * 2 + k) * 64);
    c.set(Pipe::MTE3, 3);
  }
  if (!c.stop)
    c.stop = arguments[2] == Barrier ? ptosc_barrier(context, 9, uint32_t(Pipe::All))
                                     : ptosc_syncall(context, 5, PTO_SYNC_AIV_ONLY, 0);
  uint64_t next = (block + 1) % uint64_t(context->blockNum);
  c.move(6, Pipe::MTE2, Space::Gm, Space::Ub, y + next * kTiles * 128 + k * 64, 512);
  c.flag(Pipe::MTE2, Pipe::MTE3);
  c.move(7, Pipe::MTE3, Space::Ub, Space::Gm, 512, arguments[3] + (block * 2 + k) * 64);
  return c.stop;
}

struct Outcome {
  std::set<std::string> codes;
  std::vector<uint8_t> y, z;
};

Outcome runKernel(uint64_t missing, Schedule schedule, unsigned threads = 1) {
  constexpr int64_t kBlocks = 4;
  SiteTable sites;
  for (uint32_t i = 0; i < 10; ++i) {
    Site site;
    site.place = {"k.pto", i, 1};
    site.op = "op" + std::to_string(i);
    sites.add(site);
  }
  std::vector<uint8_t> x(kBlocks * kTiles * 128), z(kBlocks * 128);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = uint8_t(i * 7 + i / 256 + 1);
  Outcome outcome;
  outcome.y.resize(x.size());
  GmTable gm;
  std::vector<uint64_t> arguments = {gm.add(x.data(), x.size(), "%x"), gm.add(outcome.y.data(), outcome.y.size(), "%y"),
                                     missing};
  arguments.push_back(gm.add(z.data(), z.size(), "%z"));
  KernelImage image;
  image.aic = cube;
  image.aiv = vector;
  image.sites = &sites;
  image.name = "mixed";
  image.needsAllBlocks = true;
  LaunchOptions options;
  options.profile = findProfile("a5");
  options.blocks = kBlocks;
  options.schedule = schedule;
  options.threads = threads;
  auto checkers = makeCheckers(sites, gm, *options.profile, options.checks);
  options.observers = checkers.get();
  LaunchResult result = launch(image, gm, arguments, options);
  EXPECT_TRUE(result.completed);
  for (const Finding &f : result.findings.all())
    if (f.severity == Severity::Error)
      outcome.codes.insert(f.code + " " + std::to_string(f.place.line));
  if (missing == Nothing) {
    EXPECT_EQ(outcome.y, x);
    for (int64_t block = 0; block < kBlocks; ++block)
      EXPECT_TRUE(std::equal(z.begin() + block * 128, z.begin() + block * 128 + 128,
                             x.begin() + (block + 1) % kBlocks * kTiles * 128));
  }
  outcome.z = z;
  return outcome;
}

using Codes = std::set<std::string>;

TEST(ClusterLaunch, BrokenAndRepairedUnderEverySchedule) {
  for (unsigned i = 0; i < 12; ++i) {
    Schedule schedule = i == 0   ? Schedule{ScheduleKind::Eager, 0}
                        : i == 1 ? Schedule{ScheduleKind::Lazy, 0}
                                 : Schedule{ScheduleKind::Random, i};
    EXPECT_EQ(runKernel(Nothing, schedule).codes, Codes()) << i;
    auto race = [](const Codes &codes) {
      for (const std::string &code : codes)
        if (code.starts_with("race-"))
          return true;
      return false;
    };
    EXPECT_TRUE(race(runKernel(Ready, schedule).codes)) << i;
    EXPECT_TRUE(race(runKernel(Free, schedule).codes)) << i;
    Codes blocks = runKernel(Barrier, schedule).codes;
    EXPECT_TRUE(blocks.count("race-blocks 6") || blocks.count("race-blocks 3")) << i;
  }
}

TEST(ClusterLaunch, ThreadsDoNotChangeAnything) {
  for (uint64_t missing : {Nothing, Ready, Free, Barrier}) {
    Outcome one = runKernel(missing, {}, 1), three = runKernel(missing, {}, 3);
    EXPECT_EQ(one.codes, three.codes);
    EXPECT_EQ(one.y, three.y);
    EXPECT_EQ(one.z, three.z);
  }
}

} // namespace
