//===- Page.cpp - an audit as a page --------------------------------------===//
//
// One file: styles and script are in it, and nothing is loaded. It is also well-formed XML.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Audit/Alignment.h"
#include "ptoscope/Audit/Audit.h"
#include "ptoscope/Support/PlaceFile.h"

#include <algorithm>
#include <cstdio>

namespace ptoscope::audit {

static std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\n')
      out += c; // other control characters are not part of XML
  }
  return out;
}

/// JSON replaces what is no UTF-8.
static std::string text(const Json &value) {
  return value.is_string()
             ? escaped(Json::parse(value.dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>())
             : "";
}

/// A few lines around a place, that one marked.
static std::string excerpt(const Json &place) {
  if (!place.is_object() || place["line"] == 0)
    return "";
  const size_t wanted = place["line"];
  size_t number = std::max<size_t>(wanted, 2) - 1;
  std::ifstream in = openAtLine(place["file"].get<std::string>(), number);
  std::string out, line;
  for (; number <= wanted + 1 && std::getline(in, line); ++number) {
    const std::string row = std::to_string(number) + "  " + line.substr(0, 200);
    const std::string shown = text(Json(row));
    out += number == wanted ? "<b>" + shown + "</b>\n" : shown + "\n";
  }
  return out.empty() ? "" : "<pre>" + out + "</pre>\n";
}

static constexpr const char *kHead = R"(<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head>
<meta charset="utf-8"/>
<title>PTOScope audit</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25em .7em; border-bottom: 1px solid #ddd; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #f6f6f6; padding: .5em; overflow-x: auto; }
pre b { background: #ffe7a8; }
.clean { color: #176f2c; } .not-run { color: #666; } .bad { color: #b3261e; }
button { margin-right: .4em; } button.on { font-weight: bold; }
input { width: 20em; }
</style>
</head>
<body>
)";

static constexpr const char *kScript = R"(<script>
let outcome = "";
function show() {
  const word = document.getElementById("filter").value.toLowerCase();
  for (const row of document.querySelectorAll("[data-outcome]"))
    row.hidden = (outcome !== "" ? row.dataset.outcome !== outcome : false) ||
                 !row.dataset.name.toLowerCase().includes(word);
}
document.getElementById("filter").addEventListener("input", show);
for (const button of document.querySelectorAll("button"))
  button.addEventListener("click", () => {
    outcome = outcome === button.dataset.only ? "" : button.dataset.only;
    for (const other of document.querySelectorAll("button"))
      other.classList.toggle("on", other.dataset.only === outcome);
    show();
  });
</script>
)";

static std::string classOf(const std::string &outcome) {
  return outcome == "clean" || outcome == "not-run" ? outcome : "bad";
}

std::string auditPage(const Json &audit) {
  std::string page = kHead;
  char figures[200];
  snprintf(figures, sizeof(figures), "%d kernels of %d files, %.1f seconds", audit["summary"]["kernels"].get<int>(),
           audit["summary"]["files"].get<int>(), audit["summary"]["seconds"].get<double>());
  page += "<h1>Audit of " + text(audit["folder"]) + "</h1>\n<p>" + figures + "; schedules:";
  for (const Json &schedule : audit["schedules"])
    page += " " + text(schedule);
  page += "; blocks: " + audit["blocks"].dump() + "</p>\n<p>";
  for (const auto &[outcome, count] : audit["summary"]["outcomes"].items())
    page += "<button type=\"button\" data-only=\"" + escaped(outcome) + "\">" + escaped(outcome) + " " + count.dump() +
            "</button>";
  page += "<input id=\"filter\" placeholder=\"part of a file or kernel\"/></p>\n";
  if (audit["changes"].is_array()) {
    page += "<h2>Changes against " + text(audit["against"]) + "</h2>\n";
    page += audit["changes"].empty() ? "<p>None.</p>\n" : "<ul>\n";
    for (const Json &kernel : audit["changes"]) {
      page += "<li>" + text(kernel["file"]) + (kernel["kernel"].is_string() ? " @" + text(kernel["kernel"]) : "");
      if (kernel["oldFile"].is_string() && kernel["oldFile"] != kernel["file"])
        page += " (was " + text(kernel["oldFile"]) + ")";
      page += "<ul>";
      for (const Json &change : kernel["changes"])
        page += "<li>" + text(change["message"]) + "</li>";
      page += "</ul></li>\n";
    }
    if (!audit["changes"].empty())
      page += "</ul>\n";
  }
  page +=
      "<h2>Kernels</h2>\n<table>\n<thead><tr><th>file</th><th>kernel</th><th>outcome</th><th class=\"number\">findings"
      "</th><th class=\"number\">order edges</th><th class=\"number\">seconds</th></tr></thead>\n<tbody>\n";
  const auto data = [](const Json &row) {
    return " data-outcome=\"" + text(row["outcome"]) + "\" data-name=\"" + text(row["file"]) + " " +
           text(row["kernel"]) + "\"";
  };
  for (const Json &row : audit["rows"]) {
    snprintf(figures, sizeof(figures), "%.2f", row["seconds"].get<double>());
    page += "<tr" + data(row) + "><td>" + text(row["file"]) + "</td><td>" + text(row["kernel"]) + "</td><td class=\"" +
            classOf(row["outcome"]) + "\">" + text(row["outcome"]) + "</td><td class=\"number\">" +
            std::to_string(row["findings"].size()) + "</td><td class=\"number\">" +
            (row["edges"].is_object() ? std::to_string(row["edges"]["edges"].size()) : "") +
            "</td><td class=\"number\">" + figures + "</td></tr>\n";
  }
  page += "</tbody>\n</table>\n<h2>Findings</h2>\n";
  for (const Json &row : audit["rows"]) {
    if (row["findings"].empty() && row["reason"] == "" && row["differing"].empty())
      continue;
    page += "<section" + data(row) + "><h3>" + text(row["file"]) +
            (row["kernel"].is_string() ? " @" + text(row["kernel"]) : "") + "</h3>\n";
    if (row["reason"] != "")
      page += "<p>" + text(row["outcome"]) + ": " + text(row["reason"]) + "</p>\n";
    for (const Json &differing : row["differing"])
      page += "<p>" + text(differing["name"]) + " depends on the schedule: it differs under " +
              text(differing["schedule"]) + "</p>\n";
    if (!row["arguments"].empty()) {
      page += "<p><code>";
      for (const Json &word : row["arguments"])
        page += "--arg " + text(word) + " ";
      page += "</code></p>\n";
    }
    for (const Json &finding : row["findings"]) {
      page += "<p><b>" + text(finding["severity"]) + "[" + text(finding["code"]) + "]</b> " + text(finding["message"]) +
              "</p>\n" + excerpt(finding["place"]);
      for (const Json &note : finding["notes"])
        page += "<p>" + text(note["message"]) + "</p>\n" + excerpt(note["place"]);
      if (finding["help"] != "")
        page += "<p>Help: " + text(finding["help"]) + "</p>\n";
    }
    page += "</section>\n";
  }
  return page + kScript + "</body>\n</html>\n";
}

} // namespace ptoscope::audit
