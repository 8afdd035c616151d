//===- StaticCheck.h - faults that the text alone shows ---------*- C++ -*-===//
//
// Follows a verified program without running it: hangs, flags that are left
// over, accesses outside the unified buffer and missing order, as far as
// constants tell. What is certain is an error, what depends on a branch or a
// loop bound nobody knows is a warning, and everything else is silent.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_ANALYSIS_STATICCHECK_H
#define PTOSCOPE_ANALYSIS_STATICCHECK_H

#include "ptoscope/Compiler/Frontend.h"

namespace ptoscope {

/// Adds what is found in every kernel of `program`, which must have a module.
/// Takes time in proportion to the size of the program.
void checkStatically(const ParsedProgram &program, FindingList &findings);

} // namespace ptoscope

#endif // PTOSCOPE_ANALYSIS_STATICCHECK_H
