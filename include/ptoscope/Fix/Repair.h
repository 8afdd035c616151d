//===- Repair.h - apply what findings offer until nothing is left -*- C++ -*-===//
//
// A round examines the texts, inserts the lines that findings offer and examines the
// result: only what leaves less to report is kept. Whoever examines decides what that
// means: a run under several schedules, a static check, a build and a run of a program.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_FIX_REPAIR_H
#define PTOSCOPE_FIX_REPAIR_H

#include "ptoscope/Support/Result.h"

#include <functional>
#include <map>

namespace ptoscope {

/// Programs by their paths, as edits name them.
using Texts = std::map<std::string, std::string>;

/// What these texts have to report. A failure means that they cannot be examined at all.
using Examine = std::function<Result<FindingList>(const Texts &texts)>;

struct Repair {
  enum class End : uint8_t {
    Clean,      ///< nothing is left
    NoEdits,    ///< what is left offers no lines for these texts
    NoProgress, ///< lines were tried, and leave as much to report
    Rounds,     ///< the limit of rounds
  };
  End end = End::Clean;
  Texts texts; ///< with the lines of all rounds
  /// Of each round: findings that its lines repaired, with places of that round's text.
  std::vector<std::vector<Finding>> rounds;
  std::vector<size_t> lines; ///< of each round: how many were inserted
  FindingList left;          ///< of the last texts
  /// Lines that could not be inserted where they belong.
  std::vector<Finding> refusals;
};

/// A failure: `texts` as they are cannot be examined.
Result<Repair> repair(Texts texts, const Examine &examine, unsigned maxRounds);

} // namespace ptoscope

#endif // PTOSCOPE_FIX_REPAIR_H
