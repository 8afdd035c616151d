//===- RandomScopeTest.cpp - scope accesses against a plain model ---------===//
//
// Random loads, stores, fences and merged stamps of one scope. The model looks
// at every byte: two of its accesses are ordered when a chain of accesses to
// that byte leads from one to the other, each step ordered by a fence, by
// register dataflow or by both being scalar.
//
//===----------------------------------------------------------------------===//

#include "Drive.h"

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

std::set<std::pair<size_t, size_t>> racesOf(const std::vector<Step> &steps, uint64_t bytes) {
  std::set<std::pair<size_t, size_t>> races;
  for (uint64_t byte = 0; byte < bytes; ++byte) {
    std::vector<size_t> users;
    for (size_t i = 0; i < steps.size(); ++i)
      if (!steps[i].isFence && steps[i].access.begin <= byte && byte < steps[i].access.end)
        users.push_back(i);
    size_t n = users.size();
    std::vector<std::vector<bool>> ordered(n, std::vector<bool>(n));
    for (size_t a = n; a-- > 0;)
      for (size_t b = a + 1; b < n; ++b) {
        // Chains go through conflicting neighbours: a load says nothing about
        // another load of the byte.
        auto step = [&](size_t i, size_t j) {
          return (isStore(steps[users[i]].access) || isStore(steps[users[j]].access)) &&
                 direct(steps, users[i], users[j]);
        };
        bool found = step(a, b);
        for (size_t k = a + 1; k < b && !found; ++k)
          found = ordered[a][k] && (ordered[k][b] || step(k, b));
        for (size_t k = a + 1; k < b && !found; ++k)
          found = step(a, k) && ordered[k][b];
        ordered[a][b] = found;
        if (!found && (isStore(steps[users[a]].access) || isStore(steps[users[b]].access)))
          races.insert({users[a], users[b]});
      }
  }
  return races;
}

TEST(RandomScope, AgreesWithTheModel) {
  constexpr uint64_t kBytes = 96;
  Profile profile = *findProfile("a5");
  profile.bytes.fill(256); // small memories: a world per program
  uint64_t racy = 0, clean = 0;
  for (uint64_t seed = 1; seed <= 15000; ++seed) {
    std::mt19937_64 random(seed);
    auto upTo = [&](uint64_t n) { return random() % n; };
    Checks checks = Checks::none();
    checks.race = true;
    World world(profile, checks);
    SiteId scope = world.site(1000, "pto.vecscope");
    Drive d(world);
    d.scope(scope);
    std::vector<Step> steps;
    // Values in flight: a stamp and the loads it stands for.
    std::vector<std::pair<uint32_t, std::set<size_t>>> values = {{0, {}}};
    size_t length = 3 + upTo(9);
    bool scalars = upTo(3) == 0;
    for (size_t i = 0; i < length; ++i) {
      if (upTo(3) == 0) {
        Fence kind = Fence(upTo(scalars ? 16 : 4));
        steps.push_back({true, kind, {}});
        d.fence(kind);
        continue;
      }
      SiteId site = world.site(uint32_t(i + 1), "op", kNoSite, scope);
      uint64_t begin = upTo(2) ? 32 * upTo(2) : upTo(40), end = begin + (upTo(2) ? 32 : 1 + upTo(24));
      Access access{VectorLoad, begin, end, {}};
      bool scalar = scalars && upTo(3) == 0, store = upTo(2);
      access.accessClass = scalar ? (store ? ScalarStore : ScalarLoad) : store ? VectorStore : VectorLoad;
      if (scalar && store) {
        d.scopeStoreScalar(site, begin, uint32_t(end - begin));
      } else if (scalar) {
        d.scopeLoadScalar(site, begin, uint32_t(end - begin));
      } else if (store) {
        const auto &value = values[upTo(values.size())];
        const auto &mask = values[upTo(values.size())];
        access.derivesFrom = value.second;
        access.derivesFrom.insert(mask.second.begin(), mask.second.end());
        d.vsts(site, begin, {value.first, mask.first}, uint32_t(end - begin));
      } else {
        uint32_t stamp = d.vlds(site, begin, uint32_t(end - begin));
        EXPECT_NE(stamp, 0u);
        values.push_back({stamp, {steps.size()}});
        if (upTo(2)) {
          const auto &other = values[upTo(values.size())];
          std::set<size_t> both = other.second;
          both.insert(steps.size());
          uint32_t merged = d.merge({other.first, stamp});
          values.push_back({merged, both});
        }
      }
      steps.push_back({false, Fence::VV_ALL, access});
    }
    d.end();
    auto expected = racesOf(steps, kBytes);
    (expected.empty() ? clean : racy)++;
    ASSERT_EQ(world.findings.empty(), expected.empty()) << "seed " << seed;
    for (const Finding &f : world.findings.all()) {
      size_t a = World::firstLine(f) - 1, b = f.place.line - 1;
      // A reported pair is unordered by every single rule.
      EXPECT_FALSE(direct(steps, a, b)) << "seed " << seed;
      EXPECT_TRUE(expected.count({a, b})) << "seed " << seed << " lines " << a + 1 << " " << b + 1;
    }
    if (HasFailure())
      return;
  }
  EXPECT_GT(racy, 2500u);
  EXPECT_GT(clean, 1000u);
}

} // namespace
