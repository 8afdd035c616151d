//===- CodesRun.cpp - codes of how a run goes and ends --------------------===//
//
// Scalar faults, limits of the run, and the comparison with expected results.
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"loop-step", Severity::Error, Category::Program, "a loop step is not positive",
     R"(`scf.for` needs a step greater than 0. With 0 the loop would never end, and a negative
step has no meaning. The block ends.

Example:
  %step = arith.subi %a, %a : index           // 0
  scf.for %i = %c0 to %n step %step { … }

Repair: check how the step is computed. Rewrite a loop that counts down with an index
that counts up.

Ignore: never.

Assumes: bounds and step are compared as signed numbers.)"},

    {"division", Severity::Error, Category::Program, "an integer division is undefined",
     R"(The program computes an integer quotient or remainder with divisor zero, or divides the
smallest signed number by -1. The block ends, because the result could control addresses
or counts.

Example:
  %q = arith.divsi %n, %blocks : i64          // %blocks = 0

Repair: test the divisor first, or check the kernel's scalar arguments.

Ignore: never.

Assumes: divisions of vector lanes follow the instruction's own rules and are not
reported here.)"},

    {"shift-range", Severity::Error, Category::Program, "a shift count is outside the width",
     R"(A scalar shift has a count that is negative, or not smaller than the width of the type.
The result is undefined and differs between hosts. The block ends.

Example:
  %m = arith.shli %c1_i32, %n : i32           // %n = 32

Repair: test the count, or compute in a wider type.

Ignore: never.

Assumes: shifts of vector lanes follow the instruction's own rules and are not reported
here.)"},

    {"operand-range", Severity::Error, Category::Program, "a number is outside what an instruction takes",
     R"(A run-time operand of a vector instruction has a value that no document defines: the
amount of a `vslide` or `vshift` is negative or exceeds the number of lanes, or a part
is neither 0 nor 1. The block ends.

Example:
  %r = pto.vshift %a, %n : !pto.vreg<64xf32>, i16 -> !pto.vreg<64xf32>   // %n = -1

Repair: test or clamp the number before the instruction.

Ignore: never.

Assumes: nothing.)"},

    {"trap", Severity::Error, Category::Program, "the program reached a trap",
     R"(The program executed `pto.trap`: its own check found that something is wrong. The block
ends.

Example:
  scf.if %too_large { pto.trap }

Repair: look at the condition around the trap and at the arguments that make it true.

Ignore: never; the kernel did not finish.

Assumes: nothing.)"},

    {"max-steps", Severity::Error, Category::Program, "the run took more steps than allowed",
     R"(A block issued more instructions and took more loop turns than `--max-steps` allows. It
is stopped, and the notes say where each unit stopped.

Example:
  ptoscope run spin.pto --max-steps 1000000

Repair: raise the limit if the kernel is simply long. Otherwise look at the loop that
the note names: its condition never becomes false.

Ignore: never; the results are incomplete.

Assumes: steps are counted per block, by instruction, and do not depend on the host.)"},

    {"interrupted", Severity::Error, Category::Program, "the run was interrupted",
     R"(The run was stopped from outside (Ctrl-C). The notes say where each scalar unit and each
pipe was.

Example:
  ^C
  interrupted in block 3: PIPE_V at add.pto:31, scalar unit at add.pto:24

Repair: nothing, if you meant to stop it. If the kernel seemed to hang, the places in
the notes show which loop it was in.

Ignore: never; results are incomplete and no output is written.

Assumes: nothing.)"},

    {"queue-exhausted", Severity::Error, Category::NotModelled, "too much work is queued",
     R"(A core queued so many instructions that could not start that PTOScope ran out of room
for them.

Example:
  a loop of millions of transfers behind a wait whose set comes after the loop

Repair: let the scalar unit wait from time to time. Hardware would make it wait, because
its queues are limited.

Ignore: the program may be valid. PTOScope cannot tell, because the depth of hardware
queues is not documented.

Assumes: whether a program deadlocks must not depend on the depth of queues.)"},

    {"expect-mismatch", Severity::Error, Category::Program, "a result differs from what was expected",
     R"(A buffer named with `--expect` differs from the expected array after the run. The
message counts the differing elements and shows the first and the largest difference.

Example:
  ptoscope run add.pto … --expect 2=golden.npy --atol 1e-6

Repair: look at the findings of the checkers first; a race or a missing tail explains
most differences. If only the last bits differ, allow a tolerance with `--atol` and
`--rtol`.

Ignore: if the expected file belongs to other inputs.

Assumes: without a tolerance, bytes are compared. With one, each element must satisfy
|got - expected| <= atol + rtol * |expected|; NaN equals NaN.)"},

    {"negative-tail-count", Severity::Warning, Category::UndefinedByManual, "a tail mask gets a negative count",
     R"(`plt` makes a mask from a count of remaining elements. The count is compared as an
unsigned number, so a negative one turns all lanes on. The manual does not define this
case.

Example:
  %m, %rest = pto.plt_b32 %n : i32 -> !pto.mask<b32>, i32      // %n = -3

Repair: end the loop when nothing is left, or clamp the count at 0.

Ignore: if all lanes are meant to be on.

Assumes: the count is an unsigned 32-bit number; the remainder stays at 0 once it is
used up.)"},
};

std::span<const CodeInfo> runCodes() { return kRows; }

} // namespace ptoscope::codetables
