//===- ScopeCostTest.cpp - list schedules of vector scopes ----------------===//
//
// Expected cycles are computed by hand from TIME-70 to TIME-75: 23 to start, 12 to
// drain, 9 for an access, 5 from a load to its use, and so on.
//
//===----------------------------------------------------------------------===//

#include "ScopeMachine.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace ptoscope;
using namespace ptoscope::timing;

namespace {

const Model &a5() { return Model::of(ProfileId::A5); }
constexpr double kFrame = 23 + 12; ///< start and drain

using Use = ScopeInstr::Use;
ScopeInstr instr(Timing timing, std::vector<Use> uses = {}, uint8_t bits = 32) {
  ScopeInstr made{1, timing, bits};
  made.uses = std::move(uses);
  return made;
}
ScopeRegion region(uint32_t parent, uint32_t before, bool isLoop, std::vector<ScopeInstr> instructions) {
  ScopeRegion made;
  made.parent = parent;
  made.before = before;
  made.isLoop = isLoop;
  made.site = 2;
  made.instructions = std::move(instructions);
  return made;
}
ScopeRegion scope(std::vector<ScopeInstr> instructions = {}) { return region(0, 0, false, std::move(instructions)); }
double cycles(std::vector<ScopeRegion> regions, std::vector<uint64_t> turns = {1}) {
  return costOfScope(a5(), {7, std::move(regions)}, turns).busy;
}

/// A load, an instruction on what it gives, a store, as region `number`.
std::vector<ScopeInstr> pass(Timing timing, uint32_t number, uint8_t bits = 32) {
  return {instr(Timing::vld, {}, bits), instr(timing, {{number, 0}}, bits), instr(Timing::vst, {{number, 1}}, bits)};
}

TEST(ScopeCost, NothingTakesStartAndDrain) { EXPECT_EQ(cycles({scope()}), kFrame); }

TEST(ScopeCost, OneInstructionOfEachUnit) {
  // load 5, latency less 4 plus 2 into a store, store 9
  EXPECT_EQ(cycles({scope(pass(Timing::vadds, 0))}), kFrame + 5 + (7 - 4 + 2) + 9);
  EXPECT_EQ(cycles({scope(pass(Timing::vmuls, 0))}), kFrame + 5 + (8 - 4 + 2) + 9);
  EXPECT_EQ(cycles({scope(pass(Timing::vmaxs, 0))}), kFrame + 5 + (6 - 4 + 2) + 9);
  // special functions are reached a cycle later; latency less 3 plus 1
  EXPECT_EQ(cycles({scope(pass(Timing::vexp, 0))}), kFrame + 6 + (16 - 3 + 1) + 9);
  EXPECT_EQ(cycles({scope(pass(Timing::vexp, 0, 16))}), kFrame + 6 + (21 - 3 + 1) + 9);
  EXPECT_EQ(cycles({scope(pass(Timing::vdiv, 0))}), kFrame + 6 + (17 - 3 + 1) + 9);
  // nothing but the access
  EXPECT_EQ(cycles({scope({instr(Timing::vst)})}), kFrame + 9);
  EXPECT_EQ(cycles({scope({instr(Timing::vstx2)})}), kFrame + 12);
}

TEST(ScopeCost, DependentInstructionsAreAProducerDistanceApart) {
  std::vector<ScopeInstr> chain = {instr(Timing::vld)};
  for (uint32_t i = 0; i < 10; ++i)
    chain.push_back(instr(Timing::vadd, {{0, i}}));
  EXPECT_EQ(cycles({scope(chain)}), kFrame + 5 + 9 * 3 + 7);
  for (uint32_t i = 1; i <= 10; ++i)
    chain[i].timing = Timing::vmul;
  EXPECT_EQ(cycles({scope(chain)}), kFrame + 5 + 9 * 4 + 8);
}

TEST(ScopeCost, SomeProducersHaveDistancesOfTheirOwn) {
  // The table of TIME-75: a producer behind a load, and what reads its result.
  auto pair = [](Timing producer, Timing consumer, uint8_t bits = 32) {
    return cycles({scope({instr(Timing::vld), instr(producer, {{0, 0}}, bits), instr(consumer, {{0, 1}})})});
  };
  EXPECT_EQ(pair(Timing::vcmp, Timing::vsel), kFrame + 5 + 2 + 6);
  EXPECT_EQ(pair(Timing::vcmp, Timing::vadd), kFrame + 5 + 4 + 7);
  // `vabs` reads late itself.
  EXPECT_EQ(pair(Timing::vabs, Timing::vadd), kFrame + 6 + 2 + 7);
  EXPECT_EQ(pair(Timing::vabs, Timing::vexp), kFrame + 6 + 2 + 16);
  EXPECT_EQ(pair(Timing::vabs, Timing::vst), kFrame + 6 + 3 + 9);
  EXPECT_EQ(pair(Timing::vcgmax, Timing::vadd), kFrame + 5 + 10 + 7);
  EXPECT_EQ(pair(Timing::vcgmax, Timing::vadd, 16), kFrame + 5 + 11 + 7);
  EXPECT_EQ(pair(Timing::vcgmax, Timing::vsel), kFrame + 5 + 12 + 6);
}

TEST(ScopeCost, IndependentInstructionsStartInPairs) {
  std::vector<ScopeInstr> all = {instr(Timing::vld)};
  for (int i = 0; i < 8; ++i)
    all.push_back(instr(Timing::vadd, {{0, 0}}));
  EXPECT_EQ(cycles({scope(all)}), kFrame + 5 + 3 + 7); // at 5, 6, 7 and 8
}

TEST(ScopeCost, SpecialFunctionsAreLimitedByTheirTwoUnits) {
  for (uint8_t bits : {16, 32}) {
    std::vector<ScopeInstr> all = {instr(Timing::vld, {}, bits)};
    for (int i = 0; i < 6; ++i)
      all.push_back(instr(Timing::vexp, {{0, 0}}, bits));
    EXPECT_EQ(cycles({scope(all)}), kFrame + 6 + (bits == 16 ? 2 * 8 + 21 : 2 * 4 + 16)) << int(bits);
  }
}

TEST(ScopeCost, ReductionsHaveTheFirstPortAlone) {
  std::vector<ScopeInstr> all = {instr(Timing::vld)};
  for (int i = 0; i < 4; ++i)
    all.push_back(instr(Timing::vcmax, {{0, 0}}));
  EXPECT_EQ(cycles({scope(all)}), kFrame + 6 + 3 + 16);
}

TEST(ScopeCost, AccessesShareThePortOfUb) {
  const double each = std::round(a5()["scope.interval.access"] * kCycle) / kCycle;
  std::vector<ScopeInstr> loads(9, instr(Timing::vld)), stores(9, instr(Timing::vst));
  // Five are passed on in a cycle, which is not what limits them.
  EXPECT_EQ(cycles({scope(loads)}), kFrame + 8 * each + 9);
  EXPECT_EQ(cycles({scope(stores)}), kFrame + 8 * each + 9);
}

TEST(ScopeCost, WiderGathersTakeLonger) {
  std::vector<ScopeInstr> gathers(3, instr(Timing::vgather));
  EXPECT_EQ(cycles({scope(gathers)}), kFrame + 2 * a5()["scope.interval.vgather"] + a5()["scope.latency.vgather"]);
}

TEST(ScopeCost, TheFrontEndPassesOnFiveInACycle) {
  // Masks need no port: the eleventh comes in the third cycle, its unit takes one a cycle.
  std::vector<ScopeInstr> none(11, instr(Timing::scalar)), with = none;
  with.push_back(instr(Timing::vst));
  EXPECT_EQ(cycles({scope(with)}), kFrame + 2 + 9);
}

TEST(ScopeCost, AFenceDrains) {
  EXPECT_EQ(cycles({scope({instr(Timing::vst), instr(Timing::vld)})}),
            kFrame + std::round(a5()["scope.interval.access"] * kCycle) / kCycle + 9);
  EXPECT_EQ(cycles({scope({instr(Timing::vst), instr(Timing::fence), instr(Timing::vld)})}), kFrame + 9 + 9);
}

TEST(ScopeCost, LoopsTakeACycleATurn) {
  auto loop = [&](uint64_t turns) { return cycles({scope(), region(0, 0, true, pass(Timing::vmaxs, 1))}, {1, turns}); };
  EXPECT_EQ(loop(0), kFrame);
  EXPECT_EQ(loop(1), 53);
  EXPECT_EQ(loop(2), 53 + 2 + 1); // 2 when it goes back for the first time
  EXPECT_EQ(loop(5), 53 + 2 + 4);
}

TEST(ScopeCost, RowsTakeFiveCyclesMore) {
  // Published for a minimum with a scalar: 10 and 20 rows of 2 and 3 vectors.
  auto nest = [&](uint64_t rows, uint64_t turns) {
    return cycles({scope(), region(0, 0, true, {}), region(1, 0, true, pass(Timing::vmaxs, 2))},
                  {1, rows, rows * turns});
  };
  EXPECT_EQ(nest(10, 2), 119);
  EXPECT_EQ(nest(20, 2), 189);
  EXPECT_NEAR(nest(10, 3), 129, 0.5);
  EXPECT_NEAR(nest(20, 3), 209, 0.5);
}

TEST(ScopeCost, ManyTurnsAreLimitedByUnits) {
  // Two special function units, four cycles each.
  std::vector<ScopeRegion> regions = {scope(), region(0, 0, true, pass(Timing::vexp, 1))};
  EXPECT_EQ(cycles(regions, {1, 200}) - cycles(regions, {1, 100}), 200);
  EXPECT_EQ(cycles(regions, {1, 1000000}) - cycles(regions, {1, 100}), 2 * 999900);
  // A root on one port and a quotient on the other.
  regions[1].instructions = {instr(Timing::vld), instr(Timing::vsqrt, {{1, 0}}), instr(Timing::vdiv, {{1, 1}}),
                             instr(Timing::vst, {{1, 2}})};
  EXPECT_EQ(cycles(regions, {1, 200}) - cycles(regions, {1, 100}), 400);
}

TEST(ScopeCost, CarriedResultsAreAChain) {
  // acc = acc + x: one addition every 3 cycles.
  std::vector<ScopeRegion> regions = {
      scope(), region(0, 0, true, {instr(Timing::vld), instr(Timing::vadd, {{1, 0}, {1, 1, true}})})};
  EXPECT_EQ(cycles(regions, {1, 100}), kFrame + 5 + 99 * 3 + 7);
  // Used behind the loop.
  regions[0].instructions = {instr(Timing::vcadd, {{1, 1}})};
  regions[1].before = 0;
  EXPECT_EQ(cycles(regions, {1, 100}), kFrame + 5 + 99 * 3 + 4 + 22);
  // The sum of the turn before, made earlier in this turn: the store waits for the older one.
  std::vector<ScopeInstr> late = {instr(Timing::vld), instr(Timing::vmul, {{1, 0}}),
                                  instr(Timing::vst, {{1, 1, true}})};
  EXPECT_EQ(cycles({scope(), region(0, 0, true, late)}, {1, 2}), kFrame + 5 + (8 - 4 + 2) + 9);
}

TEST(ScopeCost, ResultsOfOuterRegionsAreWaitedFor) {
  // A scalar becomes a register, 8 cycles before a quotient can use it; the load needs 6.
  std::vector<ScopeInstr> body = pass(Timing::vdiv, 1);
  body[1].uses.push_back({0, 0});
  EXPECT_EQ(cycles({scope({instr(Timing::rearrange)}), region(0, 1, true, body)}, {1, 1}), 67);
}

TEST(ScopeCost, ArmsCostWhatWasEntered) {
  std::vector<ScopeRegion> regions = {scope(), region(0, 0, true, {}), region(1, 0, false, pass(Timing::vexp, 2)),
                                      region(1, 0, false, pass(Timing::vadds, 3))};
  EXPECT_EQ(cycles(regions, {1, 1, 0, 1}), 54);
  EXPECT_EQ(cycles(regions, {1, 1, 1, 0}), 64);
  const double never = cycles(regions, {1, 1000, 0, 1000}), always = cycles(regions, {1, 1000, 1000, 0}),
               half = cycles(regions, {1, 1000, 500, 500});
  EXPECT_LT(never, half);
  EXPECT_LE(half, always);
}

TEST(ScopeCost, TurnsThatDoNotDivideAreSpread) {
  std::vector<ScopeRegion> regions = {scope(), region(0, 0, true, {}), region(1, 0, true, pass(Timing::vexp, 2))};
  const double low = cycles(regions, {1, 16, 16 * 30}), high = cycles(regions, {1, 16, 16 * 31});
  const double between = cycles(regions, {1, 16, 16 * 30 + 8});
  EXPECT_NEAR(between, (low + high) / 2, 2);
  // So many that not all are followed: what is left goes on alike.
  const double few = cycles(regions, {1, 1009, 1009 * 15 + 504}),
               many = cycles(regions, {1, 100003, 100003 * 15 + 50001});
  EXPECT_NEAR((many - kFrame) / (few - kFrame), 100003. / 1009, 0.5);
}

TEST(ScopeCost, SharesAddUp) {
  ScopeSchedule schedule{7, {scope({instr(Timing::rearrange)}), region(0, 1, true, pass(Timing::vexp, 1))}};
  schedule.regions[1].instructions[1].site = 9;
  for (ProfileId profile : {ProfileId::A5, ProfileId::A3}) {
    const Model &model = Model::of(profile);
    std::map<SiteId, double> shares;
    double sum = 0;
    for (auto [site, share] : sharesOfScope(model, schedule, std::vector<uint64_t>{1, 100}))
      shares[site] += share, sum += share;
    EXPECT_NEAR(sum, costOfScope(model, schedule, std::vector<uint64_t>{1, 100}).busy, 1e-9);
    EXPECT_GT(shares[9], sum / 2);
    EXPECT_GT(shares[7], 0);
  }
  EXPECT_EQ(instructionsOfScope(schedule, std::vector<uint64_t>{1, 100}), 301u);
}

TEST(ScopeCost, OthersCountExecutedInstructions) {
  const Model &a3 = Model::of(ProfileId::A3);
  ScopeSchedule schedule{7, {scope(), region(0, 0, true, pass(Timing::vadd, 1))}};
  Cost cost = costOfScope(a3, schedule, std::vector<uint64_t>{1, 64});
  EXPECT_EQ(cost.busy, a3["scope.start"] + 64 * 2);
  EXPECT_EQ(cost.latency, a3["scope.drain"]);
  schedule.regions[1].instructions[1].timing = Timing::vdiv;
  EXPECT_EQ(costOfScope(a3, schedule, std::vector<uint64_t>{1, 64}).busy, a3["scope.start"] + 64 * 4);
  // A copy is as fast as its stores.
  schedule.regions[1].instructions.erase(schedule.regions[1].instructions.begin() + 1);
  EXPECT_EQ(costOfScope(a3, schedule, std::vector<uint64_t>{1, 64}).busy, a3["scope.start"] + 64);
}

/// Skipped turns must not be seen: any bodies, any turns.
TEST(ScopeCost, SkippingTurnsChangesNothing) {
  constexpr Timing kClasses[] = {Timing::vld,       Timing::vst,   Timing::vadd, Timing::vmul,
                                 Timing::vexp,      Timing::vdiv,  Timing::vsel, Timing::rearrange,
                                 Timing::predicate, Timing::vcadd, Timing::vabs, Timing::vgatherb};
  const ScopeFigures figures(a5());
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](uint32_t limit) { return uint32_t(random() % limit); };
    ScopeSchedule schedule{7, {}};
    std::vector<uint64_t> turns;
    const uint32_t count = 2 + below(4);
    for (uint32_t r = 0; r < count; ++r) {
      ScopeRegion made = region(r ? below(r) : 0, 0, r != 0 && below(8) != 0, {});
      made.before = r ? below(uint32_t(schedule.regions[made.parent].instructions.size()) + 1) : 0;
      uint32_t depth = 0;
      for (uint32_t up = made.parent; r && up; up = schedule.regions[up].parent)
        ++depth;
      const uint64_t trips = !made.isLoop ? 1 : depth == 0 ? below(200) : below(12);
      turns.push_back(r ? turns[made.parent] * trips : 1);
      schedule.regions.push_back(made);
      for (uint32_t i = below(9); i > 0; --i) {
        auto &instructions = schedule.regions[r].instructions;
        ScopeInstr next =
            instr(below(60) ? kClasses[below(std::size(kClasses))] : Timing::fence, {}, below(2) ? 16 : 32);
        for (uint32_t u = below(3); u > 0 && !instructions.empty(); --u)
          next.uses.push_back({r, below(uint32_t(instructions.size())), below(4) == 0});
        if (uint32_t outer = schedule.regions[r].parent; below(4) == 0 && !schedule.regions[outer].instructions.empty())
          next.uses.push_back({outer, 0, below(2) == 0});
        instructions.push_back(std::move(next));
      }
    }
    EXPECT_EQ(ScopeMachine(figures, schedule, turns).run(), ScopeMachine(figures, schedule, turns, false).run())
        << "seed " << seed;
  }
}

//===----------------------------------------------------------------------===//
// Tile instructions
//===----------------------------------------------------------------------===//

struct Anchor {
  const char *name;
  uint8_t from, to;
  uint32_t rows, cols;
  bool isContiguous;
  double published; ///< simulator (U)
};
Work workOf(const Anchor &anchor) {
  Work work;
  work.kind = Work::Kind::Vector;
  work.name = anchor.name;
  work.fromBits = anchor.from;
  work.toBits = anchor.to;
  work.isFloat = true;
  work.rows = anchor.rows;
  work.cols = anchor.cols;
  work.isContiguous = anchor.isContiguous;
  return work;
}

/// No figure is fitted to these but the row overhead and the interval of accesses.
TEST(TileSchedule, AgreesWithPublishedCycles) {
  constexpr Anchor kAnchors[] = {
      {"TADD", 32, 32, 1, 320, true, 62},       {"TADD", 32, 32, 10, 640, false, 245},
      {"TMUL", 32, 32, 3, 192, false, 76},      {"TMINS", 32, 32, 20, 192, false, 209},
      {"TNEG", 32, 32, 1, 64, true, 55},        {"TEXP", 32, 32, 20, 1280, false, 862},
      {"TEXP", 16, 16, 10, 384, false, 183},    {"TSQRT", 32, 32, 3, 1280, false, 183},
      {"TDIVS", 32, 32, 20, 128, false, 201},   {"TRECIP", 32, 32, 1, 64, true, 67},
      {"TRSQRT", 32, 32, 10, 1280, false, 877}, {"TRSQRT", 16, 16, 1, 640, true, 122},
      {"TCVT", 32, 16, 3, 1280, false, 127},    {"TCVT", 16, 16, 3, 384, false, 75},
      {"TCVT", 16, 32, 10, 64, false, 66},
  };
  for (const Anchor &anchor : kAnchors) {
    std::optional<Cost> cost = scheduleOfTile(a5(), workOf(anchor));
    ASSERT_TRUE(cost) << anchor.name;
    EXPECT_NEAR(cost->busy, anchor.published, 0.03 * anchor.published)
        << anchor.name << ' ' << anchor.rows << 'x' << anchor.cols;
  }
}

TEST(TileSchedule, KnowsWhatItDoesNotKnow) {
  EXPECT_FALSE(scheduleOfTile(a5(), workOf({"TCVT", 32, 8, 10, 128, false, 181})));
  EXPECT_FALSE(scheduleOfTile(a5(), workOf({"TSEL", 32, 32, 1, 320, true, 91})));
  EXPECT_FALSE(scheduleOfTile(a5(), workOf({"TSORT32", 32, 32, 1, 32, true, 0})));
  EXPECT_FALSE(scheduleOfTile(Model::of(ProfileId::A3), workOf({"TADD", 32, 32, 1, 64, true, 0})));
  Work exact = workOf({"TRECIP", 32, 32, 1, 64, true, 0});
  exact.isExact = true;
  EXPECT_FALSE(scheduleOfTile(a5(), exact));
  EXPECT_FALSE(scheduleOfTile(a5(), Work()));
}

} // namespace
