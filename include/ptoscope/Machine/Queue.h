//===- Queue.h - signals of tile queues -------------------------*- C++ -*-===//
//
// A tile queue is a ring of entries between the cube core and the vector cores of a
// cluster (FIFO-20). The Machine knows its signals: `data`, from who has filled an
// entry to who reads it, and `space`, the other way. Both count, in a space of ids of
// their own, and order what semaphores order (HB9). What an entry holds, and how it
// gets there, is the affair of the instructions between the signals.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_QUEUE_H
#define PTOSCOPE_MACHINE_QUEUE_H

#include "ptoscope/Machine/Launch.h"
#include "ptoscope/Machine/Types.h"
#include "ptoscope/Machine/Words.h"

#include <memory>
#include <optional>

namespace ptoscope {

inline constexpr int64_t kQueueIds = 16;       ///< two for each direction of a queue
inline constexpr uint32_t kMaxQueueSlots = 15; ///< what their counters can tell apart

/// A queue as one core declares it.
struct QueueShape {
  uint8_t flag = 0;       ///< its first id: data, then space
  bool toVector = false;  ///< it has a direction from cube to vector cores …
  bool toCube = false;    ///< … or back; with both, that one has the ids behind
  uint32_t slots = 0;     ///< entries of each direction
  uint32_t slotBytes = 0; ///< from one entry to the next
  uint32_t ahead = 0;     ///< pushes that need no free before them: `slots`, or fewer
  bool paired = true;     ///< pops and frees come in pairs: others are reported
  /// Where the rings lie, of each direction, if both sides have to agree on it; else 0.
  uint64_t ring[2] = {};

  uint8_t ids() const { return toVector && toCube ? 4 : 2; }
  /// The data id of a direction; the space id follows.
  uint8_t dataId(bool vector) const { return uint8_t(flag + (vector || !toVector ? 0 : 2)); }
};

/// The core has made the queue. Its ids have to be free, and the other cores of the
/// cluster have to agree. Nonzero: stop.
int32_t openQueue(PtoContext *core, SiteId site, const QueueShape &shape);
/// It has ended; the ids are free again.
void closeQueue(PtoContext *core, const QueueShape &shape);
/// The core has made a queue with this first id, which has not ended.
bool hasQueue(const PtoContext *core, uint8_t flag);

/// Bit per CoreId of those that a core talks to: the vector cores, the cube core, or
/// itself, if it runs alone with the pipes of both. `first`: of the vector cores only
/// the first takes part.
uint8_t queuePeers(const PtoContext *core, bool first);

/// Raises signal `id` at each of `peers`, after the work of `pipe` so far. Nonzero: stop.
int32_t signalQueue(PtoContext *core, SiteId site, Pipe pipe, uint8_t id, uint8_t peers);
/// The same of a space signal: releases the oldest popped entry; without one that is
/// reported, and nothing is raised.
int32_t freeQueue(PtoContext *core, SiteId site, Pipe pipe, uint8_t id, uint8_t peers);
/// Blocks `pipe` until the next entry is filled. Nonzero: stop.
int32_t awaitData(PtoContext *core, SiteId site, Pipe pipe, uint8_t id, uint8_t peers);
/// Blocks `pipe` until the next entry is free. Nonzero: stop.
int32_t awaitSpace(PtoContext *core, SiteId site, Pipe pipe, uint8_t id, uint8_t peers);

/// How a push puts a tile into an entry, or how a pop takes it out (FIFO-47).
class QueueTile {
public:
  virtual ~QueueTile();
  /// Of a push: what a pop gets wrong that takes the entry as `taken`.
  virtual std::optional<Fact> misreadBy(const QueueTile &taken) const = 0;
};
/// The next data signal that the core gives to each of `peers`, or the next one that it
/// awaits from them, is about an entry in this form. The two forms of a signal are
/// compared when the second one is known, whichever that is.
void noteQueueTile(PtoContext *core, SiteId site, uint8_t id, uint8_t peers, bool pushes,
                   std::shared_ptr<const QueueTile> tile);

/// May the core fill entries of this direction, or read them?
bool canPush(const PtoContext *core, bool toVector);
bool canPop(const PtoContext *core, bool toVector);
/// It has the pipes of both sides.
bool isBothSides(const PtoContext *core);

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_QUEUE_H
