//===- PlaceBlocks.h - scattered bytes, block by block ----------*- C++ -*-===//
//
// A gather or scatter names up to 256 places. Observers are told of 32-byte
// blocks: the places of one block become one part, however many lanes name it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SCOPE_PLACEBLOCKS_H
#define PTOSCOPE_LIB_MACHINE_SCOPE_PLACEBLOCKS_H

#include "ptoscope/Machine/Observer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace ptoscope {

class PlaceBlocks {
public:
  /// A place that is accessed: `lane` of the register, `address` in memory.
  struct Place {
    uint32_t lane, address;
  };

  /// Forgets everything; `bytes` is the size of the memory.
  void begin(uint64_t bytes) {
    uint32_t *const map = touched.data();
    for (uint32_t i = 0, count = blockCount; i < count; ++i)
      map[blocks[i]] = 0;
    blockCount = placeCount = nearCount = 0;
    if (touched.size() < bytes / kBlockBytes + 1) {
      touched.resize(bytes / kBlockBytes + 1, 0);
      numbers.resize(bytes / kBlockBytes + 1, 0);
    }
  }
  void add(uint32_t lane, uint32_t address) { allPlaces[placeCount++] = {lane, address}; }
  /// Room for the places of every lane and one more, and how many there are.
  Place *room() { return allPlaces.data(); }
  void setCount(uint32_t count) { placeCount = count; }
  std::span<Place> places() { return {allPlaces.data(), placeCount}; }

  /// Notes the bytes of all places, `Bytes` each. The last place with bytes that
  /// an earlier one has too; null when there is none.
  template <uint32_t Bytes> const Place *markAll() {
    const Place *shared = nullptr;
    // Everything in registers of the host, and no branch on whether a block is new.
    uint32_t *const map = touched.data(), *const list = blocks.data(), count = blockCount;
    auto mark = [&](uint32_t block, uint32_t mask) {
      uint32_t before = map[block];
      list[count] = block;
      count += before == 0;
      map[block] = before | mask;
      return (before & mask) != 0;
    };
    for (const Place &place : places()) {
      uint32_t at = place.address % kBlockBytes, block = place.address / kBlockBytes;
      bool again = mark(block, (~0u >> (kBlockBytes - Bytes)) << at);
      if (at + Bytes > kBlockBytes) [[unlikely]]
        again |= mark(block + 1, ~0u >> (2 * kBlockBytes - Bytes - at));
      shared = again ? &place : shared;
    }
    blockCount = count;
    return shared;
  }
  /// In one pass, of lanes 0 to `count`: their places `base` + index * Bytes, all of which
  /// exist and are aligned, are noted with their bytes, and access(lane, address) is made.
  /// Gives back what markAll does. Backwards: the lowest lane comes last.
  template <uint32_t Bytes, bool Backwards, typename Index, typename Access>
  const Place *visit(const Index *indices, uint32_t base, uint32_t count, Access access) {
    static_assert(kBlockBytes % Bytes == 0, "a datum lies in one block");
    const Place *shared = nullptr;
    uint32_t *const map = touched.data(), *const list = blocks.data(), listed = blockCount;
    Place *const out = allPlaces.data();
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t lane = Backwards ? count - 1 - i : i;
      Index index;
      std::memcpy(&index, reinterpret_cast<const uint8_t *>(indices) + lane * sizeof(Index), sizeof(Index));
      const uint32_t address = base + uint32_t(index) * Bytes, block = address / kBlockBytes;
      const uint32_t mask = (~0u >> (kBlockBytes - Bytes)) << address % kBlockBytes, before = map[block];
      out[i] = {lane, address};
      list[listed] = block;
      listed += before == 0;
      map[block] = before | mask;
      shared = before & mask ? &out[i] : shared;
      access(lane, address);
    }
    blockCount = listed;
    placeCount = count;
    return shared;
  }
  /// The same for lanes whose indices lie between `lowest` and `highest`, at most 64 data from a
  /// block's begin on: one word has a bit for each. Lists no places and makes no access. False
  /// when they lie further apart, or when lanes of a `Backwards` one share bytes: nothing is noted.
  template <uint32_t Bytes, bool Backwards, typename Index>
  bool noteNear(const Index *indices, uint32_t base, uint32_t count, uint32_t lowest, uint32_t highest) {
    constexpr uint32_t kPerBlock = kBlockBytes / Bytes, kBits = 64;
    // Index of the first datum of the lowest block; it may come round below zero.
    const uint32_t first = lowest - (base + lowest * Bytes) % kBlockBytes / Bytes;
    if (count == 0 || highest - first >= kBits)
      return false;
    const auto bitOf = [&](uint32_t lane) {
      Index index;
      std::memcpy(&index, reinterpret_cast<const uint8_t *>(indices) + lane * sizeof(Index), sizeof(Index));
      return uint32_t(index) - first;
    };
    uint64_t bits = 0;
#pragma clang loop vectorize(disable) // one instruction each
    for (uint32_t lane = 0; lane < count; ++lane)
      bits |= uint64_t(1) << bitOf(lane);
    if (Backwards && uint32_t(std::popcount(bits)) != count)
      return false;
    const auto touchedIn = [&](uint32_t block) { return spread<Bytes>(bits >> block * kPerBlock); };
    uint64_t left = 0;
    for (uint32_t block = 0; block < kBits / kPerBlock; ++block)
      left |= uint64_t(touchedIn(block) != 0) << block;
    // In the order in which lanes name them, as `visit` has it.
    const uint32_t begin = base + first * Bytes;
    uint32_t parts = 0;
    for (uint32_t i = 0; left; ++i) {
      const uint32_t block = bitOf(Backwards ? count - 1 - i : i) / kPerBlock, address = begin + block * kBlockBytes;
      const uint32_t mask = touchedIn(block);
      allParts[parts] = {address, mask, mask};
      parts += uint32_t(left >> block & 1);
      left &= ~(uint64_t(1) << block);
    }
    nearCount = parts;
    return true;
  }
  /// What noteNear has made, for forEachPart.
  void numberNear() {
    for (uint32_t i = 0; i < nearCount; ++i)
      numbers[allParts[i].address / kBlockBytes] = uint16_t(i);
  }
  /// What was noted, defined as far as is known.
  std::span<BlockPart> collect() {
    if (nearCount)
      return {allParts.data(), nearCount};
    const uint32_t *const map = touched.data(), count = blockCount;
    uint16_t *const number = numbers.data();
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t block = blocks[i], mask = map[block];
      number[block] = uint16_t(i);
      allParts[i] = {block * kBlockBytes, mask, mask};
    }
    return {allParts.data(), count};
  }
  /// After `collect`: calls body(part, mask, shift) for the block of [address,
  /// address + bytes), or for two of them: `mask` are the bytes of the block, and
  /// byte k of the datum is byte k + shift of the block.
  template <typename Body> void forEachPart(uint32_t address, uint32_t bytes, Body body) {
    uint32_t at = address % kBlockBytes, inside = std::min(bytes, kBlockBytes - at);
    body(allParts[numbers[address / kBlockBytes]], ~0u >> (kBlockBytes - inside) << at, int(at));
    if (inside < bytes) [[unlikely]]
      body(allParts[numbers[address / kBlockBytes + 1]], ~0u >> (kBlockBytes - (bytes - inside)), -int(inside));
  }

private:
  /// `Bytes` bits for each of the low bits, as far as a block goes.
  template <uint32_t Bytes> static uint32_t spread(uint64_t bits) {
    constexpr uint32_t kPerBlock = kBlockBytes / Bytes, kTogether = std::min(kPerBlock, 8u);
    static constexpr auto kSpread = [] {
      std::array<uint32_t, 1u << kTogether> table{};
      for (uint32_t i = 0; i < table.size(); ++i)
        for (uint32_t k = 0; k < kTogether; ++k)
          table[i] |= (i >> k & 1) * (~0u >> (kBlockBytes - Bytes)) << k * Bytes;
      return table;
    }();
    uint32_t result = 0;
    for (uint32_t k = 0; k < kPerBlock; k += kTogether)
      result |= kSpread[bits >> k & (kSpread.size() - 1)] << k * Bytes;
    return result;
  }

  std::array<Place, kVectorBytes + 1> allPlaces{};
  std::array<uint32_t, 2 * kVectorBytes + 1> blocks{};
  std::array<BlockPart, 2 * kVectorBytes> allParts{};
  uint32_t placeCount = 0, blockCount = 0;
  uint32_t nearCount = 0;        ///< parts that noteNear has made; 0: it made none
  std::vector<uint32_t> touched; ///< by block of the memory: a bit per byte
  std::vector<uint16_t> numbers; ///< by block: position of its part
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCOPE_PLACEBLOCKS_H
