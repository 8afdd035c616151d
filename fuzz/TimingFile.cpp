//===- TimingFile.cpp - files that may be of `--timing` -------------------===//
//
// Whole files have hundreds of lines. An input that only lacks figures gets them
// from the built-in file, so that short inputs reach the end of the reader.
//
//===----------------------------------------------------------------------===//

#include "Input.h"

#include "ptoscope/Timing/Model.h"

#include <cmath>
#include <random>
#include <set>
#include <vector>

using namespace ptoscope;
using timing::Model;

namespace {

/// The input as lines.
std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

struct Line {
  std::string_view key;
  std::string text;
};

/// The lines of a whole file, by their keys.
std::vector<Line> linesOf(ProfileId profile) {
  std::vector<Line> lines;
  for (const Model::Figure &figure : Model::of(profile).figures())
    lines.push_back({figure.key, figure.key + " " + std::to_string(figure.value) + " assumed\n"});
  return lines;
}

/// The input with a line for each figure that it lacks.
std::string completed(std::string_view text) {
  std::set<std::string_view> given;
  bool isA3 = false;
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
    const std::string_view key = line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
    given.insert(key);
    if (key == "profile")
      isA3 |= line.find("a3") != std::string_view::npos || line.find("a2") != std::string_view::npos;
    at += line.size() + 1;
  }
  static const std::vector<Line> a5 = linesOf(ProfileId::A5), a3 = linesOf(ProfileId::A3);
  std::string whole(text);
  whole += '\n';
  for (const Line &line : isA3 ? a3 : a5)
    if (!given.contains(line.key))
      whole += line.text;
  return whole;
}

Result<std::unique_ptr<Model>> parse(std::string_view text) {
  Result<std::unique_ptr<Model>> model = Model::parse(text, "input.timing");
  if (!model)
    fuzz::require(model.finding().code == "timing-file" && !model.finding().message.empty() &&
                      !model.finding().help.empty(),
                  "a refusal says why, and what to do");
  return model;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text = fuzz::textOf(data, size);
  Result<std::unique_ptr<Model>> model = parse(text);
  if (!model && model.finding().message.starts_with("this timing file lacks"))
    model = parse(completed(text));
  if (model)
    for (const Model::Figure &figure : (*model)->figures())
      fuzz::require(std::isfinite((**model)[figure.key]), "a figure that was accepted is a number");
  return 0;
}

/// Words of lines are replaced by others of the file, by known keys and by numbers that no one expects.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  const auto below = [&](size_t n) { return size_t(random()) / 7 % n; };
  if (below(3) == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::vector<std::string> lines = linesOf(fuzz::textOf(data, size));
  static const char *const kWords[] = {"0",       "-1",  "1e308", "nan",   "inf",    "1e-320", "0x10",
                                       "1e999",   "1,5", "S",     "S,M,T", "S,,M",   "fit",    "#",
                                       "assumed", "",    "a5",    "a3",    "profile"};
  const std::vector<timing::FigureInfo> &table = timing::figureTable();
  for (size_t i = 0, n = 1 + below(3); i < n; ++i) {
    std::string &line = lines[below(lines.size())];
    const std::string word = below(3) ? kWords[below(std::size(kWords))] : table[below(table.size())].key;
    switch (below(4)) {
    case 0:
      line = table[below(table.size())].key + " " + std::to_string(below(100)) + " " + word + " x";
      break;
    case 1:
      line = lines[below(lines.size())];
      break;
    default: {
      size_t begin = line.empty() ? 0 : line.find_first_not_of(' ', below(line.size()));
      begin = std::min(begin, line.size());
      line.replace(begin, std::min(line.find(' ', begin), line.size()) - begin, word);
    }
    }
  }
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return fuzz::give(text, data, maxSize);
}
