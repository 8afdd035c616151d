//===- CodesRace.cpp - codes of the race checker --------------------------===//
//
// Two accesses to the same bytes, at least one of them a write, that nothing
// orders (RACE-1).
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"race-raw", Severity::Error, Category::Program, "a read may come before the write it needs",
     R"(Read after write: an instruction reads bytes that an earlier one writes, and nothing
orders the two. The read may see old bytes, new bytes, or a mix of both.

Rules: S7.

Example:
  pto.mte_gm_ub %x, %ub, … // MTE2 writes UB
  pto.vecscope { %v = pto.vlds %ub[%i] … }          // V reads it

Repair: order the pipes with a flag (or a get_buf/rls_buf pair) between the two:
  pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]   // after the transfer
  pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]  // before the scope

Ignore: never; a run that gives the right bytes was only lucky with its timing.

Assumes: two transfers of MTE2, or of MTE3, may finish in any order unless there is a
`pto.pipe_barrier` of that pipe between them. docs/memory-model.md lists all other rules
of order.)"},

    {"race-war", Severity::Error, Category::Program, "a write may overtake an earlier read",
     R"(Write after read: an instruction overwrites bytes that an earlier one reads, and
nothing orders the two. The earlier one may already see the new bytes.

Rules: S7.

Example:
  pto.vecscope { %v = pto.vlds %ub[%i] … }          // V reads buffer
  pto.mte_gm_ub %next, %ub, …                       // MTE2 refills it

Repair: signal in the reverse direction when the buffer is free again:
  pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]   // after the scope
  pto.wait_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]  // before the refill
or use a second buffer (ping-pong).

Ignore: never; this is the most common mistake in double-buffered loops.

Assumes: see `race-raw`.)"},

    {"race-waw", Severity::Error, Category::Program, "two writes are not ordered",
     R"(Write after write: two instructions write the same bytes and nothing orders them. Either
value may remain.

Rules: S7.

Example:
  pto.mte_ub_gm %a, %out, …     // both on MTE3, same GM bytes
  pto.mte_ub_gm %b, %out, …

Repair: for two transfers of one pipe, put `pto.pipe_barrier "PIPE_MTE3"` between them;
for different pipes, use a flag. Often one of the writes is simply too long.

Ignore: if both deliberately write the same values. The result is then the same on
hardware, but the checker does not compare values.

Assumes: transfers of one MTE pipe start in order and may end in any order.)"},

    {"race-scope", Severity::Error, Category::Program, "a `mem_bar` is missing inside a vector scope",
     R"(Inside one vector scope, two accesses touch the same UB bytes, one of them is a store,
and there is no fence of the right kind between them. The vector unit does not compare
addresses, so a load may overtake an earlier store.

Rules: S10.

Example:
  pto.vsts %v, %ub[%i], %m …
  %w = pto.vlds %ub[%i] …       // may still see the old bytes

Repair: put `pto.mem_bar "VST_VLD"` between them; the message names the kind of fence
that covers both accesses. Or end the scope: two successive scopes need no fence on a5.

Ignore: never.

Assumes: a store whose value, mask or index derives through registers from a load is
ordered after that load, so in-place `x[i] = f(x[i])` needs no fence.)"},

    {"race-blocks", Severity::Error, Category::Program, "two blocks conflict in global memory",
     R"(Two blocks of the launch touch the same GM bytes, at least one of them writes, and
nothing orders the blocks. Blocks run on different cores at the same time.

Example:
  // every block writes out[0..1024) instead of its own part
  pto.mte_ub_gm %ub, %out, …

Repair: add `pto.get_block_idx` times the size of a part to the address, or use an
atomic write for sums. If a block has to see what other blocks wrote, put an all-core
barrier in between (`pto.syncall`, in C++ `SYNCALL()`), or run the phases as two
launches.

Ignore: if both blocks deliberately write the same values. Results are then reproducible
only with `--threads 1`.

Assumes: atomic writes of one kind do not conflict with each other. The finding comes
from the footprint of each block, so it does not depend on timing or on the number of
threads.)"},

    {"order-dependent", Severity::Warning, Category::Program, "the result depends on the order of atomics",
     R"(Atomic float additions touch the same bytes, either from several blocks or without an
order within one block. Each is safe, but float addition is not associative: a different
order may change the last bits of the result.

Example:
  // every block adds its partial sum to out[0] with an f32 atomic add

Repair: let every block write its own partial result, and add the results in a fixed
order. Within a block, put `pto.pipe_barrier "PIPE_MTE3"` between the two.

Ignore: if the last bits do not matter. PTOScope applies atomics in block order, so its
own result is the same in every run.

Assumes: integer sums, maxima and minima do not depend on the order. Updates of
different kinds (a sum and a maximum, or two element types) are a race.)"},
};

std::span<const CodeInfo> raceCodes() { return kRows; }

} // namespace ptoscope::codetables
