//===- FlagSlips.h - sets and waits that were meant for each other -*- C++ -*-=//
//
// A set that nothing waits for and a wait that nothing sets are mostly one flag,
// of which one side was written with the pipes in reverse or with another id. To
// add the missing half, as the text asks for, would hide that or hang.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_FLAGSLIPS_H
#define PTOSCOPE_MACHINE_FLAGSLIPS_H

#include "ptoscope/Machine/Sites.h"

#include <optional>

namespace ptoscope {

struct FlagSlip {
  Pipe setSrc, setDst;   ///< as the set has them
  Pipe waitSrc, waitDst; ///< as the wait has them
  int64_t setId, waitId;
  SiteId set;
  SiteId wait;          ///< kNoSite when the text has no wait that could be meant
  bool byTurns = false; ///< turns of a loop set it, and only something outside waits
  bool reversed() const { return setSrc == waitDst; }
};

/// The set that a wait without a set was most likely meant for.
std::optional<FlagSlip> slipOfWait(const SiteTable &sites, Pipe src, Pipe dst, int64_t id);
/// For an order from `src` to `dst` that is missing: the flag that was most likely
/// meant to give it.
std::optional<FlagSlip> slipOfOrder(const SiteTable &sites, Pipe src, Pipe dst);
/// "the set at k.pto:3 is of PIPE_V -> PIPE_S, the wait at k.pto:4 of PIPE_S -> PIPE_V".
std::string slipText(const SiteTable &sites, const FlagSlip &slip);
/// What to do about it.
std::string slipHelp(const SiteTable &sites, const FlagSlip &slip);

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_FLAGSLIPS_H
