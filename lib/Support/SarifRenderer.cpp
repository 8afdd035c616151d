//===- SarifRenderer.cpp - findings for code review tools -----------------===//
//
// Section numbers are those of the OASIS standard, SARIF 2.1.0.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/SarifRenderer.h"

#include "ptoscope/Support/PlaceFile.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace ptoscope {

using Json = nlohmann::ordered_json;

static std::string levelOf(Severity severity) {
  constexpr std::string_view kLevels[] = {"error", "warning", "note"};
  return std::string(kLevels[static_cast<size_t>(severity)]);
}

/// A path as a URI reference (RFC 3986); relative paths stay relative.
static std::string toUri(const std::string &path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      uri += '%';
      uri += kDigits[byte >> 4];
      uri += kDigits[byte & 15];
    }
  }
  return uri;
}

/// Columns of findings count bytes; those of the format count characters.
static uint32_t columnOf(const Place &place) {
  std::ifstream file = openAtLine(place.file, place.line);
  uint32_t rest = 0; // bytes of characters, but for the first
  char c;
  for (uint32_t column = 1; column < place.column && file.get(c) && c != '\n'; ++column)
    rest += (c & 0xc0) == 0x80;
  return place.column - rest;
}

/// 3.29: a physical location; a region only when a line is known.
static Json locationOf(const Place &place) {
  Json json;
  json["artifactLocation"]["uri"] = toUri(place.file);
  if (place.line) {
    json["region"]["startLine"] = place.line;
    if (place.column)
      json["region"]["startColumn"] = columnOf(place);
  }
  return json;
}

/// 3.55: all edits of a finding are one fix; edits of one file one change.
static Json fixOf(const Finding &finding) {
  Json fix;
  fix["description"]["text"] = finding.help.empty() ? "insert the missing lines" : finding.help;
  std::vector<std::string> files;
  for (const Edit &edit : finding.edits)
    if (std::find(files.begin(), files.end(), edit.place.file) == files.end())
      files.push_back(edit.place.file);
  for (const std::string &file : files) {
    Json change;
    change["artifactLocation"]["uri"] = toUri(file);
    for (const Edit &edit : finding.edits) {
      if (edit.place.file != file)
        continue;
      // The words that go, or an empty region at the start of the line that the text pushes down.
      const bool replaces = !edit.replaces.empty();
      const uint32_t line = edit.place.line + (edit.after ? 1 : 0), column = replaces ? columnOf(edit.place) : 1;
      Json replacement;
      Json &region = replacement["deletedRegion"];
      region["startLine"] = line;
      region["startColumn"] = column;
      region["endLine"] = line;
      region["endColumn"] = column + uint32_t(edit.replaces.size());
      replacement["insertedContent"]["text"] = edit.insertText + (replaces ? "" : "\n");
      change["replacements"].push_back(std::move(replacement));
    }
    fix["artifactChanges"].push_back(std::move(change));
  }
  return fix;
}

/// 3.49: a rule from its row in the table.
static Json ruleOf(const std::string &code) {
  Json rule;
  rule["id"] = code;
  const CodeInfo *info = findCode(code);
  if (!info)
    return rule;
  rule["shortDescription"]["text"] = std::string(info->title);
  rule["help"]["text"] = std::string(info->page.text);
  rule["defaultConfiguration"]["level"] = levelOf(info->severity);
  rule["properties"]["category"] = std::string(toString(info->category));
  return rule;
}

/// 3.27: notes without a place and the help text stay part of the message,
/// since viewers show nothing else of them.
static Json resultOf(const Finding &finding, size_t ruleIndex) {
  Json result;
  result["ruleId"] = finding.code;
  result["ruleIndex"] = ruleIndex;
  result["level"] = levelOf(finding.severity);
  std::string text = finding.message;
  for (const Note &note : finding.notes)
    if (note.place.file.empty())
      text += "\nnote: " + note.message;
  if (!finding.help.empty())
    text += "\nhelp: " + finding.help;
  result["message"]["text"] = text;
  result["locations"] = Json::array();
  if (!finding.place.file.empty()) {
    Json location;
    location["physicalLocation"] = locationOf(finding.place);
    result["locations"].push_back(std::move(location));
  }
  for (const Note &note : finding.notes) {
    if (note.place.file.empty())
      continue;
    Json related;
    related["id"] = result.contains("relatedLocations") ? result["relatedLocations"].size() : 0;
    related["physicalLocation"] = locationOf(note.place);
    related["message"]["text"] = note.message;
    result["relatedLocations"].push_back(std::move(related));
  }
  if (!finding.edits.empty())
    result["fixes"].push_back(fixOf(finding));
  result["occurrenceCount"] = finding.count;
  Json &properties = result["properties"];
  properties["category"] = std::string(toString(finding.category));
  if (finding.bytes) {
    Json &bytes = properties["bytes"];
    bytes["space"] = finding.bytes->space;
    if (!finding.bytes->parameter.empty())
      bytes["parameter"] = finding.bytes->parameter;
    bytes["begin"] = finding.bytes->begin;
    bytes["end"] = finding.bytes->end;
  }
  if (!finding.iterations.empty())
    properties["iterations"] = finding.iterations;
  if (!finding.otherIterations.empty())
    properties["otherIterations"] = finding.otherIterations;
  if (!finding.cores.empty())
    properties["cores"] = finding.cores;
  return result;
}

std::string renderSarif(const FindingList &findings, const ToolInfo &tool) {
  // Sorted by code, so that the rules do not depend on the order of findings.
  std::map<std::string, size_t> ruleIndex;
  for (const Finding &finding : findings.all())
    ruleIndex.emplace(finding.code, 0);
  size_t next = 0;
  Json rules = Json::array();
  for (auto &[code, index] : ruleIndex) {
    index = next++;
    rules.push_back(ruleOf(code));
  }

  bool executed = true;
  Json results = Json::array();
  for (const Finding &finding : findings.all()) {
    executed &= finding.category != Category::Usage && finding.category != Category::Internal;
    results.push_back(resultOf(finding, ruleIndex.find(finding.code)->second));
  }

  Json run;
  Json &driver = run["tool"]["driver"];
  driver["name"] = tool.name;
  driver["version"] = tool.version;
  driver["rules"] = std::move(rules);
  Json invocation;
  invocation["executionSuccessful"] = executed;
  run["invocations"].push_back(std::move(invocation));
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = std::move(results);

  Json sarif;
  sarif["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  sarif["version"] = "2.1.0";
  sarif["runs"].push_back(std::move(run));
  return printJson(sarif);
}

} // namespace ptoscope
