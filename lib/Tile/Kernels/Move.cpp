//===- Move.cpp - moves between tiles -------------------------------------===//
//
// Copies of logical elements, each side in its own layout (TMOV-1).
//
//===----------------------------------------------------------------------===//

#include "HostMove.h"
#include "Kernels.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
/// `firstWord`: of the first column that is moved.
void moveTile(const Operands &ops, const Side &dst, const Side &src, int64_t rows, int64_t cols,
              int64_t firstWord = 0) {
  const MoveMode mode = MoveMode::unpack(ops.mode);
  const Matrix words = mode.quant == Quant::Vector ? matrixOf(ops.tile[2]) : Matrix{};
  const Conversion conversion = {ops.tile[1].ref.elem,
                                 ops.tile[0].ref.elem,
                                 mode,
                                 ops.scalar[kWordScalar],
                                 &words,
                                 /*finish=*/nullptr,
                                 firstWord,
                                 ops.isText()};
  if (ops.isHost())
    return hostElements(conversion, {firstWord}, dst, src, rows, cols);
  convertElements(conversion, dst, src, rows, cols);
}

int64_t index(const Operands &ops, size_t scalar) { return int64_t(ops.scalar[scalar]); }
} // namespace

// Over the source's valid region.
void tmov(const Operands &ops) {
  const PartOfTile part = partOf(ops.tile[1].ref, MoveMode::unpack(ops.mode).part);
  moveTile(ops, sideOf(ops.tile[0]), sideOf(ops.tile[1], part.row, part.col), part.rows, part.cols, part.col);
}

// Over the destination's valid region.
void textract(const Operands &ops) {
  moveTile(ops, sideOf(ops.tile[0]), sideOf(ops.tile[1], index(ops, kRowScalar), index(ops, kColScalar)),
           ops.tile[0].ref.validRows, ops.tile[0].ref.validCols, index(ops, kColScalar));
}

// Over the source's valid region.
void tinsert(const Operands &ops) {
  moveTile(ops, sideOf(ops.tile[0], index(ops, kRowScalar), index(ops, kColScalar)), sideOf(ops.tile[1]),
           ops.tile[1].ref.validRows, ops.tile[1].ref.validCols);
}

// Over the source's valid region; the third tile is scratch that is not needed.
void ttrans(const Operands &ops) {
  const TileRef &src = ops.tile[1].ref;
  Side dst = sideOf(ops.tile[0]);
  dst.map = dst.map.transposed();
  moveElements(bitsOf(src.elem), dst, sideOf(ops.tile[1]), src.validRows, src.validCols);
}

// All three modes: tiles in place are one storage, and copying onto itself
// changes nothing. Everything outside the source's valid region is filled.
void tfillpad(const Operands &ops) {
  const TileRef &dst = ops.tile[0].ref, &src = ops.tile[1].ref;
  const unsigned bits = bitsOf(dst.elem);
  if (ops.tile[0].data != ops.tile[1].data)
    moveElements(bits, sideOf(ops.tile[0]), sideOf(ops.tile[1]), src.validRows, src.validCols);
  const uint64_t pad = padBits(dst.elem, dst.pad);
  const Extents own = capacityOf(dst);
  fillElements(bits, sideOf(ops.tile[0], 0, src.validCols), src.validRows, own.cols - src.validCols, pad);
  fillElements(bits, sideOf(ops.tile[0], src.validRows, 0), own.rows - src.validRows, own.cols, pad);
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
