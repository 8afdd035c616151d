//===- Tokens.cpp - the words of a program's text -------------------------===//

#include "ptoscope/Language/Tokens.h"

#include <algorithm>

namespace ptoscope {

namespace {

constexpr std::string_view kLongMarks[] = {"->", "==", ">=", "<=", "::"};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isWord(char c) { return isLetter(c) || isDigit(c) || c == '.' || c == '$'; }
bool isName(char c) { return isWord(c) || c == '-'; }

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (size_t i = 0; i < text.size();) {
      const char c = text[i];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        ++i;
        continue;
      }
      auto [kind, end] = next(i, c);
      tokens.push_back({kind, uint32_t(i), uint32_t(end)});
      i = end;
    }
    return tokens;
  }

private:
  char at(size_t i) const { return i < text.size() ? text[i] : '\n'; }
  template <typename Is> size_t skip(size_t i, Is is) const {
    while (i < text.size() && is(text[i]))
      ++i;
    return i;
  }

  std::pair<Token::Kind, size_t> next(size_t i, char c) const {
    if (c == '/' && at(i + 1) == '/')
      return {Token::Comment, endOfComment(i)};
    if (c == '"')
      return {Token::String, endOfString(i)};
    if (isDigit(c))
      return {Token::Number, endOfNumber(i)};
    if (isLetter(c))
      return {Token::Word, skip(i, isWord)};
    if (c == '%' && isName(at(i + 1)))
      return {Token::Value, endOfValue(i)};
    if (c == '@' && at(i + 1) == '"')
      return {Token::Symbol, endOfString(i + 1)};
    if (c == '@')
      return {Token::Symbol, skip(i + 1, isName)};
    if (c == '^')
      return {Token::Label, skip(i + 1, isName)};
    if (c == '!' && isLetter(at(i + 1)))
      return {Token::Type, skip(i + 1, isWord)};
    if (c == '#' && isLetter(at(i + 1)))
      return {Token::Attribute, skip(i + 1, isWord)};
    for (std::string_view mark : kLongMarks)
      if (text.substr(i).starts_with(mark))
        return {Token::Mark, i + mark.size()};
    // Whatever else stands together stays together.
    if (static_cast<unsigned char>(c) >= 0x80)
      return {Token::Mark, skip(i, [](char d) { return static_cast<unsigned char>(d) >= 0x80; })};
    return {Token::Mark, i + 1};
  }

  size_t endOfComment(size_t i) const {
    size_t end = std::min(text.find('\n', i), text.size());
    while (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r')
      --end;
    return end;
  }

  /// A string ends at its quote; an unterminated one at the line's end.
  size_t endOfString(size_t i) const {
    for (++i; at(i) != '\n'; ++i) {
      if (text[i] == '"')
        return i + 1;
      if (text[i] == '\\' && at(i + 1) != '\n')
        ++i;
    }
    while (text[i - 1] == '\r')
      --i;
    return i;
  }

  size_t endOfNumber(size_t i) const {
    size_t end = skip(i, isWord);
    const bool exponent = (at(end - 1) == 'e' || at(end - 1) == 'E') && (at(end) == '-' || at(end) == '+') &&
                          text.substr(i, end - i).find_first_not_of("0123456789.eE") == std::string_view::npos;
    return exponent ? skip(end + 1, isDigit) : end;
  }

  size_t endOfValue(size_t i) const {
    size_t end = skip(i + 1, isName);
    return (at(end) == '#' || at(end) == ':') && isDigit(at(end + 1)) ? skip(end + 1, isDigit) : end;
  }

  std::string_view text;
};

} // namespace

std::vector<Token> tokensOf(std::string_view text) { return Lexer(text).run(); }

size_t tokenAt(const std::vector<Token> &tokens, size_t at) {
  return size_t(std::ranges::upper_bound(tokens, at, {}, &Token::end) - tokens.begin());
}

} // namespace ptoscope
