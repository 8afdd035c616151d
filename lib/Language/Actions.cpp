//===- Actions.cpp - findings, their repairs and layout as edits ----------===//

#include "Features.h"

#include "ptoscope/Language/Layout.h"
#include "ptoscope/Support/Edits.h"

#include <algorithm>

using namespace llvm;

namespace ptoscope {

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

/// The token at a place of the tool: lines and columns from 1, columns in bytes.
static TextRange rangeAt(const Document &document, const Place &place) {
  if (place.line == 0)
    return {0, 0};
  const size_t begin =
      std::min(document.lineStart(place.line - 1) + std::max(place.column, 1u) - 1, document.text().size());
  const std::vector<Token> &tokens = document.tokens();
  const size_t i = tokenAt(tokens, begin);
  return {begin, i < tokens.size() && tokens[i].begin <= begin ? tokens[i].end : begin};
}

json::Value toDiagnostic(const Document &document, const Finding &finding) {
  // Numbers of the protocol: 1 an error, 2 a warning, 3 information.
  const int severity = finding.severity == Severity::Error ? 1 : finding.severity == Severity::Warning ? 2 : 3;
  std::string message = finding.message;
  json::Array related;
  for (const Note &note : finding.notes) {
    if (note.place.line == 0 || note.place.file != finding.place.file) {
      message += "\nnote: " + note.message;
      continue;
    }
    related.push_back(json::Object{
        {"location", json::Object{{"uri", document.uri}, {"range", document.rangeOf(rangeAt(document, note.place))}}},
        {"message", json::fixUTF8(note.message)}});
  }
  if (!finding.help.empty())
    message += "\nhelp: " + finding.help;
  json::Object diagnostic{{"range", document.rangeOf(rangeAt(document, finding.place))},
                          {"severity", severity},
                          {"code", finding.code},
                          {"source", "ptoscope"},
                          {"message", json::fixUTF8(message)}};
  if (!related.empty())
    diagnostic["relatedInformation"] = std::move(related);
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Repairs
//===----------------------------------------------------------------------===//

json::Array toEdits(const Document &document, const std::vector<Edit> &edits) {
  json::Array result;
  if (edits.empty())
    return result;
  Result<std::vector<TextChange>> changes = textChangesOf(edits[0].place.file, document.text(), edits);
  if (!changes)
    return result; // for another file
  for (const TextChange &change : *changes)
    result.push_back(
        json::Object{{"range", document.rangeOf({change.begin, change.end})}, {"newText", json::fixUTF8(change.text)}});
  return result;
}

static std::string editText(const Edit &edit) {
  if (edit.replaces.empty())
    return "insert `" + edit.insertText + "`";
  return edit.insertText.empty() ? "remove `" + edit.replaces + "`"
                                 : "write `" + edit.insertText + "` for `" + edit.replaces + "`";
}

static json::Object action(const Document &document, std::string title, const char *kind, json::Array edits) {
  return json::Object{{"title", json::fixUTF8(title)},
                      {"kind", kind},
                      {"edit", json::Object{{"changes", json::Object{{document.uri, std::move(edits)}}}}}};
}

json::Value actions(const Document &document, const std::vector<Finding> &findings, size_t first, size_t last) {
  json::Array result;
  size_t repaired = 0;
  for (const Finding &finding : findings) {
    if (finding.edits.empty())
      continue;
    ++repaired;
    if (finding.place.line < first + 1 || finding.place.line > last + 1)
      continue;
    const size_t more = finding.edits.size() - 1;
    json::Object fix =
        action(document,
               "Repair " + finding.code + ": " + editText(finding.edits[0]) +
                   (more ? " and " + std::to_string(more) + (more == 1 ? " more line" : " more lines") : ""),
               "quickfix", toEdits(document, finding.edits));
    fix["diagnostics"] = json::Array{toDiagnostic(document, finding)};
    fix["isPreferred"] = true;
    result.push_back(std::move(fix));
  }
  if (repaired) {
    const std::string title = repaired == 1
                                  ? "Repair the finding that has lines to insert"
                                  : "Repair all " + std::to_string(repaired) + " findings that have lines to insert";
    result.push_back(action(document, title, "source.fixAll", toEdits(document, editsOf(findings))));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

json::Value layoutEdits(const Document &document, size_t first, size_t last) {
  json::Array edits;
  const std::vector<std::optional<std::string>> lines = formattedLines(document.text());
  for (size_t i = first; i <= last && i < lines.size(); ++i) {
    const size_t begin = document.lineStart(i);
    if (!lines[i])
      edits.push_back(json::Object{{"range", document.rangeOf({begin, document.lineStart(i + 1)})}, {"newText", ""}});
    else if (document.lineAt(i) != *lines[i])
      edits.push_back(json::Object{{"range", document.rangeOf({begin, begin + document.lineAt(i).size()})},
                                   {"newText", *lines[i]}});
  }
  const std::string &text = document.text();
  if (last + 1 >= lines.size() && !lines.empty() && lines.back() && !text.empty() && text.back() != '\n')
    edits.push_back(json::Object{{"range", document.rangeOf({text.size(), text.size()})}, {"newText", "\n"}});
  return edits;
}

} // namespace ptoscope
