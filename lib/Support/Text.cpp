//===- Text.cpp - numbers and names as messages write them ----------------===//

#include "ptoscope/Support/Text.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace ptoscope {

std::string hex(uint64_t value, unsigned digits) {
  std::string text;
  for (; value || text.size() < digits; value >>= 4)
    text.insert(text.begin(), "0123456789abcdef"[value & 15]);
  return "0x" + text;
}

std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

std::string plural(uint64_t n, std::string_view one) {
  return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : one.ends_with('s') ? "es" : "s");
}

std::string joined(std::span<const std::string> words, std::string_view between, std::string_view last) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text.append(i == 0 ? "" : i + 1 < words.size() ? between : last).append(words[i]);
  return text;
}

static std::string lower(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    c = 'A' <= c && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return result;
}

/// Insertions, deletions, substitutions, and swaps of neighbours: what typing gets wrong.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

std::string_view nearestOf(std::string_view word, std::span<const std::string_view> names) {
  // No name is longer than this; the rest of a longer word says nothing.
  const std::string wanted = lower(word.substr(0, 64));
  std::string_view best;
  std::tuple<bool, size_t, size_t> bestRank;
  for (std::string_view name : names) {
    const std::string candidate = lower(name);
    const bool contains = wanted.size() * 3 >= candidate.size() && candidate.find(wanted) != std::string::npos;
    const size_t distance = editDistance(wanted, candidate);
    if (!contains && distance * 3 > candidate.size())
      continue;
    const auto differs = std::ranges::mismatch(wanted, candidate).in1;
    const std::tuple rank(!contains, distance, size_t(wanted.end() - differs));
    if (best.empty() || rank < bestRank) {
      best = name;
      bestRank = rank;
    }
  }
  return best;
}

} // namespace ptoscope
