//===- CodesInit.cpp - codes of the definedness checker -------------------===//
//
// Uses of on-chip bytes that no one wrote, or that were made undefined later.
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"init-read", Severity::Error, Category::Program, "an active lane uses bytes nobody wrote",
     R"(An instruction computes with a register byte that was never defined, in a lane its
mask makes active: arithmetic, compare, convert, reduce, sort, or a predicate bit that
decides something.

Example:
  %v = pto.vlds %ub[%c0] …               // only 100 bytes were transferred
  %s = pto.vadd %v, %v, %all …           // all 64 lanes active

Repair: transfer or write the whole tile, pad the rows (`pad(…)`), or mask the tail
(`pto.plt_b32`).

Ignore: when the lane's result is thrown away later; a mask says so to the reader too.

Assumes: loads alone are innocent, since they are never masked. Inactive lanes do not
use their inputs. Zeroed lanes are defined. GM buffers are defined. On-chip memory reads
as zero before the first write.)"},

    {"init-clobbered", Severity::Error, Category::Program, "bytes are used that an instruction has left undefined",
     R"(The bytes had been written, and then an instruction left them undefined: they were a
scratch operand of it, or the rest of the last block of 32 bytes behind a row that it
transferred without padding. The report names that instruction.

Example:
  TSORT32(dst, src, idx, tmp);           // tmp holds nothing of use afterwards
  TADD(z, tmp, y);                       // … and is read here

Repair: write the bytes again behind that instruction, give it a scratch of its own, or
pad the rows of the transfer.

Ignore: never; what the bytes hold depends on the target.

Assumes: a scratch operand is undefined from start to end, also where the instruction
would need less of it. Bytes between a row's end and the next multiple of 32 become
undefined by a transfer without padding.)"},

    {"init-index", Severity::Error, Category::Program, "an index was never written",
     R"(A register that says where bytes come from or go to holds bytes that nobody wrote, in an
active lane: the index of a gather or scatter, the offsets of `pto.vgatherb`, the lane
numbers of `pto.vselr` and `pto.vperm`.

Example:
  %idx = pto.vlds %table[%c0] …          // table not transferred yet
  %v = pto.vgather2 %ub, %idx, …

Repair: write the indices first and order the write before the read (see `race-raw`).

Ignore: never; the access goes anywhere.

Assumes: as `init-read`; only active lanes count, all lanes where there is no mask.
Numbers that steer addresses, counts and branches are scalars: see `init-scalar`.)"},

    {"init-scalar", Severity::Error, Category::Program, "a scalar load reads bytes nobody wrote",
     R"(`pto.load_scalar` reads on-chip bytes that were never written in this block. The value
would steer addresses, counts or branches. Or a status register is read before any
instruction that writes it: `pto.get_vms4_sr` before the first `pto.vmrgsort4`.

Example:
  %n = pto.load_scalar %ub[%c0] : !pto.ptr<i32, ub> -> i32
  // the transfer that brings the count is missing

Repair: transfer or store the value first, and order it before the load (flag to PIPE_S
or a PIPE_ALL barrier).

Ignore: never.

Assumes: GM is defined; on-chip memory is undefined at the start of every block.)"},

    {"init-store-gm", Severity::Remark, Category::Program, "bytes nobody wrote leave for GM",
     R"(A transfer to GM carries on-chip bytes that were never defined. The transfer is done;
those bytes arrive as zero. One remark per transfer.

Example:
  // 100 floats computed, 128 stored
  pto.mte_ub_gm %ub, %out, %c512 nburst(%c1, %c512, %c512) …

Repair: store only what was computed, or fill the tail before.

Ignore: when the reader of the buffer ignores the tail; many published kernels do this.

Assumes: bytes between a row's end and the next multiple of 32 become undefined by a
transfer without padding.)"},
};

std::span<const CodeInfo> initCodes() { return kRows; }

} // namespace ptoscope::codetables
