//===- Alignment.cpp - which lines of two texts are the same --------------===//

#include "ptoscope/Audit/Alignment.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace ptoscope::audit {

namespace {

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.'; }

/// What is compared of a line.
struct Line {
  std::string_view raw;
  std::string text, instruction;

  explicit Line(std::string_view line) : raw(line), text(normalised(line)), instruction(instructionOf(text)) {}

  unsigned likeness(const Line &other) const {
    if (instruction.empty()) // braces, empty lines: they follow the rest
      return text == other.text ? 1 : 0;
    if (raw == other.raw)
      return 8;
    return text == other.text ? 6 : instruction == other.instruction ? 2 : 0;
  }
};

/// More pairs of lines than this are not looked at one by one.
constexpr size_t kMaxCells = 25'000'000;

} // namespace

std::string normalised(std::string_view line) {
  line = line.substr(0, line.find("//"));
  std::string text;
  bool inString = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    inString ^= c == '"';
    if (!inString && std::isspace(static_cast<unsigned char>(c))) {
      if (!text.empty() && text.back() != ' ')
        text += ' ';
      continue;
    }
    text += c;
    if (c == '%' && !inString)
      while (i + 1 < line.size() && (isWordCharacter(line[i + 1]) || line[i + 1] == '#' || line[i + 1] == '-'))
        ++i;
  }
  while (!text.empty() && text.back() == ' ')
    text.pop_back();
  return text;
}

std::string instructionOf(std::string_view text) {
  // Results come first: "%, % = pto.x".
  if (text.starts_with('%'))
    if (const size_t equals = text.find(" = "); equals != std::string_view::npos)
      text.remove_prefix(equals + 3);
  size_t end = 0;
  while (end < text.size() && isWordCharacter(text[end]))
    ++end;
  return std::string(text.substr(0, end));
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

double likeness(std::string_view a, std::string_view b) {
  std::map<std::string, int64_t> counts;
  size_t all = 0, common = 0;
  for (std::string_view line : linesOf(a))
    if (std::string text = normalised(line); !instructionOf(text).empty()) {
      ++counts[text];
      ++all;
    }
  for (std::string_view line : linesOf(b))
    if (std::string text = normalised(line); !instructionOf(text).empty()) {
      ++all;
      if (counts[text]-- > 0)
        common += 2;
    }
  return all ? double(common) / double(all) : 0;
}

Alignment::Alignment(std::string_view before, std::string_view after) {
  std::vector<Line> a, b;
  for (std::string_view line : linesOf(before))
    a.emplace_back(line);
  for (std::string_view line : linesOf(after))
    b.emplace_back(line);
  forth.assign(a.size() + 1, 0);
  back.assign(b.size() + 1, 0);
  const auto join = [&](size_t i, size_t j) {
    forth[i + 1] = uint32_t(j + 1);
    back[j + 1] = uint32_t(i + 1);
  };
  size_t first = 0, endA = a.size(), endB = b.size();
  for (; first < endA && first < endB && a[first].text == b[first].text; ++first)
    join(first, first);
  for (; endA > first && endB > first && a[endA - 1].text == b[endB - 1].text; --endA, --endB)
    join(endA - 1, endB - 1);
  const size_t rows = endA - first, columns = endB - first;
  if (rows == 0 || columns == 0)
    return;
  if (rows > kMaxCells / columns) {
    // The next equal line, if it is not far.
    for (size_t i = first, j = first; i < endA; ++i) {
      constexpr size_t kReach = 1000;
      for (size_t k = j; k < std::min(endB, j + kReach); ++k)
        if (!a[i].instruction.empty() && a[i].text == b[k].text) {
          join(i, k);
          j = k + 1;
          break;
        }
    }
    return;
  }
  enum Step : uint8_t { Both, Up, Left };
  std::vector<uint8_t> steps(rows * columns);
  std::vector<uint32_t> above(columns + 1, 0), row(columns + 1, 0);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      const unsigned alike = a[first + i].likeness(b[first + j]);
      uint32_t best = above[j + 1];
      Step step = Up;
      if (row[j] > best) {
        best = row[j];
        step = Left;
      }
      if (alike && above[j] + alike >= best) {
        best = above[j] + alike;
        step = Both;
      }
      row[j + 1] = best;
      steps[i * columns + j] = step;
    }
    std::swap(above, row);
  }
  for (size_t i = rows, j = columns; i > 0 && j > 0;) {
    const uint8_t step = steps[(i - 1) * columns + j - 1];
    if (step == Both)
      join(first + --i, first + --j);
    else
      --(step == Up ? i : j);
  }
}

} // namespace ptoscope::audit
