//===- SyntaxReadings.cpp - choices of a line of syntax -------------------===//

#include "SyntaxLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <utility>

using llvm::StringRef;

namespace ptoscope {

/// Where the bracket that opens at `open` closes.
static size_t closing(StringRef text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '[';
    if (text[i] == ']' && --depth == 0)
      return i;
  }
  return StringRef::npos;
}

/// Brackets hold an optional part if they start or end with what continues a line, or hold a
/// word or a named operand; others belong to the instruction: `%p[%off]`, `shape = [%i]`.
static bool isOptional(StringRef text, size_t open) {
  const StringRef inside = text.slice(open + 1, closing(text, open)), before = text.take_front(open).rtrim();
  for (StringRef start : {",", "{", "->", ": ", " ", "("})
    if (inside.starts_with(start))
      return true;
  if (inside.rtrim().ends_with(","))
    return true;
  if (before.ends_with("="))
    return false;
  const bool apart = text.take_front(open).ends_with(" ") || before.ends_with("{");
  const bool list = inside.split('[').first.contains(',') && !inside.contains('=') && !inside.contains('(');
  return apart && !list && !inside.empty() && llvm::isAlpha(inside[0]);
}

/// The text with its optional parts, or without them.
static std::string withOptional(StringRef text, bool keep) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t close = text[i] == '[' && isOptional(text, i) ? closing(text, i) : StringRef::npos;
    if (close == StringRef::npos) {
      result += text[i];
      continue;
    }
    if (keep)
      result += withOptional(text.slice(i + 1, close), true);
    else if (!result.empty() && result.back() == ' ' && (close + 1 == text.size() || text[close + 1] == ' '))
      result.pop_back();
    i = close;
  }
  // What is left of an attribute dictionary that held nothing else.
  for (StringRef empty : {" {}", "{}"})
    if (const size_t at = result.find(empty); !keep && at != std::string::npos)
      result.erase(at, empty.size());
  return result;
}

/// Every choice `a|b` of a text once, the others with their first word.
static std::vector<std::string> choices(const std::string &text, std::string &why) {
  struct Choice {
    size_t begin, end;
    llvm::SmallVector<StringRef> words;
  };
  std::vector<Choice> found;
  const StringRef ends = " ,()\"<>{}[]=:";
  for (size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar)) {
    size_t begin = bar, end = bar;
    while (begin > 0 && !ends.contains(text[begin - 1]))
      --begin;
    while (end < text.size() && !ends.contains(text[end]))
      ++end;
    Choice choice{begin, end, {}};
    StringRef(text).slice(begin, end).split(choice.words, '|');
    if (llvm::is_contained(choice.words, ""))
      return why = "its choices are not between words", std::vector<std::string>();
    found.push_back(std::move(choice));
    bar = end;
  }
  auto fill = [&](size_t other, size_t word) {
    std::string result;
    size_t at = 0;
    for (size_t k = 0; k < found.size(); ++k) {
      result += text.substr(at, found[k].begin - at);
      result += found[k].words[k == other ? word : 0];
      at = found[k].end;
    }
    return result + text.substr(at);
  };
  std::vector<std::string> result = {fill(SIZE_MAX, 0)};
  for (size_t k = 0; k < found.size(); ++k)
    for (size_t word = 1; word < found[k].words.size(); ++word)
      result.push_back(fill(k, word));
  return result;
}

/// Forms between ` | `. Later ones may leave out the name, which the first one has.
static std::vector<std::string> forms(StringRef name, StringRef syntax) {
  llvm::SmallVector<StringRef> parts;
  syntax.split(parts, " | ");
  std::vector<std::string> result;
  for (StringRef part : parts) {
    part = part.trim();
    std::string form = part.str();
    if (!part.contains(name))
      form = name.str() + (part.starts_with("[") ? "" : " ") + form;
    result.push_back(std::move(form));
  }
  return result;
}

/// `i64 x3` is three types, `ptr l1` a pointer, and pipes and events have numbers.
static std::string spelledOut(StringRef text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || !(isWord(text[i - 1]) || StringRef(".%#!").contains(text[i - 1]));
    const StringRef rest = text.substr(i);
    if (starts && rest.starts_with("ptr") && rest.size() > 3 && !isWord(rest[3])) {
      const StringRef space = rest.drop_front(3).ltrim().take_while(isWord);
      const bool named = rest[3] == ' ' && !space.empty();
      // What the cube adds up has elements of its own.
      const bool sums = space == "l0c" || space == "bt" || space == "fb";
      result += (llvm::Twine("!pto.ptr<") + (named && sums ? "U" : "T") + ", " + (named ? space : "gm") + ">").str();
      i += named ? 3 + space.size() : 2;
      continue;
    }
    static constexpr std::pair<StringRef, StringRef> kWords[] = {
        {"PIPE_X", "PIPE_V"}, {"PIPE_A", "PIPE_MTE2"}, {"PIPE_B", "PIPE_V"}, {"EVENT_IDn", "EVENT_ID0"}};
    const auto *word = llvm::find_if(kWords, [&](const auto &pair) { return pair.first == rest.take_while(isWord); });
    if (starts && word != std::end(kWords)) {
      result += word->second;
      i += word->first.size() - 1;
      continue;
    }
    unsigned times = 0;
    if (rest.starts_with(" x") && !rest.drop_front(2).take_while(llvm::isDigit).getAsInteger(10, times)) {
      const StringRef type = StringRef(result).take_back(result.size() - (result.find_last_of(" (") + 1));
      const std::string more = ", " + type.str();
      for (unsigned k = 1; k < times; ++k)
        result += more;
      i += 1 + rest.drop_front(2).take_while(llvm::isDigit).size();
      continue;
    }
    result += text[i];
  }
  return result;
}

std::vector<std::string> readingsOf(const std::string &name, const std::string &syntax, std::string &why) {
  if (syntax.empty() || syntax == "-")
    return why = "the table has no syntax for it", std::vector<std::string>();
  if (!StringRef(syntax).contains(name))
    return why = "the line does not spell the name", std::vector<std::string>();
  for (StringRef gap : {"..", "…", "*", "; "})
    if (StringRef(syntax).contains(gap))
      return why = "the line leaves parts out", std::vector<std::string>();
  if (StringRef(syntax).contains("TYPE"))
    return why = "the table does not say what `TYPE` stands for", std::vector<std::string>();
  for (StringRef open : {"=,", "=}", "= ,", "= }"})
    if (StringRef(syntax).contains(open))
      return why = "the line leaves out values of attributes", std::vector<std::string>();
  std::vector<std::string> result;
  for (const std::string &form : forms(name, spelledOut(syntax)))
    for (bool keep : {true, false})
      for (const std::string &reading : choices(withOptional(form, keep), why))
        if (!llvm::is_contained(result, reading))
          result.push_back(reading);
  return why.empty() ? result : std::vector<std::string>();
}

} // namespace ptoscope
