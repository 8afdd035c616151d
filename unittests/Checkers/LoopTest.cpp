//===- LoopTest.cpp - loops told at once and access by access -------------===//
//
// Random blocks with transfers, scopes and loops in them. Told both ways, they have
// to give the same findings, word by word: a loop that is noted as a whole leaves
// the state that its accesses leave one after another.
//
//===----------------------------------------------------------------------===//

#include "Drive.h"

#include <random>
#include <set>
#include <sstream>

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

constexpr uint64_t kUbBytes = 8192;

struct Loop {
  std::vector<LoopAccess> accesses;
  std::vector<size_t> outside; ///< values that `stamps` of accesses and of the carried value mean
  bool carries = false;
  size_t init = 0; ///< value
  LoopValue carried{};
  uint64_t turns = 0;
};

struct Step {
  enum Kind { Load, Store, Flag, Scope, Fence, VectorLoad, VectorStore, Loop } kind;
  uint32_t line = 0;
  uint64_t address = 0;
  uint32_t bytes = 0;
  unsigned number = 0; ///< of the flag's pair of pipes, or of the fence
  std::vector<size_t> values;
  struct Loop loop = {};
};

struct Generator {
  std::mt19937_64 random;
  uint32_t line = 0;
  size_t values = 1; ///< of the scope so far; value 0 derives from nothing
  std::vector<Step> steps;

  uint64_t upTo(uint64_t n) { return random() % n; }

  /// Bytes that an access touches.
  static std::set<uint64_t> bytesOf(const LoopAccess &a, uint64_t turns) {
    std::set<uint64_t> halves;
    for (uint64_t turn = 0; turn < turns; ++turn)
      for (uint64_t at = 0; at < a.windowBytes; at += 128)
        halves.insert(a.address + turn * a.stride + at);
    return halves;
  }
  static bool areCompatible(const std::vector<LoopAccess> &all, const LoopAccess &last, uint64_t turns) {
    for (size_t i = 0; i < all.size(); ++i) {
      const bool equal =
          all[i].address == last.address && all[i].stride == last.stride && all[i].windowBytes == last.windowBytes;
      if (equal && !all[i].writes && (!last.writes || last.loads >> i & 1))
        continue;
      const std::set<uint64_t> theirs = bytesOf(all[i], turns);
      for (uint64_t half : bytesOf(last, turns))
        if (theirs.count(half))
          return false;
    }
    return true;
  }

  Step loop() {
    Step step{Step::Loop};
    Loop &result = step.loop;
    result.turns = 1 + upTo(7);
    for (uint64_t i = upTo(3); i > 0; --i)
      result.outside.push_back(upTo(values));
    const uint64_t someOutside = (uint64_t(1) << result.outside.size()) - 1;
    uint64_t loads = 0;
    for (uint64_t tries = 1 + upTo(6); tries > 0; --tries) {
      LoopAccess access{};
      access.writes = upTo(2);
      access.windowBytes = upTo(2) ? 256 : upTo(3) ? 128 : 512;
      access.stride = access.windowBytes * (upTo(3) ? 1 : 2);
      const uint64_t unit = std::min<uint64_t>(access.windowBytes, 256), hull = result.turns * access.stride;
      if (hull > kUbBytes)
        continue;
      access.address = upTo((kUbBytes - hull) / unit + 1) * unit;
      if (!result.accesses.empty() && upTo(2)) { // in place
        const LoopAccess &other = result.accesses[upTo(result.accesses.size())];
        access.address = other.address, access.stride = other.stride, access.windowBytes = other.windowBytes;
      }
      if (access.writes) {
        access.loads = loads & random();
        access.stamps = someOutside & random();
      }
      if (!areCompatible(result.accesses, access, result.turns))
        continue;
      loads |= uint64_t(!access.writes) << result.accesses.size();
      access.site = ++line; // a line until sites are made
      result.accesses.push_back(access);
    }
    if (result.accesses.empty())
      return fence();
    result.carries = upTo(2);
    result.init = upTo(values);
    result.carried = {loads & random(), someOutside & random(), 0};
    values += result.carries;
    return step;
  }
  Step fence() { return {Step::Fence, 0, 0, 0, unsigned(upTo(4)), {}}; }
  Step access() {
    Step step{upTo(2) ? Step::VectorLoad : Step::VectorStore, ++line};
    step.bytes = upTo(4) ? 256 : upTo(2) ? 128 : uint32_t(32 * (1 + upTo(7)));
    step.address = upTo((kUbBytes - 512) / 128) * 128 + (upTo(6) ? 0 : 32 * upTo(4));
    if (step.kind == Step::VectorStore)
      for (uint64_t i = upTo(3); i > 0; --i)
        step.values.push_back(upTo(values));
    else
      ++values;
    return step;
  }

  std::vector<Step> program(uint64_t longestScope = 6) {
    steps.push_back({Step::Load, ++line, 0, uint32_t(upTo(4) ? kUbBytes : kUbBytes / 2 + 32 * upTo(100))});
    steps.push_back({Step::Flag});
    for (uint64_t scopes = 1 + upTo(3); scopes > 0; --scopes) {
      steps.push_back({Step::Scope, ++line});
      values = 1;
      for (uint64_t count = 1 + upTo(longestScope); count > 0; --count)
        steps.push_back(upTo(2) ? loop() : upTo(2) ? fence() : access());
      const uint64_t begin = 32 * upTo(64);
      if (upTo(2))
        steps.push_back({Step::Flag, 0, 0, 0, unsigned(1 + upTo(3))});
      steps.push_back({upTo(2) ? Step::Store : Step::Load, ++line, begin, uint32_t(32 + 32 * upTo(120))});
      if (upTo(2))
        steps.push_back({Step::Flag, 0, 0, 0, unsigned(upTo(4))});
    }
    return std::move(steps);
  }
};

struct Told {
  std::string findings;
  uint64_t noted = 0; ///< turns, at once
};

Told run(const Profile &profile, const std::vector<Step> &steps, bool atOnce) {
  World world(profile, Checks());
  SiteId around = world.site(1000, "pto.vecscope");
  std::vector<SiteId> sites;
  auto site = [&](uint32_t line, bool inLoop = false) {
    SiteId id = world.site(line, "op", kNoSite, around);
    world.sites[id].depth = inLoop;
    return id;
  };
  Told result;
  std::vector<uint32_t> stamps;
  int64_t turns[PTO_MAX_LOOP_DEPTH] = {};
  Drive d(world);
  const std::pair<Pipe, Pipe> flags[] = {
      {Pipe::MTE2, Pipe::V}, {Pipe::V, Pipe::MTE3}, {Pipe::V, Pipe::MTE2}, {Pipe::MTE3, Pipe::V}};
  for (const Step &step : steps)
    switch (step.kind) {
    case Step::Load:
      d.load(world.site(step.line, "load"), 0, step.address, std::min<uint64_t>(step.bytes, kUbBytes - step.address));
      break;
    case Step::Store:
      d.store(world.site(step.line, "store"), step.address, 0, std::min<uint64_t>(step.bytes, kUbBytes - step.address));
      break;
    case Step::Flag:
      d.flag(flags[step.number].first, flags[step.number].second, 0);
      break;
    case Step::Scope:
      d.scope(around);
      d.running.scopeIterations = turns;
      stamps.assign(1, 0);
      break;
    case Step::Fence:
      d.fence(Fence(step.number));
      break;
    case Step::VectorLoad:
      stamps.push_back(d.vlds(site(step.line), step.address, step.bytes));
      break;
    case Step::VectorStore: {
      std::vector<uint32_t> from;
      for (size_t value : step.values)
        from.push_back(stamps[value]);
      d.vsts(site(step.line), step.address, from, step.bytes);
      break;
    }
    case Step::Loop: {
      std::vector<LoopAccess> accesses = step.loop.accesses;
      for (LoopAccess &access : accesses)
        access.site = site(access.site, true);
      std::vector<uint32_t> outside;
      for (size_t value : step.loop.outside)
        outside.push_back(stamps[value]);
      uint32_t carried = stamps[step.loop.init];
      std::vector<LoopValue> values;
      std::vector<uint32_t> known = outside;
      if (step.loop.carries) {
        values.push_back(step.loop.carried);
        values[0].stamps |= uint64_t(1) << known.size();
        known.push_back(carried);
      }
      uint64_t done = 0;
      if (atOnce)
        done = d.events().scopeLoop(d.running, {accesses, known, values, step.loop.turns, 0});
      result.noted += done;
      if (done && !values.empty())
        carried = values[0].stamp;
      for (uint64_t turn = done; turn < step.loop.turns; ++turn) {
        turns[0] = int64_t(turn);
        std::vector<uint32_t> loaded(accesses.size());
        auto chosen = [&](uint64_t loads, uint64_t others) {
          std::vector<uint32_t> from;
          for (size_t i = 0; i < outside.size(); ++i)
            if (others >> i & 1)
              from.push_back(outside[i]);
          for (size_t i = 0; i < loaded.size(); ++i)
            if (loads >> i & 1)
              from.push_back(loaded[i]);
          return from;
        };
        for (size_t i = 0; i < accesses.size(); ++i) {
          const LoopAccess &access = accesses[i];
          const uint64_t at = access.address + turn * access.stride;
          if (access.writes)
            d.vsts(access.site, at, chosen(access.loads, access.stamps), access.windowBytes);
          else
            loaded[i] = d.vlds(access.site, at, access.windowBytes);
        }
        std::vector<uint32_t> from = chosen(step.loop.carried.loads, step.loop.carried.stamps);
        from.push_back(carried);
        carried = d.merge(from);
      }
      turns[0] = 0;
      if (step.loop.carries)
        stamps.push_back(carried);
      break;
    }
    }
  d.end();
  std::ostringstream out;
  for (const Finding &f : world.findings.all()) {
    out << f.code << ' ' << f.place.line << ": " << f.message << " x" << f.count << '\n';
    for (const Note &note : f.notes)
      out << "  " << note.place.line << ": " << note.message << '\n';
    out << "  " << f.help << '\n';
    for (const auto *all : {&f.iterations, &f.otherIterations}) {
      out << "  turns";
      for (int64_t turn : *all)
        out << ' ' << turn;
    }
    out << '\n';
  }
  result.findings = out.str();
  return result;
}

TEST(Loops, LeaveTheSameStateAtOnceAndOneByOne) {
  Profile profile = *findProfile("a5");
  profile.bytes.fill(kUbBytes);
  uint64_t noted = 0, faulty = 0, faultless = 0, notedAndFaulty = 0;
  for (uint64_t seed = 1; seed <= 3000 && !HasFailure(); ++seed) {
    const std::vector<Step> steps = Generator{std::mt19937_64(seed)}.program();
    const Told single = run(profile, steps, false), whole = run(profile, steps, true);
    EXPECT_EQ(single.findings, whole.findings) << "seed " << seed;
    noted += whole.noted;
    (single.findings.empty() ? faultless : faulty)++;
    notedAndFaulty += whole.noted && !single.findings.empty();
  }
  EXPECT_GT(noted, 3000u);
  EXPECT_GT(faulty, 1000u);
  EXPECT_GT(faultless, 50u);
  EXPECT_GT(notedAndFaulty, 500u);
}

/// More loops than are kept apart from the cells, with what comes between them.
TEST(Loops, LeaveTheSameStateInLongScopes) {
  Profile profile = *findProfile("a5");
  profile.bytes.fill(kUbBytes);
  for (uint64_t seed = 1; seed <= 1000 && !HasFailure(); ++seed) {
    const std::vector<Step> steps = Generator{std::mt19937_64(seed)}.program(30);
    EXPECT_EQ(run(profile, steps, false).findings, run(profile, steps, true).findings) << "seed " << seed;
  }
}

/// One loop stores what another one loads; between them, a tail is stored and a fence may stand.
Told twoLoops(bool fenced) {
  Profile profile = *findProfile("a5");
  profile.bytes.fill(kUbBytes);
  const auto loop = [](uint32_t line, bool writes) {
    Step step{Step::Loop};
    step.loop.accesses = {{line, writes, 256, 1024, 256, 0, 0}};
    step.loop.turns = 4;
    return step;
  };
  std::vector<Step> steps = {{Step::Load, 1, 0, uint32_t(kUbBytes)},
                             {Step::Flag},
                             {Step::Scope, 2},
                             loop(3, true),
                             {Step::VectorStore, 4, 2048, 256}};
  if (fenced)
    steps.push_back({Step::Fence, 0, 0, 0, unsigned(Fence::VST_VLD)});
  steps.push_back(loop(5, false));
  return run(profile, steps, true);
}

TEST(Loops, ComeAfterEarlierOnesByAFence) {
  const Told broken = twoLoops(false), repaired = twoLoops(true);
  EXPECT_TRUE(broken.findings.starts_with("race-scope 5:")) << broken.findings;
  EXPECT_NE(broken.findings.find("no VST_VLD fence between them x4"), std::string::npos) << broken.findings;
  EXPECT_EQ(repaired.findings, "");
  EXPECT_EQ(repaired.noted, 8u);
}

} // namespace
