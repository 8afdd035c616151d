//===- Streams.cpp - unaligned loads and stores ---------------------------===//

#include "ptoscope/Meaning/Streams.h"
#include "Scope/ScopeUnit.h"

#include <cstring>

namespace ptoscope {

void ScopeUnit::brokenStream(SiteId site, const Fact &fact, uint32_t address) {
  report->refuse(site, fact, ByteRange{"ub", "", address, uint64_t(address) + 1});
}

void ScopeUnit::streamPrime(SiteId site, uint32_t address, PtoAlign *state) {
  std::memset(static_cast<void *>(state), 0, sizeof *state);
  uint32_t block = address / kBlockBytes * kBlockBytes;
  if (!report->stopped && windowInside(site, block, kBlockBytes, 1, nullptr, "reads"))
    meaning::vldas(state, ub(), address);
}

void ScopeUnit::streamLoad(SiteId site, uint32_t address, uint32_t ahead, const PtoAlign *state, PtoAlign *next,
                           void *result, PtoLoadShadow *shadow) {
  if (!report->stopped && !meaning::loadContinues(state, address))
    brokenStream(site,
                 state->kind == kPtoAlignLoad ? say::kStreamLoad(address, state->lo) : say::kStreamUnprimed(address),
                 address);
  const uint8_t *bytes = checkLoad(site, address, kVectorBytes, 1, nullptr, shadow);
  if (bytes == ub() + address) {
    if (meaning::loadContinues(state, address))
      compareAhead(site, address, state, bytes);
    meaning::vldus(result, next, ub(), address, uint32_t(ubBytes()));
    if (ahead != kVectorBytes)
      meaning::readBlock(next, ub(), address + ahead, uint32_t(ubBytes()));
    return;
  }
  std::memcpy(result, bytes, kVectorBytes);
  std::memset(static_cast<void *>(next), 0, sizeof *next);
}

/// Says when it matters that the first block is read now and not ahead.
void ScopeUnit::compareAhead(SiteId site, uint32_t address, const PtoAlign *state, const uint8_t *bytes) {
  if (std::memcmp(bytes, state->data + (address - state->lo), state->hi - address) == 0)
    return;
  report->tell(site, say::kStreamAhead(state->lo), ByteRange{"ub", "", address, state->hi});
}

/// Bytes of a stream that become visible: one contiguous run.
void ScopeUnit::writeStream(SiteId site, const PtoWrite &write, const uint64_t *defined, const uint32_t *stamps,
                            uint32_t stampCount) {
  if (!write.bytes)
    return;
  uint8_t *target = checkStore(site, write.address, write.bytes, 1, nullptr, defined, stamps, stampCount);
  bufferedStore(target, write.bytes, write.data, nullptr);
}

void ScopeUnit::streamPush(SiteId site, uint32_t address, const PtoAlign *state, PtoAlign *next, const void *bytes,
                           int64_t count, const uint64_t *defined, const uint32_t *stamps, uint32_t stampCount) {
  if (report->stopped) {
    *next = *state;
    return;
  }
  if (count < 0 || count > int64_t(kVectorBytes)) {
    report->refuse(site, say::kStreamCount(count, kVectorBytes));
    count = count < 0 ? 0 : int64_t(kVectorBytes);
  }
  // What would lie beyond UB is told here and not stored.
  if (count && !windowInside(site, address, uint32_t(count), 1, nullptr, "writes"))
    count = address < ubBytes() ? int64_t(ubBytes() - address) : 0;
  PtoAlign held = *state;
  PtoWrite write;
  if (!meaning::storeContinues(state, address)) {
    brokenStream(site, say::kStreamStore(address, state->hi), address);
    // The stream's own bytes, in the stream's order: no access to be judged.
    meaning::flush(&write, state);
    if (uint64_t(write.address) + write.bytes <= ubBytes())
      bufferedStore(ub() + write.address, write.bytes, write.data, nullptr);
    held.kind = kPtoAlignEmpty;
  }
  bool goesOn = held.kind == kPtoAlignStore || (held.kind == kPtoAlignEmpty && held.hi == address && held.start);
  uint32_t before = held.kind == kPtoAlignStore ? held.hi - held.lo : 0;
  meaning::push(next, &write, &held, address, bytes, uint32_t(count));
  // Definedness of what was held and what was added, as one run.
  uint64_t run[6];
  std::fill_n(run, 6, ~uint64_t(0));
  auto clear = [&](uint32_t k) { run[k / 64] &= ~(uint64_t(1) << (k % 64)); };
  if (before && held.undefined)
    for (uint32_t k = 0; k < before; ++k)
      if (held.undefined >> k & 1)
        clear(k);
  if (defined && (defined[0] & defined[1] & defined[2] & defined[3]) != ~uint64_t(0))
    for (uint32_t k = 0; k < uint32_t(count); ++k)
      if (!(defined[k / 64] >> (k % 64) & 1))
        clear(before + k);
  next->undefined = 0;
  next->start = goesOn ? held.start : address;
  for (uint32_t k = 0; k < next->hi - next->lo; ++k)
    if (uint32_t at = write.bytes + k; !(run[at / 64] >> (at % 64) & 1))
      next->undefined |= uint32_t(1) << k;
  writeStream(site, write, run, stamps, stampCount);
}

void ScopeUnit::streamFlush(SiteId site, uint32_t address, uint32_t other, const PtoAlign *state,
                            const uint32_t *stamps, uint32_t stampCount) {
  if (report->stopped || state->kind != kPtoAlignStore)
    return;
  if (!meaning::storeContinues(state, address) && other == PTO_STREAM_AR && address == state->start) {
    report->tell(site, say::kStreamEndsAtStart(address));
  } else if (!meaning::storeContinues(state, address) && !meaning::storeContinues(state, other))
    brokenStream(site, say::kStreamEnd(address, state->hi), address);
  PtoWrite write;
  meaning::flush(&write, state);
  uint64_t defined = ~uint64_t(state->undefined);
  writeStream(site, write, &defined, stamps, stampCount);
}

} // namespace ptoscope
