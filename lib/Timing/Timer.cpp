//===- Timer.cpp - a launch, recorded and solved --------------------------===//
//
// Blocks are recorded apart and joined in their order. Each solution computes how GM
// is shared first, then puts blocks on cores: all at once where they meet, else each
// on the core that is free first.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Timing/Timer.h"

#include "GraphJson.h"
#include "Recorder.h"
#include "Sharing.h"
#include "Solver.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace ptoscope::timing {

namespace {

class LaunchTimer final : public Timer {
public:
  LaunchTimer(const KernelImage &image, const Profile &profile, const Model &model, const LaunchOptions &options,
              ObserverFactory *next)
      : image(image), profile(profile), next(next), blocks(options.blocks), devices(options.devices),
        together(std::max<int64_t>(1, std::min(blocks, cores(false)))),
        epochBytes(epochOf(model["gm.l2.bytes"], together)),
        shared{*image.sites, record.spill,
               signals,      std::max<uint64_t>(uint64_t(epochBytes / kTrackEpochs), 1),
               !next,        options.schedule.kind == ScheduleKind::Random} {
    record.readers = uint32_t(together * devices * kCoresPerBlock);
  }

  std::unique_ptr<Observer> beginBlock(int64_t block, FindingList &findings) override {
    return std::make_unique<Recorder>(shared, next ? next->beginBlock(block, findings) : nullptr);
  }
  void endBlock(int64_t block, std::unique_ptr<Observer> observer, FindingList &findings) override;

  LaunchTime solve(const Model &model, TimelineSink *sink, const Change &change) override;

  nlohmann::ordered_json graph(const Model &model, uint64_t limit, const GraphNames &names) const override;

private:
  /// A pipe's bytes are counted more finely than those of the launch.
  static constexpr double kTrackEpochs = 4;
  static double epochOf(double cacheBytes, int64_t together) {
    return std::max(cacheBytes / double(16 * together), 1.0);
  }

  /// Blocks that run at the same time on one device. `usesCube`: a unified core stands for a cluster.
  int64_t cores(bool usesCube) const {
    const int64_t cubes = profile.aicCores, vectors = profile.aivCores;
    if (image.aic)
      return image.aiv ? std::min(cubes, vectors / std::max<int64_t>(1, image.vectorCores)) : cubes;
    return image.unified && usesCube ? cubes : vectors;
  }
  /// Cores that load a line, in the mean; computed once all blocks have ended.
  double readersOfLine() const {
    if (!readers)
      readers = record.loaded.coresOf(record.readers);
    return *readers;
  }
  struct Solution {
    double cycles = 0;
    PipeTimes times{};
  };
  Solution place(const Task &task) const;
  /// The record of a block before, if it is the same.
  std::shared_ptr<const BlockRecord> keep(BlockRecord &&own) const;
  double runTogether(const Task &task, std::span<const RecordedBlock> members, uint32_t firstCore, double begin,
                     PipeTimes &times) const;

  const KernelImage &image;
  const Profile &profile;
  ObserverFactory *next;
  const int64_t blocks, devices, together;
  const double epochBytes;
  LaunchRecord record;
  SignalWordCounts signals;
  Recorder::Shared shared;
  std::vector<uint64_t> movedBefore; ///< by core that a block is thought to run on
  mutable std::optional<double> readers;
  uint16_t pipesUsed = 0;
  double dearer = 1; ///< Sharing::Bytes::factor of the last solution without a change
};

void LaunchTimer::endBlock(int64_t block, std::unique_ptr<Observer> observer, FindingList &findings) {
  auto &recorder = static_cast<Recorder &>(*observer); // beginBlock makes nothing else
  BlockRecord &own = recorder.record;
  for (uint32_t i = 0; i < recorder.deeds.deeds.size(); ++i) {
    Deed deed = recorder.deeds.deeds[i];
    if (deed.act == Act::Scope)
      deed.work = record.deeds.scopes.number(recorder.deeds.scopes[deed.work]);
    else if (deed.act == Act::Work || deed.act == Act::StartEngine)
      deed.work = record.deeds.works.number(recorder.deeds.works[deed.work]);
    own.deeds.push_back(record.deeds.deeds.number(deed));
  }
  for (const auto &arrival : recorder.arrivals)
    ++record.arrivals[arrival];
  for (const auto &[core, channel] : recorder.launchSets)
    ++record.launchSetters[channel];
  pipesUsed |= own.pipesUsed;

  // Epochs of the launch: a block goes on where the one before it on its core ended.
  uint64_t moved = 0;
  for (const auto &[track, touched] : recorder.touched)
    moved += touched.bytes;
  const size_t core = size_t(block % (together * devices));
  movedBefore.resize(std::max(movedBefore.size(), core + 1));
  std::vector<uint32_t> epochs;
  for (const auto &[track, touched] : recorder.touched) {
    epochs.clear();
    for (uint64_t done = 0; done <= touched.bytes; done += shared.epochBytes) {
      double share = std::min(1.0, (double(done) + 0.5 * double(shared.epochBytes)) /
                                       double(std::max<uint64_t>(touched.bytes, 1)));
      epochs.push_back(uint32_t((double(movedBefore[core]) + share * double(moved)) / epochBytes));
    }
    record.lines.add(touched.lines, epochs);
    if (track.second == Pipe::MTE3 || track.second == Pipe::FIX)
      record.written.add(touched.lines, epochs);
    if (track.second != Pipe::MTE2 || record.readers == kCoresPerBlock)
      continue;
    for (uint32_t &epoch : epochs)
      epoch = epoch * record.readers + uint32_t(core * kCoresPerBlock + track.first);
    record.loaded.add(touched.lines, epochs);
  }
  movedBefore[core] += moved;
  record.blocks.push_back({block, keep(std::move(own))});
  if (next)
    next->endBlock(block, recorder.takeNext(), findings);
}

std::shared_ptr<const BlockRecord> LaunchTimer::keep(BlockRecord &&own) const {
  constexpr size_t kCompared = 4; // the end of a row of blocks may differ from what is before it
  for (size_t i = record.blocks.size() - std::min(record.blocks.size(), kCompared); i < record.blocks.size(); ++i)
    if (*record.blocks[i].record == own)
      return record.blocks[i].record;
  return std::make_shared<const BlockRecord>(std::move(own));
}

/// Solves blocks that run at the same time, on neighbouring cores. When the last one ends.
double LaunchTimer::runTogether(const Task &task, std::span<const RecordedBlock> members, uint32_t firstCore,
                                double begin, PipeTimes &times) const {
  std::deque<ClusterSync> clusters(members.size());
  std::deque<CoreSolver> solvers;
  Meeting meeting(record);
  for (size_t i = 0; i < members.size(); ++i)
    for (uint8_t index = 0; index < kCoresPerBlock; ++index)
      if (members[i].record->cores[index].isUsed())
        solvers.emplace_back(task, members[i], CoreId{index}, clusters[i], meeting, uint32_t(firstCore + i), begin,
                             times);
  for (bool moved = true; moved;) {
    moved = false;
    for (CoreSolver &solver : solvers)
      moved |= !solver.ended() && solver.advance();
    for (bool (CoreSolver::*force)() : {&CoreSolver::passGap, &CoreSolver::overfill})
      for (size_t i = 0; !moved && i < solvers.size(); ++i)
        moved = !solvers[i].ended() && (solvers[i].*force)();
  }
  double end = begin;
  for (CoreSolver &solver : solvers) {
    solver.finish();
    end = std::max(end, solver.end());
  }
  return end;
}

LaunchTimer::Solution LaunchTimer::place(const Task &task) const {
  Solution solution;
  if (image.needsAllBlocks) {
    solution.cycles = runTogether(task, record.blocks, 0, 0, solution.times);
    return solution;
  }
  // TIME-63: each block on the core that is free first.
  std::vector<double> free(size_t(std::max<int64_t>(1, cores(pipesUsed >> size_t(Pipe::M) & 1))));
  for (size_t i = 0; i < record.blocks.size(); ++i) {
    const size_t core = size_t(std::ranges::min_element(free) - free.begin());
    const double begin = free[core] == 0 ? 0 : free[core] + task.figures.dispatch;
    free[core] = runTogether(task, {&record.blocks[i], 1}, uint32_t(core), begin, solution.times);
    solution.cycles = std::max(solution.cycles, free[core]);
  }
  return solution;
}

LaunchTime LaunchTimer::solve(const Model &model, TimelineSink *sink, const Change &change) {
  const CoreFigures figures(model);
  const DeedCosts costs(record, image, model, readersOfLine(), sink != nullptr);
  const Edits edits(change);
  const int64_t there = cores(pipesUsed >> size_t(Pipe::M) & 1);
  Sharing sharing(record, figures, edits.share, size_t(std::max<int64_t>(1, std::min(blocks, there))), devices);
  // Transfers of one core may overlap, and then a core wants more than its share: all get
  // less until the launch moves no more than the memory does.
  Solution solution;
  for (int round = 0; round < 8; ++round) {
    Task task{record, costs, figures, edits, sharing.cyclesPerByte(), nullptr};
    if (sink && sharing.isSettled())
      break;
    solution = place(task);
    if (sharing.accepts(solution.cycles))
      break;
  }
  if (sink)
    solution = place({record, costs, figures, edits, sharing.cyclesPerByte(), sink});

  if (change.isEmpty())
    dearer = sharing.bytes().factor;
  LaunchTime time;
  time.cycles = solution.cycles;
  time.withLaunch = solution.cycles + figures.launch;
  time.clockMHz = figures.clockMHz;
  time.coresThere = uint32_t(there * devices);
  time.coresUsed = uint32_t(std::min(blocks, there) * devices);
  sharing.tell(time);
  time.pipes = solution.times;
  return time;
}

nlohmann::ordered_json LaunchTimer::graph(const Model &model, uint64_t limit, const GraphNames &names) const {
  const int64_t there = cores(pipesUsed >> size_t(Pipe::M) & 1);
  const Sharing sharing(record, CoreFigures(model), {1, 1, 1}, size_t(std::max<int64_t>(1, std::min(blocks, there))),
                        devices);
  return toJson({record, model, DeedCosts(record, image, model, readersOfLine(), false), sharing.bytes(), dearer,
                 image.needsAllBlocks, std::max<int64_t>(1, there), devices},
                limit, names);
}

} // namespace

std::unique_ptr<Timer> makeTimer(const KernelImage &image, const Profile &profile, const Model &model,
                                 const LaunchOptions &options, ObserverFactory *next) {
  return std::make_unique<LaunchTimer>(image, profile, model, options, next);
}

} // namespace ptoscope::timing
