//===- Edits.h - the lines that findings offer, put into texts --*- C++ -*-===//
//
// Findings offer lines to insert and words to replace. Here they become places in a text, a
// changed text, and the difference that people read. `ptoscope fix`, the language server and the search
// for remedies share this.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_EDITS_H
#define PTOSCOPE_SUPPORT_EDITS_H

#include "ptoscope/Support/Result.h"

#include <span>

namespace ptoscope {

/// What takes the place of the characters [begin, end) of a text, as editors want it.
struct TextChange {
  size_t begin = 0, end = 0;
  std::string text; ///< lines are indented, each with the end that the text uses
};

/// Edits as changes of `text`, from top to bottom; lines for one place keep their
/// order. A line that loses all its words goes. Refused with a `file-error`: a place in
/// another file, or one that the text does not have, such as a line past its end or words
/// that do not stand there: the text is not the one that was checked.
Result<std::vector<TextChange>> textChangesOf(const std::string &path, const std::string &text,
                                              std::span<const Edit> edits);

/// `text` with all of these; places are checked as above.
Result<std::string> applyEdits(const std::string &path, const std::string &text, std::span<const Edit> edits);

/// The same without looking at files: places have to be lines of `text`. Words that do not
/// stand there are left.
std::string withLines(const std::string &text, const std::vector<Edit> &edits);

/// By how many lines what stands behind the edit moves down.
int32_t linesAdded(const Edit &edit);

/// The edits of all findings. One that several findings offer is there once.
std::vector<Edit> editsOf(std::span<const Finding> findings);

/// What changed from `before` to `after`, as `diff -u` writes it; empty for equal texts.
std::string unifiedDiff(const std::string &path, const std::string &before, const std::string &after,
                        bool colour = false);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_EDITS_H
