//===- ProgramText.h - the text before MLIR sees it -------------*- C++ -*-===//
//
// Refuses what MLIR's parser does not survive, and brings spellings that it
// cannot read into the documented form.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_COMPILER_PROGRAMTEXT_H
#define PTOSCOPE_COMPILER_PROGRAMTEXT_H

#include "ptoscope/Support/Finding.h"

#include <string>
#include <vector>

namespace ptoscope {

/// Where the lines of a text begin.
struct LineTable {
  explicit LineTable(const std::string &text);
  /// Line and column of an offset, both from 1.
  std::pair<uint32_t, uint32_t> at(size_t offset) const;

  std::vector<size_t> starts = {0};
};

/// The text with comments blanked and strings turned into quotes, same length.
std::string codeOnly(const std::string &text);

/// What `--strict` makes of a loose spelling.
void refuseLoose(Finding &finding);

/// The text with every instruction as documents write it, each at its place: no
/// `;` behind it, no `outs(...)` for its results. A remark tells of each change.
std::string documentedText(const std::string &path, const std::string &text, std::vector<Finding> &remarks);

/// False, with a finding, for text that MLIR must not see: bytes that are no text,
/// nesting too deep for its stack.
bool acceptText(const std::string &path, const std::string &text, FindingList &findings);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_PROGRAMTEXT_H
