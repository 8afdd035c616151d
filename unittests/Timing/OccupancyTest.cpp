//===- OccupancyTest.cpp - bytes that are in use --------------------------===//

#include "ptoscope/Timing/Occupancy.h"
#include "Sketch.h"

#include "gtest/gtest.h"

using namespace ptoscope;
using namespace ptoscope::timing;
using namespace ptoscope::timing::testing;

namespace {

class Uses final : public SyncNeeds {
public:
  std::vector<LocalUse> all;
  void add(Pipe pipe, uint64_t ordinal, uint64_t begin, uint64_t end, bool writes) {
    all.push_back({0, CoreId{1}, pipe, ordinal, CoreId{1}, Space::Ub, begin, end, writes});
  }
  bool isComplete() const override { return true; }
  std::vector<Group> groups() const override { return {}; }
  bool isOrderedWithout(std::span<const SiteId>) const override { return false; }
  void forEachUse(const std::function<void(const LocalUse &)> &fn) const override {
    for (const LocalUse &use : all)
      fn(use);
  }
  std::unique_ptr<Observer> beginBlock(int64_t, FindingList &) override { return nullptr; }
  void endBlock(int64_t, std::unique_ptr<Observer>, FindingList &) override {}
};

using Changes = std::vector<std::pair<double, uint64_t>>;

struct Seen final : TimelineSink {
  Changes changes;
  void occupancy(int64_t, CoreId, Space, double time, uint64_t bytes) override { changes.push_back({time, bytes}); }
};

TEST(Occupancy, FromTheWriteToTheLastRead) {
  SiteTable sites;
  Occupancy occupancy;
  Sketch sketch(occupancy, sites);
  Uses uses;
  // 100 bytes are loaded, half of them read twice; then the first 20 are loaded again and never read.
  sketch.slice(Pipe::MTE2, kNoSite, 0, 10, 20);
  sketch.slice(Pipe::V, kNoSite, 1, 30, 40);
  sketch.slice(Pipe::V, kNoSite, 2, 50, 60);
  sketch.slice(Pipe::MTE2, kNoSite, 3, 70, 80);
  uses.add(Pipe::MTE2, 1, 0, 100, true);
  uses.add(Pipe::V, 1, 0, 100, false);
  uses.add(Pipe::V, 2, 50, 100, false);
  uses.add(Pipe::MTE2, 2, 0, 20, true);
  Seen seen;
  occupancy.tell(uses, seen);
  EXPECT_EQ(seen.changes, (Changes{{10, 100}, {40, 50}, {60, 0}, {70, 20}, {80, 0}}));
}

} // namespace
