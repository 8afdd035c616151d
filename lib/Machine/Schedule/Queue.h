//===- Queue.h - what waits on a pipe ---------------------------*- C++ -*-===//
//
// An instruction in the queue of its pipe carries everything it captured at
// issue. Entries that run at once borrow the issuer's data; entries that have
// to wait own copies.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SCHEDULE_QUEUE_H
#define PTOSCOPE_LIB_MACHINE_SCHEDULE_QUEUE_H

#include "Sort/Sort.h"
#include "Transfer/Transfer.h"
#include "ptoscope/Machine/Direct.h"
#include "ptoscope/Machine/Observer.h"
#include "ptoscope/Machine/Runtime.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace ptoscope {

enum class OpKind : uint8_t {
  Transfer,
  Scope,
  Sort,
  Direct,
  SetFlag,
  WaitFlag,
  Barrier,
  GetBuf,
  RlsBuf,
  SyncSet,
  SyncWait,
  SyncAll,
};

using PipePrefix = std::array<uint64_t, kPipeSlots>;

struct Entry {
  OpKind kind;
  Pipe pipe;          ///< whose queue it stands in
  Pipe src = Pipe::S; ///< of a flag
  Pipe dst = Pipe::S; ///< of a flag
  uint8_t mode = 0;   ///< of a buffer operation
  uint8_t depth = 0;  ///< loops that `iterations` numbers
  SiteId site;
  uint32_t captureCount = 0;
  uint64_t ordinal = 0; ///< on its pipe, from 1
  int64_t id = 0;       ///< event, buffer or semaphore id; kind of an all-core barrier
  /// Flags, semaphores, barriers: the k-th set or wait. Buffers: this release's number, or the
  /// releases issued before this get.
  uint64_t number = 0;
  const int64_t *iterations = nullptr;
  const Transfer *transfer = nullptr;
  const Sort *sort = nullptr;
  const DirectInstruction *direct = nullptr;
  PtoScopeFunction function = nullptr;
  const uint64_t *captures = nullptr;

  std::unique_ptr<int64_t[]> ownIterations;
  std::unique_ptr<Transfer> ownTransfer;
  std::unique_ptr<Sort> ownSort;
  std::unique_ptr<DirectInstruction> ownDirect;
  std::unique_ptr<uint8_t[]> ownPayload;
  std::unique_ptr<uint64_t[]> ownCaptures;
  /// Release of mode 1: how far each pipe has to get first.
  std::unique_ptr<PipePrefix> prefix;
};

/// First in, first out, with access by distance from the front.
template <typename T> class Fifo {
public:
  bool empty() const { return first == items.size(); }
  size_t size() const { return items.size() - first; }
  T &front() { return items[first]; }
  const T &front() const { return items[first]; }
  const T &operator[](size_t i) const { return items[first + i]; }
  T &operator[](size_t i) { return items[first + i]; }
  void push(T item) {
    // The dead part in front is reused once it is the larger half.
    if (first > 32 && first * 2 > items.size()) {
      items.erase(items.begin(), items.begin() + std::ptrdiff_t(first));
      first = 0;
    }
    items.push_back(std::move(item));
  }
  T pop() {
    T item = std::move(items[first++]);
    if (first == items.size())
      clear();
    return item;
  }
  void clear() {
    items.clear();
    first = 0;
  }

private:
  std::vector<T> items;
  size_t first = 0;
};

/// A transfer that has started and not moved all its rows (random schedules).
struct InFlight {
  Entry entry;
  RowCursor cursor;
  bool moved = false;
};

/// What issuing touches lies in one line of the host's cache.
struct alignas(64) PipeQueue {
  Fifo<Entry> waiting;
  uint64_t issued = 0;  ///< instructions of this pipe so far
  uint64_t started = 0; ///< of those, taken from the queue
  std::vector<InFlight> inFlight;
};

/// One flag (src, dst, id). The k-th wait passes once k sets are done.
struct Flag {
  uint64_t setsIssued = 0, waitsIssued = 0;
  uint64_t setsDone = 0, waitsDone = 0;
  SiteId lastSet = kNoSite;
  Fifo<uint64_t> queuedSets; ///< their ordinals on the source pipe
};

struct PendingRelease {
  uint64_t number;
  Pipe pipe;
  uint64_t ordinal; ///< on that pipe
  bool done;
};

struct BufferId {
  uint64_t releasesIssued = 0;
  Fifo<PendingRelease> pending; ///< issued, not yet known done; rising numbers
  uint16_t held = 0;            ///< bit per pipe: between get and release
  uint16_t everHeld = 0;
  std::array<SiteId, kPipeSlots> heldSince = {}; ///< where each pipe acquired it last
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCHEDULE_QUEUE_H
