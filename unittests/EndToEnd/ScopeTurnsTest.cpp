//===- ScopeTurnsTest.cpp - schedules and counted turns of vector scopes --===//
//
// What the compiler tells timing of a scope, and what generated code counts,
// against loops of this file that count the same.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Driver/Session.h"

#include "gtest/gtest.h"

#include <set>
#include <tuple>

using namespace ptoscope;
using namespace ptoscope::timing;

namespace {

/// Keeps the turns of every scope, in the order in which they run.
struct Turns : ObserverFactory {
  struct Block : Observer {
    explicit Block(Turns &all) : all(all) {}
    void scopeTurns(const Instr &instr, std::span<const uint64_t> turns) override {
      all.sites.push_back(instr.site);
      all.turns.emplace_back(turns.begin(), turns.end());
    }
    Turns &all;
  };
  std::unique_ptr<Observer> beginBlock(int64_t, FindingList &) override { return std::make_unique<Block>(*this); }
  void endBlock(int64_t, std::unique_ptr<Observer>, FindingList &) override {}
  std::vector<SiteId> sites;
  std::vector<std::vector<uint64_t>> turns;
};

struct Compiled {
  Session session;
  std::unique_ptr<CompiledKernel> kernel;
  const Profile *profile = nullptr;
  CompileOptions compileOptions;

  Compiled(const std::string &parameters, const std::string &body, Checks checks, ScheduleKind schedule,
           bool countsTurns = true) {
    const std::string text =
        "module attributes {pto.target_arch = \"a5\", pto.kernel_kind = #pto.kernel_kind<vector>} {\n"
        "func.func @k(" +
        parameters +
        ") attributes {pto.kernel} {\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
        "%c3 = arith.constant 3 : index\n%zero = arith.constant 0 : i64\n"
        "%a = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>\n" +
        body + "return\n}\n}\n";
    FindingList findings;
    std::unique_ptr<ParsedProgram> parsed = session.parse("k.pto", text, {}, findings);
    compileOptions.checks = checks;
    compileOptions.schedule = schedule;
    compileOptions.countsTurns = countsTurns;
    if (parsed->module) {
      profile = parsed->profile;
      kernel = session.compile(*parsed, compileOptions, findings);
    }
    for (const Finding &finding : findings.all())
      ADD_FAILURE() << finding.place.line << ": " << finding.message;
  }

  Turns run(const std::vector<uint64_t> &scalars) {
    Turns turns;
    LaunchOptions options;
    options.profile = profile;
    options.checks = compileOptions.checks;
    options.schedule.kind = compileOptions.schedule;
    options.observers = &turns;
    LaunchResult result = launch(kernel->image, GmTable(), scalars, options);
    EXPECT_TRUE(result.completed);
    return turns;
  }
};

const std::string kLoad = "pto.vlds %a[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>\n";
const std::string kStore = "pto.vsts %x, %a[%c0], %all : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>\n";

const std::string kLoops = R"(pto.vecscope {
  %all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
  %x = )" + kLoad + R"(
  scf.for %i = %c0 to %n step %c1 {
    )" + kStore + R"(
    scf.for %j = %c0 to %i step %c1 {
      )" + kStore + R"(
    }
    scf.for %j = %n to %c0 step %c1 {
      )" + kStore + R"(
    }
    %rest = arith.remui %i, %c2 : index
    %isOdd = arith.cmpi ne, %rest, %c0 : index
    scf.if %isOdd {
      )" + kStore + R"(
    } else {
      %isSmall = arith.cmpi slt, %i, %c3 : index
      scf.if %isSmall {
        )" + kStore + R"(
      }
    }
    scf.if %isOdd {
      %unused = arith.addi %i, %i : index
    }
  }
  scf.for %i = %c0 to %n step %m {
    )" + kStore + R"(
  }
  %last = scf.while (%t = %c0) : (index) -> index {
    )" + kStore + R"(
    %square = arith.muli %t, %t : index
    %goesOn = arith.cmpi slt, %square, %n : index
    scf.condition(%goesOn) %t : index
  } do {
  ^bb0(%t: index):
    )" + kStore + R"(
    %next = arith.addi %t, %c1 : index
    scf.yield %next : index
  }
}
)";

std::vector<uint64_t> countedHere(int64_t n, int64_t m) {
  std::vector<uint64_t> turns(10);
  ++turns[0];
  for (int64_t i = 0; i < n; ++i) {
    ++turns[1];
    for (int64_t j = 0; j < i; ++j)
      ++turns[2];
    for (int64_t j = n; j < 0; ++j)
      ++turns[3];
    if (i % 2 != 0) {
      ++turns[4];
    } else {
      ++turns[5];
      turns[6] += i < 3;
    }
  }
  for (int64_t i = 0; i < n; i += m)
    ++turns[7];
  int64_t t = 0;
  while (++turns[8], t * t < n) {
    ++turns[9];
    ++t;
  }
  return turns;
}

TEST(ScopeTurns, AreCountedExactly) {
  for (bool checked : {false, true})
    for (ScheduleKind schedule : {ScheduleKind::Eager, ScheduleKind::Lazy, ScheduleKind::Random}) {
      // Stores of one scope to one place, of bytes that no one wrote: other checks would say so.
      const Checks checks{false, checked, false, checked};
      Compiled program("%n: index, %m: index", kLoops + kLoops, checks, schedule);
      ASSERT_TRUE(program.kernel);
      for (auto [n, m] : {std::pair<int64_t, int64_t>{0, 1}, {1, 1}, {2, 5}, {9, 2}, {17, 3}, {100, 7}}) {
        Turns turns = program.run({uint64_t(n), uint64_t(m)});
        ASSERT_EQ(turns.turns.size(), 2u);
        EXPECT_EQ(turns.turns[0], countedHere(n, m)) << n << ' ' << m;
        EXPECT_EQ(turns.turns[1], countedHere(n, m)) << n << ' ' << m;
        for (SiteId site : turns.sites)
          EXPECT_NE(program.kernel->image.scopes->find(site), nullptr);
        EXPECT_NE(turns.sites[0], turns.sites[1]);
      }
    }
}

/// Long loops are run in parts; they are counted once.
TEST(ScopeTurns, LongLoopsAreCountedOnce) {
  Compiled program("%n: index, %m: index", kLoops, Checks::none(), ScheduleKind::Eager);
  ASSERT_TRUE(program.kernel);
  EXPECT_EQ(program.run({3000, 1}).turns.at(0), countedHere(3000, 1));
}

TEST(ScopeTurns, NoOneCountsUnlessAsked) {
  Compiled program("%n: index, %m: index", kLoops, Checks::none(), ScheduleKind::Eager, false);
  ASSERT_TRUE(program.kernel);
  EXPECT_TRUE(program.run({9, 2}).turns.empty());
  EXPECT_EQ(program.kernel->image.scopes, nullptr);
}

TEST(ScopeSchedule, HasRegionsInstructionsAndUses) {
  Compiled program("%n: index", R"(pto.vecscope {
  %all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
  %x = )" + kLoad + R"(
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> !pto.vreg<64xf32> {
    %v = )" + kLoad + R"(
    %t = pto.vadd %s, %v, %all : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
    scf.yield %t : !pto.vreg<64xf32>
  }
  pto.mem_bar "VST_VLD"
  %isOne = arith.cmpi eq, %n, %c1 : index
  %y = scf.if %isOne -> !pto.vreg<64xf32> {
    %e = pto.vexp %sum, %all : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
    scf.yield %e : !pto.vreg<64xf32>
  } else {
    scf.yield %x : !pto.vreg<64xf32>
  }
  %h = pto.vcvt %y, %all {rnd = "R", sat = "SAT", part = "EVEN"} : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<128xf16>
}
)",
                   Checks::none(), ScheduleKind::Eager);
  ASSERT_TRUE(program.kernel);
  Turns turns = program.run({1});
  const ScopeSchedule *schedule = program.kernel->image.scopes->find(turns.sites.at(0));
  ASSERT_NE(schedule, nullptr);
  ASSERT_EQ(schedule->regions.size(), 3u);
  EXPECT_EQ(program.kernel->image.mostScopeRegions, 3u);

  const ScopeRegion &scope = schedule->regions[0], &loop = schedule->regions[1], &arm = schedule->regions[2];
  EXPECT_FALSE(scope.isLoop);
  EXPECT_TRUE(loop.isLoop);
  EXPECT_FALSE(arm.isLoop);
  EXPECT_EQ(loop.before, 2u);
  EXPECT_EQ(arm.before, 3u);
  auto timings = [](const ScopeRegion &region) {
    std::vector<Timing> all;
    for (const ScopeInstr &instr : region.instructions)
      all.push_back(instr.timing);
    return all;
  };
  EXPECT_EQ(timings(scope), (std::vector{Timing::predicate, Timing::vld, Timing::fence, Timing::vcvt}));
  EXPECT_EQ(timings(loop), (std::vector{Timing::vld, Timing::vadd}));
  EXPECT_EQ(timings(arm), (std::vector{Timing::vexp}));

  using Uses = std::set<std::tuple<uint32_t, uint32_t, bool>>;
  auto uses = [](const ScopeInstr &instr) {
    Uses all;
    for (const ScopeInstr::Use &use : instr.uses)
      all.insert({use.region, use.producer, use.carried});
    return all;
  };
  EXPECT_EQ(uses(scope.instructions[1]), Uses());
  // What the loop begins with, its own result of the turn before, the load, the mask.
  EXPECT_EQ(uses(loop.instructions[1]), (Uses{{0, 1, false}, {1, 1, true}, {1, 0, false}, {0, 0, false}}));
  EXPECT_EQ(uses(arm.instructions[0]), (Uses{{1, 1, false}, {0, 1, false}, {0, 0, false}}));
  EXPECT_EQ(uses(scope.instructions[3]), (Uses{{2, 0, false}, {0, 1, false}, {0, 0, false}}));
  EXPECT_EQ(scope.instructions[3].bits, 32);
  EXPECT_EQ(scope.instructions[3].toBits, 16);
  EXPECT_TRUE(scope.instructions[3].isFloat);
  EXPECT_EQ(program.kernel->sites[arm.instructions[0].site].op, "pto.vexp");
}

} // namespace
