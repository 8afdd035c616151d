//===- Tokens.h - the words of a program's text -----------------*- C++ -*-===//
//
// Tokens of any text, complete or not: the formatter lays them out, the language
// server colours them and finds out where the cursor is. No byte but blanks is
// left out.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LANGUAGE_TOKENS_H
#define PTOSCOPE_LANGUAGE_TOKENS_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace ptoscope {

struct Token {
  enum Kind : uint8_t {
    Comment,
    String,
    Number,    ///< `64`, `1.0e-3`, and shapes: `8x64xf32`
    Value,     ///< `%a`, `%a#1`, `%a:2`
    Symbol,    ///< `@a`
    Label,     ///< `^a`
    Type,      ///< `!pto.ptr`
    Attribute, ///< `#pto.pipe`
    Word,      ///< `pto.vadd`, `f32`, `attributes`
    Mark,      ///< brackets, `,`, `=`, `->` and other signs
  } kind;
  uint32_t begin, end; ///< bytes of the text

  std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// Up to 4 GiB of text.
std::vector<Token> tokensOf(std::string_view text);

/// The first token that ends behind `at`; its number, or that of the end.
size_t tokenAt(const std::vector<Token> &tokens, size_t at);

} // namespace ptoscope

#endif // PTOSCOPE_LANGUAGE_TOKENS_H
