//===- Trial.h - a program that may be anything, tried out ------*- C++ -*-===//

#ifndef PTOSCOPE_UNITTESTS_ENDTOEND_TRIAL_H
#define PTOSCOPE_UNITTESTS_ENDTOEND_TRIAL_H

#include "TextMutator.h"
#include "ptoscope/Analysis/StaticCheck.h"
#include "ptoscope/Driver/Session.h"

namespace ptoscope {

/// Findings that call something a bug of our own, a line for each.
inline std::string ownFaults(const FindingList &findings) {
  std::string faults;
  for (const Finding &finding : findings.all())
    if (finding.category == Category::Internal)
      faults += finding.code + ": " + finding.message + "\n";
  return faults;
}

/// The name behind the first `func.func @`; empty where there is none.
inline std::string firstFunction(std::string_view text) {
  constexpr std::string_view kFunction = "func.func @";
  const size_t at = text.find(kFunction);
  if (at == std::string_view::npos)
    return {};
  const size_t begin = at + kFunction.size();
  size_t end = begin;
  while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
    ++end;
  return std::string(text.substr(begin, end - begin));
}

/// What `check` and `run` do, with small buffers, in few steps. Returns ownFaults; `launched`
/// counts programs that came so far.
inline std::string tryOut(Session &session, const std::string &text, TextMutator &choose, uint64_t &launched) {
  FindingList findings(20);
  std::unique_ptr<ParsedProgram> program = session.parse("mutant.pto", text, {}, findings);
  if (!program->module)
    return ownFaults(findings);
  checkStatically(*program, findings);
  CompileOptions compile;
  if (choose.below(4) == 0)
    compile.checks = Checks::none();
  compile.schedule = ScheduleKind(choose.below(8) == 0 ? 1 + choose.below(2) : 0);
  compile.kernel = firstFunction(text);
  std::unique_ptr<CompiledKernel> kernel = session.compile(*program, compile, findings);
  if (kernel) {
    ++launched;
    std::vector<std::vector<uint8_t>> buffers(kernel->parameters.size(), std::vector<uint8_t>(1 << 15, 1));
    std::vector<Argument> arguments;
    for (size_t i = 0; i < buffers.size(); ++i)
      if (kernel->parameters[i].isPointer)
        arguments.push_back(std::span<uint8_t>(buffers[i]));
      else
        arguments.push_back(uint64_t(1 + choose.below(100)));
    LaunchOptions launch;
    launch.profile = program->profile;
    launch.checks = compile.checks;
    launch.schedule = {compile.schedule, 1};
    launch.maxSteps = 100'000;
    launch.blocks = int64_t(1 + choose.below(2));
    findings.merge(std::move(Session::launch(*kernel, arguments, launch).launch.findings));
  }
  return ownFaults(findings);
}

} // namespace ptoscope

#endif // PTOSCOPE_UNITTESTS_ENDTOEND_TRIAL_H
