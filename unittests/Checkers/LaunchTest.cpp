//===- LaunchTest.cpp - the checkers on the real machine ------------------===//
//
// A double-buffered kernel written against the runtime interface, run under
// every schedule: the correct one is silent and gives the same bytes, and each
// kernel with one edge removed is reported under every schedule.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/Checkers.h"

#include "gtest/gtest.h"

#include <cstring>
#include <set>

using namespace ptoscope;

namespace {

constexpr int64_t kTiles = 6;
constexpr uint32_t kTile = 512;

enum Site : uint32_t { Load, Scope, VLoad, VStore, Store, Sync, kSites };

/// Which edge is left out; passed as a kernel argument.
enum Missing : uint64_t { Nothing, InputReady, OutputReady, InputFree, OutputFree, kMissing };

void negate(PtoContext *context, const uint64_t *captures) {
  uint32_t in = uint32_t(captures[0]), out = uint32_t(captures[1]);
  for (uint32_t at = 0; at < kTile; at += 256) {
    PtoLoadShadow shadow;
    const uint8_t *source = ptosc_check_load(context, VLoad, in + at, 256, 32, nullptr, &shadow);
    uint8_t value[256];
    for (int i = 0; i < 256; ++i)
      value[i] = uint8_t(~source[i]);
    uint8_t *target = ptosc_check_store(context, VStore, out + at, 256, 32, nullptr, shadow.defined, &shadow.stamp, 1);
    std::memcpy(target, value, 256);
  }
}

int32_t kernel(PtoContext *context, const uint64_t *arguments) {
  uint64_t x = arguments[0], y = arguments[1], missing = arguments[2];
  uint64_t offset = uint64_t(context->blockIdx) * kTiles * kTile;
  auto pipe = [](Pipe p) { return uint32_t(p); };
  int32_t stop = 0;
  auto set = [&](Pipe a, Pipe b, int64_t id) { stop |= ptosc_set_flag(context, Sync, pipe(a), pipe(b), id); };
  auto wait = [&](Pipe a, Pipe b, int64_t id) { stop |= ptosc_wait_flag(context, Sync, pipe(a), pipe(b), id); };
  auto move = [&](uint32_t site, Pipe p, Space from, Space to, uint64_t src, uint64_t dst) {
    PtoTransfer t{};
    t.srcSpace = uint32_t(from);
    t.dstSpace = uint32_t(to);
    t.pipe = pipe(p);
    t.elementBytes = t.padWidth = 1;
    t.src = src;
    t.dst = dst;
    t.len = kTile;
    t.count = 1;
    stop |= ptosc_transfer(context, site, &t);
  };
  for (int64_t id = 0; id < 2; ++id) {
    if (missing != InputFree)
      set(Pipe::V, Pipe::MTE2, id);
    if (missing != OutputFree)
      set(Pipe::MTE3, Pipe::V, id);
  }
  for (int64_t i = 0; i < kTiles && !stop; ++i) {
    context->suIterations[0] = i;
    int64_t pp = i % 2;
    uint64_t in = uint64_t(pp) * kTile, out = 8192 + uint64_t(pp) * kTile, at = offset + uint64_t(i) * kTile;
    if (missing != InputFree)
      wait(Pipe::V, Pipe::MTE2, pp);
    move(Load, Pipe::MTE2, Space::Gm, Space::Ub, x + at, in);
    if (missing != InputReady) {
      set(Pipe::MTE2, Pipe::V, pp);
      wait(Pipe::MTE2, Pipe::V, pp);
    }
    if (missing != OutputFree)
      wait(Pipe::MTE3, Pipe::V, pp);
    uint64_t captures[] = {in, out};
    stop |= ptosc_scope(context, Scope, negate, captures, 2);
    if (missing != InputFree)
      set(Pipe::V, Pipe::MTE2, pp);
    if (missing != OutputReady) {
      set(Pipe::V, Pipe::MTE3, pp);
      wait(Pipe::V, Pipe::MTE3, pp);
    }
    move(Store, Pipe::MTE3, Space::Ub, Space::Gm, out, y + at);
    if (missing != OutputFree)
      set(Pipe::MTE3, Pipe::V, pp);
  }
  for (int64_t id = 0; id < 2; ++id) {
    if (missing != InputFree)
      wait(Pipe::V, Pipe::MTE2, id);
    if (missing != OutputFree)
      wait(Pipe::MTE3, Pipe::V, id);
  }
  return stop;
}

struct Outcome {
  std::set<std::string> codes;
  std::vector<uint8_t> bytes;
  CheckCounts counts;
};

Outcome runKernel(uint64_t missing, Schedule schedule, int64_t blocks = 2, unsigned threads = 1) {
  SiteTable sites;
  const char *ops[] = {"pto.mte_gm_ub", "pto.vecscope", "pto.vlds", "pto.vsts", "pto.mte_ub_gm", "pto.set_flag"};
  for (uint32_t i = 0; i < kSites; ++i) {
    ::ptoscope::Site site;
    site.place = {"k.pto", i + 1, 1};
    site.op = ops[i];
    site.scope = i == VLoad || i == VStore ? SiteId(Scope) : kNoSite;
    sites.add(site);
  }
  std::vector<uint8_t> x(size_t(blocks) * kTiles * kTile), y(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = uint8_t(i * 7 + i / 256);
  GmTable gm;
  std::vector<uint64_t> arguments = {gm.add(x.data(), x.size(), "%x"), gm.add(y.data(), y.size(), "%y"), missing};
  KernelImage image;
  image.aiv = kernel;
  image.sites = &sites;
  image.name = "negate";
  LaunchOptions options;
  options.profile = findProfile("a5");
  options.blocks = blocks;
  options.schedule = schedule;
  options.threads = threads;
  auto checkers = makeCheckers(sites, gm, *options.profile, options.checks);
  options.observers = checkers.get();
  LaunchResult result = launch(image, gm, arguments, options);
  EXPECT_TRUE(result.completed);
  Outcome outcome;
  for (const Finding &f : result.findings.all())
    outcome.codes.insert(f.code + " " + std::to_string(f.place.line));
  outcome.bytes = y;
  outcome.counts = checkers->counts();
  if (missing == Nothing) {
    for (size_t i = 0; i < y.size(); ++i)
      if (y[i] != uint8_t(~x[i])) {
        ADD_FAILURE() << "byte " << i;
        break;
      }
  }
  return outcome;
}

std::vector<Schedule> schedules() {
  std::vector<Schedule> list = {{ScheduleKind::Eager, 0}, {ScheduleKind::Lazy, 0}};
  for (uint64_t seed = 1; seed <= 20; ++seed)
    list.push_back({ScheduleKind::Random, seed});
  return list;
}

TEST(Launch, CorrectKernelIsSilentUnderEverySchedule) {
  for (const Schedule &schedule : schedules()) {
    Outcome outcome = runKernel(Nothing, schedule);
    EXPECT_EQ(outcome.codes, std::set<std::string>()) << int(schedule.kind) << " " << schedule.seed;
    EXPECT_EQ(outcome.counts.blocks, 2);
    EXPECT_EQ(outcome.counts.flags, 2u * (2 * 4 + kTiles * 8));
  }
}

TEST(Launch, EveryMissingEdgeIsReportedUnderEverySchedule) {
  for (uint64_t missing = InputReady; missing < kMissing; ++missing) {
    for (const Schedule &schedule : schedules()) {
      Outcome outcome = runKernel(missing, schedule);
      bool race = false;
      for (const std::string &code : outcome.codes)
        race |= code.starts_with("race-");
      EXPECT_TRUE(race) << missing << " " << int(schedule.kind) << " " << schedule.seed;
    }
  }
}

TEST(Launch, ThreadsDoNotChangeReports) {
  for (uint64_t missing = Nothing; missing < kMissing; ++missing) {
    Outcome one = runKernel(missing, {}, 8, 1), two = runKernel(missing, {}, 8, 2);
    EXPECT_EQ(one.codes, two.codes);
    EXPECT_EQ(one.counts.accesses, two.counts.accesses);
  }
}

} // namespace
