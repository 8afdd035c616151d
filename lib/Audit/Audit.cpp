//===- Audit.cpp - every kernel of a compiler's output --------------------===//

#include "ptoscope/Audit/Audit.h"
#include "Sources.h"
#include "ptoscope/Audit/Changes.h"
#include "ptoscope/Audit/Workers.h"
#include "ptoscope/Driver/Usage.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace ptoscope::audit {

namespace fs = std::filesystem;

namespace {

/// A folder of our own, gone at the end.
class Scratch {
public:
  Scratch() {
    std::error_code ignored;
    std::string pattern = (fs::temp_directory_path(ignored) / "ptoscope-audit-XXXXXX").string();
    if (mkdtemp(pattern.data()))
      path = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path.empty())
      fs::remove_all(path, ignored);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  std::string path;
};

/// One output of a compiler, and the rows of its files.
struct Output {
  std::vector<Source> sources;
  std::vector<std::vector<Json>> rows; ///< by source
};

class Runner {
public:
  Runner(const AuditOptions &options, std::string scratch) : options(options), scratch(std::move(scratch)) {}

  /// Adds a job for each file. `arguments` are asked for when the job starts.
  void add(Output &output, const std::string &name,
           std::function<std::map<std::string, std::vector<std::string>>(size_t source)> arguments) {
    output.rows.resize(output.sources.size());
    for (size_t i = 0; i < output.sources.size(); ++i) {
      const Source &source = output.sources[i];
      if (!source.problem.empty()) {
        tell(output, i, emptyRow("", "unreadable", source.problem));
        continue;
      }
      auto current = std::make_shared<std::string>();
      Job job;
      job.body = [this, &output, i, name, arguments](const Say &say) {
        run(output.sources[i], name, i, arguments(i), say);
      };
      job.hear = [this, &output, i, current](const std::string &line) {
        const Json said = Json::parse(line, nullptr, /*allow_exceptions=*/false);
        if (said.contains("begin"))
          *current = said["begin"];
        else if (said.contains("row"))
          tell(output, i, said["row"]), current->clear();
      };
      job.end = [this, &output, i, current](const JobEnd &end) {
        const bool died = end.timedOut || end.signal || end.status;
        if (died)
          tell(output, i,
               emptyRow(*current, end.timedOut ? "timeout" : "crash",
                        end.timedOut ? "it took longer than " + secondsText(options.seconds)
                        : end.signal ? "ended by signal " + std::to_string(end.signal)
                                     : "ended with status " + std::to_string(end.status)));
        // Kernels of a file share its time.
        for (Json &row : output.rows[i])
          row["seconds"] = end.seconds / double(std::max<size_t>(output.rows[i].size(), 1));
        if (options.progress)
          options.progress(++done, jobs.size());
      };
      jobs.push_back(std::move(job));
    }
  }
  bool go(const std::atomic<bool> &interrupted) {
    return runJobs(jobs, options.parallel, options.seconds, interrupted);
  }

private:
  static std::string secondsText(double seconds) {
    char text[32];
    snprintf(text, sizeof(text), "%g", seconds);
    return std::string(text) + (seconds == 1 ? " second" : " seconds");
  }
  void run(const Source &source, const std::string &name, size_t number,
           std::map<std::string, std::vector<std::string>> arguments, const Say &say) {
    RowOptions rows = options.rows;
    rows.arguments = std::move(arguments);
    rows.work = scratch + "/" + name + std::to_string(number);
    std::error_code ignored;
    fs::create_directories(rows.work, ignored);
    constexpr auto kReplace = Json::error_handler_t::replace; // names may be any bytes
    const RowSink sink{[&](const std::string &kernel) { say(Json{{"begin", kernel}}.dump(-1, ' ', false, kReplace)); },
                       [&](const Json &row) { say(Json{{"row", row}}.dump(-1, ' ', false, kReplace)); }};
    source.isCxx ? auditCxx(source.path, rows, sink) : auditText(source.path, rows, sink);
  }
  void tell(Output &output, size_t i, const Json &row) {
    Json whole = {{"file", output.sources[i].relative},
                  {"path", output.sources[i].path},
                  {"language", output.sources[i].isCxx ? "c++" : "pto"}};
    whole.update(row);
    output.rows[i].push_back(std::move(whole));
  }

  const AuditOptions &options;
  const std::string scratch;
  std::vector<Job> jobs;
  size_t done = 0;
};

const Json *rowOf(const std::vector<Json> &rows, const Json &kernel) {
  for (const Json &row : rows)
    if (row["kernel"] == kernel)
      return &row;
  return rows.size() == 1 ? &rows[0] : nullptr;
}

/// What differs between two outputs, kernel by kernel.
Json compareOutputs(const Output &before, const Output &after, const std::vector<std::optional<size_t>> &match) {
  Json kernels = Json::array();
  std::vector<bool> seen(before.sources.size());
  const auto tell = [&](const Json &row, const Json &old, Json changes) {
    kernels.push_back(
        {{"file", row["file"]}, {"oldFile", old}, {"kernel", row["kernel"]}, {"changes", std::move(changes)}});
  };
  const auto whole = [](const char *kind, const char *message) {
    return Json::array({{{"kind", kind}, {"message", message}, {"line", nullptr}, {"oldLine", nullptr}}});
  };
  for (size_t i = 0; i < after.sources.size(); ++i) {
    if (match[i])
      seen[*match[i]] = true;
    for (const Json &row : after.rows[i]) {
      const Json *old = match[i] ? rowOf(before.rows[*match[i]], row["kernel"]) : nullptr;
      if (!old) {
        tell(row, nullptr, whole("new-kernel", "the old version does not have this kernel"));
        continue;
      }
      const Json changes = changesOf({*old, before.sources[*match[i]].text}, {row, after.sources[i].text});
      if (!changes.empty())
        tell(row, (*old)["file"], changes);
    }
    if (match[i])
      for (const Json &old : before.rows[*match[i]])
        if (!rowOf(after.rows[i], old["kernel"]))
          tell(old, old["file"], whole("gone-kernel", "the new version does not have this kernel"));
  }
  for (size_t i = 0; i < before.sources.size(); ++i)
    if (!seen[i])
      for (const Json &old : before.rows[i])
        tell(old, old["file"], whole("gone-kernel", "the new version does not have this kernel"));
  return kernels;
}

} // namespace

Result<std::optional<Json>> runAudit(const AuditOptions &options, const std::atomic<bool> &interrupted) {
  const auto begin = std::chrono::steady_clock::now();
  Output before, after;
  Result<std::vector<Source>> found = findSources(options.folder);
  if (!found)
    return found.takeFinding();
  after.sources = std::move(*found);
  std::vector<std::optional<size_t>> match(after.sources.size());
  if (!options.against.empty()) {
    Result<std::vector<Source>> old = findSources(options.against);
    if (!old)
      return old.takeFinding();
    before.sources = std::move(*old);
    match = matchSources(before.sources, after.sources);
  }
  Scratch scratch;
  if (scratch.path.empty())
    return makeFinding("file-error", {}, "no folder for temporary files can be made; set TMPDIR to one that exists");
  // Both versions get the arguments that the old one asks for.
  if (!before.sources.empty()) {
    Runner old(options, scratch.path);
    old.add(before, "old", [](size_t) { return std::map<std::string, std::vector<std::string>>(); });
    if (!old.go(interrupted))
      return std::optional<Json>();
  }
  Runner runner(options, scratch.path);
  runner.add(after, "new", [&](size_t i) {
    std::map<std::string, std::vector<std::string>> arguments;
    if (match[i])
      for (const Json &row : before.rows[*match[i]])
        if (row["kernel"].is_string() && !row["arguments"].empty())
          arguments[row["kernel"]] = row["arguments"].get<std::vector<std::string>>();
    return arguments;
  });
  if (!runner.go(interrupted))
    return std::optional<Json>();

  Json audit = {{"schema", 1}, {"folder", options.folder}, {"against", nullptr}};
  Json schedules = Json::array();
  for (const Schedule &schedule : options.rows.schedules)
    schedules.push_back(scheduleName(schedule));
  audit["schedules"] = schedules;
  audit["blocks"] = options.rows.blocks;
  Json changes;
  if (!options.against.empty()) {
    audit["against"] = options.against;
    changes = compareOutputs(before, after, match);
  }
  Json summary = Json::object();
  Json rows = Json::array();
  for (std::vector<Json> &list : after.rows)
    for (Json &row : list) {
      for (Json &result : row["results"])
        result.erase("file");
      summary[row["outcome"].get<std::string>()] = summary.value(row["outcome"].get<std::string>(), 0) + 1;
      rows.push_back(std::move(row));
    }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  audit["summary"] = {
      {"files", after.sources.size()}, {"kernels", rows.size()}, {"seconds", passed.count()}, {"outcomes", summary}};
  audit["rows"] = std::move(rows);
  audit["changes"] = std::move(changes);
  return std::optional(std::move(audit));
}

int statusOf(const Json &audit) {
  if (audit["changes"].is_array() && !audit["changes"].empty())
    return 1;
  for (const auto &[outcome, count] : audit["summary"]["outcomes"].items())
    if (outcome != "clean" && outcome != "not-run")
      return 1;
  return 0;
}

} // namespace ptoscope::audit
