//===- Stuck.h - explaining why nothing moves -------------------*- C++ -*-===//
//
// A deadlock report says, for each blocked pipe, what it waits for, what is
// queued behind, and where the missing set or release is; and it prints the
// wait-for cycle if there is one. Interrupts and step limits show where the
// scalar unit and the pipes stand in the same words.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SCHEDULE_STUCK_H
#define PTOSCOPE_LIB_MACHINE_SCHEDULE_STUCK_H

#include "Scalar/ScalarUnit.h"
#include "Sync/SyncState.h"

namespace ptoscope {

/// Looks at the parts of one core and changes nothing.
class Stuck {
public:
  Stuck(const Report &report, const Pipes &pipes, const SyncState &sync, const ScalarUnit &scalar)
      : report(report), pipes(pipes), sync(sync), scalar(scalar) {}

  /// The report of a core that runs alone, whose scalar unit waits for `suOp` or has
  /// ended. None: no instruction is blocked.
  std::optional<Finding> deadlock(const Operation *suOp) const;
  /// What the operation waits for, as a phrase after "waits for".
  std::string waitText(const Operation &op) const;
  /// Where the missing set or release is, and why it does not come.
  std::string causeText(const Operation &op, bool suBlocked) const;
  /// A remedy that lets `wait` go on: the set that the text lacks, or one before the
  /// loop whose first turn waits. True: help names the likely cause instead.
  bool proposeSet(Finding &finding, const Operation &wait) const;
  /// The set that `wait`, of a flag, lacks, as the program would write it.
  std::string setLine(const Operation &wait) const;
  /// How much is queued behind the head.
  static std::string queuedBehind(const PipeQueue &queue);
  /// Where the core stands.
  std::vector<Note> standing(bool inCluster) const;

  /// The loop that a set would have to stand before; kNoSite for other waits.
  SiteId unprimedLoop(const Operation &wait) const;

private:
  SiteId unsetLoop(const Operation &wait) const;
  std::string cycleFrom(Pipe start, std::vector<Pipe> &members) const;

  const Report &report;
  const Pipes &pipes;
  const SyncState &sync;
  const ScalarUnit &scalar;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCHEDULE_STUCK_H
