//===- SequenceRuntime.h - runtime of vectors of any length -----*- C++ -*-===//
//
// What generated code calls for vectors that take several registers, besides
// Runtime.h.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_SEQUENCERUNTIME_H
#define PTOSCOPE_MACHINE_SEQUENCERUNTIME_H

#include "ptoscope/Machine/Runtime.h"

extern "C" {
/// Reports the first of `lanes` indices of `bytes` that names no lane (VPICK-4).
void ptosc_check_lanes(PtoContext *, uint32_t site, const void *index, uint32_t bytes, uint32_t lanes);
/// `count` bits of `from`, from bit `first` on, become those of `to` from bit `at` on; a null set has all.
void ptosc_copy_bits(const uint64_t *from, uint32_t first, uint64_t *to, uint32_t at, uint32_t count);
/// The bytes of the first `count` lanes of `bytes`, as 256 bits for each register.
void ptosc_prefix_bits(int64_t count, uint32_t bytes, uint32_t registers, uint64_t *bits);

// --- accesses of all registers of a vector, in order ------------------------------------
enum { PTO_MAX_REGISTER_STAMPS = 16 };
struct PtoRegisters {
  uint32_t site, count;
  int32_t step; ///< from the address of one register to that of the next, in bytes
  uint32_t window, lastWindow, alignment;
  // Of stores.
  uint32_t definedStep; ///< from the definedness of one register to that of the next, in bytes
  uint32_t sourceCount; ///< of PtoStampSource, which follow
};
/// `count` stamps at `step` bytes from each other; those of the next register are `registerStep` bytes further.
struct PtoStampSource {
  uint32_t count, step, registerStep, reserved;
};
/// What ptosc_check_load fills and returns, for each register. All ones if every byte is defined, otherwise 0.
uint64_t ptosc_check_loads(PtoContext *, const PtoRegisters *, uint32_t address, PtoLoadShadow *shadows,
                           const uint8_t **from);
/// The same for ptosc_check_store. `active` has 256 bits for each register, or is null; `sources` has where the
/// stamps of each source begin.
void ptosc_check_stores(PtoContext *, const PtoRegisters *, uint32_t address, const uint64_t *active,
                        const uint64_t *defined, const uint8_t *const *sources, uint8_t **to);
}

#endif // PTOSCOPE_MACHINE_SEQUENCERUNTIME_H
