//===- ProgramText.cpp - the text before MLIR sees it ---------------------===//

#include "ptoscope/Compiler/ProgramText.h"
#include "ptoscope/Dialect/PTO/InstrTable.h"
#include "ptoscope/Support/ByteOrderMark.h"
#include "ptoscope/Support/Text.h"

#include "llvm/Support/ConvertUTF.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

/// MLIR's recursive parser overflows the stack on deep nesting.
static constexpr unsigned kMaxNesting = 256;
/// Digits in the number of a result, with the `#` or `:` before them.
static constexpr size_t kMaxResultDigits = 5;
/// MLIR reads a number in a time that grows with the square of its digits.
static constexpr size_t kMaxNumber = 1024;
/// MLIR's parser of affine expressions recurses for each operator, brackets or not.
static constexpr size_t kMaxAffine = 4096;

void refuseLoose(Finding &finding) {
  if (finding.code != "loose-spelling")
    return;
  finding.severity = Severity::Error;
  finding.help = "write the documented form, or drop `--strict`";
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

LineTable::LineTable(const std::string &text) {
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      starts.push_back(i + 1);
}

std::pair<uint32_t, uint32_t> LineTable::at(size_t offset) const {
  auto next = std::ranges::upper_bound(starts, offset);
  return {uint32_t(next - starts.begin()), uint32_t(offset - next[-1] + 1)};
}

//===----------------------------------------------------------------------===//
// Code without comments and strings
//===----------------------------------------------------------------------===//

/// Calls fn(index, line, column) for every character outside comments and strings,
/// and inString(index) for those of strings.
template <typename Fn, typename String> static void forEachCodeChar(const std::string &text, Fn fn, String inString) {
  uint32_t line = 1;
  size_t lineStart = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++line;
      lineStart = i + 1;
    } else if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      while (i + 1 < text.size() && text[i + 1] != '\n')
        ++i;
    } else if (text[i] == '"') {
      // A string ends at its quote; an unterminated one at the line's end.
      size_t begin = i;
      while (i + 1 < text.size() && text[i + 1] != '\n' && text[i + 1] != '"')
        i += text[i + 1] == '\\' ? 2 : 1;
      if (i + 1 < text.size() && text[i + 1] == '"')
        ++i;
      for (size_t k = begin; k <= i && k < text.size(); ++k)
        inString(k);
    } else {
      fn(i, line, uint32_t(i - lineStart + 1));
    }
  }
}

std::string codeOnly(const std::string &text) {
  std::string code(text.size(), ' ');
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      code[i] = '\n';
  forEachCodeChar(
      text, [&](size_t i, uint32_t, uint32_t) { code[i] = text[i]; },
      [&](size_t i) { code[i] = text[i] == '\n' ? '\n' : '"'; });
  return code;
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

/// The first number or affine map that is longer than parsers can bear, and what it is; npos: none.
static std::pair<size_t, const char *> findOverlong(const std::string &code) {
  const auto isWord = [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  for (size_t i = 0; i < code.size();) {
    if (!isWord(code[i])) {
      ++i;
      continue;
    }
    const size_t begin = i;
    while (i < code.size() && isWord(code[i]))
      ++i;
    if (isdigit(static_cast<unsigned char>(code[begin])) && i - begin > kMaxNumber)
      return {begin, "this number"};
    const llvm::StringRef word(code.data() + begin, i - begin);
    if (word != "affine_map" && word != "affine_set")
      continue;
    unsigned depth = 0;
    size_t end = i;
    for (; end < code.size() && end - begin <= kMaxAffine; ++end) {
      const bool compares = end + 1 < code.size() && code[end + 1] == '=';
      if (code[end] == '<')
        depth += !compares;
      else if (code[end] == '>' && code[end - 1] != '-' && !compares && (depth == 0 || --depth == 0))
        break;
    }
    if (end - begin > kMaxAffine)
      return {begin, "this affine map"};
  }
  return {std::string::npos, nullptr};
}

bool acceptText(const std::string &path, const std::string &text, FindingList &findings) {
  auto refuse = [&](const char *code, Place place, std::string message, std::string help) {
    Finding finding = makeFinding(code, std::move(place), std::move(message));
    finding.help = std::move(help);
    findings.add(std::move(finding));
    return false;
  };
  if (text.starts_with("ML\xEFR"))
    return refuse("not-text", {path, 0, 0}, "the file is MLIR bytecode, not PTO text",
                  "print it as text, for example with `mlir-opt --mlir-print-op-generic`, or pass the `.pto` source");
  const auto *utf8 = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const llvm::UTF8 *begin = utf8;
  const bool legal = llvm::isLegalUTF8String(&utf8, utf8 + text.size()); // stops at what is not
  if (const size_t bad = std::min(text.find('\0'), legal ? std::string::npos : size_t(utf8 - begin));
      bad != std::string::npos) {
    const auto [line, column] = LineTable(text).at(bad);
    return refuse("not-text", {path, line, column},
                  text[bad] == '\0' ? "the file is not text: it has a NUL byte here"
                                    : "the file is not text: byte " + hex(uint8_t(text[bad]), 2) + " here is not UTF-8",
                  "save it as UTF-8, or pass the `.pto` source");
  }

  unsigned depth = 0;
  bool tooDeep = false;
  Place place;
  forEachCodeChar(
      text,
      [&](size_t i, uint32_t line, uint32_t column) {
        char c = text[i];
        if (c == '{' || c == '(' || c == '[' || c == '<') {
          if (++depth > kMaxNesting && !tooDeep) {
            tooDeep = true;
            place = {path, line, column};
          }
        } else if (c == '}' || c == ')' || c == ']' || (c == '>' && !(i > 0 && text[i - 1] == '-'))) {
          depth -= depth > 0; // surplus ones are the parser's to report
        }
      },
      [](size_t) {});
  // MLIR makes room for as many results as `%x#N` and `%x:N` say.
  std::string code = codeOnly(text);
  for (size_t at = code.find('%'); at != std::string::npos; at = code.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < code.size() && (isalnum(static_cast<unsigned char>(code[end])) || strchr("_.$-", code[end])))
      ++end;
    size_t digits = end + 1;
    while (digits < code.size() && isdigit(static_cast<unsigned char>(code[digits])))
      ++digits;
    if (end < code.size() && (code[end] == '#' || code[end] == ':') && digits - end > kMaxResultDigits) {
      auto [line, column] = LineTable(text).at(at);
      return refuse("parse-error", {path, line, column},
                    "`" + text.substr(at, std::min<size_t>(digits - at, 60)) + "` counts too many results",
                    "no operation has so many results; check the number");
    }
  }
  if (const auto [at, what] = findOverlong(code); what) {
    auto [line, column] = LineTable(text).at(at);
    return refuse("parse-error", {path, line, column}, std::string(what) + " is too long to be read",
                  "numbers have at most " + std::to_string(kMaxNumber) + " characters, affine maps " +
                      std::to_string(kMaxAffine));
  }
  if (tooDeep)
    return refuse("nesting-too-deep", place, "nesting is deeper than " + std::to_string(kMaxNesting) + " levels",
                  "no kernel needs this many regions inside one another; split it into functions");
  return true;
}

//===----------------------------------------------------------------------===//
// Other spellings
//===----------------------------------------------------------------------===//

namespace {

/// Rewrites spellings that no parser of an instruction can read. Every line and
/// every column keeps its place.
class Rewriter {
public:
  Rewriter(const std::string &path, const std::string &text, std::vector<Finding> &remarks)
      : path(path), code(codeOnly(text)), text(text), lines(text), remarks(remarks) {}

  std::string run() {
    if (text.starts_with(kByteOrderMark))
      blank(0, kByteOrderMark.size());
    dropSemicolons();
    openProperties();
    for (size_t at = code.find("pto."); at != std::string::npos; at = code.find("pto.", at + 1))
      if (at == 0 || !isName(code[at - 1]))
        bringForward(at);
    std::ranges::sort(insertions, std::greater<>());
    for (auto &[at, words] : insertions)
      text.insert(at, words);
    return text;
  }

private:
  static bool isName(char c) { return isalnum(static_cast<unsigned char>(c)) || strchr("_.$-!#%@", c); }

  /// A stray `;` after an instruction (older texts have it).
  void dropSemicolons() {
    for (size_t i = code.find(';'); i != std::string::npos; i = code.find(';', i + 1)) {
      remark(i, "a `;` after an instruction is ignored");
      text[i] = code[i] = ' ';
    }
  }

  /// `"pto.tadd"(%a, %b, %d) <{…}> {…}` (TIR-4): instructions of tiles and of `pto.vmi` have attributes and no
  /// properties, so that both are one dictionary.
  void openProperties() {
    for (size_t at = code.find("<{"); at != std::string::npos; at = code.find("<{", at + 1)) {
      const size_t last = at ? code.find_last_not_of(" \t\r\n", at - 1) : std::string::npos;
      const size_t open = last == std::string::npos || code[last] != ')' ? last : code.rfind('(', last);
      if (open == std::string::npos || open < 2 || open == last || code[open - 1] != '"')
        continue;
      const size_t quote = text.rfind('"', open - 2), end = code.find("}>", at);
      if (end == std::string::npos)
        return;
      llvm::StringRef name = llvm::StringRef(text).slice(quote + 1, open - 1);
      const pto::InstrInfo *info = name.consume_front("pto.") ? pto::findInstr(name) : nullptr;
      if (!name.starts_with("vmi.") && (!info || info->family != pto::Family::Tile))
        continue;
      blank(at, at + 1);
      blank(end + 1, end + 2);
      const size_t more = skipSpace(end + 2);
      if (more >= code.size() || code[more] != '{')
        continue;
      const bool isEmpty = skipSpace(at + 2) == end || code[skipSpace(more + 1)] == '}';
      text[end] = isEmpty ? ' ' : ',';
      blank(more, more + 1);
    }
  }

  /// `pto.x ins(%a, %m : T, M) outs(%r : T)` defines %r (TEXT-2).
  void bringForward(size_t at) {
    size_t end = at + 4;
    while (end < code.size() && (isalnum(static_cast<unsigned char>(code[end])) || strchr("_.", code[end])))
      ++end;
    llvm::StringRef name(code.data() + at + 4, end - at - 4);
    name.consume_front("mi.");
    const pto::InstrInfo *info = pto::findInstr(name);
    if (info ? info->family == pto::Family::Tile : !pto::findAlias(name))
      return; // a tile instruction writes what `outs` names
    size_t ins = skipSpace(end);
    if (code.compare(ins, 4, "ins(") != 0)
      return;
    size_t insEnd = closing(ins + 3);
    size_t outs = insEnd == std::string::npos ? insEnd : skipSpace(insEnd + 1);
    if (outs < code.size() && code[outs] == '{')
      outs = skipSpace(closing(outs) + 1);
    if (outs >= code.size() || code.compare(outs, 5, "outs(") != 0)
      return;
    size_t outsEnd = closing(outs + 4), colon = code.find(':', outs);
    if (outsEnd == std::string::npos || colon > outsEnd)
      return;
    std::string names = llvm::StringRef(code).slice(outs + 5, colon).trim().str();
    if (names.empty() ||
        names.find_first_not_of("%_.$-, \nabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") !=
            std::string::npos)
      return;
    remark(outs, "`outs(" + names + ")` is taken as the result: `" + names + " = pto." + name.str() + "`");
    blank(ins, ins + 4);
    blank(insEnd, insEnd + 1);
    blank(outs, colon + 1);
    text.replace(outs, 2, "->");
    blank(outsEnd, outsEnd + 1);
    define(names, at);
  }

  /// Puts a definition before the statement at `at`, which stays in its place: into
  /// the blanks before it, or else behind the code of the line above.
  void define(const std::string &names, size_t at) {
    std::string words = names + "=";
    size_t line = code.rfind('\n', at), room = at - (line == std::string::npos ? 0 : line + 1);
    bool first = code.find_last_not_of(" \t", at - 1) == line;
    if (first && words.size() <= room) {
      text.replace(at - words.size(), words.size(), words);
      return;
    }
    if (first && line != std::string::npos) {
      size_t above = line == 0 ? std::string::npos : code.rfind('\n', line - 1);
      size_t begin = above == std::string::npos ? 0 : above + 1,
             last = line == 0 ? line : code.find_last_not_of(" \t\r", line - 1);
      at = last == std::string::npos || last < begin ? begin : std::min(last + 1, line);
      words = "\r" + words; // a line that no one counts
    }
    insertions.push_back({at, words});
  }

  void blank(size_t from, size_t to) {
    for (size_t i = from; i < to; ++i)
      if (text[i] != '\n')
        text[i] = ' ';
  }

  size_t skipSpace(size_t i) const { return std::min(code.find_first_not_of(" \t\r\n", i), code.size()); }

  /// The bracket that closes the one at `open`; npos if none does before the next
  /// instruction.
  size_t closing(size_t open) const {
    unsigned depth = 0;
    for (size_t i = open; i < code.size(); ++i) {
      if (code.compare(i, 4, "pto.") == 0 && !isName(code[i - 1]))
        break;
      depth += code[i] == code[open];
      if (code[i] == (code[open] == '(' ? ')' : '}') && --depth == 0)
        return i;
    }
    return std::string::npos;
  }

  void remark(size_t at, std::string message) {
    auto [line, column] = lines.at(at);
    remarks.push_back(makeFinding("loose-spelling", {path, line, column}, std::move(message)));
  }

  const std::string &path;
  std::string code, text;
  LineTable lines;
  std::vector<Finding> &remarks;
  std::vector<std::pair<size_t, std::string>> insertions;
};

} // namespace

std::string documentedText(const std::string &path, const std::string &text, std::vector<Finding> &remarks) {
  return Rewriter(path, text, remarks).run();
}

} // namespace ptoscope
