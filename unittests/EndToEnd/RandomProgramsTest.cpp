//===- RandomProgramsTest.cpp - compiled programs under every schedule ----===//
//
// Random programs go the whole way, from text to bytes. Required:
//   - of a legal program: no finding, and the bytes of program order, under
//     eager, lazy and random schedules, with all checks and with none;
//   - of a program with one to three faults, a quarter of all: it ends; all schedules
//     agree on deadlock and race; if bytes differ between any two schedules, a race
//     (or deadlock) was reported.
// PTOSCOPE_RANDOM_PROGRAMS sets how many run (default 2000), PTOSCOPE_RANDOM_SEED
// the first seed.
//
//===----------------------------------------------------------------------===//

#include "../Sample.h"
#include "Program.h"
#include "Weakened.h"

#include "ptoscope/Driver/Session.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

using namespace ptoscope;
using namespace ptoscope::randomprogram;

namespace {

/// No program takes longer than this: it hangs.
constexpr std::chrono::seconds kTooLong{120};
/// A list that is full ends the run, and what would have come differs from schedule to schedule.
constexpr size_t kManyFindings = 1000;

/// Legal and faulty ones together.
uint64_t programCount() { return numberFrom("PTOSCOPE_RANDOM_PROGRAMS", 2000); }

/// Three of four; without a number of them `make test` leaves the last 500 to `make test-long`.
uint64_t legalCount() {
  if (!std::getenv("PTOSCOPE_RANDOM_PROGRAMS") && !takesEveryCase())
    return 1000;
  return programCount() - programCount() / 4;
}

/// "random:3 --check none", as options of the command line.
std::string optionsOf(const Schedule &schedule, const Checks &checks) {
  std::string name = schedule.kind == ScheduleKind::Eager  ? "eager"
                     : schedule.kind == ScheduleKind::Lazy ? "lazy"
                                                           : "random:" + std::to_string(schedule.seed);
  return "--schedule " + name + (checks.any() ? "" : " --check none");
}

struct Outcome {
  std::vector<uint8_t> gm;
  bool completed = false, race = false, deadlock = false, internal = false, error = false;
  std::string findings;
};

/// One program, compiled as often as checks and schedules need: random schedules
/// need stores of scopes that are buffered. That code runs under other schedules
/// too, which spares compiling twice; every eighth program takes the code that
/// the command line would use.
class Compiled {
public:
  Compiled(Session &session, const Program &program, std::string name)
      : session(session), program(program), name(std::move(name)), text(textOf(program)), input(program.input()),
        gm(program.gm()) {}

  Outcome run(Schedule schedule, Checks checks, unsigned threads) {
    Outcome outcome;
    bool buffered = schedule.kind == ScheduleKind::Random || !hasScope() || program.seed % 8 != 0;
    CompiledKernel *kernel = compile(buffered, checks.any());
    if (!kernel) {
      note(outcome, refusals);
      return outcome;
    }
    outcome.gm = gm;
    std::vector<uint8_t> source = input;
    Argument arguments[] = {std::span<uint8_t>(source), std::span<uint8_t>(outcome.gm)};
    LaunchOptions options;
    options.profile = parsed->profile;
    options.blocks = int64_t(program.blocks);
    options.maxFindings = kManyFindings;
    options.checks = checks;
    options.schedule = schedule;
    options.threads = threads;
    RunResult result = Session::launch(*kernel, arguments, options);
    outcome.completed = result.launch.completed;
    note(outcome, result.launch.findings);
    return outcome;
  }

  /// Whether a checker with this weakness reports a race.
  bool raceWith(Weakness weakness) {
    CompiledKernel *kernel = compile(true, true);
    std::vector<uint8_t> source = input, target = gm;
    GmTable table;
    std::vector<uint64_t> words = {table.add(source.data(), source.size(), "%in"),
                                   table.add(target.data(), target.size(), "%gm")};
    LaunchOptions options;
    options.profile = parsed->profile;
    options.blocks = int64_t(program.blocks);
    options.maxFindings = kManyFindings;
    std::unique_ptr<CheckerFactory> checkers = makeCheckers(kernel->sites, table, *options.profile, options.checks);
    WeakenedFactory weakened(*checkers, weakness);
    options.observers = &weakened;
    Outcome outcome;
    note(outcome, launch(kernel->image, table, words, options).findings);
    return outcome.race;
  }

  /// Files and commands that show the same again.
  std::string reproduce(const std::string &options) const {
    std::string stem = ::testing::TempDir() + name;
    auto save = [&](const std::string &path, const void *bytes, size_t count) {
      std::ofstream(path, std::ios::binary).write(static_cast<const char *>(bytes), std::streamsize(count));
    };
    save(stem + ".pto", text.data(), text.size());
    save(stem + ".in", input.data(), input.size());
    save(stem + ".gm", gm.data(), gm.size());
    return text + "\nptoscope run " + stem + ".pto --arg " + stem + ".in --arg " + stem + ".gm --block-dim " +
           std::to_string(program.blocks) + " " + options + "\nPTOSCOPE_RANDOM_SEED=" + std::to_string(program.seed) +
           " PTOSCOPE_RANDOM_PROGRAMS=1 EndToEndTests\n";
  }

private:
  bool hasScope() const {
    return std::any_of(program.list.begin(), program.list.end(),
                       [](const Instruction &i) { return i.kind == Kind::Scope; });
  }
  CompiledKernel *compile(bool buffered, bool checked) {
    if (!parsed)
      parsed = session.parse(name + ".pto", text, {}, refusals);
    std::unique_ptr<CompiledKernel> &kernel = kernels[buffered][checked];
    if (!kernel && parsed->module) {
      CompileOptions options;
      options.checks = checked ? Checks() : Checks::none();
      options.schedule = buffered ? ScheduleKind::Random : ScheduleKind::Eager;
      kernel = session.compile(*parsed, options, refusals);
    }
    return kernel.get();
  }
  static void note(Outcome &outcome, const FindingList &list) {
    for (const Finding &f : list.all()) {
      if (f.severity == Severity::Remark || f.code == "stale-line")
        continue; // loose spellings, and scalar loads behind transfers, are part of the test
      outcome.race |= f.code.starts_with("race-");
      outcome.deadlock |= f.code == "deadlock";
      outcome.internal |= f.category == Category::Internal;
      outcome.error |= f.severity == Severity::Error;
      outcome.findings += "line " + std::to_string(f.place.line) + ": " + f.code + ": " + f.message + "\n";
    }
  }

  Session &session;
  const Program &program;
  std::string name, text;
  std::vector<uint8_t> input, gm;
  std::unique_ptr<ParsedProgram> parsed;
  std::unique_ptr<CompiledKernel> kernels[2][2]; ///< by buffered stores, by checks
  FindingList refusals;
};

std::vector<Schedule> schedulesOf(uint64_t seed, uint64_t randomOnes) {
  std::vector<Schedule> list = {{ScheduleKind::Eager, 0}, {ScheduleKind::Lazy, 0}};
  for (uint64_t k = 0; k < randomOnes; ++k)
    list.push_back({ScheduleKind::Random, randomOnes * seed + k});
  return list;
}

std::string firstDifference(const std::vector<uint8_t> &got, const std::vector<uint8_t> &expected) {
  if (got.size() != expected.size())
    return "no bytes";
  size_t k = size_t(std::mismatch(got.begin(), got.end(), expected.begin()).first - got.begin());
  return "byte " + std::to_string(k) + " of %gm is " + std::to_string(got[k]) + ", expected " +
         std::to_string(expected[k]);
}

struct Tally {
  uint64_t programs = 0, mixed = 0, severalBlocks = 0;
  uint64_t races = 0, deadlocks = 0, otherFindings = 0, harmless = 0, visible = 0;
  std::vector<std::string> failures;
};

/// Weaknesses of a checker that the programs would have brought to light.
struct Caught {
  std::atomic<bool> flags[size_t(kLastWeakness) + 1] = {};
  /// Weaknesses first to last, as far as they have shown in no program yet.
  template <typename Function> void look(Weakness first, Weakness last, Function shows) {
    for (size_t k = size_t(first); k <= size_t(last); ++k)
      if (!flags[k] && shows(Weakness(k)))
        flags[k] = true;
  }
  std::string missing(Weakness first, Weakness last) const {
    std::string list;
    for (size_t k = size_t(first); k <= size_t(last); ++k)
      if (!flags[k])
        list += " " + std::to_string(k);
    return list;
  }
};
constexpr Weakness kFirstWeakness{}, kFirstInventing = Weakness(size_t(kLastMissing) + 1);

/// Empty, or what is wrong.
std::string checkLegal(Session &session, const Program &program, Caught &caught) {
  Compiled compiled(session, program, "random-" + std::to_string(program.seed));
  std::vector<uint8_t> expected = interpret(program);
  for (Checks checks : {Checks(), Checks::none()})
    for (const Schedule &schedule : schedulesOf(program.seed, 3)) {
      if (!checks.any() && program.seed % 8 > 1)
        continue; // to compile once less
      Outcome outcome = compiled.run(schedule, checks, 1 + unsigned(program.seed % 2));
      std::string options = optionsOf(schedule, checks);
      if (!outcome.findings.empty())
        return "a legal program is reported:\n" + outcome.findings + compiled.reproduce(options);
      if (!outcome.completed || outcome.gm != expected)
        return "not the bytes of program order: " + firstDifference(outcome.gm, expected) + "\n" +
               compiled.reproduce(options);
    }
  caught.look(kFirstInventing, kLastWeakness, [&](Weakness weakness) { return compiled.raceWith(weakness); });
  return "";
}

std::string checkBroken(Session &session, const Program &program, Tally &tally, Caught &caught) {
  Compiled compiled(session, program, "broken-" + std::to_string(program.seed));
  Outcome eager;
  bool differs = false;
  std::string different;
  for (Checks checks : {Checks(), Checks::none()})
    for (const Schedule &schedule : schedulesOf(program.seed, 8)) {
      if (!checks.any() && program.seed % 8 != 0)
        continue; // to compile once less
      Outcome outcome = compiled.run(schedule, checks, 1);
      std::string options = optionsOf(schedule, checks);
      bool first = checks.any() && schedule.kind == ScheduleKind::Eager;
      if (first)
        eager = outcome;
      if (outcome.internal)
        return "internal error:\n" + outcome.findings + compiled.reproduce(options);
      if (checks.any() && outcome.deadlock != eager.deadlock)
        return "schedules disagree on deadlock:\n" + eager.findings + "---\n" + outcome.findings +
               compiled.reproduce(options);
      if (checks.any() && !eager.deadlock && outcome.race != eager.race)
        return "schedules disagree on a race:\n" + eager.findings + "---\n" + outcome.findings +
               compiled.reproduce(options);
      if (outcome.gm != eager.gm && !differs) {
        differs = true;
        different = firstDifference(outcome.gm, eager.gm) + "\n" + compiled.reproduce(options);
      }
    }
  if (!eager.race && !eager.deadlock && differs)
    return "no race is reported, and schedules give different bytes: " + different + eager.findings;
  if (differs && eager.race && !eager.deadlock)
    caught.look(kFirstWeakness, kLastMissing, [&](Weakness weakness) { return !compiled.raceWith(weakness); });
  tally.races += eager.race;
  tally.deadlocks += eager.deadlock;
  tally.visible += eager.race && differs;
  if (!eager.race && !eager.deadlock)
    ++(eager.findings.empty() ? tally.harmless : tally.otherFindings);
  return "";
}

/// Says what is running when it takes too long, and ends the test: a hang is a
/// failure that no assertion can report.
class Watchdog {
public:
  explicit Watchdog(size_t workers) : slots(workers), thread([this] { watch(); }) {}
  ~Watchdog() {
    {
      std::lock_guard lock(mutex);
      done = true;
    }
    changed.notify_all();
    thread.join();
  }
  void begin(size_t worker, const Program &program) {
    std::lock_guard lock(mutex);
    slots[worker] = {std::chrono::steady_clock::now(), &program};
  }
  void end(size_t worker) {
    std::lock_guard lock(mutex);
    slots[worker].program = nullptr;
  }

private:
  struct Slot {
    std::chrono::steady_clock::time_point start;
    const Program *program = nullptr;
  };
  void watch() {
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::seconds(1), [&] { return done; }))
      for (const Slot &slot : slots)
        if (slot.program && std::chrono::steady_clock::now() - slot.start > kTooLong) {
          std::cerr << "seed " << slot.program->seed << " does not end:\n" << textOf(*slot.program) << std::flush;
          std::abort();
        }
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::vector<Slot> slots;
  std::thread thread;
};

/// Runs `one(session, seed, tally)` for every seed, on all host threads.
template <typename Function> Tally forEachSeed(uint64_t first, uint64_t count, Function one) {
  size_t workers = std::max(1u, std::thread::hardware_concurrency());
  Tally total;
  std::mutex mutex;
  std::atomic<uint64_t> next = 0;
  std::atomic<bool> failed = false;
  Watchdog watchdog(workers);
  auto work = [&](size_t worker) {
    Tally tally;
    // A session keeps every type and constant it has seen; a new one now and then
    // keeps it small.
    std::unique_ptr<Session> session;
    uint64_t used = 0;
    for (uint64_t k; !failed && (k = next++) < count;) {
      if (used++ % 200 == 0)
        session = std::make_unique<Session>();
      if (std::string failure = one(*session, first + k, tally, watchdog, worker); !failure.empty()) {
        tally.failures.push_back(std::move(failure));
        failed = true;
      }
      watchdog.end(worker);
    }
    std::lock_guard lock(mutex);
    total.programs += tally.programs;
    total.mixed += tally.mixed;
    total.severalBlocks += tally.severalBlocks;
    total.races += tally.races;
    total.deadlocks += tally.deadlocks;
    total.otherFindings += tally.otherFindings;
    total.harmless += tally.harmless;
    total.visible += tally.visible;
    for (std::string &failure : tally.failures)
      total.failures.push_back(std::move(failure));
  };
  std::vector<std::thread> others;
  for (size_t worker = 1; worker < workers; ++worker)
    others.emplace_back(work, worker);
  work(0);
  for (std::thread &other : others)
    other.join();
  return total;
}

} // namespace

// Nothing is shown about what does not occur.
TEST(RandomPrograms, CoverTheInstructions) {
  std::map<std::string, uint64_t> seen, first;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    if (seed == 1001) // what `make test` runs
      first = seen;
    Program program = generate(seed);
    ++seen[program.arch + (program.mixed ? " cluster" : " vector")];
    ++seen[program.blocks > 1 ? "several blocks" : "one block"];
    for (const Instruction &i : program.list) {
      ++seen["kind " + std::to_string(int(i.kind))];
      if (i.kind == Kind::Transfer) {
        const PathInfo &path = infoOf(i.transfer.path);
        ++seen[std::string(i.transfer.legacy ? path.legacy : path.grouped)];
        seen["padding"] += i.transfer.pad.has_value();
        if (i.transfer.atomic)
          ++seen["atomic " + std::to_string(*i.transfer.atomic)];
        seen["shared"] += i.transfer.dst.memory == Memory::Shared && program.blocks > 1;
        seen["neighbour"] += i.transfer.src.neighbour > 0;
      }
      for (const Step &step : i.scope.steps) {
        ++seen["step " + std::to_string(int(step.kind))];
        if (step.kind == Step::Fence)
          ++seen[std::string(kFences[step.op].name)];
        if (step.kind == Step::Lane)
          ++seen[std::string(kLaneOps[step.op].name)];
        if (step.kind == Step::Load)
          ++seen["load " + std::string(kLoads[step.op].name)];
        if (step.kind == Step::Store)
          ++seen["store " + std::string(kStores[step.op].name)];
        ++seen["mask " + std::to_string(int(step.mask.kind))];
      }
      if (i.kind == Kind::Get || i.kind == Kind::Rls)
        ++seen["mode " + std::to_string(i.mode)];
      if (i.isSync() && i.kind <= Kind::WaitFlag)
        ++seen[std::string(nameOf(i.source)) + " -> " + std::string(nameOf(i.destination))];
    }
  }
  std::vector<std::string> names = {"a5 cluster", "a5 vector",      "a3 cluster", "a3 vector", "a2 cluster",
                                    "a2 vector",  "several blocks", "one block",  "padding",   "neighbour",
                                    "shared",     "mode 0",         "mode 1"};
  for (int kind = 0; kind <= int(Kind::End); ++kind)
    names.push_back("kind " + std::to_string(kind));
  for (const PathInfo &path : kPaths)
    for (std::string_view name : {path.grouped, path.legacy})
      names.push_back(std::string(name));
  for (int kind = 0; kind <= int(Step::MaskCopy); ++kind)
    names.push_back("step " + std::to_string(kind));
  for (int kind = 0; kind <= int(Mask::Negative); ++kind)
    names.push_back("mask " + std::to_string(kind));
  for (size_t kind = 0; kind < kAtomics.size(); ++kind)
    names.push_back("atomic " + std::to_string(kind));
  for (const Distribution &form : kLoads)
    names.push_back("load " + std::string(form.name));
  for (const Distribution &form : kStores)
    names.push_back("store " + std::string(form.name));
  for (const FenceKind &fence : kFences)
    names.push_back(std::string(fence.name));
  for (const LaneOp &op : kLaneOps)
    names.push_back(std::string(op.name));
  for (const char *a : {"PIPE_S", "PIPE_V", "PIPE_MTE2", "PIPE_MTE3"})
    for (const char *b : {"PIPE_S", "PIPE_V", "PIPE_MTE2", "PIPE_MTE3"})
      if (std::string(a) != b)
        names.push_back(std::string(a) + " -> " + b);
  for (const std::string &name : names) {
    EXPECT_GE(seen[name], 10u) << name;
    EXPECT_GT(first[name], 0u) << name;
  }
}

// Each test ends by asking whether it would have noticed a spoilt checker: one that
// invents races, here, and one that misses them, in the next.
TEST(RandomPrograms, Legal) {
  Caught caught;
  uint64_t count = legalCount(), first = numberFrom("PTOSCOPE_RANDOM_SEED", 1);
  Tally tally =
      forEachSeed(first, count, [&](Session &session, uint64_t seed, Tally &tally, Watchdog &watchdog, size_t worker) {
        Program program = generate(seed);
        ++tally.programs;
        tally.mixed += program.mixed;
        tally.severalBlocks += program.blocks > 1;
        watchdog.begin(worker, program);
        std::string failure = checkLegal(session, program, caught);
        watchdog.end(worker);
        return failure;
      });
  for (const std::string &failure : tally.failures)
    ADD_FAILURE() << failure;
  std::cout << tally.programs << " programs, " << tally.mixed << " of them for clusters, " << tally.severalBlocks
            << " for several blocks\n";
  if (count >= 500)
    EXPECT_EQ(caught.missing(kFirstInventing, kLastWeakness), "");
}

TEST(RandomPrograms, Faulty) {
  Caught caught;
  uint64_t count = std::max<uint64_t>(programCount() / 4, 1), first = numberFrom("PTOSCOPE_RANDOM_SEED", 1);
  Tally tally =
      forEachSeed(first, count, [&](Session &session, uint64_t seed, Tally &tally, Watchdog &watchdog, size_t worker) {
        Program program = generate(seed);
        std::string what;
        for (uint64_t fault = 0; fault <= seed % 3; ++fault)
          what += breakOne(program, 3 * seed + fault) + "; ";
        ++tally.programs;
        watchdog.begin(worker, program);
        std::string failure = checkBroken(session, program, tally, caught);
        watchdog.end(worker);
        return failure.empty() ? failure : what + failure;
      });
  for (const std::string &failure : tally.failures)
    ADD_FAILURE() << failure;
  std::cout << tally.programs << " programs with one to three faults: " << tally.races << " races (" << tally.visible
            << " of them gave other bytes), " << tally.deadlocks << " deadlocks, " << tally.otherFindings
            << " other findings, " << tally.harmless << " harmless\n";
  if (count >= 100) { // every outcome has to be common, or nothing was shown
    EXPECT_GT(tally.races, tally.programs / 8);
    EXPECT_GT(tally.deadlocks, tally.programs / 20);
    EXPECT_GT(tally.visible, tally.programs / 100);
    if (count >= 500)
      EXPECT_EQ(caught.missing(kFirstWeakness, kLastMissing), "");
  }
}
