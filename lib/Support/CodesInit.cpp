//===- CodesInit.cpp - codes of the definedness checker -------------------===//
//
// Uses of on-chip bytes that were never written, or that became undefined later.
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"init-read", Severity::Error, Category::Program, "an active lane uses bytes that were never written",
     R"(An instruction computes with a register byte that was never defined, in a lane that its
mask makes active. This covers arithmetic, comparisons, conversions, reductions, sorts,
and predicate bits that decide something.

Example:
  %v = pto.vlds %ub[%c0] …               // only 100 bytes were transferred
  %s = pto.vadd %v, %v, %all …           // all 64 lanes active

Repair: transfer or write the whole tile, pad the rows (`pad(…)`), or mask the tail
(`pto.plt_b32`).

Ignore: if the lane's result is discarded later. A mask makes that clear to readers as
well.

Assumes: a load by itself is not a use, because loads are never masked. Inactive lanes
do not use their inputs. Zeroed lanes are defined. GM buffers are defined. On-chip
memory reads as zero before the first write.)"},

    {"init-clobbered", Severity::Error, Category::Program, "bytes are used after an instruction made them undefined",
     R"(The bytes were written, and then an instruction made them undefined: they were its
scratch operand, or they follow the end of a row that it transferred without padding, up
to the next multiple of 32. The report names that instruction.

Example:
  TSORT32(dst, src, idx, tmp);           // tmp is undefined afterwards
  TADD(z, tmp, y);                       // … and is read here

Repair: write the bytes again after that instruction, give it a separate scratch tile,
or pad the rows of the transfer.

Ignore: never; the values depend on the target.

Assumes: the whole scratch operand becomes undefined, even if the instruction needs less
of it. A transfer without padding makes the bytes between the end of a row and the next
multiple of 32 undefined.)"},

    {"init-index", Severity::Error, Category::Program, "an index was never written",
     R"(A register that says where bytes come from or go to holds bytes that were never written,
in an active lane: the indices of a gather or scatter, the offsets of `pto.vgatherb`, or
the lane numbers of `pto.vselr` and `pto.vperm`.

Example:
  %idx = pto.vlds %table[%c0] …          // table not transferred yet
  %v = pto.vgather2 %ub, %idx, …

Repair: write the indices first and order the write before the read (see `race-raw`).

Ignore: never; the access may go anywhere.

Assumes: the same as `init-read`. Only active lanes count, or all lanes if there is no
mask. Numbers that control addresses, counts and branches are scalars: see
`init-scalar`.)"},

    {"init-scalar", Severity::Error, Category::Program, "a scalar load reads bytes that were never written",
     R"(`pto.load_scalar` reads on-chip bytes that were never written in this block. The value
could control addresses, counts or branches. Or a status register is read before any
instruction has written it: `pto.get_vms4_sr` before the first `pto.vmrgsort4`.

Example:
  %n = pto.load_scalar %ub[%c0] : !pto.ptr<i32, ub> -> i32
  // the transfer that brings the count is missing

Repair: transfer or store the value first, and order that before the load (with a flag
to PIPE_S or a PIPE_ALL barrier).

Ignore: never.

Assumes: GM is defined; on-chip memory is undefined at the start of every block.)"},

    {"init-store-gm", Severity::Remark, Category::Program, "bytes that were never written are stored to GM",
     R"(A transfer to GM carries on-chip bytes that were never defined. The transfer is done,
and those bytes arrive as zero. There is one remark per transfer.

Example:
  // 100 floats computed, 128 stored
  pto.mte_ub_gm %ub, %out, %c512 nburst(%c1, %c512, %c512) …

Repair: store only what was computed, or fill the tail first.

Ignore: if readers of the buffer skip the tail. Many published kernels do this.

Assumes: a transfer without padding makes the bytes between the end of a row and the
next multiple of 32 undefined.)"},
};

std::span<const CodeInfo> initCodes() { return kRows; }

} // namespace ptoscope::codetables
