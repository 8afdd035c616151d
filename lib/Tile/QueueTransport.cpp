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

/// rows x cols at `place`: `pitch` elements from row to row, of DN from column to column.
void QueueUser::setView(Call &call, uint8_t *place, Elem elem, Layout layout, int64_t rows, int64_t cols,
                        int64_t pitch) const {
  GlobalView &view = call.operands.global;
  call.operands.hasGlobal = true;
  GlobalRef &ref = view.ref;
  ref.pointer = place;
  ref.elem = elem;
  ref.layout = uint8_t(layout);
  if (layout == Layout::NZ) {
    const int64_t inner = 32 * 8 / bitsOf(elem), high = roundUp(rows, 16);
    const int64_t shape[] = {1, (cols + inner - 1) / inner, high / 16, 16, inner};
    const int64_t stride[] = {high * roundUp(cols, inner), high * inner, 16 * inner, inner, 1};
    std::copy(shape, std::end(shape), ref.shape);
    std::copy(stride, std::end(stride), ref.stride);
  } else {
    const bool columns = layout == Layout::DN;
    const int64_t shape[] = {1, 1, 1, rows, cols}, all = (columns ? cols : rows) * pitch;
    const int64_t stride[] = {all, all, all, columns ? 1 : pitch, columns ? pitch : 1};
    std::copy(shape, std::end(shape), ref.shape);
    std::copy(stride, std::end(stride), ref.stride);
  }
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

/// Numbers of pto::LayoutMode_t.
static constexpr uint8_t kNz2Nz = 0, kNz2Dn = 2;

int32_t QueueUser::pushThroughGlobal(const TileView &tile, const PushForm &form, const QuantState &quant,
                                     bool toVector) {
  if (!queue.global)
    return tell(say::kQueueNoGm(), /*fatal=*/true);
  const TileRef &ref = tile.ref;
  const int64_t rows = ref.validRows, cols = ref.validCols;
  const Elem elem = form.converts ? form.to : ref.elem;
  const int64_t part = toVector ? 0 : subblock, parts = toVector || form.split == QueueSplit::None ? 1 : 2;
  int64_t start = 0, pitch = cols;
  if (!toVector && form.split == QueueSplit::Rows)
    start = part * rows * cols;
  if (!toVector && form.split == QueueSplit::Cols) {
    start = part * cols;
    pitch = 2 * cols;
  }
  if (int32_t status = needBytes(bytesFor(elem, parts * rows * cols), queue.prod.offset))
    return status;
  const bool words = form.converts && form.quant == Quant::Vector;
  Call call = callOf(words ? record::TSTORE_FP : record::TSTORE, modeOf(form).pack());
  call.operands.tile[call.operands.tiles++] = tile;
  if (int32_t status = setWords(call, form, quant))
    return status;
  const Layout layout = !form.converts          ? Layout::ND
                        : form.layout == kNz2Nz ? Layout::NZ
                        : form.layout == kNz2Dn ? Layout::DN
                                                : Layout::ND;
  setView(call, globalEntry(queue.prod, toVector) + bytesFor(elem, start), elem, layout, rows, cols,
          layout == Layout::DN ? rows : pitch);
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
  const PartOfTile size = partOf(tile.ref, part);
  TileView &entry = call.operands.tile[call.operands.tiles++];
  TileRef &ref = entry.ref;
  ref = {};
  ref.location = uint8_t(TileType::Vec);
  ref.elem = form.converts ? form.to : tile.ref.elem;
  ref.fractalBytes = 512;
  ref.rows = part == Part::FirstRows || part == Part::LastRows ? tile.ref.rows / 2 : tile.ref.rows;
  ref.cols = part == Part::FirstCols || part == Part::LastCols ? tile.ref.cols / 2 : tile.ref.cols;
  ref.validRows = int32_t(size.rows);
  ref.validCols = int32_t(size.cols);
  if (form.converts && form.layout != 1) {
    ref.blockLayout = uint8_t(BLayout::ColMajor);
    if (form.layout == kNz2Nz)
      ref.innerLayout = uint8_t(SLayout::RowMajor);
  }
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
  ref = tile.ref;
  ref.location = uint8_t(TileType::Mat);
  ref.compact = 0;
  ref.pad = 0;
  ref.storage = 0;
  const bool rows = split == QueueSplit::Rows, cols = split == QueueSplit::Cols;
  if (form.boxes && SLayout(ref.innerLayout) == SLayout::NoneBox) {
    ref.blockLayout = uint8_t(BLayout::ColMajor);
    ref.innerLayout = uint8_t(SLayout::RowMajor);
    ref.fractalBytes = 512;
  }
  ref.rows *= rows ? 2 : 1;
  ref.cols *= cols ? 2 : 1;
  ref.validRows = ref.rows;
  ref.validCols = ref.cols;
  if (int32_t status = needBytes(bytesFor(ref.elem, int64_t(ref.rows) * ref.cols), queue.prod.offset))
    return status;
  const uint64_t address = queue.matBuffer + slotOffset(queue.prod);
  ref.address = uint32_t(address);
  entry.data = issuer.base(Space::L1) + address;
  call.operands.tile[call.operands.tiles++] = tile;
  call.operands.scalar[kRowScalar] = rows ? uint64_t(subblock) * uint64_t(tile.ref.validRows) : 0;
  call.operands.scalar[kColScalar] = cols ? uint64_t(subblock) * uint64_t(tile.ref.validCols) : 0;
  return issue(call, site);
}

int32_t QueueUser::loadEntry(const TileView &tile, QueueSplit split, bool toVector) {
  if (!queue.global)
    return tell(say::kQueueNoGm(), /*fatal=*/true);
  const TileRef &ref = tile.ref;
  const int64_t rows = ref.validRows, cols = ref.validCols, s = subblock;
  int64_t start = 0, pitch = cols;
  // What is not of the first vector core lies behind its part.
  switch (toVector ? split : QueueSplit::None) {
  case QueueSplit::None:
    break;
  case QueueSplit::Rows:
    start = s * rows * cols;
    break;
  case QueueSplit::Cols:
    start = s * cols;
    pitch = 2 * cols;
    break;
  case QueueSplit::RowsOdd:
    start = s * (rows + 1) * cols;
    break;
  case QueueSplit::ColsOdd:
    start = s * (cols + 1);
    pitch = s ? 2 * cols + 1 : 2 * cols - 1;
    break;
  }
  const int64_t end = rows > 0 && cols > 0 ? start + (rows - 1) * pitch + cols : 0;
  if (int32_t status = needBytes(bytesFor(ref.elem, end), queue.cons.offset))
    return status;
  // FIFO-42: without a split the entry is read as the tile is laid out.
  Layout layout = Layout::ND;
  if (split == QueueSplit::None && toVector && BLayout(ref.blockLayout) == BLayout::ColMajor)
    layout = SLayout(ref.innerLayout) == SLayout::NoneBox ? Layout::DN : Layout::NZ;
  Call call = callOf(record::TLOAD, uint32_t(load));
  call.operands.tile[call.operands.tiles++] = tile;
  setView(call, globalEntry(queue.cons, toVector) + bytesFor(ref.elem, start), ref.elem, layout, rows, cols,
          layout == Layout::DN ? rows : pitch);
  return issue(call, site);
}

} // namespace ptoscope::tile
