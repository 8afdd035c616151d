//===- Recorder.h - keeps what a block issues -------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TIMING_RECORDER_H
#define PTOSCOPE_LIB_TIMING_RECORDER_H

#include "Graph.h"

#include "ptoscope/Machine/Direct.h"
#include "ptoscope/Machine/ForwardingObserver.h"

#include <mutex>
#include <set>

namespace ptoscope::timing {

/// Words of GM that cores tell each other something with. Shared by all blocks.
class SignalWordCounts {
public:
  struct Count {
    uint32_t number; ///< of the word
    uint64_t sets;   ///< so far
  };
  Count set(uint64_t address);
  /// Words of [begin, end) that someone has set.
  std::vector<Count> seen(uint64_t begin, uint64_t end) const;

private:
  mutable std::mutex mutex;
  std::map<uint64_t, Count> words;
};

/// Where the instructions of a pipe stand in the stream of their core, from the oldest
/// that has not taken effect on.
class Positions {
public:
  void issue(uint64_t position) {
    if (issued - first == ring.size())
      grow();
    ring[issued++ & (ring.size() - 1)] = position;
  }
  /// Of the instruction with this ordinal, from 1.
  uint64_t of(uint64_t ordinal) const { return ring[(ordinal - 1) & (ring.size() - 1)]; }
  bool knows(uint64_t ordinal) const { return ordinal > first && ordinal <= issued; }
  uint64_t oldest() const { return first + 1; }
  bool empty() const { return first == issued; }
  void drop() { ++first; }

private:
  void grow();
  std::vector<uint64_t> ring = std::vector<uint64_t>(16);
  uint64_t issued = 0, first = 0;
};

class Recorder final : public ForwardingObserver {
public:
  struct Shared {
    const SiteTable &sites;
    SpillFile &spill;
    SignalWordCounts &signals;
    uint64_t epochBytes; ///< of a pipe
    bool isAlone;        ///< no one else observes
    bool mayOvertake;    ///< transfers take effect in any order (random schedules)
  };
  Recorder(const Shared &shared, std::unique_ptr<Observer> next);

  BlockRecord record;
  Deeds deeds; ///< that entries of this block name
  /// Lines that a pipe touched, by its own epochs.
  struct Touched {
    GmLines lines;
    uint64_t bytes = 0;
  };
  std::map<std::pair<uint8_t, Pipe>, Touched> touched;
  std::vector<std::pair<uint32_t, uint64_t>> arrivals; ///< channel and number of all-core barriers
  std::set<std::pair<uint8_t, uint32_t>> launchSets;   ///< core and channel

  bool wantsRegions() const override { return !shared.isAlone && ForwardingObserver::wantsRegions(); }
  void issue(const Instr &) override;
  void start(const Instr &) override;
  void transfer(const Instr &, const TransferEvent &) override;
  void scopeBegin(const Instr &) override;
  void scopeTurns(const Instr &, std::span<const uint64_t> turns) override;
  void scalarLoad(const Instr &, const LocalAccess &) override;
  void scalarStore(const Instr &, const LocalAccess &) override;
  void direct(const Instr &, const DirectEvent &) override;
  void statusRead(const Instr &, StatusRegister, const Instr &writer) override;
  void setFlag(const Instr &, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override;
  void waitFlag(const Instr &, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override;
  void barrier(const Instr &, Pipe pipe) override;
  void memoryBarrier(const Instr &, uint32_t pipes) override;
  void getBuf(const Instr &, int64_t id, int64_t mode, uint64_t releasesBefore) override;
  void rlsBuf(const Instr &, int64_t id, int64_t mode, uint64_t ordinal) override;
  void unitCheck(const Instr &, Pipe from, uint64_t ordinal) override;
  void unitPass(const Instr &) override;
  void syncSet(const Instr &, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders) override;
  void syncWait(const Instr &, int64_t id, uint64_t ordinal) override;
  void launchSet(const Instr &, uint32_t channel, uint64_t ordinal) override;
  void launchWait(const Instr &, uint32_t channel, uint64_t ordinal) override;
  void queueSet(const Instr &, CoreId target, int64_t id, uint64_t ordinal) override;
  void queueWait(const Instr &, CoreId sender, int64_t id, uint64_t ordinal) override;
  void syncAllArrive(const Instr &, uint32_t channel, uint64_t ordinal) override;
  void signalSet(const Instr &, const SignalSet &) override;
  void signalFlush(const Instr &, uint64_t begin, uint64_t end) override;
  void signalWait(const Instr &, const SignalWait &) override;
  void signalLook(const Instr &, uint64_t begin, uint64_t end) override;
  void engineStart(const Instr &, const EngineTransfer &) override;
  void engineDone(const Instr &, uint64_t session, uint64_t number) override;
  void blockEnd(bool completed) override;

private:
  /// Of a pipe of a core.
  struct PipeState {
    Positions positions;
    uint64_t changed = 0; ///< the instruction that `deed` is of
    Deed deed;
  };
  struct SiteWork {
    Work work;
    uint32_t deed = 0;
  };
  struct SiteScope {
    ScopeRun run;
    uint32_t deed = 0;
    uint32_t uncounted = 0; ///< what a run is if no one counts its turns
  };
  struct LateTouch {
    uint64_t ordinal, part;
    Box box;
    uint64_t shift;
    bool writes;
  };

  PipeState &pipeOf(const Instr &instr) { return pipes[instr.core.index][size_t(instr.pipe)]; }
  /// The instruction is this deed.
  void put(const Instr &instr, uint32_t deed);
  /// One event of several that an instruction has.
  template <typename Fn> void change(const Instr &instr, Fn fn) {
    PipeState &pipe = pipeOf(instr);
    if (pipe.changed != instr.ordinal) {
      pipe.changed = instr.ordinal;
      pipe.deed = {};
    }
    fn(pipe.deed);
    put(instr, deeds.deeds.number(pipe.deed));
  }
  void takes(const Instr &instr, uint64_t number) {
    record.cores[instr.core.index].numbers[size_t(instr.pipe)].push_back(number);
  }
  void takes(const Instr &instr, const std::vector<SignalWordCounts::Count> &words);
  uint32_t deedOf(SiteId site, const Work &work);
  uint32_t deedOf(const ScopeRun &run);
  SiteScope &scopeOf(SiteId site);
  Timing timingOf(SiteId site) const { return site < shared.sites.size() ? shared.sites[site].timing : Timing::none; }
  void flag(const Instr &instr, Act act, Pipe src, Pipe dst, int64_t id);
  void touch(const Instr &instr, const GmObject *object, const Box &box, bool writes);
  void touchNow(CoreId core, Pipe pipe, const Box &box, uint64_t shift, bool writes);

  const Shared &shared;
  std::array<std::array<PipeState, kPipeSlots>, kCoresPerBlock> pipes;
  std::array<uint32_t, size_t(2) * kPipeSlots * kPipeSlots * size_t(kEventIds)> flagDeeds{};
  std::vector<SiteWork> siteWorks;
  std::vector<SiteScope> siteScopes;
  std::map<std::pair<uint8_t, Pipe>, std::vector<LateTouch>> lateTouches;
};

/// What a transfer of text has to do.
Work workOf(const TransferEvent &event, Timing timing);

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_RECORDER_H
