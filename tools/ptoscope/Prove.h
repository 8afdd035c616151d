//===- Prove.h - `check --prove` --------------------------------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_PROVE_H
#define PTOSCOPE_TOOLS_PROVE_H

#include "ptoscope/Analysis/Prove.h"
#include "ptoscope/Driver/Session.h"

#include <nlohmann/json.hpp>

namespace ptoscope {

/// What became of one kernel.
struct Verdict {
  enum Kind { Proved, Refuted, Undecided } kind = Undecided;
  Proof proof;
  std::vector<std::string> words; ///< Refuted: arguments of the run that shows the race
  int64_t blocks = 1;
  std::string code; ///< Refuted: of the finding
};

/// Proves every kernel of a program, or the one of `options`, and runs what was not proved with the
/// arguments that may show a race. Races that a run has shown are added to `findings`, in place of
/// the same ones without a run.
std::vector<Verdict> proveKernels(Session &session, const ParsedProgram &program, const FrontendOptions &frontend,
                                  ProveOptions options, FindingList &findings);

/// One line for people, with what was assumed.
std::string textOf(const Verdict &verdict, const std::string &path);
nlohmann::ordered_json jsonOf(const Verdict &verdict, const std::string &path);

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_PROVE_H
