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
}

#endif // PTOSCOPE_MACHINE_SEQUENCERUNTIME_H
