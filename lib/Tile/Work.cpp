//===- Work.cpp - how much an instruction has to do -----------------------===//
//
// Shapes and paths from the operands of an instruction, without allocation: they
// are asked for at every instruction of a timed run.
//
//===----------------------------------------------------------------------===//

#include "Work.h"

#include "ConvShape.h"
#include "Footprint.h"
#include "pto/detail/modes.hpp"

#include <algorithm>

namespace ptoscope::tile {

namespace {

uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
bool isFloat(Elem elem) { return has(kFloats | kByteFloats | kTwinFloats, elem); }
bool isIn(const TileView &tile, TileType type) { return tile.ref.location == uint8_t(type); }
uint64_t bytesOf(Elem elem, uint64_t rows, uint64_t cols) { return ceilDiv(rows * cols * bitsOf(elem), 8); }

/// Runs of bytes that follow each other in rows x cols elements of a tile.
uint64_t runsOf(const TileRef &tile, uint64_t rows, uint64_t cols) {
  const bool byRows = BLayout(tile.blockLayout) == BLayout::RowMajor;
  const Extents box = innerBox(tile.elem, SLayout(tile.innerLayout), tile.fractalBytes);
  const uint64_t lines = byRows ? ceilDiv(rows, uint64_t(box.rows)) : ceilDiv(cols, uint64_t(box.cols));
  const bool isWhole = byRows ? cols >= uint64_t(tile.cols) : rows >= uint64_t(tile.rows);
  return isWhole && tile.beyondRows == 0 && tile.beyondCols == 0 ? 1 : std::max<uint64_t>(lines, 1);
}

/// What is moved between GM and a tile.
struct GlobalRuns {
  uint64_t runs = 1, transfers = 1;
  bool isUnaligned = false;
};
/// Dimensions of a view, the inner ones last. One that goes on where the next inner one ends
/// is a part of it; others are transfers of their own.
GlobalRuns runsOf(const GlobalRef &view, uint64_t rows, uint64_t cols) {
  const bool byColumns = Layout(view.layout) == Layout::DN;
  const int64_t line = byColumns ? view.shape[3] : view.shape[4], pitch = byColumns ? view.stride[4] : view.stride[3];
  GlobalRuns result;
  const bool isDense = pitch == line;
  const bool isBlocked = Layout(view.layout) != Layout::ND && !byColumns;
  const uint64_t lines = byColumns ? cols : rows;
  if (isBlocked) { // columns of blocks, each of whole rows
    result.runs = std::max<uint64_t>(uint64_t(view.shape[0]) * uint64_t(view.shape[1]), 1);
    return result;
  }
  result.runs = isDense ? 1 : std::max<uint64_t>(lines, 1);
  result.isUnaligned = lines > 1 && pitch * int64_t(bitsOf(view.elem)) % (8 * int64_t(kBlockBytes)) != 0;
  int64_t span = pitch * (byColumns ? view.shape[4] : view.shape[3]);
  bool folds = true;
  for (int d = 2; d >= 0; --d) {
    if (view.shape[d] <= 1)
      continue;
    folds &= view.stride[d] == span;
    span *= view.shape[d];
    if (!folds)
      result.transfers *= uint64_t(view.shape[d]);
  }
  result.runs = std::max(result.runs, result.transfers);
  return result;
}

void setShape(Work &work, int64_t rows, int64_t cols) {
  work.rows = uint32_t(std::max<int64_t>(rows, 0));
  work.cols = uint32_t(std::max<int64_t>(cols, 0));
}

/// Loads and stores of GM that are no drain.
void describeGm(const Call &call, Work &work) {
  const Operands &ops = call.operands;
  const TileRef &tile = ops.tile[0].ref;
  work.kind = Work::Kind::Transfer;
  const Space local = spaceOf(tile.location);
  work.from = call.record->gm == Gm::Load ? Space::Gm : local;
  work.to = call.record->gm == Gm::Load ? local : Space::Gm;
  work.fromBits = work.toBits = uint8_t(bitsOf(tile.elem));
  work.isFloat = isFloat(tile.elem);
  setShape(work, tile.validRows, tile.validCols);
  work.bytes = bytesOf(tile.elem, work.rows, work.cols);
  work.transfers = 1;
  // An index is a run of its own.
  if (work.timing == Timing::vgather || work.timing == Timing::vscatter) {
    const TileRef &index = ops.tile[ops.tiles > 1 ? 1 : 0].ref;
    work.bursts = uint32_t(std::max(0, index.validRows) * std::max(0, index.validCols));
    return;
  }
  if (std::string_view(work.name) == "TLOAD_CONV") {
    const ConvMove move = convLoad(unpackConv(ops.scalar[0], ops.scalar[1], ops.mode), ops.global.ref);
    work.bytes = bytesOf(tile.elem, 1, uint64_t(std::max<int64_t>(move.box.count(), 0)));
    work.bursts = 1;
    return;
  }
  const GlobalRuns global = runsOf(ops.global.ref, work.rows, work.cols);
  work.bursts = uint32_t(std::max(global.runs, runsOf(tile, work.rows, work.cols)));
  work.transfers = uint32_t(global.transfers);
  work.isUnaligned = global.isUnaligned;
}

/// Out of L0C, to a tile or to GM.
void describeDrain(const Call &call, Work &work) {
  const Operands &ops = call.operands;
  const bool toGm = call.record->gm == Gm::Store;
  const TileRef &sum = ops.tile[toGm ? 0 : 1].ref;
  const PartOfTile part = partOf(sum, MoveMode::unpack(ops.mode).part);
  const Elem to = toGm ? ops.global.ref.elem : ops.tile[0].ref.elem;
  work.kind = Work::Kind::Drain;
  work.from = Space::L0C;
  work.to = toGm ? Space::Gm : spaceOf(ops.tile[0].ref.location);
  work.fromBits = uint8_t(bitsOf(sum.elem));
  work.toBits = uint8_t(bitsOf(to));
  work.isFloat = isFloat(sum.elem);
  setShape(work, part.rows, part.cols);
  if (!toGm) // a window of the accumulator
    setShape(work, std::min<int64_t>(part.rows, ops.tile[0].ref.validRows),
             std::min<int64_t>(part.cols, ops.tile[0].ref.validCols));
  work.bytes = bytesOf(to, work.rows, work.cols);
}

/// From tile 1 to tile 0, or into tile 0.
void describeMove(const Call &call, Work &work) {
  const Operands &ops = call.operands;
  const TileRef &to = ops.tile[0].ref, &from = ops.tile[ops.tiles > 1 ? 1 : 0].ref;
  work.kind = Work::Kind::Transfer;
  work.from = ops.tiles > 1 ? spaceOf(from.location) : Space::None;
  work.to = spaceOf(to.location);
  work.fromBits = uint8_t(bitsOf(from.elem));
  work.toBits = uint8_t(bitsOf(to.elem));
  work.isFloat = isFloat(from.elem);
  // An extract has a larger source, an insert a larger destination.
  setShape(work, std::min(from.validRows, to.validRows), std::min(from.validCols, to.validCols));
  if (std::string_view(work.name) == "TIMG2COL")
    setShape(work, to.validRows, to.validCols);
  work.bytes = bytesOf(to.elem, work.rows, work.cols);
  work.bursts = uint32_t(std::max(runsOf(from, work.rows, work.cols), runsOf(to, work.rows, work.cols)));
  work.transfers = 1;
}

void describeProduct(const Call &call, Work &work) {
  const Operands &ops = call.operands;
  work.kind = Work::Kind::Product;
  work.to = Space::L0C;
  for (size_t i = 0; i < ops.tiles; ++i) {
    const TileView &tile = ops.tile[i];
    if (isIn(tile, TileType::Left)) {
      work.rows = uint32_t(std::max(0, tile.ref.validRows));
      work.depth = uint32_t(std::max(0, tile.ref.validCols));
      work.fromBits = uint8_t(bitsOf(tile.ref.elem));
      work.isFloat = isFloat(tile.ref.elem);
    } else if (isIn(tile, TileType::Right)) {
      work.cols = uint32_t(std::max(0, tile.ref.validCols));
    } else if (i > 0 && isIn(tile, TileType::Acc)) {
      work.isAccumulating = true;
    }
  }
  work.toBits = uint8_t(bitsOf(ops.tile[0].ref.elem));
}

/// Classes of two operands, one of which may be a scalar.
bool hasTwoOperands(Timing timing) {
  constexpr Timing kClasses[] = {Timing::vdiv,  Timing::vand,  Timing::vpow,  Timing::vcmp, Timing::vadds,
                                 Timing::vmuls, Timing::vmaxs, Timing::vshls, Timing::vaxpy};
  return std::find(std::begin(kClasses), std::end(kClasses), timing) != std::end(kClasses);
}

/// Classes whose instructions take an algorithm.
bool hasAlgorithm(Timing timing) {
  return timing == Timing::vexp || timing == Timing::vln || timing == Timing::vsqrt || timing == Timing::vdiv ||
         timing == Timing::vpow;
}

/// Whether all of an operand lies in one run. Operands that are a row or a column by their
/// nature do not matter.
bool isContiguous(const OperandSpec &spec, const TileRef &tile) {
  switch (spec.area) {
  case Area::PerRow:
  case Area::PerColumn:
  case Area::Row0:
  case Area::Column0:
  case Area::Bits:
    return true;
  default:
    return tile.validRows <= 1 || runsOf(tile, uint64_t(tile.validRows), uint64_t(std::max(0, tile.validCols))) == 1;
  }
}

void describeVector(const Call &call, Work &work) {
  const Operands &ops = call.operands;
  const Record &record = *call.record;
  const TileRef &lead = ops.tile[std::min<size_t>(leadingTile(record), ops.tiles - 1)].ref;
  work.kind = Work::Kind::Vector;
  work.from = work.to = Space::Ub;
  work.toBits = uint8_t(bitsOf(ops.tile[0].ref.elem));
  // Loops of a column-major tile run over its columns.
  const bool byColumns =
      BLayout(lead.blockLayout) == BLayout::ColMajor && SLayout(lead.innerLayout) == SLayout::NoneBox;
  setShape(work, byColumns ? lead.validCols : lead.validRows, byColumns ? lead.validRows : lead.validCols);
  unsigned sources = 0;
  uint64_t sourceBytes = 0;
  work.isContiguous = true;
  for (size_t i = 0; i < ops.tiles; ++i) {
    const OperandSpec &spec = record.tile[i];
    const TileRef &tile = ops.tile[i].ref;
    if (spec.role == Role::Scratch || spec.role == Role::Alias || spec.role == Role::Index || isLeftOut(tile))
      continue;
    work.isContiguous &= isContiguous(spec, tile);
    if (spec.role == Role::Write || spec.area == Area::Bits)
      continue;
    if (sources++ == 0) {
      work.fromBits = uint8_t(bitsOf(tile.elem));
      work.isFloat = isFloat(tile.elem);
    }
    sourceBytes += bytesOf(tile.elem, uint64_t(std::max(0, tile.validRows)), uint64_t(std::max(0, tile.validCols)));
    work.isInPlace |= i > 0 && tile.address == ops.tile[0].ref.address;
  }
  if (sources == 0)
    work.fromBits = work.toBits, work.isFloat = isFloat(ops.tile[0].ref.elem);
  const bool updates = record.tile[0].role == Role::Update;
  work.isScalarForm = hasTwoOperands(record.timing) && sources <= 1u + updates;
  const std::string_view name = record.name;
  if (name == "TCOLSUM")
    work.isExact = ops.mode != 0;
  else if (hasAlgorithm(record.timing))
    work.isExact = ops.scalar[kAlgorithmScalar] == 1;
  if (name.starts_with("TMRGSORT")) { // records of 8 bytes, of all lists
    constexpr uint64_t kRecordBytes = 8;
    setShape(work, 1, int64_t(sourceBytes / kRecordBytes));
  }
  work.bytes = sourceBytes;
}

} // namespace

Work workOf(const Call &call) {
  const Record &record = *call.record;
  const Operands &ops = call.operands;
  Work work;
  work.name = record.name;
  work.timing = record.timing;
  if (ops.tiles == 0)
    return work;
  const bool fromSum = isIn(ops.tile[record.gm == Gm::None && ops.tiles > 1 ? 1 : 0], TileType::Acc);
  if (record.timing == Timing::cube)
    describeProduct(call, work);
  else if (fromSum && (record.gm == Gm::Store || record.timing == Timing::move || record.timing == Timing::fix))
    describeDrain(call, work);
  else if (record.gm != Gm::None)
    describeGm(call, work);
  else if (record.timing == Timing::move || record.timing == Timing::fix || isIn(ops.tile[0], TileType::Mat))
    describeMove(call, work);
  else
    describeVector(call, work);
  return work;
}

Work workOf(const CubePlan &plan) {
  struct Row {
    const char *name;
    Timing timing;
  };
  constexpr auto rowOf = [](CubeOp op) -> Row {
    switch (op) {
    case CubeOp::Frac:
      return {"mte_gm_l1_frac", Timing::load};
    case CubeOp::Load:
      return {"mte_l1_l0", Timing::move};
    case CubeOp::Scales:
      return {"mte_l1_l0_mx", Timing::move};
    case CubeOp::Bias:
      return {"mte_l1_bt", Timing::move};
    case CubeOp::Mad:
      return {"mad", Timing::cube};
    case CubeOp::Store:
      return {"mte_l0c", Timing::fix};
    case CubeOp::Fill:
      return {"set_l1", Timing::move};
    }
    return {"cube", Timing::cube};
  };
  Work work;
  work.name = rowOf(plan.op).name;
  work.timing = rowOf(plan.op).timing;
  if (plan.op == CubeOp::Mad) {
    work.kind = Work::Kind::Product;
    work.to = Space::L0C;
    const Elem left = plan.matrix[CubePlan::kLeft].matrix.elem;
    work.fromBits = uint8_t(bitsOf(left));
    work.isFloat = isFloat(left);
    work.toBits = uint8_t(bitsOf(plan.matrix[CubePlan::kSum].matrix.elem));
    setShape(work, plan.product.m, plan.product.n);
    work.depth = uint32_t(std::max<int64_t>(plan.product.k, 0));
    work.isAccumulating = !plan.product.fromZero;
    return work;
  }
  const bool moves = plan.moves > 0;
  const PlacedMatrix &from = plan.matrix[CubePlan::kFrom], &to = plan.matrix[CubePlan::kTo];
  work.kind = plan.op == CubeOp::Store ? Work::Kind::Drain : Work::Kind::Transfer;
  work.from = moves ? from.space : Space::None;
  work.to = to.space;
  work.toBits = uint8_t(bitsOf(to.matrix.elem));
  work.fromBits = plan.isOfPairs ? 4 : moves ? uint8_t(bitsOf(from.matrix.elem)) : work.toBits;
  work.isFloat = isFloat(moves ? from.matrix.elem : to.matrix.elem);
  for (size_t i = 0; i < plan.moves; ++i) { // halves of one source are one above the other
    const CubePlan::Move &move = plan.move[i];
    const bool beside = i > 0 && move.from.col > 0;
    setShape(work, beside ? move.rows : work.rows + move.rows, beside ? work.cols + move.cols : move.cols);
  }
  for (size_t i = 0; i < plan.fills; ++i)
    work.bytes += bytesOf(to.matrix.elem, uint64_t(plan.filled[i].region.rows), uint64_t(plan.filled[i].region.cols));
  work.bytes += bytesOf(moves ? to.matrix.elem : Elem::u8, work.rows, work.cols);
  work.bursts = plan.op == CubeOp::Frac ? std::max(work.rows, 1u) : 1;
  work.transfers = 1;
  return work;
}

} // namespace ptoscope::tile
