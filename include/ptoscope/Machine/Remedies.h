//===- Remedies.h - which lines a report may offer --------------*- C++ -*-===//
//
// Checks name lines that may repair a fault. A report offers them only if the
// program with them was tried and has nothing left to report: then they are right
// by construction, and those that name them need not prove anything.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_REMEDIES_H
#define PTOSCOPE_MACHINE_REMEDIES_H

#include "ptoscope/Support/Finding.h"

#include <functional>
#include <span>

namespace ptoscope {

/// The first note of `finding` says what probably went wrong.
void nameCause(Finding &finding, Place at, const std::string &cause);

/// Nothing that a program can be blamed for: a remark, or a warning about what no manual defines.
bool isFine(const Finding &finding);
bool isClean(const FindingList &list);

/// What a changed text has to report; nothing if it is refused or cannot be tried.
using Trial = std::function<std::optional<FindingList>(const std::string &text)>;

/// Turns remedies into help and edits. Tried are the first ones of all findings
/// together, then each alone; if each leaves other findings, theirs after it. The
/// result has to be clean: no error, and no warning but those about what no manual
/// defines: a finding without a remedy that is gone then was a consequence. Where
/// nothing works, findings keep their help, which names no lines. If one of them names
/// its likely cause and has no remedy, nothing is tried: lines for the others would
/// hide the cause. `causes` are tried before all of that: one that leaves nothing was
/// the cause of everything, whatever else findings name.
void proveRemedies(FindingList &findings, const std::string &path, const std::string &text, const Trial &trial,
                   std::span<const Remedy> causes = {});

/// The same for programs whose text cannot be changed and run again: the first
/// remedies become help, as suggestions, if every error has one. A cause comes first.
void suggestRemedies(FindingList &findings, const std::optional<Remedy> &cause = {});

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_REMEDIES_H
