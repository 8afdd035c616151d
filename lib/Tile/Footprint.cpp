//===- Footprint.cpp - the bytes a tile instruction touches ---------------===//

#include "Footprint.h"

#include "pto/detail/modes.hpp"

#include <algorithm>
#include <bit>

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
  const auto append = [&](Box &&box) {
    regions->push_back(
        {space, role, uint8_t(operand), std::move(box), nullptr, storage, space == Space::Ub ? ubOwner : std::nullopt});
  };
  if (std::optional<Box> row = rowOf(map, region, elem, base))
    return append(std::move(*row));
  boxes.clear();
  appendBoxes(boxes, map, region, elem, base);
  for (Box &box : boxes)
    append(std::move(box));
}

void Footprint::tile(size_t i, const Region &region, Role role) {
  if (i >= ops.tiles || region.empty() || role == Role::None || role == Role::Alias)
    return;
  const TileRef &ref = ops.tile[i].ref;
  // REPORT-5: in the host profile no instruction touches scratch.
  if (role == Role::Scratch && (ops.isHost() || isLeftOut(ref)))
    return;
  Space space = spaceOf(ref.location);
  DirectRole direct = directRole(role);
  // In C++ the types ensure that the region fits, as long as extents are equal (REPORT-14).
  if (hulls && (ops.isText() || ops.isHost()))
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

void Footprint::global(const Region &region, DirectRole role) { global(globalMap(ops.global.ref), region, role); }

void Footprint::global(const Map &map, const Region &region, DirectRole role) {
  if (region.empty())
    return;
  const GlobalRef &ref = ops.global.ref;
  auto base = uint64_t(reinterpret_cast<uintptr_t>(ref.pointer));
  if (hulls)
    add(Space::Gm, globalOperand(), writes(role), base, hullOf(map, region, ref.elem),
        std::max(1u, bitsOf(ref.elem) / 8));
  if (regions)
    addBoxes(Space::Gm, globalOperand(), role, map, region, ref.elem, base, 0);
}

/// Sorted, each once: of few elements of many by comparison, else by marks.
static void sortElements(std::vector<uint64_t> &elements, uint64_t count) {
  if (count > 256 * elements.size()) {
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    return;
  }
  std::vector<uint64_t> marks((count + 63) / 64);
  for (const uint64_t element : elements)
    marks[element / 64] |= uint64_t(1) << element % 64;
  elements.clear();
  for (size_t word = 0; word < marks.size(); ++word)
    for (uint64_t rest = marks[word]; rest; rest &= rest - 1)
      elements.push_back(word * 64 + uint64_t(std::countr_zero(rest)));
}

void Footprint::globalElements(std::vector<uint64_t> &elements, DirectRole role) {
  if (!regions || elements.empty())
    return;
  const GlobalRef &ref = ops.global.ref;
  const Map map = globalMap(ref);
  const Coverage view = coverage(ref);
  const auto cols = uint64_t(view.cols), bits = uint64_t(bitsOf(ref.elem));
  const auto base = uint64_t(reinterpret_cast<uintptr_t>(ref.pointer));
  sortElements(elements, uint64_t(view.rows) * cols);
  std::vector<ByteRun> runs;
  bool rising = true;
  uint64_t row = 0, rowStart = 0, rowEnd = 0; // elements of the row that the last one was in
  int64_t rowOffset = 0;
  const bool flat = map.col.digits == 1; // one stride along a row
  for (const uint64_t element : elements) {
    if (element >= rowEnd) {
      row = element / cols;
      rowStart = row * cols;
      rowEnd = rowStart + cols;
      rowOffset = map.row.offset(int64_t(row));
    }
    const auto col = int64_t(element - rowStart);
    const int64_t offset = rowOffset + (flat ? col * map.col.digit[0].stride : map.col.offset(col));
    const uint64_t begin = base + uint64_t(offset * int64_t(bits)) / 8;
    const uint64_t end = begin + (bits + 7) / 8;
    if (!runs.empty() && begin <= runs.back().end && begin >= runs.back().begin) {
      runs.back().end = std::max(runs.back().end, end);
      continue;
    }
    rising &= runs.empty() || begin > runs.back().end;
    runs.push_back({begin, end});
  }
  if (!rising) {
    std::sort(runs.begin(), runs.end(), [](const ByteRun &a, const ByteRun &b) { return a.begin < b.begin; });
    std::vector<ByteRun> joined;
    for (const ByteRun &run : runs)
      if (!joined.empty() && run.begin <= joined.back().end)
        joined.back().end = std::max(joined.back().end, run.end);
      else
        joined.push_back(run);
    runs = std::move(joined);
  }
  const auto add = [&](Box box) {
    regions->push_back({Space::Gm, role, uint8_t(globalOperand()), std::move(box), nullptr, 0});
  };
  // Runs with one step between them are a box, and few of them are few boxes.
  const uint64_t bytes = runs[0].end - runs[0].begin, step = runs.size() > 1 ? runs[1].begin - runs[0].begin : 0;
  bool even = true;
  for (size_t i = 0; i < runs.size() && even; ++i)
    even = runs[i].end - runs[i].begin == bytes && runs[i].begin == runs[0].begin + i * step;
  constexpr size_t kFew = 16;
  if (even && runs.size() > 1)
    return add(Box{runs[0].begin, bytes, {{runs.size(), int64_t(step)}}});
  if (runs.size() <= kFew) {
    for (const ByteRun &run : runs)
      add(Box{run.begin, run.end - run.begin, {}});
    return;
  }
  add(Box{runs.front().begin, runs.back().end - runs.front().begin, {}});
  regions->back().runs = std::move(runs);
}

void Footprint::indexView(const GlobalRef &view, const Region &region) {
  if (region.empty())
    return;
  const Map map = globalMap(view);
  const auto base = uint64_t(reinterpret_cast<uintptr_t>(view.pointer));
  if (hulls)
    add(Space::Gm, ops.tiles + 1, false, base, hullOf(map, region, view.elem), bitsOf(view.elem) / 8);
  if (regions)
    addBoxes(Space::Gm, ops.tiles + 1, DirectRole::Read, map, region, view.elem, base, 0);
}

/// Every row of bits with an element of its own.
static Region bitsByRow(const TileRef &mask, const Region &leading) {
  const int64_t width = bitsOf(mask.elem);
  return {0, 0, leading.rows, (leading.cols + width - 1) / width};
}

Region bitsNeeded(const Operands &ops, size_t i, const Region &leading) {
  const TileRef &mask = ops.tile[i].ref;
  // TCMP, TCMPS: a stream ends with the mask. TSELS and TCMP go by rows.
  const bool scalar = ops.tiles == 2 || (ops.mode & kFirstElement);
  if (i == 0 && scalar && isStream(ops, mask, ops.tile[1].ref))
    return {0, 0, 0, 0};
  if (i == 1 && ops.tiles == 5 && isStream(ops, mask, ops.tile[0].ref)) {
    const int64_t bytes = (leading.rows * leading.cols + 7) / 8, perRow = rowBytesOf(mask);
    return {0, 0, perRow > 0 ? (bytes + perRow - 1) / perRow : int64_t(mask.rows) + 1, mask.validCols};
  }
  return ops.isText() ? bitsRegion(ops, i, leading) : bitsByRow(mask, leading);
}

Region bitsRegion(const Operands &ops, size_t i, const Region &leading) {
  const TileRef &mask = ops.tile[i].ref;
  if (ops.isHost()) // HMEAN-20: a comparison also clears the rest of the mask
    return i == 0 ? wholeTile(mask) : bitsNeeded(ops, i, leading);
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
    if (i == 2 && takesFirstElement(record, ops)) {
      footprint.tile(i, {0, 0, 1, 1}, Role::Read);
      continue;
    }
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
      region = {0, 0, repeatsLastRow(record, ops) ? std::min(region.rows, leading.rows) : leading.rows,
                std::min<int64_t>(leading.cols, 1)};
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
