//===- Layout.cpp - how a program's text is laid out ----------------------===//
//
// A line is indented by the brackets that are open where it begins, two blanks for
// each line that opened some; lines that go on with a statement two more. A region
// is indented from the first line of its statement, however long its head is.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Language/Layout.h"

#include "ptoscope/Language/Tokens.h"
#include "ptoscope/Support/ByteOrderMark.h"

#include <algorithm>

namespace ptoscope {

namespace {

constexpr size_t kStep = 2;
/// Operations that may be written without their dialect.
constexpr std::string_view kBareOps[] = {"return", "call", "call_indirect", "constant", "module"};
/// Words between the regions of a statement.
constexpr std::string_view kBetween[] = {"else", "do", "case", "default"};

char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>'; }

class Layout {
public:
  explicit Layout(std::string_view text) : text(text), tokens(tokensOf(text)) {
    frames.push_back({'{', 0, 0, std::nullopt});
  }

  std::vector<std::optional<std::string>> run() {
    size_t token = 0;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      const size_t first = token;
      while (token < tokens.size() && tokens[token].begin < end)
        ++token;
      line(first, token);
      begin = end + 1;
    }
    place(frames.back().contents);
    for (size_t i = lines.size(); i-- > 0 && (!lines[i] || lines[i]->empty());)
      lines[i].reset(); // no blank lines at the end
    return std::move(lines);
  }

private:
  /// An open bracket, or the text as a whole.
  struct Frame {
    char open;
    size_t base;                     ///< indentation of what closes it
    size_t contents;                 ///< indentation of lines inside
    std::optional<size_t> statement; ///< indentation of the statement in work
  };

  std::string_view word(size_t i) const { return i < tokens.size() ? tokens[i].in(text) : std::string_view(); }
  bool isMark(size_t i, std::string_view mark) const {
    return i < tokens.size() && tokens[i].kind == Token::Mark && word(i) == mark;
  }
  bool isCloser(size_t i) const { return isMark(i, ")") || isMark(i, "]") || isMark(i, "}") || isMark(i, ">"); }

  //===--- lines ------------------------------------------------------------===//

  void line(size_t first, size_t end) {
    if (first == end) { // at most one blank line, and none at the beginning
      const bool keep = anyText && !lines.empty() && lastHadText;
      lines.push_back(keep ? std::optional<std::string>("") : std::nullopt);
      if (keep)
        lastHadText = false;
      return;
    }
    anyText = lastHadText = true;
    if (tokens[first].kind == Token::Comment) { // it goes with the code that follows
      waiting.push_back(lines.size());
      lines.push_back(std::string(word(first)));
      return;
    }
    const size_t indent = indentOf(first);
    place(isCloser(first) ? frames.back().contents : indent);
    lines.push_back(std::string(indent, ' ') + laidOut(first, end, indent));
  }

  /// Comments that wait for their indentation get it.
  void place(size_t indent) {
    for (size_t i : waiting)
      lines[i]->insert(0, indent, ' ');
    waiting.clear();
  }

  size_t indentOf(size_t first) {
    Frame &frame = frames.back();
    if (isCloser(first)) {
      for (size_t k = frames.size(); k-- > 1;)
        if (closing(frames[k].open) == word(first)[0])
          return frames[k].base;
      return frame.contents;
    }
    if (frame.open != '{')
      return frame.contents;
    if (tokens[first].kind == Token::Label && !isMark(previous, ","))
      return frame.base;
    if (opensStatement(first)) {
      frame.statement = frame.contents;
      return frame.contents;
    }
    if (!frame.statement)
      return frame.contents; // of a dictionary
    if (std::ranges::find(kBetween, word(first)) != std::end(kBetween))
      return *frame.statement;
    return *frame.statement + kStep;
  }

  bool opensStatement(size_t i) const {
    switch (tokens[i].kind) {
    case Token::Value:
      while (isMark(i + 1, ",") && i + 2 < tokens.size() && tokens[i + 2].kind == Token::Value)
        i += 2;
      return isMark(i + 1, "=");
    case Token::Word:
      return !isMark(i + 1, "=") && !isMark(i + 1, ",") &&
             (word(i).find('.') != std::string_view::npos ||
              std::ranges::find(kBareOps, word(i)) != std::end(kBareOps));
    case Token::String:
      return isMark(i + 1, "(");
    case Token::Type:
    case Token::Attribute: // the definition of an alias
      return isMark(i + 1, "=");
    default:
      return false;
    }
  }

  //===--- tokens of a line -------------------------------------------------===//

  std::string laidOut(size_t first, size_t end, size_t indent) {
    std::string line;
    for (size_t i = first; i < end; ++i) {
      if (i > first && blankBetween(i - 1, i))
        line += ' ';
      line += word(i);
      if (tokens[i].kind == Token::Comment)
        continue;
      if (tokens[i].kind == Token::Mark && tokens[i].end - tokens[i].begin == 1)
        bracket(word(i)[0], indent);
      previous = i;
    }
    return line;
  }

  void bracket(char c, size_t indent) {
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      const Frame &around = frames.back();
      const size_t base = around.open == '{' && around.statement ? *around.statement : indent;
      frames.push_back({c, base, base + kStep, std::nullopt});
    } else if (c == '>') {
      if (frames.back().open == '<')
        frames.pop_back();
    } else if (c == ')' || c == ']' || c == '}') {
      // Whatever was left open inside is closed with it.
      for (size_t k = frames.size(); k-- > 1;)
        if (closing(frames[k].open) == c) {
          frames.resize(k);
          return;
        }
    }
  }

  bool blankBetween(size_t a, size_t b) const {
    const bool written = tokens[a].end < tokens[b].begin, inType = frames.back().open == '<';
    if (tokens[b].kind == Token::Comment)
      return true;
    if (isMark(b, ",") || isMark(a, "(") || isMark(a, "[") || isMark(a, "<") || isMark(b, ")") || isMark(b, "]") ||
        isMark(b, ">"))
      return false;
    if (isMark(a, ",") || isMark(a, "->") || isMark(b, "->"))
      return true;
    if ((isMark(a, "=") || isMark(b, "=")) && !inType)
      return true;
    if (isMark(a, ":") && a && !inType && tokens[a - 1].kind != Token::String && tokens[a - 1].kind != Token::Number)
      return true;
    if (isMark(b, "{") && !inType)
      return true;
    if (isMark(a, "}") && tokens[b].kind == Token::Word)
      return true;
    return written;
  }

  std::string_view text;
  std::vector<Token> tokens;
  std::vector<Frame> frames;
  std::vector<std::optional<std::string>> lines;
  std::vector<size_t> waiting; ///< lines of comments without indentation so far
  size_t previous = SIZE_MAX;  ///< last token that is no comment
  bool anyText = false, lastHadText = false;
};

} // namespace

std::vector<std::optional<std::string>> formattedLines(std::string_view text) {
  // It belongs to no word, and stays where it is.
  const bool marked = text.starts_with(kByteOrderMark);
  std::vector<std::optional<std::string>> lines = Layout(withoutByteOrderMark(text)).run();
  if (auto first = std::ranges::find_if(lines, [](const auto &line) { return line.has_value(); });
      marked && first != lines.end())
    (*first)->insert(0, kByteOrderMark);
  return lines;
}

std::string formatted(std::string_view text) {
  const size_t first = text.find('\n');
  const bool returns = first != std::string_view::npos && first > 0 && text[first - 1] == '\r';
  std::string result;
  for (const std::optional<std::string> &line : formattedLines(text))
    if (line)
      result += *line + (returns ? "\r\n" : "\n");
  return result;
}

bool bracketsBalance(std::string_view text) {
  std::vector<char> open;
  for (const Token &token : tokensOf(text)) {
    if (token.kind != Token::Mark || token.end - token.begin != 1)
      continue;
    const char c = text[token.begin];
    if (c == '(' || c == '[' || c == '{')
      open.push_back(closing(c));
    else if (c == ')' || c == ']' || c == '}') {
      if (open.empty() || open.back() != c)
        return false;
      open.pop_back();
    }
  }
  return open.empty();
}

} // namespace ptoscope
