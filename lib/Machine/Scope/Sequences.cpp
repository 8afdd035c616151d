//===- Sequences.cpp - vectors of any length in a running scope -----------===//

#include "Core.h"
#include "ptoscope/Machine/SequenceRuntime.h"
#include "ptoscope/Machine/SequenceSentences.h"

#include <cstring>

using namespace ptoscope;

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

} // extern "C"
