//===- Observer.cpp - what a load knows when nobody tracks it -------------===//
//
// The defaults of events that have a result beyond a number.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Observer.h"

namespace ptoscope {

uint32_t Observer::vectorLoad(const Instr &, const LocalAccess &access, uint64_t *defined) {
  for (uint32_t word = 0; word * 64 < access.windowBytes; ++word)
    defined[word] = ~uint64_t(0);
  return 0;
}

uint32_t Observer::gather(const Instr &, SiteId, std::span<BlockPart> parts) {
  for (BlockPart &part : parts)
    part.defined = part.touched;
  return 0;
}

} // namespace ptoscope
