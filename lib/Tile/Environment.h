//===- Environment.h - options of an unchanged program ----------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_ENVIRONMENT_H
#define PTOSCOPE_LIB_TILE_ENVIRONMENT_H

#include "ptoscope/Support/Finding.h"
#include "ptoscope/launch.hpp"

#include <optional>
#include <string>

namespace ptoscope::tile {

/// What variables PTOSCOPE_… say (LSYN-11). They come before the program's own options.
struct Environment {
  std::optional<std::string> arch;
  struct Checks {
    bool race, memory, init, sync;
  };
  std::optional<Checks> checks;
  std::optional<Options::Order> schedule;
  std::optional<uint64_t> seed;
  std::optional<unsigned> threads;
  std::optional<size_t> maxFindings;
  std::optional<Result::Format> format;
  std::optional<bool> colour;
  std::optional<std::string> timing; ///< a file of figures; launches are timed with it
  std::optional<std::string> stats;  ///< "table", "lines" or "json": printed behind each launch
  std::string report;                ///< a file for the findings of all launches; empty: none
  std::string record;                ///< a folder for what `ptoscope audit` and `compare` compare; empty: none
  /// Files about the times of launches; empty: none.
  struct Files {
    std::string trace, page;
  };
  Files files; ///< of the first launch

  /// A value that is none ends the program, with one message and status 2.
  static const Environment &process();
  /// The variables as `get` has them; a message for the first wrong value.
  static Environment read(const char *(*get)(const char *name), std::string &problem);

  /// A number tells those of the second and later launches apart.
  Files filesOf(unsigned launch) const;
  /// `files` have to live as long as the options.
  Options over(Options options, const Files &files = {}) const;
  /// On a terminal, unless NO_COLOR or TERM=dumb or PTOSCOPE_COLOR say otherwise.
  bool colourFor(int stream) const;
};

/// Adds the findings of a launch to the file that PTOSCOPE_REPORT names. Rewritten each
/// time: a program that ends in the middle leaves a whole report.
void addToReport(const FindingList &findings);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_ENVIRONMENT_H
