//===- JsonRenderer.cpp - findings for programs ---------------------------===//
//
// Only building and dumping of nlohmann::json is used; dumping replaces bytes
// that are no UTF-8, so that no path throws.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/JsonRenderer.h"

#include <nlohmann/json.hpp>

namespace ptoscope {

using Json = nlohmann::ordered_json;

static Json placeToJson(const Place &place) {
  if (place.file.empty())
    return nullptr;
  Json json;
  json["file"] = place.file;
  json["line"] = place.line;
  json["column"] = place.column;
  return json;
}

Json toJson(const Finding &finding) {
  Json json;
  json["code"] = finding.code;
  json["severity"] = std::string(toString(finding.severity));
  json["category"] = std::string(toString(finding.category));
  json["place"] = placeToJson(finding.place);
  json["message"] = finding.message;
  json["notes"] = Json::array();
  for (const Note &note : finding.notes) {
    Json row;
    row["place"] = placeToJson(note.place);
    row["message"] = note.message;
    json["notes"].push_back(std::move(row));
  }
  json["help"] = finding.help;
  json["edits"] = Json::array();
  for (const Edit &edit : finding.edits) {
    if (!edit.replaces.empty())
      continue;
    Json row;
    row["place"] = placeToJson(edit.place);
    row["after"] = edit.after;
    row["insertText"] = edit.insertText;
    json["edits"].push_back(std::move(row));
  }
  // Apart from the lines, which older readers insert.
  for (const Edit &edit : finding.edits)
    if (!edit.replaces.empty()) {
      Json row;
      row["place"] = placeToJson(edit.place);
      row["oldText"] = edit.replaces;
      row["newText"] = edit.insertText;
      json["replacements"].push_back(std::move(row));
    }
  json["bytes"] = nullptr;
  if (finding.bytes) {
    Json &bytes = json["bytes"];
    bytes["space"] = finding.bytes->space;
    bytes["parameter"] = finding.bytes->parameter;
    bytes["begin"] = finding.bytes->begin;
    bytes["end"] = finding.bytes->end;
  }
  json["iterations"] = finding.iterations;
  json["otherIterations"] = finding.otherIterations;
  json["cores"] = finding.cores;
  json["count"] = finding.count;
  return json;
}

Json toJson(const FindingList &findings, const ToolInfo &tool) {
  Json json;
  json["schema"] = kJsonSchema;
  json["tool"]["name"] = tool.name;
  json["tool"]["version"] = tool.version;
  json["findings"] = Json::array();
  for (const Finding &finding : findings.all())
    json["findings"].push_back(toJson(finding));
  Json &summary = json["summary"];
  summary["errors"] = findings.count(Severity::Error);
  summary["warnings"] = findings.count(Severity::Warning);
  summary["remarks"] = findings.count(Severity::Remark);
  summary["notListed"] = findings.dropped();
  return json;
}

std::string printJson(const Json &json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string renderJson(const FindingList &findings, const ToolInfo &tool) { return printJson(toJson(findings, tool)); }

} // namespace ptoscope
