//===- Touches.cpp - which bytes of on-chip memories are used -------------===//

#include "ptoscope/Timing/Touches.h"

#include "ptoscope/Machine/Direct.h"
#include "ptoscope/Machine/ForwardingObserver.h"

#include <algorithm>

namespace ptoscope::timing {

namespace {

class TouchObserver final : public ForwardingObserver {
public:
  TouchObserver(uint64_t limit, std::unique_ptr<Observer> next) : ForwardingObserver(std::move(next)), limit(limit) {}

  std::vector<Touch> touches;
  bool isFull = false;

  bool wantsRegions() const override { return true; }
  void transfer(const Instr &instr, const TransferEvent &event) override {
    add(instr, instr.core, event.srcSpace, event.src, false);
    add(instr, event.dstSpace == Space::Ub ? event.dstCore : instr.core, event.dstSpace, event.dst, true);
    ForwardingObserver::transfer(instr, event);
  }
  void direct(const Instr &instr, const DirectEvent &event) override {
    for (const DirectRegion &region : event.regions)
      add(instr, ownerOf(region, instr), region.space, region.box, writes(region.role));
    ForwardingObserver::direct(instr, event);
  }
  uint32_t vectorLoad(const Instr &instr, const LocalAccess &access, uint64_t *defined) override {
    addPart(access.address, access.address + access.windowBytes, false);
    return ForwardingObserver::vectorLoad(instr, access, defined);
  }
  void vectorStore(const Instr &instr, const LocalAccess &access, const uint64_t *defined, const uint32_t *stamps,
                   uint32_t stampCount) override {
    addPart(access.address, access.address + access.windowBytes, true);
    ForwardingObserver::vectorStore(instr, access, defined, stamps, stampCount);
  }
  uint32_t gather(const Instr &instr, SiteId site, std::span<BlockPart> places) override {
    for (const BlockPart &place : places)
      addPart(place.address, place.address + kBlockBytes, false);
    return ForwardingObserver::gather(instr, site, places);
  }
  void scatter(const Instr &instr, SiteId site, std::span<const BlockPart> places, const uint32_t *stamps,
               uint32_t stampCount) override {
    for (const BlockPart &place : places)
      addPart(place.address, place.address + kBlockBytes, true);
    ForwardingObserver::scatter(instr, site, places, stamps, stampCount);
  }
  void scopeEnd(const Instr &instr) override {
    for (bool writes : {false, true}) {
      for (auto [begin, end] : parts[writes])
        add(instr, instr.core, Space::Ub, begin, end, writes);
      parts[writes].clear();
    }
    ForwardingObserver::scopeEnd(instr);
  }

private:
  void add(const Instr &instr, CoreId owner, Space space, const Box &box, bool writes) {
    if (!box.empty() && space != Space::Gm && space != Space::None)
      add(instr, owner, space, box.lowest(), box.end(), writes);
  }
  void add(const Instr &instr, CoreId owner, Space space, uint64_t begin, uint64_t end, bool writes) {
    if (touches.size() >= limit)
      isFull = true;
    else
      touches.push_back({instr.core, instr.pipe, instr.ordinal, owner, space, begin, end, writes});
  }
  void addPart(uint64_t begin, uint64_t end, bool writes);

  const uint64_t limit;
  /// Parts of UB that the running scope reads and writes, apart: where they begin and end.
  std::map<uint64_t, uint64_t> parts[2];
};

void TouchObserver::addPart(uint64_t begin, uint64_t end, bool writes) {
  // More parts than these are a pattern: their hull is all that a picture can show.
  constexpr size_t kMostParts = 64;
  std::map<uint64_t, uint64_t> &all = parts[writes];
  auto it = all.upper_bound(begin);
  if (it != all.begin() && std::prev(it)->second >= begin)
    --it;
  for (; it != all.end() && it->first <= end; it = all.erase(it)) {
    begin = std::min(begin, it->first);
    end = std::max(end, it->second);
  }
  all.emplace_hint(it, begin, end);
  if (all.size() > kMostParts) {
    const std::pair hull(all.begin()->first, all.rbegin()->second);
    all.clear();
    all.insert(hull);
  }
}

} // namespace

std::unique_ptr<Observer> Touches::beginBlock(int64_t block, FindingList &findings) {
  return std::make_unique<TouchObserver>(limit,
                                         next ? next->beginBlock(block, findings) : std::make_unique<Observer>());
}

void Touches::endBlock(int64_t block, std::unique_ptr<Observer> observer, FindingList &findings) {
  auto &own = static_cast<TouchObserver &>(*observer); // beginBlock makes nothing else
  // Which touches of a block came before its log was full depends on the schedule.
  isFull |= own.isFull || kept + own.touches.size() > limit;
  if (!isFull) {
    kept += own.touches.size();
    blocks[block] = std::move(own.touches);
  }
  if (next)
    next->endBlock(block, own.takeNext(), findings);
}

} // namespace ptoscope::timing
