//===- CubeFootprints.cpp - bytes a cube instruction touches --------------===//
//
// The runtime says what a call touches whose numbers and pointers are known
// (tile::cubeFootprint). A pointer that is not known has a stand-in there, and its
// memory may be touched anywhere.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "ptoscope/Dialect/PTO/CubeBinding.h"

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {

namespace cube = tile::cube;

namespace {
/// A pointer of the call.
struct Pointee {
  Space space = Space::None;
  bool writes = false;
  uint32_t storage = 0;
  bool known = false;
  int64_t least = 0, most = 0; ///< from the address that the call has, over all turns

  bool isFixed() const { return known && least == 0 && most == 0; }
};
} // namespace

/// Numbers that change no byte that is touched.
static bool isHint(const PtoCubeCall &call, size_t number) {
  return (call.op == tile::CubeOp::Store && (number == cube::kSid || number == cube::kL2Hint)) ||
         (call.op == tile::CubeOp::Frac && number == cube::kCache);
}

/// TSTORE-14
static UnitOp unitOfTile(TileInstr instruction) {
  Operation *op = instruction.getOperation();
  const bool multiplies = op->hasAttr("accPhase");
  if (!multiplies && !op->hasAttr("stPhase"))
    return {};
  FailureOr<TileBinding> bound = instruction.bind(/*emits=*/false);
  if (failed(bound))
    return {};
  const Pipe pipe = multiplies ? Pipe::M : Pipe::FIX;
  const size_t source = bound->form->record->gm == tile::Gm::Store ? 0 : 1;
  if (!multiplies && cast<TileBufType>(bound->tiles[source].getType()).ref().location != uint8_t(tile::TileType::Acc))
    return {};
  return {tile::unitFlag(bound->mode, pipe), pipe};
}

UnitOp unitOf(Operation *op) {
  if (auto tile = dyn_cast<TileInstr>(op))
    return unitOfTile(tile);
  auto instruction = dyn_cast<CubeOpInterface>(op);
  CubeBinding bound;
  if (!instruction || !instruction.bindCube(bound))
    return {};
  const PtoCubeCall &call = bound.known;
  const bool isWord = call.op == tile::CubeOp::Mad && call.form == tile::CubeForm::Word;
  return {isWord ? UnitFlag::CheckAndSet : call.unitFlag, *infoOf(op)->pipe};
}

bool Footprints::cubeInstruction(CubeOpInterface op, bool certain, Pieces &pieces) {
  CubeBinding bound;
  if (!op.bindCube(bound))
    return false;
  PtoCubeCall call = bound.known;
  bool known = true, placed = true;
  for (auto [i, value] : llvm::enumerate(bound.number)) {
    if (!value)
      continue;
    std::optional<int64_t> number = values.constant(value);
    known &= number || isHint(call, i);
    call.number[i] = number.value_or(0);
  }
  const size_t result = call.op == tile::CubeOp::Mad ? cube::kSum : cube::kDst;
  std::array<Pointee, cube::kPointers> places;
  for (auto [i, pointer] : llvm::enumerate(bound.pointer)) {
    if (!pointer)
      continue;
    Pointee place{cast<PtrType>(pointer.getType()).getSpace(), i == result};
    const Known *address = values.find(pointer);
    auto range = address && !address->firstTurn ? values.extent(*address) : std::nullopt;
    place.storage = address && address->array ? kFirstArray + address->array : uint32_t(place.space);
    place.known = range && range->first >= 0 && (place.space != Space::Gm || address->array);
    if (place.known) {
      call.pointer[i] = uint64_t(address->base);
      place.least = range->first - address->base;
      place.most = range->second - address->base;
    }
    placed &= place.known;
    places[i] = place;
  }
  tile::CubeFootprint footprint;
  if (known)
    footprint = tile::cubeFootprint(call, profile);
  const bool told = footprint.problem.code, wrong = told && footprint.regions.empty();
  if (told && placed && report)
    report->problem(op, footprint.problem, certain);
  bool misaligned = false;
  for (const DirectHull &hull : footprint.hulls) {
    const Pointee &place = places[hull.operand];
    if (!place.known || hull.begin % hull.alignment == 0)
      continue;
    misaligned = true;
    if (report)
      report->misaligned(op, hull.space, int64_t(hull.begin), hull.alignment, hull.writes, certain);
  }
  const bool open = !known || misaligned || wrong;
  for (const Pointee &place : places)
    if (place.space != Space::None && (open || !place.known))
      pieces.push_back(somewhere(op, place.storage, place.writes));
  if (open)
    return true;
  for (const DirectRegion &region : footprint.regions) {
    const Pointee &place = places[region.operand];
    const bool writes = ptoscope::writes(region.role);
    // Scales are beside the tile that the pointer names (MXS-4).
    const bool beside = region.space != place.space;
    const uint32_t storage = beside ? uint32_t(region.space) : place.storage;
    if (!place.known || (beside && (!place.isFixed() || values.places))) {
      if (beside)
        pieces.push_back(somewhere(op, storage, writes));
      continue;
    }
    const auto begin = int64_t(region.box.lowest()) + place.least, end = int64_t(region.box.end()) + place.most;
    const int64_t size = region.space == Space::Gm ? INT64_MAX : profile.bytes[size_t(region.space)];
    if (begin < 0 || begin > end || uint64_t(end) > endOf(region.space, uint64_t(size), uint64_t(begin))) {
      if (report)
        report->outOfBounds(op, region.space, begin, end, size, writes, certain);
      pieces.push_back(somewhere(op, storage, writes));
    } else if (place.isFixed() && region.space != Space::Ub) { // which core's UB is another question
      box(op, region.box, storage, writes, true, region.role == DirectRole::Atomic, pieces);
    } else {
      pieces.push_back(somewhere(op, storage, writes, uint64_t(begin), uint64_t(end)));
    }
  }
  return true;
}

} // namespace ptoscope
