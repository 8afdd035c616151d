//===- AutoArguments.cpp - `--arg auto` -----------------------------------===//
//
// The kernel itself says what it needs. It is run on empty buffers that are larger
// than anything it can touch, with several values of its scalars. The best run executes
// most of the program, has no error that another one of these has not, and repeats what
// is in loops; then the bytes it touched are the sizes of the buffers. Buffers of
// integers get random contents as large as they can be without errors that zeros do not
// give: what they hold may be indices or counts.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Driver/AutoArguments.h"
#include "ptoscope/Driver/Arguments.h"
#include "ptoscope/Driver/Usage.h"
#include "ptoscope/Machine/Direct.h"
#include "ptoscope/Support/Array.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <sys/resource.h>

namespace ptoscope {
namespace {

constexpr uint64_t kReserved = uint64_t(1) << 36;  ///< of each buffer in a trial
constexpr uint64_t kMostBytes = uint64_t(1) << 28; ///< that a buffer may get
constexpr uint64_t kMostSteps = 200000;            ///< of a trial
/// Values that integers are tried with: enough for several turns of a loop over tiles,
/// and what fits into one.
constexpr int64_t kIntegers[] = {5000, 2048, 1000, 512, 256, 100, 64, 32, 16, 8, 4, 3, 2, 1, 0};
constexpr int64_t kMostAlike = 512; ///< products of several may be sizes
constexpr size_t kMostControls = 4;
/// What programs print in trials is not what the run prints.
constexpr auto kSilent = [](std::string_view) {};

/// Addresses without memory behind them until someone writes.
class Reservation {
public:
  explicit Reservation(uint64_t most) {
    for (bytes = most; bytes >= kMostBytes; bytes /= 2) {
      base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (base != MAP_FAILED)
        return;
    }
    base = nullptr;
    bytes = 0;
  }
  Reservation(Reservation &&other) noexcept
      : base(std::exchange(other.base, nullptr)), bytes(std::exchange(other.bytes, 0)) {}
  Reservation &operator=(Reservation &&) = delete;
  ~Reservation() {
    if (base)
      munmap(base, bytes);
  }
  void clear() {
    if (base)
      madvise(base, bytes, MADV_DONTNEED);
  }
  uint8_t *data() const { return static_cast<uint8_t *>(base); }
  uint64_t size() const { return bytes; }

private:
  void *base;
  uint64_t bytes;
};

/// What one of `count` reservations may take, so that a host with limits has room for the memories of the cores, too.
uint64_t shareOf(size_t count) {
  uint64_t bytes = kReserved;
  for (auto which : {RLIMIT_AS, RLIMIT_DATA})
    if (rlimit limit; getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      while (bytes > kMostBytes && bytes > limit.rlim_cur / 4 / count)
        bytes /= 2;
  return bytes;
}

/// What one run touched.
struct Trace {
  std::map<std::string, uint64_t> extent;            ///< one past the last byte, by parameter
  std::map<std::pair<SiteId, Pipe>, uint64_t> times; ///< instructions, by site and pipe

  /// At least once, if it is an instruction.
  void comeTo(SiteId site) {
    auto it = times.lower_bound({site, Pipe{}});
    if (site != kNoSite && (it == times.end() || it->first.first != site))
      times[{site, Pipe::S}] = 1;
  }
  void touch(const GmObject *object, uint64_t end) {
    if (!object)
      return;
    uint64_t &extents = extent[object->name];
    extents = std::max(extents, end >= object->base ? end - object->base : end);
  }
};

class Recorder final : public Observer {
public:
  explicit Recorder(Trace &trace) : trace(trace) {}
  void issue(const Instr &instr) override { ++trace.times[{instr.site, instr.pipe}]; }
  void transfer(const Instr &, const TransferEvent &event) override {
    if (event.srcSpace == Space::Gm && !event.src.empty())
      trace.touch(event.srcObject, event.src.end());
    if (event.dstSpace == Space::Gm && !event.dst.empty())
      trace.touch(event.dstObject, event.dst.end());
  }
  void scalarLoad(const Instr &, const LocalAccess &access) override { scalar(access); }
  void scalarStore(const Instr &, const LocalAccess &access) override { scalar(access); }
  void direct(const Instr &, const DirectEvent &event) override {
    for (const DirectRegion &region : event.regions)
      if (region.space == Space::Gm && !region.box.empty())
        trace.touch(region.object, region.box.end());
  }

private:
  void scalar(const LocalAccess &access) {
    if (access.space == Space::Gm)
      trace.touch(access.object, access.address + access.windowBytes);
  }
  Trace &trace;
};

class Recorders final : public ObserverFactory {
public:
  explicit Recorders(Trace &trace) : trace(trace) {}
  std::unique_ptr<Observer> beginBlock(int64_t, FindingList &) override { return std::make_unique<Recorder>(trace); }
  void endBlock(int64_t, std::unique_ptr<Observer>, FindingList &) override {}

private:
  Trace &trace;
};

constexpr std::string_view kDepends = "this depends on a value that `--arg auto` chose";

/// Code and place: what makes findings of two runs the same.
std::string keyOf(const Finding &finding) {
  return finding.code + " " + std::to_string(finding.place.line) + ":" + std::to_string(finding.place.column);
}

/// Lower is better, member by member. Errors come behind what was executed: a run must not be
/// chosen for having gone round them.
struct Rank {
  enum : uint8_t { Executes, OnlyFails, DoesNothing } outcome;
  bool exceeds;    ///< a value is too large for the buffers or for a trial
  int64_t covered; ///< minus the instructions that it came to
  size_t errors;
  int64_t repeated; ///< minus those that were executed in several turns
  uint64_t work;
  auto operator<=>(const Rank &) const = default;
};

struct TrialRun {
  Trace trace;
  std::vector<std::string> errors; ///< keys
  std::vector<Finding> outside;    ///< accesses that leave a buffer
  uint64_t instructions = 0;
  bool exceeds = false;

  Rank rank() const {
    int64_t repeated = 0;
    for (const auto &[place, times] : trace.times)
      repeated += times >= 3;
    const bool isIdle = instructions == 0 && trace.extent.empty();
    const auto outcome = !isIdle ? Rank::Executes : errors.empty() || exceeds ? Rank::DoesNothing : Rank::OnlyFails;
    return {outcome, exceeds, -int64_t(trace.times.size()), errors.size(), -repeated, instructions};
  }
};

class Chooser {
public:
  Chooser(const CompiledKernel &kernel, LaunchOptions launch, std::vector<std::string> words)
      : kernel(kernel), options(std::move(launch)), words(std::move(words)) {
    options.threads = 1;
    options.checks = {};
    options.schedule = {};
    options.maxSteps = options.maxSteps ? std::min(options.maxSteps, kMostSteps) : kMostSteps;
    options.maxFindings = 100;
    options.print = kSilent;
    const uint64_t most = shareOf(std::max<size_t>(kernel.parameters.size(), 1));
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      isAuto.push_back(this->words[i] == "auto");
      space.emplace_back(most);
      given.emplace_back();
    }
  }

  Result<AutoArguments> choose() {
    for (size_t i = 0; i < words.size(); ++i) {
      const Parameter &parameter = kernel.parameters[i];
      if (parameter.isPointer && !isAuto[i]) {
        Result<Array> array = loadArray(words[i]);
        if (!array)
          return array.takeFinding();
        given[i] = std::move(*array);
      } else if (parameter.isPointer && !space[i].data()) {
        return usageError("`--arg auto` for " + parameter.name + ": the host has no address space for a trial",
                          "give this argument");
      } else if (!parameter.isPointer && isAuto[i]) {
        words[i] = isInteger(i) ? "1" : "0.5";
      }
    }
    TrialRun best = chooseScalars();
    if (refused)
      return std::move(*refused);
    if (Result<void> sized = chooseSizes(best); !sized)
      return sized.takeFinding();
    chooseContents();
    if (Result<void> sized = chooseSizes(run()); !sized)
      return sized.takeFinding();
    writeContents();
    addControls();
    return std::move(chosen);
  }

  /// What comes behind the place where the best run hangs is not known.
  bool hangs() const { return hasHung; }

private:
  bool isInteger(size_t i) const {
    std::optional<ElementType> type = parseElementType(kernel.parameters[i].element);
    return !type || infoOf(*type).kind != ElementClass::Float;
  }
  bool isChoice(size_t i) const { return isAuto[i] && !kernel.parameters[i].isPointer && isInteger(i); }
  bool fits(size_t i, int64_t value) const {
    const Parameter &parameter = kernel.parameters[i];
    return parameter.element == "i1" ? value < 2 : parameter.bytes != 1 || value < 128;
  }

  /// Runs with what `words` has; auto buffers have room for anything, or `sizes`.
  TrialRun run(bool sized = false) {
    TrialRun trial;
    GmTable gm;
    std::vector<uint64_t> raw;
    std::vector<Array> made(words.size());
    for (size_t i = 0; i < words.size(); ++i) {
      const Parameter &parameter = kernel.parameters[i];
      if (!parameter.isPointer) {
        raw.push_back(scalarBits(i));
      } else if (!isAuto[i]) {
        // The kernel writes to it.
        made[i].bytes = std::move(*ByteBuffer::allocate(given[i].bytes.size()));
        std::memcpy(made[i].bytes.data(), given[i].bytes.data(), given[i].bytes.size());
        raw.push_back(gm.add(made[i].bytes.data(), made[i].bytes.size(), parameter.name));
      } else {
        space[i].clear();
        if (words[i] != "auto")
          if (Result<Array> contents = generateArray(words[i]))
            std::memcpy(space[i].data(), contents->bytes.data(), contents->bytes.size());
        raw.push_back(gm.add(space[i].data(), sized ? sizes[i] : space[i].size(), parameter.name));
      }
    }
    Recorders recorders(trial.trace);
    options.observers = &recorders;
    LaunchResult result = launch(kernel.image, gm, raw, options);
    trial.instructions = result.stats.instructions;
    for (const Finding &finding : result.findings.all()) {
      if (finding.code == "max-memory")
        refused = finding; // it says nothing about the program
      if (finding.code == "gm-out-of-bounds" && finding.bytes)
        trial.outside.push_back(finding);
      if (finding.severity != Severity::Error)
        continue;
      trial.errors.push_back(keyOf(finding));
      trial.exceeds |= comesOfSize(finding);
      trial.trace.comeTo(refusedAt(finding.place));
    }
    for (const auto &[name, bytes] : trial.trace.extent)
      if (bytes > kMostBytes) {
        trial.errors.push_back("too large " + name);
        trial.exceeds = true;
      }
    return trial;
  }

  /// Smaller values do not have it. No value is large enough to leave a buffer at its beginning.
  static bool comesOfSize(const Finding &finding) {
    return finding.code == "max-steps" ||
           (finding.code == "gm-out-of-bounds" && !(finding.bytes && int64_t(finding.bytes->begin) < 0));
  }

  /// An instruction of a pipe that was refused was not issued, but the run came to it.
  SiteId refusedAt(const Place &place) const {
    for (SiteId site = 0; site < kernel.sites.size(); ++site)
      if (const Site &at = kernel.sites[site]; at.place == place && at.scope == kNoSite && at.timing > Timing::config)
        return site;
    return kNoSite;
  }

  uint64_t scalarBits(size_t i) const {
    const Parameter &parameter = kernel.parameters[i];
    std::optional<ElementType> type = parseElementType(parameter.element);
    if (isInteger(i))
      return uint64_t(parseInteger(words[i]).value_or(0));
    double value = std::strtod(words[i].c_str(), nullptr);
    return *type == ElementType::F64 ? std::bit_cast<uint64_t>(value) : encodeFloat(*formatOf(*type), value);
  }

  /// All alike first, then one after the other.
  TrialRun chooseScalars() {
    std::vector<size_t> choices;
    for (size_t i = 0; i < words.size(); ++i)
      if (isChoice(i))
        choices.push_back(i);
    std::optional<TrialRun> best;
    std::vector<std::string> bestWords;
    auto attempt = [&] {
      TrialRun trial = run();
      tried.emplace_back(words, trial.rank());
      if (!best || trial.rank() < best->rank()) {
        best = std::move(trial);
        bestWords = words;
      }
    };
    if (choices.empty())
      attempt();
    else
      for (int64_t value : kIntegers) {
        if (choices.size() > 1 && value > kMostAlike)
          continue;
        for (size_t i : choices)
          if (fits(i, value))
            words[i] = std::to_string(value);
        attempt();
      }
    if (choices.size() > 1)
      for (size_t i : choices) {
        words = bestWords;
        for (int64_t value : kIntegers)
          if (fits(i, value) && std::to_string(value) != bestWords[i]) {
            words[i] = std::to_string(value);
            attempt();
          }
      }
    words = bestWords;
    bestRank = best->rank();
    hasHung = std::ranges::any_of(best->errors, [](const std::string &key) { return key.starts_with("deadlock "); });
    return std::move(*best);
  }

  /// The bytes that were touched, and those that instructions want to be there though
  /// this run did not touch them, such as a table that indices choose from.
  Result<void> chooseSizes(const TrialRun &best) {
    sizes.assign(words.size(), 0);
    auto grow = [&](const std::string &name, uint64_t bytes) {
      bool grows = false;
      for (size_t i = 0; i < words.size(); ++i)
        if (isDrawn(i) && kernel.parameters[i].name == name && bytes > sizes[i]) {
          sizes[i] = bytes;
          grows = true;
        }
      return grows;
    };
    for (const auto &[name, bytes] : best.trace.extent)
      grow(name, bytes);
    for (int round = 0; round < 100; ++round) {
      for (size_t i = 0; i < words.size(); ++i) {
        if (!isDrawn(i))
          continue;
        const uint64_t item = std::max(1u, kernel.parameters[i].bytes);
        sizes[i] = std::max(item, (sizes[i] + item - 1) / item * item);
        if (sizes[i] > kMostBytes)
          return usageError("`--arg auto` for " + kernel.parameters[i].name + ": the program touches " +
                                std::to_string(sizes[i]) + " bytes of it, at most " + std::to_string(kMostBytes) +
                                " are made",
                            "give this argument, or scalars that make the program smaller");
      }
      bool grows = false;
      for (const Finding &finding : run(/*sized=*/true).outside)
        grows |= grow(finding.bytes->parameter, finding.bytes->end);
      if (!grows)
        break;
    }
    return {};
  }

  /// A generator of the parameter's element, or of integers as wide.
  std::string generator(size_t i, const std::string &name, const std::string &parameter) const {
    const Parameter &info = kernel.parameters[i];
    const unsigned item = std::max(1u, info.bytes);
    std::optional<ElementType> type = parseElementType(info.element);
    std::string element = type && infoOf(*type).bytes == item ? info.element : "u" + std::to_string(item * 8);
    return name + ":" + element + ":" + std::to_string(sizes[i] / item) + parameter;
  }

  bool isDrawn(size_t i) const { return isAuto[i] && kernel.parameters[i].isPointer; }

  /// The contents that were chosen, in the sizes that were.
  void writeContents() {
    for (size_t i = 0; i < words.size(); ++i)
      if (isDrawn(i))
        words[i] = generator(i, limits[i] == 1 ? "zeros" : "random",
                             limits[i] == 1 ? "" : seedOf(i) + (limits[i] ? ":" + std::to_string(limits[i]) : ""));
  }
  static std::string seedOf(size_t i) { return ":" + std::to_string(i + 1); }

  /// Integers start as zeros. They may have any value, or are below the largest limit
  /// that gives no new error.
  void chooseContents() {
    limits.assign(words.size(), 0);
    for (size_t i = 0; i < words.size(); ++i)
      limits[i] = isInteger(i);
    writeContents();
    const size_t errors = run().errors.size();
    for (size_t i = 0; i < words.size(); ++i) {
      if (!isDrawn(i) || !isInteger(i))
        continue;
      auto attempt = [&](uint64_t limit) {
        limits[i] = limit;
        writeContents();
        return generateArray(words[i]) && run().errors.size() <= errors;
      };
      bool fine = attempt(0);
      for (uint64_t limit = uint64_t(1) << 15; !fine && limit > 0; limit /= 2)
        fine = attempt(limit);
    }
    writeContents();
  }

  void addControls() {
    chosen.words = words;
    bool drawn = false;
    AutoArguments::Control empty{words, "zeros in the buffers"};
    for (size_t i = 0; i < words.size(); ++i)
      if (isDrawn(i)) {
        empty.words[i] = generator(i, "zeros", "");
        drawn |= empty.words[i] != words[i];
      }
    if (drawn)
      chosen.controls.push_back(std::move(empty));
    // Other scalars that execute as much, or that have fewer errors and execute more than next to
    // nothing; the buffers grow with them.
    auto isControl = [&](const Rank &rank) {
      return rank.errors < bestRank.errors
                 ? rank.outcome == Rank::Executes && !rank.exceeds && 2 * rank.covered <= bestRank.covered
                 : rank.errors == bestRank.errors && rank.covered == bestRank.covered;
    };
    std::ranges::stable_sort(tried, {}, [](const auto &each) { return each.second.errors; });
    for (const auto &[other, rank] : tried) {
      std::string difference;
      for (size_t i = 0; i < other.size(); ++i)
        if (isChoice(i) && other[i] != chosen.words[i])
          difference += (difference.empty() ? "" : ", ") + kernel.parameters[i].name + " = " + other[i];
      if (difference.empty() || !isControl(rank) || chosen.controls.size() >= kMostControls)
        continue;
      for (size_t i = 0; i < words.size(); ++i)
        words[i] = isDrawn(i) ? "auto" : other[i];
      if (!chooseSizes(run()))
        continue;
      for (size_t i = 0; i < words.size(); ++i)
        if (isDrawn(i))
          words[i] = generator(i, "zeros", "");
      chosen.controls.push_back({words, difference});
    }
  }

  Rank bestRank{};
  bool hasHung = false;

  const CompiledKernel &kernel;
  LaunchOptions options;
  std::vector<std::string> words;
  std::vector<bool> isAuto;
  std::vector<Reservation> space;
  std::vector<Array> given;
  std::vector<uint64_t> sizes;  ///< in bytes
  std::vector<uint64_t> limits; ///< of integers: they are below; 0 for none
  std::vector<std::pair<std::vector<std::string>, Rank>> tried;
  AutoArguments chosen;
  std::optional<Finding> refused; ///< the host did not let a trial run
};

} // namespace

bool wantsAuto(std::span<const std::string> words) { return std::ranges::find(words, "auto") != words.end(); }

std::optional<AutoArguments> chooseArguments(Session &session, const ParsedProgram &program,
                                             const CompileOptions &compile, const LaunchOptions &launch,
                                             std::vector<std::string> words, FindingList &findings) {
  CompileOptions own = compile;
  own.checks = {};
  own.schedule = ScheduleKind::Eager;
  FindingList unused;
  std::unique_ptr<CompiledKernel> kernel = session.compile(program, own, unused);
  if (!kernel)
    return findings.merge(std::move(unused)), std::nullopt;
  // One `auto` is for all.
  if (words.size() == 1)
    words.assign(kernel->parameters.size(), "auto");
  if (words.size() != kernel->parameters.size())
    return AutoArguments{words, {}}; // refused where arguments are loaded
  Chooser chooser(*kernel, launch, words);
  Result<AutoArguments> chosen = chooser.choose();
  if (chooser.hangs()) {
    own.ignoresWaits = true;
    if ((kernel = session.compile(program, own, unused)))
      chosen = Chooser(*kernel, launch, std::move(words)).choose();
  }
  if (!chosen)
    return findings.add(chosen.takeFinding()), std::nullopt;
  return std::move(*chosen);
}

const Note *noteOfDrawn(const Finding &finding) {
  for (const Note &note : finding.notes)
    if (note.message.starts_with(kDepends))
      return &note;
  return nullptr;
}

void markAs(std::span<const Finding> marked, Finding &finding) {
  for (const Finding &known : marked)
    if (const Note *note = noteOfDrawn(known); note && !noteOfDrawn(finding) && keyOf(known) == keyOf(finding))
      finding.notes.push_back(*note);
}

FindingList markDrawn(const CompiledKernel &kernel, const AutoArguments &chosen, LaunchOptions launch,
                      FindingList findings) {
  if (findings.empty())
    return findings;
  std::vector<Finding> found = findings.all();
  launch.print = kSilent;
  for (const AutoArguments::Control &control : chosen.controls) {
    FindingList without;
    std::optional<std::vector<LoadedArgument>> loaded = loadArguments(kernel, control.words, without);
    if (!loaded)
      continue;
    without.merge(std::move(Session::launch(kernel, argumentsOf(kernel, *loaded), launch).launch.findings));
    const std::string note = std::string(kDepends) + ": with " + control.difference;
    for (Finding &finding : found) {
      auto same = [&](const Finding &other) { return keyOf(other) == keyOf(finding); };
      if (std::ranges::none_of(without.all(), same) && !noteOfDrawn(finding))
        finding.notes.push_back({{}, note + " it does not occur"});
    }
  }
  FindingList marked = findings.withoutFindings();
  for (Finding &finding : found)
    marked.add(std::move(finding));
  return marked;
}

} // namespace ptoscope
