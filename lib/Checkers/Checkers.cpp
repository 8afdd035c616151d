//===- Checkers.cpp - race and definedness checks of a launch -------------===//
//
// One observer per block; what must be compared between blocks is merged when
// blocks end, in block order.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/Checkers.h"

#include "BlockChecker.h"
#include "ptoscope/Checkers/BlockConflicts.h"

namespace ptoscope {

void CheckCounts::add(const CheckCounts &other) {
  instructions += other.instructions;
  accesses += other.accesses;
  bytes += other.bytes;
  flags += other.flags;
  edges += other.edges;
  blocks += other.blocks;
}

KeptCheckers::~KeptCheckers() {
  for (std::atomic<Observer *> &place : idle)
    delete place.load();
}

std::unique_ptr<Observer> KeptCheckers::take() {
  for (std::atomic<Observer *> &place : idle)
    if (place.load(std::memory_order_relaxed))
      if (Observer *checker = place.exchange(nullptr, std::memory_order_acquire))
        return std::unique_ptr<Observer>(checker);
  return nullptr;
}

void KeptCheckers::keep(std::unique_ptr<Observer> checker) {
  for (std::atomic<Observer *> &place : idle) {
    Observer *none = nullptr;
    if (place.compare_exchange_strong(none, checker.get(), std::memory_order_release)) {
      (void)checker.release();
      return;
    }
  }
}

namespace {

class Factory final : public CheckerFactory {
public:
  Factory(const SiteTable &sites, const Profile &profile, Checks checks, KeptCheckers *given,
          std::unique_ptr<SignalOrder> order = nullptr, int64_t lastBlock = 0)
      : sites(sites), profile(profile), checks(checks), watches(checks.any()), kept(given ? *given : own),
        signals(std::move(order)), betweenBlocks(sites, signals.get()), lastBlock(lastBlock) {}

  std::unique_ptr<Observer> beginBlock(int64_t block, FindingList &findings) override {
    if (!watches)
      return std::make_unique<Observer>();
    std::unique_ptr<Observer> before = kept.take();
    if (!before)
      before = std::make_unique<BlockChecker>(sites, profile, checks, findings, block, signals.get());
    else
      static_cast<BlockChecker &>(*before).reset(findings, block, signals.get());
    if (inherits)
      if (std::unique_ptr<Observer> last = inherited.take())
        static_cast<BlockChecker &>(*before).takeDefined(static_cast<BlockChecker &>(*last));
    return before;
  }

  void endBlock(int64_t block, std::unique_ptr<Observer> observer, FindingList &findings) override {
    ++totals.blocks;
    if (!watches)
      return;
    // beginBlock makes nothing else in this configuration.
    auto &checker = static_cast<BlockChecker &>(*observer);
    totals.add(checker.counts());
    if (checks.race)
      betweenBlocks.add(block, checker.gmLog().footprint(), checker.gmLog().cellFootprint(), findings);
    if (checks.race && signals && block == lastBlock)
      for (const auto &[engine, entries] : signals->engineFootprints())
        betweenBlocks.add(engine, entries, findings);
    kept.keep(std::move(observer));
  }

  const CheckCounts &counts() const override { return totals; }

  // makeCheckers and makeSignalCheckers make nothing else.
  void inherit(CheckerFactory &ended) override {
    inherits = true;
    inherited.keep(static_cast<Factory &>(ended).kept.take());
  }

private:
  const SiteTable &sites;
  const Profile &profile;
  Checks checks;
  bool watches; ///< some check here is on
  KeptCheckers own;
  KeptCheckers &kept;
  KeptCheckers inherited; ///< of the block before the next one
  bool inherits = false;  ///< set before blocks begin, on any thread
  std::unique_ptr<SignalOrder> signals;
  BlockConflicts betweenBlocks;
  int64_t lastBlock; ///< of those that meet by signals
  CheckCounts totals;
};

} // namespace

std::unique_ptr<CheckerFactory> makeCheckers(const SiteTable &sites, const GmTable &, const Profile &profile,
                                             Checks checks, KeptCheckers *kept) {
  return std::make_unique<Factory>(sites, profile, checks, kept);
}

std::unique_ptr<CheckerFactory> makeSignalCheckers(const SiteTable &sites, const Profile &profile, Checks checks,
                                                   int64_t blocks, int64_t devices) {
  return std::make_unique<Factory>(sites, profile, checks, nullptr, std::make_unique<SignalOrder>(blocks, devices),
                                   blocks * devices - 1);
}

} // namespace ptoscope
