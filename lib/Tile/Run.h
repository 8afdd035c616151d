//===- Run.h - what launches and direct calls have in common ----*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_RUN_H
#define PTOSCOPE_LIB_TILE_RUN_H

#include "Context.h"
#include "TimedLaunch.h"
#include "ptoscope/Checkers/Checkers.h"
#include "ptoscope/Timing/Timeline.h"
#include "ptoscope/launch.hpp"

namespace ptoscope {

struct Result::Data {
  LaunchResult result;
  std::optional<timing::LaunchTime> time; ///< where it was asked for, of a launch that came to its end
  std::unique_ptr<tile::TimedStats> stats;
  // What `view` points to.
  std::vector<StatsView::Pipe> pipes;
  std::vector<StatsView::Advice> advice;
  StatsView view{};
  void viewStats();
  std::array<std::string, 3> text; ///< by format, made when asked for
};

namespace tile {

/// Options of the Machine, with the profile they point to.
struct Setup {
  Profile profile;
  LaunchOptions machine;

  /// False: no such target. `state` gets what it says about memories.
  bool set(const Options &options, LaunchState &state);
};

/// Lines of source files, each read once.
SourceLines sourceLines();
/// The findings as people read them.
std::string renderFindings(const FindingList &findings, bool colour = false);
/// To the standard error stream: in colour on a terminal, or in the format that PTOSCOPE_FORMAT
/// names, unless PTOSCOPE_REPORT has that.
void printFindings(const FindingList &findings);

/// As finishDirectCalls(), at a point where the program does not get to know what was found …
void endDirectCalls();
/// … until it asks: false if there was an error since it asked last.
bool directCallsWereFine();
/// A function has told the program of its errors: what it does about them is its own affair.
void programKnows();

} // namespace tile
} // namespace ptoscope

#endif // PTOSCOPE_LIB_TILE_RUN_H
