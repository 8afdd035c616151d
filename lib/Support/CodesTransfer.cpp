//===- CodesTransfer.cpp - codes of transfer operands ---------------------===//
//
// What a single transfer can get wrong by its own operands; labels D4 to
// D14 are rules of docs/isa/02-dma.md.
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"stride-misaligned", Severity::Error, Category::Program, "an on-chip stride is not a multiple of 32",
     R"(On chip, the rows of a transfer start on 32-byte boundaries. If there is more than one
row, the on-chip stride has to be a multiple of 32. The same holds for loop strides
(D4).

Rules: D4.

Example:
  pto.mte_gm_ub %x, %ub, %c0, %c200 nburst(%c64, %c200, %c200) …   // ds = 200

Repair: round the on-chip stride up and leave a gap, or pad the rows:
  nburst(%c64, %c200, %c224)

Ignore: never; hardware cannot encode it.

Assumes: the stride of a single row, or of a loop that runs once, has no effect and is
not checked (D10).)"},

    {"stride-overlap", Severity::Error, Category::Program, "rows of a transfer overlap on chip",
     R"(The on-chip destination stride is smaller than the row, or a loop of the transfer
reaches the same bytes again. Rows overwrite one another in no defined order (D14).

Rules: D14.

Example:
  pto.mte_gm_ub %x, %ub, %c0, %c256 nburst(%c4, %c256, %c128) …    // 256 > 128

Repair: make the destination stride at least as long as a row with its left and right
padding. Give each loop a stride that skips all the rows inside it.

Ignore: never; any of the rows may remain.

Assumes: a row is `left + len + right` bytes. If only fill bytes overlap, the finding is
the warning `pad-overlap`; overlap in GM is `gm-stride-overlap`.)"},

    {"gm-stride-overlap", Severity::Warning, Category::Program, "rows of a transfer overlap in GM",
     R"(A transfer writes GM rows that overlap: its GM stride is smaller than the row (D11). In
PTOScope the last row in loop order wins; on hardware another may.

Rules: D11.

Example:
  pto.mte_ub_gm %ub, %out, %c256 nburst(%c4, %c256, %c128) …

Repair: make the GM stride at least `len`, or write only one row if all rows are equal.

Ignore: if all overlapping rows hold the same bytes.

Assumes: source rows may overlap. A source stride of 0 is a broadcast.)"},

    {"transfer-operand", Severity::Error, Category::Program, "a transfer operand is out of range",
     R"(A length, count, stride or pad count is negative (D6), or does not fit the field of
the instruction word (D7): 21 bits for lengths, counts and on-chip strides, 40 bits for
GM strides.

Rules: D6, D7.

Example:
  %rest = arith.subi %n, %total : i64        // becomes negative in the last block
  pto.mte_gm_ub %x, %ub, %c0, %rest nburst(%c1, %c0, %c0) …

Repair: clamp the value, skip the transfer when nothing is left, or split it.

Ignore: never; hardware would use the low bits.

Assumes: operands are read when the transfer is issued.)"},

    {"transfer-width", Severity::Warning, Category::Program, "a length or count exceeds 16 bits",
     R"(The value fits into the 21-bit field of the instruction word, but the manual documents
only 16 bits (D7). The whole transfer is done.

Rules: D7.

Example:
  pto.mte_gm_ub %x, %ub, %c0, %c131072 nburst(%c1, %c0, %c0) …

Repair: move the data as several rows: `nburst(%c4, %c32768, %c32768)`, len 32768.

Ignore: if your hardware is known to use the wider field.

Assumes: the encoding of a5. docs/limits.md gives the widths.)"},

    {"transfer-empty", Severity::Remark, Category::Program, "a transfer moves nothing",
     R"(A length, row count or loop count is 0, so the transfer has no effect (D5). This is
legal, and often the last iteration of a loop that ends one step too late.

Rules: D5.

Example:
  pto.mte_gm_ub %x, %ub, %c0, %rest nburst(%c1, %c0, %c0) …      // %rest = 0

Repair: skip the iteration, or check the operand that is 0.

Ignore: if the empty case is intended.

Assumes: an empty transfer touches no bytes, pads nothing, and still takes its turn in
the queue of its pipe.)"},

    {"pad-ignored", Severity::Warning, Category::Program, "pad counts without padding",
     R"(Pad counts are given, but padding is not enabled (data_select is false, or there is no
`pad` clause). The counts have no effect.

Example:
  pto.copy_gm_to_ubuf %x, %ub, %c0, %n, %len, %c0, %c8, %false, …

Repair: enable padding, or set both counts to 0.

Ignore: if the counts are left over from another variant of the kernel.

Assumes: only transfers from GM to UB can pad (ROW-7).)"},

    {"pad-phase", Severity::Warning, Category::Program, "the pad value starts in the middle of an element",
     R"(The length of the row is not a multiple of the width of the pad value, so the first pad
byte falls inside an element. The manual can be read in two ways, which write different
bytes there.

Example:
  len = 30 bytes, pad value of type f32: the pattern would start at byte 2 of 4

Repair: use a pad value of the row's element type, or one whose bytes are all equal.

Ignore: if all bytes of the pad value are equal, or the fill is never read.

Assumes: byte o of a row gets byte (o mod width) of the pad value, counted from the
start of the row.)"},

    {"pad-overlap", Severity::Warning, Category::Program, "fill bytes overlap the next row",
     R"(The rows themselves do not overlap, but the fill after a row reaches into another row of
the same transfer. Rows are written in loop order, so in PTOScope the later row wins,
and the fill of the last row remains.

Example:
  pto.mte_gm_ub %x, %ub, %c0, %c32 nburst(%c1, %c0, %c128) loop(%c4, %c32, %c64) pad(%v) …
  // a row is 32 bytes, its fill reaches to byte 128, the next row starts at byte 64

Repair: make the row stride at most the distance to the next row, so that the fill ends
there.

Ignore: if these bytes are never read.

Assumes: fill extends to the row stride or to the next 32-byte boundary, whichever is
larger.)"},

    {"stale-loop-size", Severity::Warning, Category::Program, "loop registers may hold stale values",
     R"(A `copy_*` transfer loops because of a `set_loop_size_*` before a grouped `mte_*`
transfer in the same direction. Some tools implement grouped transfers with the same
registers, and leave (1, 1) in them.

Example:
  pto.set_loop_size_outtoub %c4, %c1 : i64, i64
  pto.mte_gm_ub …
  pto.copy_gm_to_ubuf …          // loops 4 times here, once elsewhere

Repair: set the loop size directly before the `copy_*` transfer that needs it.

Ignore: if your tools implement grouped transfers without these registers.

Assumes: grouped transfers do not change the registers.)"},
};

std::span<const CodeInfo> transferCodes() { return kRows; }

} // namespace ptoscope::codetables
