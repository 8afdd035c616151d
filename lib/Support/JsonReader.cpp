//===- JsonReader.cpp - findings that were written as JSON ----------------===//
//
// Types are looked at before values are taken, so that no path throws.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/JsonReader.h"
#include "ptoscope/Support/JsonRenderer.h"

#include <nlohmann/json.hpp>

namespace ptoscope {

using Json = nlohmann::ordered_json;

namespace {

/// Takes members of one object; the first that is missing or of another type spoils it.
class Reader {
public:
  explicit Reader(const Json &json) : json(json), good(json.is_object()) {}

  const Json *member(const char *name) {
    auto found = good ? json.find(name) : json.end();
    good &= found != json.end();
    return good ? &*found : nullptr;
  }
  void take(const char *name, std::string &target) {
    const Json *value = member(name);
    if (good &= value && value->is_string(); good)
      target = value->get<std::string>();
  }
  void take(const char *name, bool &target) {
    const Json *value = member(name);
    if (good &= value && value->is_boolean(); good)
      target = value->get<bool>();
  }
  template <typename T>
    requires std::is_integral_v<T>
  void take(const char *name, T &target) {
    const Json *value = member(name);
    if (good &= value && value->is_number_integer(); good)
      target = value->get<T>();
  }
  template <typename T> void take(const char *name, std::vector<T> &target) {
    const Json *value = member(name);
    good &= value && value->is_array();
    if (!good)
      return;
    for (const Json &item : *value) {
      if constexpr (std::is_same_v<T, std::string>)
        good &= item.is_string();
      else
        good &= item.is_number_integer();
      if (!good)
        return;
      target.push_back(item.get<T>());
    }
  }
  void take(const char *name, Place &place) {
    const Json *value = member(name);
    if (!good || value->is_null())
      return;
    Reader reader(*value);
    reader.take("file", place.file);
    reader.take("line", place.line);
    reader.take("column", place.column);
    good &= reader.good;
  }
  /// Each item of an array.
  template <typename Take> void each(const char *name, const Take &takeItem) {
    const Json *value = member(name);
    good &= value && value->is_array();
    for (size_t i = 0; good && i < value->size(); ++i) {
      Reader reader((*value)[i]);
      takeItem(reader);
      good &= reader.good;
    }
  }

  const Json &json;
  bool good;
};

} // namespace

std::optional<Finding> findingFromJson(const Json &json) {
  Reader reader(json);
  std::string code, message, severity, category;
  Place place;
  reader.take("code", code);
  reader.take("severity", severity);
  reader.take("category", category);
  reader.take("place", place);
  reader.take("message", message);
  // Severity and category are those of the code: a report of another version may differ.
  if (!reader.good || !findCode(code))
    return std::nullopt;
  Finding finding = makeFinding(code, std::move(place), std::move(message));
  reader.each("notes", [&](Reader &note) {
    finding.notes.emplace_back();
    note.take("place", finding.notes.back().place);
    note.take("message", finding.notes.back().message);
  });
  reader.take("help", finding.help);
  reader.each("edits", [&](Reader &edit) {
    finding.edits.emplace_back();
    edit.take("place", finding.edits.back().place);
    edit.take("after", finding.edits.back().after);
    edit.take("insertText", finding.edits.back().insertText);
  });
  if (reader.good && json.contains("replacements")) // few findings have any
    reader.each("replacements", [&](Reader &edit) {
      finding.edits.emplace_back();
      edit.take("place", finding.edits.back().place);
      edit.take("oldText", finding.edits.back().replaces);
      edit.take("newText", finding.edits.back().insertText);
    });
  if (const Json *bytes = reader.member("bytes"); bytes && !bytes->is_null()) {
    Reader range(*bytes);
    finding.bytes.emplace();
    range.take("space", finding.bytes->space);
    range.take("parameter", finding.bytes->parameter);
    range.take("begin", finding.bytes->begin);
    range.take("end", finding.bytes->end);
    reader.good &= range.good;
  }
  reader.take("iterations", finding.iterations);
  reader.take("otherIterations", finding.otherIterations);
  reader.take("cores", finding.cores);
  reader.take("count", finding.count);
  return reader.good ? std::optional(std::move(finding)) : std::nullopt;
}

Result<FindingList> readFindings(const std::string &path, const std::string &text) {
  auto refuse = [&](const std::string &why) {
    return makeFinding("file-error", {path, 0, 0}, "this is not a report of findings: " + why);
  };
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  Reader reader(json);
  int schema = 0;
  reader.take("schema", schema);
  if (!reader.good)
    return refuse(json.is_discarded() ? "it is not JSON" : "it has no `schema`");
  if (schema != kJsonSchema)
    return refuse("its schema is " + std::to_string(schema) + ", not " + std::to_string(kJsonSchema));
  FindingList findings;
  const Json *rows = reader.member("findings");
  if (!rows || !rows->is_array())
    return refuse("it has no `findings`");
  for (const Json &row : *rows) {
    std::optional<Finding> finding = findingFromJson(row);
    if (!finding)
      return refuse("finding " + std::to_string(findings.all().size()) + " lacks a member");
    findings.add(std::move(*finding));
  }
  return findings;
}

} // namespace ptoscope
