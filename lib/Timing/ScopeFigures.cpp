//===- ScopeFigures.cpp - figures of instructions in vector scopes --------===//

#include "ScopeFigures.h"
#include "Figures.h"

#include <algorithm>
#include <cmath>

namespace ptoscope::timing {

namespace {

/// Classes that have a latency in common.
enum class Row : uint8_t {
  vabs,
  vand,
  vadd,
  vmul,
  vmula,
  vexp,
  vln,
  vsqrt,
  vdiv,
  vexpdif,
  vpow,
  vcmax,
  vcadd,
  vcgmax,
  vcgadd,
  rearrange,
  predicate,
  random,
  vld,
  vst,
  vstx2,
  vgather,
  vgatherb,
  vscatter,
  none,
};
struct LatencyRow {
  const char *name;
  bool hasNarrow; ///< elements of at most 16 bits have a figure of their own
};
constexpr LatencyRow kLatencies[] = {
    {"vabs", false},      {"vand", false},      {"vadd", false},     {"vmul", false},     {"vmula", false},
    {"vexp", true},       {"vln", true},        {"vsqrt", true},     {"vdiv", true},      {"vexpdif", true},
    {"vpow", true},       {"vcmax", true},      {"vcadd", true},     {"vcgmax", true},    {"vcgadd", true},
    {"rearrange", false}, {"predicate", false}, {"random", false},   {"vld", false},      {"vst", false},
    {"vstx2", false},     {"vgather", false},   {"vgatherb", false}, {"vscatter", false},
};
static_assert(std::size(kLatencies) == size_t(Row::none));

/// Arithmetic that passes on its result as special functions do.
constexpr bool forwardsLate(Row row) { return row == Row::vabs || row == Row::vcgmax || row == Row::vcgadd; }

/// A2 and A3: cycles of an executed instruction. Loads belong to the instructions that use
/// them.
enum class Each : uint8_t { Nothing, One, Two, Four };

struct Class {
  ScopeUnit unit = ScopeUnit::None;
  Row row = Row::none;
  Each each = Each::Nothing;
};

/// Every class that a scope may contain; others only pass the front end.
constexpr auto kClasses = [] {
  std::array<Class, std::size(kTimingNames)> classes{};
  using enum ScopeUnit;
  using T = Timing;
  auto put = [&](T timing, ScopeUnit unit, Row row, Each each) { classes[size_t(timing)] = {unit, row, each}; };
  put(T::fence, Fence, Row::none, Each::Nothing);
  put(T::vld, Load, Row::vld, Each::Nothing);
  put(T::vst, Store, Row::vst, Each::Nothing);
  put(T::vstx2, Store, Row::vstx2, Each::Nothing);
  put(T::vgather, Load, Row::vgather, Each::Nothing);
  put(T::vgatherb, Load, Row::vgatherb, Each::Nothing);
  put(T::vscatter, Store, Row::vscatter, Each::Nothing);
  put(T::predicate, Mask, Row::predicate, Each::Nothing);
  put(T::rearrange, Alu0, Row::rearrange, Each::One);
  put(T::vabs, Alu, Row::vabs, Each::One);
  put(T::vrelu, Alu, Row::vabs, Each::One);
  put(T::vnot, Alu, Row::vabs, Each::One);
  put(T::vadd, Alu, Row::vadd, Each::Two);
  put(T::vaddc, Alu, Row::vadd, Each::Two);
  put(T::vaddrelu, Alu, Row::vadd, Each::Two);
  put(T::vsubrelu, Alu, Row::vadd, Each::Two);
  put(T::vadds, Alu, Row::vadd, Each::One);
  put(T::vcvt, Alu, Row::vadd, Each::Two);
  put(T::vand, Alu, Row::vand, Each::One);
  put(T::vcmp, Alu, Row::vand, Each::One);
  put(T::vsel, Alu, Row::vand, Each::Two);
  put(T::vmax, Alu, Row::vand, Each::Two);
  put(T::vmaxs, Alu, Row::vand, Each::One);
  put(T::vshl, Alu, Row::vand, Each::One);
  put(T::vshls, Alu, Row::vand, Each::One);
  put(T::vmul, Alu, Row::vmul, Each::Two);
  put(T::vmull, Alu, Row::vmul, Each::Two);
  put(T::vmuls, Alu, Row::vmul, Each::One);
  put(T::vneg, Alu, Row::vmul, Each::One);
  put(T::vprelu, Alu, Row::vmul, Each::Two);
  put(T::vmula, Alu, Row::vmula, Each::Two);
  put(T::vaxpy, Alu, Row::vmula, Each::Two);
  put(T::vexp, Sfu, Row::vexp, Each::Two);
  put(T::vexpdif, Sfu, Row::vexpdif, Each::Four);
  put(T::vln, Sfu, Row::vln, Each::Two);
  put(T::vsqrt, Sfu, Row::vsqrt, Each::Two);
  put(T::vdiv, Sfu, Row::vdiv, Each::Four);
  put(T::vpow, Sfu, Row::vpow, Each::Four);
  put(T::vcadd, Sfu0, Row::vcadd, Each::Two);
  put(T::vcmax, Sfu0, Row::vcmax, Each::Two);
  put(T::vcgadd, Alu, Row::vcgadd, Each::Two);
  put(T::vcgmax, Alu, Row::vcgmax, Each::Two);
  put(T::vcpadd, Alu, Row::vcgadd, Each::Two);
  put(T::vchist, Sfu0, Row::vcadd, Each::Four);
  put(T::vdhist, Sfu0, Row::vcadd, Each::Four);
  put(T::random, Sfu, Row::random, Each::Four);
  return classes;
}();

/// A key of one figure, and where it goes.
struct Single {
  const char *key;
  const char *unit;
  double smallest, largest;
  const char *meaning;
};
constexpr Single kFront[] = {
    {"scope.width", "instructions", 1, 64, "a cycle, that the front end of a scope passes on"},
    {"scope.queue", "instructions", 1, 4096, "of a scope that may wait for their units"},
    {"scope.turn", "cycles", 0, 1e3, "from turn to turn of a loop in a scope, at least"},
    {"scope.first_repeat", "cycles", 0, 1e3, "more, when a scope goes back for the first time"},
    {"scope.leave", "cycles", 0, 1e3, "from the last turn of a loop in a scope to what follows"},
    {"scope.interval.access", "cycles", 0, 1e3, "the port of UB, for each vector load and store"},
    {"scope.interval.vgather", "cycles", 0, 1e4, "the same, for elements by index"},
    {"scope.interval.vgatherb", "cycles", 0, 1e4, "the same, for blocks by index"},
    {"scope.interval.vscatter", "cycles", 0, 1e4, "the same, for elements to an index"},
    {"scope.interval.sfu", "cycles", 0, 1e4, "one of two special function units, for 32-bit elements"},
    {"scope.interval16.sfu", "cycles", 0, 1e4, "the same, for elements of at most 16 bits"},
    {"scope.use.vld", "cycles", 0, 1e4, "a load to the instruction that uses it"},
    {"scope.use.predicate", "cycles", 0, 1e4, "an instruction on masks to one that uses its mask"},
    {"scope.use.rearrange", "cycles", 0, 1e4, "an instruction that moves lanes to one that uses them"},
    {"scope.use.rearrange_store", "cycles", 0, 1e4, "the same, to a store"},
    {"scope.use.vcmp", "cycles", 0, 1e4, "a comparison to an instruction that uses its mask"},
    {"scope.use.vcmp_vsel", "cycles", 0, 1e4, "the same, to a `vsel`"},
    {"scope.forward.alu", "cycles", 0, 1e3, "before its latency ends, an instruction passes on its result"},
    {"scope.forward.sfu", "cycles", 0, 1e3, "the same, for special functions, reductions and `vabs`"},
    {"scope.into.late", "cycles", 0, 1e3, "more, into special functions, vabs and moves of lanes"},
    {"scope.into.store", "cycles", 0, 1e3, "more, into stores and vsel"},
    {"scope.into.store_sfu", "cycles", 0, 1e3, "more, from special functions into stores"},
};
constexpr Single kEach[] = {
    {"scope.each.one", "cycles", 0, 1e3, "an executed vector instruction: unary, with a scalar, logic"},
    {"scope.each.two", "cycles", 0, 1e3, "the same: of two registers, functions, conversions, reductions"},
    {"scope.each.four", "cycles", 0, 1e3, "the same: quotients and what consists of several"},
    {"scope.each.store", "cycles", 0, 1e3, "an executed vector store, where stores are more than the rest"},
};

Tick ticks(double cycles) { return Tick(std::llround(cycles * double(kCycle))); }

const Class &classOf(Timing timing) { return kClasses[size_t(timing)]; }

} // namespace

std::vector<FigureInfo> figuresOfScopes() {
  std::vector<FigureInfo> figures = {
      {"scope.start", "cycles", "of a vector scope, before its first instruction", 0, 1e6, kOfAll},
      {"scope.drain", "cycles", "of a vector scope, after its last instruction", 0, 1e6, kOfAll},
  };
  auto add = [&](const Single &single, uint8_t profiles) {
    figures.push_back({single.key, single.unit, single.meaning, single.smallest, single.largest, profiles});
  };
  for (const Single &single : kFront)
    add(single, kOfA5);
  for (const LatencyRow &row : kLatencies) {
    const std::string what = std::string("start to end of a `") + row.name + "` in a scope, and of what costs alike";
    figures.push_back({std::string("scope.latency.") + row.name, "cycles", what, 0, 1e4, kOfA5});
    if (row.hasNarrow)
      figures.push_back({std::string("scope.latency16.") + row.name, "cycles", what + ", elements of at most 16 bits",
                         0, 1e4, kOfA5});
  }
  for (const Single &single : kEach)
    add(single, kOfA3);
  return figures;
}

ScopeFigures::ScopeFigures(const Model &model)
    : start(model["scope.start"]), drain(model["scope.drain"]), isScheduled(model.profile() == ProfileId::A5) {
  if (!isScheduled) {
    each = {0, model["scope.each.one"], model["scope.each.two"], model["scope.each.four"]};
    storeEach = model["scope.each.store"];
    return;
  }
  width = uint32_t(model["scope.width"]);
  queue = uint32_t(model["scope.queue"]);
  auto figure = [&](const char *key) { return ticks(model[key]); };
  turn = figure("scope.turn");
  firstRepeat = figure("scope.first_repeat");
  leave = figure("scope.leave");
  access = figure("scope.interval.access");
  gather = figure("scope.interval.vgather");
  gatherBlocks = figure("scope.interval.vgatherb");
  scatter = figure("scope.interval.vscatter");
  special = figure("scope.interval.sfu");
  specialNarrow = figure("scope.interval16.sfu");
  loadUse = figure("scope.use.vld");
  maskUse = figure("scope.use.predicate");
  moveUse = figure("scope.use.rearrange");
  moveStore = figure("scope.use.rearrange_store");
  compareUse = figure("scope.use.vcmp");
  compareSelect = figure("scope.use.vcmp_vsel");
  forwardAlu = figure("scope.forward.alu");
  forwardSfu = figure("scope.forward.sfu");
  intoLate = figure("scope.into.late");
  intoStore = figure("scope.into.store");
  intoStoreSfu = figure("scope.into.store_sfu");
  Tick longest = std::max({loadUse, maskUse, moveUse, moveStore, compareUse, compareSelect});
  for (const LatencyRow &row : kLatencies) {
    Latency latency;
    latency.full = figure((std::string("scope.latency.") + row.name).c_str());
    latency.narrow = row.hasNarrow ? figure((std::string("scope.latency16.") + row.name).c_str()) : latency.full;
    longest = std::max({longest, latency.full, latency.narrow});
    latencies.push_back(latency);
  }
  horizon = longest + intoLate + intoStore + intoStoreSfu;
}

ScopeOp ScopeFigures::operationOf(const ScopeInstr &instr) const {
  const Class &row = classOf(instr.timing);
  ScopeOp op;
  op.unit = row.unit;
  op.timing = instr.timing;
  if (row.row != Row::none) {
    const Latency &latency = latencies[size_t(row.row)];
    op.latency = instr.bits <= 16 ? latency.narrow : latency.full;
  }
  // To arithmetic; later than that to units that read late, to stores, to `vsel`.
  auto uses = [&](Tick use, Tick late, Tick store, Tick select) {
    op.use = std::max<Tick>(use, 0);
    op.lateUse = op.use + late;
    op.storeUse = op.use + store;
    op.selectUse = op.use + select;
  };
  // Two instructions a cycle, one for each port, is what arithmetic takes at least.
  op.weight = 1.0 / width;
  switch (row.unit) {
  case ScopeUnit::None:
  case ScopeUnit::Fence:
    break;
  case ScopeUnit::Load:
  case ScopeUnit::Store:
    op.interval = row.row == Row::vgather    ? gather
                  : row.row == Row::vgatherb ? gatherBlocks
                  : row.row == Row::vscatter ? scatter
                                             : access;
    // What takes longer than a load passes on its result as much later.
    uses(loadUse + op.latency - latencies[size_t(Row::vld)].full, intoLate, 0, 0);
    op.weight = std::max(op.weight, double(op.interval) / double(kCycle));
    break;
  case ScopeUnit::Mask:
    uses(maskUse, 0, 0, 0);
    op.weight = 1;
    break;
  case ScopeUnit::Alu0:
    uses(moveUse, 0, moveStore - moveUse, 0);
    op.weight = 1;
    break;
  case ScopeUnit::Alu:
    if (op.timing == Timing::vcmp)
      uses(compareUse, 0, 0, compareSelect - compareUse);
    else if (forwardsLate(row.row))
      uses(op.latency - forwardSfu, 0, intoStoreSfu, intoStore);
    else
      uses(op.latency - forwardAlu, intoLate, intoStore, intoStore);
    op.weight = std::max(op.weight, 0.5);
    break;
  case ScopeUnit::Sfu:
    op.interval = instr.bits <= 16 ? specialNarrow : special;
    uses(op.latency - forwardSfu, 0, intoStoreSfu, intoStoreSfu);
    op.weight = std::max({op.weight, 0.5, 0.5 * double(op.interval) / double(kCycle)});
    break;
  case ScopeUnit::Sfu0:
    op.interval = kCycle;
    uses(op.latency - forwardSfu, 0, intoStoreSfu, intoStoreSfu);
    op.weight = 1;
    break;
  }
  return op;
}

Tick ScopeFigures::distance(const ScopeOp &producer, const ScopeOp &consumer) {
  if (consumer.timing == Timing::vsel)
    return producer.selectUse;
  if (consumer.unit == ScopeUnit::Store)
    return producer.storeUse;
  if (isSpecial(consumer.unit) || consumer.unit == ScopeUnit::Alu0 || consumer.timing == Timing::vabs)
    return producer.lateUse;
  return producer.use;
}

double ScopeFigures::cyclesOf(const ScopeInstr &instr) const { return each[size_t(classOf(instr.timing).each)]; }

double ScopeFigures::storesOf(const ScopeInstr &instr) const {
  return classOf(instr.timing).unit == ScopeUnit::Store ? storeEach : 0;
}

} // namespace ptoscope::timing
