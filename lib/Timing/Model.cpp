//===- Model.cpp - timing files -------------------------------------------===//

#include "Figures.h"

#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/ByteOrderMark.h"
#include "ptoscope/Support/Text.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

namespace ptoscope::timing {

namespace {
struct BuiltIn {
  const char *name, *text;
};
constexpr BuiltIn kBuiltIn[] = {
#include "BuiltIn.inc"
};
/// Tags of evidence, at the head of docs/isa/05-timing.md.
constexpr std::string_view kTags[] = {"S", "M", "I", "K", "V", "F", "P", "T", "T2", "U", "G", "D", "H", "L"};

const FigureInfo *findFigure(std::string_view key) {
  const std::vector<FigureInfo> &table = figureTable();
  auto it = std::lower_bound(table.begin(), table.end(), key, [](auto &row, auto key) { return row.key < key; });
  return it != table.end() && it->key == key ? &*it : nullptr;
}

bool isSource(std::string_view source) {
  if (source == "assumed" || source == "fit")
    return true;
  while (true) {
    const size_t comma = source.find(',');
    if (std::find(std::begin(kTags), std::end(kTags), source.substr(0, comma)) == std::end(kTags))
      return false;
    if (comma == std::string_view::npos)
      return true;
    source.remove_prefix(comma + 1);
  }
}

/// "0.25", "42": as short as it reads back the same.
std::string numberText(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, std::end(text), value).ptr);
}

/// A word of a file for a message: short, and without bytes that are no text.
std::string wordText(std::string_view word) {
  constexpr size_t kLongest = 40;
  std::string text;
  for (char c : word.substr(0, kLongest))
    text += c >= ' ' && c <= '~' ? c : '?';
  return ptoscope::quoted(word.size() > kLongest ? text + "…" : text);
}

constexpr const char *kKeysHelp = "`ptoscope timing --list` shows every key with its unit";

class Reader {
public:
  Reader(std::string_view text, const std::string &path) : text(withoutByteOrderMark(text)), path(path) {}

  /// The entries of the file, in the order of their keys.
  Result<std::vector<Model::Figure>> read() {
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      ++line;
      rest = text.substr(begin, end - begin);
      if (std::optional<Finding> problem = entry())
        return std::move(*problem);
      begin = end + 1;
    }
    if (!profile)
      return wrong(0, "this timing file names no profile", "begin it with `profile a5` or `profile a3`");
    return complete();
  }
  ProfileId id() const { return *profile; }

private:
  using Entry = std::pair<size_t, Model::Figure>; ///< its place in figureTable()

  std::string_view word() {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
    const std::string_view found = rest.substr(0, rest.find_first_of(" \t\r"));
    rest.remove_prefix(found.size());
    return found;
  }

  Finding wrong(uint32_t at, std::string message, std::string help) const {
    Finding finding = makeFinding("timing-file", Place{path, at, 0}, std::move(message));
    finding.help = std::move(help);
    return finding;
  }
  Finding repeated(std::string what, uint32_t before) const {
    Finding finding = wrong(line, std::move(what) + " again", "keep one of the two lines");
    finding.notes.push_back({Place{path, before, 0}, "it stands here, too"});
    return finding;
  }

  std::optional<Finding> entry() {
    const std::string_view key = word();
    if (key.empty() || key.front() == '#')
      return {};
    if (key == "profile")
      return readProfile();
    const FigureInfo *info = findFigure(key);
    if (!info)
      return wrong(line, "there is no figure " + wordText(key), kKeysHelp);
    if (!profile)
      return wrong(line, "a figure stands before the profile it is of",
                   "begin the file with `profile a5` or `profile a3`");
    if (!(info->profiles >> unsigned(*profile) & 1))
      return wrong(line,
                   "profile `" + std::string(profileOf(*profile).name) + "` has no figure " + ptoscope::quoted(key),
                   "remove this line");
    if (const uint32_t before = lines[size_t(info - figureTable().data())])
      return repeated("the figure " + ptoscope::quoted(key) + " is given", before);
    return readFigure(key, *info);
  }

  std::optional<Finding> readProfile() {
    const std::string_view name = word();
    const Profile *named = findProfile(name);
    if (!named)
      return wrong(line, "no profile is called " + wordText(name), "write `profile a5`, `profile a3` or `profile a2`");
    if (profile)
      return repeated("the profile is named", profileLine);
    profile = named->id;
    profileLine = line;
    return {};
  }

  std::optional<Finding> readFigure(std::string_view key, const FigureInfo &info) {
    const std::string_view number = word(), source = word();
    const std::string name = ptoscope::quoted(key);
    if (number.empty())
      return wrong(line, "the figure " + name + " has no value", "write a number of " + info.unit + " behind it");
    double value;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(value))
      return wrong(line, "the value of " + name + " is not a number: " + wordText(number),
                   "write a decimal number of " + info.unit);
    if (value < info.smallest || value > info.largest)
      return wrong(line, "the value of " + name + " is out of range: " + wordText(number),
                   "it is " + info.meaning + ", " + numberText(info.smallest) + " to " + numberText(info.largest) +
                       " " + info.unit);
    if (source.empty() || source.front() == '#')
      return wrong(line, "the figure " + name + " has no source",
                   "name one behind the value: a tag of docs/isa/05-timing.md, `fit` or `assumed`");
    if (!isSource(source))
      return wrong(line, "the source of " + name + " is not known: " + wordText(source),
                   "name tags of docs/isa/05-timing.md with commas between them, `fit` or `assumed`");
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
    rest = rest.substr(0, rest.find_last_not_of(" \t\r") + 1);
    if (source == "fit" && rest.empty())
      return wrong(line, "the fit of " + name + " does not say what it was fitted to", "say it behind `fit`");
    const size_t index = size_t(&info - figureTable().data());
    lines[index] = line;
    entries.emplace_back(
        index, Model::Figure{std::string(key), value, std::string(source), std::string(rest), source == "fit"});
    return {};
  }

  Result<std::vector<Model::Figure>> complete() {
    size_t missing = 0;
    std::string first;
    for (size_t i = 0; i < lines.size(); ++i) {
      const FigureInfo &info = figureTable()[i];
      if ((info.profiles >> unsigned(*profile) & 1) && !lines[i] && ++missing == 1)
        first = ptoscope::quoted(info.key) + " (" + info.meaning + ", " + info.unit + ")";
    }
    if (missing)
      return wrong(0,
                   "this timing file lacks the figure " + first +
                       (missing > 1 ? " and " + std::to_string(missing - 1) + " more" : ""),
                   std::string("add a line `key value source` for each; ") + kKeysHelp);
    std::ranges::sort(entries, {}, &Entry::first);
    std::vector<Model::Figure> figures;
    figures.reserve(entries.size());
    for (Entry &entry : entries)
      figures.push_back(std::move(entry.second));
    return figures;
  }

  std::string_view text, rest;
  const std::string &path;
  uint32_t line = 0, profileLine = 0;
  std::optional<ProfileId> profile;
  std::vector<uint32_t> lines = std::vector<uint32_t>(figureTable().size()); ///< of figures that were given
  std::vector<Entry> entries;
};
} // namespace

Model::Model(ProfileId id, std::vector<Figure> figures) : id(id), list(std::move(figures)) {
  auto fields = std::make_shared<CostFigures>(CostFigures{});
  for (const Figure &figure : list)
    if (double *field = fieldOf(*fields, *findFigure(figure.key)))
      *field = figure.value;
  resolved = std::move(fields);
}

Result<std::unique_ptr<Model>> Model::parse(std::string_view text, const std::string &path) {
  Reader reader(text, path);
  Result<std::vector<Figure>> figures = reader.read();
  if (!figures)
    return figures.takeFinding();
  return std::unique_ptr<Model>(new Model(reader.id(), std::move(*figures)));
}

Result<std::unique_ptr<Model>> Model::read(const std::string &path) {
  Result<Array> bytes = readRaw(path);
  if (!bytes)
    return bytes.takeFinding();
  return parse({reinterpret_cast<const char *>(bytes->bytes.data()), bytes->bytes.size()}, path);
}

const Model &Model::of(ProfileId profile) {
  static const auto builtIn = [](const BuiltIn &file, ProfileId id) {
    Result<std::unique_ptr<Model>> model = parse(file.text, file.name);
    assert(model && "a built-in timing file is right");
    (*model)->id = id;
    return std::move(*model);
  };
  static const std::unique_ptr<Model> models[] = {
      builtIn(kBuiltIn[0], ProfileId::A5), builtIn(kBuiltIn[1], ProfileId::A3), builtIn(kBuiltIn[1], ProfileId::A2)};
  return *models[size_t(profile)];
}

static auto place(auto &figures, std::string_view key) {
  auto it = std::lower_bound(figures.begin(), figures.end(), key, [](auto &row, auto key) { return row.key < key; });
  assert(it != figures.end() && it->key == key && "no figure of this profile has this key");
  return it;
}

double Model::operator[](std::string_view key) const { return place(list, key)->value; }

void Model::set(std::string_view key, double value) {
  place(list, key)->value = value;
  auto fields = std::make_shared<CostFigures>(*resolved);
  if (double *field = fieldOf(*fields, *findFigure(key)))
    *field = value;
  resolved = std::move(fields);
}

} // namespace ptoscope::timing
