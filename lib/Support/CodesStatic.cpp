//===- CodesStatic.cpp - codes that only `ptoscope check` reports ---------===//
//
// What the text shows without a run. Where a run would find the same, its code
// is used: `race-raw`, `deadlock`, `flag-leftover`, `ub-out-of-bounds` …
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"wait-without-set", Severity::Error, Category::Program, "a wait that no set can end",
     R"(`ptoscope check` has followed the program: when the wait is reached, no set of that flag
(source, destination, id) is left for it, or no core of the kernel sets that semaphore.
A warning when a branch or a loop bound nobody knows decides whether the wait is reached.

Rules: S8.

Example:
  pto.wait_flag["PIPE_V", "PIPE_S", "EVENT_ID0"]   // the scalar unit stops here …
  pto.set_flag["PIPE_V", "PIPE_S", "EVENT_ID0"]    // … and never issues this

Repair: set the flag once for every wait. A wait of PIPE_S, and everything in front of a
PIPE_ALL barrier, needs its set earlier in the program; on other pipes it may come later.

Ignore: never; a run ends with `deadlock`.

Assumes: flags start at 0 and count. Ids that are computed may name any flag, and nothing
is said of that pair of pipes then.)"},

    {"ub-overlap", Severity::Warning, Category::Program, "bytes in use by two pipes in no order",
     R"(`ptoscope check` has found two instructions of different pipes, or of one transfer
pipe, that touch the same bytes, one of them writing, and nothing orders them. It is a
warning because a branch, a loop bound or a mask nobody knows decides whether both are
executed; where both certainly are, the report is `race-raw`, `race-war` or `race-waw`.

Example:
  scf.for %i = %c0 to %n step %c1 {       // %n is an argument
    pto.mte_gm_ub %x, %ub, …              // the second turn overwrites …
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.vecscope { … pto.vlds %ub[%c0] … }  // … what this may still read
  }

Repair: the lines that the report proposes, or a second buffer.

Ignore: when the loop never runs that often, or the branches exclude each other.

Assumes: order as in docs/memory-model.md; see docs/limits.md for what is not followed.)"},

    {"analysis-bounded", Severity::Remark, Category::NotModelled, "the static check stopped early",
     R"(`ptoscope check` takes time in proportion to the size of a program. This kernel would
take more: calls that expand to millions of instructions, or very many large accesses over
finely divided memory. Nothing was reported from here on; what was reported before holds.

Example:
  func.call @f() … where @f calls @g eight times, which calls @h eight times, and so on

Repair: none is needed. `ptoscope run` checks the kernel in full.

Ignore: always, if the kernel is run with checks somewhere else.

Assumes: nothing.)"},
};

std::span<const CodeInfo> staticCodes() { return kRows; }

} // namespace ptoscope::codetables
