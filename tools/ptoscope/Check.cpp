//===- Check.cpp - ptoscope check -----------------------------------------===//

#include "ptoscope/Language/Check.h"
#include "Report.h"
#include "Verbs.h"

#include <cstdio>

using namespace ptoscope;

int ptoscope::checkVerb(std::span<const std::string> words) {
  FrontendOptions frontend;
  ReportOptions reporting;
  bool help = false, verifyOnly = false;
  std::vector<Option> options = {
      archOption(frontend),
      {"--strict", "", "refuse loose spellings",
       [&](const std::string &) { return frontend.strict = true, std::nullopt; }},
      {"--no-auto-scope", "", "vector instructions outside a scope are errors",
       [&](const std::string &) { return frontend.autoScope = false, std::nullopt; }},
      {"--verify-only", "", "look at each instruction's own rules only",
       [&](const std::string &) { return verifyOnly = true, std::nullopt; }},
      {"--help", "", "this text", [&](const std::string &) { return help = true, std::nullopt; }},
  };
  for (Option &option : reporting.options())
    options.push_back(option);
  std::vector<std::string> files;
  if (Result<void> parsed = parseCommandLine(words, options, files); !parsed)
    return reportUsage(parsed.takeFinding());
  if (help) {
    printf("usage: ptoscope check FILE…\n\nParses and verifies PTO programs, and follows them as far as constants "
           "tell;\nnothing is run. `-` is standard input.\n\n%s",
           describeOptions(options).c_str());
    return kSuccess;
  }
  if (files.empty())
    return reportUsage(usageError("`check` needs at least one file", "ptoscope check kernel.pto"));

  Session session;
  FindingList findings;
  std::vector<std::unique_ptr<ParsedProgram>> programs;
  std::vector<const ParsedProgram *> views;
  size_t uncompared = 0;
  for (const std::string &file : files) {
    // One file's errors must not hide another file's.
    FindingList own;
    programs.push_back(session.parseFile(file, frontend, own));
    views.push_back(programs.back().get());
    const ParsedProgram &program = *programs.back();
    if (program.module && !verifyOnly)
      uncompared += checkParsed(session, program, frontend, own);
    findings.merge(std::move(own));
  }
  ExitStatus status = report(findings, reporting, views);
  size_t warnings = findings.count(Severity::Warning);
  auto count = [](size_t n, std::string what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : what.back() == 's' ? "es" : "s");
  };
  if (status == kSuccess && reporting.format == Format::Text)
    printf("%s checked: %s%s\n", count(files.size(), "file").c_str(),
           warnings ? count(warnings, "warning").c_str() : "no error",
           uncompared ? ("; " + count(uncompared, "access") + " of unknown place or length not compared").c_str() : "");
  return status;
}
