//===- Columns.cpp - calls at the columns of their files ------------------===//
//
// A preprocessor keeps lines and loses columns. A call that a line of the text has
// as often as the line of the file is the same call; behind a marker that repeats
// the line's number it can stand at its own column.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "ptoscope/Driver/LaunchSyntax.h"

#include <map>
#include <set>

namespace ptoscope::cxx {

namespace {
/// Tokens of a text, and the calls among them.
class Calls {
public:
  explicit Calls(std::string_view text) : text(text), tokens(lex(text, false)) {}

  /// `f(` and `f<1, 2>(`.
  bool isCall(size_t i) const {
    static const std::set<std::string_view> kOthers = {
        "if",       "for",      "while",    "switch",   "return",   "sizeof",        "alignof",
        "decltype", "catch",    "alignas",  "noexcept", "requires", "static_assert", "__attribute__",
        "typeid",   "operator", "template", "void",     "constexpr"};
    if (i >= tokens.size() || tokens[i].kind != Token::Name || kOthers.count(word(i)))
      return false;
    // What follows a literal is its suffix.
    if (i && tokens[i - 1].kind == Token::Text && tokens[i - 1].end == tokens[i].begin)
      return false;
    if (!is(i + 1, '<'))
      return is(i + 1, '(');
    int depth = 0;
    for (size_t j = i + 1; j < tokens.size() && !is(j, ';') && !is(j, '{'); ++j) {
      depth += is(j, '<') - is(j, '>');
      if (!depth)
        return is(j + 1, '(');
    }
    return false;
  }

  /// The first token of `a::b.f(`, whose column is that of the call. Nothing where an expression stands in front.
  std::optional<size_t> head(size_t i) const {
    for (;;) {
      const bool isScope = i >= 2 && is(i - 1, ':') && is(i - 2, ':');
      const bool isArrow = i >= 2 && is(i - 1, '>') && is(i - 2, '-');
      const bool isDot = i >= 1 && is(i - 1, '.');
      if (!isScope && !isArrow && !isDot)
        return i;
      const size_t before = i - (isDot ? 2 : 3); // may wrap
      if (before < i && tokens[before].kind == Token::Name && word(before) != "return")
        i = before;
      else if (isScope && !(before < i && is(before, '>')))
        return i - 2;
      else
        return std::nullopt;
    }
  }

  bool is(size_t i, char c) const {
    return i < tokens.size() && tokens[i].kind == Token::Punctuation && text[tokens[i].begin] == c;
  }
  std::string_view word(size_t i) const { return tokens[i].in(text); }

  std::string_view text;
  std::vector<Token> tokens;
};

/// Columns of calls in a file, by line and name.
using Columns = std::map<std::pair<unsigned, std::string>, std::vector<std::optional<size_t>>>;

class Restorer {
public:
  using Read = std::function<bool(const std::string &, std::string &)>;
  Restorer(std::string_view text, const Read &read) : calls(text), read(read) {}

  std::string run() {
    size_t at = 0;
    for (size_t i = 0; i < calls.tokens.size(); ++i) {
      const Token &token = calls.tokens[i];
      for (; at < token.begin; ++at)
        if (calls.text[at] == '\n')
          nextLine();
      if (token.kind == Token::Directive)
        follow(i);
      else if (columns && calls.isCall(i))
        found[std::string(calls.word(i))].push_back(i);
    }
    nextLine();
    copyTo(calls.text.size());
    return std::move(result);
  }

private:
  void follow(size_t i) {
    const std::optional<LineMarker> marker = lineMarker(calls.word(i));
    if (!marker)
      return;
    line = marker->line - 1; // the newline behind it counts
    if (marker->file.empty())
      return;
    file = marker->file;
    columns = marker->isSystem || file.starts_with('<') ? nullptr : &columnsOf(file);
  }

  const Columns &columnsOf(std::string_view name) {
    const auto [it, isNew] = files.try_emplace(name);
    std::string path, text;
    for (size_t i = 0; i < name.size(); ++i)
      path += name[i] == '\\' && i + 1 < name.size() ? name[++i] : name[i];
    if (!isNew || !read(path, text))
      return it->second;
    const Calls own(text);
    unsigned number = 1;
    size_t at = 0, begin = 0;
    for (size_t i = 0; i < own.tokens.size(); ++i) {
      for (; at < own.tokens[i].begin; ++at)
        if (text[at] == '\n') {
          ++number;
          begin = at + 1;
        }
      if (!own.isCall(i))
        continue;
      std::optional<size_t> column;
      if (const auto head = own.head(i); head && own.tokens[*head].begin >= begin)
        column = own.tokens[*head].begin - begin;
      it->second[{number, std::string(own.word(i))}].push_back(column);
    }
    return it->second;
  }

  /// Places the calls of the line that ends.
  void nextLine() {
    std::map<size_t, size_t> places; // columns, by tokens
    for (const auto &[name, indices] : found) {
      const auto it = columns->find({line, name});
      if (it == columns->end() || it->second.size() != indices.size())
        continue;
      for (size_t i = 0; i < indices.size(); ++i)
        if (const auto head = calls.head(indices[i]); head && it->second[i])
          places[*head] = *it->second[i];
    }
    for (const auto &[token, column] : places) {
      if (calls.tokens[token].begin < written)
        continue;
      copyTo(calls.tokens[token].begin);
      if (result.size() - lineBegin == column)
        continue;
      result += "\n# " + std::to_string(line) + " \"" + std::string(file) + "\"\n";
      lineBegin = result.size();
      result.append(column, ' ');
    }
    found.clear();
    ++line;
  }

  void copyTo(size_t end) {
    if (end <= written)
      return;
    const std::string_view part = calls.text.substr(written, end - written);
    if (const size_t newline = part.rfind('\n'); newline != part.npos)
      lineBegin = result.size() + newline + 1;
    result += part;
    written = end;
  }

  const Calls calls;
  const Read &read;
  std::map<std::string_view, Columns> files;
  std::string_view file;
  const Columns *columns = nullptr; ///< of the file; null: calls stay where they are
  unsigned line = 1;
  std::map<std::string, std::vector<size_t>> found; ///< calls of this line
  size_t written = 0, lineBegin = 0;
  std::string result;
};
} // namespace

std::string restoreColumns(std::string_view text,
                           const std::function<bool(const std::string &path, std::string &contents)> &read) {
  return Restorer(text, read).run();
}

} // namespace ptoscope::cxx
