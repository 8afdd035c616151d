//===- Stats.cpp - where the cycles of a launch went ----------------------===//

#include "ptoscope/Timing/Stats.h"

#include "Sweep.h"

#include "ptoscope/Timing/Lives.h"
#include "ptoscope/Timing/Sinks.h"
#include "ptoscope/Timing/Timer.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ptoscope::timing {

std::string_view profilerName(Pipe pipe) {
  switch (pipe) {
  case Pipe::S:
    return "SCALAR";
  case Pipe::V:
    return "VECTOR";
  case Pipe::M:
    return "CUBE";
  case Pipe::FIX:
    return "FIXP";
  default: // MTE1, MTE2, MTE3 are called alike everywhere
    return ptoscope::nameOf(pipe).substr(std::string_view("PIPE_").size());
  }
}

std::string_view nameOf(Reason reason) {
  constexpr std::string_view kNames[] = {"nothing",   "issue",      "flag",       "buffer id",
                                         "barrier",   "semaphore",  "tile queue", "all-core barrier",
                                         "unit flag", "full queue", "engine copy"};
  static_assert(std::size(kNames) == kReasons);
  return kNames[size_t(reason)];
}

namespace {

/// A core that blocks run on: number on the device, and which of its cluster.
struct CoreTrack {
  int64_t block = -1;
  std::array<double, kPipeSlots> busy{};
  Sweep sweep;
  int64_t busyPipes = 0;
  double since = 0, two = 0, any = 0;
  bool afterScope = false; ///< the last instruction of V was a scope

  void pass(double time, int64_t delta) {
    (busyPipes >= 2 ? two : ignored) += time - since;
    (busyPipes >= 1 ? any : ignored) += time - since;
    since = time;
    busyPipes += delta;
  }
  double ignored = 0;
};

/// Why a pipe is free with something to do; the rest of its free time is idle.
bool isWaiting(Reason reason) { return reason != Reason::None && reason != Reason::Issue; }

} // namespace

struct StatsSink::State {
  State(const SiteTable &table, double issueCycles) : table(table), issueCycles(issueCycles), sites(table.size()) {}

  const SiteTable &table;
  const double issueCycles;
  std::map<std::pair<uint32_t, uint8_t>, CoreTrack> cores;
  std::array<std::array<PipeStats, kPipeSlots>, kCoresPerBlock> pipes{};
  std::map<std::tuple<Space, Space, Pipe>, PathStats> paths;
  std::map<std::tuple<uint8_t, Pipe, SiteId, Reason, SiteId>, WaitStats> waits;
  std::vector<SiteStats> sites;
  std::vector<ScopeFollows> follows;
  std::map<std::pair<SiteId, uint8_t>, std::pair<int64_t, int64_t>> lastWait; ///< by core: block, id
  std::array<uint64_t, kSpaceSlots> mostUsed{};
  uint64_t vectorInstructions = 0;
  double scopeCycles = 0;
  CoreTrack *last = nullptr; ///< of the last slice: most follow one of the same core
  std::pair<uint32_t, uint8_t> lastKey{};

  CoreTrack &core(const Slice &slice) {
    std::pair key(slice.physicalCore, slice.track.core.index);
    if (!last || key != lastKey) {
      last = &cores[key];
      lastKey = key;
    }
    return *last;
  }
  SiteStats &site(SiteId id) {
    if (id >= sites.size())
      sites.resize(size_t(id) + 1);
    return sites[id];
  }
  bool isScope(SiteId id) const { return id < table.size() && table[id].timing == Timing::scope; }
  ScopeFollows &followsOf(SiteId id) {
    if (id >= follows.size())
      follows.resize(size_t(id) + 1);
    return follows[id];
  }
};

StatsSink::StatsSink(const SiteTable &sites, double issueCycles) : state(std::make_unique<State>(sites, issueCycles)) {}
StatsSink::~StatsSink() = default;

void StatsSink::slice(const Slice &slice) {
  const Pipe pipe = slice.track.pipe;
  const double busy = slice.end - slice.start;
  CoreTrack &core = state->core(slice);
  auto pass = [&core](double time, int64_t delta) { core.pass(time, delta); };
  if (core.block != slice.track.block) {
    core.sweep.finish(pass);
    core.block = slice.track.block;
    core.afterScope = false;
  }
  core.busy[size_t(pipe)] += busy;
  if (pipe != Pipe::S && busy > 0) {
    core.sweep.add(slice.start, 1);
    core.sweep.add(slice.end, -1);
  }
  core.sweep.advance(slice.issued, pass);

  PipeStats &sum = state->pipes[slice.track.core.index][size_t(pipe)];
  sum.time.busy += busy;
  // What the scalar unit does for an instruction of a pipe has no slice of its own, and
  // where it waits for a full queue, the slice is no instruction (ordinal 0).
  const bool isInstruction = slice.ordinal != 0;
  sum.time.instructions += isInstruction;
  if (pipe != Pipe::S) {
    state->pipes[slice.track.core.index][size_t(Pipe::S)].time.busy += state->issueCycles;
    core.busy[size_t(Pipe::S)] += state->issueCycles;
  }
  if (pipe == Pipe::V) {
    const bool isScope = state->isScope(slice.site);
    if (isScope) {
      ScopeFollows &follows = state->followsOf(slice.site);
      ++follows.runs;
      follows.directly += core.afterScope;
    }
    core.afterScope = isScope;
  }
  sum.time.bytes += slice.bytes;
  if (slice.bytes) {
    PathStats &path = state->paths[{slice.from, slice.to, pipe}];
    ++path.transfers;
    path.bytes += slice.bytes;
    path.busy += busy;
  }
  if (slice.site != kNoSite && isInstruction) {
    SiteStats &own = state->site(slice.site);
    own.waited += isWaiting(slice.reason) ? slice.waited : 0;
    if (slice.parts.empty()) {
      own.busy += busy;
      ++own.times;
    }
  }
  for (const auto &[site, cycles] : slice.parts) {
    state->site(site).busy += cycles;
    ++state->site(site).times;
  }
  if (!slice.parts.empty())
    state->scopeCycles += busy;
  state->vectorInstructions += slice.vectorInstructions;
  if (slice.waited > 0 && isWaiting(slice.reason)) {
    sum.time.waiting += slice.waited;
    sum.waitingFor[size_t(slice.reason)] += slice.waited;
    WaitStats &wait = state->waits[{slice.track.core.index, pipe, slice.site, slice.reason, slice.cause}];
    wait.causePipe = slice.causeTrack.pipe;
    wait.cycles += slice.waited;
    ++wait.times;
  }
}

void StatsSink::arrow(const Arrow &arrow) {
  const std::pair wait(arrow.to.block, arrow.id);
  auto [last, isFirst] = state->lastWait.try_emplace({arrow.toSite, arrow.to.core.index}, wait);
  if (isFirst)
    return;
  if (last->second == wait)
    state->site(arrow.toSite).repeatsId = true;
  last->second = wait;
}

void StatsSink::memory(const MemoryUse &use) {
  uint64_t &most = state->mostUsed[size_t(use.space)];
  forEachChange(use.lives, [&most](double, uint64_t bytes) { most = std::max(most, bytes); });
}

Stats StatsSink::finish(const LaunchTime &launch) {
  Stats stats;
  stats.launch = launch;
  double two = 0, any = 0, bestTwo = 0;
  std::array<uint32_t, kCoresPerBlock> count{};
  for (auto &[key, core] : state->cores) {
    core.sweep.finish([&core = core](double time, int64_t delta) { core.pass(time, delta); });
    two += core.two;
    any += core.any;
    ++count[key.second];
    ++stats.coreTracks;
    double sum = 0, most = 0;
    for (Pipe pipe : kListedPipes) {
      double busy = core.busy[size_t(pipe)];
      PipeStats &row = state->pipes[key.second][size_t(pipe)];
      row.mostBusy = std::max(row.mostBusy, busy);
      if (pipe == Pipe::S)
        continue;
      sum += busy;
      most = std::max(most, busy);
    }
    bestTwo += most > 0 ? std::min(sum - most, most) / most : 0;
  }
  for (uint8_t core = 0; core < kCoresPerBlock; ++core)
    for (Pipe pipe : kListedPipes) {
      PipeStats &row = state->pipes[core][size_t(pipe)];
      if (row.time.instructions == 0 && row.time.busy <= 0)
        continue;
      row.core = {core};
      row.pipe = pipe;
      row.time.busy /= count[core];
      row.time.waiting /= count[core];
      for (double &cycles : row.waitingFor)
        cycles /= count[core];
      row.time.idle = std::max(0.0, launch.cycles - row.time.busy - row.time.waiting);
      if (!stats.bound || row.mostBusy > stats.pipes[*stats.bound].mostBusy)
        stats.bound = stats.pipes.size();
      stats.pipes.push_back(row);
    }
  if (stats.bound)
    stats.roofline = stats.pipes[*stats.bound].mostBusy;
  if (const double all = launch.cycles * stats.coreTracks; all > 0) {
    stats.overlap = two / all;
    stats.anyBusy = any / all;
    stats.bestOverlap = bestTwo / stats.coreTracks;
  }
  for (auto &[key, path] : state->paths) {
    std::tie(path.from, path.to, path.pipe) = key;
    stats.paths.push_back(path);
  }
  for (auto &[key, wait] : state->waits) {
    uint8_t core;
    std::tie(core, wait.pipe, wait.site, wait.reason, wait.cause) = key;
    wait.core = {core};
    stats.waits.push_back(wait);
  }
  std::ranges::sort(stats.waits, [](const WaitStats &a, const WaitStats &b) {
    return a.cycles != b.cycles ? a.cycles > b.cycles : std::tie(a.site, a.core.index) < std::tie(b.site, b.core.index);
  });
  stats.sites = std::move(state->sites);
  stats.sites.resize(std::max(stats.sites.size(), state->table.size())); // C++ programs find sites while they run
  stats.follows = std::move(state->follows);
  stats.mostUsed = state->mostUsed;
  stats.vectorInstructions = state->vectorInstructions;
  stats.scopeCycles = state->scopeCycles;
  return stats;
}

LaunchTime solveWithMemories(const AdviceInput &input, Sinks &sinks) {
  if (!input.touches)
    return input.timer.solve(input.model, sinks.empty() ? nullptr : &sinks);
  Lives lives(*input.touches);
  Sinks all = sinks;
  all.add(lives);
  const LaunchTime time = input.timer.solve(input.model, &all);
  lives.tell(sinks);
  return time;
}

Stats collectStats(const AdviceInput &input, TimelineSink *more) {
  StatsSink sink(input.sites, input.model["scalar.issue"]);
  Sinks sinks;
  sinks.add(sink);
  if (more)
    sinks.add(*more);
  const LaunchTime time = solveWithMemories(input, sinks);
  Stats stats = sink.finish(time);
  stats.completed = input.completed;
  advise(input, stats);
  return stats;
}

} // namespace ptoscope::timing
