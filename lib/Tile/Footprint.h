//===- Footprint.h - the bytes a tile instruction touches -------*- C++ -*-===//
//
// A footprint is told region by region, tiles and global memory alike. The same
// telling serves twice: for hulls, when the instruction is issued, and for exact
// boxes, when someone observes.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_FOOTPRINT_H
#define PTOSCOPE_LIB_TILE_FOOTPRINT_H

#include "Layout.h"
#include "Operands.h"
#include "pto/detail/bits.hpp"
#include "pto/detail/record.hpp"
#include "ptoscope/Machine/Direct.h"
#include "ptoscope/Machine/TileSentences.h"
#include "ptoscope/Tile/Names.h"

namespace ptoscope::tile {

/// The hull of each operand, where it has one.
struct Hulls {
  DirectHull hull[kMaxTiles + 1];
  uint32_t count = 0;
  std::span<const DirectHull> all() const { return {hull, count}; }
};

/// The memory of a TileType; Space::None where it is not modelled.
inline Space spaceOf(uint8_t location) {
  constexpr Space kSpaces[] = {Space::Ub, Space::L1, Space::L0A,   Space::L0B,  Space::L0C,
                               Space::Bt, Space::Fb, Space::L0AMx, Space::L0BMx};
  return location < std::size(kSpaces) ? kSpaces[location] : Space::None;
}
DirectRole directRole(Role role);
/// A scratch tile that the instruction does without: it has no place, or a wrong one.
inline bool isLeftOut(const TileRef &tile) { return tile.reserved != 0; }
inline void leaveOut(TileRef &tile) { tile.reserved = 1; }
/// Elements of tile `i` that hold a bit for each element of `leading`, or are written with
/// them; and those that have to be there.
Region bitsRegion(const Operands &ops, size_t i, const Region &leading);
Region bitsNeeded(const Operands &ops, size_t i, const Region &leading);
/// HMEAN-24: a comparison with element 0 of tile 2.
inline bool takesFirstElement(const Record &record, const Operands &ops) {
  return record.tile[0].area == Area::Bits && (ops.mode & kFirstElement) != 0;
}
/// HMEAN-3: a tile of parameters per row whose last one serves the rows behind it.
inline bool repeatsLastRow(const Record &record, const Operands &ops) {
  return !ops.isText() && std::string_view(record.name).starts_with("TQUANT");
}

/// TROWEXPANDADD and its variants: tile 2 is the vector. With mode 1 it is written first.
constexpr bool expandsRows(const Record &record) {
  return std::string_view(record.name).starts_with("TROWEXPAND") && record.tile[2].role == Role::Read;
}
/// What tile `i` is called in a finding.
inline std::string nameOf(const Call &call, size_t i) {
  const bool exchanged = (i == 1 || i == 2) && call.operands.mode && expandsRows(*call.record);
  return quotedTile(*call.record, exchanged ? 3 - i : i, call.operands.isText());
}

class Footprint {
public:
  Footprint(const Record &record, const Operands &ops, Hulls *hulls, std::vector<DirectRegion> *regions)
      : record(record), ops(ops), hulls(hulls), regions(regions) {}

  /// A region of tile `i`; parts of the same tile may follow each other.
  void tile(size_t i, const Region &region, Role role);
  /// Bytes of tile `i` from its first on.
  void tileBytes(size_t i, int64_t begin, int64_t bytes, Role role);
  /// A region of the view of global memory, through its layout or another map.
  void global(const Region &region, DirectRole role);
  void global(const Map &map, const Region &region, DirectRole role);
  /// Elements of the view, by their number row by row, which it sorts.
  void globalElements(std::vector<uint64_t> &elements, DirectRole role);
  /// The same of a view of indices (HMEAN-29), the operand behind all others.
  void indexView(const GlobalRef &view, const Region &region);

  const Operands &operands() const { return ops; }
  /// Someone wants the exact bytes.
  bool tellsRegions() const { return regions != nullptr; }
  std::string name(size_t i) const { return quotedTile(record, i, ops.isText()); }

  /// Whose UB its tiles are in, where that is not the own one.
  std::optional<CoreId> ubOwner = {};

  /// The instruction takes effect now: tiles that name places hold their final values.
  bool exact() const { return !hulls; }
  /// What indices name does not exist, or no document says what is to be done; the
  /// first is kept. An error leaves the instruction out.
  void outside(Fact found) {
    if (!problem.code)
      problem = std::move(found);
  }
  Fact problem;

private:
  void add(Space space, size_t operand, bool writes, uint64_t base, Hull hull, uint32_t alignment);
  void addBoxes(Space space, size_t operand, DirectRole role, const Map &map, const Region &region, Elem elem,
                uint64_t base, uint32_t storage);
  /// Global memory that is written counts first, otherwise last.
  bool storesGm() const { return record.gm == Gm::Store; }
  size_t tileOperand(size_t i) const { return i + (ops.hasGlobal && storesGm()); }
  size_t globalOperand() const { return storesGm() ? 0 : ops.tiles; }

  const Record &record;
  const Operands &ops;
  Hulls *hulls;
  std::vector<DirectRegion> *regions;
  std::vector<Box> boxes;
};

/// A cube core that writes into the UB of a vector core says whose it is in the mode of
/// the move, above what MoveMode has.
inline constexpr unsigned kUbOwnerShift = 28;

/// Tells what the instruction touches beyond what its record says. Hulls depend on
/// descriptors, scalars and mode, and on which tiles begin where tile 0 does; apart
/// from that they move with the places of the operands.
using FootprintFunction = void (*)(const Operands &ops, Footprint &footprint);

/// What the record says about operand areas; `custom` for those it leaves open.
void tellFootprint(const Record &record, FootprintFunction custom, Footprint &footprint);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_FOOTPRINT_H
