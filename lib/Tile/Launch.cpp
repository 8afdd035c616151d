//===- Launch.cpp - C++ kernels on the Machine ----------------------------===//
//
// The program of every scalar unit is a trampoline that calls the kernel. A block
// that ends early leaves the kernel by an exception, which the trampoline catches:
// nothing unwinds through the Machine.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Run.h"

#include "ptoscope/Machine/Remedies.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Support/SarifRenderer.h"
#include "ptoscope/Support/TextRenderer.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <unordered_map>

namespace ptoscope {
namespace tile {

bool hasSyncAll();

bool Setup::set(const Options &options) {
  const Profile *known = findProfile(options.arch ? options.arch : "a5");
  if (!known)
    return false;
  profile = *known;
  if (options.ubBytes)
    profile.bytes[size_t(Space::Ub)] = options.ubBytes;
  machine.profile = &profile;
  machine.checks = {options.race, options.memory, options.init, options.sync};
  constexpr ScheduleKind kKinds[] = {ScheduleKind::Eager, ScheduleKind::Lazy, ScheduleKind::Random};
  machine.schedule = {kKinds[options.schedule], options.seed};
  machine.threads = options.threads;
  machine.maxSteps = options.maxSteps;
  machine.maxFindings = options.maxFindings;
  return true;
}

/// Lines of source files, each read once.
static SourceLines sourceLines() {
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

std::string renderFindings(const LaunchResult &result) {
  TextOptions options;
  options.source = sourceLines();
  std::string text = renderText(result.findings.all(), options);
  std::string summary = summarize(result.findings);
  return summary.empty() ? text : text + summary + "\n";
}

/// The program of a scalar unit; its argument is the LaunchState.
static int32_t trampoline(PtoContext *core, const uint64_t *arguments) {
  LaunchState &launch = *reinterpret_cast<LaunchState *>(arguments[0]);
  Context context(core, launch);
  Context *outer = Context::exchange(&context);
  try {
    launch.invoke(launch.kernel);
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

static LaunchResult run(const Options &options, int64_t blocks, std::span<const detail::BufferRef> buffers,
                        void (*invoke)(void *), void *kernel) {
  Setup setup;
  if (!setup.set(options))
    return refusal(say::kNoTarget(options.arch));
  // What observers remember of a memory grows with it.
  constexpr uint32_t kMaxUbBytes = 64 << 20;
  if (options.ubBytes > kMaxUbBytes)
    return refusal(say::kUbSize(options.ubBytes, kMaxUbBytes));
  if (blocks <= 0)
    return refusal(say::kNoBlocks(blocks));
  GmTable gm;
  if (std::string problem = Buffers::process().table(buffers, gm); !problem.empty())
    return refusal(say::kBuffers(problem));
  setup.machine.blocks = blocks;
  LaunchState state;
  state.fullFill = options.fullFill;
  state.counts = setup.machine.checks.any();
  state.memory = options.memory;
  state.invoke = invoke;
  state.kernel = kernel;
  state.cookie = options.cookie;
  std::unique_ptr<CheckerFactory> checkers;
  if (options.race || options.init || options.sync)
    checkers = makeCheckers(state.places.table, gm, setup.profile, setup.machine.checks);
  setup.machine.observers = checkers.get();
  KernelImage image;
  image.aiv = trampoline;
  image.sites = &state.places.table;
  image.unified = true;
  image.needsAllBlocks = hasSyncAll() && blocks > 1 && blocks <= int64_t(setup.profile.aivCores);
  Context *outer = Context::exchange(nullptr);
  LaunchResult result = ptoscope::launch(image, gm, {reinterpret_cast<uint64_t>(&state)}, setup.machine);
  Context::exchange(outer);
  if (state.thrown)
    std::rethrow_exception(state.thrown);
  suggestRemedies(result.findings);
  return result;
}

} // namespace tile

Result detail::launch(const Options &options, int64_t blocks, const BufferRef *buffers, size_t count,
                      void (*invoke)(void *), void *kernel) {
  auto data = std::make_unique<Result::Data>();
  data->result = tile::run(options, blocks, {buffers, count}, invoke, kernel);
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
                             : tile::renderFindings(data->result);
  return text.c_str();
}
void Result::print() const { std::fputs(text(), stderr); }
uint64_t Result::instructions() const { return data ? data->result.stats.instructions : 0; }

} // namespace ptoscope
