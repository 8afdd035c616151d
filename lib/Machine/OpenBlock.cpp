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
  Block(const GmTable &gm, const SiteTable &sites, const LaunchOptions &options)
      : options(options), findings(options.maxFindings) {
    if (options.observers)
      observer = options.observers->beginBlock(0, findings);
    cluster.cores[1] = &theCore;
    setup.options = &this->options;
    setup.gm = &gm;
    setup.sites = &sites;
    setup.findings = &findings;
    setup.observer = observer.get();
    setup.order = this;
    setup.cluster = &cluster;
  }
  bool begin() { return theCore.begin(CoreKind::Unified, CoreId{1}, setup); }

  PtoContext *core() override { return &theCore; }

  LaunchResult close() override {
    bool completed = theCore.finish();
    if (observer) {
      observer->blockEnd(completed);
      options.observers->endBlock(0, std::move(observer), findings);
    }
    LaunchStats stats = theCore.statistics();
    stats.blocksDone = completed;
    return {std::move(findings), stats, completed};
  }

private:
  void waitForLowerBlocks(int64_t) override {}
  void print(int64_t, std::string_view text) override { printText(options, text); }

  LaunchOptions options;
  FindingList findings;
  std::unique_ptr<Observer> observer;
  Cluster cluster;
  BlockSetup setup;
  Core theCore;
};
} // namespace

std::unique_ptr<OpenBlock> openBlock(const GmTable &gm, const SiteTable &sites, const LaunchOptions &options) {
  auto block = std::make_unique<Block>(gm, sites, options);
  return block->begin() ? std::move(block) : nullptr;
}

} // namespace ptoscope
