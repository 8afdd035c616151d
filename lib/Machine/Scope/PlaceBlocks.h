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
    blockCount = placeCount = 0;
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
  /// What was noted, defined as far as is known.
  std::span<BlockPart> collect() {
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
  std::array<Place, kVectorBytes + 1> allPlaces{};
  std::array<uint32_t, 2 * kVectorBytes + 1> blocks{};
  std::array<BlockPart, 2 * kVectorBytes> allParts{};
  uint32_t placeCount = 0, blockCount = 0;
  std::vector<uint32_t> touched; ///< by block of the memory: a bit per byte
  std::vector<uint16_t> numbers; ///< by block: position of its part
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCOPE_PLACEBLOCKS_H
