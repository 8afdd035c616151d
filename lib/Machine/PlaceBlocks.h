//===- PlaceBlocks.h - scattered bytes, block by block ----------*- C++ -*-===//
//
// A gather or scatter names up to 256 places. Observers are told of 32-byte
// blocks: the places of one block become one part, however many lanes name it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_PLACEBLOCKS_H
#define PTOSCOPE_LIB_MACHINE_PLACEBLOCKS_H

#include "ptoscope/Machine/Observer.h"

#include <algorithm>
#include <array>
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
    for (const BlockPart &part : parts())
      numbers[part.address / kBlockBytes] = 0;
    partCount = placeCount = 0;
    if (numbers.size() < bytes / kBlockBytes + 1)
      numbers.resize(bytes / kBlockBytes + 1, 0);
  }
  void add(uint32_t lane, uint32_t address) { allPlaces[placeCount++] = {lane, address}; }
  /// Room for the places of every lane and one more, and how many there are.
  Place *room() { return allPlaces.data(); }
  void setCount(uint32_t count) { placeCount = count; }
  std::span<Place> places() { return {allPlaces.data(), placeCount}; }
  std::span<BlockPart> parts() { return {allParts.data(), partCount}; }

  /// Calls body(part, mask, shift) for the block of [address, address + bytes),
  /// or for two of them: `mask` are the bytes of the block, and byte k of the
  /// datum is byte k + shift of the block.
  template <typename Body> void forEachPart(uint32_t address, uint32_t bytes, Body body) {
    uint32_t at = address % kBlockBytes, inside = std::min(bytes, kBlockBytes - at);
    body(partOf(address), ~0u >> (kBlockBytes - inside) << at, int(at));
    if (inside < bytes) [[unlikely]]
      body(partOf(address + inside), ~0u >> (kBlockBytes - (bytes - inside)), -int(inside));
  }

private:
  BlockPart &partOf(uint32_t address) {
    uint16_t &number = numbers[address / kBlockBytes];
    if (!number) {
      allParts[partCount] = {address / kBlockBytes * kBlockBytes, 0, 0};
      number = uint16_t(++partCount);
    }
    return allParts[number - 1u];
  }

  std::array<Place, kVectorBytes + 1> allPlaces;
  std::array<BlockPart, 2 * kVectorBytes> allParts;
  uint32_t placeCount = 0, partCount = 0;
  std::vector<uint16_t> numbers; ///< by block of the memory: 1 + position of its part
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_PLACEBLOCKS_H
