//===- GmLines.cpp - which lines of GM a launch touches, and when ---------===//

#include "GmLines.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ptoscope::timing {

void GmLines::touch(uint64_t start, uint64_t bytes, uint32_t epoch) {
  if (bytes == 0)
    return;
  uint64_t line = start / kLineBytes;
  const uint64_t end = (start + bytes - 1) / kLineBytes + 1;
  while (line < end) {
    const uint64_t place = line / 64, first = line % 64, count = std::min<uint64_t>(64 - first, end - line);
    const uint64_t ones = count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
    push({place, ones << first, epoch});
    line += count;
  }
}

void GmLines::add(const GmLines &other, std::span<const uint32_t> epochs) {
  for (const Word &word : other.words)
    push({word.place, word.bits, epochs[word.epoch]});
}

void GmLines::merge(std::vector<Word> &words) {
  std::sort(words.begin(), words.end(),
            [](const Word &a, const Word &b) { return a.place != b.place ? a.place < b.place : a.epoch < b.epoch; });
  size_t kept = 0;
  for (const Word &word : words)
    if (kept && words[kept - 1].isBeside(word))
      words[kept - 1].bits |= word.bits;
    else
      words[kept++] = word;
  words.resize(kept);
}

const GmLines::Use &GmLines::useOf(double cacheBytes) const {
  for (const auto &[bytes, use] : uses)
    if (bytes == cacheBytes)
      return use;
  return uses.emplace_back(cacheBytes, compute(cacheBytes)).second;
}

double GmLines::coresOf(uint32_t cores) const {
  std::vector<Word> sorted = words;
  merge(sorted);
  double touches = 0, sum = 0;
  std::vector<uint64_t> byCore(cores);
  for (size_t i = 0; i < sorted.size();) {
    const size_t begin = i;
    for (; i < sorted.size() && sorted[i].place == sorted[begin].place; ++i)
      byCore[sorted[i].epoch % cores] |= sorted[i].bits;
    std::array<uint32_t, 64> count{};
    for (uint64_t &bits : byCore)
      for (; bits; bits &= bits - 1)
        ++count[size_t(std::countr_zero(bits))];
    for (size_t j = begin; j < i; ++j) {
      touches += std::popcount(sorted[j].bits);
      for (uint64_t bits = sorted[j].bits; bits; bits &= bits - 1)
        sum += count[size_t(std::countr_zero(bits))];
    }
  }
  return touches > 0 ? sum / touches : 1;
}

GmLines::Use GmLines::compute(double cacheBytes) const {
  std::vector<Word> sorted = words;
  merge(sorted);
  uint32_t epochs = 0;
  for (const Word &word : sorted)
    epochs = std::max(epochs, word.epoch + 1);

  Use use;
  std::vector<uint64_t> before(epochs + 1); // lines touched in lower epochs, counted in each
  for (size_t i = 0; i < sorted.size();) {
    uint64_t all = 0;
    const uint64_t place = sorted[i].place;
    for (; i < sorted.size() && sorted[i].place == place; ++i) {
      all |= sorted[i].bits;
      before[sorted[i].epoch + 1] += uint64_t(std::popcount(sorted[i].bits));
    }
    use.distinct += uint64_t(std::popcount(all));
  }
  const double capacity = cacheBytes / double(kLineBytes);
  if (double(use.distinct) <= capacity) {
    use.fetched = use.distinct;
    return use;
  }
  for (uint32_t e = 0; e < epochs; ++e)
    before[e + 1] += before[e];
  // TIME-51: what the cache held when an epoch began: the lines of as many epochs before it as fit.
  std::vector<uint32_t> oldest(epochs);
  for (uint32_t e = 0, first = 0; e < epochs; ++e) {
    while (first<e &&double(before[e] - before[first])> capacity)
      ++first;
    oldest[e] = first;
  }
  for (size_t i = 0, group = 0; i < sorted.size(); ++i) {
    if (sorted[i].place != sorted[group].place)
      group = i;
    uint64_t missing = sorted[i].bits;
    for (size_t j = i; j-- > group && missing && sorted[j].epoch >= oldest[sorted[i].epoch];)
      missing &= ~sorted[j].bits;
    use.fetched += uint64_t(std::popcount(missing));
  }
  return use;
}

} // namespace ptoscope::timing
