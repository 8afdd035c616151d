//===- Thinning.cpp - a core that does a part of its work -----------------===//

#include "Thinning.h"

#include "Solver.h"

#include <cmath>

namespace ptoscope::timing {

/// Nothing outside of the core counts how often it comes.
static bool isOfOneCore(const Deed &deed) {
  return (deed.act <= Act::ReleaseBuffer || deed.act == Act::ScalarAccess) && !deed.checksUnit && !deed.passesUnit;
}

Thinning::Thinning(const DeedCosts &costs, const BlockRecord &block, const CoreRecord &core, double share)
    : share(share), isThin(share < 1) {
  for (EntryStream::Reader reader(core.entries); isThin && !reader.atEnd(); reader.next()) {
    const Entry &entry = reader.peek();
    ++sites[entry.site].there;
    // Turns that meet other cores stay as many; then each does a part of its rows.
    isThin = isOfOneCore(costs.entries[block.deeds[entry.deed]].deed);
  }
  for (auto &[site, turns] : sites) {
    const double part = share * double(turns.there);
    turns.kept = uint64_t(std::ceil(part - 1e-9));
    turns.share = part / double(turns.kept);
  }
}

} // namespace ptoscope::timing
