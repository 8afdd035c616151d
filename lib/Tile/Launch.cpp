//===- Launch.cpp - C++ kernels on the Machine ----------------------------===//
//
// The program of every scalar unit is a trampoline that calls the kernel. A block
// that ends early leaves the kernel by an exception, which the trampoline catches:
// nothing unwinds through the Machine.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Environment.h"
#include "HostProfile.h"
#include "HostThreads.h"
#include "RecordedLaunch.h"
#include "Run.h"
#include "TimedLaunch.h"

#include "ptoscope/Machine/ClusterSentences.h"
#include "ptoscope/Machine/Cores.h"
#include "ptoscope/Machine/Remedies.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Support/SarifRenderer.h"
#include "ptoscope/Support/TextRenderer.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <unistd.h>
#include <unordered_map>

namespace ptoscope {
namespace tile {

bool hasSyncAll();
bool hasSignals();
/// The program ends: transfers that it has not waited for.
void tellLeftTransfers(Context &context);

bool Setup::set(const Options &options, LaunchState &state) {
  const Profile *known = findProfile(options.arch ? options.arch : "a5");
  if (!known)
    return false;
  profile = *known;
  takeSizes(profile);
  if (options.ubBytes)
    profile.bytes[size_t(Space::Ub)] = options.ubBytes;
  widenMemories(profile, state);
  machine.profile = &profile;
  machine.checks = {options.race, options.memory, options.init, options.sync};
  constexpr ScheduleKind kKinds[] = {ScheduleKind::Eager, ScheduleKind::Lazy, ScheduleKind::Random};
  machine.schedule = {kKinds[options.schedule], options.seed};
  machine.threads = options.threads;
  machine.maxSteps = options.maxSteps;
  machine.maxFindings = options.maxFindings;
  machine.endsWhenFull = false; // REPORT-1: a finding does not end what is defined without it
  return true;
}

SourceLines sourceLines() {
  auto files = std::make_shared<std::unordered_map<std::string, std::vector<std::string>>>();
  return [files](const std::string &file, uint32_t line) -> std::optional<std::string> {
    auto [it, isNew] = files->try_emplace(file);
    if (isNew) {
      std::ifstream in(file);
      for (std::string text; std::getline(in, text);)
        it->second.push_back(std::move(text));
    }
    if (line == 0 || line > it->second.size())
      return std::nullopt;
    return it->second[line - 1];
  };
}

std::string renderFindings(const FindingList &findings, bool colour) {
  TextOptions options;
  options.source = sourceLines();
  options.colour = colour;
  std::string text = renderText(findings.all(), options);
  std::string summary = summarize(findings);
  return summary.empty() ? text : text + summary + "\n";
}

void printFindings(const FindingList &findings) {
  const Environment &environment = Environment::process();
  const Result::Format format = environment.report.empty() ? environment.format.value_or(Result::Text) : Result::Text;
  const ToolInfo tool{"ptoscope", PTOSCOPE_VERSION};
  const std::string text = format == Result::Json    ? renderJson(findings, tool)
                           : format == Result::Sarif ? renderSarif(findings, tool)
                                                     : renderFindings(findings, environment.colourFor(STDERR_FILENO));
  std::fputs(text.c_str(), stderr);
}

/// To the standard error stream, where PTOSCOPE_STATS asks for it.
static void printStats(const TimedStats &stats) {
  const std::optional<std::string> &kind = Environment::process().stats;
  if (kind)
    std::fputs((*kind == "json" ? stats.json : *kind == "lines" ? stats.lines : stats.table).c_str(), stderr);
}

/// The program of a scalar unit; its argument is the LaunchState.
static int32_t trampoline(PtoContext *core, const uint64_t *arguments) {
  LaunchState &launch = *reinterpret_cast<LaunchState *>(arguments[0]);
  Context context(core, launch);
  Context *outer = Context::exchange(&context);
  try {
    const LaunchState::Program &program = kindOf(core) == CoreKind::AIC ? launch.cube : launch.vector;
    program.invoke(program.closure);
    tellLeftTransfers(context);
  } catch (const Stopped &) {
  } catch (...) {
    stopBlock(core);
    std::lock_guard lock(launch.mutex);
    if (!launch.thrown)
      launch.thrown = std::current_exception();
  }
  Context::exchange(outer);
  return isStopped(core);
}

static LaunchResult refusal(const Fact &fact) {
  LaunchResult result;
  result.findings.add(Words().finding(kNoSite, fact));
  return result;
}

/// Blocks that the target can run at the same time.
static int64_t residentBlocks(const Profile &profile, const detail::Cores &cores) {
  if (!cores.cube.invoke)
    return profile.aivCores;
  const int64_t cubes = profile.aicCores;
  return cores.vector.invoke ? std::min(cubes, int64_t(profile.aivCores) / cores.vectorCores) : cubes;
}

static LaunchResult run(const Options &given, int64_t blocks, std::span<const detail::BufferRef> buffers,
                        const detail::Cores &cores, std::optional<timing::LaunchTime> &time,
                        std::unique_ptr<TimedStats> &stats) {
  static std::atomic<unsigned> launches{0};
  const unsigned number = ++launches;
  const Environment::Files files = Environment::process().filesOf(number);
  const Options options = Environment::process().over(given, files);
  Setup setup;
  LaunchState state;
  if (!setup.set(options, state))
    return refusal(say::kNoTarget(options.arch));
  // What observers remember of a memory grows with it.
  constexpr uint32_t kMaxUbBytes = 64 << 20;
  if (options.ubBytes > kMaxUbBytes)
    return refusal(say::kUbSize(options.ubBytes, kMaxUbBytes));
  if (blocks <= 0)
    return refusal(say::kNoBlocks(blocks));
  if (!cores.cube.invoke && !cores.vector.invoke)
    return refusal(say::kNoFunction());
  const bool mixed = cores.cube.invoke && cores.vector.invoke;
  if (mixed && cores.vectorCores != 1 && cores.vectorCores != 2)
    return refusal(say::kClusterRatio(cores.vectorCores));
  GmTable gm;
  if (std::string problem = Buffers::process().table(buffers, gm); !problem.empty())
    return refusal(say::kBuffers(problem));
  admitHostMemory(gm);
  setup.machine.blocks = blocks;
  state.fullFill = options.fullFill;
  state.counts = setup.machine.checks.any();
  state.memory = options.memory;
  state.cube = {cores.cube.invoke, cores.cube.closure};
  state.vector = {cores.vector.invoke, cores.vector.closure};
  state.messageArea = cores.messageArea;
  state.cookie = options.cookie;
  // Clusters may meet in ways that only a run shows (MIX-15).
  const bool together =
      (mixed || hasSyncAll() || hasSignals()) && blocks > 1 && blocks <= residentBlocks(setup.profile, cores);
  const bool world = cores.devices > 0;
  setup.machine.devices = std::max(cores.devices, 1);
  setup.machine.signals = world || (together && hasSignals());
  std::unique_ptr<CheckerFactory> checkers;
  if (options.race || options.init || options.sync)
    checkers = setup.machine.signals ? makeSignalCheckers(state.places.table, setup.profile, setup.machine.checks,
                                                          blocks, setup.machine.devices)
                                     : makeCheckers(state.places.table, gm, setup.profile, setup.machine.checks);
  setup.machine.observers = checkers.get();
  KernelImage image;
  image.aiv = cores.vector.invoke ? trampoline : nullptr;
  image.aic = cores.cube.invoke ? trampoline : nullptr;
  image.sites = &state.places.table;
  image.unified = cores.unified;
  if (mixed)
    image.vectorCores = uint8_t(cores.vectorCores);
  image.needsAllBlocks = world || together;
  TimedLaunch timed;
  if (options.timing || options.timingFile || options.stats || options.trace || options.report) {
    auto pathOf = [](const char *path) { return std::string(path ? path : ""); };
    if (std::optional<Finding> problem =
            timed.open({pathOf(options.timingFile), options.stats, pathOf(options.trace), pathOf(options.report)},
                       setup.profile)) {
      LaunchResult refused;
      refused.findings.add(std::move(*problem));
      return refused;
    }
    setup.machine.observers = timed.observers(image, setup.machine, checkers.get());
  }
  const std::string &recordFolder = Environment::process().record;
  std::optional<RecordedLaunch> recorded;
  if (!recordFolder.empty())
    recorded.emplace(*image.sites, setup.machine);
  Context *outer = Context::exchange(nullptr);
  LaunchResult result = ptoscope::launch(image, gm, {reinterpret_cast<uint64_t>(&state)}, setup.machine);
  Context::exchange(outer);
  if (state.thrown)
    std::rethrow_exception(state.thrown);
  suggestRemedies(result.findings, onlyCause(result.slips, result.findings, sourceLines()));
  if (recorded)
    if (std::optional<Finding> problem = recorded->write(recordFolder, number, gm, result.completed))
      result.findings.add(std::move(*problem));
  // Files show how far a launch came that ended early.
  if (timed.isOpen() && (result.completed || options.trace || options.report)) {
    std::unique_ptr<TimedStats> solved = timed.finish(image, setup.machine, sourceLines(), result);
    if (solved && result.completed) {
      time = solved->launch;
      if (options.stats) {
        printStats(*solved);
        stats = std::move(solved);
      }
    }
  }
  return result;
}

} // namespace tile

Result detail::launch(const Options &options, int64_t blocks, const BufferRef *buffers, size_t count,
                      void (*invoke)(void *), void *kernel) {
  Cores cores;
  cores.vector = {invoke, kernel};
  cores.unified = true;
  return launchCores(options, blocks, buffers, count, cores);
}

void Result::Data::viewStats() {
  if (!stats)
    return;
  for (const tile::TimedStats::Pipe &row : stats->pipes)
    pipes.push_back({row.core.c_str(), row.name.c_str(), row.time.busy, row.time.waiting, row.time.idle,
                     row.time.instructions, row.time.bytes});
  for (const tile::TimedStats::Advice &row : stats->advice)
    advice.push_back({row.code.c_str(), row.message.c_str(), row.saves});
  view = {stats->launch.cycles, stats->overlap,       stats->bound.c_str(), stats->roofline,
          pipes.data(),         pipes.size(),         advice.data(),        advice.size(),
          stats->table.c_str(), stats->lines.c_str(), stats->json.c_str()};
}

Result detail::launchCores(const Options &options, int64_t blocks, const BufferRef *buffers, size_t count,
                           const Cores &cores) {
  auto data = std::make_unique<Result::Data>();
  data->result = tile::run(options, blocks, {buffers, count}, cores, data->time, data->stats);
  data->viewStats();
  tile::addToReport(data->result.findings);
  return Result(data.release());
}

Result::~Result() { delete data; }
bool Result::ok() const { return data && data->result.completed && !data->result.findings.failed(); }
bool Result::completed() const { return data && data->result.completed; }
size_t Result::size() const { return data ? data->result.findings.all().size() : 0; }
FindingView Result::operator[](size_t i) const {
  const Finding &finding = data->result.findings.all()[i];
  return {finding.code.c_str(),
          toString(finding.severity).data(),
          finding.message.c_str(),
          finding.place.file.c_str(),
          finding.place.line,
          finding.place.column,
          finding.count};
}
bool Result::has(const char *code) const {
  for (size_t i = 0; i < size(); ++i)
    if (std::strcmp((*this)[i].code, code) == 0)
      return true;
  return false;
}
const char *Result::text(Format format) const {
  if (!data)
    return "";
  std::string &text = data->text[format];
  const FindingList &findings = data->result.findings;
  const ToolInfo tool{"ptoscope", PTOSCOPE_VERSION};
  if (text.empty())
    text = format == Json    ? renderJson(findings, tool)
           : format == Sarif ? renderSarif(findings, tool)
                             : tile::renderFindings(findings);
  return text.c_str();
}
void Result::print() const {
  if (data)
    tile::printFindings(data->result.findings);
}
double Result::cycles() const { return data && data->time ? data->time->cycles : 0; }
double Result::microseconds() const { return data && data->time ? data->time->withLaunch / data->time->clockMHz : 0; }
const StatsView *Result::stats() const { return data && data->stats ? &data->view : nullptr; }
uint64_t Result::instructions() const { return data ? data->result.stats.instructions : 0; }

} // namespace ptoscope
