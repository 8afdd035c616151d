//===- Statements.cpp - where a line of C++ may be inserted ---------------===//
//
// Tokens are enough: a statement begins behind `;`, `{`, `}` or a label, in braces. What
// cannot be told apart from something else, such as braces of an initializer, is refused.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Driver/CxxStatements.h"

#include "Lexer.h"

#include <algorithm>

namespace ptoscope::cxx {

namespace {
class Places {
public:
  explicit Places(std::string_view text) : text(text), tokens(lex(text, false)) {
    std::erase_if(tokens, [](const Token &token) { return token.kind == Token::Directive; });
  }

  /// Where a line begins; the end of the text for one behind the last.
  size_t lineStart(uint32_t line) const {
    size_t at = 0;
    for (uint32_t i = 1; i < line && at != text.size(); ++i) {
      const size_t end = text.find('\n', at);
      at = end == std::string_view::npos ? text.size() : end + 1;
    }
    return at;
  }

  /// A statement, or a declaration, ends right before `offset`, and none goes on behind it.
  bool isBoundary(size_t offset) const {
    const size_t count = countBefore(offset);
    std::string open; // brackets
    size_t first = 0; // token of the statement that goes on
    for (size_t i = 0; i < count; ++i) {
      const char c = punctuation(i);
      if (c == '(' || c == '[' || c == '{')
        open += c;
      else if ((c == ')' || c == ']' || c == '}') && !open.empty())
        open.pop_back();
      const bool inBraces = open.empty() || open.back() == '{';
      if (inBraces && (c == ';' || c == '{' || c == '}' || (c == ':' && isLabel(first, i))))
        first = i + 1;
    }
    if (!open.empty() && open.back() != '{')
      return false;
    // A brace may end an initializer, which goes on.
    const char next = count < tokens.size() ? punctuation(count) : ';';
    return first == count && next != ',' && next != ')' && next != ']' && next != ';' &&
           !isOneOf(count, {"else", "catch"});
  }

  /// No statement begins or ends between the two.
  bool isOneStatement(size_t from, size_t to) const {
    for (size_t i = countBefore(from); i < countBefore(to); ++i)
      if (const char c = punctuation(i);
          c == ';' || c == '{' || c == '}' || c == '?' || isOneOf(i, {"case", "default", "else", "do"}) ||
          (c == ':' && punctuation(i + 1) != ':' && (i == 0 || punctuation(i - 1) != ':')))
        return false;
    return true;
  }

private:
  size_t countBefore(size_t offset) const {
    return size_t(std::ranges::lower_bound(tokens, offset, {}, &Token::begin) - tokens.begin());
  }
  char punctuation(size_t i) const {
    return i < tokens.size() && tokens[i].kind == Token::Punctuation ? text[tokens[i].begin] : 0;
  }
  bool isOneOf(size_t i, std::initializer_list<std::string_view> words) const {
    return i < tokens.size() && tokens[i].kind == Token::Name &&
           std::ranges::find(words, tokens[i].in(text)) != words.end();
  }
  /// `case 1 + 2:`, `default:`, `public:`, `name:`
  bool isLabel(size_t first, size_t colon) const {
    if (punctuation(colon + 1) == ':' || (colon > 0 && punctuation(colon - 1) == ':'))
      return false;
    return isOneOf(first, {"case"}) || (colon == first + 1 && tokens[first].kind == Token::Name);
  }

  std::string_view text;
  std::vector<Token> tokens;
};
} // namespace

bool canInsertLine(std::string_view text, uint32_t line, uint32_t column, bool after) {
  const Places places(text);
  const size_t begin = places.lineStart(line), end = places.lineStart(line + 1);
  if (after)
    return places.isBoundary(end);
  return places.isBoundary(begin) && places.isOneStatement(begin, begin + (column ? column - 1 : 0));
}

} // namespace ptoscope::cxx
