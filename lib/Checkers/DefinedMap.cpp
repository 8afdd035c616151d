//===- DefinedMap.cpp - which bytes of a local memory are defined ---------===//
//
// Bit ranges at any alignment, 64 bytes of memory at a time.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/DefinedMap.h"

#include <algorithm>
#include <bit>

namespace ptoscope {

static uint64_t lowBits(unsigned count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

void DefinedMap::reset() {
  zeroForReuse(words);
  wholeBegin = wholeEnd = 0;
  if (clobberers.empty())
    return;
  std::fill(clobberers.begin() + ptrdiff_t(clobberedLow), clobberers.begin() + ptrdiff_t(clobberedHigh), uint16_t(0));
  noClobberers = std::move(clobberers);
  clobberers.clear();
}

void DefinedMap::makeClobberers(uint64_t address, uint64_t bytes) {
  if (clobberers.empty()) {
    clobberers = std::move(noClobberers);
    clobberers.resize(size);
    clobberedLow = address;
    clobberedHigh = address + bytes;
  }
  clobberedLow = std::min(clobberedLow, address);
  clobberedHigh = std::max(clobberedHigh, address + bytes);
}

/// `count` (up to 64) bits from `address`, which lies in the memory.
uint64_t DefinedMap::get(uint64_t address, unsigned count) const {
  uint64_t shift = address % 64;
  uint64_t value = words[address / 64] >> shift;
  if (shift)
    value |= words[address / 64 + 1] << (64 - shift);
  return value & lowBits(count);
}

void DefinedMap::put(uint64_t address, unsigned count, uint64_t value, uint64_t mask) {
  uint64_t shift = address % 64;
  mask &= lowBits(count);
  value &= mask;
  uint64_t &low = words[address / 64];
  low = (low & ~(mask << shift)) | value << shift;
  if (shift && shift + count > 64) {
    uint64_t &high = words[address / 64 + 1];
    high = (high & ~(mask >> (64 - shift))) | value >> (64 - shift);
  }
}

void DefinedMap::growWhole(uint64_t address, uint64_t bytes) {
  const uint64_t end = address + bytes;
  if (address <= wholeEnd && end >= wholeBegin) {
    wholeBegin = std::min(wholeBegin, address);
    wholeEnd = std::max(wholeEnd, end);
  } else if (bytes > wholeEnd - wholeBegin) {
    wholeBegin = address;
    wholeEnd = end;
  }
}

void DefinedMap::shrinkWhole(uint64_t address, uint64_t bytes) {
  const uint64_t end = address + bytes;
  const uint64_t below = address > wholeBegin ? address - wholeBegin : 0, above = wholeEnd > end ? wholeEnd - end : 0;
  if (below >= above)
    wholeEnd = wholeBegin + below;
  else
    wholeBegin = end;
}

void DefinedMap::fill(uint64_t address, uint64_t bytes, bool value) {
  if (address >= size)
    return;
  bytes = std::min(bytes, size - address);
  if (!value)
    keepWholeApart(address, bytes);
  else if (isWhole(address, bytes))
    return;
  else
    growWhole(address, bytes);
  uint64_t pattern = value ? ~uint64_t(0) : 0;
  uint64_t head = std::min(bytes, (64 - address % 64) % 64);
  if (head)
    put(address, unsigned(head), pattern, ~uint64_t(0));
  address += head;
  bytes -= head;
  std::fill_n(&words[0] + address / 64, bytes / 64, pattern);
  if (const uint64_t tail = bytes % 64)
    put(address + bytes - tail, unsigned(tail), pattern, ~uint64_t(0));
}

void DefinedMap::undefine(uint64_t address, uint64_t bytes, uint16_t clobberer) {
  if (address >= size)
    return;
  bytes = std::min(bytes, size - address);
  if (!clobberer) {
    if (!clobberers.empty())
      forgetClobberers(address, bytes);
  } else if (countUndefined(address, bytes, nullptr) < bytes) {
    makeClobberers(address, bytes);
    for (uint64_t at = address; at < address + bytes; ++at)
      if (get(at, 1)) // what was undefined before has its own reason
        clobberers[at] = clobberer;
  }
  fill(address, bytes, false);
}

uint16_t DefinedMap::clobbererOf(uint64_t address, uint64_t bytes, const uint64_t *active) const {
  for (uint64_t i = 0; i < bytes && address + i < clobberers.size(); ++i)
    if ((!active || active[i / 64] >> (i % 64) & 1) && clobberers[address + i] && !get(address + i, 1))
      return clobberers[address + i];
  return 0;
}

void DefinedMap::forgetClobberers(uint64_t address, uint64_t bytes) {
  if (address < size)
    std::fill_n(clobberers.begin() + ptrdiff_t(address), std::min(bytes, size - address), uint16_t(0));
}

void DefinedMap::forgetClobberers(std::span<const BlockPart> parts) {
  for (const BlockPart &part : parts)
    for (uint64_t i = 0; i < kBlockBytes && part.address + i < size; ++i)
      if (part.touched >> i & 1)
        clobberers[part.address + i] = 0;
}

void DefinedMap::insertAny(uint64_t address, uint32_t windowBytes, const uint64_t *defined, const uint64_t *active) {
  if (!defined && !active)
    return fill(address, windowBytes, true);
  if (defined)
    keepWholeApart(address, windowBytes);
  for (uint32_t at = 0; at < windowBytes && address + at < size; at += 64) {
    unsigned count = unsigned(std::min<uint64_t>({64, windowBytes - at, size - address - at}));
    put(address + at, count, defined ? defined[at / 64] : ~uint64_t(0), active ? active[at / 64] : ~uint64_t(0));
  }
  for (uint32_t i = 0; i < windowBytes && address + i < clobberers.size(); ++i)
    if (!active || active[i / 64] >> (i % 64) & 1)
      clobberers[address + i] = 0;
}

bool DefinedMap::extractAny(uint64_t address, uint32_t windowBytes, uint64_t *defined) const {
  bool all = true;
  if (address % 64 == 0 && windowBytes % 64 == 0 && address + windowBytes <= size) {
    for (uint32_t i = 0; i < windowBytes / 64; ++i)
      all &= (defined[i] = words[address / 64 + i]) == ~uint64_t(0);
    return all;
  }
  for (uint32_t at = 0; at < windowBytes; at += 64) {
    unsigned count = std::min(64u, windowBytes - at);
    uint64_t full = lowBits(count), value = full;
    if (address + at < size) {
      unsigned inside = unsigned(std::min<uint64_t>(count, size - address - at));
      value = get(address + at, inside) | (full & ~lowBits(inside));
    }
    defined[at / 64] = value | ~full;
    all &= value == full;
  }
  return all;
}

void DefinedMap::copy(uint64_t address, const DefinedMap &source, uint64_t sourceAddress, uint64_t bytes) {
  if (address >= size || sourceAddress >= source.size)
    return;
  bytes = std::min({bytes, size - address, source.size - sourceAddress});
  keepWholeApart(address, bytes);
  bool backwards = &source == this && address > sourceAddress && address < sourceAddress + bytes;
  for (uint64_t done = 0; done < bytes;) {
    unsigned count = unsigned(std::min<uint64_t>(64, bytes - done));
    uint64_t offset = backwards ? bytes - done - count : done;
    put(address + offset, count, source.get(sourceAddress + offset, count), ~uint64_t(0));
    done += count;
  }
  if (source.clobberers.empty()) {
    if (!clobberers.empty())
      forgetClobberers(address, bytes);
    return;
  }
  auto from = source.clobberers.begin() + ptrdiff_t(sourceAddress);
  std::vector<uint16_t> moved(from, from + ptrdiff_t(bytes));
  makeClobberers(address, bytes);
  std::copy(moved.begin(), moved.end(), clobberers.begin() + ptrdiff_t(address));
}

uint64_t DefinedMap::definedTurns(uint64_t address, uint64_t stride, uint32_t windowBytes, uint64_t turns) const {
  uint64_t first = 0;
  if (stride == windowBytes)
    return countUndefined(address, turns * stride, &first) == 0 ? turns : (first - address) / stride;
  for (uint64_t turn = 0; turn < turns; ++turn)
    if (countUndefined(address + turn * stride, windowBytes, nullptr) != 0)
      return turn;
  return turns;
}

uint64_t DefinedMap::countUndefined(uint64_t address, uint64_t bytes, uint64_t *first) const {
  if (address >= size)
    return 0;
  bytes = std::min(bytes, size - address);
  if (isWhole(address, bytes))
    return 0;
  uint64_t total = 0, at = 0;
  if (address % 64 == 0) { // tiles are mostly whole
    constexpr uint64_t kTogether = 8;
    const auto areWhole = [&](uint64_t first) {
      uint64_t all = ~uint64_t(0);
      for (uint64_t i = 0; i < kTogether; ++i)
        all &= words[first + i];
      return all == ~uint64_t(0);
    };
    while (bytes - at >= 64 * kTogether && areWhole((address + at) / 64))
      at += 64 * kTogether;
    while (bytes - at >= 64 && words[(address + at) / 64] == ~uint64_t(0))
      at += 64;
  }
  for (; at < bytes; at += 64) {
    unsigned count = unsigned(std::min<uint64_t>(64, bytes - at));
    uint64_t missing = ~get(address + at, count) & lowBits(count);
    if (missing && total == 0 && first)
      *first = address + at + unsigned(std::countr_zero(missing));
    total += unsigned(std::popcount(missing));
  }
  return total;
}

} // namespace ptoscope
