//===- Chains.h - orders of a run in words ----------------------*- C++ -*-===//

#ifndef PTOSCOPE_UNITTESTS_MUTATE_CHAINS_H
#define PTOSCOPE_UNITTESTS_MUTATE_CHAINS_H

#include "Recorder.h"

#include <string>

namespace ptoscope::mutate {

class Chains {
public:
  Chains(const Recording &recording, const SiteTable &sites) : recording(recording), sites(sites) {}

  /// "MTE2 mte_gm_ub line 12"; sync instructions without their pipe.
  std::string show(InstrIndex instr) const;
  std::string show(const ScopeOrder &scope, uint32_t step) const;

  struct Kept {
    std::string text; ///< a chain of this run, or that there was nothing to keep
    std::string lost; ///< a pair without one; mostly empty
  };
  /// Looks up every pair of accesses that meet and that an instruction of
  /// `changed` stood between in the run `before`.
  Kept keeps(const Chains &before, const std::vector<Place> &changed) const;

private:
  struct Search;
  bool isAt(SiteId site, const std::vector<Place> &places) const;
  void keepInstructions(const Chains &before, Search &search) const;
  void keepAccesses(const Chains &before, Search &search) const;

  const Recording &recording;
  const SiteTable &sites;
};

} // namespace ptoscope::mutate

#endif // PTOSCOPE_UNITTESTS_MUTATE_CHAINS_H
