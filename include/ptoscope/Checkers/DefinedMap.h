//===- DefinedMap.h - which bytes of a local memory are defined -*- C++ -*-===//
//
// A bit per byte of one local memory: set when the byte holds something the
// program put there. Words are 64 bytes of memory; aligned registers are copied
// word by word. For bytes that were defined and then left undefined by an
// instruction, the map remembers which one.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_DEFINEDMAP_H
#define PTOSCOPE_CHECKERS_DEFINEDMAP_H

#include "ptoscope/Checkers/OneBlock.h"
#include "ptoscope/Checkers/Reuse.h"
#include "ptoscope/Machine/Observer.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ptoscope {

class DefinedMap {
public:
  explicit DefinedMap(uint32_t bytes) : size(bytes), words((bytes + 63) / 64 + 1) {}
  /// As it was made, for another block.
  void reset();
  /// What `before`, of the same memory, knew of bytes that are defined. Who left others undefined is forgotten.
  void takeOver(const DefinedMap &before) {
    std::copy_n(before.words.begin(), std::min(words.size(), before.words.size()), words.begin());
    wholeBegin = wholeEnd = 0;
  }

  /// Bytes past the memory are ignored by all of these.
  void define(uint64_t address, uint64_t bytes) { fill(address, bytes, true); }
  /// `clobberer` leaves the bytes undefined: a number of the caller's, 0 for bytes
  /// that are undefined for another reason.
  void undefine(uint64_t address, uint64_t bytes, uint16_t clobberer);
  /// Who left the first clobbered byte of the active ones undefined; 0 = no one did.
  uint16_t clobbererOf(uint64_t address, uint64_t bytes, const uint64_t *active = nullptr) const;
  /// Stores `defined` for the active bytes of a window; null sets are all ones.
  void insert(uint64_t address, uint32_t windowBytes, const uint64_t *defined, const uint64_t *active) {
    if (isInBlock(address, windowBytes) && defined && !active && address + windowBytes <= size)
      return insertBlock(blockOf(address), maskInBlock(address, windowBytes),
                         uint32_t(*defined) << address % kBlockBytes);
    if (!wholeRegister(address, windowBytes) || active || !defined) [[unlikely]]
      return insertAny(address, windowBytes, defined, active);
    keepWholeApart(address, windowBytes);
    std::copy_n(defined, kVectorBytes / 64, &words[address / 64]);
    if (!clobberers.empty()) [[unlikely]]
      forgetClobberers(address, windowBytes);
  }
  /// Fills a bit per window byte. Bytes past the memory count as defined, and so
  /// does the rest of the last word. True when all are.
  bool extract(uint64_t address, uint32_t windowBytes, uint64_t *defined) const {
    if (isInBlock(address, windowBytes) && address + windowBytes <= size) {
      const uint64_t others = ~uint64_t(0) << windowBytes; // at most 32 of them
      *defined = block(blockOf(address)) >> address % kBlockBytes | others;
      return *defined == ~uint64_t(0);
    }
    if (!wholeRegister(address, windowBytes)) [[unlikely]]
      return extractAny(address, windowBytes, defined);
    uint64_t common = ~uint64_t(0);
    for (uint32_t i = 0; i < kVectorBytes / 64; ++i)
      common &= defined[i] = words[address / 64 + i];
    return common == ~uint64_t(0);
  }
  /// A bit per byte of the aligned 32-byte block at `address`.
  uint32_t block(uint64_t address) const {
    return address < size ? uint32_t(words[address / 64] >> (address % 64)) : ~0u;
  }
  /// The same for each of these. True when all bytes that they touch are.
  bool extractBlocks(std::span<BlockPart> parts) const {
    const uint64_t *const all = words.data();
    uint32_t missing = 0;
    for (BlockPart &part : parts) {
      part.defined = part.address < size ? uint32_t(all[part.address / 64] >> (part.address % 64)) : ~0u;
      missing |= part.touched & ~part.defined;
    }
    return missing == 0;
  }
  /// Stores `defined` for the bytes `mask` of that block.
  void insertBlock(uint64_t address, uint32_t mask, uint32_t defined) {
    const BlockPart part{uint32_t(address), mask, defined};
    insertBlocks({&part, 1});
  }
  /// The same for the touched bytes of several blocks.
  void insertBlocks(std::span<const BlockPart> parts) {
    uint64_t *const all = words.data();
    wholeBegin = wholeEnd = 0;
    for (const BlockPart &part : parts) {
      if (part.address >= size)
        continue;
      const uint64_t shift = part.address % 64, on = uint64_t(part.touched) << shift;
      uint64_t &word = all[part.address / 64];
      word = (word & ~on) | (uint64_t(part.defined) << shift & on);
    }
    if (!clobberers.empty()) [[unlikely]]
      forgetClobberers(parts);
  }
  /// Copies the state of `bytes` bytes; ranges of one map may overlap.
  void copy(uint64_t address, const DefinedMap &source, uint64_t sourceAddress, uint64_t bytes);
  /// How many of `turns` windows from `address` on, each `stride` behind the one before,
  /// are defined up to the first that is not.
  uint64_t definedTurns(uint64_t address, uint64_t stride, uint32_t windowBytes, uint64_t turns) const;
  /// Undefined bytes of the range; `first` gets the lowest one.
  uint64_t countUndefined(uint64_t address, uint64_t bytes, uint64_t *first) const;

private:
  /// What nearly all accesses are: four words as they stand.
  bool wholeRegister(uint64_t address, uint32_t windowBytes) const {
    return windowBytes == kVectorBytes && address % 64 == 0 && address + kVectorBytes <= size;
  }
  bool isWhole(uint64_t address, uint64_t bytes) const {
    return address >= wholeBegin && address < wholeEnd && bytes <= wholeEnd - address;
  }
  /// These bytes may become undefined.
  void keepWholeApart(uint64_t address, uint64_t bytes) {
    if (address < wholeEnd && address + bytes > wholeBegin) [[unlikely]]
      shrinkWhole(address, bytes);
  }
  void growWhole(uint64_t address, uint64_t bytes);
  void shrinkWhole(uint64_t address, uint64_t bytes);
  void insertAny(uint64_t address, uint32_t windowBytes, const uint64_t *defined, const uint64_t *active);
  bool extractAny(uint64_t address, uint32_t windowBytes, uint64_t *defined) const;
  uint64_t get(uint64_t address, unsigned count) const;
  void put(uint64_t address, unsigned count, uint64_t value, uint64_t mask);
  void fill(uint64_t address, uint64_t bytes, bool value);
  void forgetClobberers(uint64_t address, uint64_t bytes);
  void forgetClobberers(std::span<const BlockPart> parts);
  /// Some of these bytes are about to get a clobberer.
  void makeClobberers(uint64_t address, uint64_t bytes);

  uint64_t size;
  std::vector<uint64_t> words; ///< one more than needed, for unaligned reads
  /// All of these bytes are defined: tiles that follow each other are, most of the time, and then nothing is looked at.
  uint64_t wholeBegin = 0, wholeEnd = 0;
  /// By byte, made when one is first clobbered. What it says of a defined byte is
  /// out of date: whoever makes it undefined says anew.
  std::vector<uint16_t> clobberers;
  std::vector<uint16_t> noClobberers;           ///< of an earlier block: all are 0
  uint64_t clobberedLow = 0, clobberedHigh = 0; ///< bytes that may have one
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_DEFINEDMAP_H
