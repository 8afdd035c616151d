//===- Lexer.h - C++ text as tokens -----------------------------*- C++ -*-===//
//
// As much of the language as it takes to find a launch, or a macro that a file
// asks for: comments and literals hide what is in them.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_DRIVER_CXX_LEXER_H
#define PTOSCOPE_LIB_DRIVER_CXX_LEXER_H

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace ptoscope::cxx {

struct Token {
  enum Kind : unsigned char { Name, Number, Text, Punctuation, Directive } kind;
  size_t begin, end;

  std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// Punctuation is one token for each character. A line of the preprocessor is one
/// token, or, with `openDirectives`, the tokens that it has.
std::vector<Token> lex(std::string_view text, bool openDirectives);

/// `# 12 "file" 1 3`: the next line is line 12 of file, which is a header of the system.
struct LineMarker {
  unsigned line = 0;
  std::string_view file; ///< as it stands between the quotes; empty: the same as before
  bool isSystem = false;
};
/// Nothing for other lines of the preprocessor.
std::optional<LineMarker> lineMarker(std::string_view directive);

} // namespace ptoscope::cxx

#endif // PTOSCOPE_LIB_DRIVER_CXX_LEXER_H
