//===- Format.cpp - numbers and tables of timing reports ------------------===//

#include "Format.h"

#include "ptoscope/Timing/Stats.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ptoscope::timing {

std::string number(double value, int digits) {
  char text[64];
  snprintf(text, sizeof text, "%.*f", digits, value == 0 ? 0.0 : value);
  return text;
}

std::string percent(double part, double whole) { return number(whole > 0 ? 100 * part / whole : 0) + " %"; }

std::string timesText(uint64_t times) { return times == 1 ? "once" : std::to_string(times) + " times"; }

std::string_view coreName(CoreId core) {
  constexpr std::string_view kNames[kCoresPerBlock] = {"AIC", "AIV0", "AIV1"};
  return kNames[core.index];
}

std::string trackName(CoreId core, Pipe pipe, bool isCluster) {
  return (isCluster ? std::string(coreName(core)) + " " : "") + std::string(profilerName(pipe));
}

std::string pathName(Space from, Space to) {
  auto name = [](Space space) {
    std::string text(ptoscope::nameOf(space));
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return text;
  };
  return name(from) + " to " + name(to);
}

std::string placeAndOp(const SiteTable &sites, SiteId site) {
  if (site >= sites.size())
    return "?";
  const Site &known = sites[site];
  // The file's own name is enough: its folder is on the command line.
  std::string file = known.place.file.substr(known.place.file.find_last_of('/') + 1);
  return file + ":" + std::to_string(known.place.line) + " " + known.op;
}

/// Columns on a terminal; every code point has one.
static size_t widthOf(const std::string &text) {
  return size_t(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

Table::Table(std::vector<std::string> given) : headings(std::move(given)) {
  for (std::string &heading : headings) {
    right.push_back(heading.starts_with('>'));
    if (right.back())
      heading.erase(0, 1);
  }
}

std::string Table::render(size_t indent) const {
  std::vector<size_t> widths(headings.size(), 0);
  auto widen = [&](const std::vector<std::string> &cells) {
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], widthOf(cells[i]));
  };
  widen(headings);
  for (const std::vector<std::string> &row : rows)
    widen(row);
  std::string text;
  auto print = [&](const std::vector<std::string> &cells) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string space(widths[i] - widthOf(cells[i]), ' ');
      line += (i ? "  " : "") + (right[i] ? space + cells[i] : cells[i] + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  if (std::ranges::any_of(headings, [](const std::string &heading) { return !heading.empty(); }))
    print(headings);
  for (const std::vector<std::string> &row : rows)
    print(row);
  return text;
}

} // namespace ptoscope::timing
