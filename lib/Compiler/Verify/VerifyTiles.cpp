//===- VerifyTiles.cpp - operands of tile instructions --------------------===//
//
// The runtime refuses elements, memories, layouts and extents that an instruction
// does not take. It is asked before a run, with what types say.
//
//===----------------------------------------------------------------------===//

#include "Verify/VerifyTiles.h"
#include "pto/detail/bits.hpp"
#include "pto/detail/layout.hpp"
#include "ptoscope/Tile/Runtime.h"

#include <algorithm>

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Extents that a type leaves open are negative.
static bool describe(Type type, tile::GlobalView &view) {
  ArrayRef<int64_t> shape;
  if (auto part = dyn_cast<PartitionTensorViewType>(type)) {
    shape = part.getShape();
    view.ref.elem = viewElemOf(part.getElement());
  } else if (auto whole = dyn_cast<TensorViewType>(type)) {
    shape = whole.getShape();
    view.ref.elem = viewElemOf(whole.getElement());
  } else {
    return false;
  }
  std::fill(std::begin(view.ref.shape), std::end(view.ref.shape), 1);
  int64_t *extent = std::end(view.ref.shape) - shape.size();
  for (int64_t given : shape)
    *extent++ = ShapedType::isDynamic(given) ? -1 : given;
  return true;
}

namespace {
/// The call as far as types tell.
struct StaticCall {
  PtoTileCall call{};
  tile::TileView tiles[tile::kMaxTiles] = {};
  tile::GlobalView view{};
  tile::Rules rules;
  bool scalars = true; ///< those that count are known

  StaticCall(const TileBinding &bound, const Profile &profile)
      : rules(profile.id == ProfileId::A5 ? tile::Rules::Text : tile::Rules::TextOfA3) {
    call.record = bound.form->recordNumber;
    call.mode = bound.mode;
    call.tiles = uint32_t(bound.tiles.size());
    call.scalar[tile::kAlgorithmScalar] = bound.precise;
    for (auto [i, tile] : llvm::enumerate(bound.tiles)) {
      tiles[i].ref = cast<TileBufType>(tile.getType()).ref();
      // A tile that stands twice is at one address.
      tiles[i].ref.address = uint32_t(32 * (llvm::find(bound.tiles, tile) - bound.tiles.begin()));
      call.tile[i] = &tiles[i];
    }
    for (const TileBinding::Scalar &scalar : bound.scalars)
      if (scalar.slot.kind == TileSlot::Integer || scalar.slot.kind == TileSlot::Word) {
        APInt value;
        if (matchPattern(scalar.value, m_ConstantInt(&value)))
          call.scalar[scalar.slot.index] = uint64_t(value.getSExtValue());
        else if (scalar.slot.kind == TileSlot::Integer)
          scalars = false;
      }
    if (bound.view && describe(bound.view.getType(), view))
      call.global = &view;
  }
};
} // namespace

Pipe ptoscope::pipeOfTile(const TileBinding &bound, const Profile &profile) {
  StaticCall made(bound, profile);
  return tile::staticPipe(made.call, made.rules);
}

/// The error of a fact, if there is one.
static LogicalResult told(Operation *op, const Fact &fact) {
  if (!fact.code)
    return success();
  const Finding finding = findingOf(fact, {}, ("`" + op->getName().getStringRef() + "`").str());
  InFlightDiagnostic diag = emitCoded(op->emitError(), finding.code) << finding.message;
  if (!finding.help.empty())
    diag << "; " << finding.help;
  return diag;
}

LogicalResult ptoscope::verifyTileInstr(Operation *op, const Profile &profile) {
  FailureOr<TileBinding> bound = TileInstr(op).bind(/*emits=*/false);
  if (failed(bound))
    return success(); // refused already
  StaticCall made(*bound, profile);
  const Fact fact =
      bound->view && !made.call.global ? Fact{} : tile::staticProblem(made.call, made.rules, made.scalars);
  return told(op, fact);
}

LogicalResult ptoscope::verifyTilePlace(Operation *op, const Profile &profile) {
  Value address;
  TileBufType type;
  int64_t tiles = 1;
  if (auto alloc = dyn_cast<AllocTileOp>(op)) {
    address = alloc.getAddr();
    type = cast<TileBufType>(alloc.getResult().getType());
  } else if (auto alloc = dyn_cast<AllocMultiTileOp>(op)) {
    auto many = cast<MultiTileBufType>(alloc.getResult().getType());
    address = alloc.getAddr();
    type = many.getTile();
    tiles = many.getCount();
  } else if (auto assign = dyn_cast<TAssignOp>(op)) {
    address = assign.getAddr();
    type = cast<TileBufType>(assign.getResult().getType());
  }
  APInt number;
  if (!address || !matchPattern(address, m_ConstantInt(&number)))
    return success();
  tile::TileRef ref = type.ref();
  // Extents that are not known may be 0.
  ref.validRows = std::max(ref.validRows, 0);
  ref.validCols = std::max(ref.validCols, 0);
  const int64_t bytes = tile::bytesFor(ref.elem, int64_t(ref.rows) * ref.cols),
                size = profile.bytes[size_t(type.getSpace())];
  for (int64_t k = 0; k < tiles; ++k)
    if (const Fact fact = tile::placeProblem(ref, number.getSExtValue() + k * bytes, size); fact.code)
      return told(op, fact);
  return success();
}
