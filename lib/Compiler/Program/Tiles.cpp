//===- Tiles.cpp - tiles, views and tile instructions ---------------------===//
//
// A tile is a descriptor on the stack of the generated function, and so is a view
// of global memory; the value is its address. An instruction hands the addresses of
// its descriptors to the runtime, which issues what the C++ tile API issues.
//
//===----------------------------------------------------------------------===//

#include "Program/ProgramLowering.h"
#include "pto/detail/modes.hpp"
#include "ptoscope/Dialect/PTO/TileInstr.h"
#include "ptoscope/Tile/Runtime.h"

#include <cstring>

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// Stores a descriptor that is known at compile time, word by word.
template <typename Descriptor> static void storeWords(CodeBuilder &b, const Descriptor &descriptor, Value slot) {
  static_assert(sizeof(Descriptor) % 8 == 0);
  uint64_t words[sizeof(Descriptor) / 8];
  std::memcpy(words, &descriptor, sizeof(Descriptor));
  for (auto [i, word] : llvm::enumerate(words))
    b.store(b.const64(int64_t(word)), b.ptrAdd(slot, int64_t(8 * i)), 8);
}

/// The bytes of a descriptor of this type.
static int64_t bytesOf(Type type) {
  return isa<TileBufType, MultiTileBufType>(type) ? sizeof(tile::TileView) : sizeof(tile::GlobalView);
}

/// What the type says, without a place.
void ProgramLowering::storeTile(Value slot, TileBufType type) {
  tile::TileView view{};
  view.ref = type.ref();
  storeWords(b, view, slot);
}
Value ProgramLowering::newTile(Value tile, TileBufType type) {
  Value slot = b.stack(sizeof(tile::TileView), alignof(tile::TileView));
  storeTile(slot, type);
  mapping.map(tile, slot);
  return slot;
}
Value ProgramLowering::newTile(Value tile) { return newTile(tile, cast<TileBufType>(tile.getType())); }

Value ProgramLowering::newView(Value view, Type element) {
  Value slot = b.stack(sizeof(tile::GlobalView), alignof(tile::GlobalView));
  tile::GlobalView global{};
  global.ref.elem = viewElemOf(element);
  for (int64_t &extent : global.ref.shape)
    extent = 1;
  storeWords(b, global, slot);
  mapping.map(view, slot);
  return slot;
}

void ProgramLowering::newHome(Value carried) { mapping.map(carried, b.stack(bytesOf(carried.getType()), 8)); }

void ProgramLowering::assignHomes(ValueRange carried, ValueRange sources) {
  // All are read before one is written: sources may be homes.
  SmallVector<SmallVector<Value>> words;
  for (Value source : sources) {
    SmallVector<Value> &own = words.emplace_back();
    for (int64_t at = 0; at < bytesOf(source.getType()); at += 8)
      own.push_back(b.load(b.i64(), b.ptrAdd(mapped(source), at), 8));
  }
  for (auto [home, own] : llvm::zip(carried, words))
    for (auto [i, word] : llvm::enumerate(own))
      b.store(word, b.ptrAdd(mapped(home), int64_t(8 * i)), 8);
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
  issue(op, "ptosc_tile_alloc",
        {slot, numberOr(op.getAddr(), 0), validRows(op.getValidRow(), type, PTO_EXTENT_UNSET),
         validCols(op.getValidCol(), type, PTO_EXTENT_UNSET)});
  return success();
}
LogicalResult ProgramLowering::lower(AllocTileOp op) {
  return lowerAlloc(op, cast<TileBufType>(op.getResult().getType()));
}
LogicalResult ProgramLowering::lower(AllocMultiTileOp op) {
  return lowerAlloc(op, cast<MultiTileBufType>(op.getResult().getType()).getTile());
}

LogicalResult ProgramLowering::lower(MultiTileGetOp op) {
  Value slot = newTile(op.getResult());
  const int64_t count = cast<MultiTileBufType>(op.getTiles().getType()).getCount();
  issue(op, "ptosc_tile_slot", {slot, mapped(op.getTiles()), mapped64(op.getIndex()), b.const64(count)});
  return success();
}

LogicalResult ProgramLowering::lower(SubviewOp op) {
  auto type = cast<TileBufType>(op.getResult().getType());
  const tile::Extents unit = type.unit();
  const int64_t rows = type.getRows() * unit.rows, cols = type.getCols() * unit.cols;
  Value slot = newTile(op.getResult());
  issue(op, "ptosc_tile_subview",
        {slot, mapped(op.getSource()), scaled(op.getRow(), unit.rows), scaled(op.getCol(), unit.cols), b.const64(rows),
         b.const64(cols), validRows(op.getValidRow(), type, rows), validCols(op.getValidCol(), type, cols)});
  return success();
}

LogicalResult ProgramLowering::lower(BitcastOp op) {
  issue(op, "ptosc_tile_reshape", {newTile(op.getResult()), mapped(op.getSource())});
  return success();
}

/// With a target, that tile is bound to the bytes of the source.
LogicalResult ProgramLowering::lower(TReshapeOp op) {
  Value slot;
  if (op.getTarget())
    storeTile(slot = mapped(op.getTarget()), cast<TileBufType>(op.getTarget().getType()));
  else
    slot = newTile(op.getResult());
  issue(op, "ptosc_tile_reshape", {slot, mapped(op.getSource())});
  return success();
}

LogicalResult ProgramLowering::lower(TAssignOp op) {
  issue(op, "ptosc_tile_assign", {newTile(op.getResult()), mapped(op.getSource()), mapped64(op.getAddr())});
  return success();
}

LogicalResult ProgramLowering::lower(SetValidShapeOp op) {
  auto type = cast<TileBufType>(op.getTile().getType());
  issue(op, "ptosc_tile_valid",
        {mapped(op.getTile()), validRows(op.getRows(), type, 0), validCols(op.getCols(), type, 0)});
  return success();
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
LogicalResult ProgramLowering::lower(TileValidRowsOp op) {
  mapping.map(op.getResult(), extentOf(op.getTile(), true));
  return success();
}
LogicalResult ProgramLowering::lower(TileValidColsOp op) {
  mapping.map(op.getResult(), extentOf(op.getTile(), false));
  return success();
}

LogicalResult ProgramLowering::lower(TileBufAddrOp op) {
  const int64_t offset = offsetof(tile::TileView, ref) + offsetof(tile::TileRef, address);
  Value address = b.load(b.i32(), b.ptrAdd(mapped(op.getTile()), offset), 4);
  mapping.map(op.getResult(), b.create<arith::ExtUIOp>(b.loc, b.i64(), address));
  return success();
}

LogicalResult ProgramLowering::lower(TPrintOp op) {
  if (!isa<TileBufType>(op.getValue().getType()))
    return emitCoded(op->emitError(), "not-modelled") << "`pto.tprint` of a view is not modelled";
  issue(op, "ptosc_tile_print", {mapped(op.getValue())});
  return success();
}

/// ORDER-11: a barrier where the program orders itself.
LogicalResult ProgramLowering::lower(TSyncOp op) {
  if (!op->hasAttr(kAutomaticAttr))
    issue(op, "ptosc_barrier", {b.const32(unsigned(Pipe::All))});
  return success();
}

LogicalResult ProgramLowering::lower(TGetValOp op) {
  Value bits = b.stack(8, 8);
  issue(op, "ptosc_tile_get", {mapped(op.getTile()), mapped64(op.getIndex()), bits});
  mapping.map(op.getValue(), b.fromBits(b.load(b.i64(), bits, 8), lowered(op.getValue().getType())));
  return success();
}
LogicalResult ProgramLowering::lower(TSetValOp op) {
  issue(op, "ptosc_tile_set", {mapped(op.getTile()), mapped64(op.getIndex()), b.toBits(mapped(op.getValue()))});
  return success();
}

//===----------------------------------------------------------------------===//
// Views of global memory
//===----------------------------------------------------------------------===//

static constexpr int64_t kViewPointer = offsetof(tile::GlobalView, ref) + offsetof(tile::GlobalRef, pointer),
                         kViewLayout = offsetof(tile::GlobalView, ref) + offsetof(tile::GlobalRef, layout),
                         kViewShape = offsetof(tile::GlobalView, ref) + offsetof(tile::GlobalRef, shape),
                         kViewStride = offsetof(tile::GlobalView, ref) + offsetof(tile::GlobalRef, stride);
static constexpr int64_t kMaxRank = 5;

/// Numbers of a list, aligned to the right of five.
void ProgramLowering::storeDims(Value array, ValueRange values) {
  for (auto [i, value] : llvm::enumerate(values))
    b.store(mapped64(value), b.ptrAdd(array, 8 * (kMaxRank - int64_t(values.size()) + int64_t(i))), 8);
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
  Value slot = newView(op.getResult(), cast<TensorViewType>(op.getResult().getType()).getElement());
  b.store(mapped(op.getPtr()), b.ptrAdd(slot, kViewPointer), 8);
  storeDims(b.ptrAdd(slot, kViewShape), op.getShape());
  storeDims(b.ptrAdd(slot, kViewStride), op.getStrides());
  // Without the attribute the runtime chooses by extents and strides.
  const unsigned inferred = op.getShape().size() == kMaxRank ? PTO_LAYOUT_OF_RANK5 : PTO_LAYOUT_OF_OTHERS;
  const unsigned layout = op.getLayout() ? op.getLayout()->getNumber() : inferred;
  b.store(b.create<arith::ConstantIntOp>(b.loc, layout, 8), b.ptrAdd(slot, kViewLayout), 1);
  issue(op, "ptosc_view_make", {slot});
  return success();
}

LogicalResult ProgramLowering::lower(PartitionViewOp op) {
  auto type = cast<PartitionTensorViewType>(op.getResult().getType());
  Type element = type.getElement();
  failUnlessFixed(op, op.getSizes(), type.getShape());
  Value slot = newView(op.getResult(), element), offsets = b.stack(8 * kMaxRank, 8), sizes = b.stack(8 * kMaxRank, 8);
  for (int64_t i = 0; i < kMaxRank - int64_t(op.getOffsets().size()); ++i) {
    b.store(b.const64(0), b.ptrAdd(offsets, 8 * i), 8);
    b.store(b.const64(1), b.ptrAdd(sizes, 8 * i), 8);
  }
  storeDims(offsets, op.getOffsets());
  storeDims(sizes, op.getSizes());
  issue(op, "ptosc_view_part", {slot, mapped(op.getSource()), offsets, sizes});
  return success();
}

/// Extent or stride of a dimension that the program computes.
LogicalResult ProgramLowering::lowerViewQuery(Operation *op, bool stride) {
  Type type = op->getOperand(0).getType();
  const int64_t rank =
      isa<TensorViewType>(type) ? cast<TensorViewType>(type).getRank() : cast<PartitionTensorViewType>(type).getRank();
  Value index = mapped64(op->getOperand(1));
  Value bad = b.cmp(arith::CmpIPredicate::uge, index, b.const64(rank));
  failIf(op, bad, PTO_FAIL_OPERAND, index);
  Value at = b.add(b.select(bad, b.const64(0), index), b.const64(kMaxRank - rank));
  Value offset = b.add(b.mul(at, b.const64(8)), b.const64(stride ? kViewStride : kViewShape));
  mapping.map(op->getResult(0), b.load(b.i64(), b.ptrAdd(mapped(op->getOperand(0)), offset), 8));
  return success();
}
LogicalResult ProgramLowering::lower(TensorViewAddrOp op) {
  mapping.map(op.getResult(), b.load(b.i64(), b.ptrAdd(mapped(op.getView()), kViewPointer), 8));
  return success();
}

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

/// The dual modes of a move halve the source between the two vector cores.
Value ProgramLowering::modeOf(const TileBinding &binding) {
  using tile::AccToVecMode, tile::Part;
  auto with = [&](Part part) {
    tile::MoveMode mode = tile::MoveMode::unpack(binding.mode);
    mode.part = part;
    return b.const32(mode.pack());
  };
  const auto split = AccToVecMode(binding.split);
  if (split != AccToVecMode::DualModeSplitM && split != AccToVecMode::DualModeSplitN)
    return b.const32(binding.mode);
  const bool rows = split == AccToVecMode::DualModeSplitM;
  Value subblock = b.load(b.i64(), b.ptrAdd(b.context, abi::kSubblockIdx));
  return b.select(b.cmp(arith::CmpIPredicate::eq, subblock, b.const64(0)),
                  with(rows ? Part::FirstRows : Part::FirstCols), with(rows ? Part::LastRows : Part::LastCols));
}

LogicalResult ProgramLowering::lowerTileInstr(Operation *op) {
  FailureOr<TileBinding> bound = TileInstr(op).bind();
  if (failed(bound))
    return failure();
  Value call = b.stack(sizeof(PtoTileCall), alignof(PtoTileCall));
  auto store32 = [&](size_t offset, uint32_t value) { b.store(b.const32(value), b.ptrAdd(call, int64_t(offset)), 4); };
  store32(offsetof(PtoTileCall, record), bound->form->recordNumber);
  b.store(modeOf(*bound), b.ptrAdd(call, offsetof(PtoTileCall, mode)), 4);
  store32(offsetof(PtoTileCall, tiles), uint32_t(bound->tiles.size()));
  store32(offsetof(PtoTileCall, automatic), op->hasAttr(kAutomaticAttr));
  for (auto [i, tile] : llvm::enumerate(bound->tiles))
    b.store(mapped(tile), b.ptrAdd(call, int64_t(offsetof(PtoTileCall, tile) + 8 * i)), 8);
  b.store(bound->view ? mapped(bound->view) : b.nullPtr(), b.ptrAdd(call, offsetof(PtoTileCall, global)), 8);
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
    scalars[1] = b.const64(*bound->offset);
  for (auto [i, scalar] : llvm::enumerate(scalars))
    b.store(scalar ? scalar : b.const64(0), b.ptrAdd(call, int64_t(offsetof(PtoTileCall, scalar) + 8 * i)), 8);
  issue(op, "ptosc_tile", {call});
  return success();
}

void ProgramLowering::beforeAutomatic(Operation *op) {
  if (!isa<TileInstr>(op))
    issue(op, "ptosc_tile_order", {});
}
