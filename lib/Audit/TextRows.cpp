//===- TextRows.cpp - kernels of a `.pto` file ----------------------------===//

#include "ptoscope/Audit/Rows.h"
#include "ptoscope/Checkers/OrderEdges.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Driver/Runs.h"
#include "ptoscope/Driver/Usage.h"
#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Tile/WriteLog.h"

#include <algorithm>

namespace ptoscope::audit {

Json emptyRow(const std::string &kernel, const std::string &outcome, const std::string &reason) {
  return {{"kernel", kernel.empty() ? Json(nullptr) : Json(kernel)},
          {"outcome", outcome},
          {"reason", reason},
          {"arguments", Json::array()},
          {"schedules", Json::array()},
          {"findings", Json::array()},
          {"differing", Json::array()},
          {"edges", nullptr},
          {"results", Json::array()},
          {"instructions", 0},
          {"seconds", 0}};
}

static bool isSame(const Json &a, const Json &b) {
  return a["code"] == b["code"] && a["place"] == b["place"] && a["message"] == b["message"];
}

void addFindings(Json &row, const std::vector<Json> &findings, const std::string &schedule) {
  for (Json finding : findings) {
    if (finding["severity"] == "remark")
      continue;
    auto known = std::ranges::find_if(row["findings"], [&](const Json &other) { return isSame(finding, other); });
    if (known == row["findings"].end()) {
      finding["schedules"] = Json::array();
      row["findings"].push_back(std::move(finding));
      known = std::prev(row["findings"].end());
    }
    if (!schedule.empty())
      (*known)["schedules"].push_back(schedule);
  }
}

std::string outcomeOf(const Json &row) {
  bool errors = false, others = false;
  for (const Json &finding : row["findings"]) {
    if (finding["severity"] != "error")
      continue;
    const std::string &category = finding["category"].get_ref<const std::string &>();
    if (category == "internal")
      return "internal-error";
    if (finding["code"] == "file-error")
      return "unreadable";
    errors = true;
    others |= category != "not-modelled";
  }
  return !errors ? "clean" : others ? "findings" : "not-modelled";
}

static std::vector<Json> jsonOf(const FindingList &findings) {
  std::vector<Json> list;
  for (const Finding &finding : findings.all())
    list.push_back(toJson(finding));
  return list;
}

namespace {

class KernelAudit {
public:
  KernelAudit(Session &session, const ParsedProgram &program, const RowOptions &options, std::string name,
              size_t number)
      : session(session), program(program), options(options), name(std::move(name)), number(number) {}

  Json run() {
    Json row = emptyRow(name, "");
    std::vector<std::string> words = {"auto"};
    if (auto given = options.arguments.find(name); given != options.arguments.end())
      words = given->second;
    for (const Schedule &schedule : options.schedules) {
      row["schedules"].push_back(scheduleName(schedule));
      if (!runOnce(row, schedule, words))
        break;
    }
    row["outcome"] = outcomeOf(row);
    if (row["outcome"] == "findings" && !launched)
      row["outcome"] = "refused";
    row["arguments"] = launched ? Json(words) : Json::array();
    return row;
  }

private:
  /// False: there is nothing more to learn.
  bool runOnce(Json &row, const Schedule &schedule, std::vector<std::string> &words) {
    RunRequest request;
    request.frontend.arch = options.arch;
    request.compile.kernel = name;
    request.launch.profile = program.profile;
    request.launch.blocks = options.blocks;
    request.launch.schedule = schedule;
    request.launch.threads = 1;
    request.launch.print = [](std::string_view) {};
    request.arguments = words;
    FindingList findings;
    PreparedRun run;
    bool prepared = prepareRun(session, program, request, run, findings);
    if (!prepared && run.kernel && !wantsAuto(words)) {
      // Arguments of another version that do not fit this one.
      findings = FindingList();
      run = PreparedRun();
      words = request.arguments = {"auto"};
      prepared = prepareRun(session, program, request, run, findings);
    }
    if (!prepared) {
      addFindings(row, jsonOf(findings), scheduleName(schedule));
      return false;
    }
    words = run.words;
    const bool first = !launched;
    launched = true;
    RunResult result = executeRun(session, program, request, run, findings);
    addFindings(row, jsonOf(findings), scheduleName(schedule));
    if (first) {
      row["instructions"] = result.launch.stats.instructions;
      row["edges"] = edgesOf(run, request.launch);
    }
    if (result.launch.completed)
      compareOrKeep(row, run, scheduleName(schedule));
    return true;
  }

  /// A run of its own: checkers would be in front of the observer.
  Json edgesOf(const PreparedRun &run, LaunchOptions launch) const {
    FindingList ignored;
    std::optional<std::vector<LoadedArgument>> loaded = loadArguments(*run.kernel, run.words, ignored);
    if (!loaded)
      return nullptr;
    GmTable gm;
    std::vector<uint64_t> raw;
    for (size_t i = 0; i < loaded->size(); ++i) {
      ByteBuffer &bytes = (*loaded)[i].array.bytes;
      raw.push_back(run.kernel->parameters[i].isPointer
                        ? gm.add(bytes.data(), bytes.size(), run.kernel->parameters[i].name)
                        : (*loaded)[i].bits);
    }
    const std::unique_ptr<OrderEdges> edges = makeOrderEdges(run.kernel->sites, *program.profile, nullptr);
    launch.observers = edges.get();
    const LaunchResult result = ptoscope::launch(run.kernel->image, gm, raw, launch);
    Json json = tile::recordingOf(run.kernel->sites, edges.get(), nullptr, {});
    json["completed"] = result.completed;
    return json;
  }

  /// The first complete run is what the others have to equal.
  void compareOrKeep(Json &row, PreparedRun &run, const std::string &schedule) {
    const bool keeps = kept.empty();
    for (size_t i = 0; i < run.loaded.size(); ++i) {
      const Parameter &parameter = run.kernel->parameters[i];
      if (!parameter.isPointer)
        continue;
      Array &array = run.loaded[i].array;
      if (!keeps) {
        if (const Comparison comparison = compareWith(parameter, array, kept[i], std::nullopt); !comparison.equal())
          row["differing"].push_back({{"schedule", schedule},
                                      {"parameter", i},
                                      {"name", parameter.name},
                                      {"elements", comparison.differing},
                                      {"of", comparison.elements}});
        continue;
      }
      const std::string file = options.work + "/" + std::to_string(number) + "-" + std::to_string(i) + ".bin";
      OutputSet staging;
      if (staging.stage(file, {array.bytes.span()}) && staging.commit())
        row["results"].push_back({{"parameter", i},
                                  {"name", parameter.name},
                                  {"element", parameter.element},
                                  {"bytes", array.bytes.size()},
                                  {"file", file}});
    }
    if (keeps)
      for (LoadedArgument &argument : run.loaded)
        kept.push_back(std::move(argument.array));
  }

  Session &session;
  const ParsedProgram &program;
  const RowOptions &options;
  const std::string name;
  const size_t number;
  bool launched = false;
  std::vector<Array> kept;
};

} // namespace

void auditText(const std::string &path, const RowOptions &options, const RowSink &sink) {
  Session session;
  FindingList findings;
  FrontendOptions frontend;
  frontend.arch = options.arch;
  std::unique_ptr<ParsedProgram> program = session.parseFile(path, frontend, findings);
  std::vector<std::string> names;
  if (program->module)
    for (mlir::func::FuncOp kernel : kernelsOf(*program->module))
      if (std::string name = kernel.getName().str(); std::ranges::find(names, name) == names.end())
        names.push_back(std::move(name));
  if (names.empty()) {
    Json row = emptyRow("", "");
    addFindings(row, jsonOf(findings), "");
    row["outcome"] = outcomeOf(row);
    if (row["outcome"] == "findings")
      row["outcome"] = "refused";
    if (row["outcome"] == "clean") {
      row["outcome"] = "not-run";
      row["reason"] = "the file has no kernel";
    }
    return sink.row(row);
  }
  for (size_t i = 0; i < names.size(); ++i) {
    sink.begin(names[i]);
    Json row = KernelAudit(session, *program, options, names[i], i).run();
    if (i == 0)
      addFindings(row, jsonOf(findings), "");
    sink.row(row);
  }
}

} // namespace ptoscope::audit
