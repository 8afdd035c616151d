//===- Compare.cpp - ptoscope compare -------------------------------------===//

#include "ptoscope/Audit/Compare.h"
#include "Report.h"
#include "RequestOptions.h"
#include "Verbs.h"
#include "ptoscope/Driver/Usage.h"

#include <cstdio>

using namespace ptoscope;

int ptoscope::compareVerb(std::span<const std::string> words) {
  audit::CompareOptions options;
  ReportOptions reporting;
  bool help = false;
  std::vector<Option> table = requestOptions(options.request);
  std::erase_if(table, [](const Option &option) { return option.name == "--expect"; }); // each is that of the other
  for (Option &option : table)
    if (option.name == "--atol")
      option.help = "absolute tolerance of the comparison (default: exact bytes)";
    else if (option.name == "--rtol")
      option.help = "relative tolerance of the comparison";
  table.push_back({"--kernel-b", "NAME", "the kernel of B, if it has another name",
                   [&](const std::string &word) { return options.kernelB = word, std::nullopt; }});
  table.push_back({"--cxx-flag", "WORD", "give this word to `ptoscope c++`, too; may be repeated",
                   [&](const std::string &word) { return options.compilerWords.push_back(word), std::nullopt; }});
  table.push_back({"--help", "", "this text", [&](const std::string &) { return help = true, std::nullopt; }});
  for (Option &option : reporting.options())
    table.push_back(std::move(option));
  std::vector<std::string> files;
  if (Result<void> parsed = parseCommandLine(words, table, files); !parsed)
    return reportUsage(parsed.takeFinding());
  if (help) {
    printf("usage: ptoscope compare A B [options]\n\nRuns two versions of a kernel, such as a tile program and what a "
           "compiler made of it,\nwith the same arguments (automatic ones unless some are given), and compares what "
           "they\nleave in GM. Shows the first store that differs, and where its bytes come from. A and B\nare .pto "
           "files, or C++ files with a kernel.\n\n%s\nexample:\n  ptoscope compare tile.pto micro.pto --arg auto "
           "--rtol 1e-3\n",
           describeOptions(table).c_str());
    return kSuccess;
  }
  if (files.size() != 2)
    return reportUsage(usageError("`compare` takes two files, got " + std::to_string(files.size()),
                                  "ptoscope compare tile.pto micro.pto"));
  options.a = files[0];
  options.b = files[1];
  if (options.request.arguments.empty())
    options.request.arguments = {"auto"};
  if (options.kernelB.empty())
    options.kernelB = options.request.compile.kernel;
  options.request.launch.print = [](std::string_view) {};
  Session session;
  FindingList findings;
  const audit::CompareResult result = audit::compareKernels(session, options, findings);
  std::vector<const ParsedProgram *> programs;
  for (const std::unique_ptr<ParsedProgram> &program : result.programs)
    programs.push_back(program.get());
  FILE *out = reporting.format == Format::Text ? stdout : stderr;
  if (!result.words.empty()) {
    fputs("arguments:", out);
    for (const std::string &word : result.words)
      fprintf(out, " --arg %s", word.c_str());
    fputc('\n', out);
  }
  const ExitStatus status = report(findings, reporting, programs);
  if (reporting.format == Format::Text && status == kSuccess && result.compared)
    printf("same results: %llu elements\n", (unsigned long long)result.elements);
  return status == kSuccess && !result.compared ? kProgramError : status;
}
