//===- StaticCheck.h - faults that the text alone shows ---------*- C++ -*-===//
//
// Follows a verified program without running it: hangs, flags that are left
// over, accesses outside the unified buffer and missing order, as far as
// constants tell. What is certain is an error, what depends on a branch or a
// loop bound no one knows is a warning, and everything else is silent.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_ANALYSIS_STATICCHECK_H
#define PTOSCOPE_ANALYSIS_STATICCHECK_H

#include "ptoscope/Compiler/Frontend.h"

namespace ptoscope {

/// Adds what is found in every kernel of `program`, which must have a module, and
/// returns how many accesses could not be compared because where they are, or how
/// long, is not known. Takes time in proportion to the size of the program.
size_t checkStatically(const ParsedProgram &program, FindingList &findings);

} // namespace ptoscope

#endif // PTOSCOPE_ANALYSIS_STATICCHECK_H
