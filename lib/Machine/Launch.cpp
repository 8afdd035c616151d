//===- Launch.cpp - blocks over host threads ------------------------------===//
//
// Threads take blocks in order. Findings, statistics and observers of a block
// are merged when all lower blocks have been, so that nothing a caller sees
// depends on the number of threads. A thread never runs far ahead of the lowest
// unfinished block: what waits to be merged stays bounded.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Launch.h"

#include "Group/CoreGroup.h"

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <thread>

namespace ptoscope {

/// The cores of a block, by CoreId::index, with what they share.
struct BlockCores {
  std::array<std::unique_ptr<Core>, kCoresPerBlock> cores;
  Cluster cluster;
};

struct KeptCores::Set {
  BlockCores cores;
  CoreGroup group;
};

KeptCores::KeptCores() = default;
KeptCores::~KeptCores() = default;

std::unique_ptr<KeptCores::Set> KeptCores::take() {
  std::lock_guard lock(mutex);
  if (idle.empty())
    return std::make_unique<Set>();
  std::unique_ptr<Set> set = std::move(idle.back());
  idle.pop_back();
  return set;
}

void KeptCores::keep(std::unique_ptr<Set> set) {
  std::lock_guard lock(mutex);
  idle.push_back(std::move(set));
}

namespace {

struct BlockResult {
  bool ready = false;
  bool completed = false;
  bool failed = false; ///< the host refused what the block needs
  FindingList findings;
  LaunchStats stats;
  std::unique_ptr<Observer> observer;
};

void addUp(LaunchStats &total, const LaunchStats &part) {
  total.instructions += part.instructions;
  total.steps += part.steps;
  total.transfers += part.transfers;
  total.transferBytes += part.transferBytes;
  total.scopes += part.scopes;
  total.vectorAccesses += part.vectorAccesses;
  total.flags += part.flags;
  total.blocksDone += part.blocksDone;
}

class LaunchRun final : public BlockOrder {
public:
  LaunchRun(const KernelImage &kernel, const GmTable &gm, const std::vector<uint64_t> &arguments,
            const LaunchOptions &options)
      : kernel(kernel), gm(gm), arguments(arguments), options(options),
        result{FindingList(options.maxFindings), {}, true} {}

  LaunchResult run() {
    if (kernel.needsAllBlocks) {
      runResident();
      return std::move(result);
    }
    unsigned threads = unsigned(std::min<int64_t>(std::max(1u, options.threads), options.blocks));
    window = int64_t(threads) * 4;
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i)
      others.emplace_back([this] { work(); });
    work();
    for (std::thread &thread : others)
      thread.join();
    return std::move(result);
  }

  void waitForLowerBlocks(int64_t block) override {
    if (kernel.needsAllBlocks)
      return; // the group runs its blocks in order
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return merged >= block; });
  }

  void print(int64_t block, std::string_view text) override {
    std::lock_guard lock(mutex);
    // The lowest block speaks at once. What the others say waits for their turn.
    if (block == merged && !ended)
      printText(options, text);
    else
      printed[block] += text;
  }

private:
  void work() {
    // Reused from block to block.
    std::unique_ptr<KeptCores::Set> set = options.kept ? options.kept->take() : std::make_unique<KeptCores::Set>();
    while (true) {
      int64_t block;
      {
        std::unique_lock lock(mutex);
        // Deadlock-free: the lowest unfinished block never waits here.
        changed.wait(lock, [&] { return ended || next >= options.blocks || next < merged + window; });
        if (ended || next >= options.blocks)
          break;
        block = next++;
        pending.emplace_back();
      }
      BlockResult blockResult = runBlock(block, set->cores, set->group);
      std::lock_guard lock(mutex);
      pending[size_t(block - merged)] = std::move(blockResult);
      mergeReady();
    }
    if (options.kept)
      options.kept->keep(std::move(set));
  }

  /// All blocks at once, as a kernel with an all-core barrier needs them.
  void runResident() {
    CoreGroup group;
    std::vector<BlockCores> cores(static_cast<size_t>(allBlocks));
    pending.resize(size_t(allBlocks));
    next = allBlocks;
    std::vector<CoreGroup::Member> members;
    bool fine = true;
    for (int64_t block = 0; block < allBlocks; ++block) {
      BlockResult &blockResult = pending[size_t(block)];
      beginBlock(block, blockResult);
      fine = fine && beginCores(block, cores[size_t(block)], &group, blockResult, members);
    }
    if (fine && !group.run(members, arguments.data(), options.schedule, 0)) {
      refuseMemory(pending.front());
      fine = false;
    }
    for (int64_t block = 0; block < allBlocks; ++block) {
      pending[size_t(block)].failed |= !fine;
      endCores(cores[size_t(block)], pending[size_t(block)]);
    }
    std::lock_guard lock(mutex);
    mergeReady();
  }

  void beginBlock(int64_t block, BlockResult &blockResult) {
    blockResult.ready = true;
    blockResult.findings = FindingList(options.maxFindings);
    if (options.observers)
      blockResult.observer = options.observers->beginBlock(block, blockResult.findings);
  }

  void refuseMemory(BlockResult &blockResult) {
    blockResult.failed = true;
    blockResult.findings.add(Words().finding(kNoSite, say::kNoAddressSpace()));
  }

  /// Readies the cores of a block and appends them to `members`.
  bool beginCores(int64_t block, BlockCores &blockCores, CoreGroup *group, BlockResult &blockResult,
                  std::vector<CoreGroup::Member> &members) {
    bool mixed = kernel.aiv && kernel.aic;
    Cluster &cluster = blockCores.cluster;
    cluster.reset();
    BlockSetup setup;
    setup.options = &options;
    setup.gm = &gm;
    setup.sites = kernel.sites;
    setup.findings = &blockResult.findings;
    setup.observer = blockResult.observer.get();
    setup.order = this;
    setup.block = block;
    setup.cluster = &cluster;
    setup.mixed = mixed;
    setup.vectorCores = kernel.vectorCores;
    setup.scopeRegions = kernel.scopes ? kernel.mostScopeRegions : 0;
    setup.resident = kernel.needsAllBlocks;
    setup.group = group;
    for (uint8_t index = 0; index < kCoresPerBlock; ++index) {
      CoreKind kind = index == 0 ? CoreKind::AIC : kernel.unified ? CoreKind::Unified : CoreKind::AIV;
      PtoSuFunction program = index == 0 ? kernel.aic : kernel.aiv;
      if (!program || (index == 2 && (!mixed || kernel.vectorCores < 2)))
        continue;
      std::unique_ptr<Core> &core = blockCores.cores[index];
      if (!core)
        core = std::make_unique<Core>();
      cluster.cores[index] = core.get();
      if (!core->begin(kind, CoreId{index}, setup)) {
        refuseMemory(blockResult);
        return false;
      }
      members.push_back({core.get(), program});
    }
    if (mixed)
      for (const CoreGroup::Member &member : std::span(members).last(size_t(1 + kernel.vectorCores)))
        member.core->joinCluster();
    return true;
  }

  void endCores(BlockCores &cores, BlockResult &blockResult) {
    blockResult.completed = !blockResult.failed;
    for (const Core *core : cores.cluster.cores) {
      if (!core)
        continue;
      blockResult.completed = blockResult.completed && !core->report.stopped;
      addUp(blockResult.stats, core->statistics());
    }
    if (blockResult.completed && options.checks.sync && kernel.sites && kernel.sites->isCpp())
      cores.cluster.reportLeftovers();
    blockResult.stats.blocksDone = blockResult.completed ? 1 : 0;
    if (blockResult.observer)
      blockResult.observer->blockEnd(blockResult.completed);
  }

  BlockResult runBlock(int64_t block, BlockCores &cores, CoreGroup &group) {
    BlockResult blockResult;
    beginBlock(block, blockResult);
    bool mixed = kernel.aiv && kernel.aic;
    std::vector<CoreGroup::Member> members;
    if (beginCores(block, cores, mixed ? &group : nullptr, blockResult, members)) {
      if (!mixed)
        members.front().core->run(members.front().program, arguments.data());
      else if (!group.run(members, arguments.data(), options.schedule, uint64_t(block)))
        refuseMemory(blockResult);
    }
    endCores(cores, blockResult);
    return blockResult;
  }

  /// Merges what has become lowest. Called with the lock held, so that
  /// endBlock and progress are called one at a time and in order.
  void mergeReady() {
    while (!pending.empty() && pending.front().ready) {
      BlockResult block = std::move(pending.front());
      pending.pop_front();
      if (!ended) {
        if (options.observers)
          options.observers->endBlock(merged, std::move(block.observer), block.findings);
        result.findings.merge(std::move(block.findings));
        addUp(result.stats, block.stats);
        result.completed = result.completed && block.completed;
      }
      ++merged;
      if (!ended && options.progress)
        options.progress(merged);
      // Enough was reported: blocks beyond this one count as not run, whether
      // or not another thread had begun them.
      bool interrupted = options.interrupt && options.interrupt->load(std::memory_order_relaxed);
      if (merged < allBlocks && ((options.endsWhenFull && result.findings.full()) || interrupted)) {
        ended = true;
        result.completed = false;
      }
      if (auto own = printed.extract(merged); own && !ended)
        printText(options, own.mapped());
    }
    changed.notify_all();
  }

  const KernelImage &kernel;
  const GmTable &gm;
  const std::vector<uint64_t> &arguments;
  const LaunchOptions &options;
  const int64_t allBlocks = options.blocks * options.devices;

  std::mutex mutex;
  std::condition_variable changed;
  int64_t next = 0;   ///< the block to start next
  int64_t merged = 0; ///< all lower blocks are finished and merged
  int64_t window = 1; ///< how far `next` may be ahead of `merged`
  bool ended = false;
  std::deque<BlockResult> pending;        ///< blocks merged .. next-1
  std::map<int64_t, std::string> printed; ///< by blocks above `merged`
  LaunchResult result;
};

} // namespace

void printText(const LaunchOptions &options, std::string_view text) {
  if (options.print)
    options.print(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

LaunchResult launch(const KernelImage &kernel, const GmTable &gm, const std::vector<uint64_t> &arguments,
                    const LaunchOptions &options) {
  LaunchResult refused{FindingList(options.maxFindings), {}, false};
  auto refuse = [&](const Fact &fact) {
    refused.findings.add(Words().finding(kNoSite, fact));
    return std::move(refused);
  };
  if (options.blocks <= 0)
    return refuse(say::kNoBlocksOption(options.blocks));
  if (!options.profile)
    return refuse(say::kNoProfile());
  if (!kernel.aiv && !kernel.aic)
    return refuse(say::kNoProgram(kernel.name));
  if (kernel.needsAllBlocks) {
    const Profile &profile = *options.profile;
    int64_t vectorCores = (kernel.aiv ? options.blocks : 0) * (kernel.aic ? kernel.vectorCores : 1);
    int64_t cubeCores = kernel.aic ? options.blocks : 0;
    bool tooManyCubes = cubeCores > int64_t(profile.aicCores);
    if (tooManyCubes || vectorCores > int64_t(profile.aivCores)) {
      int64_t most = kernel.aic ? int64_t(profile.aicCores) : int64_t(profile.aivCores);
      if (kernel.aic && kernel.aiv)
        most = std::min(most, int64_t(profile.aivCores) / kernel.vectorCores);
      return refuse(tooManyCubes
                        ? say::kTooManyCubes(kernel.name, cubeCores, profile.name, profile.aicCores, most)
                        : say::kTooManyVectors(kernel.name, vectorCores, profile.name, profile.aivCores, most));
    }
  }
  installFaultHandler();
  return LaunchRun(kernel, gm, arguments, options).run();
}

} // namespace ptoscope
