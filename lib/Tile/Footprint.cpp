//===- Footprint.cpp - the bytes a tile instruction touches ---------------===//

#include "Footprint.h"

#include "pto/detail/modes.hpp"

#include <algorithm>

namespace ptoscope::tile {

DirectRole directRole(Role role) {
  switch (role) {
  case Role::Copy:
    return DirectRole::Copy;
  case Role::Write:
    return DirectRole::Write;
  case Role::Update:
    return DirectRole::Update;
  case Role::Scratch:
    return DirectRole::Scratch;
  default:
    return DirectRole::Read;
  }
}

void Footprint::add(Space space, size_t operand, bool writes, uint64_t base, Hull hull, uint32_t alignment) {
  uint64_t begin = base + uint64_t(hull.low), end = base + uint64_t(hull.end);
  for (uint32_t i = 0; i < hulls->count; ++i) {
    DirectHull &known = hulls->hull[i];
    if (known.operand != operand)
      continue;
    known.begin = std::min(known.begin, begin);
    known.end = std::max(known.end, end);
    known.writes |= writes;
    return;
  }
  hulls->hull[hulls->count++] = {space, uint8_t(operand), writes, alignment, begin, end};
}

void Footprint::addBoxes(Space space, size_t operand, DirectRole role, const Map &map, const Region &region, Elem elem,
                         uint64_t base, uint32_t storage) {
  boxes.clear();
  appendBoxes(boxes, map, region, elem, base);
  for (Box &box : boxes)
    regions->push_back({space, role, uint8_t(operand), std::move(box), nullptr, storage});
}

void Footprint::tile(size_t i, const Region &region, Role role) {
  if (i >= ops.tiles || region.empty() || role == Role::None || role == Role::Alias)
    return;
  const TileRef &ref = ops.tile[i].ref;
  Space space = spaceOf(ref.location);
  DirectRole direct = directRole(role);
  // In C++ the types ensure that the region fits.
  if (hulls && ops.isText())
    if (const Extents room = roomOf(ref); region.row + region.rows > room.rows || region.col + region.cols > room.cols)
      outside(say::kTileTooSmall(name(i), say::kShape(room.rows, room.cols),
                                 say::kShape(region.row + region.rows, region.col + region.cols)));
  if (hulls)
    add(space, tileOperand(i), writes(direct), ref.address, hullOf(ref, region), 1);
  if (regions)
    addBoxes(space, tileOperand(i), direct, tileMap(ref), region, ref.elem, ref.address, ref.storage);
}

void Footprint::tileBytes(size_t i, int64_t begin, int64_t bytes, Role role) {
  const TileRef &ref = ops.tile[i].ref;
  const Space space = spaceOf(ref.location);
  const uint64_t base = ref.address + uint64_t(begin);
  if (hulls)
    add(space, tileOperand(i), writes(directRole(role)), base, {0, bytes}, 1);
  if (regions)
    regions->push_back(
        {space, directRole(role), uint8_t(tileOperand(i)), Box{base, uint64_t(bytes), {}}, nullptr, ref.storage});
}

void Footprint::global(const Region &region, DirectRole role) {
  if (region.empty())
    return;
  const GlobalRef &ref = ops.global.ref;
  Map map = globalMap(ref);
  auto base = uint64_t(reinterpret_cast<uintptr_t>(ref.pointer));
  if (hulls)
    add(Space::Gm, globalOperand(), writes(role), base, hullOf(map, region, ref.elem),
        std::max(1u, bitsOf(ref.elem) / 8));
  if (regions)
    addBoxes(Space::Gm, globalOperand(), role, map, region, ref.elem, base, 0);
}

Region bitsRegion(const Operands &ops, size_t i, const Region &leading) {
  const TileRef &mask = ops.tile[i].ref;
  const int64_t width = bitsOf(mask.elem), cols = (leading.cols + width - 1) / width;
  // In text the bits of a comparison fill groups (IRCMP-2, IRCMP-4).
  if (!ops.isText() || i != 0 || leading.empty())
    return {0, 0, leading.rows, cols};
  const unsigned bits = bitsOf(ops.tile[1].ref.elem);
  const int64_t group = (bits == 8 ? 256 : 128) / width;
  if (ops.tiles == 2 && bits == 32)
    return {0, 0, 1, roundUp((leading.rows * leading.cols + 7) / 8, group)};
  return {0, 0, leading.rows, std::max(cols, std::min<int64_t>(roundUp(cols, group), capacityOf(mask).cols))};
}

void tellFootprint(const Record &record, FootprintFunction custom, Footprint &footprint) {
  const Operands &ops = footprint.operands();
  const TileRef &lead = ops.tile[leadingTile(record)].ref;
  const Region leading = validRegion(lead);
  bool open = false;
  for (size_t i = 0; i < ops.tiles; ++i) {
    const OperandSpec &spec = record.tile[i];
    const TileRef &ref = ops.tile[i].ref;
    Region region = validRegion(ref);
    switch (spec.area) {
    case Area::Own:
      break;
    case Area::Dst:
      region = leading;
      break;
    case Area::Whole:
      region = wholeTile(ref);
      break;
    case Area::Row0:
      region.rows = std::min<int64_t>(region.rows, 1);
      break;
    case Area::Column0:
      region.cols = std::min<int64_t>(region.cols, 1);
      break;
    case Area::PerColumn:
      region = {0, 0, std::min<int64_t>(leading.rows, 1), leading.cols};
      break;
    case Area::PerRow:
      region = {0, 0, leading.rows, std::min<int64_t>(leading.cols, 1)};
      break;
    case Area::Common:
      region.rows = std::min(region.rows, leading.rows);
      region.cols = std::min(region.cols, leading.cols);
      break;
    case Area::Bits:
      region = bitsRegion(ops, i, leading);
      break;
    case Area::Inner:
    case Area::Custom:
      open = true;
      continue;
    }
    footprint.tile(i, region, spec.role);
  }
  if (ops.hasGlobal && record.gm != Gm::None && !custom) {
    bool atomic = record.gm == Gm::Store && MoveMode::unpack(ops.mode).atomic != AtomicType::AtomicNone;
    footprint.global(validRegion(ops.tile[0].ref), record.gm == Gm::Load ? DirectRole::Read
                                                   : atomic              ? DirectRole::Atomic
                                                                         : DirectRole::Write);
  }
  if (custom && (open || ops.hasGlobal))
    custom(ops, footprint);
}

} // namespace ptoscope::tile
