//===- ScopeOrder.h - the order inside one execution of a scope -*- C++ -*-===//
//
// docs/memory-model.md, "Inside a scope": a fence that covers both, scalar
// accesses in program order, a store after the loads its value derives from, and
// every chain of these. Chains are found by walking forward from the earlier access.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_MUTATE_SCOPEORDER_H
#define PTOSCOPE_UNITTESTS_MUTATE_SCOPEORDER_H

#include "ptoscope/Machine/Sites.h"
#include "ptoscope/Machine/Types.h"

#include <optional>
#include <vector>

namespace ptoscope::mutate {

/// Accesses and fences of one execution, numbered in program order.
class ScopeOrder {
public:
  struct Step {
    SiteId site;
    bool isFence;
    AccessClass accessClass;    ///< of an access
    FenceClasses classes;       ///< of a fence
    std::vector<uint32_t> from; ///< of a store: stamps its operands derive from
  };

  uint32_t access(SiteId site, AccessClass accessClass, std::vector<uint32_t> from = {});
  void fence(SiteId site, Fence fence);
  /// Stamp of a load, and of what several values derive from; 0 is none.
  uint32_t stampOf(uint32_t load);
  uint32_t merge(std::vector<uint32_t> stamps);

  const std::vector<Step> &steps() const { return list; }
  /// Earlier access, later access: a common byte, one of them stores, and no one
  /// else has stored there since.
  std::vector<std::pair<uint32_t, uint32_t>> meeting;

  /// Steps that order `a` before `b`, with both; empty when nothing does.
  std::vector<uint32_t> chain(uint32_t a, uint32_t b) const;
  /// Does the fence stand between the two and name their classes?
  bool covers(uint32_t fence, uint32_t a, uint32_t b) const;

private:
  /// Loads that the value of a store derives from.
  std::vector<uint32_t> loadsOf(uint32_t store) const;

  struct Stamp {
    std::optional<uint32_t> load;
    std::vector<uint32_t> parts;
  };
  std::vector<Step> list;
  std::vector<Stamp> stamps; ///< stamp n is entry n - 1
};

} // namespace ptoscope::mutate

#endif // PTOSCOPE_UNITTESTS_MUTATE_SCOPEORDER_H
