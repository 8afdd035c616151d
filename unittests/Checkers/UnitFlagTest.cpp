//===- UnitFlagTest.cpp - accumulator tiles between PIPE_M and PIPE_FIX ---===//
//
// Checked kernels on the real machine whose only order between PIPE_M and PIPE_FIX
// are unit flags: whole ones with twins that lack a flag, and random ones against a
// graph of all instructions, under every schedule.
// Rules: UNIT-1, UNIT-2, HB3, HB11.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Bench.h"
#include "ptoscope/Checkers/Checkers.h"
#include "ptoscope/Machine/Direct.h"

#include <cstring>
#include <random>

using namespace ptoscope;

namespace {

/// PIPE_M fills bytes of L0C with a value, PIPE_FIX copies them to GM.
struct Step {
  Pipe pipe;
  UnitFlag flag;
  uint64_t at;
  uint32_t bytes;
  uint8_t value = 0;
  uint64_t out = 0; ///< GM

  struct Payload {
    uint8_t *l0c, *gm;
    uint64_t at, out;
    uint32_t bytes;
    uint8_t value;
  };

  void issue(Su &su) const {
    uint8_t *gm = out ? hostOf(su.context, out) : nullptr;
    Payload payload{su.context->local[size_t(Space::L0C)] + at, gm, at, out, bytes, value};
    DirectInstruction instruction{pipe};
    instruction.unit = {flag, at, at + bytes};
    instruction.payloadBytes = sizeof(payload);
    instruction.payload = &payload;
    instruction.run = [](const void *operands) {
      const auto &p = *static_cast<const Payload *>(operands);
      if (p.gm)
        std::memcpy(p.gm, p.l0c, p.bytes);
      else
        std::memset(p.l0c, p.value, p.bytes);
    };
    instruction.regions = [](const void *operands, std::vector<DirectRegion> &regions) {
      const auto &p = *static_cast<const Payload *>(operands);
      regions.push_back({Space::L0C, p.gm ? DirectRole::Read : DirectRole::Write, 0, Box{p.at, p.bytes, {}}});
      if (p.gm)
        regions.push_back({Space::Gm, DirectRole::Write, 1, Box{p.out, p.bytes, {}}});
    };
    DirectHull hull{Space::L0C, 0, pipe == Pipe::M, 64, at, at + bytes};
    su.issue([&] { return issueDirect(su.context, su.site, instruction, {&hull, 1}); });
  }
};

struct UnitFlagTest : ::testing::Test, Bench {
  UnitFlagTest() { options.checks.init = false; } // what a race leaves undefined depends on the schedule
  LaunchResult checked(const Program &program) {
    auto checkers = makeCheckers(sites, gm, *options.profile, options.checks);
    options.observers = checkers.get();
    LaunchResult result = run(program, true);
    options.observers = nullptr;
    return result;
  }
};

constexpr uint64_t kTile = 1024;

struct Flags {
  UnitFlag mad = UnitFlag::CheckAndSet, store = UnitFlag::CheckAndClear;
};

/// Two tiles in turn.
void pingPong(Su &su, uint32_t mad, uint32_t store, uint64_t out, Flags flags) {
  for (uint8_t turn = 0; turn < 9; ++turn) {
    uint64_t at = turn % 2 * kTile;
    su.at(mad);
    Step{Pipe::M, flags.mad, at, uint32_t(kTile), uint8_t(turn + 1)}.issue(su);
    su.at(store);
    Step{Pipe::FIX, flags.store, at, uint32_t(kTile), 0, out + turn * kTile}.issue(su);
  }
}

TEST_F(UnitFlagTest, TilesInTurn) {
  uint32_t mad = site("pto.mad", 3), store = site("pto.mte_l0c_gm", 5);
  uint64_t out = buffer(9 * kTile);
  using enum UnitFlag;
  for (unsigned i = 0; i < 20; ++i) {
    options.schedule = schedule(i);
    std::fill(buffers[0].begin(), buffers[0].end(), uint8_t(0));
    LaunchResult r = checked([&](Su &su) { pingPong(su, mad, store, out, {}); });
    EXPECT_EQ(codesOf(r), "") << i << textOf(r);
    for (size_t byte = 0; byte < buffers[0].size(); ++byte)
      ASSERT_EQ(buffers[0][byte], byte / kTile + 1) << i;
    // Each twin lacks one of the edges, or both.
    for (Flags flags : {Flags{CheckAndSet, CheckOnly}, Flags{CheckAndSet, None}, Flags{CheckOnly, CheckAndClear},
                        Flags{None, CheckAndClear}, Flags{CheckOnly, CheckOnly}, Flags{None, None}}) {
      LaunchResult broken = checked([&](Su &su) { pingPong(su, mad, store, out, flags); });
      EXPECT_NE(codesOf(broken).find("race-"), std::string::npos) << i << int(flags.mad) << int(flags.store);
    }
  }
}

TEST_F(UnitFlagTest, OverlapCounts) {
  // A store of the last row of one tile and the first of the next waits for the later
  // one; a neighbour's flag says nothing.
  uint32_t mad = site("pto.mad", 3), store = site("pto.mte_l0c_gm", 5);
  uint64_t out = buffer(kTile);
  for (unsigned i = 0; i < 12; ++i) {
    options.schedule = schedule(i);
    auto codes = [&](UnitFlag first, uint64_t at) {
      return codesOf(checked([&](Su &su) {
        su.at(mad);
        Step{Pipe::M, first, 0, uint32_t(kTile), 1}.issue(su);
        Step{Pipe::M, UnitFlag::CheckAndSet, kTile, uint32_t(kTile), 2}.issue(su);
        su.at(store);
        Step{Pipe::FIX, UnitFlag::CheckOnly, at, 128, 0, out}.issue(su);
      }));
    };
    EXPECT_EQ(codes(UnitFlag::CheckAndSet, kTile - 64), "");
    EXPECT_EQ(codes(UnitFlag::None, kTile - 64), ""); // PIPE_M is in order
    EXPECT_EQ(codes(UnitFlag::CheckAndSet, 0), "");
    EXPECT_EQ(codes(UnitFlag::None, 0), "race-raw");
    EXPECT_EQ(codes(UnitFlag::CheckOnly, kTile - 128), "race-raw");
  }
}

TEST_F(UnitFlagTest, TellsWhatItsPipeHadWaitedFor) {
  // PIPE_M has waited for MTE2; what PIPE_FIX does after the tile comes after both.
  uint32_t load = site("pto.mte_gm_l1", 2), mad = site("pto.mad", 3), store = site("pto.mte_l0c_gm", 5),
           parameters = site("pto.mte_l1_fb", 6);
  uint64_t x = pattern(64), out = buffer(64);
  for (unsigned i = 0; i < 12; ++i) {
    options.schedule = schedule(i);
    for (bool repaired : {false, true}) {
      LaunchResult r = checked([&](Su &su) {
        su.at(load).transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .len = 64});
        su.set(Pipe::MTE2, Pipe::M);
        su.wait(Pipe::MTE2, Pipe::M);
        su.at(mad);
        Step{Pipe::M, UnitFlag::CheckAndSet, 0, 64, 1}.issue(su);
        su.at(store);
        Step{Pipe::FIX, repaired ? UnitFlag::CheckOnly : UnitFlag::None, 0, 64, 0, out}.issue(su);
        su.at(parameters).transfer(Space::L1, Space::Fb, Pipe::FIX, {.dst = 0, .len = 64});
      });
      EXPECT_EQ(codesOf(r), repaired ? "" : "race-raw race-raw") << i << textOf(r);
    }
  }
}

TEST_F(UnitFlagTest, DeadlockNamesTheTile) {
  // PIPE_M waits for a flag that PIPE_FIX sets behind the store which waits for PIPE_M.
  uint32_t wait = site("pto.wait_flag", 2), mad = site("pto.mad", 3), store = site("pto.mte_l0c_gm", 5),
           set = site("pto.set_flag", 6);
  uint64_t out = buffer(64);
  for (unsigned i = 0; i < 12; ++i) {
    options.schedule = schedule(i);
    LaunchResult r = checked([&](Su &su) {
      su.at(wait).wait(Pipe::FIX, Pipe::M);
      su.at(mad);
      Step{Pipe::M, UnitFlag::CheckAndSet, 0, 64, 1}.issue(su);
      su.at(store);
      Step{Pipe::FIX, UnitFlag::CheckAndClear, 0, 64, 0, out}.issue(su);
      su.at(set).set(Pipe::FIX, Pipe::M);
    });
    ASSERT_EQ(codesOf(r), "deadlock") << i;
    EXPECT_NE(textOf(r).find("note 5: PIPE_FIX waits here for the unit flag of its accumulator tile: the instruction "
                             "that passes it on (k.pto:3:5) is queued on PIPE_M behind `pto.wait_flag` at k.pto:2:5, "
                             "which cannot start"),
              std::string::npos)
        << textOf(r);
  }
}

/// UNIT-2 and HB3 as a graph: does a pair of instructions that share a byte lack a path?
bool hasRace(const std::vector<Step> &steps) {
  size_t n = steps.size();
  auto meet = [&](size_t a, size_t b) {
    return steps[a].at < steps[b].at + steps[b].bytes && steps[b].at < steps[a].at + steps[a].bytes;
  };
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n));
  for (size_t b = 0; b < n; ++b) {
    size_t latest = n;
    for (size_t a = 0; a < b; ++a) {
      if (steps[a].pipe == steps[b].pipe)
        before[a][b] = true;
      else if (steps[b].flag != UnitFlag::None && meet(a, b) &&
               steps[a].flag == (steps[a].pipe == Pipe::M ? UnitFlag::CheckAndSet : UnitFlag::CheckAndClear))
        latest = a;
    }
    if (latest < n)
      before[latest][b] = true;
  }
  for (size_t k = 0; k < n; ++k)
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b < n; ++b)
        if (before[a][k] && before[k][b])
          before[a][b] = true;
  for (size_t b = 0; b < n; ++b)
    for (size_t a = 0; a < b; ++a)
      if (steps[a].pipe != steps[b].pipe && meet(a, b) && !before[a][b])
        return true;
  return false;
}

TEST_F(UnitFlagTest, RandomProgramsAgreeWithTheGraph) {
  std::vector<uint32_t> places;
  for (uint32_t i = 0; i < 12; ++i)
    places.push_back(site("op" + std::to_string(i), 10 + i));
  uint64_t out = buffer(12 * 256);
  std::mt19937 random(7);
  auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  unsigned races = 0;
  for (unsigned trial = 0; trial < 600; ++trial) {
    std::vector<Step> steps(3 + below(10));
    for (size_t i = 0; i < steps.size(); ++i) {
      bool mad = below(2);
      UnitFlag passes = mad ? UnitFlag::CheckAndSet : UnitFlag::CheckAndClear;
      steps[i] = {mad ? Pipe::M : Pipe::FIX, below(8) ? passes : UnitFlag(below(2)), below(4) * 64, 64 * (1 + below(2)),
                  uint8_t(i + 1)};
      if (!mad)
        steps[i].out = out + i * 256;
    }
    options.schedule = schedule(trial % 6);
    LaunchResult r = checked([&](Su &su) {
      for (size_t i = 0; i < steps.size(); ++i) {
        su.at(places[i]);
        steps[i].issue(su);
      }
    });
    bool expected = hasRace(steps);
    races += expected;
    EXPECT_EQ(codesOf(r).find("race-") != std::string::npos, expected) << trial << "\n" << textOf(r);
    if (expected)
      continue;
    std::vector<uint8_t> l0c(1024), copied(buffers[0].size());
    for (const Step &step : steps)
      if (step.pipe == Pipe::M)
        std::memset(&l0c[step.at], step.value, step.bytes);
      else
        std::memcpy(&copied[step.out - out], &l0c[step.at], step.bytes);
    for (const Step &step : steps)
      if (step.pipe == Pipe::FIX)
        EXPECT_EQ(std::memcmp(&copied[step.out - out], &buffers[0][step.out - out], step.bytes), 0) << trial;
  }
  EXPECT_GT(races, 60u);
  EXPECT_LT(races, 540u);
}

} // namespace
