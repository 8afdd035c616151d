//===- MoveFootprints.cpp - footprints of moves between tiles -------------===//
//
// Windows begin at scalars, which are known when the instruction is issued: one
// that leaves its tile is a finding then, and nothing is moved.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "Indexed.h"
#include "pto/detail/modes.hpp"
#include "pto/detail/paths.hpp"
#include "ptoscope/Machine/FormSentences.h"
#include "ptoscope/Machine/ScaleSentences.h"

#include <algorithm>
#include <string>

namespace ptoscope::tile {

namespace {
std::string validText(const TileRef &tile) { return say::kShape(tile.validRows, tile.validCols); }

/// Where `region` does not lie in tile `i`.
bool leaves(const Operands &ops, size_t i, const Region &region, const char *what, Footprint &footprint) {
  const Extents room = roomOf(ops.tile[i].ref);
  const auto fits = [](int64_t begin, int64_t n, int64_t end) { return begin >= 0 && n <= end && begin <= end - n; };
  if (region.empty() || (fits(region.row, region.rows, room.rows) && fits(region.col, region.cols, room.cols)))
    return false;
  const std::string window = say::kShape(region.rows, region.cols), has = say::kShape(room.rows, room.cols);
  if (region.rows > room.rows || region.cols > room.cols)
    footprint.outside(say::kWindowTooLarge(what, window, region.row, region.col, footprint.name(i), has));
  else
    footprint.outside(say::kWindow(what, window, region.row, region.col, footprint.name(i), has,
                                   room.rows - region.rows, room.cols - region.cols));
  return true;
}

/// A source whose bits stay is copied; one whose elements change is read.
Role sourceRole(const Operands &ops) {
  const MoveMode mode = MoveMode::unpack(ops.mode);
  const bool changes =
      ops.tile[0].ref.elem != ops.tile[1].ref.elem || mode.relu != ReluPreMode::NoRelu || mode.quant != Quant::None;
  return changes ? Role::Read : Role::Copy;
}

/// A word for each column that is moved, in tile `i` from `first` on.
void tellWords(const Operands &ops, size_t i, int64_t rows, int64_t cols, Footprint &footprint, int64_t first = 0) {
  const TileRef &words = ops.tile[i].ref;
  if (words.validRows < 1 || words.validCols < first + cols)
    footprint.outside(say::kQuantWords(first + cols, footprint.name(i), validText(words)));
  footprint.tile(i, {0, first, rows > 0, cols}, Role::Read);
}

void tellMove(const Operands &ops, const Region &dst, const Region &src, Footprint &footprint) {
  if (leaves(ops, 0, dst, "writes", footprint) || leaves(ops, 1, src, "reads", footprint))
    return;
  if (const unsigned owner = ops.mode >> kUbOwnerShift & 3)
    footprint.ubOwner = CoreId{uint8_t(owner)};
  footprint.tile(0, dst, Role::Write);
  footprint.tile(1, src, sourceRole(ops));
  if (ops.tiles <= 2)
    return;
  // TSTORE-13: words of the source's columns.
  if (MoveMode::unpack(ops.mode).quant == Quant::Vector)
    tellWords(ops, 2, dst.rows, dst.cols, footprint, src.col);
  else
    footprint.tile(2, wholeTile(ops.tile[2].ref), Role::Scratch);
}

Region windowOf(const Operands &ops, const TileRef &shape) {
  return {int64_t(ops.scalar[kRowScalar]), int64_t(ops.scalar[kColScalar]), shape.validRows, shape.validCols};
}

bool sameLayout(const TileRef &a, const TileRef &b) {
  return a.blockLayout == b.blockLayout && a.innerLayout == b.innerLayout && a.fractalBytes == b.fractalBytes &&
         a.compact == b.compact && a.rows == b.rows && a.cols == b.cols;
}
} // namespace

void tmovFootprint(const Operands &ops, Footprint &footprint) {
  const PartOfTile part = partOf(ops.tile[1].ref, MoveMode::unpack(ops.mode).part);
  tellMove(ops, {0, 0, part.rows, part.cols}, {part.row, part.col, part.rows, part.cols}, footprint);
}
void textractFootprint(const Operands &ops, Footprint &footprint) {
  // MXT-3: scales move in whole fragments.
  if (const auto to = TileType(ops.tile[0].ref.location); isScale(to)) {
    const auto row = int64_t(ops.scalar[kRowScalar]), col = int64_t(ops.scalar[kColScalar]);
    const int64_t rows = to == TileType::ScaleLeft ? 16 : 2, cols = to == TileType::ScaleLeft ? 2 : 16;
    if (row % rows != 0 || col % cols != 0)
      footprint.outside(say::kScaleWindow(row, col, rows, cols));
  }
  tellMove(ops, validRegion(ops.tile[0].ref), windowOf(ops, ops.tile[0].ref), footprint);
}
void tinsertFootprint(const Operands &ops, Footprint &footprint) {
  tellMove(ops, windowOf(ops, ops.tile[1].ref), validRegion(ops.tile[1].ref), footprint);
}

void ttransFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &dst = ops.tile[0].ref, &src = ops.tile[1].ref;
  if (!ops.isHost() && (dst.validRows != src.validCols || dst.validCols != src.validRows)) // else remarkOf
    footprint.outside(say::kTransposed(validText(src), validText(dst)));
  footprint.tile(0, {0, 0, src.validCols, src.validRows}, Role::Write);
  footprint.tile(1, validRegion(src), Role::Copy);
}

/// In place, only the padding is touched.
void tfillpadFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &dst = ops.tile[0].ref, &src = ops.tile[1].ref;
  const bool inPlace = dst.address == src.address;
  if (!inPlace && TFillPadMode(ops.mode) == TFillPadMode::InPlace)
    footprint.outside(say::kPadApart(dst.address, src.address));
  if (inPlace && !sameLayout(dst, src))
    footprint.outside(say::kPadLayouts());
  if (!inPlace) {
    footprint.tile(0, wholeTile(dst), Role::Write);
    return footprint.tile(1, validRegion(src), Role::Copy);
  }
  const Extents own = capacityOf(dst);
  footprint.tile(0, {0, src.validCols, src.validRows, own.cols - src.validCols}, Role::Write);
  footprint.tile(0, {src.validRows, 0, own.rows - src.validRows, own.cols}, Role::Write);
}

/// With counts, the exact elements are known only when the instruction takes effect.
void tconcatFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &dst = ops.tile[0].ref, &first = ops.tile[1].ref, &second = ops.tile[2].ref;
  const int64_t rows = dst.validRows;
  if (first.validRows != rows || second.validRows != rows)
    footprint.outside(say::kJoined(first.validRows, second.validRows, rows));
  const int64_t cols = dst.validCols;
  if (ops.isText() && ops.tiles == 3 && int64_t(first.validCols) + second.validCols > capacityOf(dst).cols)
    footprint.outside(say::kJoinedColumns(first.validCols, second.validCols, capacityOf(dst).cols));
  const auto tell = [&](int64_t row, int64_t n, int64_t head, int64_t tail, Role role) {
    footprint.tile(0, {row, 0, n, std::min(head + tail, cols)}, Role::Write);
    footprint.tile(1, {row, 0, n, head}, role);
    footprint.tile(2, {row, 0, n, tail}, role);
  };
  const int64_t head = std::min<int64_t>(first.validCols, cols);
  if (ops.tiles == 3)
    return tell(0, rows, head, std::min<int64_t>(second.validCols, cols - head), Role::Copy);
  for (size_t i = 3; i < ops.tiles; ++i) {
    const TileRef &count = ops.tile[i].ref;
    if (count.validRows < rows || count.validCols < 1)
      footprint.outside(say::kJoinCounts(rows, footprint.name(i), validText(count)));
    footprint.tile(i, {0, 0, rows, 1}, i == 3 && ops.tiles == 6 ? Role::Write : Role::Index);
  }
  if (!footprint.exact())
    return tell(0, rows, head, std::min<int64_t>(second.validCols, cols), Role::Read);
  for (int64_t r = 0; r < rows; ++r) {
    const Joined joined = joinedColumns(ops, r);
    if (joined.isCut && !ops.isText())
      footprint.outside(say::kJoinCut(r, elementsSaid(ops.tile[ops.tiles - 2], r, false),
                                      elementsSaid(ops.tile[ops.tiles - 1], r, false), cols));
    tell(r, 1, joined.head, joined.tail, Role::Read);
  }
}

void tdeinterleaveFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &src = ops.tile[2].ref;
  const bool one = ops.tiles == 3;
  for (size_t i = 0; i < ops.tiles; ++i) {
    // Tile 1 gets the even columns.
    const int64_t wanted = !one || i == 2 ? src.validCols : (src.validCols + int64_t(i)) / 2;
    const TileRef &tile = ops.tile[i].ref;
    if (tile.validRows != src.validRows || (one ? tile.validCols < wanted : tile.validCols != wanted))
      footprint.outside((one ? say::kDeinterleavedOne : say::kDeinterleaved)(say::kShape(src.validRows, wanted),
                                                                             footprint.name(i), validText(tile)));
    footprint.tile(i, {0, 0, src.validRows, wanted}, i < 2 ? Role::Write : Role::Copy);
  }
}

/// A store reads what it computes with: the accumulator, whose elements are converted,
/// and tiles of atomic updates. Others are copied.
void tstoreFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &tile = ops.tile[0].ref;
  const MoveMode mode = MoveMode::unpack(ops.mode);
  const bool atomic = mode.atomic != AtomicType::AtomicNone, acc = TileType(tile.location) == TileType::Acc;
  footprint.global(validRegion(tile), atomic ? DirectRole::Atomic : DirectRole::Write);
  // REPORT-10: in the host profile bytes that no one wrote are zeros.
  footprint.tile(0, validRegion(tile), atomic || (acc && !ops.isHost()) ? Role::Read : Role::Copy);
  if (ops.tiles > 1 && ops.isHost() && wordsGoByRow(tile))
    tellWords(ops, 1, tile.validCols, tile.validRows, footprint);
  else if (ops.tiles > 1)
    tellWords(ops, 1, tile.validRows, tile.validCols, footprint);
}

} // namespace ptoscope::tile
