//===- Observer.cpp - what a load knows when nobody tracks it -------------===//
//
// The default of the one event that has a result beyond a number.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Observer.h"

namespace ptoscope {

uint32_t Observer::vectorLoad(const Instr &, const LocalAccess &access, uint64_t *defined) {
  for (uint32_t word = 0; word * 64 < access.windowBytes; ++word)
    defined[word] = ~uint64_t(0);
  return 0;
}

} // namespace ptoscope
