//===- TextRenderer.cpp - findings for people -----------------------------===//
//
// Source text is not trusted: control characters never reach the terminal, and
// a line of a million columns is cut to the part around the caret.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/TextRenderer.h"
#include "ptoscope/Support/Text.h"

#include <algorithm>

namespace ptoscope {

namespace {

constexpr std::string_view kIndent = "   ";
constexpr size_t kMaxSourceColumns = 160;

/// ANSI colours by role.
constexpr std::string_view kReset = "\033[0m";
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kNoteColour = "\033[1;36m";
constexpr std::string_view kHelpColour = "\033[1;32m";
constexpr std::string_view kSeverityColours[] = {"\033[1;31m", "\033[1;35m", "\033[1;34m"};

/// Said once per finding that is not simply the program's fault.
constexpr std::string_view kCategoryNotes[] = {
    "",
    "no manual defines this; results on hardware may differ",
    "this is a limit of PTOScope, not a fault of the program",
    "",
    "this is a bug in PTOScope; please report it with the program, the command line and the output of "
    "`ptoscope --version`",
};

class Writer {
public:
  explicit Writer(const TextOptions &options) : options(options) {}

  void finding(const Finding &finding) {
    std::string severity(toString(finding.severity));
    if (!finding.code.empty())
      severity += "[" + finding.code + "]";
    headline(finding.place.file.empty() ? Place{"ptoscope", 0, 0} : finding.place, severity,
             kSeverityColours[static_cast<size_t>(finding.severity)], finding.message);
    sourceLine(finding.place);
    // A first note at the finding's own place says bytes and iterations in words; a
    // likely cause may stand before it.
    bool told = false;
    for (size_t i = 0; i < std::min<size_t>(finding.notes.size(), 2); ++i)
      told |=
          finding.notes[i].place == finding.place && (i == 0 || finding.notes[0].message.starts_with("likely cause"));
    if (std::string text = whereabouts(finding); !told && !text.empty())
      indented("note", kNoteColour, text);
    for (const Note &note : finding.notes) {
      if (note.place.file.empty())
        indented("note", kNoteColour, note.message);
      else
        headline(note.place, "note", kNoteColour, note.message);
    }
    if (std::string_view text = kCategoryNotes[static_cast<size_t>(finding.category)]; !text.empty())
      indented("note", kNoteColour, text);
    if (finding.count > 1)
      indented("note", kNoteColour, "seen " + std::to_string(finding.count) + " times" + coresText(finding));
    if (!finding.help.empty())
      indented("help", kHelpColour, finding.help);
    for (const Edit &edit : finding.edits)
      if (edit.replaces.empty() && finding.help.find("`" + edit.insertText + "`") == std::string::npos)
        indented((edit.after ? "after line " : "before line ") + std::to_string(edit.place.line), kHelpColour,
                 edit.insertText);
  }

  /// ", on AIV0 and AIV1" when several cores showed it.
  static std::string coresText(const Finding &finding) {
    std::string text;
    for (size_t i = 0; i < finding.cores.size() && finding.cores.size() > 1; ++i)
      text += (i == 0 ? ", on " : i + 1 == finding.cores.size() ? " and " : ", ") + finding.cores[i];
    return text;
  }

  std::string out;

private:
  void coloured(std::string_view colour, std::string_view text) {
    if (options.colour)
      out += colour;
    printable(text);
    if (options.colour)
      out += kReset;
  }

  /// Text from outside, without control characters; lines after the first are
  /// indented.
  void printable(std::string_view text) {
    for (char c : text) {
      auto byte = static_cast<unsigned char>(c);
      if (c == '\n')
        (out += '\n') += kIndent;
      else
        out += (byte < 0x20 && c != '\t') || byte == 0x7f ? '?' : c;
    }
  }

  void headline(const Place &place, const std::string &severity, std::string_view colour, std::string_view message) {
    std::string where = place.file;
    if (place.line)
      where += ":" + std::to_string(place.line);
    if (place.line && place.column)
      where += ":" + std::to_string(place.column);
    coloured(kBold, where + ":");
    out += ' ';
    coloured(colour, severity + ":");
    out += ' ';
    printable(message);
    out += '\n';
  }

  void indented(std::string_view label, std::string_view colour, std::string_view message) {
    out += kIndent;
    coloured(colour, std::string(label) + ":");
    out += ' ';
    printable(message);
    out += '\n';
  }

  void sourceLine(const Place &place) {
    if (!options.source || place.file.empty() || place.line == 0)
      return;
    std::optional<std::string> found = options.source(place.file, place.line);
    if (!found)
      return;
    std::string_view line = *found;
    while (line.ends_with('\n') || line.ends_with('\r'))
      line.remove_suffix(1);
    bool hasCaret = place.column > 0 && place.column <= line.size() + 1;
    size_t caret = hasCaret ? place.column - 1 : 0;
    size_t begin = 0;
    if (line.size() > kMaxSourceColumns && caret > kMaxSourceColumns / 2)
      begin = std::min(caret - kMaxSourceColumns / 2, line.size() - kMaxSourceColumns);
    auto isContinuation = [&line](size_t i) {
      return i < line.size() && (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;
    };
    while (begin > 0 && isContinuation(begin))
      --begin;
    size_t end = std::min(line.size(), begin + kMaxSourceColumns);
    while (isContinuation(end))
      ++end;

    std::string number = std::to_string(place.line);
    out.append(number.size() < 5 ? 5 - number.size() : 0, ' ');
    out += number + " | ";
    if (begin > 0)
      out += "...";
    printable(line.substr(begin, end - begin));
    if (end < line.size())
      out += "...";
    out += '\n';
    if (!hasCaret)
      return;
    out.append(std::max<size_t>(number.size(), 5), ' ');
    out += " | ";
    if (begin > 0)
      out += kIndent;
    // Columns count bytes; one space per character, tabs stay tabs.
    for (size_t i = begin; i < caret; ++i)
      if (!isContinuation(i))
        out += line[i] == '\t' ? '\t' : ' ';
    coloured(kHelpColour, "^");
    out += '\n';
  }

  /// What lies in front of a buffer has an offset below 0.
  static std::string offset(const ByteRange &bytes, uint64_t value) {
    const bool isInFront = !bytes.parameter.empty() && int64_t(value) < 0;
    return isInFront ? "-" + hex(0 - value, 4) : hex(value, 4);
  }

  static std::string whereabouts(const Finding &finding) {
    std::string text;
    if (finding.bytes) {
      const ByteRange &bytes = *finding.bytes;
      std::string space = bytes.space;
      for (char &c : space)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      text = space + (bytes.end == bytes.begin + 1 ? " byte " : " bytes ") + offset(bytes, bytes.begin);
      if (int64_t(bytes.end - bytes.begin) > 1)
        text += ".." + offset(bytes, bytes.end - 1);
      if (!bytes.parameter.empty())
        text += " of `" + bytes.parameter + "`";
    }
    if (!finding.iterations.empty()) {
      text += text.empty() ? "" : ", ";
      text += finding.iterations.size() == 1 ? "loop iteration " : "loop iterations ";
      for (size_t i = 0; i < finding.iterations.size(); ++i)
        text += (i ? ", " : "") + std::to_string(finding.iterations[i]);
      text += finding.iterations.size() == 1 ? " (from 0)" : " (from 0, outermost first)";
    }
    return text;
  }

  const TextOptions &options;
};

} // namespace

std::string renderText(const Finding &finding, const TextOptions &options) {
  return renderText(std::span(&finding, 1), options);
}

std::string renderText(std::span<const Finding> findings, const TextOptions &options) {
  Writer writer(options);
  for (const Finding &finding : findings)
    writer.finding(finding);
  return std::move(writer.out);
}

std::string summarize(const FindingList &findings) {
  std::string text;
  for (Severity severity : {Severity::Error, Severity::Warning, Severity::Remark}) {
    size_t n = findings.count(severity);
    if (n == 0)
      continue;
    text +=
        (text.empty() ? "" : ", ") + std::to_string(n) + " " + std::string(toString(severity)) + (n == 1 ? "" : "s");
  }
  if (uint64_t n = findings.dropped())
    text +=
        (text.empty() ? "" : "; ") + std::to_string(n) + " more finding" + (n == 1 ? " is" : "s are") + " not listed";
  return text;
}

} // namespace ptoscope
