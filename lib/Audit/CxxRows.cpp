//===- CxxRows.cpp - kernels of a C++ file --------------------------------===//

#include "ptoscope/Audit/CxxProgram.h"
#include "ptoscope/Driver/Usage.h"
#include "ptoscope/Support/Array.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace ptoscope::audit {

namespace {

/// Bytes of a file; empty where it cannot be read.
std::string bytesOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

size_t differingBytes(const std::string &a, const std::string &b) {
  size_t count = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    count += a[i] != b[i];
  return count;
}

/// How a program ended that should have ended with 0.
std::string endText(const Ended &ended) {
  return ended.signal ? "the program ended by signal " + std::to_string(ended.signal)
                      : "the program ended with status " + std::to_string(ended.status);
}

/// Runs a compiled program under all schedules.
Json auditProgram(const CxxProgram &program, const std::string &kernel, const std::vector<std::string> &words,
                  const std::vector<std::string> &command, const RowOptions &options) {
  Json row = emptyRow(kernel, "");
  row["arguments"] = words;
  std::vector<std::pair<Json, std::string>> kept; ///< objects of the last launch, and what they hold
  bool first = true;
  for (const Schedule &schedule : options.schedules) {
    const std::string name = scheduleName(schedule);
    row["schedules"].push_back(name);
    const CxxProgram::Run run = program.run(command, name, /*records=*/true, options.arch);
    addFindings(row, run.findings, name);
    if (run.ended.signal) {
      row["outcome"] = "crash";
      row["reason"] = endText(run.ended) + " under the schedule " + name;
      return row;
    }
    if (run.ended.status && !run.failed() && row["reason"] == "")
      row["reason"] = endText(run.ended) + " under the schedule " + name;
    if (run.recordings.empty())
      continue;
    const Json &last = run.recordings.back();
    std::vector<std::pair<Json, std::string>> results;
    for (const Json &object : last["objects"])
      results.emplace_back(object, bytesOf(program.contentsFile(run.recordings.size(), object["index"])));
    if (first) {
      first = false;
      row["edges"] = last;
      row["edges"].erase("writes");
      row["edges"].erase("objects");
      row["edges"].erase("writesComplete");
      uint64_t writes = 0;
      for (const Json &recording : run.recordings)
        writes += recording["writes"].size();
      row["instructions"] = writes;
      kept = results;
      for (const auto &[object, bytes] : results) {
        const std::string file = options.work + "/kept-" + object["index"].dump() + ".bin";
        std::ofstream(file, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
        row["results"].push_back({{"parameter", object["index"]},
                                  {"name", object["name"]},
                                  {"element", "u8"},
                                  {"bytes", bytes.size()},
                                  {"file", file}});
      }
      continue;
    }
    for (size_t i = 0; i < std::min(kept.size(), results.size()); ++i)
      if (kept[i].second != results[i].second)
        row["differing"].push_back({{"schedule", name},
                                    {"parameter", results[i].first["index"]},
                                    {"name", results[i].first["name"]},
                                    {"elements", differingBytes(kept[i].second, results[i].second)},
                                    {"of", results[i].second.size()}});
  }
  row["outcome"] = outcomeOf(row);
  if (row["outcome"] == "clean" && row["reason"] != "")
    row["outcome"] = "failed";
  if (row["outcome"] == "clean" && first) {
    // A report without a launch: kernels that are called like functions, which are checked, too.
    if (std::filesystem::exists(options.work + "/report.json")) {
      row["reason"] = "kernels are called without a launch; their order and results are not known";
    } else {
      row["outcome"] = "not-run";
      row["reason"] = "the program runs no kernel";
    }
  }
  return row;
}

} // namespace

void auditCxx(const std::string &path, const RowOptions &options, const RowSink &sink) {
  Result<Array> file = readRaw(path);
  if (!file)
    return sink.row(emptyRow("", "unreadable", file.takeFinding().message));
  const std::string text(reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size());
  CxxProgram program(path, options.work, options.compilerWords);
  if (hasMain(text)) {
    if (std::optional<std::string> problem = program.compile(""))
      return sink.row(emptyRow("", "refused", *problem));
    return sink.row(auditProgram(program, "", {}, {}, options));
  }
  const std::vector<std::string> kernels = kernelNames(text);
  if (kernels.empty())
    return sink.row(emptyRow("", "not-run", "no main function, and no kernel that is not a template"));
  for (const std::string &kernel : kernels) {
    sink.begin(kernel);
    if (std::optional<std::string> problem = program.compile(kernel)) {
      sink.row(emptyRow(kernel, "refused", *problem));
      continue;
    }
    const std::optional<std::vector<CxxProgram::Parameter>> parameters = program.parameters();
    if (!parameters) {
      sink.row(emptyRow(kernel, "not-run", "it compiles; a parameter is neither a pointer nor a number"));
      continue;
    }
    std::vector<std::string> words;
    if (auto given = options.arguments.find(kernel);
        given != options.arguments.end() && given->second.size() == parameters->size())
      words = given->second;
    else
      words = program.chooseArguments(*parameters, options.blocks, options.arch);
    const std::optional<std::vector<std::string>> files = program.filesOf(words);
    if (!files) {
      sink.row(emptyRow(kernel, "not-run", "it compiles; no automatic arguments for its element types"));
      continue;
    }
    std::vector<std::string> command = {std::to_string(options.blocks)};
    command.insert(command.end(), files->begin(), files->end());
    sink.row(auditProgram(program, kernel, words, command, options));
  }
}

} // namespace ptoscope::audit
