//===- BlockChecker.cpp - the observer of one block -----------------------===//
//
// Which bytes each event reads, writes, defines or orders.
//
//===----------------------------------------------------------------------===//

#include "BlockChecker.h"

#include "ptoscope/Machine/ClusterSentences.h"
#include "ptoscope/Machine/OrderSentences.h"

#include <algorithm>
#include <bit>

namespace ptoscope {

BlockChecker::BlockChecker(const SiteTable &sites, const Profile &profile, Checks checks, FindingList &findings,
                           int64_t block, SignalOrder *signals)
    : profile(profile), block(block), signals(signals), checks(checks), order(profile),
      reporter(sites, profile, order, findings), gm(order) {}

void BlockChecker::reset(FindingList &findings, int64_t newBlock, SignalOrder *newSignals) {
  block = newBlock;
  signals = newSignals;
  order.reset();
  reporter.reset(findings);
  gm.reset();
  cache.reset();
  for (auto &ofCore : memories)
    for (Memory &memory : ofCore)
      memory.made = false; // what is not touched need not be reset
  for (std::unique_ptr<ScopeShadow> &scope : scopes)
    if (scope)
      scope->reset();
  scopeMemory = nullptr;
  scopeShadow = nullptr;
  noted = {};
  undefinedLoad = undefinedLoadClobberer = kNoSite;
  severalUndefinedLoads = clobberedLoads = false;
  clobberers.clear();
  hasStorages = false;
  totals = {};
}

void BlockChecker::takeDefined(const BlockChecker &before) {
  for (size_t owner = 0; owner < memories.size(); ++owner)
    for (size_t space = 0; space < memories[owner].size(); ++space)
      if (const Memory &last = before.memories[owner][space]; last.made && last.defined) {
        Memory &own = memories[owner][space];
        make(own, Space(space));
        if (own.defined)
          own.defined->takeOver(*last.defined);
      }
}

void BlockChecker::beginNew(Slot slot, const Instr &instr) {
  noted[slot] = instr.ordinal;
  order.begin(instr);
  if (!order.wasIssued(slot, instr.ordinal)) [[unlikely]]
    reporter.log.note(slot, instr);
}

void BlockChecker::make(Memory &memory, Space space) {
  uint32_t bytes = profile.reachOf(space);
  if (memory.shadow)
    memory.shadow->reset();
  else if (checks.race)
    memory.shadow = std::make_unique<LocalShadow>(bytes, /*byTiles=*/true);
  if (memory.defined)
    memory.defined->reset();
  else if (checks.init)
    memory.defined = std::make_unique<DefinedMap>(bytes);
  memory.storages.reset();
  memory.made = true;
}

ScopeShadow &BlockChecker::makeScope(CoreId core) {
  scopes[core.index] = std::make_unique<ScopeShadow>(profile.bytes[size_t(Space::Ub)]);
  return *scopes[core.index];
}

void BlockChecker::issue(const Instr &instr) {
  order.issued(instr);
  reporter.log.note(slotOf(instr.core, instr.pipe), instr);
}

void BlockChecker::start(const Instr &instr) {
  ++totals.instructions;
  begin(instr);
}

// --- accesses -----------------------------------------------------------------

void BlockChecker::reportLocal(const Instr &instr, Slot slot, SiteId site, Space space, bool writes) {
  for (const ShadowConflict &conflict : conflicts.all())
    reporter.race({conflict.other.slot(), conflict.other.ordinal(), conflict.other.site(), conflict.otherWrites},
                  {slot, instr.ordinal, site, writes, reporter.scopeTurns(instr, site)},
                  {space, nullptr, conflict.begin, conflict.end});
  conflicts.clear();
}

void BlockChecker::touchGm(const Instr &instr, Slot slot, SiteId site, const GmObject *object, const Box &box,
                           AccessKind kind) {
  gm.access(slot, instr.ordinal, site, kind, object, box, gmConflicts);
  reportGm(instr, slot, site, object, kind);
  if (kind != AccessKind::Read && instr.pipe != Pipe::S)
    cache.write(std::nullopt, site, box);
}

/// What goes through the cache of a scalar unit, and what passes it (CACHE-6).
void BlockChecker::touchCache(const Instr &instr, const LocalAccess &access, const Box &box, bool writes) {
  if (writes)
    cache.write(access.pastCache ? std::nullopt : std::optional(instr.core), access.site, box);
  if (access.pastCache || reporter.isCpp())
    return;
  if (writes)
    cache.store(instr.core, access.site, access.address, access.windowBytes);
  else if (std::optional<CacheLines::Stale> stale =
               cache.load(instr.core, access.site, access.address, access.windowBytes))
    reporter.staleLine(instr, access.site, access.object, *stale);
}

void BlockChecker::cacheInvalidate(const Instr &instr, uint64_t begin, uint64_t end) {
  this->begin(instr);
  cache.invalidate(instr.core, begin, end);
}

void BlockChecker::touchRuns(const Instr &instr, Slot slot, const DirectRegion &region, AccessKind kind) {
  uint64_t bytes = 0;
  for (const ByteRun &run : region.runs)
    bytes += run.end - run.begin;
  count(bytes);
  if (!checks.race)
    return;
  reporter.log.noteHull(slot, instr.ordinal, kind != AccessKind::Read, {region.box.lowest(), region.box.end()});
  gm.accessRuns(slot, instr.ordinal, instr.site, kind, region.object, region.runs, gmConflicts);
  reportGm(instr, slot, instr.site, region.object, kind);
}

void BlockChecker::reportGm(const Instr &instr, Slot slot, SiteId site, const GmObject *object, AccessKind kind) {
  for (const GmConflict &conflict : gmConflicts) {
    RaceParty first{conflict.slot, conflict.ordinal, conflict.site, conflict.kind != AccessKind::Read};
    RaceParty second{slot, instr.ordinal, site, kind != AccessKind::Read, reporter.scopeTurns(instr, site)};
    ReportBytes bytes{Space::Gm, object, conflict.begin, conflict.end};
    if (isAtomic(kind) && conflict.kind == kind)
      reporter.orderDependent(first, second, bytes);
    else
      reporter.race(first, second, bytes);
  }
  gmConflicts.clear();
}

void BlockChecker::touchBox(const Instr &instr, Slot slot, CoreId owner, Space space, const GmObject *object,
                            const Box &box, AccessKind kind) {
  if (box.empty())
    return;
  count(box.bytes());
  if (!checks.race)
    return;
  reporter.log.noteHull(slot, instr.ordinal, kind != AccessKind::Read, {box.lowest(), box.end()});
  if (!box.dims.empty()) { // few rows and equal shapes are cheaper below
    normalised = box;
    normalised.normalise();
  }
  const Box &rows = box.dims.empty() ? box : normalised;
  if (space == Space::Gm)
    return touchGm(instr, slot, instr.site, object, rows, kind);
  LocalShadow &shadow = *memory(owner, space).shadow;
  rows.forEachRow([&](uint64_t start, uint64_t bytes) {
    if (kind == AccessKind::Read)
      touchLocal<false>(instr, slot, instr.site, space, shadow, start, bytes, nullptr);
    else
      touchLocal<true>(instr, slot, instr.site, space, shadow, start, bytes, nullptr);
  });
}

void BlockChecker::transfer(const Instr &instr, const TransferEvent &event) {
  Slot slot = begin(instr);
  touchBox(instr, slot, instr.core, event.srcSpace, event.srcObject, event.src, AccessKind::Read);
  touchBox(instr, slot, event.dstCore, event.dstSpace, event.dstObject, event.dst, event.write);
  if (hasStorages) [[unlikely]]
    event.dst.forEachRow(
        [&](uint64_t start, uint64_t bytes) { forgetStorage(event.dstCore, event.dstSpace, start, bytes); });
  if (checks.init)
    defineTransfer(instr, event);
}

void BlockChecker::touchScalar(const Instr &instr, Slot slot, const LocalAccess &access, bool writes) {
  count(access.windowBytes);
  if (!checks.race || access.windowBytes == 0)
    return;
  if (access.space == Space::Gm) {
    Box box;
    box.base = access.address;
    box.rowBytes = access.windowBytes;
    touchGm(instr, slot, access.site, access.object, box, writes ? AccessKind::Write : AccessKind::Read);
    if (!access.inScope)
      touchCache(instr, access, box, writes);
    return;
  }
  LocalShadow &shadow = *memory(instr.core, access.space).shadow;
  if (writes)
    touchLocal<true>(instr, slot, access.site, access.space, shadow, access.address, access.windowBytes, access.active);
  else
    touchLocal<false>(instr, slot, access.site, access.space, shadow, access.address, access.windowBytes,
                      access.active);
  if (!access.inScope || access.space != Space::Ub)
    return;
  if (writes)
    scopeOf(instr.core).store(access, nullptr, 0, scopeConflicts);
  else
    scopeOf(instr.core).load(access, scopeConflicts);
  reportScope(instr, access);
  noteTurn(instr, access, scopeOf(instr.core));
}

void BlockChecker::scalarLoad(const Instr &instr, const LocalAccess &access) {
  Slot slot = begin(instr);
  touchScalar(instr, slot, access, false);
  if (!checks.init || access.space == Space::Gm)
    return;
  Undefined undefined = undefinedOf(memory(instr.core, access.space), {access.address, access.windowBytes, {}});
  if (undefined.count)
    reporter.undefinedScalar(instr, access.site,
                             {access.space, nullptr, access.address, access.address + access.windowBytes}, undefined);
}

void BlockChecker::scalarStore(const Instr &instr, const LocalAccess &access) {
  Slot slot = begin(instr);
  touchScalar(instr, slot, access, true);
  forgetStorage(instr.core, access.space, access.address, access.windowBytes);
  if (checks.init && access.space != Space::Gm)
    memory(instr.core, access.space).defined->insert(access.address, access.windowBytes, nullptr, access.active);
}

void BlockChecker::statusRead(const Instr &instr, StatusRegister status, const Instr &writer) {
  Slot slot = begin(instr);
  count(sizeof(uint64_t));
  ReportBytes what{Space::None, nullptr, 0, 0, status};
  if (writer.ordinal == 0) {
    if (checks.init)
      reporter.undefinedScalar(instr, instr.site, what, {});
    return;
  }
  // The SU has read it when it issues the next writer, so this order is all that
  // can be missing.
  Slot writerSlot = slotOf(writer.core, writer.pipe);
  if (checks.race && !Epoch(writerSlot, writer.ordinal, writer.site).endedIn(order.clock(slot)))
    reporter.race({writerSlot, writer.ordinal, writer.site, true}, {slot, instr.ordinal, instr.site, false}, what);
}

// --- scopes -------------------------------------------------------------------

void BlockChecker::scopeBegin(const Instr &instr) {
  begin(instr);
  scopeCore = instr.core;
  undefinedLoad = kNoSite;
  severalUndefinedLoads = clobberedLoads = false;
  scopeMemory = &memory(instr.core, Space::Ub);
  scopeShadow = checks.race ? &scopeOf(instr.core) : nullptr;
  if (scopeShadow)
    scopeShadow->begin();
}

void BlockChecker::reportScopeConflicts(const Instr &instr, const LocalAccess &access) {
  for (const ScopeConflict &conflict : scopeConflicts)
    reporter.scopeRace(instr, conflict, access);
  scopeConflicts.clear();
}

uint32_t BlockChecker::vectorLoad(const Instr &instr, const LocalAccess &access, uint64_t *defined) {
  Slot slot = begin(instr);
  count(access.windowBytes);
  uint32_t stamp = 0;
  Memory &target = *scopeMemory;
  if (scopeShadow) {
    touchLocal<false>(instr, slot, access.site, Space::Ub, *target.shadow, access.address, access.windowBytes,
                      access.active);
    stamp = scopeShadow->load(access, scopeConflicts);
    reportScope(instr, access);
    noteTurn(instr, access, *scopeShadow);
  }
  if (!checks.init) {
    std::fill_n(defined, (access.windowBytes + 63) / 64, ~uint64_t(0));
    return stamp;
  }
  if (!target.defined->extract(access.address, access.windowBytes, defined))
    noteUndefined(access.site, target.defined->clobbererOf(access.address, access.windowBytes, access.active));
  return stamp;
}

void BlockChecker::vectorStore(const Instr &instr, const LocalAccess &access, const uint64_t *defined,
                               const uint32_t *stamps, uint32_t stampCount) {
  Slot slot = begin(instr);
  count(access.windowBytes);
  const uint32_t first = access.active ? leadingBlocks(access.active, access.windowBytes) : 0;
  if (first == 0)
    return storeRegister(instr, slot, access, defined, stamps, stampCount);
  // The end of a row: as good as a store to fewer bytes.
  LocalAccess shorter = access;
  shorter.windowBytes = first;
  shorter.active = nullptr;
  storeRegister(instr, slot, shorter, defined, stamps, stampCount);
}

void BlockChecker::storeRegister(const Instr &instr, Slot slot, const LocalAccess &access, const uint64_t *defined,
                                 const uint32_t *stamps, uint32_t stampCount) {
  forgetStorage(instr.core, Space::Ub, access.address, access.windowBytes);
  Memory &target = *scopeMemory;
  if (scopeShadow) {
    touchLocal<true>(instr, slot, access.site, Space::Ub, *target.shadow, access.address, access.windowBytes,
                     access.active);
    scopeShadow->store(access, stamps, stampCount, scopeConflicts);
    reportScope(instr, access);
    noteTurn(instr, access, *scopeShadow);
  }
  if (checks.init)
    target.defined->insert(access.address, access.windowBytes, defined, access.active);
}

template <bool Writes>
BlockChecker::Memory &BlockChecker::touchBlocks(const Instr &instr, SiteId site, std::span<const BlockPart> parts) {
  Slot slot = begin(instr);
  Memory &target = memory(instr.core, Space::Ub);
  Epoch self(slot, instr.ordinal, site);
  uint64_t bytes = 0;
  for (size_t i = 0; i + 1 < parts.size(); i += 2) // two at a time: hosts may have no instruction for it
    bytes += unsigned(std::popcount(uint64_t(parts[i].touched) << 32 | parts[i + 1].touched));
  if (parts.size() % 2)
    bytes += unsigned(std::popcount(parts.back().touched));
  if (checks.race)
    target.shadow->accessBlocks<Writes>(self, order.clock(slot), parts, conflicts);
  count(bytes);
  if (!conflicts.empty()) [[unlikely]]
    reportLocal(instr, slot, site, Space::Ub, Writes);
  return target;
}

/// An access of which only some bytes, anywhere in UB, are touched.
static LocalAccess somewhere(SiteId site, AccessClass accessClass) {
  static constexpr uint64_t kSome = 0;
  return {site, Space::Ub, nullptr, 0, UINT32_MAX, &kSome, accessClass, true};
}

uint32_t BlockChecker::gather(const Instr &instr, SiteId site, std::span<BlockPart> parts) {
  Memory &target = touchBlocks<false>(instr, site, parts);
  uint32_t stamp = 0;
  if (checks.race) {
    stamp = scopeOf(instr.core).gather(site, parts, scopeConflicts);
    LocalAccess access = somewhere(site, VectorLoad);
    reportScope(instr, access);
    noteTurn(instr, access, scopeOf(instr.core));
  }
  if (!checks.init || target.defined->extractBlocks(parts)) [[likely]]
    return stamp; // parts come with all that they touch
  uint16_t clobbered = 0;
  for (const BlockPart &part : parts)
    if (uint64_t here = part.touched & ~part.defined; here && !clobbered)
      clobbered = target.defined->clobbererOf(part.address, kBlockBytes, &here);
  noteUndefined(site, clobbered);
  return stamp;
}

void BlockChecker::scatter(const Instr &instr, SiteId site, std::span<const BlockPart> parts, const uint32_t *stamps,
                           uint32_t stampCount) {
  Memory &target = touchBlocks<true>(instr, site, parts);
  if (hasStorages) [[unlikely]]
    for (const BlockPart &part : parts)
      forgetStorage(instr.core, Space::Ub, part.address, kBlockBytes);
  if (checks.race) {
    scopeOf(instr.core).scatter(site, parts, stamps, stampCount, scopeConflicts);
    LocalAccess access = somewhere(site, VectorStore);
    reportScope(instr, access);
    noteTurn(instr, access, scopeOf(instr.core));
  }
  if (checks.init)
    target.defined->insertBlocks(parts);
}

uint32_t BlockChecker::mergeStamps(const uint32_t *stamps, uint32_t n) {
  return checks.race ? scopeOf(scopeCore).merge(stamps, n) : 0;
}

void BlockChecker::fence(const Instr &instr, SiteId, Fence fence) {
  begin(instr);
  ++totals.edges;
  if (checks.race)
    scopeOf(instr.core).fence(classesOf(fence));
}

void BlockChecker::undefinedUse(const Instr &instr, SiteId site, const RegisterUse &use, const uint64_t *defined,
                                const uint64_t *active) {
  begin(instr);
  if (!checks.init)
    return;
  const auto missingOf = [&](unsigned word) {
    return (active ? active[word] : ~uint64_t(0)) & ~(defined ? defined[word] : ~uint64_t(0));
  };
  if (!(missingOf(0) | missingOf(1) | missingOf(2) | missingOf(3))) // as in tails, whose other lanes are off
    return;
  unsigned undefined = 0, first = 0;
  for (unsigned word = 0; word < kVectorBytes / 64; ++word) {
    uint64_t missing = missingOf(word);
    if (missing && undefined == 0)
      first = word * 64 + unsigned(std::countr_zero(missing));
    undefined += unsigned(std::popcount(missing));
  }
  if (undefined)
    reporter.undefinedUse(instr, site, use, first, undefined, severalUndefinedLoads ? kNoSite : undefinedLoad,
                          severalUndefinedLoads ? kNoSite : undefinedLoadClobberer, !clobberedLoads);
}

// --- definedness ----------------------------------------------------------------

uint16_t BlockChecker::clobberer(SiteId site) {
  auto found = std::find(clobberers.rbegin(), clobberers.rend(), site);
  if (found != clobberers.rend())
    return uint16_t(clobberers.rend() - found);
  if (clobberers.size() == UINT16_MAX)
    return 0;
  clobberers.push_back(site);
  return uint16_t(clobberers.size());
}

Undefined BlockChecker::undefinedOf(Memory &memory, const Box &rows) const {
  const DefinedMap &map = *memory.defined;
  Undefined result;
  rows.forEachRow([&](uint64_t start, uint64_t bytes) {
    uint64_t firstOfRow = 0, found = map.countUndefined(start, bytes, &firstOfRow);
    if (found && result.count == 0)
      result.first = firstOfRow;
    result.count += found;
    if (found && result.clobberer == kNoSite)
      result.clobberer = siteOfClobberer(map.clobbererOf(start, bytes));
  });
  if (result.count && memory.shadow) {
    result.writer = memory.shadow->writerOf(result.first);
    result.neverWritten = result.writer == kNoSite;
  }
  return result;
}

void BlockChecker::defineTransfer(const Instr &instr, const TransferEvent &event) {
  if (event.dstSpace == Space::Gm) {
    if (event.srcSpace == Space::Gm)
      return;
    Undefined undefined = undefinedOf(memory(instr.core, event.srcSpace), event.src);
    if (undefined.count)
      reporter.undefinedStore(instr, {event.srcSpace, nullptr, undefined.first, undefined.first + 1}, undefined,
                              event.src.bytes());
    return;
  }

  DefinedMap &map = *memory(event.dstCore, event.dstSpace).defined;
  Box written = event.dst, copied = event.copied;
  written.normalise();
  copied.normalise();
  bool padded = copied.base != written.base || copied.rowBytes != written.rowBytes || copied.dims != written.dims;
  if (event.srcSpace == Space::Gm) {
    written.forEachRow([&](uint64_t start, uint64_t bytes) {
      map.define(start, bytes);
      // ROW-1: no manual says what becomes of the rest of the last block.
      if (!padded && bytes % kBlockBytes != 0)
        map.undefine(start + bytes, kBlockBytes - bytes % kBlockBytes, clobberer(instr.site));
    });
    return;
  }
  // Padding first, then the state of the source, byte by byte in row order.
  if (padded)
    written.forEachRow([&](uint64_t start, uint64_t bytes) { map.define(start, bytes); });
  std::vector<std::pair<uint64_t, uint64_t>> sources;
  event.src.forEachRow([&](uint64_t start, uint64_t bytes) { sources.emplace_back(start, bytes); });
  const DefinedMap &source = *memory(instr.core, event.srcSpace).defined;
  size_t at = 0;
  uint64_t used = 0;
  event.copied.forEachRow([&](uint64_t start, uint64_t bytes) {
    while (bytes && at < sources.size()) {
      uint64_t n = std::min(bytes, sources[at].second - used);
      map.copy(start, source, sources[at].first + used, n);
      start += n;
      bytes -= n;
      used += n;
      if (used == sources[at].second) {
        ++at;
        used = 0;
      }
    }
  });
}

// --- edges --------------------------------------------------------------------

void BlockChecker::setFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {
  begin(instr);
  ++totals.flags;
  if (order.setFlag(instr, src, dst, id, ordinal) > kCounterLimit && checks.sync) [[unlikely]]
    reporter.overflow(instr, "flag-overflow", say::kFlagOf(src, dst, id), nameOf(dst), ordinal);
}

void BlockChecker::waitFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {
  begin(instr);
  ++totals.flags;
  order.waitFlag(instr, src, dst, id, ordinal);
}

void BlockChecker::barrier(const Instr &instr, Pipe pipe) {
  if (instr.pipe != Pipe::All)
    begin(instr);
  ++totals.edges;
  order.barrier(instr, pipe);
}

void BlockChecker::memoryBarrier(const Instr &instr, uint32_t pipes) {
  begin(instr);
  ++totals.edges;
  order.memoryBarrier(instr, pipes);
}

void BlockChecker::getBuf(const Instr &instr, int64_t id, int64_t mode, uint64_t releasesBefore) {
  begin(instr);
  ++totals.edges;
  order.getBuf(instr, id, mode, releasesBefore);
}

void BlockChecker::rlsBuf(const Instr &instr, int64_t id, int64_t mode, uint64_t ordinal) {
  begin(instr);
  ++totals.edges;
  order.rlsBuf(instr, id, mode, ordinal);
}

void BlockChecker::unitCheck(const Instr &instr, Pipe from, uint64_t ordinal) {
  begin(instr);
  ++totals.edges;
  order.unitCheck(instr, from, ordinal);
}

void BlockChecker::unitPass(const Instr &instr) {
  begin(instr);
  ++totals.edges;
  order.unitPass(instr);
}

void BlockChecker::syncSet(const Instr &instr, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders) {
  begin(instr);
  ++totals.flags;
  if (order.syncSet(instr, target, id, ordinal, senders) <= kCounterLimit || !checks.sync) [[likely]]
    return;
  std::string counter = reporter.isCpp() ? say::kSignalBetween(id % say::kSignalIds, target, instr.core)
                                         : say::kOf(say::kForSemaphore(id), target);
  reporter.overflow(instr, "semaphore-overflow", counter, nameOf(target), ordinal);
}

void BlockChecker::launchSet(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  begin(instr);
  ++totals.flags;
  order.launchSet(instr, channel, ordinal);
}

void BlockChecker::launchWait(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  begin(instr);
  ++totals.flags;
  order.launchWait(instr, channel, ordinal);
}

void BlockChecker::queueSet(const Instr &instr, CoreId target, int64_t id, uint64_t ordinal) {
  begin(instr);
  ++totals.edges;
  order.queueSet(instr, target, id, ordinal);
}

void BlockChecker::queueWait(const Instr &instr, CoreId sender, int64_t id, uint64_t ordinal) {
  begin(instr);
  ++totals.edges;
  order.queueWait(instr, sender, id, ordinal);
}

void BlockChecker::syncWait(const Instr &instr, int64_t id, uint64_t ordinal) {
  begin(instr);
  ++totals.flags;
  order.syncWait(instr, id, ordinal);
}

void BlockChecker::syncAllArrive(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  begin(instr);
  ++totals.edges;
  order.syncAllArrive(instr, channel, ordinal);
  if (signals)
    signals->arrive(block, channel, ordinal, tellOthers(instr));
}

void BlockChecker::syncAllLeave(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  begin(instr);
  order.syncAllLeave(instr, channel, ordinal);
  if (signals)
    learnFromOthers(instr, signals->met(block, channel, ordinal));
}

void BlockChecker::blockEnd(bool) { reporter.flushRepeats(); }

} // namespace ptoscope
