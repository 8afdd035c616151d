//===- MissingLines.h - lines whose counterpart a text has ------*- C++ -*-===//
//
// A run knows that a set, a wait, a get or a release is missing, and which
// instruction of the text was meant for it. Where the line belongs and how it is
// written, with the values that name its id, only the text tells.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_COMPILER_MISSINGLINES_H
#define PTOSCOPE_COMPILER_MISSINGLINES_H

#include "ptoscope/Compiler/Frontend.h"

namespace ptoscope {

/// Turns what findings miss into remedies, behind those that they have.
void placeMissingLines(FindingList &findings, const ParsedProgram &program);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_MISSINGLINES_H
