//===- UbVector.h - `ub` instructions of generated code ---------*- C++ -*-===//
//
// A vector instruction of A2 or A3 that computes on UB itself (UBV-1 to UBV-10): numbers
// and addresses, and the tile instruction that is its meaning. The runtime adds the mask
// that the core has when the instruction is issued; `check` asks for the bytes of the same
// numbers.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TILE_UBVECTOR_H
#define PTOSCOPE_TILE_UBVECTOR_H

#include "pto/detail/abi.hpp"
#include "ptoscope/Machine/Direct.h"
#include "ptoscope/Machine/Runtime.h"

extern "C" {

enum : uint32_t { PTO_UB_OPERANDS = 3 };

/// Places of arrays: the destination, then the sources. Strides count 32-byte blocks.
struct PtoUbVector {
  uint32_t record; ///< tile::indexOf
  ptoscope::tile::Elem elem;
  uint8_t pointers;
  uint8_t reserved[2];
  uint64_t address[PTO_UB_OPERANDS];
  int64_t scalar; ///< bits of an element, or the distance of a shift
  int64_t repeat;
  int64_t block[PTO_UB_OPERANDS];
  int64_t step[PTO_UB_OPERANDS]; ///< from repeat to repeat
};

/// Nonzero: stop.
int32_t ptosc_ub_vector(PtoContext *, uint32_t site, const PtoUbVector *);

} // extern "C"

namespace ptoscope::tile {

/// What an instruction touches with this mask. `problem`: what a run says first.
struct UbFootprint {
  std::vector<DirectRegion> regions;
  std::vector<DirectHull> hulls;
  Fact problem{};
};
UbFootprint ubFootprint(const PtoUbVector &call, const VectorMask &mask, uint32_t ubBytes);

} // namespace ptoscope::tile

#endif // PTOSCOPE_TILE_UBVECTOR_H
