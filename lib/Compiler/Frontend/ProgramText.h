//===- ProgramText.h - the text before MLIR sees it -------------*- C++ -*-===//
//
// Refuses what MLIR's parser does not survive, and brings spellings that it
// cannot read into the documented form.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_PROGRAMTEXT_H
#define PTOSCOPE_LIB_COMPILER_PROGRAMTEXT_H

#include "ptoscope/Support/Finding.h"

#include <string>
#include <vector>

namespace ptoscope {

/// What `--strict` makes of a loose spelling.
void refuseLoose(Finding &finding);

/// The text with every instruction as documents write it, each at its place: no
/// `;` behind it, no `outs(...)` for its results. A remark tells of each change.
std::string documentedText(const std::string &path, const std::string &text, std::vector<Finding> &remarks);

/// False, with a finding, for text that MLIR must not see: bytes that are no text,
/// nesting too deep for its stack, uses before definitions.
bool acceptText(const std::string &path, const std::string &text, FindingList &findings);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_PROGRAMTEXT_H
