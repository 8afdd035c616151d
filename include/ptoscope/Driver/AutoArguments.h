//===- AutoArguments.h - `--arg auto` ----------------------------*- C++ -*-===//

#ifndef PTOSCOPE_DRIVER_AUTOARGUMENTS_H
#define PTOSCOPE_DRIVER_AUTOARGUMENTS_H

#include "ptoscope/Driver/Session.h"

namespace ptoscope {

/// `--arg auto` once for every parameter, or for those that have it.
bool wantsAuto(std::span<const std::string> words);

/// What was chosen for the parameters of a kernel.
struct AutoArguments {
  std::vector<std::string> words; ///< one per parameter, all explicit
  /// Other words that are as good, each with what differs ("%n = 64"): findings that
  /// do not occur with them depend on the choice.
  struct Control {
    std::vector<std::string> words;
    std::string difference;
  };
  std::vector<Control> controls;
};

/// Runs the kernel to see which bytes of its buffers it touches. `launch` has the
/// blocks and the profile of the run to come. Adds findings and returns nothing on
/// error.
std::optional<AutoArguments> chooseArguments(Session &session, const ParsedProgram &program,
                                             const CompileOptions &compile, const LaunchOptions &launch,
                                             std::vector<std::string> words, FindingList &findings);

/// Says at each finding that depends on the choice that it does, by runs with other words.
FindingList markDrawn(const CompiledKernel &kernel, const AutoArguments &chosen, LaunchOptions launch,
                      FindingList findings);
/// The note that says so; null where there is none.
const Note *noteOfDrawn(const Finding &finding);
/// Gives a finding the note of the same one among those of another run.
void markAs(std::span<const Finding> marked, Finding &finding);

} // namespace ptoscope

#endif // PTOSCOPE_DRIVER_AUTOARGUMENTS_H
