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
     R"(When the program reaches the wait, no set of that flag (source, destination, id) is left
for it, or no core of the kernel sets that semaphore. It is a warning if an unknown
branch or loop bound decides whether the wait is reached.

Rules: S8.

Example:
  pto.wait_flag["PIPE_V", "PIPE_S", "EVENT_ID0"]   // the scalar unit stops here …
  pto.set_flag["PIPE_V", "PIPE_S", "EVENT_ID0"]    // … and never issues this

Repair: set the flag once for every wait. A wait on PIPE_S, and every wait before a
PIPE_ALL barrier, needs its set earlier in the program. On other pipes the set may come
later.

Ignore: never; a run ends with `deadlock`.

Assumes: flags start at 0 and count. A computed id may be any id, so nothing is reported
about that pair of pipes.)"},

    {"ub-overlap", Severity::Warning, Category::Program, "two unordered accesses may touch the same bytes",
     R"(Two instructions of different pipes, or of one transfer pipe, touch the same bytes, at
least one of them writes, and nothing orders them. It is a warning because an unknown
branch, loop bound or mask decides whether both are executed. If both certainly are, the
finding is `race-raw`, `race-war` or `race-waw`.

Example:
  scf.for %i = %c0 to %n step %c1 {       // %n is an argument
    pto.mte_gm_ub %x, %ub, …              // the second turn overwrites …
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.vecscope { … pto.vlds %ub[%c0] … }  // … what this may still read
  }

Repair: add the lines that the report proposes, or use a second buffer.

Ignore: if the loop never runs that often, or the branches exclude each other.

Assumes: the order of docs/memory-model.md. docs/limits.md lists what the static check
does not follow.)"},

    {"analysis-bounded", Severity::Remark, Category::NotModelled, "the static check stopped early",
     R"(`ptoscope check` takes time in proportion to the size of a program. This kernel would
take more: its calls expand to millions of instructions, or it makes very many large
accesses to finely divided memory. Findings reported before this point are valid;
nothing is reported after it.

Example:
  func.call @f() … where @f calls @g eight times, which calls @h eight times, and so on

Repair: none needed. `ptoscope run` checks the whole kernel.

Ignore: always, if you also run the kernel with checks.

Assumes: nothing.)"},
};

std::span<const CodeInfo> staticCodes() { return kRows; }

} // namespace ptoscope::codetables
