//===- CodesSync.cpp - codes of flags, buffer ids and hangs ---------------===//
//
// Synchronisation that hangs, leaks or names what does not exist (S3
// to S14).
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"deadlock", Severity::Error, Category::Program, "the kernel hangs",
     R"(No pipe, no scalar unit and no other core can go on, and work is left. The notes show who
waits for what: a cycle of waits, or a wait whose set is missing.

Rules: S8.

Example:
  pto.wait_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]  // first iteration: nobody set it
  pto.mte_gm_ub …

Repair: add the missing set (a loop that waits for "buffer free" has to be primed before
the loop), or move the set before the wait that blocks its own pipe.

Ignore: never; hardware hangs in the same place.

Assumes: queues are unlimited, so the verdict does not depend on their depth. Found at
the moment it happens, never by a timeout.)"},

    {"livelock", Severity::Error, Category::Program, "every core spins and nothing changes",
     R"(All scalar units only repeat loops that read memory or do nothing, no pipe has work,
and no memory changes: the loops can never end.

Example:
  scf.while : () -> () {          // waits for a flag in GM that nobody writes
    %v = pto.load_scalar %gm[%c0] …
    scf.condition(%is_zero) } do { scf.yield }

Repair: let some core write what the loop waits for, and make sure that core runs.

Ignore: never; the kernel does not end.

Assumes: nothing outside the kernel writes its memory. A loop that still changes its own
carried values is not a livelock; `--max-steps` bounds it.)"},

    {"flag-leftover", Severity::Warning, Category::Program, "a flag is still set at the end",
     R"(The kernel ends with a flag that was set and never waited for. The next kernel on that
core may find it set.

Rules: S9.

Example:
  pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]   // last iteration, no wait follows

Repair: wait for it after the loop (drain), or skip the set in the last iteration.

Ignore: when the runtime is known to clear all flags between kernels.

Assumes: every set is consumed by exactly one wait. Counters of cluster semaphores may
stay set and are not reported.)"},

    {"flag-overwritten", Severity::Warning, Category::Program, "a flag is set again before it was waited for",
     R"(A set arrives while the same flag (source, destination, id) is already set. PTOScope
counts; hardware with a one-bit flag would lose one of the two.

Rules: S9.

Example:
  pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
  pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]   // no wait in between

Repair: wait in between, or use another event id for the second buffer.

Ignore: when the target is known to count; the width of flags is not documented.

Assumes: a flag is a counter; from 16 on it is the error `flag-overflow`.)"},

    {"flag-overflow", Severity::Error, Category::Program, "a flag counter overflows",
     R"(A flag can be set 16 times more often than it was waited for: some legal schedule does
it, even if this run did not. Counters have 4 bits; what happens beyond is not defined.

Rules: S9.

Example:
  scf.for … {                                            // 16 turns or more
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]    // V may be far behind MTE2
  }

Repair: wait once per set, and let the waiting pipe signal back before the next sets, as
double buffering does anyway; or put a barrier of PIPE_ALL into the loop.

Ignore: never.

Assumes: 4-bit counters, as documented for cluster semaphores.)"},

    {"semaphore-overflow", Severity::Error, Category::Program, "a semaphore counter overflows",
     R"(A cluster semaphore can be set 16 times more often than it was waited for: some legal
schedule does it, even if this run did not. Its counter has 4 bits; what happens beyond is
not defined.

Example:
  scf.for %i = %c0 to %c20 step %c1 { pto.sync.set <PIPE_FIX>, 1 }   // AIC
  // AIV0 waits only once, after its loop

Repair: wait once per set. When the sender may run ahead, let the receiver signal back
and the sender wait for it before it sets again.

Ignore: never.

Assumes: 4-bit counters (0 to 15). Counts that are left at the end are legal.)"},

    {"semaphore-id-range", Severity::Error, Category::Program, "a semaphore id is out of range",
     R"(Cluster semaphores have ids 0 to 15 on a vector core. On the cube core of A5 they go
to 31: 0 to 15 belong to AIV0, 16 to 31 to AIV1. On A2/A3 every core has 0 to 15.

Rules: S6.

Example:
  pto.sync.set <PIPE_MTE3>, 16     // in the vector section

Repair: a vector core names its own ids 0 to 15; the cube core sees those of AIV1 as 16
to 31.

Ignore: never; hardware would take the low bits.

Assumes: the offset of AIV1 is 16; texts that say 15 are not followed.)"},

    {"syncall-mismatch", Severity::Error, Category::Program, "a core takes part in the wrong barrier",
     R"(`pto.syncall` joins the cores of its core type, or the first of them if a number is
given. A core of another kind, or beyond that number, reached it; or the number is larger
than what the launch has.

Example:
  pto.syncall(%gm, %ub, %n : …) mode = …<soft>, core_type = …<aiv_only>   // %n = 8
  // launched with 4 blocks

Repair: pass the number of cores that really take part, or use `mix`.

Ignore: never; hardware would hang or let cores pass too early.

Assumes: cores are counted in block order; in a cluster AIC, AIV0, AIV1.)"},

    {"too-many-blocks", Severity::Error, Category::Program, "more blocks than cores with an all-core barrier",
     R"(The kernel has a barrier over all cores, so all its blocks have to run at the same
time, and the device has fewer cores than that. Blocks that have not started never reach
the barrier.

Example:
  ptoscope run k.pto --block-dim 100      // k.pto has pto.syncall; a5 has 64 vector cores

Repair: launch at most as many blocks as there are cores, and let each block loop over its
share of the work.

Ignore: never; hardware hangs.

Assumes: the number of cores of the profile; products differ.)"},

    {"event-id-range", Severity::Error, Category::Program, "an event id is out of range",
     R"(Flags have event ids 0 to 7 for each ordered pair of pipes.

Rules: S3.

Example:
  pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID8"]
  pto.set_flag_dyn [#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %i]     // %i = 9

Repair: reuse ids: each pair of pipes has its own eight. For dynamic ids compute `i mod 2`
or so.

Ignore: never; hardware would take the low bits.

Assumes: 8 ids; one page that speaks of 16 is not followed.)"},

    {"event-array-bounds", Severity::Error, Category::Program, "an index is outside an event-id array",
     R"(`!pto.eventid_array<N>` holds N event ids, with the indices 0 to N-1.

Rules: S14.

Example:
  %a = pto.declare_eventid_array -> !pto.eventid_array<2>
  pto.eventid_array_set %a[%c2], %e : !pto.eventid_array<2>

Repair: take the index modulo N, or declare a larger array.

Ignore: never; the block ends here.

Assumes: the index is a signed number, so -1 is outside as well.)"},

    {"event-array-unset", Severity::Error, Category::Program, "an event id is read that was never set",
     R"(An element of an event-id array has no value until `eventid_array_set` writes one.
Executing the declaration again, in a loop, makes the array empty again.

Rules: S14.

Example:
  %a = pto.declare_eventid_array -> !pto.eventid_array<2>
  %e = pto.eventid_array_get %a[%c0] : !pto.eventid_array<2>

Repair: set every element before the loop that reads it.

Ignore: never; which flag would be meant is open.

Assumes: an element may hold any number; whether it is an event id is looked at where a
flag uses it (`event-id-range`).)"},

    {"buffer-id-range", Severity::Error, Category::Program, "a buffer id is out of range",
     R"(`get_buf` and `rls_buf` know 32 buffer ids, 0 to 31, shared by all pipes of a core.

Rules: S4.

Example:
  pto.get_buf "PIPE_V", 32, 0

Repair: reuse an id whose bracket is closed; different buffers may share an id, which only
orders them more than necessary.

Ignore: never.

Assumes: 32 ids a core on every profile that has buffer ids.)"},

    {"buffer-mode", Severity::Error, Category::Program, "a buffer mode is neither 0 nor 1",
     R"(The mode operand of `get_buf` and `rls_buf` is 0 (wait for earlier releases of the id)
or 1 (legacy: the release waits instead).

Rules: S4.

Example:
  pto.get_buf "PIPE_V", 0, 2

Repair: use mode 0 unless a kernel was written for the legacy meaning.

Ignore: never; other values have no meaning.

Assumes: a missing mode means 0.)"},

    {"buffer-nested", Severity::Error, Category::Program, "a buffer is acquired twice by one pipe",
     R"(`get_buf` for a (pipe, id) pair that already holds the buffer: brackets of the same
pair must not nest.

Rules: S4.

Example:
  pto.get_buf "PIPE_V", 0, 0
  pto.get_buf "PIPE_V", 0, 0      // no rls_buf in between

Repair: release before the next acquire, or use another id. Often a release sits in only
one branch of an `scf.if`.

Ignore: never.

Assumes: brackets of different ids, or of different pipes, may overlap freely.)"},

    {"buffer-held", Severity::Warning, Category::Program, "a buffer is still held at the end",
     R"(The kernel ends with a buffer id that a pipe got and did not release. Nobody waits for it
any more, but whoever was meant to get the buffer afterwards was not ordered behind it.

Rules: S4.

Example:
  pto.get_buf "PIPE_V", 0, 0
  pto.vecscope { … }              // no rls_buf follows

Repair: `pto.rls_buf "PIPE_V", 0, 0` behind the last instruction that uses the buffer.

Ignore: when the id serves a single pipe and the kernel ends there.

Assumes: ids are free again when the next kernel starts.)"},

    {"buffer-release-unacquired", Severity::Warning, Category::Program, "a buffer is released but not held",
     R"(`rls_buf` for a (pipe, id) pair without an earlier `get_buf` of that pair. It still
signals, so later acquires wait for the pipe's work.

Rules: S4.

Example:
  pto.rls_buf "PIPE_MTE2", 3, 0   // the get_buf names id 2

Repair: check id and pipe of the pair; one of the two is usually wrong.

Ignore: when the release is meant as a plain signal.

Assumes: see isa section "buffer ids": waits refer to releases issued earlier.)"},
};

std::span<const CodeInfo> syncCodes() { return kRows; }

} // namespace ptoscope::codetables
