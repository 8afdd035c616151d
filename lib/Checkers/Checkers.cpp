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

namespace {

class Factory final : public CheckerFactory {
public:
  Factory(const SiteTable &sites, const Profile &profile, Checks checks)
      : sites(sites), profile(profile), checks(checks), watches(checks.any()), betweenBlocks(sites) {}

  std::unique_ptr<Observer> beginBlock(int64_t, FindingList &findings) override {
    if (!watches)
      return std::make_unique<Observer>();
    return std::make_unique<BlockChecker>(sites, profile, checks, findings);
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
  }

  const CheckCounts &counts() const override { return totals; }

private:
  const SiteTable &sites;
  const Profile &profile;
  Checks checks;
  bool watches; ///< some check here is on
  BlockConflicts betweenBlocks;
  CheckCounts totals;
};

} // namespace

std::unique_ptr<CheckerFactory> makeCheckers(const SiteTable &sites, const GmTable &, const Profile &profile,
                                             Checks checks) {
  return std::make_unique<Factory>(sites, profile, checks);
}

} // namespace ptoscope
