//===- LoopOrder.h - do accesses of a loop touch the same bytes? -*- C++ -*-===//

#ifndef PTOSCOPE_LIB_MACHINE_SCOPE_LOOPORDER_H
#define PTOSCOPE_LIB_MACHINE_SCOPE_LOOPORDER_H

#include "ptoscope/Machine/Observer.h"

namespace ptoscope {

/// Do they touch no common byte in any of these turns?
inline bool areApart(const LoopAccess &a, const LoopAccess &b, uint64_t turns) {
  const LoopAccess &low = a.address <= b.address ? a : b, &high = a.address <= b.address ? b : a;
  if (low.address + (turns - 1) * low.stride + low.windowBytes <= high.address)
    return true;
  if (low.stride != high.stride)
    return false;
  // The windows of one lie in the gaps of the other.
  const uint64_t behind = (high.address - low.address) % low.stride;
  return behind >= low.windowBytes && low.stride - behind >= high.windowBytes;
}

/// Accesses `i` and a later one, `j`: can they be told apart from their order in the text?
inline bool areOrdered(std::span<const LoopAccess> accesses, size_t i, size_t j, uint64_t turns) {
  const LoopAccess &first = accesses[i], &second = accesses[j];
  const bool equal =
      first.address == second.address && first.stride == second.stride && first.windowBytes == second.windowBytes;
  return (equal && !first.writes && (!second.writes || second.loads >> i & 1)) || areApart(first, second, turns);
}

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCOPE_LOOPORDER_H
