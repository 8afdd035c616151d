//===- Streams.h - unaligned loads and stores -------------------*- C++ -*-===//
//
// The state that an `!pto.align` value carries, and what unaligned loads and
// stores do with it (VLDUS-2 to VLDUS-4, STREAM-1 to STREAM-6). Stores are not made here but
// handed out as a run of bytes to write, because a schedule may hold them back.
// Whether a stream is unbroken is for the caller to ask; a broken one is
// continued as the lenient rules say.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_STREAMS_H
#define PTOSCOPE_MEANING_STREAMS_H

#include "ptoscope/Meaning/Register.h"

/// What an align value holds. All zero is the state of init_align.
enum PtoAlignKind : __UINT32_TYPE__ {
  kPtoAlignEmpty, ///< a store stream without pending bytes
  kPtoAlignStore, ///< bytes [lo, hi) of UB, inside one block, are not written yet
  kPtoAlignLoad,  ///< bytes [lo, hi) of UB, one whole block, as they were read ahead
};

struct alignas(64) PtoAlign {
  __UINT32_TYPE__ lo, hi;
  PtoAlignKind kind;
  /// Pending bytes of a store that are undefined, a bit each; kept by checkers.
  __UINT32_TYPE__ undefined;
  /// Where a store stream began; kept by the runtime.
  __UINT32_TYPE__ start;
  /// Byte x of UB is at data[x - lo].
  alignas(16) __UINT8_TYPE__ data[32];
};
static_assert(sizeof(PtoAlign) == 64);

/// Bytes to write now at a UB address. Up to 31 pending bytes and 256 new ones;
/// the rest of `data` is room to work in.
struct alignas(64) PtoWrite {
  __UINT32_TYPE__ address, bytes;
  alignas(64) __UINT8_TYPE__ data[320];
};

namespace ptoscope::meaning {

/// Whether `state` has read the block in which an unaligned load at `address`
/// begins.
PTOM_MEMORY bool loadContinues(const PtoAlign *state, uint32 address) {
  return (state->kind == kPtoAlignLoad) & (state->lo == (address & ~uint32(kBlockBytes - 1)));
}
PTOM_FUNCTION(loadContinues, (const PtoAlign *state, uint32 address), (state, address))

/// Whether bytes appended, or flushed, at `address` follow those pending in
/// `state`; a state that has none goes with every address.
PTOM_MEMORY bool storeContinues(const PtoAlign *state, uint32 address) {
  return (state->kind != kPtoAlignStore) | (state->hi == address);
}
PTOM_FUNCTION(storeContinues, (const PtoAlign *state, uint32 address), (state, address))

/// Reads the block of `address`. One that does not lie in the `ubBytes` of UB
/// is not touched, and reads as zero.
PTOM_MEMORY void readBlock(PtoAlign *__restrict state, const uint8 *ub, uint32 address, uint32 ubBytes) {
  state->lo = address & ~uint32(kBlockBytes - 1);
  state->hi = state->lo + kBlockBytes;
  state->kind = kPtoAlignLoad;
  Block block = 0;
  if (state->lo < ubBytes)
    block = loadAny<Block>(ub + state->lo);
  storeAny(state->data, block);
}

PTOM_MEMORY void vldas(PtoAlign *__restrict state, const uint8 *ub, uint32 address) {
  readBlock(state, ub, address, ~uint32(0));
}
PTOM_FUNCTION(vldas, (PtoAlign * state, const uint8 *ub, uint32 address), (state, ub, address))

/// 256 bytes at `address`. All come from memory, those of the block that a state
/// has read before too: a store in front of the load is ordered before it, and then
/// it is seen, or it is a race (docs/limits.md). The block in which the next load
/// begins is read ahead, but only inside UB: beyond its end the program may not go.
PTOM_MEMORY void vldus(void *__restrict r, PtoAlign *__restrict next, const uint8 *ub, uint32 address, uint32 ubBytes) {
  PTOM_UNROLLED
  for (int g = 0; g < kGroups; ++g)
    storeGroup<b8>(r, g, loadAny<Group<b8>>(ub + address + g * kGroupBytes));
  readBlock(next, ub, address + kRegisterBytes, ubBytes);
}
PTOM_FUNCTION(vldus, (void *r, PtoAlign *next, const uint8 *ub, uint32 address, uint32 ubBytes),
              (r, next, ub, address, ubBytes))

/// Appends the first n bytes, at most 256, of the register at `bytes` to a store
/// stream: whole blocks leave as one run, the rest stays pending. Pending bytes
/// that `address` does not continue are forgotten: flush them before.
PTOM_MEMORY void push(PtoAlign *__restrict next, PtoWrite *__restrict write, const PtoAlign *state, uint32 address,
                      const void *bytes, uint32 n) {
  bool pending = (state->kind == kPtoAlignStore) & (state->hi == address);
  uint32 start = pending ? state->lo : address;
  uint32 held = address - start;
  n = n > kRegisterBytes ? kRegisterBytes : n;
  storeAny(write->data, loadAny<Block>(state->data));
  PTOM_UNROLLED
  for (int g = 0; g < kGroups; ++g)
    storeAny(write->data + held + g * kGroupBytes, loadGroup<b8>(bytes, g));
  uint32 total = held + n;
  // To the last block boundary, if the run reaches one.
  uint32 behind = (start + total) & (kBlockBytes - 1);
  uint32 leaving = total < behind ? 0 : total - behind;
  write->address = start;
  write->bytes = leaving;
  next->lo = start + leaving;
  next->hi = start + total;
  next->kind = total == leaving ? kPtoAlignEmpty : kPtoAlignStore;
  storeAny(next->data, loadAny<Block>(write->data + leaving));
}
PTOM_FUNCTION(push,
              (PtoAlign * next, PtoWrite *write, const PtoAlign *state, uint32 address, const void *bytes, uint32 n),
              (next, write, state, address, bytes, n))

/// What ends a store stream: the pending bytes leave.
PTOM_MEMORY void flush(PtoWrite *__restrict write, const PtoAlign *state) {
  write->address = state->lo;
  write->bytes = state->kind == kPtoAlignStore ? state->hi - state->lo : 0;
  storeAny(write->data, loadAny<Block>(state->data));
}
PTOM_FUNCTION(flush, (PtoWrite * write, const PtoAlign *state), (write, state))

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_STREAMS_H
