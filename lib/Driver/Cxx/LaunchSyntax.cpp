//===- LaunchSyntax.cpp - launches as C++ ---------------------------------===//
//
// `F<<<n, x, s>>>` becomes an object that is called with the arguments as they
// stand. F is called from a generic function, so that it may be overloaded or
// deduce its template arguments.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Driver/LaunchSyntax.h"

#include "Lexer.h"

#include <map>
#include <set>

namespace ptoscope::cxx {

namespace {
constexpr size_t kNone = ~size_t(0);

class Rewriter {
public:
  Rewriter(std::string_view text, std::string_view file) : text(text), file(file), tokens(lex(text, false)) {}

  Rewritten run() {
    pairBrackets();
    findDefinitions();
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind == Token::Directive)
        followMarker(i);
      else if (is(i, '<') && is(i + 1, '<') && is(i + 2, '<'))
        launch(i);
    }
    result.text += text.substr(written);
    return std::move(result);
  }

private:
  bool is(size_t i, char c) const {
    return i < tokens.size() && tokens[i].kind == Token::Punctuation && text[tokens[i].begin] == c;
  }
  bool isName(size_t i) const { return i < tokens.size() && tokens[i].kind == Token::Name && !isKeyword(word(i)); }
  std::string_view word(size_t i) const { return tokens[i].in(text); }

  /// Words in front of which, or as which, no callee goes on.
  static bool isKeyword(std::string_view word) {
    static const std::set<std::string_view> kWords = {
        "return", "else", "do",       "case", "co_return", "co_yield", "co_await", "throw",    "new",
        "delete", "goto", "typename", "not",  "and",       "or",       "sizeof",   "alignof",  "constexpr",
        "static", "if",   "while",    "for",  "switch",    "void",     "const",    "operator", "__extension__"};
    return kWords.count(word) != 0;
  }

  void pairBrackets() {
    partner.assign(tokens.size(), kNone);
    std::vector<size_t> open;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (is(i, '(') || is(i, '[') || is(i, '{')) {
        open.push_back(i);
      } else if ((is(i, ')') || is(i, ']') || is(i, '}')) && !open.empty()) {
        partner[i] = open.back();
        partner[open.back()] = i;
        open.pop_back();
      }
    }
  }

  /// Names of functions that have a body here, `name(…) {`, with words between, and of
  /// functions that are declared.
  void findDefinitions() {
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (!isName(i) || !is(i + 1, '(') || partner[i + 1] == kNone)
        continue;
      size_t j = partner[i + 1] + 1;
      while (j < tokens.size() && (tokens[j].kind == Token::Name || (is(j, '(') && partner[j] != kNone)))
        j = is(j, '(') ? partner[j] + 1 : j + 1;
      if (is(j, '{'))
        defined.insert(word(i));
      // A type stands in front of a name that is declared, and a comma or semicolon behind it.
      const bool afterType = i && (tokens[i - 1].kind == Token::Name ? !isKeyword(word(i - 1)) || word(i - 1) == "void"
                                                                     : is(i - 1, '*') || is(i - 1, '&'));
      if (afterType && is(j, ';'))
        declared.insert(word(i));
    }
  }

  /// `# 12 "file" 1 3`: the next line is line 12 of file.
  void followMarker(size_t i) {
    const std::optional<LineMarker> marker = lineMarker(word(i));
    if (!marker)
      return;
    markerLine = marker->line;
    markerEnd = tokens[i].end;
    if (!marker->file.empty())
      file = marker->file;
  }

  unsigned lineOf(size_t offset) const {
    unsigned newlines = 0;
    for (size_t i = markerEnd; i < offset; ++i)
      newlines += text[i] == '\n';
    // The marker's own newline does not count, where there is a marker.
    return markerLine + newlines - (markerEnd ? 1 : 0);
  }

  /// The `<` that belongs to the `>` at `i`, or nothing.
  size_t openAngle(size_t i) const {
    int depth = 0;
    for (size_t j = i; j != kNone; --j) {
      if ((is(j, ')') || is(j, ']') || is(j, '}')) && partner[j] != kNone)
        j = partner[j];
      else if (is(j, ';') || is(j, '{') || is(j, '('))
        return kNone;
      else if (is(j, '<') && j > 0 && is(j - 1, '<') && tokens[j - 1].end == tokens[j].begin)
        --j; // a shift: no argument of a template begins with `<`
      else if (is(j, '>') && !(j > 0 && is(j - 1, '-') && tokens[j - 1].end == tokens[j].begin))
        ++depth;
      else if (is(j, '<') && --depth == 0)
        return j;
    }
    return kNone;
  }

  /// The first token of the postfix expression that ends at `last`.
  size_t calleeBegin(size_t last) {
    size_t begin = kNone;
    for (size_t j = last; j != kNone;) {
      if (is(j, '>')) {
        const size_t open = openAngle(j);
        if (open == kNone || open == 0 || !isName(open - 1))
          return begin;
        j = open - 1;
      }
      if (is(j, ')') || is(j, ']')) {
        if (partner[j] == kNone)
          return begin;
        begin = partner[j];
        j = begin - 1; // kNone in front of the first
        if (j == kNone || !(isName(j) || is(j, ')') || is(j, ']')))
          return begin;
        continue;
      }
      if (!isName(j))
        return begin;
      begin = j;
      if (j >= 1 && word(j - 1) == "template")
        --j;
      if (j >= 2 && is(j - 1, ':') && is(j - 2, ':')) {
        begin = j - 2;
        j -= 3; // kNone in front of the first
        if (j == kNone || !(isName(j) || is(j, '>')))
          return begin;
      } else if (j >= 2 && is(j - 1, '.')) {
        j -= 2;
      } else if (j >= 3 && is(j - 1, '>') && is(j - 2, '-')) {
        j -= 3;
      } else {
        return begin;
      }
    }
    return begin;
  }

  /// The first of the three `>` that end the launch which begins at `i`.
  size_t configurationEnd(size_t i) const {
    unsigned commas = 0;
    for (size_t j = i + 3; j < tokens.size(); ++j) {
      if ((is(j, '(') || is(j, '[') || is(j, '{')) && partner[j] != kNone)
        j = partner[j];
      else if (is(j, ';') || is(j, ')') || is(j, '}'))
        return kNone;
      else if (is(j, ','))
        ++commas;
      else if (commas && is(j, '>') && is(j + 1, '>') && is(j + 2, '>') && is(j + 3, '('))
        return j;
    }
    return kNone;
  }

  std::string spaced(size_t begin, size_t end) const {
    std::string words;
    for (size_t i = begin; i < end; ++i) {
      if (tokens[i].kind == Token::Directive)
        continue;
      // Characters of one operator stay together.
      const bool glued = i > begin && tokens[i].begin == tokens[i - 1].end;
      words += (i > begin && !glued ? " " : "") + std::string(word(i));
    }
    return words;
  }

  /// What the operands of the launch from `i` to `end` lack; nothing if they are complete.
  std::string_view lackOf(size_t i, size_t end) const {
    if (end == kNone)
      return "a launch has two to four operands, then `>>>` and the arguments in parentheses";
    for (size_t j = i + 2; j < end; ++j) {
      if ((is(j, '(') || is(j, '[') || is(j, '{')) && partner[j] != kNone)
        j = partner[j];
      else if ((is(j, ',') || j == i + 2) && (is(j + 1, ',') || j + 1 == end))
        return "a launch lacks an operand here";
    }
    return {};
  }

  /// An argument between the parentheses at `open` is a list without a type.
  bool hasBraces(size_t open) const {
    for (size_t j = open; j < tokens.size() && j != partner[open]; ++j) {
      if ((j == open || is(j, ',')) && is(j + 1, '{'))
        return true;
      if (j != open && (is(j, '(') || is(j, '[') || is(j, '{')) && partner[j] != kNone)
        j = partner[j];
    }
    return false;
  }

  void launch(size_t i) {
    const size_t end = configurationEnd(i);
    const size_t begin = i ? calleeBegin(i - 1) : kNone;
    if (begin == kNone || tokens[begin].begin < written)
      return;
    if (std::string_view lack = lackOf(i, end); !lack.empty()) {
      result.problems.push_back(file + ":" + std::to_string(lineOf(tokens[i].begin)) + ": error: " + std::string(lack) +
                                ": `" + spaced(begin, i) + "<<<blocks, l2ctrl, stream>>>(arguments)`");
      return;
    }
    LaunchSite site;
    site.file = file;
    site.line = lineOf(tokens[i].begin);
    site.callee = spaced(begin, i);
    size_t last = i - 1;
    if (is(last, '>'))
      last = openAngle(last) - 1;
    if (isName(last))
      site.kernel = word(last);
    site.form = defined.count(site.kernel)    ? LaunchSite::Defined
                : declared.count(site.kernel) ? LaunchSite::Declared
                                              : LaunchSite::Value;
    const unsigned ordinal = onLine[{site.file, site.line}]++;

    const size_t from = tokens[begin].begin, open = tokens[i].begin;
    result.text += text.substr(written, from - written);
    result.text += " ::ptoscope::syntax::site(";
    if (site.form == LaunchSite::Declared)
      result.text += "nullptr";
    else
      result.text +=
          "[] { return \"" + site.file + ":" + std::to_string(site.line) + ":" + std::to_string(ordinal) + "\"; }";
    result.text += ", \"" + site.kernel + "\", [&](auto &...ptoscope_a) { ";
    // A zero that is copied is no null pointer any more. The text of the callee, with its lines, is there once.
    const std::string plain = "(ptoscope_a...); ", zeros = "(::ptoscope::syntax::orNull(ptoscope_a)...); ";
    result.text +=
        "if constexpr (requires { " + site.callee + plain + "} || !requires { " + site.callee + zeros + "}) ";
    result.text += text.substr(from, open - from);
    result.text += plain + "else " + site.callee + zeros;
    result.text += "}, ";
    // Parameters decide what braces mean; an overloaded name, which has several lists of them, cannot take braces.
    const bool named = site.form != LaunchSite::Defined || hasBraces(end + 3);
    result.text += named ? "::ptoscope::syntax::entry(" + site.callee + ")" : "nullptr";
    result.text += ", ";
    const size_t after = tokens[i + 2].end;
    result.text += text.substr(after, tokens[end].begin - after);
    result.text += ")";
    written = tokens[end + 2].end;
    result.sites.push_back(std::move(site));
  }

  std::string_view text;
  std::string file;
  std::vector<Token> tokens;
  std::vector<size_t> partner; ///< of a bracket
  std::set<std::string_view> defined, declared;
  std::map<std::pair<std::string, unsigned>, unsigned> onLine;
  unsigned markerLine = 1;
  size_t markerEnd = 0;
  size_t written = 0;
  Rewritten result;
};
} // namespace

Rewritten rewriteLaunches(std::string_view text, std::string_view file) { return Rewriter(text, file).run(); }

} // namespace ptoscope::cxx
