//===- Mutations.h - one synchronising instruction changed ------*- C++ -*-===//
//
// The list of mutants of a kernel, and how each is made: on the IR of the
// verified program, so that every spelling and every operand form is covered.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_MUTATE_MUTATIONS_H
#define PTOSCOPE_UNITTESTS_MUTATE_MUTATIONS_H

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Machine/Sites.h"

#include <set>
#include <string>
#include <vector>

namespace ptoscope::mutate {

enum class Action : uint8_t {
  Remove,
  Swap,     ///< changes places with the next synchronising instruction of its block
  Lower,    ///< moves behind the next instruction of its block
  Raise,    ///< moves before the previous one
  Renumber, ///< event, buffer or semaphore id; index of an event-id array
  Mode,     ///< of a buffer id, 0 <-> 1
  Reverse,  ///< source and destination pipe of a flag
  Pipe,     ///< of a barrier
  Kind,     ///< of a fence: one that orders less
  Cores,    ///< of an all-core barrier
};

struct Mutation {
  unsigned op; ///< number of the instruction among the synchronising ones of the module
  Action action;
  int64_t value = 0; ///< what the action needs: an id, a step, a pipe, a fence, …
  int operand = -1;  ///< Renumber: `value` is added to this operand; -1: it replaces an attribute
  Place place;
  std::string word; ///< as written: "pto.pipe_barrier"
  std::string text; ///< "removed", "swapped with `pto.wait_flag` of line 12"
  /// Lines and columns of the instructions it changes or moves.
  std::vector<Place> changed;
};

/// Names of every synchronising instruction that a program may contain and that
/// orders something.
std::set<std::string> synchronisingNames();

/// Every mutation of the instructions that stand in `sites`, in program order.
std::vector<Mutation> mutationsOf(const ParsedProgram &program, const SiteTable &sites);

/// A copy of the program with the mutation made.
std::unique_ptr<ParsedProgram> mutantOf(const ParsedProgram &program, const Mutation &mutation);

} // namespace ptoscope::mutate

#endif // PTOSCOPE_UNITTESTS_MUTATE_MUTATIONS_H
