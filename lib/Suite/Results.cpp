//===- Results.cpp - what the runs of a suite gave ------------------------===//

#include "ptoscope/Suite/Results.h"
#include "ptoscope/Support/JsonReader.h"
#include "ptoscope/Support/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace ptoscope::suite {

using Json = nlohmann::ordered_json;

constexpr std::string_view kVerdicts[] = {"passed", "failed", "crashed", "timed out"};

std::string_view toString(Verdict verdict) { return kVerdicts[size_t(verdict)]; }

std::string Outcome::title() const {
  return name + ", " + std::to_string(blocks) + (blocks == 1 ? " block, " : " blocks, ") + schedule;
}

size_t Results::count(Verdict verdict) const {
  return size_t(std::ranges::count(outcomes, verdict, &Outcome::verdict));
}

Json toJson(const Outcome &outcome) {
  Json json;
  json["file"] = outcome.file;
  json["name"] = outcome.name;
  json["blocks"] = outcome.blocks;
  json["schedule"] = outcome.schedule;
  json["place"] = {{"file", outcome.place.file}, {"line", outcome.place.line}};
  json["verdict"] = std::string(toString(outcome.verdict));
  json["seconds"] = outcome.seconds;
  json["cached"] = outcome.cached;
  json["findings"] = Json::array();
  for (const Finding &finding : outcome.findings)
    json["findings"].push_back(ptoscope::toJson(finding));
  return json;
}

/// Types before values, so that nothing throws.
static bool hasMembers(const Json &json,
                       std::initializer_list<std::pair<const char *, bool (*)(const Json &)>> members) {
  return json.is_object() && std::ranges::all_of(members, [&](const auto &member) {
           auto found = json.find(member.first);
           return found != json.end() && member.second(*found);
         });
}
static bool isText(const Json &json) { return json.is_string(); }
static bool isWhole(const Json &json) { return json.is_number_integer(); }
static bool isNumber(const Json &json) { return json.is_number(); }
static bool isBool(const Json &json) { return json.is_boolean(); }
static bool isList(const Json &json) { return json.is_array(); }
static bool isObject(const Json &json) { return json.is_object(); }

std::optional<Outcome> outcomeFromJson(const Json &json) {
  if (!hasMembers(json, {{"file", isText},
                         {"name", isText},
                         {"blocks", isWhole},
                         {"schedule", isText},
                         {"place", isObject},
                         {"verdict", isText},
                         {"seconds", isNumber},
                         {"cached", isBool},
                         {"findings", isList}}) ||
      !hasMembers(json["place"], {{"file", isText}, {"line", isWhole}}))
    return std::nullopt;
  Outcome outcome;
  outcome.file = json["file"].get<std::string>();
  outcome.name = json["name"].get<std::string>();
  outcome.blocks = json["blocks"].get<int64_t>();
  outcome.schedule = json["schedule"].get<std::string>();
  outcome.place = {json["place"]["file"].get<std::string>(), json["place"]["line"].get<uint32_t>(), 1};
  const auto verdict = std::ranges::find(kVerdicts, json["verdict"].get<std::string>());
  if (verdict == std::end(kVerdicts))
    return std::nullopt;
  outcome.verdict = Verdict(verdict - std::begin(kVerdicts));
  outcome.seconds = json["seconds"].get<double>();
  outcome.cached = json["cached"].get<bool>();
  for (const Json &row : json["findings"]) {
    std::optional<Finding> finding = findingFromJson(row);
    if (!finding)
      return std::nullopt;
    outcome.findings.push_back(std::move(*finding));
  }
  return outcome;
}

std::string renderResults(const Results &results, const ToolInfo &tool) {
  Json json;
  json["schema"] = kJsonSchema;
  json["tool"] = {{"name", tool.name}, {"version", tool.version}};
  json["shard"] = {{"index", results.shard}, {"count", results.shards}};
  json["runs"] = Json::array();
  for (const Outcome &outcome : results.outcomes)
    json["runs"].push_back(toJson(outcome));
  Json &summary = json["summary"];
  for (size_t i = 0; i < std::size(kVerdicts); ++i)
    summary[std::string(kVerdicts[i])] = results.count(Verdict(i));
  return printJson(json);
}

Result<Results> readResults(const std::string &path, const std::string &text) {
  auto refuse = [&](const std::string &why) {
    Finding finding = makeFinding("file-error", {path, 0, 0}, "this is not a result of a suite: " + why);
    finding.help = "`ptoscope test … --out FILE` writes one";
    return finding;
  };
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return refuse("it is not JSON");
  if (!hasMembers(json, {{"schema", isWhole}, {"shard", isObject}, {"runs", isList}}) ||
      !hasMembers(json["shard"], {{"index", isWhole}, {"count", isWhole}}))
    return refuse("it lacks `schema`, `shard` or `runs`");
  if (json["schema"] != kJsonSchema)
    return refuse("it has another schema than " + std::to_string(kJsonSchema));
  Results results;
  results.shard = json["shard"]["index"].get<unsigned>();
  results.shards = json["shard"]["count"].get<unsigned>();
  for (const Json &row : json["runs"]) {
    std::optional<Outcome> outcome = outcomeFromJson(row);
    if (!outcome)
      return refuse("run " + std::to_string(results.outcomes.size()) + " lacks a member");
    results.outcomes.push_back(std::move(*outcome));
  }
  return results;
}

Result<Results> merge(std::vector<Results> parts) {
  const unsigned shards = parts.front().shards;
  std::set<unsigned> seen;
  for (const Results &part : parts) {
    if (part.shards != shards)
      return makeFinding("usage", {},
                         "results of " + std::to_string(shards) + " shards and of " + std::to_string(part.shards) +
                             " do not belong together");
    if (!seen.insert(part.shard).second)
      return makeFinding("usage", {}, "the results of shard " + std::to_string(part.shard) + " are given twice");
  }
  for (unsigned i = 1; i <= shards; ++i)
    if (!seen.contains(i))
      return makeFinding(
          "usage", {}, "the results of shard " + std::to_string(i) + " of " + std::to_string(shards) + " are missing");
  // The order of a suite in one piece.
  std::map<std::pair<std::string, uint32_t>, std::vector<Outcome>> byCase;
  for (Results &part : parts)
    for (Outcome &outcome : part.outcomes)
      byCase[{outcome.place.file, outcome.place.line}].push_back(std::move(outcome));
  Results all;
  for (auto &[place, outcomes] : byCase)
    std::ranges::move(outcomes, std::back_inserter(all.outcomes));
  return all;
}

/// As text or attribute of XML; control characters are not allowed there at all.
static std::string escapeXml(std::string_view text) {
  std::string result;
  for (char c : text)
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      result += '?';
    else
      result += c;
  return result;
}

static std::string placed(const Finding &finding) {
  if (finding.place.file.empty())
    return "";
  return finding.place.file + (finding.place.line ? ":" + std::to_string(finding.place.line) : "") + ": ";
}

static std::string seconds(double value) {
  char text[32];
  snprintf(text, sizeof(text), "%.3f", value);
  return text;
}

std::string renderJUnit(const Results &results) {
  std::map<std::string, std::vector<const Outcome *>> byFile;
  for (const Outcome &outcome : results.outcomes)
    byFile[outcome.file].push_back(&outcome);
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto &[file, outcomes] : byFile) {
    auto number = [&](auto wanted) { return std::to_string(std::ranges::count_if(outcomes, wanted)); };
    double total = 0;
    for (const Outcome *outcome : outcomes)
      total += outcome->seconds;
    xml += "  <testsuite name=\"" + escapeXml(file) + "\" tests=\"" + std::to_string(outcomes.size()) +
           "\" failures=\"" + number([](const Outcome *o) { return o->verdict == Verdict::Failed; }) + "\" errors=\"" +
           number([](const Outcome *o) { return o->verdict == Verdict::Crashed || o->verdict == Verdict::TimedOut; }) +
           "\" time=\"" + seconds(total) + "\">\n";
    for (const Outcome *outcome : outcomes) {
      xml += "    <testcase classname=\"" + escapeXml(file) + "\" name=\"" + escapeXml(outcome->title()) +
             "\" time=\"" + seconds(outcome->seconds) + "\"";
      if (outcome->verdict == Verdict::Passed) {
        xml += "/>\n";
        continue;
      }
      const char *tag = outcome->verdict == Verdict::Failed ? "failure" : "error";
      std::string first, all;
      for (const Finding &finding : outcome->findings) {
        const std::string line = placed(finding) + finding.code + ": " + finding.message;
        if (first.empty())
          first = line;
        all += line + "\n";
        if (!finding.help.empty())
          all += "help: " + finding.help + "\n";
      }
      xml += std::string(">\n      <") + tag + " type=\"" + std::string(toString(outcome->verdict)) + "\" message=\"" +
             escapeXml(first) + "\">" + escapeXml(all) + "</" + tag + ">\n    </testcase>\n";
    }
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

/// Commands of the runner end at a line's end; properties also at `,` and `:`.
static std::string escapeCommand(std::string_view text, bool isProperty) {
  std::string result;
  for (char c : text)
    if (c == '%' || c == '\r' || c == '\n' || (isProperty && (c == ',' || c == ':'))) {
      char code[4];
      snprintf(code, sizeof(code), "%%%02X", static_cast<unsigned char>(c));
      result += code;
    } else {
      result += c;
    }
  return result;
}

std::string renderGitHub(const Results &results) {
  std::string text;
  const FindingList all = findingsOf(results);
  for (const Finding &finding : all.all()) {
    text += finding.severity == Severity::Error ? "::error " : "::warning ";
    if (!finding.place.file.empty())
      text += "file=" + escapeCommand(finding.place.file, true) + ",";
    if (finding.place.line)
      text += "line=" + std::to_string(finding.place.line) +
              ",col=" + std::to_string(std::max(finding.place.column, 1u)) + ",";
    text += "title=" + escapeCommand(finding.code, true) +
            "::" + escapeCommand(finding.message + (finding.help.empty() ? "" : "\nhelp: " + finding.help), false) +
            "\n";
  }
  return text;
}

FindingList findingsOf(const Results &results) {
  FindingList all;
  for (const Outcome &outcome : results.outcomes)
    for (const Finding &finding : outcome.findings)
      all.add(finding);
  return all;
}

std::string summarize(const Results &results) {
  std::set<std::pair<std::string, std::string>> cases;
  size_t cached = 0;
  for (const Outcome &outcome : results.outcomes) {
    cases.emplace(outcome.file, outcome.name);
    cached += outcome.cached;
  }
  std::string text = plural(cases.size(), "case") + ", " + plural(results.outcomes.size(), "run") + ": ";
  std::string counts;
  for (size_t i = 0; i < std::size(kVerdicts); ++i)
    if (size_t n = results.count(Verdict(i)); n || i == 0)
      counts += (counts.empty() ? "" : ", ") + std::to_string(n) + " " + std::string(kVerdicts[i]);
  return text + counts + (cached ? " (" + std::to_string(cached) + " from the cache)" : "");
}

} // namespace ptoscope::suite
