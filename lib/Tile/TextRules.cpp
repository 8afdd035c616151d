//===- TextRules.cpp - where text means something else than C++ -----------===//

#include "TextRules.h"

#include "Footprints.h"
#include "Indexed.h"
#include "pto/detail/gather.hpp"
#include "pto/detail/modes.hpp"
#include "pto/detail/paths.hpp"
#include "ptoscope/Support/Half.h"
#include "ptoscope/Tile/Runtime.h"

#include <algorithm>
#include <array>

namespace ptoscope::tile {

namespace {
bool is(const TileRef &tile, TileType type) { return TileType(tile.location) == type; }
std::string shapeText(int64_t rows, int64_t cols) { return say::kShape(rows, cols); }

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

void setPad(TileRef &tile, uint32_t pattern) { tile.pad = uint64_t(PadValue::CustomBase) | pattern; }

/// IRLOAD-9: the largest and smallest finite number.
void makePadFinite(TileRef &tile) {
  const bool least = tile.pad == uint64_t(PadValue::Min);
  if (!least && tile.pad != uint64_t(PadValue::Max))
    return;
  if (tile.elem == Elem::f32)
    setPad(tile, least ? 0xff7fffff : 0x7f7fffff);
  else if (tile.elem == Elem::f16)
    setPad(tile, least ? 0xfbff : 0x7bff);
  else if (tile.elem == Elem::bf16)
    setPad(tile, least ? 0xff7f : 0x7f7f);
}

/// IRPAD-1 to IRPAD-3: padding ends with the valid region.
bool adaptFillPad(const Adapting &a) {
  Operands &ops = a.call.operands;
  TileRef &dst = ops.tile[0].ref, &src = ops.tile[1].ref;
  const uint32_t given = ops.mode >> PTO_PAD_SHIFT;
  ops.mode &= (1u << PTO_PAD_SHIFT) - 1;
  if (given)
    dst.pad = given - 1;
  if (dst.pad == uint64_t(PadValue::Null)) // IRPAD-4
    return a.refuse(say::kNoPadValue());
  const Extents own = capacityOf(dst), other = capacityOf(src);
  const bool larger = own.rows >= other.rows && own.cols >= other.cols;
  if (TFillPadMode(ops.mode) == TFillPadMode::Expand ? !larger
                                                     : own.rows != other.rows || own.cols != other.cols) // IRPAD-5
    return a.refuse(say::kPadExtents(shapeText(own.rows, own.cols), shapeText(other.rows, other.cols)));
  makePadFinite(dst);
  if (!given && dst.elem == Elem::f32 && dst.pad == uint64_t(PadValue::Zero) &&
      (dst.validRows > src.validRows || dst.validCols > src.validCols))
    setPad(dst, 0xbf800000);
  dst.beyondRows = dst.rows - dst.validRows;
  dst.beyondCols = dst.cols - dst.validCols;
  src.validRows = std::min(src.validRows, dst.validRows);
  src.validCols = std::min(src.validCols, dst.validCols);
  return true;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

} // namespace

void countPairs(const Record &record, Operands &ops) {
  TileRef &tile = ops.tile[0].ref;
  const bool moves = &record == &record::TLOAD || &record == &record::TPREFETCH || &record == &record::TSTORE;
  const bool boxed = SLayout(tile.innerLayout) != SLayout::NoneBox;
  if (!moves || bitsOf(tile.elem) != 4 || (boxed && tile.fractalBytes != 512))
    return;
  if (tile.pad == uint64_t(PadValue::Max) || tile.pad == uint64_t(PadValue::Min))
    setPad(tile, uint32_t(padBits(tile.elem, tile.pad)) * 0x11);
  tile.elem = Elem::u8;
  const bool alongRows =
      boxed ? SLayout(tile.innerLayout) == SLayout::ColMajor : BLayout(tile.blockLayout) == BLayout::ColMajor;
  for (int32_t *extent : {alongRows ? &tile.rows : &tile.cols, alongRows ? &tile.validRows : &tile.validCols,
                          alongRows ? &tile.beyondRows : &tile.beyondCols})
    if (*extent > 0) // or not known
      *extent /= 2;
}

Layout layoutInVec(const TileRef &tile) {
  if (SLayout(tile.innerLayout) != SLayout::NoneBox)
    return Layout::NZ;
  return BLayout(tile.blockLayout) == BLayout::RowMajor ? Layout::ND : Layout::DN;
}

namespace {

/// IRLOAD-2, IRLOAD-3: the layout that maps the view; false: stop.
bool chooseLayout(const Adapting &a) {
  const TileRef &tile = a.call.operands.tile[0].ref;
  GlobalRef &view = a.call.operands.global.ref;
  const int64_t *n = view.shape, *s = view.stride;
  if (is(tile, TileType::Vec)) {
    const Layout wanted = layoutInVec(tile);
    const bool flat = n[0] == 1 && n[1] == 1 && n[2] == 1; // all three are the same
    const Layout had = Layout(view.layout);
    view.layout = uint8_t(wanted);
    if (had != wanted && !flat && !a.warn(say::kViewLayout()))
      return false;
  }
  const bool asBoth = n[0] == 1 && n[1] == 1 && n[2] == 1 && Layout(view.layout) != Layout::NZ;
  const auto takes = [&](Layout layout) {
    return loads(TileType(tile.location), BLayout(tile.blockLayout), SLayout(tile.innerLayout), layout,
                 a.call.operands.rules == Rules::Text);
  };
  if (is(tile, TileType::Mat) && a.call.record->gm == Gm::Load &&
      !(asBoth ? takes(Layout::ND) || takes(Layout::DN) : takes(Layout(view.layout))))
    return a.refuse(say::kLoadLayout());
  // IRLOAD-7
  const auto apart = [&](int k, int64_t unit) { return n[k] > 1 && s[k] != unit; };
  const Layout layout = Layout(view.layout);
  const bool odd = layout == Layout::DN ? apart(3, 1) : apart(4, 1) || (layout == Layout::NZ && apart(3, n[4]));
  return !odd || a.warn(say::kViewStride(layout == Layout::DN ? s[3] : s[4]));
}

/// Elements are copied bit by bit, so they have the same width on both sides.
bool sameSize(const Adapting &a) {
  const Operands &ops = a.call.operands;
  return bitsOf(ops.tile[0].ref.elem) == bitsOf(ops.global.ref.elem) ||
         a.refuse(a.call.record->gm == Gm::Store ? say::kStoredSizes() : say::kLoadedSizes());
}

/// The rows and columns that both have.
void takeCommon(TileRef &tile, const Coverage &offered) {
  tile.validRows = int32_t(std::min<int64_t>(tile.validRows, offered.rows));
  tile.validCols = int32_t(std::min<int64_t>(tile.validCols, offered.cols));
}

bool adaptLoad(const Adapting &a) {
  TileRef &tile = a.call.operands.tile[0].ref;
  makePadFinite(tile);
  if (!is(tile, TileType::Vec))
    tile.pad = uint64_t(PadValue::Null); // IRLOAD-8
  if (!sameSize(a) || !chooseLayout(a))
    return false;
  // IRLOAD-6
  const Coverage offered = coverage(a.call.operands.global.ref);
  if (validRegion(tile).empty() || (tile.validRows <= offered.rows && tile.validCols <= offered.cols))
    return true;
  const Fact fact = say::kPartSmaller(shapeText(tile.validRows, tile.validCols), shapeText(offered.rows, offered.cols));
  takeCommon(tile, offered);
  return a.warn(fact);
}

/// IRSTORE-2: as many elements, in row-major order of both sides. The side that has no
/// gaps takes the shape of the other.
bool refactor(const Adapting &a, const Coverage &offered) {
  TileRef &tile = a.call.operands.tile[0].ref;
  GlobalRef &view = a.call.operands.global.ref;
  const Map map = globalMap(view);
  const int64_t step = map.col.digit[0].stride;
  if (map.col.digits == 1 && map.row.digits == 1 &&
      (offered.rows == 1 || map.row.digit[0].stride == offered.cols * step)) {
    const int64_t rows = tile.validRows, cols = tile.validCols;
    const int64_t shape[] = {1, 1, 1, rows, cols}, stride[] = {0, 0, 0, cols * step, step};
    std::copy(shape, std::end(shape), view.shape);
    std::copy(stride, std::end(stride), view.stride);
    view.layout = uint8_t(Layout::ND);
    return true;
  }
  const bool plain = SLayout(tile.innerLayout) == SLayout::NoneBox && BLayout(tile.blockLayout) == BLayout::RowMajor;
  if (!plain || (tile.validRows != 1 && tile.validCols != tile.cols))
    return a.refuse(say::kRefactor(shapeText(tile.validRows, tile.validCols), shapeText(offered.rows, offered.cols)));
  tile.rows = tile.validRows = int32_t(offered.rows);
  tile.cols = tile.validCols = int32_t(offered.cols);
  tile.beyondRows = tile.beyondCols = 0;
  return true;
}

bool hasWord(const Operands &ops) { return MoveMode::unpack(ops.mode).quant == Quant::Scalar; }

/// IRSTORE-6: a word with a scale only, and the sign of its result; false: refused.
bool setWord(const Adapting &a, Elem result) {
  constexpr int kSignBit = 46;
  if (const Fact problem = wordProblem(a.call.operands); problem.code)
    return a.refuse(problem);
  if (hasWord(a.call.operands))
    a.call.operands.scalar[kWordScalar] |= uint64_t(result == Elem::i8) << kSignBit;
  return true;
}

bool adaptStore(const Adapting &a) {
  Operands &ops = a.call.operands;
  TileRef &tile = ops.tile[0].ref;
  const bool fixed = ops.mode & PTO_STORE_FIXED_EXTENTS;
  ops.mode &= ~uint32_t(PTO_STORE_FIXED_EXTENTS);
  if (is(tile, TileType::Mat) && ops.rules == Rules::Text && !a.warn(say::kStoredMat()))
    return false;
  if (!setWord(a, ops.global.ref.elem) || (!is(tile, TileType::Acc) && !sameSize(a)) || !chooseLayout(a))
    return false;
  const Coverage offered = coverage(ops.global.ref);
  if (validRegion(tile).empty() || (tile.validRows == offered.rows && tile.validCols == offered.cols))
    return true;
  if (fixed && extentProduct(offered.rows, offered.cols) == int64_t(tile.validRows) * tile.validCols)
    return refactor(a, offered);
  // IRSTORE-3
  const Fact fact = say::kPartDiffers(shapeText(tile.validRows, tile.validCols), shapeText(offered.rows, offered.cols));
  takeCommon(tile, offered);
  return a.warn(fact);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// IRMOV-2
bool adaptMove(const Adapting &a) {
  const TileRef &dst = a.call.operands.tile[0].ref, &src = a.call.operands.tile[1].ref;
  if (is(dst, TileType::Vec) && is(src, TileType::Vec) &&
      (dst.validRows != src.validRows || dst.validCols != src.validCols))
    return a.refuse(say::kShapesDiffer(nameOf(a.call, 0), shapeText(dst.validRows, dst.validCols), nameOf(a.call, 1),
                                       shapeText(src.validRows, src.validCols), say::kSameShape));
  return setWord(a, dst.elem);
}

/// IRMOV-6: windows of boxed tiles begin at boxes. `Tile` is the one with the window.
template <size_t Tile> bool adaptWindow(const Adapting &a) {
  const Operands &ops = a.call.operands;
  const TileRef &tile = ops.tile[Tile].ref;
  const Extents box = innerBox(tile.elem, SLayout(tile.innerLayout), tile.fractalBytes);
  const auto row = int64_t(ops.scalar[kRowScalar]), col = int64_t(ops.scalar[kColScalar]);
  if (row % box.rows != 0 || col % box.cols != 0)
    return a.refuse(say::kSubviewBox(row, col, shapeText(box.rows, box.cols), "IRMOV-6"));
  return setWord(a, ops.tile[0].ref.elem);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Issues another record instead, without scratch.
void become(Call &call, const Record &record, uint32_t tiles) {
  call.record = &record;
  call.operands.tiles = tiles;
}

/// IREW-6
bool adaptRem(const Adapting &a) {
  if (!has(kFloats, a.call.operands.tile[0].ref.elem))
    become(a.call, record::TFMOD, 3);
  return true;
}
/// IREW-7
bool adaptRems(const Adapting &a) {
  become(a.call, record::TFMODS, 2);
  return true;
}

/// IREW-4: the count is a number of 64 bits; one that is too large for the element is
/// still too large there.
bool adaptShift(const Adapting &a) {
  uint64_t &count = a.call.operands.scalar[0];
  if (count >= bitsOf(a.call.operands.tile[0].ref.elem))
    count = ~uint64_t(0);
  return true;
}

/// IREW-9: the slope is an f32.
bool adaptSlope(const Adapting &a) {
  Operands &ops = a.call.operands;
  if (ops.tile[0].ref.elem == Elem::f16)
    ops.scalar[0] = f32ToF16(ops.scalarAs<float>(0));
  return true;
}

/// IRPART-2
bool adaptPart(const Adapting &a) {
  const Operands &ops = a.call.operands;
  const TileRef &dst = ops.tile[0].ref, &x = ops.tile[1].ref, &y = ops.tile[2].ref;
  const auto covers = [&](const TileRef &t) { return t.validRows >= dst.validRows && t.validCols >= dst.validCols; };
  if (a.found && !covers(x) && !covers(y))
    return a.refuse(say::kNeitherCovers(dst.validRows, dst.validCols));
  // Two sources with one extent in common may cover the destination together.
  const bool together =
      (std::min(x.validRows, y.validRows) >= dst.validRows && std::max(x.validCols, y.validCols) >= dst.validCols) ||
      (std::min(x.validCols, y.validCols) >= dst.validCols && std::max(x.validRows, y.validRows) >= dst.validRows);
  return covers(x) || covers(y) || together || dst.validRows == 0 || dst.validCols == 0 ||
         a.warn(say::kUncovered(shapeText(dst.validRows, dst.validCols)));
}

/// IRCMP-3: masks of 1- and 2-byte elements have rows of whole groups; one of 4-byte
/// elements is a single row.
bool adaptCompareScalar(const Adapting &a) {
  TileRef &mask = a.call.operands.tile[0].ref;
  const TileRef &src = a.call.operands.tile[1].ref;
  if (validRegion(src).empty())
    return false;
  const int64_t bytes = bytesFor(mask.elem, flatCount(mask));
  const unsigned width = bitsOf(src.elem) / 8;
  const int64_t group = width == 1 ? 32 : 16, pitch = roundUp(std::max(src.validCols, 1), group * 8) / 8;
  mask.elem = Elem::u8;
  mask.beyondRows = mask.beyondCols = 0;
  mask.cols = int32_t(width == 4 ? bytes : pitch);
  mask.rows = int32_t(width == 4 ? 1 : bytes / pitch);
  mask.validRows = mask.validCols = 0;
  return true;
}

/// IRSORT-4: no one reads the counts.
bool adaptMerge(const Adapting &a) {
  a.call.operands.scalar[0] = 0;
  return true;
}
bool adaptMergeRuns(const Adapting &a) {
  const auto length = int64_t(a.call.operands.scalar[0]);
  return (length > 0 && length <= INT32_MAX && length % 64 == 0) || a.refuse(say::kRunLength(length));
}

/// IRGATHER-8: indices as many as elements name elements, others rows.
bool adaptIndexed(const Adapting &a) {
  Operands &ops = a.call.operands;
  const TileRef &data = ops.tile[0].ref, &indices = ops.tile[1].ref;
  if (!sameSize(a))
    return false;
  if (!(ops.mode & PTO_INDEX_BY_EXTENTS))
    return true;
  IndexMode mode = IndexMode::unpack(ops.mode & ~uint32_t(PTO_INDEX_BY_EXTENTS));
  mode.byRow = indices.validRows != data.validRows || indices.validCols != data.validCols;
  ops.mode = mode.pack();
  return true;
}

/// IRRED-6: the second source is the vector, unless the first alone has other columns than
/// the destination.
bool adaptExpansion(const Adapting &a) {
  Operands &ops = a.call.operands;
  if (!(ops.mode & PTO_VECTOR_BY_EXTENTS))
    return true;
  const int32_t columns = ops.tile[0].ref.validCols;
  const bool vectorFirst = ops.tile[1].ref.validCols != columns && ops.tile[2].ref.validCols == columns;
  if (vectorFirst)
    std::swap(ops.tile[1], ops.tile[2]);
  ops.mode = vectorFirst;
  return true;
}

constexpr AdaptFunction adaptOf(const Record *r) {
  using namespace record;
  if (expandsRows(*r))
    return adaptExpansion;
  if (r == &TLOAD || r == &TPREFETCH)
    return adaptLoad;
  if (r == &TSTORE || r == &TSTORE_FP)
    return adaptStore;
  if (r == &TMOV || r == &TMOV_FP)
    return adaptMove;
  if (r == &TEXTRACT || r == &TEXTRACT_FP)
    return adaptWindow<1>;
  if (r == &TINSERT || r == &TINSERT_FP)
    return adaptWindow<0>;
  if (r == &TFILLPAD || r == &TFILLPAD_INPLACE || r == &TFILLPAD_EXPAND)
    return adaptFillPad;
  if (r == &TREM)
    return adaptRem;
  if (r == &TREMS)
    return adaptRems;
  if (r == &TSHLS || r == &TSHRS)
    return adaptShift;
  if (r == &TLRELU)
    return adaptSlope;
  if (r == &TPARTADD || r == &TPARTMUL || r == &TPARTMAX || r == &TPARTMIN || r == &TPARTARGMAX || r == &TPARTARGMIN)
    return adaptPart;
  if (r == &TCMPS)
    return adaptCompareScalar;
  if (r == &TMRGSORT)
    return adaptMerge;
  if (r == &TMRGSORT_RUNS)
    return adaptMergeRuns;
  if (r == &MGATHER || r == &MSCATTER)
    return adaptIndexed;
  return nullptr;
}

constexpr AdaptFunction kTable[] = {
#define PTO_RECORD(NAME, ...) adaptOf(&record::NAME),
#define PTO_CUSTOM_RECORD PTO_RECORD
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD
};
} // namespace

const AdaptFunction *const kAdaptFunctions = kTable;

Fact wordProblem(const Operands &ops) {
  const uint64_t word = ops.scalar[kWordScalar];
  return hasWord(ops) && word >> 32 ? say::kScaleWord(hex(word)) : Fact{};
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

bool dividesIntegers(const Call &call) {
  const Record *r = call.record;
  return r->timing == Timing::vdiv && !has(kFloats, call.operands.tile[0].ref.elem);
}

Fact divisionProblem(const void *payload) {
  const Call &call = *static_cast<const Call *>(payload);
  const Operands &ops = call.operands;
  const TileRef &dst = ops.tile[0].ref;
  if (validRegion(dst).empty())
    return {};
  const Record *r = call.record;
  const bool scalar = r == &record::TDIVS || r == &record::TFMODS;
  const uint64_t mask = ~uint64_t(0) >> (64 - bitsOf(dst.elem));
  if (scalar && ops.mode == 0)
    return ops.scalar[0] & mask ? Fact{} : say::kDividesByZero(0, 0);
  // The vector of a row form is tile 2; in the other order it is what is divided.
  const bool perRow = r == &record::TROWEXPANDDIV && ops.mode == 0, perColumn = r == &record::TCOLEXPANDDIV;
  const TileView &divisor = ops.tile[scalar || (r == &record::TROWEXPANDDIV && ops.mode) ? 1 : 2];
  const Map map = tileMap(divisor.ref);
  for (int64_t row = 0; row < (perColumn ? 1 : dst.validRows); ++row)
    for (int64_t col = 0; col < (perRow ? 1 : dst.validCols); ++col)
      if (indexAt(divisor, map, row, col) == 0)
        return say::kDividesByZero(row, col);
  return {};
}

} // namespace ptoscope::tile
