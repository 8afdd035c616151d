//===- SurfaceSentences.h - findings of scalar work -------------*- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_SURFACESENTENCES_H
#define PTOSCOPE_MACHINE_SURFACESENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

constexpr Sentence<0> kScalarNull{"unmapped-gm-address", "{op} of a null pointer",
                                  "pass the address of an element in global memory"};
constexpr Sentence<0> kStoreCannotAdd{
    "operand-range", "set_atomic_add is on, but {op} stores elements that global memory does not add; it copies them",
    "call set_atomic_none before it, or store i8, i16, i32, half, bfloat16_t or float"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_SURFACESENTENCES_H
