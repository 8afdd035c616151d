//===- Issue.cpp - a tile instruction on its way to the Machine -----------===//
//
// Checks what types cannot say, and issues a direct instruction.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "Issuer.h"
#include "TextRules.h"
#include "Work.h"

#include "pto/detail/modes.hpp"
#include "ptoscope/Machine/Order.h"
#include "ptoscope/Machine/Phases.h"
#include "ptoscope/Machine/ReportSentences.h"
#include "ptoscope/Tile/Runtime.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

namespace ptoscope::tile {

/// TSYNC-1, TMOV-2: the pipe that moves data between two memories. `to` and `from` are
/// TileTypes, or kGm. TINSERT into L1 runs on the store pipe. Two paths have another pipe
/// in text (ORDER-2).
static constexpr unsigned kGm = 15;
static Pipe pipeOfPath(unsigned from, unsigned to, bool text, FootprintFunction move = nullptr) {
  auto is = [](unsigned place, TileType type) { return place == unsigned(type); };
  if (from == kGm)
    return Pipe::MTE2;
  if (is(from, TileType::Acc))
    return Pipe::FIX;
  if (to == kGm)
    return Pipe::MTE3;
  if (is(from, TileType::Mat))
    return is(to, TileType::Scaling) && !text ? Pipe::FIX : Pipe::MTE1;
  if (!is(to, TileType::Mat) || (text && move == &tmovFootprint))
    return Pipe::V;
  return move == &tinsertFootprint ? Pipe::MTE3 : Pipe::FIX;
}

Pipe pipeOf(const Call &call) {
  const Record &record = *call.record;
  const Operands &ops = call.operands;
  // The vector unit does not reach tiles in L1: MTE2 fills them.
  if (record.pipe == On::V && record.gm != Gm::Store && ops.tile[0].ref.location == uint8_t(TileType::Mat))
    return Pipe::MTE2;
  // With a scratch tile, the vector unit generates the numbers (TGEN-1).
  if (record.pipe == On::S && ops.tiles > 1)
    return Pipe::V;
  if (ops.rules == Rules::TextOfA3 && record.gm != Gm::None && record.pipe == On::V)
    return record.gm == Gm::Load ? Pipe::MTE2 : Pipe::MTE3;
  // In the host profile quantisation is not the accumulator's alone (HMOVE-9).
  if (record.pipe != On::Path && !(record.pipe == On::FIX && ops.isHost()))
    return Pipe(record.pipe);
  unsigned first = ops.tile[0].ref.location, second = ops.tiles > 1 ? ops.tile[1].ref.location : first;
  switch (record.gm) {
  case Gm::Load:
    return pipeOfPath(kGm, first, ops.isText());
  case Gm::Store:
    return pipeOfPath(first, kGm, ops.isText());
  case Gm::None:
    break;
  }
  return pipeOfPath(second, first, ops.isText(), call.meaning->footprint);
}

/// REPORT-15: with copies of the sources that lie in rows.
static void runByRows(Operands ops, const Record &record) {
  std::vector<uint8_t> copies[kMaxTiles];
  for (size_t i = 0; i < ops.tiles; ++i) {
    TileView &tile = ops.tile[i];
    if (record.tile[i].role != Role::Read || record.tile[i].area == Area::Bits)
      continue;
    const Map map = tileMap(tile.ref);
    const Extents own = capacityOf(tile.ref);
    const size_t bytes = bitsOf(tile.ref.elem) / 8;
    copies[i].resize(size_t(own.rows) * size_t(tile.ref.cols) * bytes);
    for (int64_t r = 0; r < own.rows; ++r)
      for (int64_t c = 0; c < own.cols; ++c)
        std::memcpy(&copies[i][size_t(r * tile.ref.cols + c) * bytes], tile.data + size_t(map.offset(r, c)) * bytes,
                    bytes);
    tile.data = copies[i].data();
    tile.ref.blockLayout = uint8_t(BLayout::RowMajor);
    tile.ref.innerLayout = uint8_t(SLayout::NoneBox);
    tile.ref.compact = uint8_t(CompactMode::Null);
  }
  findMeaning(record.name)->run(ops);
}

static void runCall(const void *payload) {
  const Call &call = *static_cast<const Call *>(payload);
  if (call.operands.byRows) [[unlikely]]
    return runByRows(call.operands, *call.record);
  call.meaning->run(call.operands);
}

void regionsOf(const void *payload, std::vector<DirectRegion> &regions) {
  const Call &call = *static_cast<const Call *>(payload);
  Footprint footprint(*call.record, call.operands, nullptr, &regions);
  tellFootprint(*call.record, call.meaning->footprint, footprint);
}

static Work workOfCall(const void *payload) { return workOf(*static_cast<const Call *>(payload)); }

static Fact problemOf(const void *payload) {
  const Call &call = *static_cast<const Call *>(payload);
  Footprint footprint(*call.record, call.operands, nullptr, nullptr);
  tellFootprint(*call.record, call.meaning->footprint, footprint);
  return std::move(footprint.problem);
}

/// Moves marks: pad values become zeros, which are marks of defined bytes.
static void carryMarks(const void *payload, const DirectMarks *marks) {
  Call call = *static_cast<const Call *>(payload);
  for (size_t i = 0; i < call.operands.tiles; ++i) {
    TileView &tile = call.operands.tile[i];
    if (marks[i].bytes)
      tile.data = marks[i].bytes - (marks[i].begin - tile.ref.address);
    if (tile.ref.pad != uint64_t(PadValue::Null))
      tile.ref.pad = uint64_t(PadValue::Zero);
  }
  call.meaning->run(call.operands);
}

/// The address that hulls of an operand are counted from.
static uint64_t baseOf(const Call &call, size_t operand) {
  const Operands &ops = call.operands;
  const bool globalFirst = ops.hasGlobal && call.record->gm == Gm::Store;
  if (operand > ops.tiles) // a view of indices, at its own address
    return 0;
  if (ops.hasGlobal && operand == (globalFirst ? 0 : ops.tiles))
    return reinterpret_cast<uintptr_t>(ops.global.ref.pointer);
  return ops.tile[operand - globalFirst].ref.address;
}

/// By the meaning: the record is an object of the program, which may have copies of it.
static bool isLoad(const Call &call) { return call.meaning->footprint == &tloadFootprint; }

/// The hulls of a call, from those of operands at address 0.
static void placeHulls(const Call &call, const Issuer::Prepared &prepared, Hulls &hulls) {
  const bool isLocal = !call.operands.hasGlobal;
  hulls.count = prepared.hulls.count;
  for (uint32_t i = 0; i < hulls.count; ++i) {
    DirectHull hull = prepared.hulls.hull[i];
    const uint64_t base = isLocal && hull.operand < call.operands.tiles ? call.operands.tile[hull.operand].ref.address
                                                                        : baseOf(call, hull.operand);
    hull.begin += base;
    hull.end += base;
    hulls.hull[i] = hull;
  }
}

/// Whether a hull is none of the target's memories, or may be: a quick look.
static bool mayExceed(const Hulls &hulls, const uint32_t *targetBytes) {
  for (const DirectHull &hull : hulls.all())
    if (hull.space == Space::Gm || hull.end > targetBytes[size_t(hull.space)])
      return true;
  return false;
}

bool Issuer::takesSelected(const Call &call) {
  return call.record->gm == Gm::Store && call.operands.hasGlobal && std::strncmp(call.record->name, "TSTORE", 6) == 0 &&
         MoveMode::unpack(call.operands.mode).atomic == AtomicType::AtomicNone;
}

void Issuer::combine(Call &call, AtomicType operation) {
  MoveMode mode = MoveMode::unpack(call.operands.mode);
  mode.atomic = operation;
  call.operands.mode = mode.pack();
}

UnitFlag unitFlag(uint32_t mode, Pipe pipe) {
  constexpr uint8_t kPartial = 2, kFinal = 3;
  const uint8_t phase = pipe == Pipe::M || pipe == Pipe::FIX ? phaseOf(mode) : 0;
  if (phase == kFinal)
    return pipe == Pipe::M ? UnitFlag::CheckAndSet : UnitFlag::CheckAndClear;
  return phase == kPartial ? UnitFlag::CheckOnly : UnitFlag::None;
}

UnitUse unitUse(UnitFlag flag, std::span<const DirectHull> hulls) {
  UnitUse use = {flag, UINT64_MAX, 0};
  for (const DirectHull &hull : hulls)
    if (hull.space == Space::L0C) {
      use.begin = std::min(use.begin, hull.begin);
      use.end = std::max(use.end, hull.end);
    }
  return use;
}

int32_t Issuer::issue(Call &call, SiteState &site) {
  const Record &record = *call.record;
  if (!site.meaning) [[unlikely]]
    site.meaning = findMeaning(record.name);
  if (!site.meaning) [[unlikely]]
    return reportAt(core, site.id, say::kOtherVersion(), /*fatal=*/true);
  call.meaning = site.meaning;
  if (lastPop && !call.operands.isText())
    if (int32_t status = checkPopped(call, site.id)) [[unlikely]]
      return status;
  if (fullFill && isLoad(call))
    call.operands.mode = uint32_t(LoadMode::FullFill);
  // Text places tiles at multiples of 32 bytes (PLAN-8); windows begin at any element (ALIAS-1).
  for (size_t i = 0; i < call.operands.tiles && !call.operands.isText(); ++i)
    if (const uint32_t address = call.operands.tile[i].ref.address;
        address % 32 != 0 && record.tile[i].role != Role::Alias) [[unlikely]] {
      if (!call.operands.isHost())
        return reportAt(core, site.id, say::kTileMisaligned(nameOf(call, i), address), /*fatal=*/false);
      if (memory && reportAt(core, site.id, say::kMisalignedOnHost(nameOf(call, i), address), /*fatal=*/false))
        return 1;
    }
  const Prepared *prepared = prepare(call, site);
  if (!prepared)
    return isStopped(core);
  Hulls hulls;
  placeHulls(call, *prepared, hulls);
  if (prepared->hasScratch && memory && checkScratch(call, site.id, hulls)) [[unlikely]] {
    prepared = prepare(call, site);
    if (!prepared || isStopped(core))
      return isStopped(core);
    placeHulls(call, *prepared, hulls);
  }
  if (targetBytes && mayExceed(hulls, targetBytes) && !admitsHost(call, site.id, hulls)) [[unlikely]]
    return isStopped(core);
  if (memory)
    if (const Fact shared = sharingProblem(call, hulls); shared.code) [[unlikely]]
      if (int32_t status = reportAt(core, site.id, shared, /*fatal=*/false))
        return status;
  DirectInstruction instruction;
  instruction.pipe = prepared->pipe;
  instruction.atomic = record.gm == Gm::Store && MoveMode::unpack(call.operands.mode).atomic != AtomicType::AtomicNone;
  if (const UnitFlag flag = unitFlag(call.operands.mode, prepared->pipe); flag != UnitFlag::None) [[unlikely]]
    instruction.unit = unitUse(flag, hulls.all());
  instruction.payloadBytes = sizeof(Call);
  instruction.payload = &call;
  instruction.run = runCall;
  instruction.regions = regionsOf;
  instruction.work = workOfCall;
  if (site.meaning->carries)
    instruction.carry = carryMarks;
  if (site.meaning->indexed)
    instruction.problem = problemOf;
  if (call.operands.isText() && dividesIntegers(call))
    instruction.problem = divisionProblem;
  if (call.operands.isHost() && !has(kFloats, call.operands.tile[0].ref.elem)) [[unlikely]]
    if (call.meaning == logMeaning() || call.meaning == recipMeaning())
      instruction.problem = integerProblem;
  if (call.automatic)
    if (int32_t status = order(prepared->pipe, hulls, site.id)) [[unlikely]]
      return status;
  if (prepared->phases) [[unlikely]]
    return issueInPhases(*prepared->phases, instruction, hulls, site.id);
  return issueDirect(core, site.id, instruction, hulls.all());
}

int32_t Issuer::issueInPhases(const Phases &phases, DirectInstruction &instruction, const Hulls &hulls, SiteId site) {
  for (const Phases::Edge &edge : phases.before())
    if (int32_t status = orderByFlag(core, site, edge.src, edge.dst))
      return status;
  if (int32_t status = issueDirect(core, site, instruction, hulls.all()))
    return status;
  for (const Phases::Edge &edge : phases.after())
    if (int32_t status = orderByFlag(core, site, edge.src, edge.dst))
      return status;
  return 0;
}

/// Equal in everything but address and storage: one comparison of bytes, since every call asks.
static bool sameTile(const TileRef &a, const TileRef &b) {
  constexpr size_t kFrom = offsetof(TileRef, location), kBytes = offsetof(TileRef, storage) - kFrom;
  static_assert(kBytes == 32 && std::has_unique_object_representations_v<TileRef>);
  return std::memcmp(&a.location, &b.location, kBytes) == 0 && a.pad == b.pad;
}
static bool sameView(const GlobalRef &a, const GlobalRef &b) {
  return a.elem == b.elem && a.layout == b.layout && std::equal(a.shape, std::end(a.shape), b.shape) &&
         std::equal(a.stride, std::end(a.stride), b.stride);
}
/// Tiles that begin where tile 0 does still have to: work in place is prepared differently.
static bool sameOperands(const Call &call, const Operands &b) {
  const Operands &a = call.operands;
  if (a.tiles != b.tiles || a.hasGlobal != b.hasGlobal || a.mode != b.mode || a.rules != b.rules ||
      (a.hasGlobal && !sameView(a.global.ref, b.global.ref)))
    return false;
  // Scalars matter only to a footprint function.
  if (call.meaning->footprint && !std::equal(a.scalar, std::end(a.scalar), b.scalar))
    return false;
  for (size_t i = 0; i < a.tiles; ++i) {
    const TileRef &tile = a.tile[i].ref, &known = b.tile[i].ref;
    if (!sameTile(tile, known) || (tile.address == a.tile[0].ref.address) != (known.address == b.tile[0].ref.address))
      return false;
  }
  return true;
}

Fact callProblem(const Call &call, Hulls &hulls) {
  const Operands &ops = call.operands;
  for (size_t i = 0; i < ops.tiles; ++i)
    if (const char *problem = layoutProblem(ops.tile[i].ref); *problem)
      return say::kLayout(problem);
  if (ops.isText())
    if (Fact problem = operandProblem(call); problem.code)
      return problem;
  if (Fact problem = shapeProblem(call, /*refused=*/true); problem.code)
    return problem;
  if (ops.isText())
    if (Fact problem = extentProblem(call); problem.code)
      return problem;
  Footprint footprint(*call.record, ops, &hulls, nullptr);
  tellFootprint(*call.record, call.meaning->footprint, footprint);
  return std::move(footprint.problem);
}

const Issuer::Prepared *Issuer::prepare(const Call &call, SiteState &site) {
  const Operands &ops = call.operands;
  if (site.prepared && sameOperands(call, site.prepared->operands)) [[likely]]
    return site.prepared.get();
  const Pipe pipe = pipeHere(call);
  if (kind != CoreKind::Unified && !ops.isText())
    if (const Fact problem = coreProblem(call, pipe); problem.code) [[unlikely]] {
      reportAt(core, site.id, problem, /*fatal=*/true);
      return nullptr;
    }
  Hulls hulls;
  if (const Fact problem = callProblem(call, hulls); problem.code) [[unlikely]]
    if (reportAt(core, site.id, problem, /*fatal=*/false) || findCode(problem.code)->severity == Severity::Error)
      return nullptr;
  // Reported, and computed: extents in the host profile (REPORT-14), the view's strides go on behind
  // its extents (REPORT-7), and what else is odd.
  for (const Fact &odd : {ops.isHost() ? shapeProblem(call) : Fact(), viewProblem(call), remarkOf(call)})
    if (odd.code) [[unlikely]]
      if (reportAt(core, site.id, odd, /*fatal=*/false))
        return nullptr;
  for (size_t i = 0; i < hulls.count; ++i) {
    const uint64_t base = baseOf(call, hulls.hull[i].operand);
    hulls.hull[i].begin -= base;
    hulls.hull[i].end -= base;
  }
  if (!site.prepared)
    site.prepared = std::make_unique<Prepared>();
  bool scratch = false;
  for (size_t i = 1; i < ops.tiles && !ops.isText(); ++i)
    scratch |= isScratch(call, i);
  // PHASE-3: device rules of C++ only; what the library orders has no flags.
  const Phases *phases = call.meaning->phases && ops.rules == Rules::Cpp && !call.automatic
                             ? phasesOf(*call.meaning->phases, ops, profileOf(core))
                             : nullptr;
  *site.prepared = {ops, hulls, phases ? phases->pipe : pipe, scratch, phases};
  return site.prepared.get();
}

Fact shapeProblem(const Call &call, bool refused) {
  const Operands &ops = call.operands;
  const size_t leading = leadingTile(*call.record);
  const TileRef &lead = ops.tile[leading].ref;
  for (size_t i = 0; i < ops.tiles; ++i) {
    const TileRef &tile = ops.tile[i].ref;
    const char *remedy = "";
    // REPORT-14: computed. What an empty tile or a mask lacks is nowhere.
    if (refused && ops.isHost() && tile.validRows > 0 && tile.validCols > 0 && call.record->tile[i].area != Area::Bits)
      continue;
    if (i == 2 && takesFirstElement(*call.record, ops))
      continue;
    Extents wanted = {lead.validRows, lead.validCols}, has = {tile.validRows, tile.validCols};
    bool fits = true;
    switch (call.record->tile[i].area) {
    case Area::Dst:
      fits = has.rows == wanted.rows && has.cols == wanted.cols;
      remedy = say::kSameShape;
      break;
    case Area::PerColumn:
      wanted.rows = 1;
      fits = lead.validRows == 0 || lead.validCols == 0 || (has.rows >= 1 && has.cols >= wanted.cols);
      remedy = say::kPerColumn;
      break;
    case Area::PerRow:
      wanted.cols = 1;
      if (repeatsLastRow(*call.record, ops))
        wanted.rows = std::min(wanted.rows, 1);
      fits = lead.validRows == 0 || lead.validCols == 0 || (has.cols >= 1 && has.rows >= wanted.rows);
      remedy = say::kPerRow;
      break;
    case Area::Inner:
      wanted = {lead.validCols, tile.validCols};
      fits = has.rows >= wanted.rows;
      remedy = say::kInner;
      break;
    case Area::Bits: {
      const Region bits = bitsNeeded(ops, i, validRegion(lead));
      wanted = {int32_t(bits.rows), int32_t(bits.cols)};
      has = capacityOf(tile);
      fits = has.rows >= wanted.rows && has.cols >= wanted.cols;
      remedy = say::kBits;
      break;
    }
    default:
      break;
    }
    if (fits)
      continue;
    const bool bits = call.record->tile[i].area == Area::Bits;
    const std::string leads = say::kShape(lead.validRows, lead.validCols), own = say::kShape(has.rows, has.cols);
    if (i < leading && call.record->tile[i].area == Area::Dst) // in the order of the call
      return say::kShapesDiffer(nameOf(call, i), own, nameOf(call, leading), leads, remedy);
    if (wanted.rows == lead.validRows && wanted.cols == lead.validCols)
      return (bits ? say::kExtentsDiffer : say::kShapesDiffer)(nameOf(call, leading), leads, nameOf(call, i), own,
                                                               remedy);
    return (bits ? say::kExtentTooSmall : say::kShapeTooSmall)(nameOf(call, leading), leads, nameOf(call, i), own,
                                                               remedy, say::kShape(wanted.rows, wanted.cols));
  }
  return {};
}

int32_t Issuer::order(Pipe pipe, const Hulls &hulls, SiteId site) {
  const bool inOrder = isInOrder(profileOf(core), pipe);
  auto conflicts = [&](const Access &earlier) {
    if (inOrder && earlier.pipe == pipe)
      return false;
    for (const DirectHull &hull : hulls.all())
      if (hull.space == earlier.hull.space && (hull.writes || earlier.hull.writes) && hull.begin < earlier.hull.end &&
          earlier.hull.begin < hull.end)
        return true;
    return false;
  };
  // With more of them, a barrier costs less than the search.
  constexpr size_t kMaxAccesses = 64;
  int32_t status = 0;
  if (unknownSinceBarrier || sinceBarrier.size() > kMaxAccesses ||
      std::any_of(sinceBarrier.begin(), sinceBarrier.end(), conflicts)) {
    forgetAccesses();
    status = ptosc_barrier(core, site, uint32_t(Pipe::All));
  }
  for (const DirectHull &hull : hulls.all())
    sinceBarrier.push_back({pipe, hull});
  return status;
}

int32_t Issuer::orderAll(SiteId site) {
  const bool waits = unknownSinceBarrier || !sinceBarrier.empty();
  forgetAccesses();
  unknownSinceBarrier = true;
  return waits ? ptosc_barrier(core, site, uint32_t(Pipe::All)) : 0;
}

} // namespace ptoscope::tile
