//===- Tables.cpp - errors by group, as text, JSON and Markdown -----------===//

#include "ptoscope/Validate/Validation.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>

namespace ptoscope::validate {

namespace {

std::string format(const char *pattern, ...) {
  char text[512];
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(text, sizeof text, pattern, values);
  va_end(values);
  return text;
}

/// Median and 90th percentile of errors.
struct Spread {
  size_t count = 0;
  double median = 0, most = 0;
};
Spread spreadOf(std::vector<double> errors) {
  if (errors.empty())
    return {};
  std::ranges::sort(errors);
  const size_t n = errors.size();
  return {n, (errors[(n - 1) / 2] + errors[n / 2]) / 2, errors[size_t(std::ceil(0.9 * double(n))) - 1]};
}

struct Line {
  std::string name;
  Spread own, cross;
  double median = 0, most = 0; ///< goals
};

using Value = std::optional<double> Row::*;
Spread spreadOf(const Validation &validation, Group group, Value value) {
  std::vector<double> errors;
  for (const Row &row : validation.rows)
    if (row.group == group && row.isScored() && row.*value)
      errors.push_back(row.error(row.*value));
  return spreadOf(std::move(errors));
}

/// A line for each group that has rows; A5 tiles have a second one without their fits.
std::vector<Line> linesOf(const Validation &validation) {
  std::vector<Line> lines;
  for (size_t g = 0; g < kGroups.size(); ++g) {
    const GroupInfo &info = kGroups[g];
    Line line{info.name, spreadOf(validation, Group(g), &Row::estimate),
              spreadOf(validation, Group(g), &Row::crossEstimate), info.median, info.most};
    if (line.own.count)
      lines.push_back(line);
    if (Group(g) == Group::A5Tiles)
      if (Spread scheduled = spreadOf(validation, Group(g), &Row::scheduled); scheduled.count)
        lines.push_back({"the same, by the schedule of a scope", scheduled, {}, 0, 0});
  }
  return lines;
}

std::string share(double value) { return format("%.1f %%", value * 100); }
std::string shareOr(const Spread &spread, double value) { return spread.count ? share(value) : "-"; }
std::string goal(double value) { return value > 0 ? format("%.0f %%", value * 100) : "-"; }

std::string what(const Anchor &anchor) {
  std::string text = anchor.id + " " + anchor.name + " " + anchor.dtype + " " + anchor.shape.text();
  if (anchor.isKernel)
    text += " " + std::string(anchor.metric());
  return text;
}

/// Rows of a group, worst first.
std::vector<const Row *> worstOf(const Validation &validation, Group group, size_t most) {
  std::vector<const Row *> rows;
  for (const Row &row : validation.rows)
    if (row.group == group && row.isScored())
      rows.push_back(&row);
  std::ranges::sort(rows, std::greater(), [](const Row *row) { return std::pair(row->error(row->estimate), row); });
  rows.resize(std::min(rows.size(), most));
  return rows;
}

const char *unitOf(const Anchor &anchor) {
  switch (anchor.unit) {
  case Anchor::Unit::Cycles:
    return "cycles";
  case Anchor::Unit::GigabytesPerSecond:
    return "GB/s";
  default:
    return "us";
  }
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  }
  return result + "\"";
}
} // namespace

std::string validationText(const Validation &validation) {
  std::string text =
      format("%-38s %5s %9s %9s %9s %9s   %s\n", "group", "rows", "median", "90 %", "CV median", "CV 90 %", "goal");
  for (const Line &line : linesOf(validation))
    text += format("%-38s %5zu %9s %9s %9s %9s   %s, %s\n", line.name.c_str(), line.own.count,
                   share(line.own.median).c_str(), share(line.own.most).c_str(),
                   shareOr(line.cross, line.cross.median).c_str(), shareOr(line.cross, line.cross.most).c_str(),
                   goal(line.median).c_str(), goal(line.most).c_str());
  text += "\nworst rows\n";
  for (size_t g = 0; g < kGroups.size(); ++g) {
    std::vector<const Row *> rows = worstOf(validation, Group(g), 5);
    if (!rows.empty())
      text += "  " + std::string(kGroups[g].name) + "\n";
    for (const Row *row : rows)
      text += format("    %6.1f %%  %s: %.4g %s, estimated %.4g\n", (*row->estimate / row->published - 1) * 100,
                     what(row->anchor).c_str(), row->published, unitOf(row->anchor), *row->estimate);
  }
  std::map<std::string, std::vector<const Row *>> reasons;
  size_t missing = 0;
  for (const Row &row : validation.rows)
    if (!row.isScored()) {
      reasons[row.reason].push_back(&row);
      ++missing;
    }
  if (missing)
    text += format("\nnot estimated: %zu rows\n", missing);
  for (const auto &[reason, rows] : reasons) {
    text += "  " + reason + "\n   ";
    for (const Row *row : rows)
      text += " " + row->anchor.id;
    text += "\n";
  }
  return text;
}

std::string validationJson(const Validation &validation) {
  std::string text = "{\"groups\": [";
  const char *comma = "";
  for (const Line &line : linesOf(validation)) {
    text += format("%s\n  {\"name\": %s, \"rows\": %zu, \"median\": %.6g, \"p90\": %.6g", comma,
                   quoted(line.name).c_str(), line.own.count, line.own.median, line.own.most);
    if (line.cross.count)
      text += format(", \"crossMedian\": %.6g, \"crossP90\": %.6g", line.cross.median, line.cross.most);
    text += "}";
    comma = ",";
  }
  text += "],\n \"rows\": [";
  comma = "";
  for (const Row &row : validation.rows) {
    text += std::string(comma) + "\n  {\"id\": " + quoted(row.anchor.id) +
            ", \"group\": " + quoted(kGroups[size_t(row.group)].name) +
            format(", \"published\": %.9g, \"unit\": \"%s\"", row.published, unitOf(row.anchor));
    if (row.estimate)
      text += format(", \"estimate\": %.9g", *row.estimate);
    if (row.crossEstimate)
      text += format(", \"crossEstimate\": %.9g", *row.crossEstimate);
    if (row.scheduled)
      text += format(", \"scheduled\": %.9g", *row.scheduled);
    if (!row.isScored())
      text += ", \"reason\": " + quoted(row.reason);
    text += "}";
    comma = ",";
  }
  return text + "]}\n";
}

std::string validationMarkdown(const Validation &validation) {
  std::string text =
      "| group | rows | median | 90 % | cross-validated median | 90 % | goal |\n|---|---|---|---|---|---|---|\n";
  for (const Line &line : linesOf(validation))
    text += format("| %s | %zu | %s | %s | %s | %s | %s, %s |\n", line.name.c_str(), line.own.count,
                   share(line.own.median).c_str(), share(line.own.most).c_str(),
                   shareOr(line.cross, line.cross.median).c_str(), shareOr(line.cross, line.cross.most).c_str(),
                   goal(line.median).c_str(), goal(line.most).c_str());
  size_t missing = std::ranges::count_if(validation.rows, [](const Row &row) { return !row.isScored(); });
  return text + format("\n%zu of %zu rows are not estimated.\n", missing, validation.rows.size());
}

} // namespace ptoscope::validate
