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
     R"(No pipe, scalar unit or other core can continue, and work is left. The notes show what
waits for what: a cycle of waits, or a wait whose set is missing.

Rules: S8.

Example:
  pto.wait_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]  // first iteration: never set
  pto.mte_gm_ub …

Repair: add the missing set (a flag that means "buffer free" has to be set once before
the loop), or move the set before the wait that blocks its own pipe.

Ignore: never; hardware hangs in the same place.

Assumes: queues are unlimited, so the verdict does not depend on their depth. A deadlock
is detected when it happens, not by a timeout.)"},

    {"livelock", Severity::Error, Category::Program, "every core spins and nothing changes",
     R"(Every scalar unit is in a loop that only reads memory or does nothing, no pipe has work,
and no memory changes. The loops can never end.

Example:
  scf.while : () -> () {          // waits for a value in GM that is never written
    %v = pto.load_scalar %gm[%c0] …
    scf.condition(%is_zero) } do { scf.yield }

Repair: let another core write the value that the loop waits for, and make sure that
this core runs.

Ignore: never; the kernel does not end.

Assumes: nothing outside the kernel writes its memory. A loop that changes its own
carried values is not a livelock; use `--max-steps` to limit it.)"},

    {"flag-leftover", Severity::Warning, Category::Program, "a flag is still set at the end",
     R"(At the end of the kernel, a flag is set that was never waited for. The next kernel on
that core may find it set.

Rules: S9.

Example:
  pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]   // last iteration, no wait follows

Repair: wait for it after the loop (drain), or skip the set in the last iteration.

Ignore: if the runtime is known to clear all flags between kernels.

Assumes: every set is consumed by exactly one wait. Cluster semaphores may stay set and
are not reported.)"},

    {"flag-overwritten", Severity::Warning, Category::Program, "a flag is set again before a wait for it",
     R"(A set arrives while the same flag (source, destination, id) is already set. PTOScope
counts; hardware with a one-bit flag would lose one of the two.

Rules: S9.

Example:
  pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
  pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]   // no wait in between

Repair: wait between the two sets, or use another event id for the second buffer.

Ignore: if the target is known to count. The width of flags is not documented.

Assumes: a flag is a counter. A count of 16 or more is the error `flag-overflow`.)"},

    {"flag-overflow", Severity::Error, Category::Program, "a flag counter overflows",
     R"(In some legal schedule the flag is set 16 times more than it is waited for, even if this
did not happen in this run. Counters have 4 bits; the result of an overflow is
undefined.

Rules: S9.

Example:
  scf.for … {                                            // 16 turns or more
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]    // V may be far behind MTE2
  }

Repair: wait once per set, and let the waiting pipe signal back before the next sets, as
double buffering does. Or put a PIPE_ALL barrier into the loop.

Ignore: never.

Assumes: 4-bit counters, as documented for cluster semaphores.)"},

    {"semaphore-overflow", Severity::Error, Category::Program, "a semaphore counter overflows",
     R"(In some legal schedule a cluster semaphore is set 16 times more than it is waited for,
even if this did not happen in this run. Its counter has 4 bits; the result of an
overflow is undefined.

Example:
  scf.for %i = %c0 to %c20 step %c1 { pto.sync.set <PIPE_FIX>, 1 }   // AIC
  // AIV0 waits only once, after its loop

Repair: wait once per set. If the sender can run ahead, let the receiver signal back,
and let the sender wait for that before it sets again.

Ignore: never.

Assumes: 4-bit counters (0 to 15). A count that is left at the end is legal.)"},

    {"semaphore-id-range", Severity::Error, Category::Program, "a semaphore id is out of range",
     R"(A vector core has cluster semaphores 0 to 15. The cube core of a5 has 0 to 31: 0 to 15
belong to AIV0, 16 to 31 to AIV1. On a2 and a3 every core has 0 to 15.

Rules: S6.

Example:
  pto.sync.set <PIPE_MTE3>, 16     // in the vector section

Repair: use 0 to 15 on a vector core. The cube core uses 16 to 31 for the semaphores of
AIV1.

Ignore: never; hardware would take the low bits.

Assumes: the offset of AIV1 is 16. Documents that say 15 are not followed.)"},

    {"syncall-mismatch", Severity::Error, Category::Program, "a core takes part in the wrong barrier",
     R"(`pto.syncall` joins all cores of its core type, or the first N of them if a number is
given. A core of another type, or one beyond the first N, reached it; or N is larger
than the number of cores in the launch.

Example:
  pto.syncall(%gm, %ub, %n : …) mode = …<soft>, core_type = …<aiv_only>   // %n = 8
  // launched with 4 blocks

Repair: pass the number of cores that actually take part, or use `mix`.

Ignore: never; hardware would hang or let cores continue too early.

Assumes: cores are counted in block order; within a cluster AIC, AIV0, AIV1.)"},

    {"too-many-blocks", Severity::Error, Category::Program, "more blocks than cores with an all-core barrier",
     R"(The kernel has an all-core barrier, so all its blocks have to run at the same time, but
the device has fewer cores than blocks. Blocks that have not started never reach the
barrier.

Example:
  ptoscope run k.pto --block-dim 100      // k.pto has pto.syncall; a5 has 64 vector cores

Repair: launch at most as many blocks as there are cores, and let each block loop over its
share of the work.

Ignore: never; hardware hangs.

Assumes: the profile gives the number of cores. Products may differ.)"},

    {"event-id-range", Severity::Error, Category::Program, "an event id is out of range",
     R"(Each ordered pair of pipes has flags with the event ids 0 to 7.

Rules: S3.

Example:
  pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID8"]
  pto.set_flag_dyn [#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %i]     // %i = 9

Repair: reuse ids; each pair of pipes has its own eight. Compute dynamic ids modulo the
number of buffers, for example `i mod 2`.

Ignore: never; hardware would take the low bits.

Assumes: 8 ids. One page that says 16 is not followed.)"},

    {"event-array-bounds", Severity::Error, Category::Program, "an index is outside an event-id array",
     R"(`!pto.eventid_array<N>` holds N event ids, with the indices 0 to N-1.

Rules: S14.

Example:
  %a = pto.declare_eventid_array -> !pto.eventid_array<2>
  pto.eventid_array_set %a[%c2], %e : !pto.eventid_array<2>

Repair: take the index modulo N, or declare a larger array.

Ignore: never; the block ends here.

Assumes: the index is a signed number, so -1 is outside as well.)"},

    {"event-array-unset", Severity::Error, Category::Program, "an element of an event-id array was never set",
     R"(An element of an event-id array has no value until `eventid_array_set` writes one.
Executing the declaration again, in a loop, clears the array.

Rules: S14.

Example:
  %a = pto.declare_eventid_array -> !pto.eventid_array<2>
  %e = pto.eventid_array_get %a[%c0] : !pto.eventid_array<2>

Repair: set every element before the loop that reads it.

Ignore: never; the program does not say which flag it means.

Assumes: an element may hold any number. Its range is checked when a flag uses it
(`event-id-range`).)"},

    {"buffer-id-range", Severity::Error, Category::Program, "a buffer id is out of range",
     R"(`get_buf` and `rls_buf` take buffer ids from 0 to 31. All pipes of a core share them.

Rules: S4.

Example:
  pto.get_buf "PIPE_V", 32, 0

Repair: reuse an id that has been released. Different buffers may share an id; this only
adds more order than necessary.

Ignore: never.

Assumes: 32 ids per core on every profile that has buffer ids.)"},

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
     R"(A `get_buf` names a (pipe, id) pair that already holds the buffer. Brackets of the same
pair must not nest.

Rules: S4.

Example:
  pto.get_buf "PIPE_V", 0, 0
  pto.get_buf "PIPE_V", 0, 0      // no rls_buf in between

Repair: release the buffer before it is acquired again, or use another id. Often the
release is in only one branch of an `scf.if`.

Ignore: never.

Assumes: brackets of different ids, or of different pipes, may overlap freely.)"},

    {"buffer-held", Severity::Warning, Category::Program, "a buffer is still held at the end",
     R"(At the end of the kernel, a pipe still holds a buffer id that it acquired. Nothing waits
for it any more, but a pipe that should have used the buffer afterwards was not ordered
after this one.

Rules: S4.

Example:
  pto.get_buf "PIPE_V", 0, 0
  pto.vecscope { … }              // no rls_buf follows

Repair: add `pto.rls_buf "PIPE_V", 0, 0` after the last instruction that uses the
buffer.

Ignore: if only one pipe uses the id and the kernel ends there.

Assumes: ids are free again when the next kernel starts.)"},

    {"buffer-release-unacquired", Severity::Warning, Category::Program, "a buffer is released but not held",
     R"(An `rls_buf` names a (pipe, id) pair that has no earlier `get_buf`. It still signals, so
later acquires wait for the work of the pipe.

Rules: S4.

Example:
  pto.rls_buf "PIPE_MTE2", 3, 0   // the get_buf names id 2

Repair: check the id and the pipe; one of the two is usually wrong.

Ignore: if the release is meant as a plain signal.

Assumes: a get waits for the releases that were issued before it (BUF-2).)"},
};

std::span<const CodeInfo> syncCodes() { return kRows; }

} // namespace ptoscope::codetables
