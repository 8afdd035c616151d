//===- Programs.h - rows of kernels as programs ------------------*- C++ -*-===//
//
// A row that tells of a kernel becomes one of the programs of share/timing/kernels
// with its numbers: extents, tiles, cores. The program does what the row describes;
// nothing is known of the figure itself.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_VALIDATE_PROGRAMS_H
#define PTOSCOPE_VALIDATE_PROGRAMS_H

#include "ptoscope/Validate/Ops.h"

#include <array>
#include <functional>

namespace ptoscope::validate {

struct Program {
  std::string file;   ///< of share/timing/kernels
  std::string kernel; ///< empty where the file has only one
  ProfileId profile;
  int64_t blocks;
  /// Rows and columns of tile types, by their names without `!`.
  std::map<std::string, std::array<int64_t, 2>> tiles = {};
  /// Constants of the program, by their names without `%`.
  std::map<std::string, int64_t> constants = {};
  struct Argument {
    bool isBuffer;
    uint64_t value; ///< its bytes, or the scalar
  };
  std::vector<Argument> arguments = {};
  uint64_t movedBytes = 0; ///< for throughputs; 0: not known
  double slowness = 1;     ///< cores run so many times slower than others of their kind

  /// The text of the file with these tiles and constants.
  std::string text() const;
  /// Two programs with one name are the same.
  std::string name() const;
};

/// Long kernels do the same again and again. They run with two smaller extents, and times
/// go on in a line from there.
struct Recipe {
  std::function<Program(int64_t extent)> program;
  int64_t extent;             ///< of the row
  std::vector<int64_t> small; ///< two extents to run instead; none: the row's own
  /// All that is touched shrinks with the extent, and so does the L2 cache then: hits stay
  /// what they are.
  bool shrinksCache = false;
  /// Its fixpipe waits for unit flags, which published figures count (TIME-44).
  bool hasUnitFlags = false;
};

/// The row's program, or why there is none.
OrReason<Recipe> recipeOf(const Anchor &anchor);

/// The text of a file of share/timing/kernels as it was built in; empty: there is none.
std::string_view kernelText(std::string_view file);

} // namespace ptoscope::validate

#endif // PTOSCOPE_VALIDATE_PROGRAMS_H
