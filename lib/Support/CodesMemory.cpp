//===- CodesMemory.cpp - codes of the memory checker ----------------------===//
//
// Accesses outside their memory, on the wrong boundary, or without the right.
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"ub-out-of-bounds", Severity::Error, Category::Program, "an access leaves the unified buffer",
     R"(A vector access, scalar access or transfer touches bytes beyond the end of UB. The
access is suppressed: reads give zero, writes are dropped.

Rules: ADDR-4, D8.

Example:
  %v = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
  // reads 256 bytes at %ub + 4 * %i, whatever the mask says later

Repair: check the base, the offset (in elements, not bytes) and the loop bound. A load
always touches its whole window, so leave room for it after the last element.

Ignore: never.

Assumes: the profile gives the size of UB. Padding that a transfer fills after its last
row counts as touched.)"},

    {"local-out-of-bounds", Severity::Error, Category::Program, "an access leaves an on-chip memory",
     R"(An access touches bytes beyond the end of L1, L0A, L0B, L0C, BT or FB. It is
suppressed: reads give zero, writes are dropped.

Rules: D8.

Example:
  pto.mte_gm_l1 %a, %l1, %len nburst(%rows, %ss, %ds) …  // rows * ds > L1

Repair: make the tile smaller, or place it at a lower address. The message shows the
size of the memory on this profile.

Ignore: never.

Assumes: the profile gives the sizes. Each core has its own L0 memories; the cores of a
cluster share L1.)"},

    {"gm-out-of-bounds", Severity::Error, Category::Program, "an access leaves its GM buffer",
     R"(A transfer or scalar access touches GM bytes outside the buffer that its address belongs
to. Bytes outside read as zero, and writes there are dropped.

Rules: D9.

Example:
  // %x holds 1000 floats; the last tile moves a full 256-byte row
  pto.mte_gm_ub %x_tail, %ub, %c0, %c256 nburst(%c1, …) …

Repair: shorten the last transfer to what is left, or make the buffer larger. The
message gives the size of the buffer and how far the access reaches beyond it.

Ignore: if you know that the extra bytes are unused, run with the memory check off
(`--check race,init,sync`). On hardware the access may fault or overwrite another
tensor.

Assumes: buffers are exactly as long as their argument.)"},

    {"unmapped-gm-address", Severity::Error, Category::Program, "a GM address belongs to no buffer",
     R"(The address of a GM access is in none of the kernel's buffers: it was computed from an
integer or from another memory space, or it is far outside its parameter.

Example:
  %p = pto.castptr %c0_i64 : i64 -> !pto.ptr<f32, gm>
  %v = pto.load_scalar %p[%c0] …

Repair: derive GM addresses from kernel parameters. In C++, register the memory with
`ptoscope::buffer(pointer, bytes)` before the launch.

Ignore: never; there are no bytes to read.

Assumes: every GM buffer of the kernel is one of its arguments.)"},

    {"gm-read-only", Severity::Error, Category::Program, "a write to a read-only GM buffer",
     R"(The kernel writes a GM buffer that the caller registered as read-only. The write is
dropped.

Example:
  const float *weights = …;  kernel(weights);   // and the kernel stores into it

Repair: write to another buffer, or register this one as writable if the store is
intended.

Ignore: never; the caller relies on the contents.

Assumes: only buffers that the caller marked are read-only.)"},

    {"ub-misaligned", Severity::Error, Category::Program, "an on-chip address is not aligned",
     R"(The address of a vector access, or the on-chip address of a transfer, does not have the
alignment that the instruction needs: 32 bytes for transfers (D3) and plain vector loads
and stores, less for some distributions.

Rules: D3, PLD-4, SORT-4, SORT-6, VGB-1, VLD-4, VSLDB-1, VST-2.

Example:
  %v = pto.vlds %ub[%c1] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>   // byte 4

Repair: move the data to an aligned address, or use the unaligned instructions
(`pto.vldas` with `pto.vldus`, `pto.vstus` with `pto.vstas`).

Ignore: never; hardware either faults or ignores the low bits of the address.

Assumes: tile bases are byte offsets into UB, and UB itself is aligned.)"},

    {"scalar-misaligned", Severity::Error, Category::Program, "a scalar access is not naturally aligned",
     R"(The address of a `load_scalar` or `store_scalar` is not a multiple of the size of its
value. No document defines the result, so it is treated as an error.

Example:
  %q = pto.castptr %p : !pto.ptr<i8, ub> -> !pto.ptr<i32, ub>   // %p = base + 1
  %v = pto.load_scalar %q[%c0] : !pto.ptr<i32, ub> -> i32

Repair: align the address, or read bytes and combine them.

Ignore: never.

Assumes: natural alignment, that is 1, 2, 4 or 8 bytes for values of that size.)"},

    {"gm-misaligned", Severity::Error, Category::Program, "a view of GM does not start at an element",
     R"(The pointer of a GlobalTensor is not a multiple of the size of its element. The
instruction is not executed.

Example:
  GlobalTensor<float, …> view(reinterpret_cast<float *>(bytes + 2));
  TLOAD(tile, view);

Repair: let the pointer start at an element, or use a view of bytes.

Ignore: never; no document defines what such a transfer moves.

Assumes: a registered buffer itself is aligned to the size of the element.)"},

    {"gather-misaligned", Severity::Error, Category::Program, "a gathered or scattered datum is not aligned",
     R"(An active lane of a gather or scatter has an address that is not a multiple of the size
of the datum. The lane reads as zero or is not written.

Rules: VG2-2, VSC-2.

Example:
  %q = pto.castptr %p : !pto.ptr<i8, ub> -> !pto.ptr<f32, ub>   // %p = base + 2
  %v = pto.vgather2 %q, %idx, %m : !pto.ptr<f32, ub>, … -> !pto.vreg<64xf32>

Repair: indices count elements of the pointer's type, so align the pointer to its
element.

Ignore: never.

Assumes: the datum has the size of the pointer's element type. Inactive lanes do not
count.)"},

    {"scatter-alias", Severity::Warning, Category::UndefinedByManual, "several lanes write the same place",
     R"(Two active lanes of a scatter write the same bytes. For a5, one document says that the
lowest lane wins, and newer text leaves it open; for a2 and a3 it is an error.

Example:
  pto.vscatter %v, %ub, %zeros, %m : …   // every lane writes element 0

Repair: give active lanes different indices, or switch the extra lanes off.

Ignore: if all lanes that share a place hold the same value.

Assumes: the lowest lane wins.)"},

    {"align-stream-break", Severity::Error, Category::Program, "an unaligned stream does not continue where it ended",
     R"(An unaligned load got a state that holds another block, or an unaligned store or flush
has an address other than the one that the stream had reached. Loads then read memory.
Stores write the pending bytes and continue at the new address.

Rules: VLDUS-1.

Example:
  %a1 = pto.vstus %a0, %c3, %v, %p : …    // the stream is now at %p + 3
  pto.vstas %a1, %p, %c5 : …              // ends it at %p + 5

Repair: pass each access the state that the previous one returned and the address where
that one ended. Start a new stream with `pto.vldas` or `pto.init_align`.

Ignore: never; hardware mixes bytes from two places.

Assumes: the offset of `vstas` counts elements. An offset that is correct in bytes is
accepted too.)"},

    {"stream-count", Severity::Error, Category::Program, "an unaligned store is longer than a register",
     R"(The count of `vstus` is negative or exceeds the lanes of the register.

Example:
  %a1 = pto.vstus %a0, %c65, %v, %p : !pto.align, i32, !pto.vreg<64xf32>, … -> !pto.align

Repair: pass the number of elements to store, from 0 to the number of lanes.

Ignore: never.

Assumes: nothing. The count is limited to the lanes that the register has.)"},
};

std::span<const CodeInfo> memoryCodes() { return kRows; }

} // namespace ptoscope::codetables
