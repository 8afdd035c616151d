//===- ForwardingObserver.h - an observer in front of another ---*- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_FORWARDINGOBSERVER_H
#define PTOSCOPE_MACHINE_FORWARDINGOBSERVER_H

#include "ptoscope/Machine/Observer.h"

namespace ptoscope {

/// Passes every event on. Whoever looks at some of them overrides these and calls the
/// function of this class last. Loops are not passed on as such: their accesses come one by
/// one, so that none is overlooked.
class ForwardingObserver : public Observer {
public:
  explicit ForwardingObserver(std::unique_ptr<Observer> next) : next(std::move(next)) {}
  std::unique_ptr<Observer> takeNext() { return std::move(next); }

  bool wantsRegions() const override { return next->wantsRegions(); }
  void issue(const Instr &i) override { next->issue(i); }
  void start(const Instr &i) override { next->start(i); }
  void transfer(const Instr &i, const TransferEvent &event) override { next->transfer(i, event); }
  void scopeBegin(const Instr &i) override { next->scopeBegin(i); }
  void scopeEnd(const Instr &i) override { next->scopeEnd(i); }
  void scopeTurns(const Instr &i, std::span<const uint64_t> turns) override { next->scopeTurns(i, turns); }
  uint32_t vectorLoad(const Instr &i, const LocalAccess &access, uint64_t *defined) override {
    return next->vectorLoad(i, access, defined);
  }
  void vectorStore(const Instr &i, const LocalAccess &access, const uint64_t *defined, const uint32_t *stamps,
                   uint32_t stampCount) override {
    next->vectorStore(i, access, defined, stamps, stampCount);
  }
  uint32_t mergeStamps(const uint32_t *stamps, uint32_t n) override { return next->mergeStamps(stamps, n); }
  uint32_t gather(const Instr &i, SiteId site, std::span<BlockPart> parts) override {
    return next->gather(i, site, parts);
  }
  void scatter(const Instr &i, SiteId site, std::span<const BlockPart> parts, const uint32_t *stamps,
               uint32_t stampCount) override {
    next->scatter(i, site, parts, stamps, stampCount);
  }
  void scalarLoad(const Instr &i, const LocalAccess &access) override { next->scalarLoad(i, access); }
  void scalarStore(const Instr &i, const LocalAccess &access) override { next->scalarStore(i, access); }
  void fence(const Instr &i, SiteId site, Fence fence) override { next->fence(i, site, fence); }
  void undefinedUse(const Instr &i, SiteId site, const RegisterUse &use, const uint64_t *defined,
                    const uint64_t *active) override {
    next->undefinedUse(i, site, use, defined, active);
  }
  void storage(CoreId core, uint32_t number, const Storage &storage) override { next->storage(core, number, storage); }
  void direct(const Instr &i, const DirectEvent &event) override { next->direct(i, event); }
  void openToHost(CoreId core, Space space, uint64_t begin, uint64_t bytes) override {
    next->openToHost(core, space, begin, bytes);
  }
  void statusRead(const Instr &i, StatusRegister status, const Instr &writer) override {
    next->statusRead(i, status, writer);
  }
  void setFlag(const Instr &i, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    next->setFlag(i, src, dst, id, ordinal);
  }
  void waitFlag(const Instr &i, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    next->waitFlag(i, src, dst, id, ordinal);
  }
  void barrier(const Instr &i, Pipe pipe) override { next->barrier(i, pipe); }
  void memoryBarrier(const Instr &i, uint32_t pipes) override { next->memoryBarrier(i, pipes); }
  void cacheInvalidate(const Instr &i, uint64_t begin, uint64_t end) override { next->cacheInvalidate(i, begin, end); }
  void getBuf(const Instr &i, int64_t id, int64_t mode, uint64_t releasesBefore) override {
    next->getBuf(i, id, mode, releasesBefore);
  }
  void rlsBuf(const Instr &i, int64_t id, int64_t mode, uint64_t ordinal) override {
    next->rlsBuf(i, id, mode, ordinal);
  }
  void unitCheck(const Instr &i, Pipe from, uint64_t ordinal) override { next->unitCheck(i, from, ordinal); }
  void unitPass(const Instr &i) override { next->unitPass(i); }
  void syncSet(const Instr &i, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders) override {
    next->syncSet(i, target, id, ordinal, senders);
  }
  void syncWait(const Instr &i, int64_t id, uint64_t ordinal) override { next->syncWait(i, id, ordinal); }
  void launchSet(const Instr &i, uint32_t channel, uint64_t ordinal) override { next->launchSet(i, channel, ordinal); }
  void launchWait(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    next->launchWait(i, channel, ordinal);
  }
  void queueSet(const Instr &i, CoreId target, int64_t id, uint64_t ordinal) override {
    next->queueSet(i, target, id, ordinal);
  }
  void queueWait(const Instr &i, CoreId sender, int64_t id, uint64_t ordinal) override {
    next->queueWait(i, sender, id, ordinal);
  }
  void syncAllArrive(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    next->syncAllArrive(i, channel, ordinal);
  }
  void syncAllLeave(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    next->syncAllLeave(i, channel, ordinal);
  }
  void signalSet(const Instr &i, const SignalSet &set) override { next->signalSet(i, set); }
  void signalFlush(const Instr &i, uint64_t begin, uint64_t end) override { next->signalFlush(i, begin, end); }
  void signalWait(const Instr &i, const SignalWait &wait) override { next->signalWait(i, wait); }
  void signalLook(const Instr &i, uint64_t begin, uint64_t end) override { next->signalLook(i, begin, end); }
  void engineStart(const Instr &i, const EngineTransfer &transfer) override { next->engineStart(i, transfer); }
  void engineDone(const Instr &i, uint64_t session, uint64_t number) override { next->engineDone(i, session, number); }
  void blockEnd(bool completed) override { next->blockEnd(completed); }

protected:
  std::unique_ptr<Observer> next;
};

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_FORWARDINGOBSERVER_H
