//===- OneBlock.h - accesses to bytes of one block --------------*- C++ -*-===//
//
// Single words, as reductions leave them and broadcasts read them, need one
// granule of a shadow and no loop over granules.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_ONEBLOCK_H
#define PTOSCOPE_CHECKERS_ONEBLOCK_H

#include "ptoscope/Machine/Types.h"

namespace ptoscope {

/// Does an access with bytes lie in one block, and which of its bytes are those?
constexpr bool isInBlock(uint64_t address, uint64_t bytes) { return bytes - 1 < kBlockBytes - address % kBlockBytes; }
constexpr uint32_t maskInBlock(uint64_t address, uint64_t bytes) {
  return ~0u >> (kBlockBytes - bytes) << address % kBlockBytes;
}
constexpr uint64_t blockOf(uint64_t address) { return address / kBlockBytes * kBlockBytes; }

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_ONEBLOCK_H
