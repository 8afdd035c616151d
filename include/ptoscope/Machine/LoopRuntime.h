//===- LoopRuntime.h - loops of a scope that are checked at once -*- C++ -*-===//
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
}

#endif // PTOSCOPE_MACHINE_LOOPRUNTIME_H
