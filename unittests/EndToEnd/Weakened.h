//===- Weakened.h - checkers that miss or invent something ------*- C++ -*-===//
//
// Stands between the machine and the checkers and spoils one kind of event, as a
// mistake in a checker would. A test of the checkers that does not notice shows
// nothing.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_ENDTOEND_WEAKENED_H
#define PTOSCOPE_UNITTESTS_ENDTOEND_WEAKENED_H

#include "ptoscope/Checkers/Checkers.h"

namespace ptoscope::randomprogram {

enum class Weakness : uint8_t {
  // These miss races.
  ScalarUnseen, ///< accesses of the scalar unit do not count
  InOrder,      ///< transfers of one pipe end in order
  FirstRow,     ///< of what a transfer writes only the first row counts
  L1Unseen,     ///< L1 does not count
  AllFenced,    ///< a scope has a fence before every load
  ShortStores,  ///< of what a vector store writes only the first half counts
  AtomicsAlike, ///< all atomic updates commute
  AllAtomic,    ///< every store to GM commutes with every other one
  ModesAlike,   ///< a get of mode 1 waits like one of mode 0
  // These invent races.
  NoBarriers,
  NoFlags,
  NoSemaphores,
  NoReleases,
  NoFences,
  NoAllCores,
  MasksIgnored,     ///< a masked store writes its whole window
  Unstamped,        ///< nothing says which loads a value comes from
  GapsWritten,      ///< the bytes between the rows of a transfer count
  UpdatesAreWrites, ///< atomic updates are plain stores
  // Of queues, signals and engines, which random programs do not have: WeakenedTest.cpp.
  QueuesDrain,   ///< misses: a signal of a queue waits for all pipes
  SignalsDrain,  ///< misses: a word is set after all transfers
  LaunchDrain,   ///< misses: a flag of all cores waits for all pipes
  EnginesUnseen, ///< misses: what engines move does not count
  NoQueues,      ///< these invent races
  NoSignals,
  NoLaunchFlags,
  NoEngineEnds
};
inline constexpr Weakness kLastMissing = Weakness::ModesAlike, kLastWeakness = Weakness::UpdatesAreWrites;

class WeakenedObserver final : public Observer {
public:
  WeakenedObserver(std::unique_ptr<Observer> checker, Weakness weakness)
      : checker(std::move(checker)), weakness(weakness) {}
  std::unique_ptr<Observer> checker;

  void issue(const Instr &i) override { checker->issue(i); }
  void start(const Instr &i) override { checker->start(i); }
  void transfer(const Instr &i, const TransferEvent &event) override {
    TransferEvent e = event;
    if (is(Weakness::FirstRow))
      e.dst.dims.clear();
    if (is(Weakness::GapsWritten) && e.dst.lowest() + e.dst.bytes() < e.dst.end())
      e.dst = Box{e.dst.lowest(), e.dst.end() - e.dst.lowest(), {}};
    if (is(Weakness::L1Unseen) && e.dstSpace == Space::L1)
      e.dst = Box{};
    if (isAtomic(e.write) && is(Weakness::AtomicsAlike))
      e.write = atomicUpdate(4, 0);
    if (e.dstSpace == Space::Gm && is(Weakness::AllAtomic))
      e.write = atomicUpdate(4, 0);
    if (is(Weakness::UpdatesAreWrites))
      e.write = AccessKind::Write;
    checker->transfer(i, e);
    if (is(Weakness::InOrder))
      checker->barrier(i, i.pipe);
  }
  void scopeBegin(const Instr &i) override { checker->scopeBegin(i); }
  void scopeEnd(const Instr &i) override { checker->scopeEnd(i); }
  uint32_t vectorLoad(const Instr &i, const LocalAccess &a, uint64_t *defined) override {
    if (is(Weakness::AllFenced))
      checker->fence(i, a.site, Fence::VV_ALL);
    return checker->vectorLoad(i, a, defined);
  }
  void vectorStore(const Instr &i, const LocalAccess &access, const uint64_t *defined, const uint32_t *stamps,
                   uint32_t count) override {
    LocalAccess a = access;
    if (is(Weakness::ShortStores))
      a.windowBytes /= 2;
    if (is(Weakness::MasksIgnored))
      a.active = nullptr;
    checker->vectorStore(i, a, defined, stamps, is(Weakness::Unstamped) ? 0 : count);
  }
  uint32_t mergeStamps(const uint32_t *stamps, uint32_t n) override { return checker->mergeStamps(stamps, n); }
  void scalarLoad(const Instr &i, const LocalAccess &a) override {
    if (!is(Weakness::ScalarUnseen))
      checker->scalarLoad(i, a);
  }
  void scalarStore(const Instr &i, const LocalAccess &a) override {
    if (!is(Weakness::ScalarUnseen))
      checker->scalarStore(i, a);
  }
  void fence(const Instr &i, SiteId site, Fence fence) override {
    if (!is(Weakness::NoFences))
      checker->fence(i, site, fence);
  }
  void undefinedUse(const Instr &i, SiteId site, const RegisterUse &use, const uint64_t *defined,
                    const uint64_t *active) override {
    checker->undefinedUse(i, site, use, defined, active);
  }
  void direct(const Instr &i, const DirectEvent &event) override { checker->direct(i, event); }
  void statusRead(const Instr &i, StatusRegister status, const Instr &writer) override {
    checker->statusRead(i, status, writer);
  }
  void setFlag(const Instr &i, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    if (!is(Weakness::NoFlags))
      checker->setFlag(i, src, dst, id, ordinal);
  }
  void waitFlag(const Instr &i, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    if (!is(Weakness::NoFlags))
      checker->waitFlag(i, src, dst, id, ordinal);
  }
  void barrier(const Instr &i, Pipe pipe) override {
    if (!is(Weakness::NoBarriers))
      checker->barrier(i, pipe);
  }
  void getBuf(const Instr &i, int64_t id, int64_t mode, uint64_t releasesBefore) override {
    if (!is(Weakness::NoReleases))
      checker->getBuf(i, id, is(Weakness::ModesAlike) ? 0 : mode, releasesBefore);
  }
  void rlsBuf(const Instr &i, int64_t id, int64_t mode, uint64_t ordinal) override {
    if (!is(Weakness::NoReleases))
      checker->rlsBuf(i, id, mode, ordinal);
  }
  void unitCheck(const Instr &i, Pipe from, uint64_t ordinal) override {
    if (!is(Weakness::NoFlags))
      checker->unitCheck(i, from, ordinal);
  }
  void unitPass(const Instr &i) override { checker->unitPass(i); }
  void syncSet(const Instr &i, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders) override {
    if (!is(Weakness::NoSemaphores))
      checker->syncSet(i, target, id, ordinal, senders);
  }
  void syncWait(const Instr &i, int64_t id, uint64_t ordinal) override {
    if (!is(Weakness::NoSemaphores))
      checker->syncWait(i, id, ordinal);
  }
  void syncAllArrive(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    if (!is(Weakness::NoAllCores))
      checker->syncAllArrive(i, channel, ordinal);
  }
  void syncAllLeave(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    if (!is(Weakness::NoAllCores))
      checker->syncAllLeave(i, channel, ordinal);
  }
  void launchSet(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    drainIf(Weakness::LaunchDrain, i);
    if (!is(Weakness::NoLaunchFlags))
      checker->launchSet(i, channel, ordinal);
  }
  void launchWait(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    if (!is(Weakness::NoLaunchFlags))
      checker->launchWait(i, channel, ordinal);
  }
  void queueSet(const Instr &i, CoreId target, int64_t id, uint64_t ordinal) override {
    drainIf(Weakness::QueuesDrain, i);
    if (!is(Weakness::NoQueues))
      checker->queueSet(i, target, id, ordinal);
  }
  void queueWait(const Instr &i, CoreId sender, int64_t id, uint64_t ordinal) override {
    if (!is(Weakness::NoQueues))
      checker->queueWait(i, sender, id, ordinal);
  }
  void signalSet(const Instr &i, const SignalSet &set) override {
    drainIf(Weakness::SignalsDrain, i);
    if (!is(Weakness::NoSignals))
      checker->signalSet(i, set);
  }
  void signalFlush(const Instr &i, uint64_t begin, uint64_t end) override {
    if (!is(Weakness::NoSignals))
      checker->signalFlush(i, begin, end);
  }
  void signalWait(const Instr &i, const SignalWait &wait) override {
    if (!is(Weakness::NoSignals))
      checker->signalWait(i, wait);
  }
  void signalLook(const Instr &i, uint64_t begin, uint64_t end) override {
    if (!is(Weakness::NoSignals))
      checker->signalLook(i, begin, end);
  }
  void engineStart(const Instr &i, const EngineTransfer &transfer) override {
    if (!is(Weakness::EnginesUnseen))
      checker->engineStart(i, transfer);
  }
  void engineDone(const Instr &i, uint64_t session, uint64_t number) override {
    if (!is(Weakness::EnginesUnseen) && !is(Weakness::NoEngineEnds))
      checker->engineDone(i, session, number);
  }
  void openToHost(CoreId core, Space space, uint64_t begin, uint64_t bytes) override {
    checker->openToHost(core, space, begin, bytes);
  }
  void storage(CoreId core, uint32_t number, const Storage &storage) override {
    checker->storage(core, number, storage);
  }
  void scopeTurns(const Instr &i, std::span<const uint64_t> turns) override { checker->scopeTurns(i, turns); }
  void blockEnd(bool completed) override { checker->blockEnd(completed); }

private:
  void drainIf(Weakness w, const Instr &i) {
    if (is(w))
      checker->barrier(i, Pipe::All);
  }
  bool is(Weakness w) const { return weakness == w; }
  Weakness weakness;
};

class WeakenedFactory final : public ObserverFactory {
public:
  WeakenedFactory(CheckerFactory &checkers, Weakness weakness) : checkers(checkers), weakness(weakness) {}
  std::unique_ptr<Observer> beginBlock(int64_t block, FindingList &findings) override {
    return std::make_unique<WeakenedObserver>(checkers.beginBlock(block, findings), weakness);
  }
  void endBlock(int64_t block, std::unique_ptr<Observer> observer, FindingList &findings) override {
    checkers.endBlock(block, std::move(static_cast<WeakenedObserver &>(*observer).checker), findings);
  }

private:
  CheckerFactory &checkers;
  Weakness weakness;
};

} // namespace ptoscope::randomprogram

#endif // PTOSCOPE_UNITTESTS_ENDTOEND_WEAKENED_H
