//===- Launch.cpp - blocks over host threads ------------------------------===//
//
// Threads take blocks in order. Findings, statistics and observers of a block
// are merged when all lower blocks have been, so that nothing a caller sees
// depends on the number of threads. A thread never runs far ahead of the lowest
// unfinished block: what waits to be merged stays bounded.
//
// Threads meet only at atomic numbers: which block is next, and how many have been
// merged. Whoever ends a block merges what has become lowest, unless another
// thread is doing so.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Launch.h"

#include "Group/CoreGroup.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

namespace ptoscope {

/// The cores of a block, by CoreId::index, with what they share.
struct BlockCores {
  std::array<std::unique_ptr<Core>, kCoresPerBlock> cores;
  Cluster cluster;
};

struct KeptCores::Set {
  BlockCores cores;
  CoreGroup group;
  std::vector<CoreGroup::Member> members; ///< of the block that runs
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
  bool completed = false;
  bool failed = false; ///< the host refused what the block needs
  FindingList findings;
  LaunchStats stats;
  std::vector<CountedSlip> slips;
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

/// A block that has ended and waits to be merged. Threads write different ones, on lines of their own.
struct alignas(64) EndedBlock {
  std::atomic<bool> ready{false};
  BlockResult result;
};

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
    ended = std::vector<EndedBlock>(size_t(windowOf(threads)));
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
    waitUntilMerged(block);
  }

  void print(int64_t block, std::string_view text) override {
    std::lock_guard lock(printing);
    anyPrinted = true;
    std::string &own = printed[block];
    own += text;
    // The lowest block speaks at once. What the others say waits for their turn.
    if (block != merged || hasEnded)
      return;
    printText(options, own);
    printed.erase(block);
  }

private:
  void waitUntilMerged(int64_t count) {
    for (int64_t now = merged; now < count; now = merged)
      merged.wait(now);
  }

  /// How far a thread may be ahead of the lowest unfinished block. Small blocks are many in the time for which the host
  /// lets a thread rest; what observers hold of a block is large.
  int64_t windowOf(unsigned threads) const {
    const int64_t each = threads == 1 ? 1 : options.observers ? 8 : 256;
    return std::min<int64_t>(threads * each, options.blocks);
  }

  EndedBlock &place(int64_t block) { return ended[size_t(block) % ended.size()]; }

  void work() {
    FaultsUnblocked faults;
    // Reused from block to block.
    std::unique_ptr<KeptCores::Set> set = options.kept ? options.kept->take() : std::make_unique<KeptCores::Set>();
    while (!hasEnded) {
      const int64_t block = next.fetch_add(1);
      if (block >= options.blocks)
        break;
      // Deadlock-free: the lowest unfinished block never waits here.
      waitUntilMerged(block + 1 - int64_t(ended.size()));
      EndedBlock &own = place(block);
      if (!hasEnded)
        runBlock(block, *set, own.result);
      own.ready = true;
      mergeReady();
    }
    if (options.kept)
      options.kept->keep(std::move(set));
  }

  /// All blocks at once, as a kernel with an all-core barrier needs them.
  void runResident() {
    FaultsUnblocked faults;
    CoreGroup group;
    std::vector<BlockCores> cores(static_cast<size_t>(allBlocks));
    ended = std::vector<EndedBlock>(size_t(allBlocks));
    std::vector<CoreGroup::Member> members;
    bool fine = true;
    for (int64_t block = 0; block < allBlocks; ++block) {
      BlockResult &blockResult = place(block).result;
      beginBlock(block, blockResult);
      fine = fine && beginCores(block, cores[size_t(block)], &group, blockResult, members);
    }
    if (fine && !group.run(members, arguments.data(), options.schedule, 0)) {
      refuseMemory(place(0).result);
      fine = false;
    }
    for (int64_t block = 0; block < allBlocks; ++block) {
      place(block).result.failed |= !fine;
      endCores(cores[size_t(block)], place(block).result);
      place(block).ready = true;
    }
    mergeReady();
  }

  void beginBlock(int64_t block, BlockResult &blockResult) {
    blockResult.findings = FindingList(options.maxFindings);
    if (options.observers)
      blockResult.observer = options.observers->beginBlock(block, blockResult.findings);
  }

  void refuseMemory(BlockResult &blockResult) {
    blockResult.failed = true;
    // A limit of the host, not a bug.
    blockResult.findings.add(Words().finding(kNoSite, say::kNoAddressSpace.as("max-memory")()));
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
      // A core that got no memory has not begun.
      if (!blockResult.failed && !blockResult.findings.empty() && blockResult.slips.empty())
        blockResult.slips = core->sync.slips();
    }
    if (blockResult.completed && options.checks.sync && kernel.sites && kernel.sites->isCpp())
      cores.cluster.reportLeftovers();
    blockResult.stats.blocksDone = blockResult.completed ? 1 : 0;
    if (blockResult.observer)
      blockResult.observer->blockEnd(blockResult.completed);
  }

  void runBlock(int64_t block, KeptCores::Set &set, BlockResult &blockResult) {
    beginBlock(block, blockResult);
    bool mixed = kernel.aiv && kernel.aic;
    set.members.clear();
    if (beginCores(block, set.cores, mixed ? &set.group : nullptr, blockResult, set.members)) {
      const CoreGroup::Member &first = set.members.front();
      if (!mixed)
        first.core->run(first.program, arguments.data());
      else if (!set.group.run(set.members, arguments.data(), options.schedule, uint64_t(block)))
        refuseMemory(blockResult);
    }
    endCores(set.cores, blockResult);
  }

  /// Merges what has become lowest, on one thread at a time. Another one that is at it looks again when it is done, so
  /// that no block is left behind.
  void mergeReady() {
    while (merged < allBlocks && place(merged).ready && !merging.exchange(true)) {
      for (int64_t lowest = merged; lowest < allBlocks && place(lowest).ready; ++lowest)
        merge(lowest);
      merging = false;
    }
  }

  void merge(int64_t lowest) {
    EndedBlock &own = place(lowest);
    BlockResult block = std::move(own.result);
    own.result = BlockResult();
    own.ready = false;
    if (!hasEnded) {
      if (options.observers)
        options.observers->endBlock(lowest, std::move(block.observer), block.findings);
      result.findings.merge(std::move(block.findings));
      addUp(result.stats, block.stats);
      if (result.slips.empty())
        result.slips = std::move(block.slips);
      result.completed = result.completed && block.completed;
      if (options.progress)
        options.progress(lowest + 1);
    }
    // Enough was reported: blocks beyond this one count as not run, whether
    // or not another thread had begun them.
    bool interrupted = options.interrupt && options.interrupt->load(std::memory_order_relaxed);
    if (lowest + 1 < allBlocks && ((options.endsWhenFull && result.findings.full()) || interrupted)) {
      hasEnded = true;
      result.completed = false;
    }
    merged = lowest + 1;
    if (ended.size() > 1)
      merged.notify_all();
    if (anyPrinted)
      printOf(lowest + 1);
  }

  /// What a block said before it was lowest.
  void printOf(int64_t block) {
    std::lock_guard lock(printing);
    if (auto own = printed.extract(block); own && !hasEnded)
      printText(options, own.mapped());
  }

  const KernelImage &kernel;
  const GmTable &gm;
  const std::vector<uint64_t> &arguments;
  const LaunchOptions &options;
  const int64_t allBlocks = options.blocks * options.devices;

  alignas(64) std::atomic<int64_t> next{0};   ///< the block to start next
  alignas(64) std::atomic<int64_t> merged{0}; ///< all lower blocks are finished and merged
  std::atomic<bool> merging{false};           ///< a thread is at it
  std::atomic<bool> hasEnded{false};
  std::vector<EndedBlock> ended; ///< a ring: as many as `next` may be ahead of `merged`
  std::mutex printing;
  std::atomic<bool> anyPrinted{false};
  std::map<int64_t, std::string> printed; ///< by blocks that were not lowest
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
      const std::string name = kernel.name.empty() ? "the kernel" : "kernel " + ptoscope::quoted(kernel.name);
      return refuse(tooManyCubes ? say::kTooManyCubes(name, cubeCores, profile.name, profile.aicCores, most)
                                 : say::kTooManyVectors(name, vectorCores, profile.name, profile.aivCores, most));
    }
  }
  installFaultHandler();
  return LaunchRun(kernel, gm, arguments, options).run();
}

} // namespace ptoscope
