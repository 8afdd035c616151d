//===- Finding.h - the one structure behind every report --------*- C++ -*-===//
//
// A Finding says what is wrong, where, because of which other place, and what
// repairs it. Parser, verifier, machine and checkers all make Findings; text,
// JSON and SARIF are printed from them and from nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_FINDING_H
#define PTOSCOPE_SUPPORT_FINDING_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ptoscope {

enum class Severity : uint8_t { Error, Warning, Remark };

/// Whose fault it is. Categories never mix.
enum class Category : uint8_t {
  Program,           ///< the program's fault
  UndefinedByManual, ///< no manual defines it; we did what docs/limits.md says
  NotModelled,       ///< legal, but PTOScope does not do it
  Usage,             ///< the command line or its files
  Internal,          ///< our own bug
};

/// A place in the program text. Line and column count from 1; line 0 means
/// "the file as a whole", an empty file means "no place".
struct Place {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;

  bool operator==(const Place &) const = default;
};

struct Note {
  Place place;
  std::string message;
};

/// A machine-readable repair: text to insert as lines of its own, or in place of words of a line.
struct Edit {
  Place place;               ///< the line the text goes before or after, or where the words begin
  bool after = false;        ///< after the line instead of before it
  std::string insertText;    ///< without a trailing newline
  std::string replaces = {}; ///< the words that it takes the place of; empty: it is a line of its own
};

/// Lines that may repair a fault, and how help puts them in words.
struct Remedy {
  std::string help;
  std::vector<Edit> edits;
  std::optional<Note> cause = {}; ///< what was wrong, if this repairs it
};

/// A line that the text lacks, told by its counterpart: the wait of a set, the release
/// of a get. Those who have the text make remedies of it (MissingLines.h).
struct MissingLine {
  enum class Where : uint8_t {
    Before,         ///< `at`
    BehindWork,     ///< the last work of `pipe` behind the counterpart, in its block
    BeforeWork,     ///< the first work of `pipe` before the counterpart, in its block
    BeforeNextWork, ///< the next work of `pipe` behind the counterpart, in its block; else right behind it
  };
  Place of; ///< the counterpart
  Where where;
  Place at = {};
  uint8_t pipe = 0;
};

/// Work on one pipe that has to end before work on another one starts, and does not.
struct MissingOrder {
  uint8_t src = 0, dst = 0;
  Place first, second;
};

/// The bytes a finding is about: [begin, end) in a memory space.
struct ByteRange {
  std::string space;     ///< "ub", "gm", …
  std::string parameter; ///< for gm: the kernel parameter, as written
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct Finding {
  std::string code; ///< stable, listed in codes(); decides severity
  Severity severity = Severity::Error;
  Category category = Category::Program;
  Place place;
  std::string message; ///< lower-case start, no full stop, code in backticks
  std::vector<Note> notes;
  std::string help; ///< what would repair it; may be empty
  /// Those lines that the report offers: Remedies.h chooses them.
  std::vector<Edit> edits;
  /// What may be tried, the most likely first; reports do not show it.
  std::vector<Remedy> remedies;
  /// Lines that are not placed yet, likewise.
  std::vector<MissingLine> missing;
  /// What a race lacks, if both are on one core.
  std::optional<MissingOrder> order = {};
  /// A note names the likely cause: lines that silence the finding would hide it.
  bool causeNamed = false;
  std::optional<ByteRange> bytes;
  /// Iteration numbers (from 0) of the loops around `place`, outermost first.
  std::vector<int64_t> iterations;
  /// The same for the other place, when there is one and its turn is known.
  std::vector<int64_t> otherIterations;
  /// Cores of a block that showed it ("AIV0"), sorted; repeats add theirs.
  std::vector<std::string> cores;
  /// How often the same cause was seen.
  uint64_t count = 1;
};

/// The five parts of a code's page. Rows write the page as one text; it is taken
/// apart at compile time, and a page that lacks a part does not compile.
struct CodePage {
  std::string_view text; ///< all of it
  std::string_view meaning, example, repair, ignore, assumes;

  consteval CodePage(const char *page) : text(page) {
    constexpr std::string_view kHeadings[] = {"\n\nExample:\n", "\n\nRepair: ", "\n\nIgnore: ", "\n\nAssumes: "};
    std::string_view *const parts[] = {&meaning, &example, &repair, &ignore, &assumes};
    size_t begin = 0;
    for (size_t i = 0; i < 5; ++i) {
      size_t end = i < 4 ? text.find(kHeadings[i], begin) : text.size();
      if (end == std::string_view::npos || end <= begin)
        throw "a page has a meaning, an example, a repair, when to ignore it, and assumptions";
      *parts[i] = text.substr(begin, end - begin);
      begin = i < 4 ? end + kHeadings[i].size() : end;
    }
  }
};

/// One row of the table of codes. Severity and category are fixed per code.
struct CodeInfo {
  std::string_view code;
  Severity severity;
  Category category;
  std::string_view title; ///< one line
  CodePage page;
};

/// All codes, sorted by name.
const std::vector<CodeInfo> &codes();
/// Null when there is no such code.
const CodeInfo *findCode(std::string_view code);
/// The code that `code` was probably meant to be (`nearestOf`); empty if none is near.
std::string_view nearestCode(std::string_view code);

/// A finding with severity and category taken from the table. An unlisted
/// code is our own bug and asserts.
Finding makeFinding(std::string_view code, Place place, std::string message);

/// Collects findings, joins repeats (same code, places and message: counted,
/// not listed again) and keeps the order of first appearance.
class FindingList {
public:
  explicit FindingList(size_t maxFindings = SIZE_MAX) : maxFindings(maxFindings) {}

  void add(Finding finding);
  /// `finding` is what position `i` has, though its message may differ.
  void addRepeat(size_t i, const Finding &finding);
  /// Appends another list, joining repeats with what is here.
  void merge(FindingList &&other);

  const std::vector<Finding> &all() const { return findings; }
  /// Code, places and message have to stay: they tell repeats.
  Finding &operator[](size_t i) { return findings[i]; }
  bool empty() const { return findings.empty(); }
  size_t count(Severity severity) const;
  /// True when an error (or, on request, a warning) is listed.
  bool failed(bool warningsAreErrors = false) const;
  /// True once maxFindings errors have been listed: the run ends. Warnings never end it, or
  /// a run could stop early without an error. They, remarks and warnings of host simulators
  /// have a limit of maxFindings each; what is new beyond it is dropped, repeats still count.
  bool full() const;
  /// How many findings the limits kept out.
  uint64_t dropped() const { return droppedFindings; }
  /// An empty list with the same limits and what they kept out: for those who go over all findings.
  FindingList withoutFindings() const {
    FindingList list(maxFindings);
    list.droppedFindings = droppedFindings;
    return list;
  }

private:
  size_t maxFindings;
  std::vector<Finding> findings;
  /// Hash of what makes two findings repeats of each other -> position.
  std::unordered_multimap<size_t, size_t> positions;
  size_t counts[3] = {0, 0, 0}; ///< listed, by Severity, but for those of hostOnly
  size_t hostOnly = 0;          ///< listed warnings of that code
  uint64_t droppedFindings = 0;
};

std::string_view toString(Severity severity);
std::string_view toString(Category category);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_FINDING_H
