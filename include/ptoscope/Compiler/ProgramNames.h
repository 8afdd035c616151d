//===- ProgramNames.h - statements and values of a program's text -*- C++ -*-=//
//
// What can be said of a text without parsing it: where its statements begin and
// end, and which `%name` each use means. MLIR takes a use before the definition
// for a forward reference and does not survive all of them; and it stops at the
// first error, after which the statement at fault can be taken out, with all that
// depends on it, to find the next one. Editors ask while a text is incomplete.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_COMPILER_PROGRAMNAMES_H
#define PTOSCOPE_COMPILER_PROGRAMNAMES_H

#include <set>
#include <string>
#include <vector>

namespace ptoscope {

struct TextRange {
  size_t begin, end;
};

/// The text between two braces.
struct TextRegion {
  TextRange range;  ///< from behind `{` to `}`, or to the end of the text
  size_t parent;    ///< npos for the text as a whole
  size_t statement; ///< that has it; npos for the text as a whole
  bool dictionary = false;
  bool isolated = false; ///< sees no value from outside
  size_t function = 0;   ///< where the isolated statement around it begins
};

/// `%a`, without the number of a result.
struct ValueName {
  TextRange range;
  size_t region;     ///< in which a definition is seen, or in which the use is
  size_t statement;  ///< that has it; npos for arguments of blocks
  size_t definition; ///< its own number for a definition; npos for a use that none reaches
  bool argument;     ///< of a function, a loop or a block; not the result of a statement
};

/// `^a`
struct LabelName {
  TextRange range;
  size_t region;
  bool definition;
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
  std::vector<TextRegion> regions;   ///< the text as a whole, then in the order of their braces
  std::vector<ValueName> values;     ///< definitions and uses
  std::vector<LabelName> labels;     ///< in the order of the text

  /// The innermost statement that holds a position; {0, 0} if none does.
  TextRange statementAt(size_t at) const;
  /// The innermost region that holds a position; the text as a whole if no other does.
  size_t regionAt(size_t at) const;
  /// Whether the definition is in a vector scope of `code` that ends before the use.
  bool leavesScope(const EarlyUse &use, const std::string &code) const;
};

/// Values of statements that were taken out, with where their function begins.
using LostValues = std::set<std::pair<size_t, std::string>>;

/// Reads text without comments and strings (codeOnly). Uses of `lost` values are
/// not early, and the values their statements define are lost too.
ProgramNames namesOf(const std::string &code, LostValues &lost);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_PROGRAMNAMES_H
