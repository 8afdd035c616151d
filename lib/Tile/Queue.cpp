//===- Queue.cpp - pushing and popping ------------------------------------===//
//
// FIFO-20 to FIFO-29: who takes part, which pipe waits and which one signals, and
// which entry is next. QueueTransport.cpp moves the tiles.
//
//===----------------------------------------------------------------------===//

#include "Queue.h"

#include "ptoscope/Machine/Queue.h"
#include "ptoscope/Machine/QueueSentences.h"

namespace ptoscope::tile {

bool QueueUser::onA5() const { return profileOf(core).pipeSemaphores; }
bool QueueUser::canPushToCube() const { return canPush(core, /*toVector=*/false); }
bool QueueUser::canPopFromVector() const { return canPop(core, /*toVector=*/false); }

uint8_t QueueUser::peers(QueueSplit split) const {
  // On A2/A3 both vector cores take part in everything.
  return queuePeers(core, onA5() && (queue.first || split == QueueSplit::None));
}

/// Where the library orders instructions: signals of a queue reach one pipe, what is popped
/// is for all.
int32_t QueueUser::meet() {
  if (!automatic)
    return 0;
  issuer.forgetAccesses();
  return ptosc_barrier(core, site.id, uint32_t(Pipe::All));
}

int32_t QueueUser::warnOnce(uint8_t bit, const Fact &fact) {
  if (queue.warned & bit)
    return 0;
  queue.warned |= bit;
  return tell(fact);
}

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

static QueueShape shapeOf(const Queue &queue, bool global) {
  QueueShape shape;
  shape.flag = queue.flag;
  shape.toVector = queue.toVector;
  shape.toCube = queue.toCube;
  shape.slots = queue.slots;
  shape.slotBytes = queue.slotBytes;
  shape.ahead = queue.older ? 1 : queue.slots;
  shape.paired = !queue.older;
  if (global) {
    shape.ring[0] = reinterpret_cast<uintptr_t>(queue.global);
  } else {
    shape.ring[0] = queue.toVector ? queue.vectorBuffer : 0;
    shape.ring[1] = queue.toCube ? queue.matBuffer : 0;
  }
  return shape;
}

int32_t QueueUser::open() {
  if (queue.toVector && queue.toCube && isBothSides(core))
    return tell(say::kQueueRefused("a two-way queue on one core that has both sides",
                                   "no text says which way a call goes there"),
                /*fatal=*/true);
  return openQueue(core, site.id, shapeOf(queue, throughGlobal()));
}

void QueueUser::close() { closeQueue(core, shapeOf(queue, throughGlobal())); }

uint8_t *QueueUser::globalEntry(const QueueSide &side, bool toVector) const {
  const uint64_t ring = queue.toVector && !toVector ? uint64_t(queue.slots) * queue.slotBytes : 0;
  return static_cast<uint8_t *>(queue.global) + ring + slotOffset(side);
}

//===----------------------------------------------------------------------===//
// Who may
//===----------------------------------------------------------------------===//

/// On A5 the second vector core has no part in what is not split. A number that no vector core has is no part at all.
int32_t QueueUser::refuseAlone(QueueSplit split) {
  if (!hasQueue(core, queue.flag))
    return tell(say::kQueueElsewhere(), /*fatal=*/true);
  if (subblock == QueueUse::kNoSubblock)
    return tell(say::kQueueSubblock(), /*fatal=*/true);
  if (onA5() && core->subblockIdx != 0 && (queue.first || split == QueueSplit::None))
    return tell(say::kQueueFirstOnly(), /*fatal=*/true);
  return 0;
}

int32_t QueueUser::refusePush(bool toVector, QueueSplit split) {
  if (!canPush(core, toVector))
    return tell(say::kQueueWrongSide("pushes", toVector ? "a vector core" : "a cube core"), /*fatal=*/true);
  return refuseAlone(split);
}

int32_t QueueUser::refusePop(bool toVector, QueueSplit split) {
  if (!canPop(core, toVector))
    return tell(say::kQueueWrongSide("pops", toVector ? "a cube core" : "a vector core"), /*fatal=*/true);
  return refuseAlone(split);
}

int32_t QueueUser::needBytes(int64_t bytes, uint32_t offset) {
  if (bytes + int64_t(offset) <= int64_t(queue.slotBytes) || !checksMemory(core))
    return 0;
  return tell(say::kQueueSmall(bytes + int64_t(offset), queue.slotBytes));
}

static std::string nameOf(TileType type) {
  constexpr const char *kNames[] = {"Vec", "Mat", "Left", "Right", "Acc", "Bias", "Scaling"};
  return size_t(type) < std::size(kNames) ? kNames[size_t(type)] : "another memory";
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int32_t QueueUser::push(const TileView &tile, const PushForm &form, const QuantState &quant) {
  const bool toVector = pushesToVector(), global = throughGlobal();
  if (int32_t status = refusePush(toVector, form.split))
    return status;
  const auto location = TileType(tile.ref.location);
  if (location != (toVector ? TileType::Acc : TileType::Vec))
    return tell(say::kQueueTile(nameOf(location)), /*fatal=*/true);
  if (int32_t status = refuseSplit(tile, form.split, toVector, global))
    return status;
  const Pipe pipe = pushPipe(toVector);
  const uint8_t others = peers(form.split), data = dataId(toVector);
  if (queue.prod.waits)
    if (int32_t status = awaitSpace(core, site.id, pipe, data + 1, others))
      return status;
  TileView placed = tile;
  // FIFO-24: on A2/A3 both vector cores push what is not split, the same bytes; one stores them.
  const bool same = !toVector && !onA5() && form.split == QueueSplit::None && core->subblockIdx != 0;
  if (!same && place(placed)) {
    int32_t status = global && queue.stripCols ? moveStrips(placed, queue.prod, /*pushes=*/true, toVector)
                     : global                  ? pushThroughGlobal(placed, form, quant, toVector)
                     : toVector                ? pushToVector(placed, form, quant)
                                               : pushToCube(placed, form);
    if (status)
      return status;
  } else if (isStopped(core)) {
    return 1;
  }
  notePush(tile.ref, form, toVector);
  ++queue.prod.tile;
  return queue.prod.signals ? signalQueue(core, site.id, pipe, data, others) : 0;
}

int32_t QueueUser::pop(TileView &tile, QueueSplit split) {
  const bool toVector = popsToVector(), global = throughGlobal();
  if (int32_t status = refusePop(toVector, split))
    return status;
  const auto location = TileType(tile.ref.location);
  if (location != (toVector ? TileType::Vec : TileType::Mat))
    return tell(say::kQueueTile(nameOf(location)), /*fatal=*/true);
  const Pipe pipe = popPipe(toVector, global);
  const uint8_t others = peers(split), data = dataId(toVector);
  notePop(tile.ref, split, toVector);
  if (queue.cons.waits)
    if (int32_t status = awaitData(core, site.id, pipe, data, others))
      return status;
  if (int32_t status = meet())
    return status;
  const auto bytes = uint32_t(bytesFor(tile.ref.elem, int64_t(tile.ref.rows) * tile.ref.cols));
  uint64_t address = toVector ? queue.vectorBuffer : queue.matBuffer;
  if (global) {
    const uint64_t stride = onA5() ? bytes : queue.slotBytes;
    address += uint64_t(uint32_t(queue.cons.tile) % queue.localSlots) * stride;
  } else {
    address += slotOffset(queue.cons);
    if (int32_t status = needBytes(bytes, queue.cons.offset))
      return status;
  }
  if (address % 32 != 0)
    if (int32_t status = tell(say::kAssignMisaligned(address)))
      return status;
  tile.data = issuer.base(spaceOf(tile.ref.location)) + address;
  tile.ref.address = uint32_t(address);
  tile.ref.storage = 0;
  if (global) {
    if (onA5() && queue.poppedBytes && queue.poppedBytes != bytes)
      if (int32_t status = warnOnce(kWarnedLanding, say::kQueueLanding(bytes, queue.poppedBytes)))
        return status;
    queue.poppedBytes = bytes;
    if (int32_t status = queue.stripCols ? moveStrips(tile, queue.cons, /*pushes=*/false, toVector)
                                         : loadEntry(tile, split, toVector))
      return status;
    if (onA5() && !toVector && !queue.older)
      if (int32_t status = warnOnce(kWarnedFree, say::kQueueEarlyFree()))
        return status;
  }
  // The load has emptied the entry; a TMPipe frees in any case (FIFO-62).
  if ((global || queue.older) && queue.cons.signals)
    if (int32_t status = (queue.older ? signalQueue : freeQueue)(core, site.id, pipe, data + 1, others))
      return status;
  ++queue.cons.tile;
  // Without a wait a program takes what it has taken before, or what it knows to be there.
  queue.popped = issuer.notePop(tile.ref, site.id, /*again=*/!queue.cons.waits);
  return 0;
}

int32_t QueueUser::free(QueueSplit split) {
  const bool toVector = popsToVector(), global = throughGlobal();
  if (int32_t status = refusePop(toVector, split))
    return status;
  // FIFO-25: on A2/A3, and in text, the pop has freed it.
  if (int32_t status = meet())
    return status;
  if (queue.older) // its pops free, unless that is turned off
    return queue.cons.signals
               ? 0
               : signalQueue(core, site.id, popPipe(toVector, global), dataId(toVector) + 1, peers(split));
  if ((global && (!onA5() || onDevice)) || !queue.cons.signals)
    return 0;
  return freeQueue(core, site.id, popPipe(toVector, global), dataId(toVector) + 1, peers(split));
}

//===----------------------------------------------------------------------===//
// Entries as views
//===----------------------------------------------------------------------===//

int32_t QueueUser::takeEntry(QueueSplit split, void *&entry) {
  const bool toVector = pushesToVector();
  if (int32_t status = refusePush(toVector, split))
    return status;
  if (int32_t status = refuseViews())
    return status;
  if (queue.prod.waits)
    if (int32_t status = awaitSpace(core, site.id, pushPipe(toVector), dataId(toVector) + 1, peers(split)))
      return status;
  entry = globalEntry(queue.prod, toVector);
  ++queue.prod.tile;
  return 0;
}

int32_t QueueUser::passEntry(QueueSplit split) {
  const bool toVector = pushesToVector();
  if (int32_t status = refusePush(toVector, split))
    return status;
  if (!queue.prod.signals)
    return 0;
  return signalQueue(core, site.id, pushPipe(toVector), dataId(toVector), peers(split));
}

int32_t QueueUser::popEntry(QueueSplit split, void *&entry) {
  const bool toVector = popsToVector();
  if (int32_t status = refusePop(toVector, split))
    return status;
  if (int32_t status = refuseViews())
    return status;
  if (queue.cons.waits)
    if (int32_t status = awaitData(core, site.id, Pipe::MTE2, dataId(toVector), peers(split)))
      return status;
  entry = globalEntry(queue.cons, toVector);
  ++queue.cons.tile;
  return 0;
}

int32_t QueueUser::freeEntry(QueueSplit split) {
  const bool toVector = popsToVector();
  if (int32_t status = refusePop(toVector, split))
    return status;
  if (!queue.cons.signals)
    return 0;
  return freeQueue(core, site.id, Pipe::MTE2, dataId(toVector) + 1, peers(split));
}

int32_t QueueUser::refuseViews() {
  if (!throughGlobal())
    return tell(say::kQueueRefused("an entry on chip as a view of global memory", "views name global memory"),
                /*fatal=*/true);
  if (!queue.global)
    return tell(say::kQueueNoGm(), /*fatal=*/true);
  if (queue.toVector && queue.toCube && !onA5())
    return warnOnce(kWarnedRings, say::kQueueSharedRings());
  return 0;
}

//===----------------------------------------------------------------------===//
// Signals alone
//===----------------------------------------------------------------------===//

int32_t QueueUser::signal(QueueSignal which) {
  const bool pushes = which == QueueSignal::Allocate || which == QueueSignal::Record;
  const bool toVector = pushes ? pushesToVector() : popsToVector(), global = throughGlobal();
  const QueueSplit split = queue.first ? QueueSplit::None : QueueSplit::Rows;
  if (int32_t status = pushes ? refusePush(toVector, split) : refusePop(toVector, split))
    return status;
  const uint8_t data = dataId(toVector), others = peers(split);
  switch (which) {
  case QueueSignal::Allocate:
    return awaitSpace(core, site.id, pushPipe(toVector), data + 1, others);
  case QueueSignal::Record:
    return signalQueue(core, site.id, pushPipe(toVector), data, others);
  case QueueSignal::Wait:
    return awaitData(core, site.id, popPipe(toVector, global), data, others);
  case QueueSignal::Free:
    break;
  }
  return (queue.older ? signalQueue : freeQueue)(core, site.id, popPipe(toVector, global), data + 1, others);
}

} // namespace ptoscope::tile
