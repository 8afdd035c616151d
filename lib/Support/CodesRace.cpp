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

Ignore: never; a run that gives the right bytes only had luck with timing.

Assumes: two transfers of MTE2, or of MTE3, finish in any order unless a
`pto.pipe_barrier` of that pipe stands between them. Every other edge is listed in
docs/memory-model.md.)"},

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

Ignore: never; this is the usual fault of a double-buffered loop.

Assumes: see `race-raw`.)"},

    {"race-waw", Severity::Error, Category::Program, "two writes in no order",
     R"(Write after write: two instructions write the same bytes and nothing orders them.
Which value remains is open.

Rules: S7.

Example:
  pto.mte_ub_gm %a, %out, …     // both on MTE3, same GM bytes
  pto.mte_ub_gm %b, %out, …

Repair: two transfers of one pipe: `pto.pipe_barrier "PIPE_MTE3"` between them.
Different pipes: a flag. Often one of the writes is simply too long.

Ignore: when both write equal bytes on purpose. Hardware would agree, but the checker
does not compare values.

Assumes: transfers of one MTE pipe start in order, and may end in any order.)"},

    {"race-scope", Severity::Error, Category::Program, "a `mem_bar` is missing inside a vector scope",
     R"(Inside one vector scope two accesses touch the same UB bytes, one of them is a store,
and no fence of the right kind stands between them. The vector unit does not compare
addresses: a load may pass an earlier store.

Rules: S10.

Example:
  pto.vsts %v, %ub[%i], %m …
  %w = pto.vlds %ub[%i] …       // may still see the old bytes

Repair: `pto.mem_bar "VST_VLD"` between them; the message names the kind that covers
both accesses. Or end the scope: two successive scopes need no fence on a5.

Ignore: never.

Assumes: a store whose value, mask or index derives through registers from a load is
ordered after that load, so in-place `x[i] = f(x[i])` needs no fence.)"},

    {"race-blocks", Severity::Error, Category::Program, "two blocks conflict in global memory",
     R"(Two blocks of the launch touch the same GM bytes, one of them writes, and nothing
orders the blocks. Blocks run on different cores at the same time.

Example:
  // every block writes out[0..1024) instead of its own part
  pto.mte_ub_gm %ub, %out, …

Repair: add `pto.get_block_idx` times the part's size to the address, use an atomic
write for sums. Where a block has to see what others wrote, let all of them meet in
between (`pto.syncall`, in C++ `SYNCALL()`), or run the phases as two launches.

Ignore: when both blocks write equal bytes on purpose. Results are then reproducible
with `--threads 1` only.

Assumes: atomic writes of one kind do not conflict with each other. Found from the
footprint of each block, so it does not depend on timing or on the number of threads.)"},

    {"order-dependent", Severity::Warning, Category::Program, "the result depends on the order of atomics",
     R"(Float atomics meet in the same bytes, of several blocks or without an order in one.
Each is safe, but float addition is not associative: another order gives other last bits.

Example:
  // every block adds its partial sum to out[0] with an f32 atomic add

Repair: let every block write its own partial result, and add them in a fixed order;
within a block, `pto.pipe_barrier "PIPE_MTE3"` between the two.

Ignore: when the last bits do not matter. PTOScope applies atomics in block order, so
its own result is the same in every run.

Assumes: integer sums, maxima and minima do not depend on the order. Updates of two kinds
(a sum and a maximum, or two types) are a race.)"},
};

std::span<const CodeInfo> raceCodes() { return kRows; }

} // namespace ptoscope::codetables
