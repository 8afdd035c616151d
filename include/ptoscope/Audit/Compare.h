//===- Compare.h - two versions of a kernel, store by store -----*- C++ -*-===//
//
// Runs a program and what a compiler made of it, `.pto` text or C++, with the same
// arguments, and says which store to GM is the first whose bytes differ, where they come
// from, and up to where both hold the same.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_AUDIT_COMPARE_H
#define PTOSCOPE_AUDIT_COMPARE_H

#include "ptoscope/Driver/Runs.h"

#include <string>
#include <vector>

namespace ptoscope::audit {

struct CompareOptions {
  std::string a, b;                       ///< files
  std::string kernelB;                    ///< the kernel of `b`; empty: as `request` says, or the only one
  RunRequest request;                     ///< how both run; the kernel is that of `a`
  std::vector<std::string> compilerWords; ///< for C++
};

struct CompareResult {
  std::vector<std::string> words;                       ///< arguments of both runs
  std::vector<std::unique_ptr<ParsedProgram>> programs; ///< for excerpts
  bool compared = false;                                ///< both runs came to their end
  uint64_t elements = 0;                                ///< that were compared
};

/// Findings of both runs, and an `expect-mismatch` for each parameter that differs.
CompareResult compareKernels(Session &session, const CompareOptions &options, FindingList &findings);

} // namespace ptoscope::audit

#endif // PTOSCOPE_AUDIT_COMPARE_H
