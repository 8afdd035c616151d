//===- LoopRuntime.h - loops of a scope that say what they touch -*- C++ -*-===//
//
// What generated code calls in front of such a loop, besides Runtime.h.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_LOOPRUNTIME_H
#define PTOSCOPE_MACHINE_LOOPRUNTIME_H

#include "ptoscope/Machine/Runtime.h"

extern "C" {
/// The accesses of a loop inside a scope: this, `accessCount` of PtoLoopAccess and
/// `carriedCount` of PtoLoopValue. Machine/Observer.h explains the bits.
struct PtoLoopPlan {
  uint32_t accessCount, carriedCount, stampCount, depth;
};
struct PtoLoopAccess {
  uint32_t site, writes, windowBytes, reserved;
  uint64_t loads, stamps;
};
struct PtoLoopValue {
  uint64_t loads, stamps;
};
enum { PTO_MAX_LOOP_ACCESSES = 24, PTO_MAX_LOOP_STAMPS = 64, PTO_MAX_LOOP_VALUES = 16 };

/// How many of `turns` turns, from the first, need no check of their own any more.
/// `places` has address and stride of each access. Gives the stamps of carried values
/// behind those turns, unless there are none.
uint64_t ptosc_check_loop(PtoContext *, const PtoLoopPlan *, uint64_t turns, const int64_t *places,
                          const uint32_t *stamps, uint32_t *carried);
/// Where the accesses of a loop of `turns` turns are made: the host address of byte 0 of
/// UB, or what takes its place. All lanes of its stores are on in the first `fullTurns`.
/// Bit i: access i stores whole lines of 64 bytes to GM, and had better leave the caches to
/// others.
uint32_t ptosc_place_loop(PtoContext *, const PtoLoopPlan *, uint64_t turns, uint64_t fullTurns, const int64_t *places,
                          uint8_t **hosts);
}

#endif // PTOSCOPE_MACHINE_LOOPRUNTIME_H
