//===- Sequences.cpp - vectors of any length in a running scope -----------===//

#include "Core.h"
#include "ptoscope/Machine/SequenceRuntime.h"
#include "ptoscope/Machine/SequenceSentences.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace ptoscope;

static uint32_t windowOf(const PtoRegisters &registers, uint32_t k) {
  return k + 1 == registers.count ? registers.lastWindow : registers.window;
}

extern "C" {

void ptosc_check_lanes(PtoContext *context, uint32_t site, const void *index, uint32_t bytes, uint32_t lanes) {
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    uint32_t number = 0;
    std::memcpy(&number, static_cast<const uint8_t *>(index) + lane * bytes, bytes);
    if (number >= lanes) {
      static_cast<Core *>(context)->report.refuse(site, say::kLaneIndex(number, lanes, lane));
      return;
    }
  }
}

void ptosc_copy_bits(const uint64_t *from, uint32_t first, uint64_t *to, uint32_t at, uint32_t count) {
  for (uint32_t k = 0; k < count; ++k) {
    const uint64_t bit = uint64_t(1) << ((at + k) % 64);
    const bool on = !from || (from[(first + k) / 64] >> ((first + k) % 64) & 1);
    uint64_t &word = to[(at + k) / 64];
    word = on ? word | bit : word & ~bit;
  }
}

void ptosc_prefix_bits(int64_t count, uint32_t bytes, uint32_t registers, uint64_t *bits) {
  const int64_t all = int64_t(registers) * kVectorBytes;
  int64_t left = std::clamp<int64_t>(count, 0, all / bytes) * bytes;
  for (uint32_t word = 0; word < registers * kVectorBytes / 64; ++word, left -= 64)
    bits[word] = left >= 64 ? ~uint64_t(0) : left > 0 ? (uint64_t(1) << left) - 1 : 0;
}

uint64_t ptosc_check_loads(PtoContext *context, const PtoRegisters *registers, uint32_t address, PtoLoadShadow *shadows,
                           const uint8_t **from) {
  ScopeUnit &scopes = static_cast<Core *>(context)->scopes;
  for (uint32_t k = 0; k < registers->count; ++k)
    from[k] = scopes.checkLoad(registers->site, address + k * uint32_t(registers->step), windowOf(*registers, k),
                               registers->alignment, nullptr, &shadows[k]);
  // Later: two words at once would have to wait for single ones that were just written.
  uint64_t all = ~uint64_t(0);
  for (uint32_t k = 0; k < registers->count; ++k)
    for (uint32_t word = 0; word < kVectorBytes / 64; ++word)
      all &= shadows[k].defined[word];
  return all == ~uint64_t(0) ? all : 0;
}

void ptosc_check_stores(PtoContext *context, const PtoRegisters *registers, uint32_t address, const uint64_t *active,
                        const uint64_t *defined, const uint8_t *const *sources, uint8_t **to) {
  ScopeUnit &scopes = static_cast<Core *>(context)->scopes;
  const auto *source = reinterpret_cast<const PtoStampSource *>(registers + 1);
  const size_t definedStep = registers->definedStep / sizeof(uint64_t);
  std::array<uint32_t, PTO_MAX_REGISTER_STAMPS> stamps;
  for (uint32_t k = 0; k < registers->count; ++k) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < registers->sourceCount; ++s)
      for (uint32_t i = 0; i < source[s].count; ++i)
        std::memcpy(&stamps[count++], sources[s] + i * source[s].step + k * source[s].registerStep, sizeof(uint32_t));
    to[k] = scopes.checkStore(registers->site, address + k * uint32_t(registers->step), windowOf(*registers, k),
                              registers->alignment, active ? active + k * (kVectorBytes / 64) : nullptr,
                              defined ? defined + k * definedStep : nullptr, stamps.data(), count);
  }
}

} // extern "C"
