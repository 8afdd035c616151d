//===- ProgramNames.h - statements and values of a program's text -*- C++ -*-=//
//
// What can be said of a text without parsing it: where its statements begin and
// end, and which `%name` each use means. MLIR takes a use before the definition
// for a forward reference and does not survive all of them; and it stops at the
// first error, after which the statement at fault can be taken out, with all that
// depends on it, to find the next one.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_PROGRAMNAMES_H
#define PTOSCOPE_LIB_COMPILER_PROGRAMNAMES_H

#include <set>
#include <string>
#include <vector>

namespace ptoscope {

struct TextRange {
  size_t begin, end;
};

/// A use that no definition reaches.
struct EarlyUse {
  size_t at;
  std::string name;
  TextRange statement;
  size_t function; ///< as in LostValues
  size_t defined;  ///< where its function defines it first; npos: nowhere
};

struct ProgramNames {
  std::vector<TextRange> statements; ///< inner ones after the ones around them
  std::vector<EarlyUse> early;       ///< in the order of the text
  std::vector<TextRange> orphans;    ///< statements that use a lost value

  /// The innermost statement that holds a position; {0, 0} if none does.
  TextRange statementAt(size_t at) const;
  /// Whether the definition is in a vector scope of `code` that ends before the use.
  bool leavesScope(const EarlyUse &use, const std::string &code) const;
};

/// Values of statements that were taken out, with where their function begins.
using LostValues = std::set<std::pair<size_t, std::string>>;

/// Reads text without comments and strings (codeOnly). Uses of `lost` values are
/// not early, and the values their statements define are lost too. Values that
/// `dropped` statements define are added.
ProgramNames namesOf(const std::string &code, LostValues &lost, const std::vector<TextRange> &dropped = {});

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_PROGRAMNAMES_H
