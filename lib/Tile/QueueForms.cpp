//===- QueueForms.cpp - where the elements of an entry are ----------------===//
//
// FIFO-41 to FIFO-44: how a push lays a tile out in an entry, and how a pop takes it from
// there. FIFO-47: both have to mean the same elements by the same places.
//
//===----------------------------------------------------------------------===//

#include "Queue.h"

#include "ptoscope/Machine/QueueSentences.h"
#include "ptoscope/Tile/Images.h"

namespace ptoscope::tile {

/// Numbers of pto::LayoutMode_t.
static constexpr uint8_t kNz2Nz = 0, kNz2Dn = 2;

//===----------------------------------------------------------------------===//
// Through global memory
//===----------------------------------------------------------------------===//

/// rows x cols: `pitch` elements from row to row, of DN from column to column.
GlobalRef QueueUser::viewOf(Elem elem, Layout layout, int64_t rows, int64_t cols, int64_t pitch) {
  GlobalRef ref{};
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
  return ref;
}

QueueUser::InGlobal QueueUser::storedAs(const TileRef &ref, const PushForm &form, bool toVector) const {
  const int64_t rows = ref.validRows, cols = ref.validCols;
  if (toVector) {
    const Layout layout = !form.converts          ? Layout::ND
                          : form.layout == kNz2Nz ? Layout::NZ
                          : form.layout == kNz2Dn ? Layout::DN
                                                  : Layout::ND;
    return {layout, 0, layout == Layout::DN ? rows : cols};
  }
  switch (form.split) {
  case QueueSplit::Rows:
    return {Layout::ND, subblock * rows * cols, cols};
  case QueueSplit::Cols:
    return {Layout::ND, subblock * cols, 2 * cols};
  default:
    return {Layout::ND, 0, cols};
  }
}

QueueUser::InGlobal QueueUser::loadedAs(const TileRef &ref, QueueSplit split, bool toVector) const {
  const int64_t rows = ref.validRows, cols = ref.validCols, s = subblock;
  // What is not of the first vector core lies behind its part.
  switch (toVector ? split : QueueSplit::None) {
  case QueueSplit::None:
    break;
  case QueueSplit::Rows:
    return {Layout::ND, s * rows * cols, cols};
  case QueueSplit::Cols:
    return {Layout::ND, s * cols, 2 * cols};
  case QueueSplit::RowsOdd:
    return {Layout::ND, s * (rows + 1) * cols, cols};
  case QueueSplit::ColsOdd:
    return {Layout::ND, s * (cols + 1), s ? 2 * cols + 1 : 2 * cols - 1};
  }
  // FIFO-42: without a split the entry is read as the tile is laid out.
  if (split == QueueSplit::None && toVector && BLayout(ref.blockLayout) == BLayout::ColMajor) {
    const bool boxed = SLayout(ref.innerLayout) != SLayout::NoneBox;
    return {boxed ? Layout::NZ : Layout::DN, 0, boxed ? cols : rows};
  }
  return {Layout::ND, 0, cols};
}

//===----------------------------------------------------------------------===//
// On chip
//===----------------------------------------------------------------------===//

TileRef QueueUser::entryOfVector(const TileRef &tile, const PushForm &form, Part part) const {
  const PartOfTile size = partOf(tile, part);
  TileRef ref{};
  ref.location = uint8_t(TileType::Vec);
  ref.elem = form.converts ? form.to : tile.elem;
  ref.fractalBytes = 512;
  ref.rows = part == Part::FirstRows || part == Part::LastRows ? tile.rows / 2 : tile.rows;
  ref.cols = part == Part::FirstCols || part == Part::LastCols ? tile.cols / 2 : tile.cols;
  ref.validRows = int32_t(size.rows);
  ref.validCols = int32_t(size.cols);
  if (form.converts && form.layout != 1) {
    ref.blockLayout = uint8_t(BLayout::ColMajor);
    if (form.layout == kNz2Nz)
      ref.innerLayout = uint8_t(SLayout::RowMajor);
  }
  return ref;
}

TileRef QueueUser::entryOfCube(const TileRef &tile, const PushForm &form) const {
  TileRef ref = tile;
  ref.location = uint8_t(TileType::Mat);
  ref.compact = 0;
  ref.pad = 0;
  ref.storage = 0;
  if (form.boxes && SLayout(ref.innerLayout) == SLayout::NoneBox) {
    ref.blockLayout = uint8_t(BLayout::ColMajor);
    ref.innerLayout = uint8_t(SLayout::RowMajor);
    ref.fractalBytes = 512;
  }
  ref.rows *= form.split == QueueSplit::Rows ? 2 : 1;
  ref.cols *= form.split == QueueSplit::Cols ? 2 : 1;
  ref.validRows = ref.rows;
  ref.validCols = ref.cols;
  return ref;
}

//===----------------------------------------------------------------------===//
// Both sides of an entry
//===----------------------------------------------------------------------===//

namespace {

/// Elements (row, col) on of a tile, at `start` and from there on by `map`.
struct EntryForm final : QueueTile {
  Elem elem = Elem::f32;
  QueueSplit split = QueueSplit::None;
  bool toVector = true;
  uint32_t slot = 0;
  Map map{};
  int64_t start = 0;
  int64_t row = 0, col = 0;   ///< of the tile that is pushed
  int64_t rows = 0, cols = 0; ///< of this part
  Extents whole{};            ///< all parts together

  std::optional<Fact> misreadBy(const QueueTile &other) const override;
};

/// Integers of one width take each other's bits.
Elem withoutSign(Elem elem) {
  switch (elem) {
  case Elem::u8:
    return Elem::i8;
  case Elem::u16:
    return Elem::i16;
  case Elem::u32:
    return Elem::i32;
  default:
    return elem;
  }
}

std::optional<Fact> EntryForm::misreadBy(const QueueTile &other) const {
  const auto &taken = static_cast<const EntryForm &>(other);
  if (taken.slot != slot)
    return std::nullopt;
  // Bytes on their way to the cube core are taken as they are (FIFO-43).
  if (toVector ? withoutSign(taken.elem) != withoutSign(elem) : bitsOf(taken.elem) != bitsOf(elem))
    return say::kQueueElement(elemName(taken.elem), elemName(elem));
  if (taken.split != split && (taken.whole.rows != whole.rows || taken.whole.cols != whole.cols))
    return say::kQueueOtherSplit(say::kShape(taken.rows, taken.cols), say::kSplitNames[size_t(taken.split)],
                                 say::kShape(whole.rows, whole.cols), say::kSplitNames[size_t(split)]);
  // Digits of layouts are powers of two: an element beside each border of them tells layouts apart.
  const int64_t high = std::min(taken.rows, row + rows - taken.row),
                wide = std::min(taken.cols, col + cols - taken.col);
  for (int64_t r = 0; r < high; r = r == 0 ? 1 : 2 * r)
    for (int64_t c = 0; c < wide; c = c == 0 ? 1 : 2 * c) {
      const int64_t read = taken.start + taken.map.offset(r, c);
      const int64_t put = start + map.offset(taken.row - row + r, taken.col - col + c);
      if (read != put)
        return say::kQueueOtherPlace(r, c, read, put);
    }
  return std::nullopt;
}

} // namespace

/// The whole of which a vector core has this part; the odd splits give the first one more.
static Extents wholeOf(int64_t rows, int64_t cols, QueueSplit split, unsigned part) {
  const int64_t odd = part == 0 ? -1 : 1;
  switch (split) {
  case QueueSplit::None:
    break;
  case QueueSplit::Rows:
    return {int32_t(2 * rows), int32_t(cols)};
  case QueueSplit::Cols:
    return {int32_t(rows), int32_t(2 * cols)};
  case QueueSplit::RowsOdd:
    return {int32_t(2 * rows + odd), int32_t(cols)};
  case QueueSplit::ColsOdd:
    return {int32_t(rows), int32_t(2 * cols + odd)};
  }
  return {int32_t(rows), int32_t(cols)};
}

void QueueUser::notePush(const TileRef &tile, const PushForm &form, bool toVector) {
  const bool complete = !(queue.warned & kPartPushed);
  queue.warned = uint8_t(queue.prod.signals ? queue.warned & ~kPartPushed : queue.warned | kPartPushed);
  if (!queue.prod.signals || !complete || queue.prod.offset || queue.older || !checksMemory(core))
    return;
  EntryForm entry;
  entry.elem = form.converts ? form.to : tile.elem;
  entry.split = form.split;
  entry.toVector = toVector;
  entry.slot = uint32_t(queue.prod.tile) % queue.slots;
  entry.whole = toVector ? Extents{tile.validRows, tile.validCols}
                         : wholeOf(tile.validRows, tile.validCols, form.split, subblock);
  entry.rows = entry.whole.rows;
  entry.cols = entry.whole.cols;
  if (throughGlobal()) {
    const InGlobal place = storedAs(tile, form, toVector);
    entry.map = globalMap(viewOf(entry.elem, place.layout, entry.rows, entry.cols, place.pitch));
  } else if (!toVector) {
    entry.map = tileMap(entryOfCube(tile, form));
  } else {
    const Part part = form.split == QueueSplit::Rows   ? Part::FirstRows
                      : form.split == QueueSplit::Cols ? Part::FirstCols
                                                       : Part::Whole;
    const TileRef half = entryOfVector(tile, form, part);
    entry.map = tileMap(half);
    entry.rows = half.validRows;
    entry.cols = half.validCols;
  }
  noteQueueTile(core, site.id, dataId(toVector), peers(form.split), /*pushes=*/true,
                std::make_shared<EntryForm>(entry));
}

void QueueUser::notePop(const TileRef &tile, QueueSplit split, bool toVector) {
  if (!queue.cons.waits || queue.cons.offset || queue.older || !checksMemory(core))
    return;
  EntryForm entry;
  entry.elem = tile.elem;
  entry.split = split;
  entry.toVector = toVector;
  entry.slot = uint32_t(queue.cons.tile) % queue.slots;
  entry.rows = tile.validRows;
  entry.cols = tile.validCols;
  entry.whole = toVector ? wholeOf(entry.rows, entry.cols, split, subblock) : Extents{tile.validRows, tile.validCols};
  if (throughGlobal()) {
    const InGlobal place = loadedAs(tile, split, toVector);
    entry.map = globalMap(viewOf(tile.elem, place.layout, entry.rows, entry.cols, place.pitch));
    entry.start = place.start;
    if (toVector && subblock) {
      entry.row = entry.whole.rows -
                  (split == QueueSplit::Rows || split == QueueSplit::RowsOdd ? entry.rows : entry.whole.rows);
      entry.col = entry.whole.cols -
                  (split == QueueSplit::Cols || split == QueueSplit::ColsOdd ? entry.cols : entry.whole.cols);
    }
  } else {
    entry.map = tileMap(tile);
  }
  noteQueueTile(core, site.id, dataId(toVector), peers(split), /*pushes=*/false, std::make_shared<EntryForm>(entry));
}

} // namespace ptoscope::tile
