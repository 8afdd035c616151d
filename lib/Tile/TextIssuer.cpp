//===- TextIssuer.cpp - tile instructions of a core that runs text --------===//

#include "TextIssuer.h"

#include "TextRules.h"
#include "ptoscope/Tile/Images.h"

#include <cstring>

namespace ptoscope::tile {

static const Record *const kRecords[] = {
#define PTO_RECORD(NAME, ...) &record::NAME,
#define PTO_CUSTOM_RECORD PTO_RECORD
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD
};

const Record *recordAt(uint32_t index) { return index < std::size(kRecords) ? kRecords[index] : nullptr; }

uint32_t indexOf(const char *name) {
  for (uint32_t i = 0; i < std::size(kRecords); ++i)
    if (std::strcmp(kRecords[i]->name, name) == 0)
      return i;
  return ~0u;
}

TextIssuer::TextIssuer(PtoContext *core)
    : Issuer(core), rules(profileOf(core).id == ProfileId::A5 ? Rules::Text : Rules::TextOfA3) {
  memory = checksMemory(core);
}

uint8_t *TextIssuer::hostAddress(const TileRef &tile, SiteId site) {
  const Space space = spaceOf(tile.location);
  if (space == Space::None || !base(space)) [[unlikely]] {
    reportAt(core, site, space == Space::None ? say::kTileType(tile.location) : say::kNoMemoryHere(space),
             /*fatal=*/true);
    return nullptr;
  }
  return base(space) + tile.address;
}

void TextIssuer::growTo(SiteId site) {
  const size_t known = sites.size();
  sites.resize(size_t(site) + 64);
  for (size_t i = known; i < sites.size(); ++i)
    sites[i].id = SiteId(i);
}

/// DMA-24: CTRL selects an element and an operation for all stores to GM.
Fact TextIssuer::combineByControl(Call &call) const {
  const auto control = uint64_t(ptosc_get_ctrl(core));
  const uint64_t type = control >> 6 & 7, operation = control >> 9 & 3;
  if (type == 0) [[likely]]
    return {};
  constexpr Elem kElems[] = {Elem::f32, Elem::f16, Elem::i16, Elem::i32, Elem::i8, Elem::bf16};
  if (type > std::size(kElems) || operation > 2)
    return say::kAtomicSelection(type, operation);
  const Elem wanted = kElems[type - 1], own = call.operands.global.ref.elem;
  if (own != wanted)
    return say::kAtomicElement(elemName(own), elemName(wanted));
  combine(call, AtomicType(uint8_t(AtomicType::AtomicAdd) + operation));
  return {};
}

int32_t TextIssuer::issue(SiteId site, const PtoTileCall &given) {
  SiteState &state = stateOf(site);
  Call call;
  call.record = recordAt(given.record);
  call.automatic = given.automatic != 0;
  Operands &ops = call.operands;
  ops.tiles = given.tiles;
  ops.mode = given.mode & ~uint32_t(PTO_MOVE_TO_SECOND);
  ops.rules = rules;
  std::memcpy(ops.scalar, given.scalar, sizeof(ops.scalar));
  for (size_t i = 0; i < given.tiles; ++i) {
    ops.tile[i].ref = given.tile[i]->ref;
    ops.tile[i].data = hostAddress(ops.tile[i].ref, site);
    if (!ops.tile[i].data) [[unlikely]]
      return 1;
    if (ops.tile[i].ref.validRows < 0 || ops.tile[i].ref.validCols < 0) [[unlikely]]
      return reportAt(core, site, say::kExtentUnset(nameOf(call, i)), /*fatal=*/true);
  }
  if (given.global) {
    ops.hasGlobal = true;
    ops.global.ref = given.global->ref;
    // Every region begins with the view's first element: where there is none, bounds
    // of the instruction say so before anything is touched.
    ops.global.data = hostOf(core, reinterpret_cast<uintptr_t>(ops.global.ref.pointer));
  }
  countPairs(*call.record, ops);
  if (takesSelected(call))
    if (const Fact problem = combineByControl(call); problem.code) [[unlikely]]
      return reportAt(core, site, problem, /*fatal=*/false);
  if (const AdaptFunction adapt = kAdaptFunctions[given.record])
    if (!adapt({core, site, call})) [[unlikely]]
      return isStopped(core);
  if (goesToVectors(call))
    return issueToVectors(call, state, secondStateOf(site), (given.mode & PTO_MOVE_TO_SECOND) != 0);
  return Issuer::issue(call, state);
}

} // namespace ptoscope::tile
