//===- Lexer.cpp - C++ text as tokens -------------------------------------===//

#include "Lexer.h"

#include <algorithm>
#include <string>

namespace ptoscope::cxx {

namespace {
bool startsName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80);
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

class Lexer {
public:
  Lexer(std::string_view text, bool openDirectives) : text(text), openDirectives(openDirectives) {}

  std::vector<Token> run() {
    while (at < text.size())
      step();
    return std::move(tokens);
  }

private:
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }

  void step() {
    const char c = peek();
    if (isSpace(c)) {
      lineStart |= c == '\n';
      ++at;
    } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      at += peek(1) == '\n' ? 2 : 3;
    } else if (c == '/' && peek(1) == '/') {
      toEndOfLine();
    } else if (c == '/' && peek(1) == '*') {
      const size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else if (c == '#' && lineStart && !openDirectives) {
      const size_t begin = at;
      toEndOfLine();
      add(Token::Directive, begin);
    } else if (startsName(c)) {
      name();
    } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      literal(at);
    } else {
      ++at;
      add(Token::Punctuation, at - 1);
    }
  }

  void add(Token::Kind kind, size_t begin) {
    tokens.push_back({kind, begin, at});
    lineStart = false;
  }

  /// A line that ends with a backslash goes on.
  void toEndOfLine() {
    while (at < text.size() && text[at] != '\n')
      at += text[at] == '\\' && at + 1 < text.size() ? (text.substr(at, 3) == "\\\r\n" ? 3 : 2) : 1;
  }

  void name() {
    const size_t begin = at;
    while (startsName(peek()) || isDigit(peek()))
      ++at;
    const std::string_view word = text.substr(begin, at - begin);
    if (peek() == '"' && (word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR"))
      return rawText(begin);
    if ((peek() == '"' || peek() == '\'') && (word == "u8" || word == "u" || word == "U" || word == "L"))
      return literal(begin);
    add(Token::Name, begin);
  }

  /// With exponents, suffixes and separators.
  void number() {
    const size_t begin = at++;
    for (;; ++at) {
      const char c = peek(), last = text[at - 1];
      const bool sign = (c == '+' || c == '-') && (last == 'e' || last == 'E' || last == 'p' || last == 'P');
      const bool separator = c == '\'' && (startsName(peek(1)) || isDigit(peek(1)));
      if (!(startsName(c) || isDigit(c) || c == '.' || sign || separator))
        break;
    }
    add(Token::Number, begin);
  }

  /// A quote without its end, as in the text of an #error, is punctuation.
  void literal(size_t begin) {
    const size_t quoteAt = at;
    const char quote = text[at++];
    while (at < text.size() && text[at] != quote && text[at] != '\n')
      at += text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
    if (at >= text.size() || text[at] != quote) {
      at = quoteAt + 1;
      return add(Token::Punctuation, quoteAt);
    }
    ++at;
    add(Token::Text, begin);
  }

  void rawText(size_t begin) {
    const size_t open = text.find('(', at);
    if (open == std::string_view::npos || open - at > 17)
      return literal(begin);
    const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
    const size_t end = text.find(close, open);
    at = end == std::string_view::npos ? text.size() : end + close.size();
    add(Token::Text, begin);
  }

  std::string_view text;
  bool openDirectives;
  size_t at = 0;
  bool lineStart = true;
  std::vector<Token> tokens;
};
} // namespace

std::optional<LineMarker> lineMarker(std::string_view line) {
  const auto skip = [&](size_t count) {
    line.remove_prefix(count);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip(1);
  if (line.starts_with("line"))
    skip(4);
  LineMarker marker;
  size_t digits = 0;
  for (; digits < line.size() && isDigit(line[digits]); ++digits)
    marker.line = marker.line * 10 + unsigned(line[digits] - '0');
  if (!digits)
    return std::nullopt;
  const size_t open = line.find('"'), close = line.rfind('"');
  if (open != line.npos && close > open) {
    marker.file = line.substr(open + 1, close - open - 1);
    marker.isSystem = line.find('3', close) != line.npos;
  }
  return marker;
}

std::vector<Token> lex(std::string_view text, bool openDirectives) { return Lexer(text, openDirectives).run(); }

} // namespace ptoscope::cxx
