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

/// `line` is that of the edit, with its end, and begins at `begin` of the text.
static TextChange insertionOf(const Edit &edit, std::string_view line, size_t begin) {
  std::string indent = indentation(line);
  if (!edit.after && line.substr(indent.size()).starts_with('}'))
    indent += "  "; // at the end of the block
  const std::string end = line.ends_with("\r\n") ? "\r\n" : "\n";
  const size_t at = begin + (edit.after ? line.size() : 0);
  TextChange change{at, at, ""};
  if (edit.after && !line.empty() && !line.ends_with('\n')) // the last line has no end
    change.text = "\n";
  for (size_t from = 0; from <= edit.insertText.size();) {
    const size_t stop = std::min(edit.insertText.find('\n', from), edit.insertText.size());
    change.text += indent + edit.insertText.substr(from, stop - from) + end;
    from = stop + 1;
  }
  return change;
}

/// Where in `line` the words begin that the edit replaces; npos if others stand there.
static size_t wordsOf(const Edit &edit, std::string_view line) {
  const size_t at = edit.place.column ? edit.place.column - 1 : 0;
  const bool stands = at <= line.size() && line.substr(at).starts_with(edit.replaces);
  return stands ? at : std::string_view::npos;
}

static TextChange replacementOf(const Edit &edit, std::string_view line, size_t begin) {
  const size_t at = wordsOf(edit, line), behind = at + edit.replaces.size();
  auto isBlank = [](std::string_view part) { return part.find_first_not_of(" \t\r\n") == std::string_view::npos; };
  if (edit.insertText.empty() && isBlank(line.substr(0, at)) && isBlank(line.substr(behind)))
    return {begin, begin + line.size(), ""};
  return {begin + at, begin + behind, edit.insertText};
}

/// In order, behind those of the same place; lines go before the words behind them.
static void add(std::vector<TextChange> &changes, TextChange change) {
  auto range = [](const TextChange &of) { return std::pair(of.begin, of.end); };
  auto place = std::ranges::upper_bound(changes, range(change), {}, range);
  const bool follows = place != changes.begin() && std::prev(place)->begin == change.begin;
  if (follows && change.text.starts_with('\n')) // the line before it has ended the last one
    change.text.erase(0, 1);
  changes.insert(place, std::move(change));
}

Result<std::vector<TextChange>> textChangesOf(const std::string &path, const std::string &text,
                                              std::span<const Edit> edits) {
  const std::vector<size_t> starts = lineStarts(text);
  std::vector<TextChange> changes;
  for (const Edit &edit : edits) {
    const bool replaces = !edit.replaces.empty();
    auto refuse = [&](const std::string &why) {
      const std::string what =
          replaces ? "`" + edit.replaces + "` cannot be replaced: " : "`" + edit.insertText + "` cannot be inserted: ";
      Finding finding = makeFinding("file-error", edit.place, what + why);
      finding.help = "check the file again, and apply what that proposes";
      return finding;
    };
    if (edit.place.file != path)
      return refuse("it belongs to this file, not to `" + path + "`");
    if (edit.place.line == 0)
      return refuse("it has no line");
    if (edit.place.line > starts.size())
      return refuse("the file ends with line " + std::to_string(starts.size()));
    const size_t begin = starts[edit.place.line - 1];
    const std::string_view line = lineAt(text, starts, edit.place.line - 1);
    const size_t width = line.substr(0, line.find_first_of("\r\n")).size();
    if (edit.place.column > width + 1)
      return refuse("the line has only " + std::to_string(width) + " characters");
    if (replaces && wordsOf(edit, line) == std::string_view::npos)
      return refuse("something else stands there");
    add(changes, replaces ? replacementOf(edit, line, begin) : insertionOf(edit, line, begin));
  }
  return changes;
}

static std::string withChanges(const std::string &text, const std::vector<TextChange> &changes) {
  std::string result;
  size_t done = 0;
  for (const TextChange &change : changes) {
    if (change.begin < done)
      continue; // words that are replaced already
    result.append(text, done, change.begin - done);
    result += change.text;
    done = change.end;
  }
  return result.append(text, done);
}

Result<std::string> applyEdits(const std::string &path, const std::string &text, std::span<const Edit> edits) {
  Result<std::vector<TextChange>> changes = textChangesOf(path, text, edits);
  if (!changes)
    return changes.takeFinding();
  return withChanges(text, *changes);
}

std::string withLines(const std::string &text, const std::vector<Edit> &edits) {
  const std::vector<size_t> starts = lineStarts(text);
  std::vector<TextChange> changes;
  for (const Edit &edit : edits) {
    const bool isThere = edit.place.line - 1 < starts.size();
    const std::string_view line = isThere ? lineAt(text, starts, edit.place.line - 1) : "";
    const size_t begin = isThere ? starts[edit.place.line - 1] : text.size();
    if (edit.replaces.empty())
      add(changes, insertionOf(edit, line, begin));
    else if (wordsOf(edit, line) != std::string_view::npos)
      add(changes, replacementOf(edit, line, begin));
  }
  return withChanges(text, changes);
}

int32_t linesAdded(const Edit &edit) {
  if (edit.replaces.empty())
    return 1 + int32_t(std::ranges::count(edit.insertText, '\n'));
  return edit.insertText.empty() ? -1 : 0; // words that are taken away are a line as a rule
}

std::vector<Edit> editsOf(std::span<const Finding> findings) {
  std::vector<Edit> edits;
  auto isSame = [](const Edit &a, const Edit &b) {
    return a.place == b.place && a.after == b.after && a.insertText == b.insertText && a.replaces == b.replaces;
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
