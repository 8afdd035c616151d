//===- Tiles.cpp - tiles, views and tile instructions ---------------------===//
//
// A tile is a descriptor on the stack of the generated function, and so is a view
// of global memory; the value is its address. An instruction hands the addresses of
// its descriptors to the runtime, which issues what the C++ tile API issues.
//
//===----------------------------------------------------------------------===//

#include "Program/Image.h"
#include "Program/ProgramLowering.h"
#include "pto/detail/bits.hpp"
#include "pto/detail/modes.hpp"
#include "ptoscope/Compiler/Looks.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"
#include "ptoscope/Tile/Runtime.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// The bytes of a descriptor of this type.
static int64_t bytesOf(Type type) {
  return isa<TileBufType, MultiTileBufType>(type) ? sizeof(tile::TileView) : sizeof(tile::GlobalView);
}

/// What the type says, without a place.
void ProgramLowering::storeTile(Value slot, TileBufType type) {
  tile::TileView view{};
  view.ref = type.ref();
  Image(view).write(b, slot);
}
Value ProgramLowering::newSlot(Value value) {
  Value slot = b.stack(bytesOf(value.getType()), 8);
  mapping.map(value, slot);
  return slot;
}
Value ProgramLowering::newTile(Value tile, Type type) {
  Value slot = newSlot(tile);
  storeTile(slot, cast<TileBufType>(type));
  return slot;
}

/// A slot that is free again behind the next call.
Value ProgramLowering::scratch(Value &slot, int64_t bytes) { return slot ? slot : slot = b.stack(bytes, 8); }

void ProgramLowering::newHome(Value carried) { newSlot(carried); }

void ProgramLowering::assignHomes(ValueRange carried, ValueRange sources) {
  // All are read before one is written: sources may be homes.
  SmallVector<Value> copies;
  for (Value source : sources) {
    const int64_t bytes = bytesOf(source.getType());
    copies.push_back(sources.size() == 1 ? mapped(source) : b.stack(bytes, 8));
    if (copies.back() != mapped(source))
      b.copy(copies.back(), mapped(source), bytes);
  }
  for (auto [home, copy] : llvm::zip(carried, copies))
    b.copy(mapped(home), copy, bytesOf(home.getType()));
}

void ProgramLowering::shareHome(Value result, Value carried) { mapping.map(result, mapped(carried)); }

/// The value of an operand, or a constant if it is absent.
Value ProgramLowering::numberOr(Value value, int64_t otherwise) {
  return value ? mapped64(value) : b.const64(otherwise);
}

/// A number of the program times a small one. It is far outside of any tile before the product is more than 64 bits.
Value ProgramLowering::scaled(Value number, int64_t unit) {
  if (unit == 1)
    return mapped64(number);
  constexpr int64_t kFar = int64_t(1) << 48;
  Value limited = b.create<arith::MinSIOp>(b.loc, mapped64(number), b.const64(kFar));
  return b.mul(b.create<arith::MaxSIOp>(b.loc, limited, b.const64(-kFar)), b.const64(unit));
}

/// A valid extent in elements of storage: what the program computes, what the type
/// gives, or `otherwise`. Text counts pairs of 4-bit elements once (TATTR-2).
Value ProgramLowering::validExtent(Value computed, int64_t given, int64_t unit, int64_t otherwise) {
  if (computed)
    return scaled(computed, unit);
  return b.const64(ShapedType::isDynamic(given) ? otherwise : given * unit);
}
Value ProgramLowering::validRows(Value computed, TileBufType type, int64_t otherwise) {
  return validExtent(computed, type.getValidRows(), type.unit().rows, otherwise);
}
Value ProgramLowering::validCols(Value computed, TileBufType type, int64_t otherwise) {
  return validExtent(computed, type.getValidCols(), type.unit().cols, otherwise);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

template <typename Op> LogicalResult ProgramLowering::lowerAlloc(Op op, TileBufType type) {
  Value slot = newTile(op.getResult(), type);
  return issue(op, "ptosc_tile_alloc",
               {slot, numberOr(op.getAddr(), 0), validRows(op.getValidRow(), type, PTO_EXTENT_UNSET),
                validCols(op.getValidCol(), type, PTO_EXTENT_UNSET)});
}
LogicalResult ProgramLowering::lower(AllocTileOp op) {
  return lowerAlloc(op, cast<TileBufType>(op.getResult().getType()));
}
LogicalResult ProgramLowering::lower(AllocMultiTileOp op) {
  return lowerAlloc(op, cast<MultiTileBufType>(op.getResult().getType()).getTile());
}

LogicalResult ProgramLowering::lower(MultiTileGetOp op) {
  Value slot = newSlot(op.getResult());
  const int64_t count = cast<MultiTileBufType>(op.getTiles().getType()).getCount();
  return issue(op, "ptosc_tile_slot", {slot, mapped(op.getTiles()), mapped64(op.getIndex()), b.const64(count)});
}

LogicalResult ProgramLowering::lower(SubviewOp op) {
  auto type = cast<TileBufType>(op.getResult().getType());
  const tile::Extents unit = type.unit();
  const int64_t rows = type.getRows() * unit.rows, cols = type.getCols() * unit.cols;
  Value slot = newSlot(op.getResult());
  return issue(op, "ptosc_tile_subview",
               {slot, mapped(op.getSource()), scaled(op.getRow(), unit.rows), scaled(op.getCol(), unit.cols),
                b.const64(rows), b.const64(cols), validRows(op.getValidRow(), type, rows),
                validCols(op.getValidCol(), type, cols)});
}

LogicalResult ProgramLowering::lower(BitcastOp op) {
  return issue(op, "ptosc_tile_reshape", {newTile(op.getResult(), op.getResult().getType()), mapped(op.getSource())});
}

/// With a target, that tile is bound to the bytes of the source.
LogicalResult ProgramLowering::lower(TReshapeOp op) {
  Value slot;
  if (op.getTarget())
    storeTile(slot = mapped(op.getTarget()), cast<TileBufType>(op.getTarget().getType()));
  else
    slot = newTile(op.getResult(), op.getResult().getType());
  return issue(op, "ptosc_tile_reshape", {slot, mapped(op.getSource())});
}

LogicalResult ProgramLowering::lower(TAssignOp op) {
  return issue(op, "ptosc_tile_assign", {newSlot(op.getResult()), mapped(op.getSource()), mapped64(op.getAddr())});
}

LogicalResult ProgramLowering::lower(SetValidShapeOp op) {
  auto type = cast<TileBufType>(op.getTile().getType());
  return issue(op, "ptosc_tile_valid",
               {mapped(op.getTile()), validRows(op.getRows(), type, 0), validCols(op.getCols(), type, 0)});
}

/// An extent of a tile, as an index.
Value ProgramLowering::extentOf(Value tile, bool rows) {
  const int64_t offset = int64_t(offsetof(tile::TileView, ref)) +
                         int64_t(rows ? offsetof(tile::TileRef, validRows) : offsetof(tile::TileRef, validCols));
  const tile::Extents unit = cast<TileBufType>(tile.getType()).unit();
  Value extent = b.toI64(b.load(b.i32(), b.ptrAdd(mapped(tile), offset), 4));
  const int64_t each = rows ? unit.rows : unit.cols;
  return each == 1 ? extent : b.create<arith::DivSIOp>(b.loc, extent, b.const64(each));
}
LogicalResult ProgramLowering::lower(GetValidShapeOp op) {
  mapping.map(op.getRows(), extentOf(op.getTile(), true));
  mapping.map(op.getCols(), extentOf(op.getTile(), false));
  return success();
}
LogicalResult ProgramLowering::lower(TileValidRowsOp op) { return give(op, extentOf(op.getTile(), true)); }
LogicalResult ProgramLowering::lower(TileValidColsOp op) { return give(op, extentOf(op.getTile(), false)); }

LogicalResult ProgramLowering::lower(TileBufAddrOp op) {
  const int64_t offset = offsetof(tile::TileView, ref) + offsetof(tile::TileRef, address);
  Value address = b.load(b.i32(), b.ptrAdd(mapped(op.getTile()), offset), 4);
  return give(op, b.create<arith::ExtUIOp>(b.loc, b.i64(), address));
}

LogicalResult ProgramLowering::lower(TPrintOp op) {
  Value value = op.getValue();
  if (op->hasAttr(kLookAttr)) {
    isDescriptor(value.getType()) ? look(op, mapped(value)) : lookAtScalar(op);
    return success();
  }
  if (isa<TileBufType>(value.getType()))
    return issue(op, "ptosc_tile_print", {mapped(value)});
  return issue(op, "ptosc_view_print", {mapped(value), b.const32(rankOf(value.getType()))});
}

LogicalResult ProgramLowering::lower(PrintOp op) {
  Type type = op.getValue().getType();
  std::optional<ElementType> element = scalarElementOf(type);
  if (!element)
    return emitCoded(op->emitError(), "not-modelled") << "`pto.print` of " << type << " is not modelled";
  b.run("ptosc_print", {b.context, constSite(op), b.const32(unsigned(*element)), b.toBits(mapped(op.getValue()))});
  return success();
}

/// ORDER-11: a barrier where the program orders itself.
LogicalResult ProgramLowering::lower(TSyncOp op) {
  return op->hasAttr(kAutomaticAttr) ? success() : issue(op, "ptosc_barrier", {b.const32(unsigned(Pipe::All))});
}

LogicalResult ProgramLowering::lower(TGetValOp op) {
  Value bits = b.stack(8, 8);
  (void)issue(op, "ptosc_tile_get", {mapped(op.getTile()), mapped64(op.getIndex()), bits});
  return give(op, b.fromBits(b.load(b.i64(), bits, 8), lowered(op.getValue().getType())));
}
LogicalResult ProgramLowering::lower(TSetValOp op) {
  return issue(op, "ptosc_tile_set", {mapped(op.getTile()), mapped64(op.getIndex()), b.toBits(mapped(op.getValue()))});
}

//===----------------------------------------------------------------------===//
// Views of global memory
//===----------------------------------------------------------------------===//

static constexpr int64_t kViewPointer = offsetof(tile::GlobalView, ref) + offsetof(tile::GlobalRef, pointer),
                         kViewShape = offsetof(tile::GlobalView, ref) + offsetof(tile::GlobalRef, shape),
                         kViewStride = offsetof(tile::GlobalView, ref) + offsetof(tile::GlobalRef, stride);
static constexpr int64_t kMaxRank = 5;

/// Numbers of a list, aligned to the right of five.
template <typename Image> void ProgramLowering::setDims(Image &image, int64_t offset, ValueRange values) {
  offset += 8 * (kMaxRank - int64_t(values.size()));
  for (Value value : values) {
    if (std::optional<int64_t> known = getConstantIntValue(value))
      image.set(offset, *known);
    else
      image.set(offset, mapped64(value));
    offset += 8;
  }
}

/// VIEW-4: numbers where the type fixes another one.
void ProgramLowering::failUnlessFixed(Operation *op, ValueRange values, ArrayRef<int64_t> fixed) {
  for (auto [value, extent] : llvm::zip(values, fixed))
    if (!ShapedType::isDynamic(extent) && !matchPattern(value, m_Constant()))
      failIf(op, b.cmp(arith::CmpIPredicate::ne, mapped64(value), b.const64(extent)), PTO_FAIL_OPERAND,
             mapped64(value));
}

LogicalResult ProgramLowering::lower(MakeTensorViewOp op) {
  failUnlessFixed(op, op.getShape(), cast<TensorViewType>(op.getResult().getType()).getShape());
  tile::GlobalView view{};
  view.ref.elem = viewElemOf(cast<TensorViewType>(op.getResult().getType()).getElement());
  // Without the attribute the runtime chooses by extents and strides.
  const unsigned inferred = op.getShape().size() == kMaxRank ? PTO_LAYOUT_OF_RANK5 : PTO_LAYOUT_OF_OTHERS;
  view.ref.layout = uint8_t(op.getLayout() ? op.getLayout()->getNumber() : inferred);
  std::fill(std::begin(view.ref.shape), std::end(view.ref.shape), 1);
  Image image(view);
  image.set(kViewPointer, mapped(op.getPtr()));
  setDims(image, kViewShape, op.getShape());
  setDims(image, kViewStride, op.getStrides());
  Value slot = newSlot(op.getResult());
  image.write(b, slot);
  return issue(op, "ptosc_view_make", {slot});
}

LogicalResult ProgramLowering::lower(PartitionViewOp op) {
  failUnlessFixed(op, op.getSizes(), cast<PartitionTensorViewType>(op.getResult().getType()).getShape());
  struct {
    int64_t offsets[kMaxRank] = {}, sizes[kMaxRank] = {1, 1, 1, 1, 1};
  } part;
  constexpr int64_t kSizes = sizeof(part.offsets);
  Image image(part);
  setDims(image, 0, op.getOffsets());
  setDims(image, kSizes, op.getSizes());
  Value numbers;
  if (image.isConstant())
    numbers = image.constant(b);
  else
    image.write(b, numbers = scratch(partSlot, sizeof(part)));
  return issue(op, "ptosc_view_part",
               {newSlot(op.getResult()), mapped(op.getSource()), numbers, b.ptrAdd(numbers, kSizes)});
}

/// Extent or stride of a dimension that the program computes.
LogicalResult ProgramLowering::lowerViewQuery(Operation *op, bool stride) {
  const int64_t rank = rankOf(op->getOperand(0).getType());
  Value index = mapped64(op->getOperand(1));
  Value bad = b.cmp(arith::CmpIPredicate::uge, index, b.const64(rank));
  failIf(op, bad, PTO_FAIL_OPERAND, index);
  Value at = b.add(b.select(bad, b.const64(0), index), b.const64(kMaxRank - rank));
  Value offset = b.add(b.mul(at, b.const64(8)), b.const64(stride ? kViewStride : kViewShape));
  return give(op, b.load(b.i64(), b.ptrAdd(mapped(op->getOperand(0)), offset), 8));
}
Value ProgramLowering::viewAddress(Value view) { return b.load(b.i64(), b.ptrAdd(mapped(view), kViewPointer), 8); }

LogicalResult ProgramLowering::lower(TensorViewAddrOp op) { return give(op, viewAddress(op.getView())); }

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// The bits of a scalar as an element of a tile.
Value ProgramLowering::elementBits(Value scalar, Type element) {
  Value value = mapped(scalar);
  Type from = scalar.getType();
  if (!isa<FloatType>(from) || !isa<FloatType>(element) || from == element)
    return b.toBits(value);
  // bf16 is carried by its bits.
  if (from.isBF16())
    value = widenBf16(value);
  if (element.isBF16())
    return b.toBits(roundBf16(value.getType().isF32() ? value : b.create<arith::ExtFOp>(b.loc, b.getF32Type(), value)));
  if (value.getType() == element)
    return b.toBits(value);
  if (cast<FloatType>(value.getType()).getWidth() > cast<FloatType>(element).getWidth())
    return b.toBits(b.create<arith::TruncFOp>(b.loc, element, value));
  return b.toBits(b.create<arith::ExtFOp>(b.loc, element, value));
}

/// The dual modes of a move halve the source between the two vector cores; null: the mode
/// is known now.
Value ProgramLowering::modeOf(const TileBinding &binding) {
  using tile::AccToVecMode, tile::Part;
  auto with = [&](Part part) {
    tile::MoveMode mode = tile::MoveMode::unpack(binding.mode);
    mode.part = part;
    return b.const32(mode.pack());
  };
  const auto split = AccToVecMode(binding.split);
  if (split != AccToVecMode::DualModeSplitM && split != AccToVecMode::DualModeSplitN)
    return nullptr;
  const bool rows = split == AccToVecMode::DualModeSplitM;
  Value subblock = b.load(b.i64(), b.ptrAdd(b.context, abi::kSubblockIdx));
  return b.select(b.cmp(arith::CmpIPredicate::eq, subblock, b.const64(0)),
                  with(rows ? Part::FirstRows : Part::FirstCols), with(rows ? Part::LastRows : Part::LastCols));
}

LogicalResult ProgramLowering::lowerTileInstr(Operation *op) {
  FailureOr<TileBinding> bound = TileInstr(op).bind();
  if (failed(bound))
    return failure();
  PtoTileCall known{};
  known.record = bound->form->recordNumber;
  known.mode = bound->mode;
  known.tiles = uint32_t(bound->tiles.size());
  known.automatic = op->hasAttr(kAutomaticAttr);
  known.scalar[tile::kAlgorithmScalar] = bound->precise;
  Image call(known);
  if (Value mode = modeOf(*bound))
    call.set(offsetof(PtoTileCall, mode), mode);
  for (auto [i, tile] : llvm::enumerate(bound->tiles))
    call.set(int64_t(offsetof(PtoTileCall, tile) + 8 * i), mapped(tile));
  if (bound->view)
    call.set(offsetof(PtoTileCall, global), mapped(bound->view));
  Value scalars[tile::kMaxScalars] = {};
  for (const TileBinding::Scalar &scalar : bound->scalars) {
    auto element = [&](size_t i) { return cast<TileBufType>(bound->tiles[i].getType()).getElement(); };
    switch (scalar.slot.kind) {
    case TileSlot::Element:
      scalars[0] = elementBits(scalar.value, element(0));
      break;
    case TileSlot::SourceElement:
      scalars[0] = elementBits(scalar.value, element(bound->form->ins[0].index));
      break;
    case TileSlot::Float:
      scalars[0] = elementBits(scalar.value, b.getF32Type());
      break;
    case TileSlot::HalfScalar: {
      Value half = b.andi(b.toI64(mapped(scalar.value)), b.const64(0xFFFFFFFF));
      Value &word = scalars[scalar.slot.index / 2];
      word = scalar.slot.index % 2 ? b.ori(word, b.create<arith::ShLIOp>(b.loc, half, b.const64(32))) : half;
      break;
    }
    default:
      scalars[scalar.slot.index] = mapped64(scalar.value);
    }
  }
  if (bound->offset)
    call.set(offsetof(PtoTileCall, scalar) + 8, *bound->offset);
  for (auto [i, scalar] : llvm::enumerate(scalars))
    if (scalar)
      call.set(int64_t(offsetof(PtoTileCall, scalar) + 8 * i), scalar);
  Value slot = scratch(callSlot, sizeof(PtoTileCall));
  call.write(b, slot);
  return issue(op, "ptosc_tile", {slot});
}

void ProgramLowering::beforeAutomatic(Operation *op) {
  if (!isa<TileInstr>(op))
    (void)issue(op, "ptosc_tile_order", {});
}
