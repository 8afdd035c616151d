//===- QueueTransport.cpp - how a tile gets into an entry and out of it ---===//
//
// FIFO-40 to FIFO-46: stores and loads of global memory, the fixpipe into UB of the
// vector cores, insertions into L1. Each is an instruction of the tile API, with its
// meaning, its regions and its checks; only the place of one operand is the queue's.
//
//===----------------------------------------------------------------------===//

#include "Queue.h"

#include "ptoscope/Machine/Queue.h"
#include "ptoscope/Machine/QueueSentences.h"

#include <cstring>

namespace ptoscope::tile {

bool QueueUser::place(TileView &tile) {
  const Space space = spaceOf(tile.ref.location);
  if (space == Space::None || !issuer.base(space))
    return tell(space == Space::None ? say::kTileType(tile.ref.location) : say::kNoMemoryHere(space), /*fatal=*/true),
           false;
  const auto address = uint64_t(tile.data - issuer.base(space));
  if (!tile.data || address >> 32)
    return tell((tile.data ? say::kTileElsewhere : say::kTileUnplaced)("`src`")), false;
  tile.ref.address = uint32_t(address);
  return true;
}

int32_t QueueUser::refuseSplit(const TileView &tile, QueueSplit split, bool toVector, bool global) {
  const TileRef &ref = tile.ref;
  const char *why = nullptr;
  switch (split) {
  case QueueSplit::None:
    return 0;
  case QueueSplit::Rows:
    if (toVector && ref.validRows % 2 != 0)
      why = "the number of rows is odd";
    break;
  case QueueSplit::Cols:
    if (toVector && !global && ref.validCols % 32 != 0)
      why = "on chip the number of columns is a multiple of 32";
    else if (toVector && ref.validCols % 2 != 0)
      why = "the number of columns is odd";
    else if (!toVector && bytesFor(ref.elem, ref.validCols) % 32 != 0)
      why = "a row of the part is not a multiple of 32 bytes";
    break;
  case QueueSplit::RowsOdd:
  case QueueSplit::ColsOdd:
    if (!toVector || !global)
      why = "the odd modes are for queues from cube to vector cores through global memory";
    break;
  }
  if (!why && toVector && !global && bitsOf(ref.elem) != 32)
    why = "on chip elements of 4 bytes are split";
  if (!why && toVector && !isBothSides(core) && queuePeers(core, false) == 2)
    why = "the launch has one vector core for each cube core";
  if (!why)
    return 0;
  return tell(say::kQueueSplit(say::kShape(ref.validRows, ref.validCols), why), /*fatal=*/true);
}

Call QueueUser::callOf(const Record &record, uint32_t mode) const {
  Call call;
  call.record = &record;
  call.automatic = automatic;
  call.operands.rules = rules;
  call.operands.mode = mode;
  return call;
}

/// One line may push in several ways, for queues of several kinds.
int32_t QueueUser::issue(Call &call, Issuer::SiteState &at) {
  if (at.meaning && std::strcmp(at.meaning->name, call.record->name) != 0) {
    at.meaning = nullptr;
    at.prepared.reset();
  }
  return issuer.issue(call, at);
}

/// rows x cols at `place`.
void QueueUser::setView(Call &call, uint8_t *place, Elem elem, Layout layout, int64_t rows, int64_t cols,
                        int64_t pitch) const {
  GlobalView &view = call.operands.global;
  call.operands.hasGlobal = true;
  view.ref = viewOf(elem, layout, rows, cols, pitch);
  view.ref.pointer = place;
  view.data = onDevice ? hostOf(core, reinterpret_cast<uintptr_t>(place)) : place;
}

/// The word or the tile of words that the push quantises with. Nonzero: do not push.
int32_t QueueUser::setWords(Call &call, const PushForm &form, const QuantState &quant) {
  if (!form.converts || form.quant == Quant::None)
    return 0;
  if (form.quant == Quant::Vector) {
    if (!quant.hasTile)
      return tell(say::kNoQuantWord(), /*fatal=*/true);
    call.operands.tile[call.operands.tiles++] = quant.tile;
    return 0;
  }
  constexpr uint64_t kOne = 0x3f800000;
  uint64_t word = quant.word;
  // FIFO-52: host simulators take no scale as 1.
  if (rules == Rules::Host && uint32_t(word) == 0)
    word |= kOne;
  call.operands.scalar[kWordScalar] = word;
  return 0;
}

static MoveMode modeOf(const PushForm &form) {
  MoveMode mode;
  if (!form.converts)
    return mode;
  mode.relu = form.relu;
  mode.quant = form.quant;
  mode.atomic = form.atomic;
  mode.phase = form.phase;
  return mode;
}

int32_t QueueUser::pushThroughGlobal(const TileView &tile, const PushForm &form, const QuantState &quant,
                                     bool toVector) {
  if (!queue.global)
    return tell(say::kQueueNoGm(), /*fatal=*/true);
  const TileRef &ref = tile.ref;
  const int64_t rows = ref.validRows, cols = ref.validCols;
  const Elem elem = form.converts ? form.to : ref.elem;
  const int64_t parts = toVector || form.split == QueueSplit::None ? 1 : 2;
  if (int32_t status = needBytes(bytesFor(elem, parts * rows * cols), queue.prod.offset))
    return status;
  const bool words = form.converts && form.quant == Quant::Vector;
  Call call = callOf(words ? record::TSTORE_FP : record::TSTORE, modeOf(form).pack());
  call.operands.tile[call.operands.tiles++] = tile;
  if (int32_t status = setWords(call, form, quant))
    return status;
  const InGlobal at = storedAs(ref, form, toVector);
  setView(call, globalEntry(queue.prod, toVector) + bytesFor(elem, at.start), elem, at.layout, rows, cols, at.pitch);
  return issue(call, site);
}

int32_t QueueUser::pushToVector(const TileView &tile, const PushForm &form, const QuantState &quant) {
  // The other half first: its place in the program is the second one.
  switch (form.split) {
  case QueueSplit::Rows:
    if (int32_t status = pushToVector(tile, form, quant, 1, Part::LastRows, second ? *second : site))
      return status;
    return pushToVector(tile, form, quant, 0, Part::FirstRows, site);
  case QueueSplit::Cols:
    if (int32_t status = pushToVector(tile, form, quant, 1, Part::LastCols, second ? *second : site))
      return status;
    return pushToVector(tile, form, quant, 0, Part::FirstCols, site);
  default:
    return pushToVector(tile, form, quant, form.converts ? form.target : 0, Part::Whole, site);
  }
}

int32_t QueueUser::pushToVector(const TileView &tile, const PushForm &form, const QuantState &quant, unsigned target,
                                Part part, Issuer::SiteState &at) {
  // A core with both sides is the first vector core: the other half has no place.
  if (target == 1 && isBothSides(core))
    return 0;
  MoveMode mode = modeOf(form);
  mode.part = part;
  Call call = callOf(record::TMOV, mode.pack());
  TileView &entry = call.operands.tile[call.operands.tiles++];
  TileRef &ref = entry.ref;
  ref = entryOfVector(tile.ref, form, part);
  if (int32_t status = needBytes(bytesFor(ref.elem, int64_t(ref.rows) * ref.cols), queue.prod.offset))
    return status;
  const UbTarget ub = ubOf(core, target);
  const uint64_t address = queue.vectorBuffer + slotOffset(queue.prod);
  ref.address = uint32_t(address);
  call.operands.mode |= uint32_t(ub.core.index) << kUbOwnerShift;
  entry.data = ub.base + address;
  call.operands.tile[call.operands.tiles++] = tile;
  if (int32_t status = setWords(call, form, quant))
    return status;
  return issue(call, at);
}

int32_t QueueUser::pushToCube(const TileView &tile, const PushForm &form) {
  const QueueSplit split = form.split;
  if (!issuer.base(Space::L1))
    return tell(say::kNoMemoryHere(Space::L1), /*fatal=*/true);
  Call call = callOf(record::TINSERT, MoveMode().pack());
  TileView &entry = call.operands.tile[call.operands.tiles++];
  TileRef &ref = entry.ref;
  ref = entryOfCube(tile.ref, form);
  if (int32_t status = needBytes(bytesFor(ref.elem, int64_t(ref.rows) * ref.cols), queue.prod.offset))
    return status;
  const uint64_t address = queue.matBuffer + slotOffset(queue.prod);
  ref.address = uint32_t(address);
  entry.data = issuer.base(Space::L1) + address;
  call.operands.tile[call.operands.tiles++] = tile;
  const bool rows = split == QueueSplit::Rows, cols = split == QueueSplit::Cols;
  call.operands.scalar[kRowScalar] = rows ? uint64_t(subblock) * uint64_t(tile.ref.validRows) : 0;
  call.operands.scalar[kColScalar] = cols ? uint64_t(subblock) * uint64_t(tile.ref.validCols) : 0;
  return issue(call, site);
}

int32_t QueueUser::loadEntry(const TileView &tile, QueueSplit split, bool toVector) {
  if (!queue.global)
    return tell(say::kQueueNoGm(), /*fatal=*/true);
  const TileRef &ref = tile.ref;
  const int64_t rows = ref.validRows, cols = ref.validCols;
  const InGlobal at = loadedAs(ref, split, toVector);
  const int64_t reach = at.layout == Layout::ND ? (rows - 1) * at.pitch + cols : rows * cols;
  const int64_t end = rows > 0 && cols > 0 ? at.start + reach : 0;
  if (int32_t status = needBytes(bytesFor(ref.elem, end), queue.cons.offset))
    return status;
  Call call = callOf(record::TLOAD, uint32_t(load));
  call.operands.tile[call.operands.tiles++] = tile;
  setView(call, globalEntry(queue.cons, toVector) + bytesFor(ref.elem, at.start), ref.elem, at.layout, rows, cols,
          at.pitch);
  return issue(call, site);
}

} // namespace ptoscope::tile
