//===- SyncNeeds.cpp - which flags and barriers a program needs -----------===//
//
// The recorder keeps events that touch memory or order it. A trial plays them to
// the clocks and shadows of the race check, without the sites in question; a
// conflict that was not there before shows that one of them is needed.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/SyncNeeds.h"

#include "ptoscope/Checkers/GmLog.h"
#include "ptoscope/Checkers/LocalShadow.h"
#include "ptoscope/Machine/Direct.h"
#include "ptoscope/Machine/ForwardingObserver.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace ptoscope {

namespace {

enum class Kind : uint8_t {
  Issue,
  Local,  ///< bytes [x, y) of a memory
  Gm,     ///< box number x
  Status, ///< instruction x of pipe `src` must have ended
  SetFlag,
  WaitFlag,
  Barrier,
  GetBuffer,
  ReleaseBuffer,
  UnitCheck,
  UnitPass,
  SyncSet,
  SyncWait,
  QueueSet,
  QueueWait,
  LaunchSet,
  LaunchWait,
  AllArrive,
  AllLeave,
  Tell, ///< other blocks, or an engine, may rely on what is known here
};

struct Event {
  Kind kind;
  CoreId core;
  Pipe pipe;
  Pipe src = Pipe::S, dst = Pipe::S; ///< of flags and barriers
  CoreId other = {};                 ///< target or sender; whose memory it is
  Space space = Space::None;
  AccessKind access = AccessKind::Read;
  uint8_t mode = 0; ///< of buffers; senders of a semaphore
  int16_t id = 0;
  SiteId site = kNoSite;
  uint64_t ordinal = 0; ///< of the instruction on its pipe
  uint64_t x = 0, y = 0;
};

struct GmAccess {
  const GmObject *object;
  Box box;
};

struct BlockLog {
  std::vector<Event> events;
  std::vector<GmAccess> gm;
};

/// Merges bytes that an instruction touches: its loads and stores mostly follow each other.
class Ranges {
public:
  void add(uint64_t begin, uint64_t end) {
    if (!list.empty() && begin <= list.back().second && begin >= list.back().first) {
      list.back().second = std::max(list.back().second, end);
      return;
    }
    list.emplace_back(begin, end);
  }
  template <typename Fn> void flush(Fn fn) {
    std::ranges::sort(list);
    for (size_t i = 0; i < list.size();) {
      auto [begin, end] = list[i];
      for (++i; i < list.size() && list[i].first <= end; ++i)
        end = std::max(end, list[i].second);
      fn(begin, end);
    }
    list.clear();
  }

private:
  std::vector<std::pair<uint64_t, uint64_t>> list;
};

class Recorder final : public ForwardingObserver {
public:
  Recorder(std::unique_ptr<Observer> next, std::atomic<size_t> &left)
      : ForwardingObserver(std::move(next)), left(left) {}

  BlockLog log;
  bool isComplete = true;

  void issue(const Instr &i) override {
    keep(i, Kind::Issue);
    ForwardingObserver::issue(i);
  }
  void transfer(const Instr &i, const TransferEvent &event) override {
    touch(i, i.core, event.srcSpace, event.srcObject, event.src, AccessKind::Read);
    touch(i, event.dstCore, event.dstSpace, event.dstObject, event.dst, event.write);
    ForwardingObserver::transfer(i, event);
  }
  void direct(const Instr &i, const DirectEvent &event) override {
    for (const DirectRegion &region : event.regions)
      touch(i, ownerOf(region, i), region.space, region.object, region.box,
            region.role == DirectRole::Atomic ? region.update
            : writes(region.role)             ? AccessKind::Write
                                              : AccessKind::Read);
    ForwardingObserver::direct(i, event);
  }
  uint32_t vectorLoad(const Instr &i, const LocalAccess &access, uint64_t *defined) override {
    window(loads, access);
    return ForwardingObserver::vectorLoad(i, access, defined);
  }
  void vectorStore(const Instr &i, const LocalAccess &access, const uint64_t *defined, const uint32_t *stamps,
                   uint32_t stampCount) override {
    window(stores, access);
    ForwardingObserver::vectorStore(i, access, defined, stamps, stampCount);
  }
  uint32_t gather(const Instr &i, SiteId site, std::span<BlockPart> parts) override {
    for (const BlockPart &part : parts)
      loads.add(part.address, part.address + kBlockBytes);
    return ForwardingObserver::gather(i, site, parts);
  }
  void scatter(const Instr &i, SiteId site, std::span<const BlockPart> parts, const uint32_t *stamps,
               uint32_t stampCount) override {
    for (const BlockPart &part : parts)
      stores.add(part.address, part.address + kBlockBytes);
    ForwardingObserver::scatter(i, site, parts, stamps, stampCount);
  }
  void scopeEnd(const Instr &i) override {
    loads.flush([&](uint64_t begin, uint64_t end) { local(i, i.core, Space::Ub, begin, end, AccessKind::Read); });
    stores.flush([&](uint64_t begin, uint64_t end) { local(i, i.core, Space::Ub, begin, end, AccessKind::Write); });
    ForwardingObserver::scopeEnd(i);
  }
  void scalarLoad(const Instr &i, const LocalAccess &access) override {
    scalar(i, access, AccessKind::Read);
    ForwardingObserver::scalarLoad(i, access);
  }
  void scalarStore(const Instr &i, const LocalAccess &access) override {
    scalar(i, access, AccessKind::Write);
    ForwardingObserver::scalarStore(i, access);
  }
  void statusRead(const Instr &i, StatusRegister status, const Instr &writer) override {
    if (Event *event = writer.ordinal ? keep(i, Kind::Status) : nullptr) {
      event->other = writer.core;
      event->src = writer.pipe;
      event->x = writer.ordinal;
    }
    ForwardingObserver::statusRead(i, status, writer);
  }
  void setFlag(const Instr &i, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    flag(i, Kind::SetFlag, src, dst, id, ordinal);
    ForwardingObserver::setFlag(i, src, dst, id, ordinal);
  }
  void waitFlag(const Instr &i, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    flag(i, Kind::WaitFlag, src, dst, id, ordinal);
    ForwardingObserver::waitFlag(i, src, dst, id, ordinal);
  }
  void barrier(const Instr &i, Pipe pipe) override {
    if (Event *event = keep(i, Kind::Barrier))
      event->src = pipe;
    ForwardingObserver::barrier(i, pipe);
  }
  void getBuf(const Instr &i, int64_t id, int64_t mode, uint64_t releasesBefore) override {
    buffer(i, Kind::GetBuffer, id, mode, releasesBefore);
    ForwardingObserver::getBuf(i, id, mode, releasesBefore);
  }
  void rlsBuf(const Instr &i, int64_t id, int64_t mode, uint64_t ordinal) override {
    buffer(i, Kind::ReleaseBuffer, id, mode, ordinal);
    ForwardingObserver::rlsBuf(i, id, mode, ordinal);
  }
  void unitCheck(const Instr &i, Pipe from, uint64_t ordinal) override {
    flag(i, Kind::UnitCheck, from, from, 0, ordinal);
    ForwardingObserver::unitCheck(i, from, ordinal);
  }
  void unitPass(const Instr &i) override {
    keep(i, Kind::UnitPass);
    ForwardingObserver::unitPass(i);
  }
  void syncSet(const Instr &i, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders) override {
    between(i, Kind::SyncSet, target, id, ordinal, senders);
    ForwardingObserver::syncSet(i, target, id, ordinal, senders);
  }
  void syncWait(const Instr &i, int64_t id, uint64_t ordinal) override {
    between(i, Kind::SyncWait, {}, id, ordinal);
    ForwardingObserver::syncWait(i, id, ordinal);
  }
  void queueSet(const Instr &i, CoreId target, int64_t id, uint64_t ordinal) override {
    between(i, Kind::QueueSet, target, id, ordinal);
    ForwardingObserver::queueSet(i, target, id, ordinal);
  }
  void queueWait(const Instr &i, CoreId sender, int64_t id, uint64_t ordinal) override {
    between(i, Kind::QueueWait, sender, id, ordinal);
    ForwardingObserver::queueWait(i, sender, id, ordinal);
  }
  void launchSet(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    between(i, Kind::LaunchSet, {}, channel, ordinal);
    ForwardingObserver::launchSet(i, channel, ordinal);
  }
  void launchWait(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    between(i, Kind::LaunchWait, {}, channel, ordinal);
    ForwardingObserver::launchWait(i, channel, ordinal);
  }
  void syncAllArrive(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    between(i, Kind::AllArrive, {}, channel, ordinal);
    ForwardingObserver::syncAllArrive(i, channel, ordinal);
  }
  void syncAllLeave(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    between(i, Kind::AllLeave, {}, channel, ordinal);
    ForwardingObserver::syncAllLeave(i, channel, ordinal);
  }
  void signalSet(const Instr &i, const SignalSet &set) override {
    keep(i, Kind::Tell);
    ForwardingObserver::signalSet(i, set);
  }
  void signalFlush(const Instr &i, uint64_t begin, uint64_t end) override {
    keep(i, Kind::Tell);
    ForwardingObserver::signalFlush(i, begin, end);
  }
  void engineStart(const Instr &i, const EngineTransfer &transfer) override {
    keep(i, Kind::Tell);
    ForwardingObserver::engineStart(i, transfer);
  }
  void openToHost(CoreId core, Space space, uint64_t begin, uint64_t bytes) override {
    isComplete = false; // the host reads whatever it likes
    ForwardingObserver::openToHost(core, space, begin, bytes);
  }

private:
  /// Null when there is no more room.
  Event *keep(const Instr &i, Kind kind) {
    if (!isComplete)
      return nullptr;
    if (log.events.size() == reserved && !reserve())
      return nullptr;
    log.events.push_back({.kind = kind, .core = i.core, .pipe = i.pipe, .site = i.site, .ordinal = i.ordinal});
    return &log.events.back();
  }
  bool reserve() {
    constexpr size_t kStep = 1024;
    for (size_t rest = left; rest >= kStep;)
      if (left.compare_exchange_weak(rest, rest - kStep)) {
        reserved += kStep;
        return true;
      }
    isComplete = false;
    log = {};
    return false;
  }
  void flag(const Instr &i, Kind kind, Pipe src, Pipe dst, int64_t id, uint64_t number) {
    if (Event *event = keep(i, kind)) {
      event->src = src;
      event->dst = dst;
      event->id = int16_t(id);
      event->x = number;
    }
  }
  void buffer(const Instr &i, Kind kind, int64_t id, int64_t mode, uint64_t number) {
    if (Event *event = keep(i, kind)) {
      event->id = int16_t(id);
      event->mode = uint8_t(mode);
      event->x = number;
    }
  }
  void between(const Instr &i, Kind kind, CoreId other, int64_t id, uint64_t number, uint8_t senders = 0) {
    if (Event *event = keep(i, kind)) {
      event->other = other;
      event->id = int16_t(id);
      event->mode = senders;
      event->x = number;
    }
  }
  void local(const Instr &i, CoreId owner, Space space, uint64_t begin, uint64_t end, AccessKind kind) {
    if (Event *event = keep(i, Kind::Local)) {
      event->other = owner;
      event->space = space;
      event->access = kind;
      event->x = begin;
      event->y = end;
    }
  }
  void touch(const Instr &i, CoreId owner, Space space, const GmObject *object, const Box &box, AccessKind kind) {
    if (box.empty() || !isComplete)
      return;
    if (space != Space::Gm) {
      Ranges rows;
      box.forEachRow([&](uint64_t start, uint64_t bytes) { rows.add(start, start + bytes); });
      return rows.flush([&](uint64_t begin, uint64_t end) { local(i, owner, space, begin, end, kind); });
    }
    if (Event *event = keep(i, Kind::Gm)) {
      event->access = kind;
      event->x = log.gm.size();
      log.gm.push_back({object, box});
      log.gm.back().box.normalise();
    }
  }
  void scalar(const Instr &i, const LocalAccess &access, AccessKind kind) {
    Box box;
    box.base = access.address;
    box.rowBytes = access.windowBytes;
    touch(i, i.core, access.space, access.object, box, kind);
  }
  /// From the first to the last byte that is touched.
  static void window(Ranges &ranges, const LocalAccess &access) {
    uint64_t first = 0, last = access.windowBytes;
    if (access.active) {
      const size_t words = (access.windowBytes + 63) / 64;
      size_t low = 0, high = words;
      while (low < words && !access.active[low])
        ++low;
      if (low == words)
        return;
      while (!access.active[high - 1])
        --high;
      first = low * 64 + size_t(std::countr_zero(access.active[low]));
      last = high * 64 - size_t(std::countl_zero(access.active[high - 1]));
    }
    ranges.add(access.address + first, access.address + last);
  }

  std::atomic<size_t> &left;
  size_t reserved = 0;
  Ranges loads, stores; ///< of the scope that runs
};

/// What a trial finds: unordered accesses, and what others are told.
struct Outcome {
  uint64_t conflicts = 0;
  std::vector<VectorClock> told;
};

class Trial {
public:
  Trial(const Profile &profile, const BlockLog &log, const std::vector<bool> &dropped)
      : profile(profile), log(log), dropped(dropped), order(profile), gm(order) {}

  Outcome run() {
    for (const Event &event : log.events)
      play(event);
    return std::move(outcome);
  }

private:
  void play(const Event &event) {
    const Instr instr{event.core, event.pipe, event.ordinal, event.site, nullptr, 0};
    const bool isDropped = event.site < dropped.size() && dropped[event.site];
    switch (event.kind) {
    case Kind::Issue:
      return order.issued(instr);
    case Kind::Local:
      return local(instr, event);
    case Kind::Gm: {
      Slot slot = order.begin(instr);
      const GmAccess &access = log.gm[event.x];
      gm.access(slot, event.ordinal, event.site, event.access, access.object, access.box, gmConflicts);
      outcome.conflicts += gmConflicts.size();
      return gmConflicts.clear();
    }
    case Kind::Status: {
      Slot slot = order.begin(instr);
      outcome.conflicts += !Epoch(slotOf(event.other, event.src), event.x, event.site).endedIn(order.clock(slot));
      return;
    }
    case Kind::SetFlag:
      if (!isDropped)
        order.setFlag(instr, event.src, event.dst, event.id, event.x);
      return;
    case Kind::WaitFlag:
      if (!isDropped)
        order.waitFlag(instr, event.src, event.dst, event.id, event.x);
      return;
    case Kind::Barrier:
      if (!isDropped)
        order.barrier(instr, event.src);
      return;
    case Kind::GetBuffer:
      if (!isDropped)
        order.getBuf(instr, event.id, event.mode, event.x);
      return;
    case Kind::ReleaseBuffer:
      if (!isDropped)
        order.rlsBuf(instr, event.id, event.mode, event.x);
      return;
    case Kind::UnitCheck:
      return order.unitCheck(instr, event.src, event.x);
    case Kind::UnitPass:
      return order.unitPass(instr);
    case Kind::SyncSet:
      order.syncSet(instr, event.other, event.id, event.x, event.mode);
      return;
    case Kind::SyncWait:
      return order.syncWait(instr, event.id, event.x);
    case Kind::QueueSet:
      return order.queueSet(instr, event.other, event.id, event.x);
    case Kind::QueueWait:
      return order.queueWait(instr, event.other, event.id, event.x);
    case Kind::LaunchSet:
      order.launchSet(instr, uint32_t(event.id), event.x);
      return tell(instr);
    case Kind::LaunchWait:
      return order.launchWait(instr, uint32_t(event.id), event.x);
    case Kind::AllArrive:
      order.syncAllArrive(instr, uint32_t(event.id), event.x);
      return tell(instr);
    case Kind::AllLeave:
      return order.syncAllLeave(instr, uint32_t(event.id), event.x);
    case Kind::Tell:
      return tell(instr);
    }
  }
  void tell(const Instr &instr) { outcome.told.push_back(order.clock(order.begin(instr))); }
  void local(const Instr &instr, const Event &event) {
    Slot slot = order.begin(instr);
    const size_t owner = event.space != Space::Ub ? 0 : event.other.index == 0 ? 1 : event.other.index; // MIX-4
    std::unique_ptr<LocalShadow> &shadow = shadows[owner][size_t(event.space)];
    if (!shadow)
      shadow = std::make_unique<LocalShadow>(profile.reachOf(event.space));
    const Epoch self(slot, event.ordinal, event.site);
    if (event.access == AccessKind::Read)
      shadow->access<false>(self, order.clock(slot), event.x, event.y - event.x, nullptr, conflicts);
    else
      shadow->access<true>(self, order.clock(slot), event.x, event.y - event.x, nullptr, conflicts);
    outcome.conflicts += conflicts.all().size();
    conflicts.clear();
  }

  const Profile &profile;
  const BlockLog &log;
  const std::vector<bool> &dropped;
  HappensBefore order;
  GmLog gm;
  std::array<std::array<std::unique_ptr<LocalShadow>, kSpaceSlots>, kCoresPerBlock> shadows;
  ConflictList conflicts;
  std::vector<GmConflict> gmConflicts;
  Outcome outcome;
};

class Needs final : public SyncNeeds {
public:
  Needs(const SiteTable &sites, const Profile &profile, ObserverFactory &next, size_t maxEvents)
      : sites(sites), profile(profile), next(next), left(maxEvents) {}

  std::unique_ptr<Observer> beginBlock(int64_t block, FindingList &findings) override {
    return std::make_unique<Recorder>(next.beginBlock(block, findings), left);
  }
  void endBlock(int64_t block, std::unique_ptr<Observer> observer, FindingList &findings) override {
    auto &recorder = static_cast<Recorder &>(*observer); // beginBlock makes nothing else
    complete = complete && recorder.isComplete;
    if (complete)
      blocks.push_back(std::move(recorder.log));
    else
      blocks.clear();
    next.endBlock(block, recorder.takeNext(), findings);
  }

  bool isComplete() const override { return complete; }
  std::vector<Group> groups() const override;
  bool isOrderedWithout(std::span<const SiteId> left) const override {
    std::vector<bool> dropped(sites.size());
    for (SiteId site : left)
      dropped[site] = true;
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (usual.size() == i)
        usual.push_back(Trial(profile, blocks[i], {}).run());
      Outcome without = Trial(profile, blocks[i], dropped).run();
      if (without.conflicts > usual[i].conflicts ||
          !std::ranges::equal(without.told, usual[i].told, {}, &VectorClock::ended, &VectorClock::ended))
        return false;
    }
    return true;
  }

private:
  bool isSync(SiteId site) const { return site < sites.size() && sites[site].timing == Timing::sync; }

  const SiteTable &sites;
  const Profile &profile;
  ObserverFactory &next;
  std::atomic<size_t> left;
  bool complete = true;
  std::vector<BlockLog> blocks;
  mutable std::vector<Outcome> usual; ///< with everything in place
};

std::vector<SyncNeeds::Group> Needs::groups() const {
  std::vector<SiteId> parent(sites.size());
  std::iota(parent.begin(), parent.end(), 0);
  auto root = [&](SiteId site) {
    while (parent[site] != site)
      site = parent[site] = parent[parent[site]];
    return site;
  };
  std::set<SiteId> barriers, others;
  std::set<SiteId> unsure; ///< sites that order something else, too
  for (const BlockLog &log : blocks) {
    std::map<std::tuple<uint8_t, Pipe, Pipe, int16_t, uint64_t>, SiteId> flags;
    std::map<int16_t, SiteId> buffers;
    for (const Event &event : log.events) {
      const bool isFlag = event.kind == Kind::SetFlag || event.kind == Kind::WaitFlag;
      const bool isBuffer = event.kind == Kind::GetBuffer || event.kind == Kind::ReleaseBuffer;
      if (event.kind == Kind::Issue || !isSync(event.site))
        continue;
      if (event.kind == Kind::Barrier) {
        barriers.insert(event.site);
      } else if (isFlag || isBuffer) {
        others.insert(event.site);
        SiteId &first = isFlag
                            ? flags.try_emplace({event.core.index, event.src, event.dst, event.id, event.x}, event.site)
                                  .first->second
                            : buffers.try_emplace(event.id, event.site).first->second;
        parent[root(event.site)] = root(first);
      } else {
        unsure.insert(event.site);
      }
    }
  }
  std::vector<Group> groups;
  for (SiteId site : barriers)
    if (!unsure.contains(site) && !others.contains(site))
      groups.push_back({{site}, true});
  std::map<SiteId, Group> byRoot;
  std::vector<SiteId> order;
  for (SiteId site : others) {
    auto [it, isNew] = byRoot.try_emplace(root(site));
    it->second.sites.push_back(site);
    if (isNew)
      order.push_back(root(site));
  }
  for (SiteId first : order) {
    const Group &group = byRoot[first];
    if (std::ranges::none_of(group.sites,
                             [&](SiteId site) { return unsure.contains(site) || barriers.contains(site); }))
      groups.push_back(group);
  }
  return groups;
}

} // namespace

std::unique_ptr<SyncNeeds> makeSyncNeeds(const SiteTable &sites, const Profile &profile, ObserverFactory &next,
                                         size_t maxEvents) {
  return std::make_unique<Needs>(sites, profile, next, maxEvents);
}

} // namespace ptoscope
