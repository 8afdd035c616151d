//===- Distributions.cpp - windows and registers, bit by bit --------------===//
//
// What the tables of Distribution.h mean for footprints and definedness. The
// common answer is "everything", and found without looking at bytes.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Runtime.h"
#include "ptoscope/Machine/Types.h"
#include "ptoscope/Meaning/Distribution.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

using namespace ptoscope;

namespace {

constexpr size_t kWindowWords = sizeof(PtoLoadShadow::defined) / 8;
using WindowBits = std::array<uint64_t, kWindowWords>;

constexpr void setBit(uint64_t *bits, unsigned k) { bits[k / 64] |= uint64_t(1) << (k % 64); }
constexpr bool bitOf(const uint64_t *bits, unsigned k) { return !bits || (bits[k / 64] >> (k % 64) & 1); }

/// Bytes of the window that a load into one register uses.
constexpr auto kUsedBits = [] {
  std::array<WindowBits, std::size(kLoadDists)> all{};
  for (size_t i = 0; i < all.size(); ++i)
    for (unsigned k = 0; k < kVectorBytes; ++k)
      if (int byte = sourceByte(kLoadDists[i], 0, k); byte >= 0)
        setBit(all[i].data(), unsigned(byte));
  return all;
}();

constexpr bool isFull(const WindowBits &bits, unsigned bytes) {
  for (unsigned k = 0; k < bytes; ++k)
    if (!bitOf(bits.data(), k))
      return false;
  return true;
}

constexpr auto kUsesAll = [] {
  std::array<bool, std::size(kLoadDists)> all{};
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = isFull(kUsedBits[i], kLoadDists[i].window);
  return all;
}();

/// Stored bytes that one bit of the mask decides over, as contiguous runs.
struct StoreRuns {
  struct Run {
    int16_t bit; ///< of the mask image; -1 = always written
    uint16_t target, bytes;
  };
  std::array<Run, kVectorBytes> runs{};
  unsigned count = 0;
  std::array<uint64_t, 4> deciders{}; ///< bits that matter
};
constexpr auto kStoreRuns = [] {
  std::array<StoreRuns, std::size(kStoreDists)> all{};
  for (size_t i = 0; i < all.size(); ++i) {
    StoreRuns &of = all[i];
    for (unsigned s = 0; s < kVectorBytes; ++s) {
      int byte = targetByte(kStoreDists[i], 0, s), bit = deciderBit(kStoreDists[i], s);
      if (byte < 0)
        continue;
      if (bit >= 0)
        setBit(of.deciders.data(), unsigned(bit));
      StoreRuns::Run *last = of.count ? &of.runs[of.count - 1] : nullptr;
      // A run does not cross a word, so that it is set at once.
      if (last && last->bit == bit && last->target + last->bytes == byte && byte % 64 != 0)
        ++last->bytes;
      else
        of.runs[of.count++] = {int16_t(bit), uint16_t(byte), 1};
    }
  }
  return all;
}();
constexpr auto kGapBits = [] {
  std::array<WindowBits, std::size(kStoreDists)> all{};
  for (size_t i = 0; i < all.size(); ++i)
    for (unsigned s = 0; s < kVectorBytes; ++s)
      if (int byte = targetByte(kStoreDists[i], 0, s); byte >= 0)
        setBit(all[i].data(), unsigned(byte));
  return all;
}();

bool allOn(const uint64_t *bits, unsigned words) {
  return !bits || std::all_of(bits, bits + words, [](uint64_t word) { return word == ~uint64_t(0); });
}

} // namespace

extern "C" {

const uint64_t *ptosc_load_bits(uint32_t dist) { return kUsesAll[dist] ? nullptr : kUsedBits[dist].data(); }

void ptosc_load_defined(uint32_t number, uint32_t half, const uint64_t *window, uint64_t *defined) {
  const LoadDist &dist = kLoadDists[number];
  std::fill_n(defined, kVectorBytes / 64, ~uint64_t(0));
  if (allOn(window, (dist.window + 63u) / 64))
    return;
  for (unsigned k = 0; k < kVectorBytes; ++k)
    if (int byte = sourceByte(dist, half, k); byte >= 0 && !bitOf(window, unsigned(byte)))
      defined[k / 64] &= ~(uint64_t(1) << (k % 64));
}

const uint64_t *ptosc_store_bits(uint32_t number, const uint64_t *image, uint64_t *window) {
  const StoreDist &dist = kStoreDists[number];
  const StoreRuns &of = kStoreRuns[number];
  bool all = true;
  for (unsigned w = 0; w < of.deciders.size() && image; ++w)
    all &= (of.deciders[w] & ~image[w]) == 0;
  if (all)
    return dist.map == StoreMap::Every ? kGapBits[number].data() : nullptr;
  std::fill_n(window, (dist.window + 63u) / 64, uint64_t(0));
  for (const StoreRuns::Run &run : std::span(of.runs.data(), of.count))
    if (run.bit < 0 || bitOf(image, unsigned(run.bit)))
      window[run.target / 64] |= (~uint64_t(0) >> (64 - run.bytes)) << (run.target % 64);
  return window;
}

const uint64_t *ptosc_store_defined(uint32_t number, const uint64_t *low, const uint64_t *high, uint64_t *window) {
  if (allOn(low, 4) && allOn(high, 4))
    return nullptr;
  const StoreDist &dist = kStoreDists[number];
  std::fill_n(window, kWindowWords, ~uint64_t(0));
  for (unsigned half = 0; half < (dist.registers & kTwoRegisters ? 2u : 1u); ++half)
    for (unsigned s = 0; s < kVectorBytes; ++s)
      if (int byte = targetByte(dist, half, s); byte >= 0 && !bitOf(half ? high : low, s))
        window[unsigned(byte) / 64] &= ~(uint64_t(1) << (unsigned(byte) % 64));
  return window;
}

void ptosc_mark_bytes(const uint64_t *defined, uint32_t n, uint8_t *marks) {
  for (uint32_t k = 0; k < n; ++k)
    marks[k] = bitOf(defined, k) ? 0 : 0xFF;
}

void ptosc_unmark_bytes(const uint8_t *marks, uint32_t n, uint64_t *defined) {
  std::fill_n(defined, (n + 63) / 64, uint64_t(0));
  for (uint32_t k = 0; k < n; ++k)
    if (marks[k] == 0)
      setBit(defined, k);
}

void ptosc_invert_bits(const uint64_t *bits, uint64_t *inverse) {
  for (int w = 0; w < 4; ++w)
    inverse[w] = bits ? ~bits[w] : 0;
}

void ptosc_dup_defined(const uint64_t *defined, uint32_t byte, uint32_t bytes, uint64_t *all) {
  std::fill_n(all, 4, uint64_t(0));
  for (uint32_t k = 0; k < kVectorBytes; ++k)
    if (bitOf(defined, byte + k % bytes))
      setBit(all, k);
}

void ptosc_spread_bits(const uint64_t *image, uint32_t step, uint32_t bytes, uint32_t count, uint64_t *spread) {
  if (step == bytes && bytes < 64) { // each lane's bit over the lane itself, a word at a time
    uint64_t lowest = bytes == 1 ? ~uint64_t(0) : ~uint64_t(0) / ((uint64_t(1) << bytes) - 1);
    for (uint32_t w = 0; w < 4; ++w) {
      uint64_t on = (image ? image[w] : ~uint64_t(0)) & lowest;
      const uint32_t left = count * bytes > w * 64 ? count * bytes - w * 64 : 0; // bits of this word
      const uint64_t kept = left >= 64 ? ~uint64_t(0) : (uint64_t(1) << left) - 1;
      spread[w] = (on * ((uint64_t(1) << bytes) - 1)) & kept;
    }
    return;
  }
  std::fill_n(spread, 4, uint64_t(0));
  for (uint32_t lane = 0; lane < count; ++lane)
    if (bitOf(image, lane * step))
      for (uint32_t k = 0; k < bytes; ++k)
        setBit(spread, lane * bytes + k);
}

int64_t ptosc_count_bits(const uint64_t *bits) {
  if (!bits)
    return kVectorBytes;
  int64_t count = 0;
  for (int w = 0; w < 4; ++w)
    count += std::popcount(bits[w]);
  return count;
}

} // extern "C"
