//===- Queues.h - the signals of tile queues in a cluster -------*- C++ -*-===//
//
// A signal is kept at the core that waits for it, by sender. Sets and waits of a
// sender count from the beginning of the block: the k-th wait for data passes once
// the k-th set is done, and a wait for space lags behind by the slots of the ring.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SYNC_QUEUES_H
#define PTOSCOPE_LIB_MACHINE_SYNC_QUEUES_H

#include "Schedule/Fifo.h"
#include "Schedule/Operation.h"
#include "ptoscope/Machine/Queue.h"

#include <memory>
#include <vector>

namespace ptoscope {

class Core;
class Report;
class SyncState;

class Queues {
public:
  /// What one core says to another under one id.
  struct Line {
    /// What one side does with the entry of a data signal, while the other side has not said it.
    struct Half {
      uint64_t number; ///< of the set or wait
      bool pushes;
      SiteId site;
      std::shared_ptr<const QueueTile> tile;
    };
    uint64_t setsIssued = 0, setsDone = 0;
    uint64_t waitsIssued = 0, waitsDone = 0;
    /// Waits of earlier queues under this id: a new one starts when all of theirs are free.
    uint64_t before = 0;
    Pipe pipe = Pipe::S;     ///< that sets
    Fifo<uint64_t> queued{}; ///< ordinals on `pipe` of the sets that wait there
    SiteId lastSet = kNoSite, lastWait = kNoSite;
    std::vector<Half> halves{};
  };
  struct Opened {
    QueueShape shape;
    SiteId site = kNoSite;
    bool live = false;
    uint32_t count = 0; ///< queues with this flag so far
  };
  using Needed = std::array<uint64_t, kCoresPerBlock>; ///< sets done, by sender; 0: none

  Line &line(size_t waiting, int64_t id, size_t sender) { return lines[waiting][size_t(id)][sender]; }
  const Line &line(size_t waiting, int64_t id, size_t sender) const { return lines[waiting][size_t(id)][sender]; }

  /// Nonzero: stop.
  int32_t open(const Report &words, Report &report, CoreId core, SiteId site, const QueueShape &shape);
  void close(CoreId core, const QueueShape &shape) { opened[core.index][shape.flag].live = false; }
  bool has(CoreId core, uint8_t flag) const { return opened[core.index][flag].live; }
  /// The queue that has `id` on this core, the latest one; null: none had.
  const Opened *find(CoreId core, int64_t id) const;
  /// What a wait or a set of `id` is about, as a phrase.
  std::string text(CoreId core, int64_t id) const;
  static bool isData(const QueueShape &shape, int64_t id) { return (id - shape.flag) % 2 == 0; }

  /// `half` is of a signal from `sender` to `receiver`: compares it with the other half, or keeps it.
  void meet(Report &report, size_t receiver, int64_t id, size_t sender, Line::Half half);

  /// A core has come to its end; the last one reports what is left.
  void coreEnded(Core &core);

private:
  void reportLeaks(Core &core, bool toVector, const Opened &opened);
  void reportSignals(Core &core, const Opened &opened);

  std::array<std::array<std::array<Line, kCoresPerBlock>, size_t(kQueueIds)>, kCoresPerBlock> lines;
  std::array<std::array<Opened, size_t(kQueueIds)>, kCoresPerBlock> opened; ///< by first id
  size_t endedCores = 0;
};

struct SetQueue final : OperationOf<SetQueue> {
  SetQueue(SyncState &sync, uint8_t id, uint8_t peers);
  std::unique_ptr<Operation> keep() override;
  void effect(const Instr &instr) override;

  SyncState *sync;
  uint8_t id, peers;
  Queues::Needed number{}; ///< of this set, by receiver
};

struct WaitQueue final : OperationOf<WaitQueue> {
  /// `ahead`: waits that need no set before them.
  WaitQueue(SyncState &sync, uint8_t id, uint8_t peers, uint32_t ahead);
  bool passesAtOnce() const;
  bool ready() const override;
  Wait wait() const override { return {Wait::For::Queue, Pipe::S, Pipe::S, id, number}; }
  std::optional<Blocker> blocker() const override;
  void effect(const Instr &instr) override;
  /// The first sender whose set is missing; kCoresPerBlock: none.
  size_t lacking() const;
  bool waitsForData() const;

  SyncState *sync;
  uint8_t id, peers;
  uint64_t number = 0; ///< of the push or pop, in this queue
  Queues::Needed needed{};
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SYNC_QUEUES_H
