//===- Phases.h - instructions that several pipes do ------------*- C++ -*-===//
//
// Device libraries make some tile instructions from steps of several pipes, ordered by
// flag 0 of each pair (docs/isa/32f-phases.md). The table says which pipe the effect
// counts for, and which pairs are ordered before and after it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_PHASES_H
#define PTOSCOPE_LIB_TILE_PHASES_H

#include "Operands.h"
#include "ptoscope/Machine/Types.h"

#include <span>
#include <string_view>

namespace ptoscope::tile {

struct Phases {
  struct Edge {
    Pipe src, dst;
  };
  static constexpr size_t kMaxEdges = 9;

  Pipe pipe;                    ///< of the effect
  uint8_t first = 0, count = 0; ///< edges behind the effect, and all of them
  Edge edge[kMaxEdges];

  std::span<const Edge> before() const { return {edge, first}; }
  std::span<const Edge> after() const { return {edge + first, size_t(count - first)}; }
};

/// One instruction under one condition.
struct PhaseRow;

/// The rows of an instruction, or null.
const PhaseRow *phaseRows(std::string_view name);
/// The phases of the first row whose condition holds; null: one pipe does it all.
const Phases *phasesOf(const PhaseRow &first, const Operands &ops, const Profile &profile);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_PHASES_H
