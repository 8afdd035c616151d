//===- OpenBlock.cpp - a block whose program is the caller ----------------===//
//
// One core that is begun, issued to from outside and ended, without a program of
// its own and without threads.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

namespace ptoscope {

namespace {
class Block final : public OpenBlock, BlockOrder {
public:
  Block(const GmTable &gm, const SiteTable &sites, const LaunchOptions &options, const std::shared_ptr<Core> &core)
      : options(options), findings(options.maxFindings), theCore(core) {
    if (options.observers)
      observer = options.observers->beginBlock(0, findings);
    cluster.cores[1] = theCore.get();
    setup.options = &this->options;
    setup.gm = &gm;
    setup.sites = &sites;
    setup.findings = &findings;
    setup.observer = observer.get();
    setup.order = this;
    setup.cluster = &cluster;
    setup.keeps = true;
  }
  bool begin() { return theCore->begin(CoreKind::Unified, CoreId{1}, setup); }

  PtoContext *core() override { return theCore.get(); }
  const std::shared_ptr<Core> &shared() const { return theCore; }

  LaunchResult close() override {
    bool completed = theCore->finish();
    if (observer) {
      observer->blockEnd(completed);
      options.observers->endBlock(0, std::move(observer), findings);
    }
    LaunchStats stats = theCore->statistics();
    stats.blocksDone = completed;
    return {std::move(findings), stats, completed, theCore->sync.slips()};
  }

private:
  void waitForLowerBlocks(int64_t) override {}
  void print(int64_t, std::string_view text) override { printText(options, text); }

  LaunchOptions options;
  FindingList findings;
  std::unique_ptr<Observer> observer;
  Cluster cluster;
  BlockSetup setup;
  std::shared_ptr<Core> theCore;
};
} // namespace

std::unique_ptr<OpenBlock> openBlock(const GmTable &gm, const SiteTable &sites, const LaunchOptions &options,
                                     const OpenBlock *before) {
  auto core = before ? static_cast<const Block *>(before)->shared() : std::make_shared<Core>();
  auto block = std::make_unique<Block>(gm, sites, options, core);
  return block->begin() ? std::move(block) : nullptr;
}

} // namespace ptoscope
