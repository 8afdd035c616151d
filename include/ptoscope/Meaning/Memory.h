//===- Memory.h - meanings of indexed and block-strided accesses *- C++ -*-===//
//
// Gathers, scatters and accesses by 32-byte blocks (GATHER-1 to GATHER-3,
// VGB-3, VSLDB-3, VSLDB-4, VSSTB-1, VSC-3, VSC-4) on the bytes of UB: `ub` is its
// base, `address` the pointer operand.
// Addresses are 32-bit and wrap, so that a stray one lands in the guard area
// behind UB. Nothing is checked here, and inactive lanes and blocks reach no
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_MEMORY_H
#define PTOSCOPE_MEANING_MEMORY_H

#include "ptoscope/Meaning/Register.h"

namespace ptoscope::meaning {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// A lane is a slot as wide as its index, which is unsigned and counts data. The
/// datum, as wide as the pointer's element, is the low bytes of the slot.
template <typename SlotTag, typename DatumTag> struct Indexed {
  using Slot = SlotTag;
  using Datum = DatumTag;

  PTOM_MEMORY static uint32 address(uint32 base, const void *index, int lane) {
    return base + uint32(loadLane<Slot>(index, lane)) * uint32(kElemBytes<Datum>);
  }
};
using s1_i1_d1 = Indexed<b8, b8>;
using s2_i2_d1 = Indexed<b16, b8>;
using s2_i2_d2 = Indexed<b16, b16>;
using s4_i4_d1 = Indexed<b32, b8>;
using s4_i4_d2 = Indexed<b32, b16>;
using s4_i4_d4 = Indexed<b32, b32>;

#define PTOM_INDEXED s1_i1_d1, s2_i2_d1, s2_i2_d2, s4_i4_d1, s4_i4_d2, s4_i4_d4

/// The datum of each active lane, extended with zeros to its slot; others are 0.
template <typename V>
PTOM_MEMORY void vgather(void *__restrict r, const uint8 *ub, uint32 address, const void *index, const uint64 *mask) {
  using Slot = typename V::Slot;
  forEachLane<Slot>(mask, [&](int i, bool on) __attribute__((always_inline)) {
    typename Slot::Bits value = 0;
    if (on)
      value = loadAny<typename V::Datum::Bits>(ub + V::address(address, index, i));
    storeLane<Slot>(r, i, value);
  });
}
PTOM_FUNCTIONS(vgather, (void *r, const uint8 *ub, uint32 address, const void *index, const uint64 *mask),
               (r, ub, address, index, mask), PTOM_INDEXED)

/// From the highest lane down: of two active lanes with one address the lower
/// one wins.
template <typename V>
PTOM_MEMORY void vscatter(uint8 *__restrict ub, uint32 address, const void *index, const void *value,
                          const uint64 *mask) {
  using Slot = typename V::Slot;
  PTOM_LANE_LOOP
  for (int i = kRegisterLanes<Slot> - 1; i >= 0; --i)
    if (maskWord(mask, i / kLanes<Slot>) >> i % kLanes<Slot> * kElemBytes<Slot> & 1)
      storeAny(ub + V::address(address, index, i), typename V::Datum::Bits(loadLane<Slot>(value, i)));
}
PTOM_FUNCTIONS(vscatter, (uint8 * ub, uint32 address, const void *index, const void *value, const uint64 *mask),
               (ub, address, index, value, mask), PTOM_INDEXED)

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

PTOM_MEMORY Block loadBlock(const void *reg, int block) {
  return loadAny<Block>(static_cast<const uint8 *>(reg) + block * kBlockBytes);
}
PTOM_MEMORY void storeBlock(void *reg, int block, Block value) {
  storeAny(static_cast<uint8 *>(reg) + block * kBlockBytes, value);
}

/// Block b comes from the b-th byte offset if lane b of a b32 mask is on.
PTOM_MEMORY void vgatherb(void *__restrict r, const uint8 *ub, uint32 address, const void *offsets,
                          const uint64 *mask) {
  PTOM_ROLLED
  for (int b = 0; b < kBlocks; ++b) {
    Block value = 0;
    if (maskWord(mask, 0) >> b * kElemBytes<b32> & 1)
      value = loadAny<Block>(ub + uint32(address + loadLane<b32>(offsets, b)));
    storeBlock(r, b, value);
  }
}
PTOM_FUNCTION(vgatherb, (void *r, const uint8 *ub, uint32 address, const void *offsets, const uint64 *mask),
              (r, ub, address, offsets, mask))

/// A block takes part as a whole, if any bit of its own 32 is on.
PTOM_MEMORY bool isBlockOn(const uint64 *mask, int block) {
  return uint32(maskWord(mask, block / 2) >> block % 2 * 32) != 0;
}

PTOM_MEMORY uint32 blockAddress(uint32 address, uint32 blockStride, uint32 repeatStride, int block) {
  return address + uint32(kBlockBytes) * (repeatStride + uint32(block) * blockStride);
}

/// Strides count blocks.
PTOM_MEMORY void vsldb(void *__restrict r, const uint8 *ub, uint32 address, uint32 blockStride, uint32 repeatStride,
                       const uint64 *mask) {
  PTOM_ROLLED
  for (int b = 0; b < kBlocks; ++b) {
    Block value = 0;
    if (isBlockOn(mask, b))
      value = loadAny<Block>(ub + blockAddress(address, blockStride, repeatStride, b));
    storeBlock(r, b, value);
  }
}
PTOM_FUNCTION(vsldb,
              (void *r, const uint8 *ub, uint32 address, uint32 blockStride, uint32 repeatStride, const uint64 *mask),
              (r, ub, address, blockStride, repeatStride, mask))

/// Ascending: of two blocks that overlap the higher one wins. A store with
/// post-update has repeat stride 0.
PTOM_MEMORY void vsstb(uint8 *__restrict ub, uint32 address, uint32 blockStride, uint32 repeatStride, const void *value,
                       const uint64 *mask) {
  PTOM_ROLLED
  for (int b = 0; b < kBlocks; ++b)
    if (isBlockOn(mask, b))
      storeAny(ub + blockAddress(address, blockStride, repeatStride, b), loadBlock(value, b));
}
PTOM_FUNCTION(vsstb,
              (uint8 * ub, uint32 address, uint32 blockStride, uint32 repeatStride, const void *value,
               const uint64 *mask),
              (ub, address, blockStride, repeatStride, value, mask))

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_MEMORY_H
