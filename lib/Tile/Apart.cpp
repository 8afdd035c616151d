//===- Apart.cpp - operands of one instruction that share bytes -----------===//
//
// A destination may lie exactly where a source does: the instruction then works in
// place, element by element. Any other overlap gives results that depend on the
// order in which the vector unit takes elements.
//
//===----------------------------------------------------------------------===//

#include "Issuer.h"

namespace ptoscope::tile {

namespace {
bool writes(Role role) { return role == Role::Write || role == Role::Update; }
bool touches(Role role) { return role != Role::Scratch && role != Role::Alias && role != Role::None; }

/// The operand is a vector that is repeated over the columns or rows of the others.
bool isShared(Area area) { return area == Area::PerRow || area == Area::PerColumn || area == Area::Bits; }

bool sameElements(const TileRef &a, const TileRef &b) {
  return a.address == b.address && bitsOf(a.elem) == bitsOf(b.elem) && a.blockLayout == b.blockLayout &&
         a.innerLayout == b.innerLayout && a.fractalBytes == b.fractalBytes && a.compact == b.compact &&
         a.rows == b.rows && a.cols == b.cols;
}

/// A byte that both operands touch; none when only their hulls meet.
std::optional<uint64_t> sharedByte(const std::vector<DirectRegion> &regions, size_t a, size_t b) {
  for (const DirectRegion &one : regions)
    for (const DirectRegion &other : regions)
      if (uint64_t byte = 0;
          one.operand == a && other.operand == b && one.space == other.space && one.box.overlaps(other.box, &byte))
        return byte;
  return std::nullopt;
}
} // namespace

Fact sharingProblem(const Call &call, const Hulls &hulls) {
  const Operands &ops = call.operands;
  const size_t first = ops.hasGlobal && call.record->gm == Gm::Store; // operand number of tile 0
  std::vector<DirectRegion> regions;
  for (const DirectHull &dst : hulls.all()) {
    const size_t i = dst.operand - first;
    if (dst.space == Space::Gm || !writes(call.record->tile[i].role))
      continue;
    for (const DirectHull &src : hulls.all()) {
      const size_t j = src.operand - first;
      if (i == j || src.space != dst.space || src.begin >= dst.end || dst.begin >= src.end)
        continue;
      const OperandSpec &other = call.record->tile[j];
      if (!touches(other.role) || (writes(other.role) && j < i))
        continue;
      const bool inPlace = sameElements(ops.tile[i].ref, ops.tile[j].ref) && !writes(other.role) && !other.isApart &&
                           isShared(call.record->tile[i].area) == isShared(other.area);
      if (inPlace)
        continue;
      // What indices name is not known before the instruction takes effect.
      uint64_t byte = std::max(src.begin, dst.begin);
      if (!call.meaning->indexed) {
        if (regions.empty())
          regionsOf(&call, regions);
        std::optional<uint64_t> shared = sharedByte(regions, dst.operand, src.operand);
        if (!shared)
          continue;
        byte = *shared;
      }
      return say::kTilesOverlap(nameOf(call, i), nameOf(call, j), say::readsOrWrites(writes(other.role)), byte,
                                dst.space);
    }
  }
  return {};
}

} // namespace ptoscope::tile
