//===- BlockChecker.h - the observer of one block ---------------*- C++ -*-===//
//
// Feeds the events of a block to the parts of the race and init checks and
// hands what they find to the reporter.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_CHECKERS_BLOCKCHECKER_H
#define PTOSCOPE_LIB_CHECKERS_BLOCKCHECKER_H

#include "ptoscope/Checkers/Checkers.h"
#include "ptoscope/Checkers/DefinedMap.h"
#include "ptoscope/Checkers/GmLog.h"
#include "ptoscope/Checkers/LocalShadow.h"
#include "ptoscope/Checkers/Reporter.h"
#include "ptoscope/Checkers/ScopeShadow.h"
#include "ptoscope/Checkers/SignalOrder.h"
#include "ptoscope/Checkers/StorageShadow.h"
#include "ptoscope/Machine/Direct.h"

namespace ptoscope {

class BlockChecker final : public Observer {
public:
  /// `signals`: what orders the blocks of the launch, if they meet by signals.
  BlockChecker(const SiteTable &sites, const Profile &profile, Checks checks, FindingList &findings, int64_t block = 0,
               SignalOrder *signals = nullptr);
  /// As it was made, for another block of the same kernel; memory that is in use most of the time stays.
  void reset(FindingList &findings, int64_t newBlock, SignalOrder *newSignals);

  void issue(const Instr &) override;
  void start(const Instr &) override;
  void transfer(const Instr &, const TransferEvent &) override;
  void scopeBegin(const Instr &) override;
  uint32_t vectorLoad(const Instr &, const LocalAccess &, uint64_t *defined) override;
  void vectorStore(const Instr &, const LocalAccess &, const uint64_t *defined, const uint32_t *stamps,
                   uint32_t stampCount) override;
  uint32_t mergeStamps(const uint32_t *stamps, uint32_t n) override;
  uint64_t scopeLoop(const Instr &, const ScopeLoop &) override; // LoopChecks.cpp
  uint32_t gather(const Instr &, SiteId, std::span<BlockPart>) override;
  void scatter(const Instr &, SiteId, std::span<const BlockPart>, const uint32_t *stamps, uint32_t stampCount) override;
  void scalarLoad(const Instr &, const LocalAccess &) override;
  void scalarStore(const Instr &, const LocalAccess &) override;
  void fence(const Instr &, SiteId, Fence) override;
  void undefinedUse(const Instr &, SiteId, const RegisterUse &, const uint64_t *defined,
                    const uint64_t *active) override;
  void storage(CoreId, uint32_t number, const Storage &) override;
  void direct(const Instr &, const DirectEvent &) override;
  void openToHost(CoreId, Space, uint64_t begin, uint64_t bytes) override;
  void statusRead(const Instr &, StatusRegister, const Instr &writer) override;
  void setFlag(const Instr &, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override;
  void waitFlag(const Instr &, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override;
  void barrier(const Instr &, Pipe pipe) override;
  void memoryBarrier(const Instr &, uint32_t pipes) override;
  void cacheInvalidate(const Instr &, uint64_t begin, uint64_t end) override;
  void getBuf(const Instr &, int64_t id, int64_t mode, uint64_t releasesBefore) override;
  void rlsBuf(const Instr &, int64_t id, int64_t mode, uint64_t ordinal) override;
  void unitCheck(const Instr &, Pipe from, uint64_t ordinal) override;
  void unitPass(const Instr &) override;
  void syncSet(const Instr &, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders) override;
  void launchSet(const Instr &, uint32_t channel, uint64_t ordinal) override;
  void launchWait(const Instr &, uint32_t channel, uint64_t ordinal) override;
  void syncWait(const Instr &, int64_t id, uint64_t ordinal) override;
  void queueSet(const Instr &, CoreId target, int64_t id, uint64_t ordinal) override;
  void queueWait(const Instr &, CoreId sender, int64_t id, uint64_t ordinal) override;
  void syncAllArrive(const Instr &, uint32_t channel, uint64_t ordinal) override;
  void syncAllLeave(const Instr &, uint32_t channel, uint64_t ordinal) override;
  void signalSet(const Instr &, const SignalSet &) override;
  void signalFlush(const Instr &, uint64_t begin, uint64_t end) override;
  void signalLook(const Instr &, uint64_t begin, uint64_t end) override;
  void signalWait(const Instr &, const SignalWait &) override;
  void engineStart(const Instr &, const EngineTransfer &) override;
  void engineDone(const Instr &, uint64_t session, uint64_t number) override;
  void blockEnd(bool completed) override;

  /// As if this block had written what `before` knows as defined.
  void takeDefined(const BlockChecker &before);

  const GmLog &gmLog() const { return gm; }
  const CheckCounts &counts() const { return totals; }

private:
  /// The state of one local memory, made when it is first touched.
  struct Memory {
    std::unique_ptr<LocalShadow> shadow;
    std::unique_ptr<DefinedMap> defined;
    std::unique_ptr<StorageShadow> storages; ///< once there is one
    bool made = false;                       ///< for this block
  };

  Slot begin(const Instr &instr) {
    Slot slot = slotOf(instr.core, instr.pipe);
    if (noted[slot] != instr.ordinal)
      beginNew(slot, instr);
    return slot;
  }
  void beginNew(Slot slot, const Instr &instr);
  Memory &memory(CoreId core, Space space) {
    // UB belongs to a vector core, every other local memory to the cube core; a
    // core reaches its cluster's memories of the other kind (MIX-4).
    size_t owner = space != Space::Ub ? 0 : core.index == 0 ? 1 : core.index;
    Memory &result = memories[owner][size_t(space)];
    if (!result.made) [[unlikely]]
      make(result, space);
    return result;
  }
  void make(Memory &memory, Space space);
  ScopeShadow &scopeOf(CoreId core) {
    auto &scope = scopes[core.index];
    return scope ? *scope : makeScope(core);
  }
  ScopeShadow &makeScope(CoreId core);
  /// Checks plain bytes of a local memory for `instr`.
  template <bool Writes>
  [[gnu::always_inline]] void touchLocal(const Instr &instr, Slot slot, SiteId site, Space space, LocalShadow &shadow,
                                         uint64_t address, uint64_t bytes, const uint64_t *active) {
    shadow.access<Writes>({slot, instr.ordinal, site}, order.clock(slot), address, bytes, active, conflicts);
    if (!conflicts.empty()) [[unlikely]]
      reportLocal(instr, slot, site, space, Writes);
  }
  template <bool Writes> Memory &touchBlocks(const Instr &instr, SiteId site, std::span<const BlockPart> parts);
  void reportLocal(const Instr &instr, Slot slot, SiteId site, Space space, bool writes);
  void touchGm(const Instr &instr, Slot slot, SiteId site, const GmObject *object, const Box &box, AccessKind kind);
  void touchCache(const Instr &instr, const LocalAccess &access, const Box &box, bool writes);
  /// Bytes of GM that are no box.
  void touchRuns(const Instr &instr, Slot slot, const DirectRegion &region, AccessKind kind);
  void reportGm(const Instr &instr, Slot slot, SiteId site, const GmObject *object, AccessKind kind);
  /// `owner`: the core whose memory it is, as `memory` takes it.
  void touchBox(const Instr &instr, Slot slot, CoreId owner, Space space, const GmObject *object, const Box &box,
                AccessKind kind);
  void touchScalar(const Instr &instr, Slot slot, const LocalAccess &access, bool writes);
  void reportScope(const Instr &instr, const LocalAccess &access) {
    if (!scopeConflicts.empty()) [[unlikely]]
      reportScopeConflicts(instr, access);
  }
  void reportScopeConflicts(const Instr &instr, const LocalAccess &access);
  void noteUndefined(SiteId site, uint16_t clobberer) {
    severalUndefinedLoads |= undefinedLoad != kNoSite && undefinedLoad != site;
    undefinedLoad = site;
    undefinedLoadClobberer = siteOfClobberer(clobberer);
    clobberedLoads |= clobberer != 0;
  }
  /// The number that maps know an instruction by that leaves bytes undefined.
  uint16_t clobberer(SiteId site);
  SiteId siteOfClobberer(uint16_t number) const { return number ? clobberers[number - 1] : kNoSite; }
  Undefined undefinedOf(Memory &memory, const Box &rows) const;
  /// Remembers the turns of the scope's loops for reports of later accesses.
  [[gnu::always_inline]] void noteTurn(const Instr &instr, const LocalAccess &access, const ScopeShadow &scope) {
    if (instr.scopeIterations) [[likely]]
      reporter.scopeLogs[instr.core.index].note(instr.ordinal, scope.latest(), access, instr.scopeIterations);
  }
  void storeRegister(const Instr &instr, Slot slot, const LocalAccess &access, const uint64_t *defined,
                     const uint32_t *stamps, uint32_t stampCount);
  void defineTransfer(const Instr &instr, const TransferEvent &event);
  // DirectChecks.cpp
  void storeDirect(const Instr &instr, const DirectRegion &region);
  bool allCopiedDefined(const Instr &instr, const DirectEvent &event);
  void carryDirect(const Instr &instr, const DirectEvent &event);
  void checkStorages(const Instr &instr, const DirectEvent &event);
  /// Bytes are written by something that names no storage.
  void forgetStorage(CoreId core, Space space, uint64_t begin, uint64_t bytes) {
    if (hasStorages && space != Space::Gm) [[unlikely]]
      if (Memory &target = memory(core, space); target.storages)
        target.storages->forget(begin, begin + bytes);
  }
  void count(uint64_t bytes) {
    ++totals.accesses;
    totals.bytes += bytes;
  }

  // Signals.cpp
  /// The scalar unit tells other blocks what it knows.
  SignalOrder::Knowledge tellOthers(const Instr &instr);
  void learnFromOthers(const Instr &instr, const SignalOrder::Knowledge &told);

  const Profile &profile;
  int64_t block;
  SignalOrder *signals; ///< null: blocks do not meet by signals
  Checks checks;
  HappensBefore order;
  Reporter reporter;
  GmLog gm;
  CacheLines cache;
  std::array<std::array<Memory, kSpaceSlots>, kCoresPerBlock> memories;
  std::array<std::unique_ptr<ScopeShadow>, kCoresPerBlock> scopes;
  CoreId scopeCore; ///< whose scope runs: stamps carry no core
  // Of the running scope, so that an access need not look for them.
  Memory *scopeMemory = nullptr;
  ScopeShadow *scopeShadow = nullptr; ///< null when races are not checked
  std::array<uint64_t, kClockSlots> noted{};
  /// Sites of this scope execution whose loads brought undefined bytes.
  SiteId undefinedLoad = kNoSite;
  SiteId undefinedLoadClobberer = kNoSite; ///< who left its bytes undefined
  bool severalUndefinedLoads = false, clobberedLoads = false;
  std::vector<SiteId> clobberers; ///< by number - 1
  bool hasStorages = false;       ///< of any memory
  CheckCounts totals;

  // Reused between events.
  Box normalised;
  ConflictList conflicts;
  std::vector<ScopeConflict> scopeConflicts;
  std::vector<GmConflict> gmConflicts;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_CHECKERS_BLOCKCHECKER_H
