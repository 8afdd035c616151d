//===- Table.cpp - an audit on a terminal ---------------------------------===//

#include "ptoscope/Audit/Audit.h"

#include <algorithm>
#include <cstdio>

namespace ptoscope::audit {

static std::string text(const Json &value) { return value.is_string() ? value.get<std::string>() : ""; }

static std::string placeText(const Json &place) {
  if (!place.is_object())
    return "ptoscope";
  return text(place["file"]) + (place["line"] == 0 ? "" : ":" + place["line"].dump() + ":" + place["column"].dump());
}

static size_t count(const Json &row, const char *severity) {
  return size_t(
      std::ranges::count_if(row["findings"], [&](const Json &finding) { return finding["severity"] == severity; }));
}

static std::string padded(std::string word, size_t width) {
  word.resize(std::max(word.size(), width), ' ');
  return word;
}

std::string auditText(const Json &audit) {
  size_t fileWidth = 4, kernelWidth = 6;
  for (const Json &row : audit["rows"]) {
    fileWidth = std::max(fileWidth, text(row["file"]).size());
    kernelWidth = std::max(kernelWidth, text(row["kernel"]).size());
  }
  std::string out = padded("file", fileWidth) + "  " + padded("kernel", kernelWidth) +
                    "  outcome         errors  warnings  order edges  seconds\n";
  for (const Json &row : audit["rows"]) {
    char figures[96];
    const bool hasEdges = row["edges"].is_object();
    snprintf(figures, sizeof(figures), "%6zu  %8zu  %11s  %7.2f", count(row, "error"), count(row, "warning"),
             hasEdges ? std::to_string(row["edges"]["edges"].size()).c_str() : "-", row["seconds"].get<double>());
    out += padded(text(row["file"]), fileWidth) + "  " +
           padded(row["kernel"].is_string() ? text(row["kernel"]) : "-", kernelWidth) + "  " +
           padded(text(row["outcome"]), 14) + "  " + figures + "\n";
  }
  for (const Json &row : audit["rows"]) {
    const std::string name = text(row["file"]) + (row["kernel"].is_string() ? " @" + text(row["kernel"]) : "");
    if (row["reason"] != "")
      out += "\n" + name + ": " + text(row["outcome"]) + ": " + text(row["reason"]) + "\n";
    for (const Json &differing : row["differing"])
      out += "\n" + name + ": " + text(differing["name"]) + " depends on the schedule: it differs under " +
             text(differing["schedule"]) + "\n";
    if (row["findings"].empty())
      continue;
    out += "\n" + name + (row["arguments"].empty() ? "" : ", with");
    for (const Json &word : row["arguments"])
      out += " --arg " + text(word);
    out += "\n";
    for (const Json &finding : row["findings"]) {
      out += "  " + placeText(finding["place"]) + ": " + text(finding["severity"]) + "[" + text(finding["code"]) +
             "]: " + text(finding["message"]);
      if (finding["schedules"].size() && finding["schedules"].size() < row["schedules"].size()) {
        out += " (under";
        for (const Json &schedule : finding["schedules"])
          out += " " + text(schedule);
        out += ")";
      }
      out += "\n";
      for (const Json &note : finding["notes"])
        out +=
            "    " + (note["place"].is_object() ? placeText(note["place"]) + ": " : "") + text(note["message"]) + "\n";
      if (finding["help"] != "")
        out += "    help: " + text(finding["help"]) + "\n";
    }
  }
  if (audit["changes"].is_array()) {
    out += "\nagainst " + text(audit["against"]) + ":" + (audit["changes"].empty() ? " no change\n" : "\n");
    for (const Json &kernel : audit["changes"]) {
      out += "  " + text(kernel["file"]) + (kernel["kernel"].is_string() ? " @" + text(kernel["kernel"]) : "");
      if (kernel["oldFile"].is_string() && kernel["oldFile"] != kernel["file"])
        out += " (was " + text(kernel["oldFile"]) + ")";
      out += "\n";
      for (const Json &change : kernel["changes"])
        out += "    " + text(change["message"]) + "\n";
    }
  }
  char line[160];
  snprintf(line, sizeof(line), "\n%d %s of %d %s in %.1f s:", audit["summary"]["kernels"].get<int>(),
           audit["summary"]["kernels"] == 1 ? "kernel" : "kernels", audit["summary"]["files"].get<int>(),
           audit["summary"]["files"] == 1 ? "file" : "files", audit["summary"]["seconds"].get<double>());
  out += line;
  bool first = true;
  for (const auto &[outcome, number] : audit["summary"]["outcomes"].items()) {
    out += (first ? " " : ", ") + number.dump() + " " + outcome;
    first = false;
  }
  return out + "\n";
}

} // namespace ptoscope::audit
