//===- ReportPage.cpp - data of reports, checked and put into the page ----===//

#include "ptoscope/Timing/Report.h"

#include <nlohmann/json.hpp>

namespace ptoscope::timing {

using Value = nlohmann::json;

namespace {

constexpr std::string_view kPage =
#include "Page.inc"
    ;
constexpr std::string_view kGap = "/*DATA*/";
static_assert(kPage.find(kGap) != std::string_view::npos);

/// Reads on until the text stops being JSON, and says where that is. Nothing throws.
struct Breaks {
  size_t at = 0;
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(int64_t) { return true; }
  bool number_unsigned(uint64_t) { return true; }
  bool number_float(double, const std::string &) { return true; }
  bool string(std::string &) { return true; }
  bool binary(Value::binary_t &) { return true; }
  bool start_object(size_t) { return true; }
  bool key(std::string &) { return true; }
  bool end_object() { return true; }
  bool start_array(size_t) { return true; }
  bool end_array() { return true; }
  bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &) {
    at = position;
    return false;
  }
};

using Kind = bool (*)(const Value &);
bool isText(const Value &json) { return json.is_string(); }
bool isTextOrNull(const Value &json) { return json.is_string() || json.is_null(); }
bool isNumber(const Value &json) { return json.is_number(); }
bool isWhole(const Value &json) { return json.is_number_integer(); }
bool isSwitch(const Value &json) { return json.is_boolean(); }
bool isObject(const Value &json) { return json.is_object(); }
bool isList(const Value &json) { return json.is_array(); }
bool isNumbers(const Value &json) {
  return json.is_array() && std::all_of(json.begin(), json.end(), [](const Value &item) { return isNumber(item); });
}
bool isNothingOrObject(const Value &json) { return json.is_null() || json.is_object(); }

struct Member {
  const char *name;
  Kind isGood;
  const char *kind; ///< for messages
  bool isNeeded = true;
};

constexpr Member kTop[] = {
    {"tool", isObject, "an object"},       {"kernel", isText, "a string"},
    {"blocks", isWhole, "a whole number"}, {"isCluster", isSwitch, "true or false"},
    {"stats", isObject, "an object"},      {"ticksPerCycle", isWhole, "a whole number"},
    {"reasons", isList, "a list"},         {"paths", isList, "a list"},
    {"files", isList, "a list"},           {"sites", isList, "a list"},
    {"tracks", isList, "a list"},          {"arrows", isObject, "an object"},
    {"memory", isList, "a list"},          {"findings", isList, "a list"},
    {"leftOut", isObject, "an object"},    {"graph", isNothingOrObject, "an object", false},
};
constexpr Member kStats[] = {
    {"timing", isObject, "an object"},
    {"launch", isObject, "an object"},
    {"pipes", isList, "a list"},
    {"overlap", isObject, "an object"},
    {"bound", isNothingOrObject, "an object"},
    {"waits", isList, "a list"},
    {"sites", isList, "a list"},
    {"advice", isList, "a list"},
};
constexpr Member kFile[] = {{"path", isText, "a string"}, {"text", isTextOrNull, "a string"}};
constexpr Member kSite[] = {{"file", isWhole, "a whole number"},
                            {"line", isWhole, "a whole number"},
                            {"column", isWhole, "a whole number"},
                            {"op", isText, "a string"}};
constexpr Member kTrack[] = {
    {"block", isWhole, "a whole number"},
    {"core", isText, "a string"},
    {"pipe", isText, "a string"},
    {"physicalCore", isWhole, "a whole number"},
    {"gap", isNumbers, "a list of numbers"},
    {"length", isNumbers, "a list of numbers"},
    {"site", isNumbers, "a list of numbers"},
    {"issued", isNumbers, "a list of numbers", false},
    {"visible", isNumbers, "a list of numbers", false},
    {"bytes", isNumbers, "a list of numbers", false},
    {"path", isNumbers, "a list of numbers", false},
    {"reason", isNumbers, "a list of numbers", false},
    {"waited", isNumbers, "a list of numbers", false},
    {"cause", isNumbers, "a list of numbers", false},
    {"causeTrack", isNumbers, "a list of numbers", false},
};
constexpr Member kArrows[] = {{"from", isNumbers, "a list of numbers"}, {"to", isNumbers, "a list of numbers"},
                              {"left", isNumbers, "a list of numbers"}, {"travel", isNumbers, "a list of numbers"},
                              {"kind", isNumbers, "a list of numbers"}, {"id", isNumbers, "a list of numbers"}};
constexpr Member kMemory[] = {
    {"block", isWhole, "a whole number"},
    {"core", isText, "a string"},
    {"space", isText, "a string"},
    {"capacity", isWhole, "a whole number"},
    {"from", isNumbers, "a list of numbers"},
    {"length", isNumbers, "a list of numbers"},
    {"begin", isNumbers, "a list of numbers"},
    {"bytes", isNumbers, "a list of numbers"},
    {"track", isNumbers, "a list of numbers"},
    {"site", isNumbers, "a list of numbers"},
};
constexpr Member kFinding[] = {{"code", isText, "a string"},
                               {"severity", isText, "a string"},
                               {"message", isText, "a string"},
                               {"help", isText, "a string"},
                               {"file", isWhole, "a whole number"},
                               {"line", isWhole, "a whole number"},
                               {"sites", isNumbers, "a list of numbers"},
                               {"turn", isWhole, "a whole number"},
                               {"count", isWhole, "a whole number"},
                               {"notes", isList, "a list"}};

/// What is wrong, or nothing.
class Checker {
public:
  explicit Checker(const Value &data) : data(data) {}

  std::string problem() {
    members(data, kTop, "");
    if (wrong.empty())
      members(data["stats"], kStats, "stats.");
    rows("files", kFile);
    rows("sites", kSite);
    rows("tracks", kTrack);
    rows("memory", kMemory);
    rows("findings", kFinding);
    if (wrong.empty())
      members(data["arrows"], kArrows, "arrows.");
    if (wrong.empty() && data["ticksPerCycle"] < 1)
      wrong = "`ticksPerCycle` is not at least 1";
    if (wrong.empty())
      numbers();
    return wrong;
  }

private:
  void members(const Value &object, std::span<const Member> wanted, const std::string &where) {
    for (const Member &member : wanted) {
      auto it = object.find(member.name);
      if (!wrong.empty() || (it == object.end() && !member.isNeeded))
        continue;
      if (it == object.end())
        wrong = "`" + where + member.name + "` is missing";
      else if (!member.isGood(*it))
        wrong = "`" + where + member.name + "` is not " + member.kind;
    }
  }
  void rows(const char *list, std::span<const Member> wanted) {
    if (!wrong.empty())
      return;
    size_t i = 0;
    for (const Value &row : data[list]) {
      const std::string where = std::string(list) + "[" + std::to_string(i++) + "]";
      if (!row.is_object() && wrong.empty())
        wrong = "`" + where + "` is not an object";
      if (wrong.empty())
        members(row, wanted, where + ".");
    }
  }
  /// Columns are equally long, and name what is there.
  void column(const Value &object, const char *name, const std::string &where, size_t length, double least,
              double end) {
    auto it = object.find(name);
    if (!wrong.empty() || it == object.end())
      return;
    if (it->size() != length)
      wrong =
          "`" + where + name + "` has " + std::to_string(it->size()) + " entries instead of " + std::to_string(length);
    for (const Value &item : *it)
      if (const double value = item.get<double>(); wrong.empty() && !(value >= least && value < end))
        wrong = "`" + where + name + "` has the entry " + item.dump() + ", which is out of range";
  }
  void numbers() {
    constexpr double kAny = 1e300;
    const double sites = double(data["sites"].size()), tracks = double(data["tracks"].size());
    const double files = double(data["files"].size()), reasons = double(data["reasons"].size());
    for (const Value &site : data["sites"])
      if (const double file = site["file"].get<double>(); wrong.empty() && !(file >= -1 && file < files))
        wrong = "a site names file " + site["file"].dump() + ", which is not there";
    size_t i = 0;
    for (const Value &track : data["tracks"]) {
      const std::string where = "tracks[" + std::to_string(i++) + "].";
      const size_t length = track["site"].size();
      column(track, "site", where, length, -1, sites);
      column(track, "gap", where, length, -kAny, kAny);
      column(track, "length", where, length, 0, kAny);
      for (const char *name : {"issued", "visible", "bytes", "waited"})
        column(track, name, where, length, -kAny, kAny);
      column(track, "path", where, length, 0, double(data["paths"].size()));
      column(track, "reason", where, length, 0, reasons);
      column(track, "cause", where, length, -1, sites);
      column(track, "causeTrack", where, length, -1, tracks);
    }
    const Value &arrows = data["arrows"];
    const size_t length = arrows["from"].size();
    column(arrows, "from", "arrows.", length, 0, tracks);
    column(arrows, "to", "arrows.", length, 0, tracks);
    column(arrows, "kind", "arrows.", length, 0, reasons);
    for (const char *name : {"left", "travel", "id"})
      column(arrows, name, "arrows.", length, -kAny, kAny);
    i = 0;
    for (const Value &memory : data["memory"]) {
      const std::string where = "memory[" + std::to_string(i++) + "].";
      for (const char *name : {"length", "begin", "bytes"})
        column(memory, name, where, memory["from"].size(), 0, kAny);
      column(memory, "track", where, memory["from"].size(), -1, tracks);
      column(memory, "site", where, memory["from"].size(), -1, sites);
    }
    for (const Value &finding : data["findings"])
      column(finding, "sites", "findings.", finding["sites"].size(), -1, sites);
  }

  const Value &data;
  std::string wrong;
};

} // namespace

Result<void> checkReport(std::string_view text, const std::string &path) {
  auto refuse = [&](std::string message, uint32_t line = 0) {
    Finding finding = makeFinding("file-error", {path, line, 0}, std::move(message));
    finding.help = "make it with `ptoscope run … --report " + (path.ends_with(".json") ? path : "run.json") + "`";
    return finding;
  };
  Breaks breaks;
  if (!Value::sax_parse(text, &breaks)) {
    const size_t at = std::min(breaks.at, text.size());
    if (text.find_last_not_of(" \t\r\n") + 1 <= at && at + 1 >= text.size())
      return refuse("the file ends early: it is not complete JSON");
    return refuse("the file is not JSON", uint32_t(1 + std::count(text.begin(), text.begin() + int64_t(at), '\n')));
  }
  const Value data = Value::parse(text, nullptr, false);
  auto schema = data.is_object() ? data.find("schema") : data.end();
  if (!data.is_object() || schema == data.end() || !schema->is_string() ||
      !schema->get_ref<const std::string &>().starts_with("ptoscope-report/"))
    return refuse("the file is JSON, but not the data of a report");
  if (*schema != "ptoscope-report/1")
    return refuse("the data are of schema `" + schema->get<std::string>() +
                  "`; this version reads `ptoscope-report/1`");
  if (std::string problem = Checker(data).problem(); !problem.empty())
    return refuse("the data of the report are damaged: " + problem);
  return {};
}

std::string reportPage(std::span<const std::string> runs) {
  const size_t gap = kPage.find(kGap);
  std::string page(kPage.substr(0, gap));
  page += "{\"runs\":[";
  for (size_t i = 0; i < runs.size(); ++i) {
    page += i ? "," : "";
    // Of HTML, JSON needs to hide nothing but this: no element can begin or end inside of it.
    for (char c : runs[i])
      if (c == '<')
        page += "\\u003c";
      else if (c != '\n')
        page += c;
  }
  page += "]}";
  page += kPage.substr(gap + kGap.size());
  return page;
}

} // namespace ptoscope::timing
