//===- Environment.cpp - options of an unchanged program ------------------===//

#include "Environment.h"

#include "Run.h"
#include "TimedLaunch.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Support/ProcessMutex.h"
#include "ptoscope/Support/SarifRenderer.h"
#include "ptoscope/Support/TextRenderer.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <unistd.h>

namespace ptoscope::tile {

namespace {
/// Decimal or 0x form.
bool parseNumber(std::string_view text, uint64_t &value) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16)
    text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

class Reader {
public:
  Reader(const char *(*get)(const char *), std::string &problem) : get(get), problem(problem) {}

  Environment run() {
    if (take("PTOSCOPE_ARCH"))
      arch();
    for (const char *name : {"PTOSCOPE_CHECK", "PTOSCOPE_CHECKS"})
      if (take(name))
        checks();
    if (take("PTOSCOPE_SCHEDULE"))
      schedule();
    uint64_t number = 0;
    if (take("PTOSCOPE_SEED") && takeNumber(0, UINT64_MAX, number))
      result.seed = number;
    if (take("PTOSCOPE_THREADS") && takeNumber(1, 4096, number))
      result.threads = unsigned(number);
    if (take("PTOSCOPE_MAX_FINDINGS") && takeNumber(1, INT32_MAX, number))
      result.maxFindings = number;
    if (take("PTOSCOPE_FORMAT"))
      format();
    for (const char *name : {"PTOSCOPE_COLOR", "PTOSCOPE_COLOUR"})
      if (take(name))
        colour();
    if (take("PTOSCOPE_TIMING"))
      timing();
    if (take("PTOSCOPE_STATS"))
      stats();
    if (take("PTOSCOPE_TRACE"))
      file(problemOfTrace(value), result.files.trace);
    if (take("PTOSCOPE_REPORT")) {
      // Findings are text, JSON or SARIF: a page is about times.
      if (value.ends_with(".html"))
        file(problemOfReport(value), result.files.page);
      else
        result.report = value;
    }
    if (take("PTOSCOPE_RECORD")) {
      std::error_code ignored;
      if (std::filesystem::is_directory(value, ignored))
        result.record = value;
      else
        refuse("not a folder");
    }
    return std::move(result);
  }

private:
  /// An empty variable is none.
  bool take(const char *variable) {
    const char *text = get(variable);
    if (!text || !*text)
      return false;
    name = variable;
    value = text;
    return true;
  }
  void refuse(const std::string &why) {
    if (problem.empty())
      problem = name + "=" + value + ": " + why;
  }
  bool takeNumber(uint64_t lowest, uint64_t highest, uint64_t &number) {
    if (parseNumber(value, number) && number >= lowest && number <= highest)
      return true;
    refuse("not a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest));
    return false;
  }
  void arch() {
    if (value == "a5" || value == "a3" || value == "a2")
      result.arch = value;
    else
      refuse("not a target; there are a5, a3 and a2");
  }
  void checks() {
    Environment::Checks on{};
    for (size_t at = 0; at <= value.size();) {
      const size_t end = std::min(value.find(',', at), value.size());
      const std::string word = value.substr(at, end - at);
      at = end + 1;
      if (word == "all")
        on = {true, true, true, true};
      else if (word == "none" && value == "none")
        on = {};
      else if (bool *one = word == "race"     ? &on.race
                           : word == "memory" ? &on.memory
                           : word == "init"   ? &on.init
                           : word == "sync"   ? &on.sync
                                              : nullptr)
        *one = true;
      else
        return refuse("not checks; write all, none, or a list of race, memory, init, sync");
    }
    result.checks = on;
  }
  void schedule() {
    if (value == "eager")
      result.schedule = Options::Eager;
    else if (value == "lazy")
      result.schedule = Options::Lazy;
    else if (uint64_t seed = 0;
             value == "random" || (value.starts_with("random:") && parseNumber(value.substr(7), seed))) {
      result.schedule = Options::Random;
      if (value != "random")
        result.seed = seed;
    } else
      refuse("not a schedule; there are eager, lazy, random and random:SEED");
  }
  void format() {
    if (value == "text" || value == "json" || value == "sarif")
      result.format = value == "text" ? Result::Text : value == "json" ? Result::Json : Result::Sarif;
    else
      refuse("not a format; there are text, json and sarif");
  }
  void timing() {
    if (std::string why = problemOfTimingFile(value); !why.empty())
      refuse(why);
    else
      result.timing = value;
  }
  void file(const std::string &why, std::string &path) {
    if (why.empty())
      path = value;
    else
      refuse(why);
  }
  void stats() {
    if (value == "table" || value == "lines" || value == "json")
      result.stats = value;
    else
      refuse("not a kind of statistics; there are table, lines and json");
  }
  void colour() {
    if (value == "always" || value == "never")
      result.colour = value == "always";
    else if (value != "auto")
      refuse("write always, never or auto");
  }

  const char *(*get)(const char *);
  std::string &problem;
  std::string name, value;
  Environment result;
};
} // namespace

Environment Environment::read(const char *(*get)(const char *name), std::string &problem) {
  return Reader(get, problem).run();
}

const Environment &Environment::process() {
  static const Environment *const environment = [] {
    std::string problem;
    auto *read =
        new Environment(Environment::read([](const char *name) -> const char * { return std::getenv(name); }, problem));
    if (!problem.empty()) {
      std::fprintf(stderr, "ptoscope: %s\n", problem.c_str());
      std::fflush(nullptr);
      std::_Exit(2);
    }
    return read;
  }();
  return *environment;
}

/// "a/b.json" and 2: "a/b-2.json".
static std::string numbered(const std::string &path, unsigned number) {
  if (path.empty() || number == 1)
    return path;
  const size_t ending = path.rfind('.'); // every such file has one
  return path.substr(0, ending) + "-" + std::to_string(number) + path.substr(ending);
}

Environment::Files Environment::filesOf(unsigned launch) const {
  return {numbered(files.trace, launch), numbered(files.page, launch)};
}

Options Environment::over(Options options, const Files &files) const {
  if (arch)
    options.arch = arch->c_str();
  if (checks) {
    options.race = checks->race;
    options.memory = checks->memory;
    options.init = checks->init;
    options.sync = checks->sync;
  }
  options.schedule = schedule.value_or(options.schedule);
  options.seed = seed.value_or(options.seed);
  options.threads = threads.value_or(options.threads);
  options.maxFindings = maxFindings.value_or(options.maxFindings);
  if (timing)
    options.timingFile = timing->c_str();
  options.stats |= stats.has_value();
  if (!files.trace.empty())
    options.trace = files.trace.c_str();
  if (!files.page.empty())
    options.report = files.page.c_str();
  return options;
}

bool Environment::colourFor(int stream) const {
  if (colour)
    return *colour;
  const char *noColour = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  return isatty(stream) && !(noColour && *noColour) && !(terminal && std::string_view(terminal) == "dumb");
}

/// Empty, or why it cannot be written.
std::string writeReport(const std::string &path, const std::string &text);

void addToReport(const FindingList &findings) {
  const Environment &environment = Environment::process();
  if (environment.report.empty())
    return;
  static ProcessMutex mutex;
  static FindingList &all = *new FindingList;
  static bool written = false;
  std::lock_guard lock(mutex);
  if (written && findings.empty())
    return;
  FindingList copy = findings;
  all.merge(std::move(copy));
  const ToolInfo tool{"ptoscope", PTOSCOPE_VERSION};
  const Result::Format format = environment.format.value_or(Result::Text);
  const std::string text = format == Result::Json    ? renderJson(all, tool)
                           : format == Result::Sarif ? renderSarif(all, tool)
                                                     : renderFindings(all, /*colour=*/false);
  written = true;
  if (const std::string problem = writeReport(environment.report, text); !problem.empty()) {
    std::fprintf(stderr, "ptoscope: PTOSCOPE_REPORT=%s: %s\n", environment.report.c_str(), problem.c_str());
    std::fflush(nullptr);
    std::_Exit(2);
  }
}

} // namespace ptoscope::tile
