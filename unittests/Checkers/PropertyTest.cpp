//===- PropertyTest.cpp - the theorem, on random programs -----------------===//
//
// A program without a race gives the same bytes under every schedule. Random
// programs for one vector core or for a whole cluster run on the real Machine:
// half of them legal by construction, the others with synchronisation removed
// or changed. Required of every program:
//   - a legal one reports no race and no deadlock;
//   - without a reported race all schedules give the same bytes, so that bytes
//     that differ mean a reported race;
//   - all schedules agree on deadlock, and none hangs;
//   - where every schedule is checked, all agree on whether there is a race.
// PTOSCOPE_PROPERTY_PROGRAMS sets how many programs run (default 40 000, 100 000 in `make test-long`, with sanitizers
// 10 000).
//
// Legal programs: data operations in one global order; before each operation,
// a pair of set and wait (or a stronger edge) for every earlier one it conflicts
// with. Running everything in that order is one legal run, so nothing hangs.
//
//===----------------------------------------------------------------------===//

#include "../Sample.h"
#include "ptoscope/Checkers/Checkers.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <random>

using namespace ptoscope;

namespace {

constexpr uint64_t kGmBytes = 1024, kL1Bytes = 512, kUbBytes = 1024;
constexpr uint32_t kWindow = 64;

enum class Op : uint8_t { Transfer, Scope, Scalar, Set, Wait, Barrier, Get, Rls, SyncSet, SyncWait };

/// One step of a scope: load a window, change it, store it elsewhere.
struct ScopeStep {
  uint32_t from, to;
  bool fence; ///< VV_ALL before the step
};

struct Instruction {
  Op op;
  uint8_t core;
  Pipe pipe;            ///< that executes it
  Pipe other = Pipe::S; ///< of a flag
  int64_t id = 0;
  // Transfers.
  Space from = Space::None, to = Space::None;
  uint64_t src = 0, dst = 0;
  int64_t len = 0, count = 1, stride = 0;
  int64_t subblock = 0;
  bool store = false; ///< of a scalar access
  std::vector<ScopeStep> steps = {};
};

/// Bytes touched, as bounds: a legal program may be ordered more than needed.
struct Touch {
  uint8_t memory; ///< 0 GM, 1 L1, 2 UB of AIV0, 3 UB of AIV1
  uint64_t begin, end;
  bool writes;
};

struct Program {
  std::vector<std::vector<Instruction>> cores{kCoresPerBlock};
  bool legal = true;
};

class Generator {
public:
  Generator(uint64_t seed, bool mixed, bool pipeSemaphores)
      : random(seed), mixed(mixed), pipeSemaphores(pipeSemaphores) {}

  Program make() {
    size_t length = 3 + below(8);
    for (size_t i = 0; i < length; ++i)
      addData();
    // What is left in UB becomes visible.
    for (uint8_t core = 1; core < (mixed ? 3 : 2); ++core)
      if (below(4)) {
        Instruction dump{Op::Transfer, core, Pipe::MTE3};
        dump.from = Space::Ub;
        dump.to = Space::Gm;
        dump.len = 512;
        dump.src = 32 * below(16);
        dump.dst = 32 * below(16);
        add(std::move(dump));
      }
    if (below(2))
      mutate();
    return std::move(program);
  }

private:
  uint64_t below(uint64_t n) { return random() % n; }

  void addData() {
    uint8_t core = mixed ? uint8_t(below(3)) : 1;
    if (below(8) == 0) {
      Instruction i{Op::Scalar, core, Pipe::S};
      i.store = below(2);
      i.from = core == 0 || below(2) ? Space::Gm : Space::Ub;
      i.src = 4 * below(256);
      return add(std::move(i));
    }
    if (core != 0 && below(3) == 0) {
      Instruction i{Op::Scope, core, Pipe::V};
      for (uint64_t n = 1 + below(3); n > 0; --n) {
        ScopeStep step{uint32_t(32 * below(31)), uint32_t(32 * below(31)), false};
        for (const ScopeStep &earlier : i.steps)
          for (uint32_t mine : {step.from, step.to})
            for (uint32_t theirs : {earlier.from, earlier.to})
              step.fence |= mine < theirs + kWindow && theirs < mine + kWindow;
        i.steps.push_back(step);
      }
      return add(std::move(i));
    }
    struct Path {
      Space from, to;
      Pipe pipe;
    };
    static constexpr Path kCube[] = {{Space::Gm, Space::L1, Pipe::MTE2}, {Space::L1, Space::Ub, Pipe::MTE1}};
    static constexpr Path kVector[] = {{Space::Gm, Space::Ub, Pipe::MTE2},
                                       {Space::Ub, Space::Gm, Pipe::MTE3},
                                       {Space::Ub, Space::Ub, Pipe::V},
                                       {Space::Ub, Space::L1, Pipe::MTE3}};
    const Path &path = core == 0 ? kCube[below(2)] : kVector[below(mixed ? 4 : 3)];
    Instruction i{Op::Transfer, core, path.pipe};
    i.from = path.from;
    i.to = path.to;
    i.len = int64_t(32 * (1 + below(3)));
    i.count = int64_t(1 + below(3));
    i.stride = i.len + int64_t(32 * below(2));
    i.subblock = int64_t(below(2));
    uint64_t span = uint64_t(i.stride * (i.count - 1) + i.len);
    auto place = [&](Space space) { return 32 * below((sizeOf(space) - span) / 32 + 1); };
    i.src = place(i.from);
    i.dst = place(i.to);
    if (i.from == i.to && i.src < i.dst + span && i.dst < i.src + span)
      i.src = i.dst >= 512 ? 0 : 1024 - span; // a copy keeps away from itself
    add(std::move(i));
  }

  static uint64_t sizeOf(Space space) {
    return space == Space::Gm ? kGmBytes : space == Space::L1 ? kL1Bytes : kUbBytes;
  }

  static std::vector<Touch> touches(const Instruction &i) {
    auto memory = [&](Space space, bool destination) -> uint8_t {
      if (space != Space::Ub)
        return space == Space::Gm ? 0 : 1;
      return i.core == 0 ? uint8_t(2 + (destination ? i.subblock : 0)) : uint8_t(1 + i.core);
    };
    if (i.op == Op::Transfer) {
      uint64_t span = uint64_t(i.stride * (i.count - 1) + i.len);
      return {{memory(i.from, false), i.src, i.src + span, false}, {memory(i.to, true), i.dst, i.dst + span, true}};
    }
    if (i.op == Op::Scalar)
      return {{memory(i.from, false), i.src, i.src + 4, i.store}};
    std::vector<Touch> result;
    for (const ScopeStep &step : i.steps) {
      result.push_back({memory(Space::Ub, false), step.from, step.from + kWindow, false});
      result.push_back({memory(Space::Ub, false), step.to, step.to + kWindow, true});
    }
    return result;
  }

  void push(Instruction i) { program.cores[i.core].push_back(std::move(i)); }

  void syncPair(uint8_t from, Pipe fromPipe, uint8_t to, Pipe toPipe) {
    // An id per setting pipe; the scalar unit sets as the form without a pipe.
    int64_t n = fromPipe == Pipe::S ? 7 : fromPipe == Pipe::FIX ? 6 : int64_t(fromPipe);
    Instruction set{Op::SyncSet, from, fromPipe}, wait{Op::SyncWait, to, toPipe};
    if (!pipeSemaphores) {
      // A2/A3: the cube core reaches both vector cores and waits for both; waits
      // stop the scalar unit.
      set.id = wait.id = n;
      wait.pipe = Pipe::S;
      for (uint8_t core : {1, 2}) {
        (from == 0 ? wait : set).core = core;
        push(from == 0 ? wait : set);
      }
      push(from == 0 ? set : wait);
      return;
    }
    set.id = n + (from == 0 && to == 2 ? 16 : 0);
    wait.id = n + (to == 0 && from == 2 ? 16 : 0);
    push(set);
    push(wait);
  }

  /// Orders what pipe `a` of a core has so far before what comes on `b`.
  void order(uint8_t from, Pipe a, uint8_t to, Pipe b) {
    if (from != to) {
      if (from != 0 && to != 0) { // vector cores talk through the cube core
        syncPair(from, a, 0, Pipe::FIX);
        syncPair(0, Pipe::FIX, to, b);
      } else {
        syncPair(from, a, to, b);
      }
      return;
    }
    if (a == b) {
      if (a == Pipe::MTE2 || a == Pipe::MTE3 || (a == Pipe::V && !pipeSemaphores))
        push({Op::Barrier, from, a});
      return;
    }
    switch (below(8)) {
    case 0:
      push({Op::Barrier, from, Pipe::All});
      return;
    case 1:
    case 2: {
      Instruction rls{Op::Rls, from, a}, get{Op::Get, from, b};
      rls.id = get.id = int64_t(below(3));
      push(rls);
      push(get);
      return;
    }
    default: {
      Instruction set{Op::Set, from, a, b}, wait{Op::Wait, from, b, a};
      set.id = wait.id = int64_t(below(2));
      push(set);
      push(wait);
    }
    }
  }

  void add(Instruction i) {
    std::vector<Touch> mine = touches(i);
    bool ordered[kCoresPerBlock][kPipeSlots] = {};
    for (const auto &[earlier, theirs] : data)
      for (const Touch &x : mine)
        for (const Touch &y : theirs)
          if (x.memory == y.memory && (x.writes || y.writes) && x.begin < y.end && y.begin < x.end &&
              !ordered[earlier.core][size_t(earlier.pipe)]) {
            ordered[earlier.core][size_t(earlier.pipe)] = true;
            order(earlier.core, earlier.pipe, i.core, i.pipe);
          }
    data.push_back({i, std::move(mine)});
    push(std::move(i));
  }

  /// Removes or changes one to three synchronising instructions or fences.
  void mutate() {
    program.legal = false;
    for (uint64_t n = 1 + below(3); n > 0; --n) {
      auto &list = program.cores[mixed ? below(3) : 1];
      if (list.empty())
        continue;
      size_t at = below(list.size());
      Instruction &i = list[at];
      if (i.op == Op::Scope) {
        for (ScopeStep &step : i.steps)
          step.fence = false;
        continue;
      }
      if (i.op == Op::Transfer || i.op == Op::Scalar)
        continue;
      switch (below(4)) {
      case 0: // in another place
        std::swap(list[at], list[below(list.size())]);
        break;
      case 1:
        if (i.op != Op::Barrier && i.op != Op::SyncSet) {
          i.id = (i.id + 1) % 2;
          break;
        }
        [[fallthrough]];
      default:
        list.erase(list.begin() + std::ptrdiff_t(at));
      }
    }
  }

  std::mt19937_64 random;
  bool mixed, pipeSemaphores;
  Program program;
  std::vector<std::pair<Instruction, std::vector<Touch>>> data;
};

// --- running ----------------------------------------------------------------------

/// What the kernel finds behind its argument.
struct Batch {
  std::vector<Program> programs; ///< by block
  uint64_t gm = 0;
};

void runScope(PtoContext *context, const uint64_t *captures) {
  const auto &steps = *reinterpret_cast<const std::vector<ScopeStep> *>(captures[0]);
  uint32_t site = uint32_t(captures[1]), number = 0;
  for (const ScopeStep &step : steps) {
    if (step.fence)
      ptosc_fence(context, site, uint32_t(Fence::VV_ALL));
    PtoLoadShadow shadow;
    const uint8_t *source = ptosc_check_load(context, site, step.from, kWindow, 32, nullptr, &shadow);
    uint8_t value[kWindow];
    for (uint32_t k = 0; k < kWindow; ++k)
      value[k] = uint8_t(source[k] * 5 + number + site);
    uint8_t *target = ptosc_check_store(context, site, step.to, kWindow, 32, nullptr, shadow.defined, &shadow.stamp, 1);
    ptosc_buffered_store(context, site, target, kWindow, value, nullptr);
    ++number;
  }
}

int32_t runCore(PtoContext *context, const Batch &batch, uint8_t core) {
  const Program &program = batch.programs[size_t(context->blockIdx)];
  uint64_t gm = batch.gm + uint64_t(context->blockIdx) * kGmBytes;
  uint32_t site = core * 1000u;
  uint64_t sum = 0;
  int32_t stop = 0;
  for (const Instruction &i : program.cores[core]) {
    ++site;
    auto pipe = [](Pipe p) { return uint32_t(p); };
    auto address = [&](Space space, uint64_t offset) { return space == Space::Gm ? gm + offset : offset; };
    switch (i.op) {
    case Op::Transfer: {
      PtoTransfer t{};
      t.srcSpace = uint32_t(i.from);
      t.dstSpace = uint32_t(i.to);
      t.pipe = pipe(i.pipe);
      t.elementBytes = t.padWidth = 1;
      t.src = address(i.from, i.src);
      t.dst = address(i.to, i.dst);
      t.len = i.len;
      t.count = i.count;
      t.srcStride = t.dstStride = i.stride;
      t.flags = PTO_TRANSFER_SUBBLOCK;
      t.dstSubblock = i.subblock;
      stop = ptosc_transfer(context, site, &t);
      break;
    }
    case Op::Scope: {
      uint64_t captures[] = {reinterpret_cast<uint64_t>(&i.steps), site};
      stop = ptosc_scope(context, site, runScope, captures, 2);
      break;
    }
    case Op::Scalar:
      if (i.store) {
        stop = ptosc_store_scalar(context, site, uint32_t(i.from), address(i.from, i.src), 4, 0, sum + site);
      } else {
        uint64_t value = 0;
        stop = ptosc_load_scalar(context, site, uint32_t(i.from), address(i.from, i.src), 4, 0, &value);
        sum += value;
      }
      break;
    case Op::Set:
      stop = ptosc_set_flag(context, site, pipe(i.pipe), pipe(i.other), i.id);
      break;
    case Op::Wait:
      stop = ptosc_wait_flag(context, site, pipe(i.other), pipe(i.pipe), i.id);
      break;
    case Op::Barrier:
      stop = ptosc_barrier(context, site, pipe(i.pipe));
      break;
    case Op::Get:
      stop = ptosc_get_buf(context, site, pipe(i.pipe), i.id, 0);
      break;
    case Op::Rls:
      stop = ptosc_rls_buf(context, site, pipe(i.pipe), i.id, 0);
      break;
    case Op::SyncSet:
      stop = ptosc_sync_set(context, site, pipe(i.pipe == Pipe::S ? Pipe::All : i.pipe), i.id);
      break;
    case Op::SyncWait:
      stop = ptosc_sync_wait(context, site, pipe(i.pipe), i.id);
      break;
    }
    if (stop)
      return stop;
  }
  return 0;
}

struct Outcome {
  bool race = false, deadlock = false, internal = false, refused = false;
  std::string text;
};

/// Keeps what each block reported.
struct PerBlock final : ObserverFactory {
  std::unique_ptr<CheckerFactory> checkers; ///< may be null
  std::vector<Outcome> outcomes;

  std::unique_ptr<Observer> beginBlock(int64_t block, FindingList &findings) override {
    return checkers ? checkers->beginBlock(block, findings) : nullptr;
  }
  void endBlock(int64_t block, std::unique_ptr<Observer> observer, FindingList &findings) override {
    if (checkers)
      checkers->endBlock(block, std::move(observer), findings);
    Outcome &outcome = outcomes[size_t(block)];
    for (const Finding &f : findings.all()) {
      outcome.race |= f.code.starts_with("race-");
      outcome.deadlock |= f.code == "deadlock";
      outcome.internal |= f.code == "internal-error";
      outcome.refused |= f.code == "not-modelled";
      outcome.text += f.code + " at " + std::to_string(f.place.line) + ": " + f.message + "\n";
    }
  }
};

struct Runner {
  Profile profile;
  SiteTable sites;
  explicit Runner(const char *name) : profile(*findProfile(name)) {
    profile.bytes = {};
    profile.bytes[size_t(Space::L1)] = kL1Bytes;
    profile.bytes[size_t(Space::Ub)] = kUbBytes;
    for (uint32_t i = 0; i < 3000; ++i) {
      Site site;
      site.place = {"p", i, 1};
      site.op = "op";
      sites.add(site);
    }
  }

  std::vector<Outcome> run(Batch &batch, bool mixed, Schedule schedule, bool checked, std::vector<uint8_t> &bytes) {
    size_t count = batch.programs.size();
    bytes.resize(count * kGmBytes);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = uint8_t((i * 2654435761u) >> 13);
    GmTable gm;
    batch.gm = gm.add(bytes.data(), bytes.size(), "%x");
    KernelImage image;
    image.aiv = [](PtoContext *context, const uint64_t *arguments) {
      return runCore(context, *reinterpret_cast<const Batch *>(arguments[0]), uint8_t(1 + context->subblockIdx));
    };
    if (mixed)
      image.aic = [](PtoContext *context, const uint64_t *arguments) {
        return runCore(context, *reinterpret_cast<const Batch *>(arguments[0]), 0);
      };
    image.sites = &sites;
    image.name = "random";
    LaunchOptions options;
    options.profile = &profile;
    options.blocks = int64_t(count);
    options.schedule = schedule;
    options.maxFindings = SIZE_MAX;
    options.threads = 2;
    options.checks = Checks::none();
    options.checks.race = checked;
    PerBlock perBlock;
    perBlock.outcomes.resize(count);
    if (checked)
      perBlock.checkers = makeCheckers(sites, gm, profile, options.checks);
    options.observers = &perBlock;
    launch(image, gm, {reinterpret_cast<uint64_t>(&batch)}, options);
    return std::move(perBlock.outcomes);
  }
};

std::string show(const Program &program) {
  const char *kOps[] = {"transfer", "scope", "scalar", "set", "wait", "barrier", "get", "rls", "sync.set", "sync.wait"};
  std::string text;
  for (uint8_t core = 0; core < kCoresPerBlock; ++core) {
    uint32_t site = core * 1000u;
    for (const Instruction &i : program.cores[core])
      text += std::to_string(++site) + ": " + kOps[size_t(i.op)] + " " + std::string(nameOf(i.pipe)) + " other " +
              std::string(nameOf(i.other)) + " id " + std::to_string(i.id) + " src " + std::to_string(i.src) + " dst " +
              std::to_string(i.dst) + " len " + std::to_string(i.len) + " x " + std::to_string(i.count) + " stride " +
              std::to_string(i.stride) + "\n";
  }
  return text;
}

void compare(const char *profile, bool mixed, uint64_t firstSeed, uint64_t programs) {
  constexpr uint64_t kBatch = 250;
  Runner runner(profile);
  uint64_t legal = 0, racy = 0, deadlocks = 0, visible = 0;
  for (uint64_t done = 0, number = 0; done < programs; done += kBatch, ++number) {
    Batch batch;
    for (uint64_t i = 0; i < std::min(kBatch, programs - done); ++i)
      batch.programs.push_back(Generator(firstSeed + done + i, mixed, runner.profile.pipeSemaphores).make());
    std::vector<uint8_t> eagerBytes, bytes;
    std::vector<Outcome> eager = runner.run(batch, mixed, {}, true, eagerBytes);
    std::vector<bool> differs(batch.programs.size());
    struct Other {
      Schedule schedule;
      bool checked;
    };
    bool all = number % 8 == 0;
    std::vector<Other> others = {{{ScheduleKind::Lazy, 0}, all},
                                 {{ScheduleKind::Random, 2 * number}, all},
                                 {{ScheduleKind::Random, 2 * number + 1}, false}};
    if (all)
      others.push_back({{ScheduleKind::Eager, 0}, false});
    for (const Other &other : others) {
      std::vector<Outcome> outcome = runner.run(batch, mixed, other.schedule, other.checked, bytes);
      for (size_t i = 0; i < batch.programs.size(); ++i) {
        auto name = [&] {
          return "seed " + std::to_string(firstSeed + done + i) + (mixed ? " mixed" : "") + ", schedule " +
                 std::to_string(int(other.schedule.kind)) + ":" + std::to_string(other.schedule.seed) + "\n" +
                 show(batch.programs[i]) + "eager:\n" + eager[i].text + "other:\n" + outcome[i].text;
        };
        bool same = std::memcmp(&bytes[i * kGmBytes], &eagerBytes[i * kGmBytes], kGmBytes) == 0;
        differs[i] = differs[i] || (!same && !eager[i].deadlock);
        ASSERT_EQ(outcome[i].deadlock, eager[i].deadlock) << name();
        ASSERT_FALSE(outcome[i].internal) << name();
        if (eager[i].refused || eager[i].deadlock)
          continue;
        if (other.checked)
          ASSERT_EQ(outcome[i].race, eager[i].race) << name();
        if (!eager[i].race)
          ASSERT_TRUE(same) << name();
      }
    }
    for (size_t i = 0; i < batch.programs.size(); ++i) {
      if (batch.programs[i].legal)
        ASSERT_TRUE(!eager[i].race && !eager[i].deadlock && !eager[i].refused)
            << firstSeed + done + i << "\n"
            << show(batch.programs[i]) << eager[i].text;
      ASSERT_FALSE(eager[i].internal) << firstSeed + done + i << "\n" << eager[i].text;
      legal += batch.programs[i].legal;
      racy += eager[i].race;
      deadlocks += eager[i].deadlock;
      visible += differs[i];
    }
  }
  // Every outcome has to be common, or nothing was shown.
  EXPECT_GT(legal, programs / 3);
  EXPECT_GT(racy, programs / 20);
  EXPECT_GT(deadlocks, programs / 100);
  EXPECT_GT(visible, programs / 250);
  std::cout << programs << " programs: " << legal << " legal by construction, " << racy << " with a race (" << visible
            << " of them gave other bytes), " << deadlocks << " deadlocks\n";
}

uint64_t programCount() {
  const char *text = std::getenv("PTOSCOPE_PROPERTY_PROGRAMS");
  uint64_t count = text ? std::strtoull(text, nullptr, 10) : 0;
#if __has_feature(address_sanitizer)
  constexpr uint64_t kDefault = 10000;
#else
  const uint64_t kDefault = takesEveryCase() ? 100000 : 40000;
#endif
  return count ? count : kDefault;
}

TEST(Property, OneVectorCore) { compare("a5", false, 1, programCount() * 2 / 5); }
TEST(Property, Clusters) { compare("a5", true, 1000000001, programCount() * 2 / 5); }
TEST(Property, ClustersOfA3) { compare("a3", true, 2000000001, programCount() / 5); }

} // namespace
