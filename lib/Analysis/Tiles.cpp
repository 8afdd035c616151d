//===- Tiles.cpp - what is known of tiles and views -----------------------===//

#include "Tiles.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {

static constexpr int kRank = 5;
static constexpr uint64_t kEverything = UINT64_MAX;

const KnownTile *Tiles::tile(Value value) const {
  const Known *number = values.find(value);
  return number ? &tiles[size_t(number->base)] : nullptr;
}
const KnownView *Tiles::view(Value value) const {
  const Known *number = values.find(value);
  return number ? &views[size_t(number->base)] : nullptr;
}
void Tiles::set(Value value, const KnownTile &tile) {
  tiles.push_back(tile);
  values.set(value, Known(int64_t(tiles.size() - 1)));
}
void Tiles::set(Value value, const KnownView &view) {
  views.push_back(view);
  values.set(value, Known(int64_t(views.size() - 1)));
}

/// Lowest and highest of a number.
std::optional<std::pair<int64_t, int64_t>> Tiles::range(Value value) const {
  const Known *known = value ? values.find(value) : nullptr;
  return known && !known->firstTurn ? values.extent(*known) : std::nullopt;
}

/// A valid extent in elements of storage, as lowering computes it.
std::optional<int64_t> Tiles::extent(Value computed, int64_t given, int64_t unit) const {
  if (!computed)
    return ShapedType::isDynamic(given) ? std::nullopt : std::optional(given * unit);
  std::optional<int64_t> number = values.constant(computed);
  int64_t product;
  return number && !__builtin_mul_overflow(*number, unit, &product) ? std::optional(product) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

template <typename Op> void Tiles::alloc(Op op, Type type, const tile::Descriptors &descriptors) {
  auto own = cast<TileBufType>(type);
  KnownTile made{own.ref()};
  auto place = range(op.getAddr());
  auto rows = extent(op.getValidRow(), own.getValidRows(), own.unit().rows);
  auto cols = extent(op.getValidCol(), own.getValidCols(), own.unit().cols);
  values.set(op.getResult(), std::nullopt);
  if (!place ||
      descriptors.alloc(made.ref, place->first, rows.value_or(PTO_EXTENT_UNSET), cols.value_or(PTO_EXTENT_UNSET)))
    return;
  made.reach = uint64_t(place->second) - uint64_t(place->first);
  made.place = placeOf(op.getAddr());
  set(op.getResult(), made);
}

uint32_t Tiles::placeOf(Value address) const {
  const Known *known = values.places && address ? values.find(address) : nullptr;
  return known ? known->array : 0;
}

std::optional<uint32_t> Tiles::storageOfPlace(Operation *op, Value operand) {
  auto storage = [](Type type) {
    auto many = dyn_cast<MultiTileBufType>(type);
    return uint32_t(cast<TileBufType>(many ? many.getTile() : type).getSpace());
  };
  return llvm::TypeSwitch<Operation *, std::optional<uint32_t>>(op)
      .Case<AllocTileOp, AllocMultiTileOp, TAssignOp>([&](auto own) {
        return operand == own.getAddr() ? std::optional(storage(own.getResult().getType())) : std::nullopt;
      })
      .Case([&](MultiTileGetOp own) {
        return operand == own.getIndex() ? std::optional(storage(own.getResult().getType())) : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

void Tiles::slot(Operation *op, const tile::Descriptors &descriptors) {
  auto get = cast<MultiTileGetOp>(op);
  const int64_t count = cast<MultiTileBufType>(get.getTiles().getType()).getCount();
  const KnownTile *first = tile(get.getTiles());
  values.set(get.getResult(), std::nullopt);
  if (!first)
    return;
  KnownTile made = *first;
  if (std::optional<int64_t> k = values.constant(get.getIndex())) {
    if (descriptors.slot(made.ref, first->ref, *k, count))
      return;
  } else if (const uint32_t index = placeOf(get.getIndex())) {
    const uint32_t start =
        first->place ? first->place
                     : values.places->start(uint32_t(cast<TileBufType>(get.getResult().getType()).getSpace()));
    made.place = values.places->sum(start, index, tile::storageBytes(first->ref));
  } else {
    made.reach += uint64_t(count - 1) * uint64_t(tile::storageBytes(first->ref));
  }
  set(get.getResult(), made);
}

void Tiles::subview(Operation *op, const tile::Descriptors &descriptors) {
  auto view = cast<SubviewOp>(op);
  auto type = cast<TileBufType>(view.getResult().getType());
  const KnownTile *source = tile(view.getSource());
  values.set(view.getResult(), std::nullopt);
  // How far a compact tile goes depends on its valid extents.
  if (!source || (source->ref.compact && (source->ref.validRows < 0 || source->ref.validCols < 0)))
    return;
  const tile::Extents unit = type.unit();
  const int64_t rows = type.getRows() * unit.rows, cols = type.getCols() * unit.cols;
  auto row = extent(view.getRow(), 0, unit.rows), col = extent(view.getCol(), 0, unit.cols);
  auto fixed = [](int64_t given, int64_t unit, int64_t size) {
    return ShapedType::isDynamic(given) ? size : given * unit;
  };
  auto validRows = view.getValidRow() ? extent(view.getValidRow(), 0, unit.rows)
                                      : std::optional(fixed(type.getValidRows(), unit.rows, rows));
  auto validCols = view.getValidCol() ? extent(view.getValidCol(), 0, unit.cols)
                                      : std::optional(fixed(type.getValidCols(), unit.cols, cols));
  KnownTile made = *source;
  if (row && col) {
    if (descriptors.subview(made.ref, source->ref, *row, *col, rows, cols, validRows.value_or(rows),
                            validCols.value_or(cols)))
      return;
  } else {
    validRows = validCols = std::nullopt; // anywhere in the source
  }
  if (!validRows)
    made.ref.validRows = -1;
  if (!validCols)
    made.ref.validCols = -1;
  set(view.getResult(), made);
}

/// Extents or place of a tile change, or a tile gets another name.
template <typename Op> void Tiles::changed(Op op, const tile::Descriptors &descriptors) {
  if constexpr (std::is_same_v<Op, SetValidShapeOp>) {
    if (!tile(op.getTile()))
      return;
    KnownTile made = *tile(op.getTile());
    auto unit = cast<TileBufType>(op.getTile().getType()).unit();
    auto rows = extent(op.getRows(), 0, unit.rows), cols = extent(op.getCols(), 0, unit.cols);
    descriptors.setValid(made.ref, rows.value_or(0), cols.value_or(0));
    if (!rows)
      made.ref.validRows = -1;
    if (!cols)
      made.ref.validCols = -1;
    set(op.getTile(), made);
  } else if constexpr (std::is_same_v<Op, TAssignOp>) {
    const KnownTile *source = tile(op.getSource());
    auto place = range(op.getAddr());
    values.set(op.getResult(), std::nullopt);
    if (!source || !place)
      return;
    KnownTile made = *source;
    if (made.ref.validRows < 0 || made.ref.validCols < 0)
      made.ref.address = uint32_t(place->first); // where it ends is not known
    else if (descriptors.assign(made.ref, source->ref, place->first))
      return;
    made.reach = uint64_t(place->second) - uint64_t(place->first);
    made.place = placeOf(op.getAddr());
    set(op.getResult(), made);
  } else {
    Value result = op->getNumResults() ? op->getResult(0) : op->getOperand(1);
    const KnownTile *source = tile(op.getSource());
    values.set(result, std::nullopt);
    KnownTile made{cast<TileBufType>(result.getType()).ref()};
    if (!source || descriptors.reshape(made.ref, source->ref))
      return;
    made.reach = source->reach;
    made.place = source->place;
    set(result, made);
  }
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

void Tiles::makeView(Operation *op, const tile::Descriptors &descriptors) {
  auto make = cast<MakeTensorViewOp>(op);
  values.set(make.getResult(), std::nullopt);
  const Known *pointer = values.find(make.getPtr());
  auto place = range(make.getPtr());
  if (!pointer || !pointer->array || !place || make.getShape().size() > kRank)
    return;
  KnownView view{{}, pointer->array, place->first == place->second, place->first, place->second, 0, kEverything};
  view.ref.elem = viewElemOf(cast<TensorViewType>(make.getResult().getType()).getElement());
  view.ref.pointer = reinterpret_cast<void *>(place->first);
  auto fill = [&](int64_t *dims, ValueRange given, int64_t otherwise) {
    std::fill(dims, dims + kRank, otherwise);
    for (auto [i, value] : llvm::enumerate(given)) {
      std::optional<int64_t> number = values.constant(value);
      view.isKnown &= number && *number >= 0;
      dims[kRank - given.size() + i] = std::max<int64_t>(number.value_or(-1), -1);
    }
  };
  fill(view.ref.shape, make.getShape(), 1);
  fill(view.ref.stride, make.getStrides(), 0);
  const bool rank5 = make.getShape().size() == kRank;
  view.ref.layout = make.getLayout() ? uint8_t(make.getLayout()->getNumber())
                    : rank5          ? PTO_LAYOUT_OF_RANK5
                                     : PTO_LAYOUT_OF_OTHERS;
  if (view.isKnown && descriptors.make(view.ref))
    return;
  if (!view.isKnown)
    view.ref.layout = uint8_t(tile::Layout::ND); // not used
  set(make.getResult(), view);
}

void Tiles::partition(Operation *op, const tile::Descriptors &descriptors) {
  auto part = cast<PartitionViewOp>(op);
  const KnownView *source = view(part.getSource());
  values.set(part.getResult(), std::nullopt);
  if (!source)
    return;
  KnownView made = *source;
  int64_t offsets[kRank] = {}, highest[kRank] = {}, sizes[kRank] = {1, 1, 1, 1, 1};
  bool known = made.isKnown, ranges = made.isKnown, bounded = true;
  __int128 begin = made.lowest, last = made.highest;
  const int64_t bits = bitsOf(cast<PartitionTensorViewType>(part.getResult().getType()).getElement());
  __int128 firstBit = 0, lastBit = 0;
  for (auto [i, offset, size] : llvm::enumerate(part.getOffsets(), part.getSizes())) {
    const size_t k = kRank - part.getOffsets().size() + i;
    auto where = range(offset);
    std::optional<int64_t> count = values.constant(size);
    const int64_t stride = made.ref.stride[k];
    known &= where && where->first == where->second && count && *count >= 0;
    ranges &= where && count && *count >= 0;
    offsets[k] = where ? where->first : 0;
    highest[k] = where ? where->second : 0;
    sizes[k] = made.ref.shape[k] = std::max<int64_t>(count.value_or(-1), -1);
    constexpr int64_t kMost = int64_t(1) << 40;
    bounded &= where && count && where->first >= 0 && *count >= 0 && stride >= 0 && where->second < kMost &&
               *count < kMost && stride < kMost;
    if (!bounded)
      continue;
    firstBit += __int128(where->first) * stride * bits;
    lastBit += (__int128(where->second) + std::max<int64_t>(*count, 1) - 1) * stride * bits;
  }
  begin += firstBit / 8;
  last += (lastBit + bits + 7) / 8;
  bounded &= begin >= 0 && last < INT64_MAX;
  made.isKnown = known;
  made.begin = bounded ? uint64_t(begin) : 0;
  made.end = bounded ? uint64_t(last) : kEverything;
  // The first turn of a loop, or the last.
  tile::GlobalRef any;
  if (ranges && !known &&
      (descriptors.part(any, source->ref, offsets, sizes) || descriptors.part(any, source->ref, highest, sizes)))
    return;
  if (known && descriptors.part(made.ref, source->ref, offsets, sizes))
    return;
  if (known)
    made.lowest = made.highest = int64_t(reinterpret_cast<intptr_t>(made.ref.pointer));
  else
    made.lowest = 0, made.highest = INT64_MAX; // a part of a part is not bounded
  set(part.getResult(), made);
}

/// Operations that tell something of a descriptor.
void Tiles::query(Operation *op) {
  for (Value result : op->getResults())
    values.set(result, std::nullopt);
  if (isa<TensorViewAddrOp, GetTensorViewDimOp, GetTensorViewStrideOp>(op)) {
    const KnownView *own = view(op->getOperand(0));
    if (!own)
      return;
    if (!isa<TensorViewAddrOp>(op)) {
      Type type = op->getOperand(0).getType();
      const int64_t rank = isa<TensorViewType>(type) ? cast<TensorViewType>(type).getRank()
                                                     : cast<PartitionTensorViewType>(type).getRank();
      const int64_t *dims = (isa<GetTensorViewDimOp>(op) ? own->ref.shape : own->ref.stride) + kRank - rank;
      if (auto k = values.constant(op->getOperand(1)); k && *k >= 0 && *k < rank && dims[*k] >= 0)
        values.set(op->getResult(0), Known(dims[*k]));
    } else if (own->isKnown) {
      Known pointer(own->lowest);
      pointer.array = own->array;
      values.set(op->getResult(0), pointer);
    }
    return;
  }
  const KnownTile *own = tile(op->getOperand(0));
  if (!own)
    return;
  if (isa<TileBufAddrOp>(op)) {
    if (own->reach == 0 && !own->place)
      values.set(op->getResult(0), Known(own->ref.address));
    return;
  }
  const tile::Extents unit = cast<TileBufType>(op->getOperand(0).getType()).unit();
  auto tell = [&](Value result, int32_t extent, int32_t each) {
    if (extent >= 0)
      values.set(result, Known(extent / each));
  };
  if (!isa<TileValidColsOp>(op))
    tell(op->getResult(0), own->ref.validRows, unit.rows);
  if (!isa<TileValidRowsOp>(op))
    tell(op->getResults().back(), own->ref.validCols, unit.cols);
}

bool Tiles::evaluate(Operation *op, Fact &problem) {
  const tile::Descriptors descriptors(profile, problem);
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](AllocTileOp own) { return alloc(own, own.getResult().getType(), descriptors), true; })
      .Case([&](AllocMultiTileOp own) {
        return alloc(own, cast<MultiTileBufType>(own.getResult().getType()).getTile(), descriptors), true;
      })
      .Case<MultiTileGetOp>([&](auto own) { return slot(own, descriptors), true; })
      .Case<SubviewOp>([&](auto own) { return subview(own, descriptors), true; })
      .Case<BitcastOp, TReshapeOp, TAssignOp, SetValidShapeOp>(
          [&](auto own) { return changed(own, descriptors), true; })
      .Case<MakeTensorViewOp>([&](auto own) { return makeView(own, descriptors), true; })
      .Case<PartitionViewOp>([&](auto own) { return partition(own, descriptors), true; })
      .Case<GetValidShapeOp, TileValidRowsOp, TileValidColsOp, TileBufAddrOp, TensorViewAddrOp, GetTensorViewDimOp,
            GetTensorViewStrideOp>([&](auto own) { return query(own), true; })
      .Default([](Operation *) { return false; });
}

} // namespace ptoscope
