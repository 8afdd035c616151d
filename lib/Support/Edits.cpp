//===- Edits.cpp - the lines that findings offer, put into texts ----------===//

#include "ptoscope/Support/Edits.h"

#include <algorithm>

namespace ptoscope {

/// Where each line begins; a text that ends in a newline has no line behind it.
static std::vector<size_t> lineStarts(const std::string &text) {
  std::vector<size_t> starts;
  for (size_t begin = 0; begin < text.size();) {
    starts.push_back(begin);
    size_t end = text.find('\n', begin);
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  return starts;
}

/// The blanks that the line begins with: it may be indented by tabs, and a compiler's columns
/// may be inside of it.
static std::string indentation(std::string_view line) {
  return std::string(line.substr(0, std::min(line.find_first_not_of(" \t"), line.size())));
}

static std::string_view lineAt(const std::string &text, const std::vector<size_t> &starts, size_t line) {
  const size_t begin = starts[line];
  const size_t end = line + 1 < starts.size() ? starts[line + 1] : text.size();
  return std::string_view(text).substr(begin, end - begin);
}

/// `line` is that of the edit, with its end.
static Insertion insertionOf(const Edit &edit, std::string_view line) {
  std::string indent = indentation(line);
  if (!edit.after && line.substr(indent.size()).starts_with('}'))
    indent += "  "; // at the end of the block
  const std::string end = line.ends_with("\r\n") ? "\r\n" : "\n";
  Insertion insertion{edit.place.line - (edit.after ? 0 : 1), ""};
  for (size_t begin = 0; begin <= edit.insertText.size();) {
    const size_t stop = std::min(edit.insertText.find('\n', begin), edit.insertText.size());
    insertion.text += indent + edit.insertText.substr(begin, stop - begin) + end;
    begin = stop + 1;
  }
  return insertion;
}

/// In order, behind those of the same place.
static void add(std::vector<Insertion> &insertions, Insertion insertion) {
  insertions.insert(std::ranges::upper_bound(insertions, insertion.linesAbove, {}, &Insertion::linesAbove),
                    std::move(insertion));
}

Result<std::vector<Insertion>> insertionsOf(const std::string &path, const std::string &text,
                                            std::span<const Edit> edits) {
  const std::vector<size_t> starts = lineStarts(text);
  std::vector<Insertion> insertions;
  for (const Edit &edit : edits) {
    auto refuse = [&](const std::string &why) {
      Finding finding = makeFinding("file-error", edit.place, "`" + edit.insertText + "` cannot be inserted: " + why);
      finding.help = "check the file again, and apply what that proposes";
      return finding;
    };
    if (edit.place.file != path)
      return refuse("it belongs to this file, not to `" + path + "`");
    if (edit.place.line == 0)
      return refuse("it has no line");
    if (edit.place.line > starts.size())
      return refuse("the file ends with line " + std::to_string(starts.size()));
    const std::string_view line = lineAt(text, starts, edit.place.line - 1);
    const size_t width = line.substr(0, line.find_first_of("\r\n")).size();
    if (edit.place.column > width + 1)
      return refuse("the line has only " + std::to_string(width) + " characters");
    add(insertions, insertionOf(edit, line));
  }
  return insertions;
}

static std::string insert(const std::string &text, const std::vector<Insertion> &insertions) {
  const std::vector<size_t> starts = lineStarts(text);
  std::string result;
  size_t done = 0;
  for (const Insertion &insertion : insertions) {
    const size_t begin = insertion.linesAbove < starts.size() ? starts[insertion.linesAbove] : text.size();
    result.append(text, done, begin - done);
    done = begin;
    if (!result.empty() && !result.ends_with('\n')) // the last line has no end
      result += '\n';
    result += insertion.text;
  }
  return result.append(text, done);
}

Result<std::string> applyEdits(const std::string &path, const std::string &text, std::span<const Edit> edits) {
  Result<std::vector<Insertion>> insertions = insertionsOf(path, text, edits);
  if (!insertions)
    return insertions.takeFinding();
  return insert(text, *insertions);
}

std::string withLines(const std::string &text, const std::vector<Edit> &edits) {
  const std::vector<size_t> starts = lineStarts(text);
  std::vector<Insertion> insertions;
  for (const Edit &edit : edits)
    add(insertions,
        insertionOf(edit, edit.place.line <= starts.size() ? lineAt(text, starts, edit.place.line - 1) : ""));
  return insert(text, insertions);
}

std::vector<Edit> editsOf(std::span<const Finding> findings) {
  std::vector<Edit> edits;
  auto isSame = [](const Edit &a, const Edit &b) {
    return a.place == b.place && a.after == b.after && a.insertText == b.insertText;
  };
  for (const Finding &finding : findings) {
    // A finding may want one line twice.
    const size_t before = edits.size();
    for (const Edit &edit : finding.edits) {
      auto known = [&](const Edit &other) { return isSame(edit, other); };
      if (std::none_of(edits.begin(), edits.begin() + ptrdiff_t(before), known))
        edits.push_back(edit);
    }
  }
  return edits;
}

} // namespace ptoscope
