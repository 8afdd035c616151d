//===- Meanings.cpp - instructions by name --------------------------------===//
//
// The records again, with the meaning that this host runs.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "Issuer.h"
#include "Kernels/Kernels.h"

#include <algorithm>

namespace ptoscope::tile {

static Meaning meaningOf(const Record &record, RunFunction run, FootprintFunction footprint) {
  auto has = [&](Role role) {
    return std::any_of(std::begin(record.tile), std::end(record.tile),
                       [=](const OperandSpec &spec) { return spec.role == role; });
  };
  return {record.name,           run, footprint, has(Role::Copy) && record.gm == Gm::None, has(Role::Index),
          phaseRows(record.name)};
}

const Meaning *findMeaning(std::string_view name) {
  static const std::vector<Meaning> meanings = [] {
    const Kernels &kernels = hostKernels();
    std::vector<Meaning> result = {
#define PTO_RECORD(NAME, KERNEL, ...) meaningOf(record::NAME, kernels.NAME, nullptr),
#define PTO_CUSTOM_RECORD(NAME, KERNEL, ...) meaningOf(record::NAME, kernels.NAME, KERNEL##Footprint),
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD
    };
    std::sort(result.begin(), result.end(),
              [](const Meaning &a, const Meaning &b) { return std::string_view(a.name) < b.name; });
    return result;
  }();
  auto it = std::lower_bound(meanings.begin(), meanings.end(), name,
                             [](const Meaning &row, std::string_view wanted) { return row.name < wanted; });
  return it != meanings.end() && it->name == name ? &*it : nullptr;
}

} // namespace ptoscope::tile
