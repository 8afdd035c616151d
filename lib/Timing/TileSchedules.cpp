//===- TileSchedules.cpp - tile instructions of A5 as vector scopes -------===//
//
// TIME-75: an instruction on a tile is a loop over its rows around a loop over the
// vectors of a row, or one loop where rows follow each other or have one vector
// each. What stands in the loop is what the instruction's name says: a mask, loads,
// arithmetic, a store. No instruction has a fit of its own; the figures are those of
// scopes.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Timing/Scopes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ptoscope::timing {

namespace {

struct Sequence {
  std::string_view name;
  uint8_t loads;   ///< of tiles
  bool selects;    ///< and of a mask, packed
  bool broadcasts; ///< a scalar becomes a register before the loop, for the last step
  Timing first, second = Timing::none;
};
constexpr Sequence kSequences[] = {
    {"TADD", 2, false, false, Timing::vadd},         {"TSUB", 2, false, false, Timing::vadd},
    {"TADDRELU", 2, false, false, Timing::vaddrelu}, {"TSUBRELU", 2, false, false, Timing::vsubrelu},
    {"TMUL", 2, false, false, Timing::vmul},         {"TMAX", 2, false, false, Timing::vmax},
    {"TMIN", 2, false, false, Timing::vmax},         {"TAND", 2, false, false, Timing::vand},
    {"TOR", 2, false, false, Timing::vand},          {"TXOR", 2, false, false, Timing::vand},
    {"TSHL", 2, false, false, Timing::vshl},         {"TSHR", 2, false, false, Timing::vshl},
    {"TDIV", 2, false, false, Timing::vdiv},         {"TADDS", 1, false, false, Timing::vadds},
    {"TSUBS", 1, false, false, Timing::vadds},       {"TMULS", 1, false, false, Timing::vmuls},
    {"TMAXS", 1, false, false, Timing::vmaxs},       {"TMINS", 1, false, false, Timing::vmaxs},
    {"TSHLS", 1, false, false, Timing::vshls},       {"TSHRS", 1, false, false, Timing::vshls},
    {"TDIVS", 1, false, true, Timing::vdiv},         {"TRECIP", 1, false, true, Timing::vdiv},
    {"TABS", 1, false, false, Timing::vabs},         {"TNEG", 1, false, false, Timing::vneg},
    {"TNOT", 1, false, false, Timing::vnot},         {"TRELU", 1, false, false, Timing::vrelu},
    {"TEXP", 1, false, false, Timing::vexp},         {"TLOG", 1, false, false, Timing::vln},
    {"TSQRT", 1, false, false, Timing::vsqrt},       {"TRSQRT", 1, false, true, Timing::vsqrt, Timing::vdiv},
    {"TSEL", 2, true, false, Timing::vsel},          {"TCVT", 1, false, false, Timing::vcvt},
};

constexpr uint32_t kVectorBits = 8 * kVectorBytes;

/// The body of the loop, in its region.
class Body {
public:
  Body(ScopeRegion &region, uint32_t number, const Work &work) : region(region), number(number), work(work) {}

  uint32_t add(Timing timing, std::initializer_list<uint32_t> uses) {
    ScopeInstr instr{kNoSite, timing, std::max<uint8_t>(work.fromBits, 8), work.isFloat};
    for (uint32_t producer : uses)
      instr.uses.push_back({number, producer});
    region.instructions.push_back(std::move(instr));
    return uint32_t(region.instructions.size()) - 1;
  }
  /// It uses the first instruction of the scope as well.
  void useScalar(uint32_t position) { region.instructions[position].uses.push_back({0, 0}); }

private:
  ScopeRegion &region;
  uint32_t number;
  const Work &work;
};

/// Two registers of 32-bit elements become one of half the width.
void addNarrowing(Body &body) {
  const uint32_t mask = body.add(Timing::predicate, {});
  const uint32_t even = body.add(Timing::vld, {}), odd = body.add(Timing::vld, {});
  const uint32_t low = body.add(Timing::vcvt, {mask, even}), high = body.add(Timing::vcvt, {mask, odd});
  const uint32_t both = body.add(Timing::vand, {mask, low, high});
  body.add(Timing::vst, {mask, both});
}

void addSteps(Body &body, const Sequence &sequence) {
  const uint32_t mask = body.add(Timing::predicate, {});
  const uint32_t chosen = sequence.selects ? body.add(Timing::vld, {}) : mask;
  const uint32_t a = body.add(Timing::vld, {}), b = sequence.loads > 1 ? body.add(Timing::vld, {}) : a;
  uint32_t result = body.add(sequence.first, {mask, chosen, a, b});
  if (sequence.second != Timing::none)
    result = body.add(sequence.second, {mask, result});
  if (sequence.broadcasts)
    body.useScalar(result);
  body.add(Timing::vst, {mask, result});
}

uint64_t divideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

} // namespace

std::optional<Cost> scheduleOfTile(const Model &model, const Work &work) {
  const auto *sequence = std::find_if(std::begin(kSequences), std::end(kSequences),
                                      [&](const Sequence &row) { return work.name && row.name == work.name; });
  if (model.profile() != ProfileId::A5 || sequence == std::end(kSequences) || work.isExact || work.fromBits == 0)
    return std::nullopt;
  // Masks of 32-bit elements are read for two registers at once (TIME-21).
  if (sequence->selects && work.fromBits > 16)
    return std::nullopt;
  const bool converts = sequence->first == Timing::vcvt;
  // How the others are made is not known: they pass registers through UB or tables.
  if (converts && !(work.fromBits == 16 && work.toBits >= 8) && !(work.fromBits == 32 && work.toBits == 16))
    return std::nullopt;
  const bool narrows = converts && work.fromBits == 32 && !work.isContiguous;
  const uint32_t widest = narrows ? work.toBits : std::max(work.fromBits, converts ? work.toBits : uint8_t(0));
  const uint64_t lanes = kVectorBits / widest;

  const uint64_t perRow = divideUp(work.cols, lanes);
  const bool isFlat = work.isContiguous || perRow <= 1;
  const uint64_t all = work.isContiguous ? divideUp(uint64_t(work.rows) * work.cols, lanes) : work.rows * perRow;
  ScopeSchedule schedule{kNoSite, {{}}};
  if (sequence->broadcasts)
    Body(schedule.regions[0], 0, work).add(Timing::rearrange, {});
  ScopeRegion loop;
  loop.before = uint32_t(schedule.regions[0].instructions.size());
  loop.isLoop = true;
  schedule.regions.push_back(loop);
  std::vector<uint64_t> turns = {1, isFlat ? all : work.rows};
  if (!isFlat) {
    loop.parent = 1;
    loop.before = 0;
    schedule.regions.push_back(loop);
    turns.push_back(all);
  }
  Body body(schedule.regions.back(), uint32_t(schedule.regions.size()) - 1, work);
  if (narrows)
    addNarrowing(body);
  else
    addSteps(body, *sequence);
  return costOfScope(model, schedule, turns);
}

} // namespace ptoscope::timing
