//===- TextMutator.h - typing errors in a program ---------------*- C++ -*-===//
//
// Removes, doubles and exchanges lines, exchanges words and numbers. The same for
// the same seed.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_ENDTOEND_TEXTMUTATOR_H
#define PTOSCOPE_UNITTESTS_ENDTOEND_TEXTMUTATOR_H

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ptoscope {

class TextMutator {
public:
  explicit TextMutator(uint64_t seed) : random(seed) {}

  uint64_t below(uint64_t n) { return random() % n; }

  std::string mutate(const std::string &program) {
    // Comments only make it less likely to meet code.
    return exchange(withoutComments(program));
  }

  /// The same for texts that have no comments.
  std::string exchange(std::string text) {
    for (uint64_t i = 0, n = 1 + below(3); i < n; ++i)
      text = below(3) == 0 ? mutateLines(text) : mutateTokens(text);
    return text;
  }

private:
  static std::string withoutComments(std::string_view text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
      const size_t comment = std::min(text.find("//", at), text.size());
      result += text.substr(at, comment - at);
      at = std::min(text.find('\n', comment), text.size());
    }
    return result;
  }

  std::string mutateLines(const std::string &text) {
    std::vector<std::string_view> lines;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line(text.data() + at, end - at);
      if (line.find_first_not_of(' ') != std::string_view::npos)
        lines.push_back(line);
      at = end + 1;
    }
    if (lines.size() < 2)
      return text;
    size_t at = below(lines.size()),
           other = below(3) ? std::min(lines.size() - 1, at + 1 + below(4)) : below(lines.size());
    switch (below(4)) {
    case 0:
      lines.erase(lines.begin() + std::ptrdiff_t(at));
      break;
    case 1:
      lines.insert(lines.begin() + std::ptrdiff_t(other), lines[at]);
      break;
    default:
      std::swap(lines[at], lines[other]);
    }
    std::string result;
    for (std::string_view line : lines)
      result.append(line) += '\n';
    return result;
  }

  struct Token {
    size_t begin, size;
    char kind; ///< of its first character: value, number, word, or the character itself
  };

  static bool isWord(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  static bool isStart(char c) { return isWord(c) && !isdigit(static_cast<unsigned char>(c)); }

  /// Names with the sigil before them, numbers, strings, arrows, and other characters.
  static std::vector<Token> tokensOf(std::string_view text) {
    const auto at = [&](size_t i) { return i < text.size() ? text[i] : '\n'; };
    const auto isDigit = [&](size_t i) { return isdigit(static_cast<unsigned char>(at(i))) != 0; };
    std::vector<Token> tokens;
    for (size_t i = 0; i < text.size();) {
      size_t end = i;
      const auto run = [&](std::string_view also) {
        while (isWord(at(end)) || also.find(at(end)) != std::string_view::npos)
          ++end;
      };
      const bool sigil = std::string_view("%@^!#").find(text[i]) != std::string_view::npos;
      if (isStart(text[i]) || (sigil && isStart(at(i + 1)))) {
        ++end;
        run(".$");
      } else if (text[i] == '%' && isDigit(i + 1)) {
        ++end;
        run("");
      } else if (isDigit(i) || (text[i] == '-' && isDigit(i + 1))) {
        ++end;
        run(".");
      } else if (const size_t quote = text[i] == '"' ? text.find_first_of("\"\n", i + 1) : std::string_view::npos;
                 quote != std::string_view::npos && text[quote] == '"') {
        end = quote + 1;
      } else if (text[i] == '-' && at(i + 1) == '>') {
        end += 2;
      } else {
        ++end;
        if (isspace(static_cast<unsigned char>(text[i]))) {
          i = end;
          continue;
        }
      }
      const char c = text[i];
      const bool number = isDigit(i) || (c == '-' && end - i > 1);
      tokens.push_back({i, end - i, isalpha(static_cast<unsigned char>(c)) ? 'a' : number ? '0' : c});
      i = end;
    }
    return tokens;
  }

  std::string mutateTokens(const std::string &text) {
    const std::vector<Token> tokens = tokensOf(text);
    if (tokens.empty())
      return text;
    // One word of the text in the place of another, mostly of the same kind, or a number no one expects.
    const Token &to = tokens[below(tokens.size())];
    static const char *const kNumbers[] = {
        "0",          "1",      "-1",  "64", "65536", "4294967296", "9223372036854775807", "-9223372036854775808",
        "2147483647", "262144", "255", "1.5"};
    std::string word;
    if (to.kind == '0' && below(2))
      word = kNumbers[below(std::size(kNumbers))];
    for (unsigned tries = 0; word.empty() && tries < 40; ++tries)
      if (const Token &from = tokens[below(tokens.size())]; from.kind == to.kind || tries > 36)
        word = text.substr(from.begin, from.size);
    return text.substr(0, to.begin) + word + text.substr(to.begin + to.size);
  }

  std::mt19937_64 random;
};

} // namespace ptoscope

#endif // PTOSCOPE_UNITTESTS_ENDTOEND_TEXTMUTATOR_H
