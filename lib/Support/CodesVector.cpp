//===- CodesVector.cpp - codes of vector instructions ---------------------===//
//
// What is wrong with the text of a vector instruction: distributions, masks,
// pointers, and the states of unaligned streams; operands of sorts.
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"bad-dist-token", Severity::Error, Category::Program, "no such distribution",
     R"(The token that says how bytes move between UB and registers is not one that the
instruction accepts. Loads, stores, paired accesses, fixed strides and masks each have
their own list.

Example:
  %v = pto.vlds %ub[%i] {dist = "INTLV_B32"} : …     // INTLV is for pto.vstsx2

Repair: use a token from the list in the message. Interleaved data is loaded with
`pto.vldsx2` and stored with `pto.vstsx2`.

Ignore: never; nothing says where the bytes should go.

Assumes: tokens are upper case. Other spellings that manuals use (BLK, ONEPT_B32, …) are
accepted.)"},

    {"mask-granularity", Severity::Error, Category::Program, "the mask has the wrong granularity",
     R"(`!pto.mask<b8>`, `<b16>` and `<b32>` view the same 256 bits as 256, 128 or 64 lanes. The
instruction needs the view that matches its elements, its distribution or its name.

Example:
  %m = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>
  %r = pto.vsel %a, %b, %m : !pto.vreg<64xf32>, …       // 32-bit lanes need b32

Repair: make the mask with the right suffix (`pto.pset_b32`), or convert it:
`pto.punpack` and `pto.ppack` keep lanes, `pto.pbitcast` keeps bits.

Ignore: never; with the wrong view, other lanes would be active.

Assumes: 64-bit elements take b32 masks. Gathers, scatters and squeezes accept any view
and read the mask at the width of their lanes.)"},

    {"ptr-vreg-type-mismatch", Severity::Error, Category::Program, "pointer and register elements differ in size",
     R"(Offsets and indices count elements. If the pointer and the register have elements of
different sizes, the manuals do not say which size applies.

Example:
  %v = pto.vlds %p[%i] : !pto.ptr<f16, ub> -> !pto.vreg<64xf32>

Repair: cast the pointer to the element type of the register with `pto.castptr`, and
give the offset in those elements.

Ignore: never; the address would be a guess.

Assumes: only the size matters, so `f32` and `i32` may be mixed. The lanes of gathers
and scatters may be wider than the pointer's element.)"},

    {"not-ub", Severity::Error, Category::Program, "a vector instruction needs a pointer into UB",
     R"(Vector loads and stores can only access the unified buffer.

Example:
  %v = pto.vlds %x[%i] : !pto.ptr<f32, gm> -> !pto.vreg<64xf32>

Repair: transfer the data to UB with `pto.copy_gm_to_ubuf` or `pto.mte_gm_ub`, order the
transfer before the scope, and load from UB.

Ignore: never; the machine has no such path.

Assumes: nothing.)"},

    {"post-update-type", Severity::Error, Category::Program, "the advanced pointer has the wrong type",
     R"(An access that also returns the advanced pointer returns it with the type of the base.

Example:
  %v, %p = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>, !pto.ptr<i32, ub>

Repair: use the type of the base, and follow the access with `pto.castptr` if you need
another element type.

Ignore: never; the two types contradict each other.

Assumes: nothing.)"},

    {"align-chain", Severity::Error, Category::Program, "the state of an unaligned stream is misused",
     R"(A `!pto.align` value holds the pending bytes of a stream. It passes from one instruction
to the next, and each state is used once: `init_align`, then stores, then one flush; or
`vldas`, then `vldus`. Loops carry it in `iter_args`, and branches yield it on both
sides.

Example:
  %a1 = pto.vstus %a0, %n, %v, %p : …
  %a2 = pto.vstus %a0, %n, %w, %q : …      // %a0 was used up by the line before
  pto.vstas %a2, %q, %n : …

Repair: pass each instruction the state that the previous one returned (%a1 here), and
start another stream with its own `pto.init_align`.

Ignore: never; bytes would be lost or written twice.

Assumes: one use in each branch of an `scf.if` counts as one.)"},

    {"align-not-flushed", Severity::Error, Category::Program, "an unaligned store stream is not flushed",
     R"(Unaligned stores keep up to 31 bytes in the state. If no `vsta`, `vstas` or `vstar`
takes the last state, those bytes never reach UB.

Example:
  %a1 = pto.vstus %a0, %n, %v, %p : …
  // the scope ends here

Repair: end the stream with `pto.vstas %a1, %p, %n : !pto.align, !pto.ptr<T, ub>, i32`,
or `pto.vstar` if it was written by `pto.vstur`, on every path.

Ignore: never. If the stream ends at a multiple of 32 bytes, nothing is lost, but then
the flush costs nothing either.

Assumes: the address of the flush is checked when the program runs.)"},

    {"unsupported-on-profile", Severity::Warning, Category::Program, "manuals list this, but the hardware lacks it",
     R"(The instruction or distribution is in manuals, and other profiles have it, but the a5
hardware does not. PTOScope runs it anyway.

Example:
  pto.vsts %v, %ub[%i], %m {dist = "MRG4CHN_B8"} : …

Repair: use what a5 has: `pto.vintlv` instead of `pto.vintlvv2`, `pto.vselr` instead of
`pto.vselrv2`, `pto.vsldb` or `pto.vgather2` instead of `pto.vsld`.

Ignore: if the kernel is not meant for a5 hardware. `--arch a3` silences the warning.

Assumes: a module without an arch attribute means a5.)"},

    {"sort-operand", Severity::Error, Category::Program, "a sort operand is out of range",
     R"(The repeat count of `pto.vbitsort` has 8 bits: one instruction sorts at most 255 groups of
32 scores. With another count nothing is sorted.

Example:
  %groups = arith.divsi %n, %c32 : index          // 256 for 8192 scores
  pto.vbitsort %records, %scores, %indices, %groups : …

Repair: sort in several instructions, or check how the count is computed.

Ignore: never; hardware would use the low bits.

Assumes: the count is read when the instruction is issued; 0 is allowed and sorts nothing.)"},
};

std::span<const CodeInfo> vectorCodes() { return kRows; }

} // namespace ptoscope::codetables
