//===- RandomScopeTest.cpp - scope accesses against a plain model ---------===//
//
// Random loads, stores, fences and merged stamps of one scope. The model is the
// graph of all accesses: a step is a fence between two classes, register dataflow
// or both being scalar, wherever the accesses are, and two accesses are ordered
// when steps lead from one to the other.
//
//===----------------------------------------------------------------------===//

#include "Drive.h"

#include <map>
#include <random>
#include <set>

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

struct Access {
  AccessClass accessClass;
  uint64_t begin, end;
  std::set<size_t> derivesFrom; ///< indices of loads
};
struct Step {
  bool isFence;
  Fence fence;
  Access access;
};

bool isStore(const Access &a) { return a.accessClass == VectorStore || a.accessClass == ScalarStore; }
bool isScalar(const Access &a) { return a.accessClass == ScalarLoad || a.accessClass == ScalarStore; }

/// Step `a` before step `b` by one rule of FENCE-1, FENCE-16 and FENCE-17.
bool direct(const std::vector<Step> &steps, size_t a, size_t b) {
  const Access &x = steps[a].access, &y = steps[b].access;
  if ((isScalar(x) && isScalar(y)) || y.derivesFrom.count(a))
    return true;
  for (size_t i = a + 1; i < b; ++i)
    if (steps[i].isFence) {
      FenceClasses classes = classesOf(steps[i].fence);
      if ((classes.prior & x.accessClass) && (classes.later & y.accessClass))
        return true;
    }
  return false;
}

using Pairs = std::set<std::pair<size_t, size_t>>;

/// Pairs of accesses that meet, one of them a store, without an order.
Pairs racesOf(const std::vector<Step> &steps) {
  size_t n = steps.size();
  std::vector<std::vector<bool>> ordered(n, std::vector<bool>(n));
  Pairs races;
  for (size_t b = 0; b < n; ++b)
    for (size_t a = b; a-- > 0;) {
      if (steps[a].isFence || steps[b].isFence)
        continue;
      bool found = direct(steps, a, b);
      for (size_t k = a + 1; k < b && !found; ++k)
        found = ordered[a][k] && ordered[k][b];
      ordered[a][b] = found;
      const Access &x = steps[a].access, &y = steps[b].access;
      if (!found && (isStore(x) || isStore(y)) && x.begin < y.end && y.begin < x.end)
        races.insert({a, b});
    }
  return races;
}

/// The first fence that orders the two and that may be put before `b`.
Fence repairOf(const std::vector<Step> &steps, size_t a, size_t b) {
  for (unsigned f = 0; f < 16; ++f)
    if (FenceClasses c = classesOf(Fence(f));
        c.prior == steps[a].access.accessClass && c.later == steps[b].access.accessClass)
      return Fence(f);
  ADD_FAILURE() << "no fence for the classes";
  return Fence::VV_ALL;
}

struct Outcome {
  std::vector<std::pair<size_t, size_t>> pairs;
};

/// Runs the steps through the checker.
Outcome check(const Profile &profile, const std::vector<Step> &steps) {
  Checks checks = Checks::none();
  checks.race = true;
  World world(profile, checks);
  SiteId scope = world.site(1000, "pto.vecscope");
  Drive d(world);
  d.scope(scope);
  std::map<size_t, uint32_t> stamps; // of loads
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].isFence) {
      d.fence(steps[i].fence);
      continue;
    }
    const Access &access = steps[i].access;
    SiteId site = world.site(uint32_t(i + 1), "op", kNoSite, scope);
    uint32_t bytes = uint32_t(access.end - access.begin);
    if (access.accessClass == ScalarStore)
      d.scopeStoreScalar(site, access.begin, bytes);
    else if (access.accessClass == ScalarLoad)
      d.scopeLoadScalar(site, access.begin, bytes);
    else if (access.accessClass == VectorLoad)
      EXPECT_NE(stamps[i] = d.vlds(site, access.begin, bytes), 0u);
    else {
      // One operand per half of the loads, merged pair by pair: a graph.
      uint32_t operands[2] = {0, 0};
      unsigned which = 0;
      for (size_t load : access.derivesFrom) {
        uint32_t &operand = operands[which++ % 2];
        operand = operand ? d.merge({operand, stamps[load]}) : stamps[load];
      }
      d.vsts(site, access.begin, {operands[0], operands[1]}, bytes);
    }
  }
  d.end();
  Outcome outcome;
  for (const Finding &f : world.findings.all())
    outcome.pairs.push_back({World::firstLine(f) - 1, f.place.line - 1});
  return outcome;
}

std::vector<Step> randomScope(uint64_t seed, size_t least, size_t most) {
  std::mt19937_64 random(seed);
  auto upTo = [&](uint64_t n) { return random() % n; };
  std::vector<Step> steps;
  std::vector<std::set<size_t>> values = {{}}; // what each value derives from
  size_t length = least + upTo(most - least + 1), places = 2 + upTo(4);
  bool scalars = upTo(3) == 0;
  for (size_t i = 0; i < length; ++i) {
    if (upTo(3) == 0) {
      steps.push_back({true, Fence(upTo(scalars ? 16 : 4)), {}});
      continue;
    }
    uint64_t begin = upTo(2) ? 32 * upTo(places) : upTo(40), end = begin + (upTo(2) ? 32 : 1 + upTo(24));
    Access access{VectorLoad, begin, end, {}};
    bool scalar = scalars && upTo(3) == 0, store = upTo(2);
    access.accessClass = scalar ? (store ? ScalarStore : ScalarLoad) : store ? VectorStore : VectorLoad;
    if (!scalar && store)
      for (int operand = 0; operand < 2; ++operand) {
        const auto &value = values[values.size() - 1 - upTo(std::min<size_t>(values.size(), 4))];
        access.derivesFrom.insert(value.begin(), value.end());
      }
    if (!scalar && !store) {
      values.push_back({steps.size()});
      if (upTo(2)) {
        std::set<size_t> both = values[upTo(values.size())];
        both.insert(steps.size());
        values.push_back(both);
      }
    }
    steps.push_back({false, Fence::VV_ALL, access});
  }
  return steps;
}

/// A program, and its twin with a fence before the later access of every pair
/// that has no order.
void compareTwins(const std::vector<Step> &broken, const Profile &profile, uint64_t seed, uint64_t &racy,
                  uint64_t &clean, uint64_t &chained) {
  Pairs expected = racesOf(broken);
  (expected.empty() ? clean : racy)++;
  for (size_t b = 0; b < broken.size(); ++b)
    for (size_t a = 0; a < b; ++a) {
      const Access &x = broken[a].access, &y = broken[b].access;
      if (!broken[a].isFence && !broken[b].isFence && (isStore(x) || isStore(y)) && x.begin < y.end && y.begin < x.end)
        chained += !expected.count({a, b}) && !direct(broken, a, b);
    }
  Outcome outcome = check(profile, broken);
  ASSERT_EQ(outcome.pairs.empty(), expected.empty()) << "seed " << seed;
  for (auto pair : outcome.pairs)
    ASSERT_TRUE(expected.count(pair)) << "seed " << seed << " lines " << pair.first + 1 << " " << pair.second + 1;
  if (expected.empty())
    return;
  std::vector<Step> repaired = broken;
  while (!expected.empty()) {
    auto [a, b] = *expected.begin();
    Step fence{true, repairOf(repaired, a, b), {}};
    for (Step &step : repaired) { // numbers of loads behind it shift
      std::set<size_t> moved;
      for (size_t load : step.access.derivesFrom)
        moved.insert(load + (load >= b));
      step.access.derivesFrom = moved;
    }
    repaired.insert(repaired.begin() + ptrdiff_t(b), fence);
    expected = racesOf(repaired);
  }
  ASSERT_TRUE(check(profile, repaired).pairs.empty()) << "seed " << seed << ", repaired";
}

TEST(RandomScope, AgreesWithTheModel) {
  Profile profile = *findProfile("a5");
  profile.bytes.fill(256); // small memories: a world per program
  uint64_t racy = 0, clean = 0, chained = 0;
  for (uint64_t seed = 1; seed <= 15000 && !HasFailure(); ++seed)
    compareTwins(randomScope(seed, 3, 11), profile, seed, racy, clean, chained);
  for (uint64_t seed = 20001; seed <= 23000 && !HasFailure(); ++seed)
    compareTwins(randomScope(seed, 12, 40), profile, seed, racy, clean, chained);
  EXPECT_GT(racy, 2500u);
  EXPECT_GT(clean, 1000u);
  EXPECT_GT(chained, 1000u); // ordered by chains that lead through other accesses
}

} // namespace
