//===- MemoryMap.cpp - on-chip memories over a program, drawn -------------===//

#include "ptoscope/Plan/MemoryMap.h"

#include "ptoscope/Machine/Words.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

namespace ptoscope {

namespace {

/// One memory of a map.
struct Chart {
  const MemoryMap &map;
  Space space;
  std::vector<const MappedTile *> tiles;   ///< with an address, by address and first step
  std::vector<const MappedTile *> unknown; ///< without
  uint64_t capacity, top = 0;              ///< the first byte that no tile has
  uint64_t mostInUse = 0;
  uint32_t worst = 0; ///< step

  Chart(const MemoryMap &map, Space space) : map(map), space(space) {
    capacity = map.planned ? plannedBytes(*map.profile, space) : map.profile->bytes[size_t(space)];
    for (const MappedTile &tile : map.tiles)
      if (tile.space == space)
        (tile.address ? tiles : unknown).push_back(&tile);
    std::ranges::sort(tiles, {},
                      [](const MappedTile *tile) { return std::tuple(*tile->address, tile->used.begin, tile); });
    std::vector<std::pair<uint32_t, int64_t>> changes;
    for (const MappedTile *tile : tiles) {
      top = std::max(top, *tile->address + tile->bytes);
      changes.push_back({tile->used.begin, int64_t(tile->bytes)});
      changes.push_back({tile->used.end, -int64_t(tile->bytes)});
    }
    std::ranges::sort(changes);
    int64_t now = 0;
    for (auto [step, bytes] : changes)
      if ((now += bytes) > int64_t(mostInUse)) {
        mostInUse = uint64_t(now);
        worst = step;
      }
  }

  uint32_t steps() const { return uint32_t(map.lines.size()); }
  uint32_t lineAt(uint32_t step) const { return step < map.lines.size() ? map.lines[step] : 0; }
  /// Small tiles would vanish below a capacity that is drawn to scale.
  bool isToScale() const { return top * 4 >= capacity; }
  uint64_t drawnBytes() const { return isToScale() ? std::max(capacity, top) : top; }

  std::string title() const {
    return "@" + map.kernel + ", " + spaceText(space) + ": tiles up to byte " + std::to_string(top) + " of " +
           std::to_string(capacity) + ", at most " + plural(mostInUse, "byte") + " in use at once (line " +
           std::to_string(lineAt(worst)) + ")";
  }
  /// "lines 12 to 20", from its first use to its last one.
  std::string linesOf(const MappedTile &tile) const {
    uint32_t first = lineAt(tile.used.begin), last = lineAt(tile.used.end - 1);
    return first == last ? "line " + std::to_string(first)
                         : "lines " + std::to_string(first) + " to " + std::to_string(last);
  }
  std::string bytesOf(const MappedTile &tile) const {
    return hex(*tile.address, 5) + ".." + hex(*tile.address + tile.bytes - 1, 5);
  }
};

std::vector<Chart> chartsOf(const MemoryMap &map) {
  std::vector<Chart> charts;
  for (Space space : {Space::Ub, Space::L1, Space::L0A, Space::L0B, Space::L0C, Space::Bt, Space::Fb})
    if (Chart chart(map, space); !chart.tiles.empty() || !chart.unknown.empty())
      charts.push_back(std::move(chart));
  return charts;
}

std::string padded(std::string text, size_t width, bool right = false) {
  const size_t fill = text.size() < width ? width - text.size() : 0;
  return right ? std::string(fill, ' ') + text : text + std::string(fill, ' ');
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

constexpr uint32_t kColumns = 64, kRows = 16;
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr char kShared = '#', kFree = '.';

/// The tile of a cell: the one that has most of its bytes, or that two have some in
/// common.
char cellOf(const Chart &chart, uint64_t begin, uint64_t end, const StepRange &steps) {
  uint64_t most = 0;
  char letter = kFree;
  const MappedTile *reaching = nullptr;
  for (size_t i = 0; i < chart.tiles.size(); ++i) {
    const MappedTile &tile = *chart.tiles[i];
    const uint64_t low = std::max(begin, *tile.address), high = std::min(end, *tile.address + tile.bytes);
    if (low >= high || !tile.used.meets(steps))
      continue;
    if (reaching && low < *reaching->address + reaching->bytes && tile.used.meets(reaching->used))
      return kShared;
    if (!reaching || *tile.address + tile.bytes > *reaching->address + reaching->bytes)
      reaching = &tile;
    if (high - low > most) {
      most = high - low;
      letter = kLetters[i % kLetters.size()];
    }
  }
  return letter;
}

void drawText(const Chart &chart, std::string &out) {
  out += chart.title() + "\n";
  if (!chart.tiles.empty()) {
    // Whole blocks, and a round number of them: addresses are easier to read.
    uint64_t rowBytes = kBlockBytes;
    while (rowBytes * kRows < chart.drawnBytes())
      rowBytes *= 2;
    const uint64_t rows = (chart.drawnBytes() + rowBytes - 1) / rowBytes;
    const uint32_t steps = std::max(chart.steps(), 1u),
                   columns = steps >= kColumns ? kColumns : kColumns / steps * steps;
    const std::string capacity = padded(hex(chart.capacity, 5), 9, true);
    auto capacityLine = [&] {
      std::string line = capacity + " ";
      for (uint32_t i = 0; i <= columns; ++i)
        line += i % 2 ? " " : "-";
      out += line + " capacity\n";
    };
    if (!chart.isToScale()) {
      capacityLine();
      out += std::string(9, ' ') + " :\n";
    }
    bool drawn = !chart.isToScale(), shared = false;
    for (uint64_t row = rows; row-- > 0;) {
      if (!drawn && row * rowBytes < chart.capacity) {
        capacityLine();
        drawn = true;
      }
      std::string line = padded(hex(row * rowBytes, 5), 9, true) + " |";
      for (uint32_t column = 0; column < columns; ++column) {
        const uint32_t first = uint32_t(uint64_t(column) * steps / columns);
        const uint32_t past = std::max(first + 1, uint32_t(uint64_t(column + 1) * steps / columns));
        line += cellOf(chart, row * rowBytes, (row + 1) * rowBytes, {first, past});
      }
      shared |= line.find(kShared) != std::string::npos;
      out += line + "\n";
    }
    const std::string first = "line " + std::to_string(chart.lineAt(0)),
                      last = "line " + std::to_string(chart.lineAt(steps - 1));
    out += std::string(9, ' ') + " +" + std::string(columns, '-') + "\n" + std::string(11, ' ') + first +
           padded(last, columns > first.size() ? columns - first.size() : 0, true) + "\n";
    if (shared)
      out += std::string(11, ' ') + "#: two tiles that are in use have bytes in common\n";
  }
  size_t nameWidth = 0, bytesWidth = 0;
  for (const auto *list : {&chart.tiles, &chart.unknown})
    for (const MappedTile *tile : *list) {
      nameWidth = std::max(nameWidth, tile->name.size());
      bytesWidth = std::max(bytesWidth, plural(tile->bytes, "byte").size());
    }
  auto legend = [&](std::string_view letter, const MappedTile &tile, const std::string &place) {
    out += "  " + std::string(letter) + "  " + padded(tile.name, nameWidth) + "  " + place + "  " +
           padded(plural(tile.bytes, "byte"), bytesWidth, true) + "  " + chart.linesOf(tile) + "\n";
  };
  for (size_t i = 0; i < chart.tiles.size(); ++i)
    legend(kLetters.substr(i % kLetters.size(), 1), *chart.tiles[i], chart.bytesOf(*chart.tiles[i]));
  for (const MappedTile *tile : chart.unknown)
    legend("?", *tile, "not a constant  ");
}

//===----------------------------------------------------------------------===//
// SVG
//===----------------------------------------------------------------------===//

constexpr double kLeft = 84, kWidth = 860, kHeight = 300, kTitle = 34, kFoot = 40;

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text)
    if (c == '<' || c == '>' || c == '&' || c == '"')
      result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : "&quot;";
    else
      result += c;
  return result;
}

std::string number(double value) {
  char text[32];
  snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

std::string label(double x, double y, const char *anchor, std::string_view text, const char *more = "") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" +
         escaped(text) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const char *style) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
         "\" " + style + "/>\n";
}

/// Draws from `top` downwards; returns where the next chart begins.
double drawSvg(const Chart &chart, double top, std::string &out) {
  out += label(kLeft, top + 18, "start", chart.title(), " font-weight=\"bold\"");
  const double ceiling = top + kTitle + 12, floor = ceiling + kHeight;
  // If the capacity is far above the tiles, it gets a strip of its own, out of scale.
  const double usable = chart.isToScale() ? kHeight : kHeight * 0.9;
  const double perByte = usable / double(std::max<uint64_t>(chart.drawnBytes(), 1));
  const double perStep = kWidth / double(std::max(chart.steps(), 1u));
  auto y = [&](uint64_t byte) { return floor - double(byte) * perByte; };
  auto x = [&](uint32_t step) { return kLeft + double(step) * perStep; };
  out += line(kLeft, ceiling, kLeft, floor, "stroke=\"#444\"") +
         line(kLeft, floor, kLeft + kWidth, floor, "stroke=\"#444\"");
  for (size_t i = 0; i < chart.tiles.size(); ++i) {
    const MappedTile &tile = *chart.tiles[i];
    const double width = x(tile.used.end) - x(tile.used.begin), height = double(tile.bytes) * perByte;
    const double boxTop = y(*tile.address + tile.bytes);
    out += "<rect x=\"" + number(x(tile.used.begin)) + "\" y=\"" + number(boxTop) + "\" width=\"" + number(width) +
           "\" height=\"" + number(height) + "\" fill=\"hsl(" + std::to_string(i * 137 % 360) +
           ",62%,78%)\" fill-opacity=\"0.85\" stroke=\"#333\" stroke-width=\"0.8\"><title>" +
           escaped(tile.name + ", line " + std::to_string(tile.line) + ": " + chart.bytesOf(tile) + ", " +
                   plural(tile.bytes, "byte") + ", in use in " + chart.linesOf(tile)) +
           "</title></rect>\n";
    constexpr double kCharacter = 6.8, kText = 12;
    auto fits = [&](const std::string &text) {
      return height >= kText && double(text.size()) * kCharacter + 4 <= width;
    };
    const std::string full = tile.name + " " + plural(tile.bytes, "byte");
    for (const std::string &text : {full, tile.name})
      if (fits(text)) {
        out +=
            label(x(tile.used.begin) + width / 2, boxTop + height / 2 + 4, "middle", text, " pointer-events=\"none\"");
        break;
      }
  }
  const double limit = chart.isToScale() ? y(chart.capacity) : ceiling;
  out += line(kLeft, limit, kLeft + kWidth, limit, "stroke=\"#c00\" stroke-dasharray=\"6 4\"");
  out += label(kLeft + kWidth, limit - 4, "end",
               "capacity " + plural(chart.capacity, "byte") + (chart.isToScale() ? "" : " (not to scale)"),
               " fill=\"#c00\"");
  out += label(kLeft - 6, floor, "end", hex(0, 5)) + label(kLeft - 6, y(chart.top) + 4, "end", hex(chart.top, 5));
  const uint32_t marks = std::min<uint32_t>(chart.steps(), 8);
  uint32_t shown = 0;
  for (uint32_t i = 0; i < marks; ++i) {
    const uint32_t step = uint32_t(uint64_t(i) * chart.steps() / marks);
    if (chart.lineAt(step) == shown)
      continue;
    shown = chart.lineAt(step);
    out += label(x(step), floor + 16, "start", (i ? "" : "line ") + std::to_string(shown));
  }
  std::string unknown;
  for (const MappedTile *tile : chart.unknown)
    unknown += (unknown.empty() ? "addresses that are not constants: " : ", ") + tile->name + " (line " +
               std::to_string(tile->line) + ")";
  if (!unknown.empty())
    out += label(kLeft, floor + 32, "start", unknown);
  return floor + kFoot;
}

} // namespace

std::string mapText(const MemoryMap &map) {
  std::string out;
  for (const Chart &chart : chartsOf(map)) {
    if (!out.empty())
      out += "\n";
    drawText(chart, out);
  }
  return out.empty() ? "@" + map.kernel + " has no tiles\n" : out;
}

std::string mapSvg(const std::vector<MemoryMap> &maps) {
  std::string body;
  double top = 8;
  for (const MemoryMap &map : maps)
    for (const Chart &chart : chartsOf(map))
      top = drawSvg(chart, top, body);
  const std::string size = "width=\"" + number(kLeft + kWidth + 24) + "\" height=\"" + number(top + 8) + "\"";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
         " font-family=\"sans-serif\" font-size=\"12\" style=\"background:#fff\">\n" + body + "</svg>\n";
}

} // namespace ptoscope
