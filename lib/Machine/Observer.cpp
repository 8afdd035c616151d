//===- Observer.cpp - what a load knows when no one tracks it -------------===//
//
// The defaults of events that have a result beyond a number.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Observer.h"

#include <vector>

namespace ptoscope {

uint32_t Observer::vectorLoad(const Instr &, const LocalAccess &access, uint64_t *defined) {
  for (uint32_t word = 0; word * 64 < access.windowBytes; ++word)
    defined[word] = ~uint64_t(0);
  return 0;
}

uint32_t Observer::gather(const Instr &instr, SiteId site, std::span<BlockPart> parts) {
  std::vector<uint32_t> stamps;
  for (BlockPart &part : parts) {
    uint64_t active = part.touched, defined = ~uint64_t(0);
    LocalAccess access{site, Space::Ub, nullptr, part.address, kBlockBytes, &active, VectorLoad, true};
    stamps.push_back(vectorLoad(instr, access, &defined));
    part.defined = uint32_t(defined);
  }
  return stamps.size() == 1 ? stamps[0] : mergeStamps(stamps.data(), uint32_t(stamps.size()));
}

void Observer::scatter(const Instr &instr, SiteId site, std::span<const BlockPart> parts, const uint32_t *stamps,
                       uint32_t stampCount) {
  for (const BlockPart &part : parts) {
    uint64_t active = part.touched, defined = part.defined;
    LocalAccess access{site, Space::Ub, nullptr, part.address, kBlockBytes, &active, VectorStore, true};
    vectorStore(instr, access, &defined, stamps, stampCount);
  }
}

} // namespace ptoscope
