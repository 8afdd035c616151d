//===- Launch.cpp - blocks over host threads ------------------------------===//
//
// Threads take blocks in order. Findings, statistics and observers of a block
// are merged when all lower blocks have been, so that nothing a caller sees
// depends on the number of threads. A thread never runs far ahead of the lowest
// unfinished block: what waits to be merged stays bounded.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Launch.h"

#include "Core.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace ptoscope {

namespace {

struct BlockResult {
  bool ready = false;
  bool completed = false;
  FindingList findings;
  LaunchStats stats;
  std::unique_ptr<Observer> observer;
};

/// The cores a thread reuses from block to block, by CoreId::index.
using CoreSet = std::array<std::unique_ptr<Core>, kCoresPerBlock>;

class LaunchRun final : public BlockOrder {
public:
  LaunchRun(const KernelImage &kernel, const GmTable &gm, const std::vector<uint64_t> &arguments,
            const LaunchOptions &options)
      : kernel(kernel), gm(gm), arguments(arguments),
        options(options), result{FindingList(options.maxFindings), {}, true} {}

  LaunchResult run() {
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
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return merged >= block; });
  }

private:
  void work() {
    CoreSet cores;
    while (true) {
      int64_t block;
      {
        std::unique_lock lock(mutex);
        // Deadlock-free: the lowest unfinished block never waits here.
        changed.wait(lock, [&] { return ended || next >= options.blocks || next < merged + window; });
        if (ended || next >= options.blocks)
          return;
        block = next++;
        pending.emplace_back();
      }
      BlockResult blockResult = runBlock(block, cores);
      std::lock_guard lock(mutex);
      pending[size_t(block - merged)] = std::move(blockResult);
      mergeReady();
    }
  }

  BlockResult runBlock(int64_t block, CoreSet &cores) {
    BlockResult blockResult;
    blockResult.ready = true;
    blockResult.findings = FindingList(options.maxFindings);
    if (options.observers)
      blockResult.observer = options.observers->beginBlock(block, blockResult.findings);
    bool vector = kernel.aiv != nullptr;
    CoreId id{uint8_t(vector ? 1 : 0)};
    std::unique_ptr<Core> &core = cores[id.index];
    if (!core)
      core = std::make_unique<Core>();
    BlockSetup setup{&options, &gm,  kernel.sites, &blockResult.findings, blockResult.observer.get(),
                     this,     block};
    if (core->begin(vector ? CoreKind::AIV : CoreKind::AIC, id, setup)) {
      blockResult.completed = core->run(vector ? kernel.aiv : kernel.aic, arguments.data());
      blockResult.stats = core->statistics();
    } else {
      blockResult.findings.add(makeFinding(
          "internal-error", {},
          "the host refuses the address space for the on-chip memories (4 GiB a memory, not backed by RAM)"));
    }
    blockResult.stats.blocksDone = blockResult.completed ? 1 : 0;
    if (blockResult.observer)
      blockResult.observer->blockEnd(blockResult.completed);
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
        LaunchStats &total = result.stats;
        total.instructions += block.stats.instructions;
        total.transfers += block.stats.transfers;
        total.transferBytes += block.stats.transferBytes;
        total.scopes += block.stats.scopes;
        total.vectorAccesses += block.stats.vectorAccesses;
        total.flags += block.stats.flags;
        total.blocksDone += block.stats.blocksDone;
        result.completed = result.completed && block.completed;
      }
      ++merged;
      if (!ended && options.progress)
        options.progress(merged);
      // Enough was reported: blocks beyond this one count as not run, whether
      // or not another thread had begun them.
      bool interrupted = options.interrupt && options.interrupt->load(std::memory_order_relaxed);
      if (merged < options.blocks && (result.findings.full() || interrupted)) {
        ended = true;
        result.completed = false;
      }
    }
    changed.notify_all();
  }

  const KernelImage &kernel;
  const GmTable &gm;
  const std::vector<uint64_t> &arguments;
  const LaunchOptions &options;

  std::mutex mutex;
  std::condition_variable changed;
  int64_t next = 0;   ///< the block to start next
  int64_t merged = 0; ///< all lower blocks are finished and merged
  int64_t window = 1; ///< how far `next` may be ahead of `merged`
  bool ended = false;
  std::deque<BlockResult> pending; ///< blocks merged .. next-1
  LaunchResult result;
};

} // namespace

LaunchResult launch(const KernelImage &kernel, const GmTable &gm, const std::vector<uint64_t> &arguments,
                    const LaunchOptions &options) {
  LaunchResult refused{FindingList(options.maxFindings), {}, false};
  auto refuse = [&](std::string_view code, std::string message, std::string help) {
    Finding finding = makeFinding(code, {}, std::move(message));
    finding.help = std::move(help);
    refused.findings.add(std::move(finding));
    return std::move(refused);
  };
  if (options.blocks <= 0)
    return refuse("usage", "a launch needs at least 1 block, not " + std::to_string(options.blocks),
                  "pass a positive number with `--block-dim`");
  if (!options.profile)
    return refuse("internal-error", "a launch without a profile", "");
  if (kernel.aiv && kernel.aic)
    return refuse("not-modelled",
                  "kernel `" + kernel.name + "` has a cube part and a vector part; clusters are not modelled",
                  "launch the parts as kernels of their own");
  if (!kernel.aiv && !kernel.aic)
    return refuse("internal-error", "kernel `" + kernel.name + "` has no program", "");
  installFaultHandler();
  return LaunchRun(kernel, gm, arguments, options).run();
}

} // namespace ptoscope
