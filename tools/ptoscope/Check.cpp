//===- Check.cpp - ptoscope check -----------------------------------------===//

#include "ptoscope/Language/Check.h"
#include "Limits.h"
#include "Prove.h"
#include "Report.h"
#include "Verbs.h"

#include <cstdio>

using namespace ptoscope;

int ptoscope::checkVerb(std::span<const std::string> words) {
  FrontendOptions frontend;
  ReportOptions reporting;
  ProveOptions proving;
  LimitOptions limits;
  bool help = false, verifyOnly = false, proves = false;
  std::vector<Option> options = {
      archOption(frontend),
      {"--strict", "", "refuse loose spellings",
       [&](const std::string &) { return frontend.strict = true, std::nullopt; }},
      {"--no-auto-scope", "", "vector instructions outside a scope are errors",
       [&](const std::string &) { return frontend.autoScope = false, std::nullopt; }},
      {"--verify-only", "", "look at each instruction's own rules only",
       [&](const std::string &) { return verifyOnly = true, std::nullopt; }},
      {"--prove", "", "decide for all arguments whether there is a race (docs/proving.md)",
       [&](const std::string &) { return proves = true, std::nullopt; }},
      {"--assume", "FACT", "with --prove: a bound of an argument or of `blocks`, such as `n<=8192`",
       [&](const std::string &word) -> std::optional<std::string> {
         std::optional<std::vector<Assumption>> facts = parseAssumption(word);
         if (!facts)
           return "`" + word + "` is not a bound; write `n>=1`, `n<=8192` or `blocks=4`";
         proving.assumptions.insert(proving.assumptions.end(), facts->begin(), facts->end());
         return std::nullopt;
       }},
      {"--kernel", "NAME", "with --prove: only this one",
       [&](const std::string &word) { return proving.kernel = word.substr(word.starts_with("@")), std::nullopt; }},
      {"--time-limit", "S", "with --prove: seconds for each kernel (default 20)",
       [&](const std::string &word) -> std::optional<std::string> {
         char *end = nullptr;
         proving.seconds = std::strtod(word.c_str(), &end);
         if (word.empty() || *end || !(proving.seconds > 0 && proving.seconds <= 86400))
           return "`" + word + "` is not a number of seconds";
         return std::nullopt;
       }},
      {"--help", "", "this text", [&](const std::string &) { return help = true, std::nullopt; }},
  };
  for (std::vector<Option> more : {reporting.options(), limits.options()})
    options.insert(options.end(), more.begin(), more.end());
  const OptionRule rules[] = {{"--assume", OptionRule::Needs, {"--prove"}},
                              {"--kernel", OptionRule::Needs, {"--prove"}},
                              {"--time-limit", OptionRule::Needs, {"--prove"}},
                              {"--prove", OptionRule::Excludes, {"--verify-only"}}};
  std::vector<std::string> files;
  if (Result<void> parsed = parseCommandLine(words, options, files, rules); !parsed)
    return reportUsage(parsed.takeFinding());
  if (help) {
    printf("usage: ptoscope check FILE…\n\nParses and verifies PTO programs, and follows them as far as constants "
           "tell;\nnothing is run. `-` is standard input.\n\n%s",
           describeOptions(options).c_str());
    return kSuccess;
  }
  if (files.empty())
    return reportUsage(usageError("`check` needs at least one file", "ptoscope check kernel.pto"));

  reportLimits(reporting, files[0]);
  Result<std::unique_ptr<ReservedOutputs>> reserved = limits.begin({});
  if (!reserved)
    return reportUsage(reserved.takeFinding());
  Session session;
  FindingList findings;
  std::vector<std::unique_ptr<ParsedProgram>> programs;
  std::vector<const ParsedProgram *> views;
  size_t uncompared = 0, undecided = 0, withoutKernel = 0;
  nlohmann::ordered_json proofs;
  if (proves)
    proofs = nlohmann::ordered_json::array();
  std::string lines;
  for (const std::string &file : files) {
    // One file's errors must not hide another file's.
    FindingList own;
    programs.push_back(session.parseFile(file, frontend, own));
    views.push_back(programs.back().get());
    const ParsedProgram &program = *programs.back();
    withoutKernel += program.module && kernelNames(program).empty();
    if (program.module && !verifyOnly)
      uncompared += checkParsed(session, program, frontend, own);
    if (program.module && proves)
      for (const Verdict &verdict : proveKernels(session, program, frontend, proving, own)) {
        undecided += verdict.kind == Verdict::Undecided;
        proofs.push_back(jsonOf(verdict, file));
        lines += textOf(verdict, file);
      }
    findings.merge(std::move(own));
  }
  ExitStatus status = report(findings, reporting, views, {}, proofs);
  if (reporting.format == Format::Text)
    fputs(lines.c_str(), stdout);
  if (status == kSuccess && undecided && reporting.warningsAreErrors)
    status = kProgramError;
  size_t warnings = findings.count(Severity::Warning);
  if (status == kSuccess && reporting.format == Format::Text)
    printf("%s checked: %s%s%s\n", plural(files.size(), "file").c_str(),
           warnings ? plural(warnings, "warning").c_str() : "no error",
           uncompared ? ("; " + plural(uncompared, "access") + " of unknown place or length not compared").c_str() : "",
           !withoutKernel       ? ""
           : files.size() == 1  ? "; it holds no kernel"
           : withoutKernel == 1 ? "; one of them holds no kernel"
                                : ("; " + std::to_string(withoutKernel) + " of them hold no kernel").c_str());
  return status;
}
