//===- Cache.h - results of runs, kept on disk ------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_SUITE_CACHE_H
#define PTOSCOPE_LIB_SUITE_CACHE_H

#include "ptoscope/Suite/Case.h"
#include "ptoscope/Suite/Results.h"

namespace ptoscope::suite {

/// Everything that the outcome depends on: this program, the kernel, contents of files that
/// the case names, and its words. Empty where that is not known: nothing is kept then.
std::string keyOf(const Variant &variant, bool warningsAreErrors);
std::optional<Outcome> findOutcome(const std::string &key);
void keepOutcome(const std::string &key, const Outcome &outcome);

} // namespace ptoscope::suite

#endif // PTOSCOPE_LIB_SUITE_CACHE_H
