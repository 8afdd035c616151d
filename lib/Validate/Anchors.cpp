//===- Anchors.cpp - published timing figures, read from a table ----------===//

#include "ptoscope/Validate/Anchors.h"
#include "ptoscope/Support/ByteOrderMark.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

namespace ptoscope::validate {

static std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos)
      return parts;
    text.remove_prefix(at + 1);
  }
}

static std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

/// The whole number that a text begins with, and what follows.
static std::optional<int64_t> takeNumber(std::string_view &text) {
  int64_t value;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0)
    return std::nullopt;
  text.remove_prefix(size_t(end - text.data()));
  return value;
}

/// Extents at the head of a text, and what follows them.
static std::vector<int64_t> takeExtents(std::string_view &text) {
  std::vector<int64_t> extents;
  while (std::optional<int64_t> extent = takeNumber(text)) {
    extents.push_back(*extent);
    if (!text.starts_with('x') || text.size() < 2 || !std::isdigit(static_cast<unsigned char>(text[1])))
      break;
    text.remove_prefix(1);
  }
  return extents;
}

std::vector<int64_t> parseExtents(std::string_view text) {
  std::vector<int64_t> extents = takeExtents(text);
  return text.empty() ? extents : std::vector<int64_t>();
}

Fields::Fields(std::string_view text) : whole(text) {
  for (std::string_view part : split(text, ';')) {
    part = trim(part);
    if (part.empty())
      continue;
    std::vector<std::string_view> sides = split(part, '=');
    if (sides.size() == 1)
      words.emplace_back(part);
    for (size_t i = 0; i + 1 < sides.size(); ++i)
      values.emplace(trim(sides[i]), trim(sides.back()));
  }
}

std::string_view Fields::operator[](std::string_view key) const {
  auto it = values.find(std::string(key));
  return it == values.end() ? std::string_view() : it->second;
}

std::optional<int64_t> Fields::number(std::string_view key) const {
  std::string_view text = (*this)[key];
  return takeNumber(text);
}

std::vector<int64_t> Fields::extents(std::string_view key) const {
  std::string_view text = (*this)[key];
  std::vector<int64_t> extents = takeExtents(text);
  bool isWhole = text.empty() || text.starts_with('(') || text.starts_with(' ');
  return isWhole ? extents : std::vector<int64_t>();
}

bool Fields::says(std::string_view text) const {
  return std::ranges::any_of(words, [&](const std::string &word) { return word.find(text) != std::string::npos; });
}

std::optional<int64_t> Fields::before(std::string_view what) const {
  const std::string pattern = " " + std::string(what);
  for (const std::string &word : words)
    for (size_t at = word.find(pattern); at != std::string::npos; at = word.find(pattern, at + 1)) {
      size_t begin = at;
      while (begin > 0 && std::isdigit(static_cast<unsigned char>(word[begin - 1])))
        --begin;
      std::string_view digits = std::string_view(word).substr(begin, at - begin);
      if (std::optional<int64_t> number = takeNumber(digits))
        return number;
    }
  return std::nullopt;
}

std::string Anchor::run() const {
  std::string text = extra.text();
  if (size_t at = text.find("metric="); at != std::string::npos)
    text.erase(at, text.find(';', at) - at);
  // Valid extents of one tile that need as many iterations are one measurement.
  std::string size = isKernel || extra["tile"].empty() ? shape.text() : "";
  return std::string(profileOf(profile).name) + " " + name + " " + dtype + " " + size + " " + text;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
constexpr std::array<std::string_view, 12> kColumns = {"id",    "profile", "kind", "name", "dtype",  "shape",
                                                       "extra", "value",   "unit", "conv", "source", "notes"};
/// Columns that a row has to have; those behind may be left out.
constexpr size_t kNeeded = 9;

template <typename T> struct Word {
  std::string_view word;
  T value;
};
constexpr Word<ProfileId> kProfiles[] = {
    {"A5", ProfileId::A5}, {"A2/A3", ProfileId::A3}, {"A3", ProfileId::A3}, {"A2", ProfileId::A2}};
constexpr Word<bool> kKinds[] = {{"op", false}, {"kernel", true}};
constexpr Word<Anchor::Unit> kUnits[] = {{"cycles", Anchor::Unit::Cycles},
                                         {"us", Anchor::Unit::Microseconds},
                                         {"%", Anchor::Unit::Percent},
                                         {"GB/s", Anchor::Unit::GigabytesPerSecond}};
constexpr Word<Anchor::Convention> kConventions[] = {{"", Anchor::Convention::None},
                                                     {"latency", Anchor::Convention::Latency},
                                                     {"occupancy", Anchor::Convention::Occupancy}};

class Reader {
public:
  Reader(const std::string &path) : path(path) {}

  Result<std::vector<Anchor>> read(std::string_view text) {
    for (std::string_view row : split(withoutByteOrderMark(text), '\n')) {
      ++line;
      if (trim(row).empty() || row.starts_with('#'))
        continue;
      if (Result<void> fine = readRow(row.ends_with('\r') ? row.substr(0, row.size() - 1) : row); !fine)
        return fine.takeFinding();
    }
    if (anchors.empty()) {
      line = 0;
      return fault("the table has no row", "a row has the columns " + columnNames());
    }
    return std::move(anchors);
  }

private:
  Finding fault(std::string message, std::string help) const {
    Finding finding = makeFinding("file-error", {path, line, 0}, std::move(message));
    finding.help = std::move(help);
    return finding;
  }
  static std::string columnNames() {
    std::string names;
    for (std::string_view column : kColumns)
      names += (names.empty() ? "" : ", ") + std::string(column);
    return names + ", separated by tabs";
  }
  template <typename T, size_t N>
  Result<T> choose(const Word<T> (&words)[N], std::string_view text, std::string_view column) const {
    std::string known;
    for (const Word<T> &word : words) {
      if (word.word == text)
        return word.value;
      if (!word.word.empty())
        known += (known.empty() ? "" : ", ") + std::string(word.word);
    }
    return fault("`" + std::string(text) + "` is not a " + std::string(column), "use one of " + known);
  }

  Result<void> readRow(std::string_view row) {
    std::vector<std::string_view> cells = split(row, '\t');
    if (cells[0] == kColumns[0]) {
      if (!std::ranges::equal(cells, kColumns))
        return fault("the columns are not those of timing figures", "they are " + columnNames());
      return {};
    }
    if (cells.size() < kNeeded || cells.size() > kColumns.size())
      return fault("the row has " + std::to_string(cells.size()) + (cells.size() == 1 ? " column" : " columns") +
                       ", not " + std::to_string(kColumns.size()),
                   "the columns are " + columnNames());
    cells.resize(kColumns.size());
    for (size_t i : {0, 3, 4, 5})
      if (cells[i].empty())
        return fault("column `" + std::string(kColumns[i]) + "` is empty", "the columns are " + columnNames());
    Result<ProfileId> profile = choose(kProfiles, cells[1], "profile");
    if (!profile)
      return profile.takeFinding();
    Result<bool> kind = choose(kKinds, cells[2], "kind");
    if (!kind)
      return kind.takeFinding();
    Result<Anchor::Unit> unit = choose(kUnits, cells[8], "unit");
    if (!unit)
      return unit.takeFinding();
    Result<Anchor::Convention> convention = choose(kConventions, cells[9], "convention (column `conv`)");
    if (!convention)
      return convention.takeFinding();
    double value;
    auto [end, error] = std::from_chars(cells[7].data(), cells[7].data() + cells[7].size(), value);
    if (error != std::errc() || end != cells[7].data() + cells[7].size() || !(value > 0) || !std::isfinite(value))
      return fault("the value `" + std::string(cells[7]) + "` is not a number above 0", "give the published figure");
    std::vector<int64_t> extents = parseExtents(cells[5]);
    if (!*kind && (extents.empty() || std::ranges::find(extents, 0) != extents.end()))
      return fault("the shape `" + std::string(cells[5]) + "` is not of the form ROWSxCOLUMNS",
                   "give the valid extents of the instruction, such as 64x128");
    if (!ids.insert(std::string(cells[0])).second)
      return fault("the id `" + std::string(cells[0]) + "` was used before", "give each row an id of its own");
    anchors.push_back({std::string(cells[0]), std::string(cells[3]), std::string(cells[4]), std::string(cells[10]),
                       std::string(cells[11]), *profile, *kind, std::move(extents), Fields(cells[5]), Fields(cells[6]),
                       value, *unit, *convention, line});
    if (*kind && anchors.back().metric().empty())
      return fault("the row of a kernel does not say what was measured",
                   "add `metric=task` or `metric=<pipe>_busy` to `extra`");
    return {};
  }

  const std::string &path;
  uint32_t line = 0;
  std::set<std::string> ids;
  std::vector<Anchor> anchors;
};
} // namespace

Result<std::vector<Anchor>> parseAnchors(std::string_view text, const std::string &path) {
  return Reader(path).read(text);
}

} // namespace ptoscope::validate
