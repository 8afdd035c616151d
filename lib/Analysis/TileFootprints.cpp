//===- TileFootprints.cpp - bytes a tile instruction touches --------------===//
//
// The record of an instruction says what it touches of descriptors that are known
// (tile::staticFootprint). One that is not known has a stand-in there, and may touch
// anything of its tile, its array or its memory.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "pto/detail/bits.hpp"
#include "ptoscope/Machine/TileSentences.h"

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {

/// Its memory, or the place that its address counts from.
static uint32_t storageOf(const KnownTile *tile, Space space) {
  return tile && tile->place ? kFirstArray + tile->place : uint32_t(space);
}

Piece Footprints::wholeTile(Operation *op, Value tile, bool writes) const {
  const KnownTile *known = tiles.tile(tile);
  const uint32_t storage = storageOf(known, cast<TileBufType>(tile.getType()).getSpace());
  if (!known)
    return somewhere(op, storage, writes);
  const uint64_t begin = known->ref.address;
  return somewhere(op, storage, writes, begin, begin + known->reach + uint64_t(tile::storageBytes(known->ref)));
}

Piece Footprints::wholeView(Operation *op, Value view, bool writes) const {
  const KnownView *known = tiles.view(view);
  return known ? somewhere(op, kFirstArray + known->array, writes, known->begin, known->end)
               : somewhere(op, uint32_t(Space::Gm), writes);
}

/// Numbers as lowering hands them over; false where one is not known that matters.
bool Footprints::setScalars(const TileBinding &bound, PtoTileCall &call) const {
  bool known = true;
  call.scalar[tile::kAlgorithmScalar] = bound.precise;
  for (const TileBinding::Scalar &scalar : bound.scalars) {
    const TileSlot &slot = scalar.slot;
    if (slot.kind != TileSlot::Integer && slot.kind != TileSlot::HalfScalar && slot.kind != TileSlot::Word)
      continue; // what is computed with does not change the bytes
    std::optional<int64_t> number = values.constant(scalar.value);
    known &= number.has_value() || slot.kind == TileSlot::Word;
    const auto bits = uint64_t(number.value_or(0));
    if (slot.kind == TileSlot::HalfScalar)
      call.scalar[slot.index / 2] |= (bits & 0xFFFFFFFF) << (slot.index % 2 ? 32 : 0);
    else
      call.scalar[slot.index] = bits;
  }
  if (bound.offset)
    call.scalar[1] = uint64_t(*bound.offset);
  return known || tile::ignoresScalars(call.record);
}

/// A view of the same shape somewhere; without one, of the shape of the tile.
static tile::GlobalRef standIn(const KnownView *view, Type type, const tile::TileRef &tile) {
  tile::GlobalRef ref{};
  ref.elem = viewElemOf(cast<PartitionTensorViewType>(type).getElement());
  int64_t shape[] = {1, 1, 1, tile.validRows, tile.validCols}, product = 1;
  std::copy(shape, std::end(shape), ref.shape);
  if (view && view->hasShape())
    std::copy(view->ref.shape, std::end(view->ref.shape), ref.shape);
  for (int k = 4; k >= 0; --k) {
    ref.stride[k] = product;
    product = tile::extentProduct(product, std::max<int64_t>(ref.shape[k], 1));
  }
  return ref;
}

Pipe Footprints::tileInstruction(Operation *op, bool certain, Pieces &pieces) {
  FailureOr<TileBinding> bound = TileInstr(op).bind(/*emits=*/false);
  if (failed(bound))
    return Pipe::S; // refused before
  const tile::Record &record = *bound->form->record;
  const auto rules = profile.id == ProfileId::A5 ? tile::Rules::Text : tile::Rules::TextOfA3;
  const bool stores = record.gm == tile::Gm::Store;
  PtoTileCall call{};
  call.record = bound->form->recordNumber;
  call.mode = bound->mode;
  call.tiles = uint32_t(bound->tiles.size());
  // The halves of a dual move go to two cores.
  bool known = setScalars(*bound, call) && bound->split == 0, placed = true;
  tile::TileView views[tile::kMaxTiles] = {};
  for (auto [i, value] : llvm::enumerate(bound->tiles)) {
    const KnownTile *own = tiles.tile(value);
    views[i].ref = own ? own->ref : cast<TileBufType>(value.getType()).ref();
    call.tile[i] = &views[i];
    known &= views[i].ref.validRows >= 0 && views[i].ref.validCols >= 0;
    placed &= own && own->reach == 0;
  }
  tile::GlobalView view{};
  const KnownView *global = bound->view ? tiles.view(bound->view) : nullptr;
  const bool viewKnown = !bound->view || (global && global->isKnown);
  if (bound->view) {
    view.ref = viewKnown ? global->ref : standIn(global, bound->view.getType(), views[0].ref);
    call.global = &view;
  }
  const Pipe pipe = tile::staticPipe(call, rules);
  bool atomic = false;
  auto add = [&](auto isWanted) {
    for (auto [i, value] : llvm::enumerate(bound->tiles)) {
      const tile::Role role = record.tile[i].role;
      if (role != tile::Role::Alias && isWanted(value))
        pieces.push_back(wholeTile(
            op, value, role == tile::Role::Write || role == tile::Role::Update || role == tile::Role::Scratch));
    }
    if (bound->view && isWanted(bound->view)) {
      pieces.push_back(wholeView(op, bound->view, stores));
      pieces.back().atomic = atomic;
    }
  };
  if (!known) {
    add([](Value) { return true; });
    return pipe;
  }
  const tile::StaticFootprint footprint = tile::staticFootprint(call, rules);
  if (footprint.problem.code && placed && viewKnown && report)
    report->problem(op, footprint.problem, certain);
  if (footprint.problem.code && footprint.regions.empty()) { // refused, or a stand-in is
    add([](Value) { return true; });
    return pipe;
  }
  // How much a view of unknown shape lets pass is not certain.
  const bool whole = viewKnown || (global && global->hasShape());
  auto isUnknown = [&](Value value) {
    if (value == bound->view)
      return !viewKnown;
    const KnownTile *own = tiles.tile(value);
    return !own || own->reach != 0;
  };
  atomic = llvm::any_of(footprint.regions, [](const DirectRegion &region) {
    return region.space == Space::Gm && region.role == DirectRole::Atomic;
  });
  if (footprint.isVectorFirst)
    std::swap(bound->tiles[1], bound->tiles[2]);
  add(isUnknown);
  for (const DirectRegion &region : footprint.regions) {
    const bool isView = region.space == Space::Gm, writes = ptoscope::writes(region.role);
    Value operand = isView ? bound->view : bound->tiles[region.operand - (bound->view && stores)];
    if (isUnknown(operand))
      continue;
    const uint32_t storage = isView ? kFirstArray + global->array : storageOf(tiles.tile(operand), region.space);
    const uint64_t begin = region.box.lowest(), end = region.box.end();
    const uint64_t size = isView ? uint64_t(INT64_MAX) : profile.bytes[size_t(region.space)];
    if (begin > end || end > size) {
      if (report && !isView)
        report->outOfBounds(op, region.space, int64_t(begin), int64_t(end), int64_t(size), writes, certain);
      pieces.push_back(somewhere(op, storage, writes));
    } else if (footprint.isExact) {
      box(op, region.box, storage, writes, whole, region.role == DirectRole::Atomic, pieces);
    } else {
      pieces.push_back(somewhere(op, storage, writes, begin, end));
    }
  }
  return pipe;
}

void Footprints::tileElement(Operation *op, Value tile, Value index, bool writes, bool certain, Pieces &pieces) {
  const KnownTile *own = tiles.tile(tile);
  std::optional<int64_t> number = values.constant(index);
  if (!own || own->reach || !number) {
    pieces.push_back(wholeTile(op, tile, writes));
    return;
  }
  Fact problem;
  std::optional<uint64_t> address;
  tile::Descriptors(profile, problem).element(own->ref, *number, address);
  if (problem.code && report)
    report->problem(op, problem, certain);
  if (address)
    pieces.push_back({*address, *address + tile::bitsOf(own->ref.elem) / 8, writes, true, op,
                      storageOf(own, cast<TileBufType>(tile.getType()).getSpace())});
}

} // namespace ptoscope
