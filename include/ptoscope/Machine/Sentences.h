//===- Sentences.h - what findings of a run say -----------------*- C++ -*-===//
//
// Message and help of every finding that a run, the tile API or `check` can make,
// and the phrases of their notes. The number after a name is the number of values
// that fill the gaps (Words.h). Sentences begin in lower case, have no full stop, and
// write code in backticks.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_SENTENCES_H
#define PTOSCOPE_MACHINE_SENTENCES_H

#include "ptoscope/Machine/Words.h"

namespace ptoscope::say {

constexpr Sentence<1> kInternal{"internal-error", "{0}",
                                "this should have been refused before the run; please report it with the program"};

constexpr Phrase<2> kBugNoPipe{"{0} {1}, which this core does not have"};
constexpr Phrase<1> kBugWindow{"a vector access of {0} bytes"};
constexpr Phrase<0> kBugStuck{"work is left, nothing moves, and no instruction is blocked"};
constexpr Phrase<1> kBugStatus{
    "the program of the scalar unit stopped with status {0} although the Machine did not ask for it"};
constexpr Phrase<1> kBugCoreType{"an all-core barrier of core type {0}"};
constexpr Phrase<0> kBugResident{"an all-core barrier in a kernel whose image does not ask for all blocks"};
constexpr Phrase<2> kBugFlag{"a flag from {0} to {1} does not exist here"};
constexpr Phrase<1> kBugPadWidth{"a pad value of {0} bytes"};
constexpr Phrase<1> kBugRegister{"register number {0} does not exist"};
constexpr Phrase<1> kBugFailure{"failure number {0} does not exist"};
constexpr Phrase<2> kBugScalar{"a scalar access of {0} bytes to space {1} does not exist"};
constexpr Phrase<2> kBugTransfer{"a transfer from space {0} to space {1} does not exist"};

constexpr const char *readsOrWrites(bool writes) { return writes ? "writes" : "reads"; }
constexpr const char *boundsCode(Space space) {
  return space == Space::Ub ? "ub-out-of-bounds" : "local-out-of-bounds";
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

constexpr Sentence<1> kNoBlocksOption{"usage", "a launch needs at least 1 block, not {0}",
                                      "pass a positive number with `--block-dim`"};
constexpr Sentence<0> kNoProfile{"internal-error", "a launch without a profile", ""};
constexpr Sentence<1> kNoProgram{"internal-error", "kernel {0:`} has no program", ""};
constexpr Sentence<0> kNoAddressSpace{
    "internal-error",
    "the host refuses the address space for the on-chip memories and stacks of the cores (4 GiB a memory, not "
    "backed by RAM)",
    ""};
/// The kernel, how many cores it needs, the target, how many it has, how many blocks fit.
constexpr Sentence<5> kTooManyCubes{"too-many-blocks",
                                    "{0} has an all-core barrier and needs {1:cube core} at the same time; {2} has {3}",
                                    "launch at most {4} blocks and let each loop over its share of the work"};
constexpr Sentence<5> kTooManyVectors{
    "too-many-blocks", "{0} has an all-core barrier and needs {1:vector core} at the same time; {2} has {3}",
    kTooManyCubes.help};

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

constexpr Sentence<1> kSubblock{
    "transfer-operand", "the subblock of {op} is {0}; a cluster has the vector cores 0 and 1", "name subblock 0 or 1"};
constexpr Sentence<2> kOperandNegative{"transfer-operand", "{0} of {op} is {1}, a negative number",
                                       "clamp the value at 0, or skip the transfer when nothing is left to move"};
constexpr Sentence<3> kOperandTooWide{"transfer-operand", "{0} of {op} is {1}, more than the {2} its field can hold",
                                      "split the transfer, or check how the value is computed"};
constexpr Sentence<3> kHintTooWide{"transfer-operand", kOperandTooWide.message, "use a number from 0 to {2}"};
constexpr Sentence<1> kTransferEmpty{"transfer-empty", "{op} moves nothing: {0} is 0",
                                     "skip the transfer, or check the operand"};
constexpr Sentence<3> kTransferWide{"transfer-width", "{0} of {op} is {1}; the manual documents at most {2}",
                                    "move the data as several rows or several transfers"};
constexpr Sentence<3> kTransferHint{"transfer-width", kTransferWide.message, "use a documented value"};
constexpr Sentence<3> kStaleLoopSize{
    "stale-loop-size",
    "{op} repeats {0} x {1} times because of a loop size that was set before a grouped transfer in the same direction",
    "set the loop size again with `pto.set_loop_size_{2}` directly before this transfer"};
constexpr Sentence<1> kTooManyRows{"transfer-operand",
                                   "{op} asks for more than {0} rows, more than any memory of the device can take",
                                   "check the row count, the loop counts and the row length"};
constexpr Sentence<2> kTooManyBytes{"transfer-operand",
                                    "{op} asks for {0} rows of {1} bytes, more than any memory of the device can take",
                                    kTooManyRows.help};
constexpr Sentence<2> kAtomicSelection{
    "transfer-operand", "CTRL selects atomic type {0} and operation {1} for {op}; types go up to 6, operations up to 2",
    "write bits 6 to 10 of CTRL with a defined type and operation"};
constexpr Sentence<2> kAtomicWidth{
    "transfer-operand", "{op} has elements of {0:byte}, and CTRL selects an atomic type of {1:byte} (DMA-24)",
    "use pointers to elements of that width or to bytes, or switch the atomic mode off"};
constexpr Sentence<2> kAtomicElement{
    "transfer-operand", "{op} stores elements of type {0}, and CTRL selects atomic stores of type {1} (DMA-24)",
    "select the type of the elements, or switch the atomic mode off"};
constexpr Sentence<2> kAtomicRow{"transfer-operand",
                                 "the row length of {op} is {0}, not a multiple of the {1}-byte atomic element in CTRL",
                                 "move whole elements, or switch the atomic mode off"};
constexpr Sentence<2> kPadOfL1{
    "undefined-by-manual",
    "rows of {op} end in the middle of a 32-byte block ({0} bytes) while a pad value for L1 ({1:hex}) is "
    "set; nothing is filled here",
    "move whole blocks, or remove `pto.set_pad_val_outtol1`"};
constexpr Sentence<2> kPadOnlyToUb{
    "pad-ignored", "padding ({0} left, {1} right) of {op} has no effect: only transfers from GM to UB are padded",
    "switch padding on, or set both counts to 0"};
constexpr Sentence<2> kPadOff{"pad-ignored",
                              "padding ({0} left, {1} right) of {op} has no effect: padding is not switched on",
                              kPadOnlyToUb.help};
constexpr Sentence<2> kPadPhase{"pad-phase", "the row length of {op} is {0}, not a multiple of the {1}-byte pad value",
                                "use a pad value of the element type of the row"};
constexpr Sentence<3> kStrideMisaligned{"stride-misaligned",
                                        "the source stride of {op} in {0} is {1} bytes, not a multiple of 32",
                                        "use a stride of {2} bytes"};
constexpr Sentence<3> kDestinationStrideMisaligned{
    "stride-misaligned", "the destination stride of {op} in {0} is {1} bytes, not a multiple of 32",
    kStrideMisaligned.help};
constexpr Sentence<2> kBeyondGm{"transfer-operand",
                                "{op} reaches beyond the last GM address: it starts at {0:hex} and spans {1}",
                                "check the pointer, the strides and the counts"};
/// Bytes of a row, stride, and the least stride without an overlap.
constexpr Sentence<3> kRowsOverlap{
    "stride-overlap", "rows of {0} bytes written by {op} overlap one another: the destination stride is {1} bytes",
    "make the destination stride of the rows at least {2}"};
constexpr Sentence<4> kLoopsOverlap{
    "stride-overlap",
    "rows of {0} bytes written by {op} overlap one another: the destination stride of {3} is {1} bytes, less than the "
    "rows inside it span",
    "make the destination stride of {3} at least {2}"};
constexpr Sentence<2> kPadOverlap{
    "pad-overlap", "the fill behind the rows of {op} (rows of {0} bytes, filled to {1}) overlaps other rows",
    "make the destination strides multiples of the filled row"};
constexpr Sentence<2> kOntoItself{"undefined-by-manual",
                                  "{op} copies {0} bytes onto themselves: source and destination share byte {1:hex}; "
                                  "rows are copied in ascending order here",
                                  "keep source and destination apart"};

//===----------------------------------------------------------------------===//
// Bounds and alignment
//===----------------------------------------------------------------------===//

/// Verb, memory, address, alignment; help has the multiples around the address.
constexpr Sentence<6> kTransferMisaligned{"ub-misaligned",
                                          "{op} {0} {1} at byte {2:hex}, which is not a multiple of {3}",
                                          "round the address to {4:hex} or {5:hex}"};
constexpr Sentence<6> kAccessMisaligned{
    "ub-misaligned", "{op} {0} {1} at byte {2:hex4}, which is not a multiple of {3}",
    "round the address to {4:hex4} or {5:hex4}, or use the instructions for unaligned access"};
constexpr Sentence<6> kStaticMisaligned{"scalar-misaligned", kAccessMisaligned.message,
                                        "round the address to {4:hex4} or {5:hex4}"};
constexpr Sentence<3> kVectorMisaligned{"ub-misaligned",
                                        "{access} {0} UB at byte {1:hex}, which is not a multiple of {2}",
                                        "align the address, or use the instructions for unaligned access"};
constexpr Sentence<3> kSortMisaligned{"ub-misaligned", "{op} {0} UB at byte {1:hex}, which is not a multiple of {2}",
                                      "align the address"};
constexpr Sentence<4> kOperandMisaligned{
    "ub-misaligned", "operand {0} of {op} starts at {1} byte {2:hex}, which is not a multiple of {3}",
    "place the tile at a multiple of {3}"};
constexpr Sentence<4> kScalarMisaligned{"scalar-misaligned",
                                        "{op} {0} {1} bytes of {2} at {3:hex}, which is not a multiple of {1}",
                                        "align the address to the size of the value"};
constexpr Sentence<3> kBlockMisaligned{"ub-misaligned",
                                       "{op} {0} block {1} at UB byte {2:hex}, which is not a multiple of 32",
                                       "offsets and the pointer count bytes and have to be multiples of 32"};
constexpr Sentence<4> kLaneMisaligned{"gather-misaligned",
                                      "{op} {0} lane {1} at UB byte {2:hex}, which is not a multiple of {3}",
                                      "the index counts elements; align the pointer to its element"};
constexpr Sentence<4> kGmMisaligned{"gm-misaligned", "{op} {0} {1:`} at byte {2}, which is not a multiple of {3}",
                                    "align the pointer to its element"};

/// Verb, how many bytes, memory, first and last byte, size of the memory.
constexpr Sentence<6> kTransferBounds{
    "ub-out-of-bounds", "{op} {0} {1} beyond the end of {2}: it covers bytes {3:hex}..{4}, {2} has {5}",
    "check the address, the row count and the stride; a padded row is filled up to its stride"};
constexpr Sentence<6> kFbTransferBounds{
    "local-out-of-bounds",
    "{op} {0} {1} beyond the end of a region of {2}: it covers bytes {3:hex}..{4}, a region has {5}",
    "bits 16 and up of the address select the region, 0 for scales and 1 for slopes; check the offset, the row count "
    "and the gap"};
constexpr Sentence<6> kAccessBounds{
    "ub-out-of-bounds", "{op} {0} {1} beyond the end of {2}: it covers bytes {3:hex4}..{4:hex4}, {2} has {5}",
    "check base, offset (in elements), row count, stride and loop bound"};
constexpr Sentence<3> kBelowZero{"ub-out-of-bounds", "{op} {0} {1} bytes starting at {2}; addresses start at 0",
                                 kAccessBounds.help};
constexpr Sentence<4> kScopeFault{"ub-out-of-bounds",
                                  "an access of {op} touches {0} byte {1:hex}, {2:byte} beyond its {3} bytes",
                                  "run with `--check memory` for the exact instruction"};
constexpr Sentence<7> kVectorBounds{
    "ub-out-of-bounds",
    "{access} {0} UB bytes {1:hex}..{2:hex} (a window of {3} bytes at {4:hex}), {5} of them beyond the {6} "
    "bytes of UB",
    "check base, offset (in elements) and loop bound"};
constexpr Sentence<4> kBlockBounds{"ub-out-of-bounds",
                                   "{op} {0} block {1} at UB byte {2:hex}, beyond the {3} bytes of UB",
                                   "check pointer, offsets or strides, or switch the block off"};
constexpr Sentence<4> kLaneBounds{"ub-out-of-bounds",
                                  "{op} {0} lane {1} at UB byte {2:hex}, beyond the {3} bytes of UB",
                                  "check the index, which counts elements, or switch the lane off"};
constexpr Sentence<4> kSortBounds{"ub-out-of-bounds", "{op} {0} {1:byte} of UB at {2:hex}; UB has {3} bytes",
                                  "check the pointer, the repeat count and the lengths, in records of 8 bytes"};
constexpr Sentence<4> kScalarBounds{"ub-out-of-bounds", "{op} {0} {1} bytes of UB at {2:hex}; UB has {3} bytes",
                                    "check the pointer and the offset, which counts elements"};
constexpr Sentence<6> kOperandBounds{"ub-out-of-bounds",
                                     "operand {0} of {op} {1} {2} bytes {3:hex}..{4:hex}; {2} has {5:byte}",
                                     "place the tile at a lower address, or make it smaller"};
constexpr Sentence<6> kFbOperandBounds{
    "local-out-of-bounds", "operand {0} of {op} {1} {2} bytes {3:hex}..{4:hex}; a region of {2} has {5:byte}",
    "bits 16 and up of the address select the region, 0 for scales and 1 for slopes; check the offset in it"};

/// Verb, how many bytes, parameter, its size.
constexpr Sentence<4> kBeforeGm{"gm-out-of-bounds", "{op} {0} {1} before the start of {2:`} ({3:byte})",
                                "check the offset, which is negative"};
constexpr Sentence<7> kBehindGm{"gm-out-of-bounds",
                                "{op} {0} {1} beyond the end of {2:`} ({3:byte}): it covers bytes {4}..{5}",
                                "pass a buffer of at least {6} bytes for {2:`}, or shorten the transfer"};
constexpr Sentence<3> kViewBeforeGm{"gm-out-of-bounds", "{op} {0} {1:byte} before the start of {2:`}",
                                    "check pointer, shape and strides of the view"};
constexpr Sentence<7> kViewBehindGm{
    "gm-out-of-bounds", kBehindGm.message,
    "pass a buffer of at least {6:byte}, or check pointer, shape and strides of the view"};
constexpr Sentence<5> kScalarBeforeGm{"gm-out-of-bounds",
                                      "{op} {0} {1} bytes at byte -{2} of {3:`}, which has {4:byte}", kBeforeGm.help};
constexpr Sentence<6> kScalarBehindGm{
    "gm-out-of-bounds", "{op} {0} {1} bytes at byte {2} of {3:`}, which has {4:byte}",
    "pass a buffer of at least {5} bytes for {3:`}, or check the offset, which counts elements"};
constexpr Sentence<3> kUnmapped{"unmapped-gm-address", "{op} {0} {1} of GM at {2:hex}, where there is no buffer",
                                "derive GM addresses from the kernel's parameters"};
constexpr Sentence<2> kUnregistered{
    "unmapped-gm-address", "{op} {0} {1:byte} of GM through a pointer that belongs to no registered buffer",
    "register the memory: pass `ptoscope::buffer(pointer, count)` to the launch, or allocate it with "
    "`aclrtMalloc`"};
constexpr Sentence<2> kFreed{"unmapped-gm-address", "{op} {0} memory that {1} had before it was freed",
                             "free it behind the last launch that uses it"};
constexpr Sentence<1> kUnmappedMessages{"unmapped-gm-address",
                                        "{op} names the GM address {0:hex}, where there is no buffer",
                                        "pass the message area as a parameter of the kernel"};
constexpr Sentence<2> kReadOnly{"gm-read-only", "{op} writes {0} of {1:`}, which is read-only",
                                "write to another buffer, or pass this one as writable"};
constexpr Phrase<2> kCovered{"bytes {0}..{1}"};
constexpr Phrase<1> kByte{"byte {0}"};
constexpr Phrase<1> kBytes{"{0} bytes"};
constexpr Sentence<2> kViewReadOnly{"gm-read-only", kReadOnly.message,
                                    "write to another buffer, or register this one through a pointer to non-const"};

//===----------------------------------------------------------------------===//
// Vector scopes
//===----------------------------------------------------------------------===//

constexpr Sentence<3> kLookup{
    "undefined-by-manual", "{op} looks up lane {0} of {1} in lane {2}; the index is taken modulo the number of lanes",
    "keep indices below the number of lanes"};
constexpr Sentence<3> kShiftCounts{
    "undefined-by-manual",
    "{op} shifts lane {0} by {1}, which is too much for {2} bits; the count is taken modulo the width",
    "keep counts from 0 to the width minus 1"};
constexpr Sentence<0> kBlockMask{
    "undefined-by-manual",
    "{op} has a mask that documents read in two ways: a block is active here when any of its own 32 mask "
    "bits is on; bit 4 b alone would choose other blocks",
    "use a mask whose first 8 b32 lanes agree with the blocks, or all lanes"};
constexpr Sentence<1> kBlocksAlias{"undefined-by-manual",
                                   "{op} writes UB byte {0:hex} from several blocks; the last one wins",
                                   "use a block stride of at least 1"};
constexpr Sentence<1> kLanesAlias{"scatter-alias",
                                  "{op} writes UB byte {0:hex} from several lanes; the lowest one wins",
                                  "make the indices of active lanes different"};
constexpr Sentence<2> kStreamLoad{
    "align-stream-break", "{op} loads from UB byte {0:hex}, but its state holds the block at {1:hex}",
    "each access of a stream continues where the one before it ended; start another with its own state"};
constexpr Sentence<1> kStreamUnprimed{
    "align-stream-break", "{op} loads from UB byte {0:hex} with a state that no `pto.vldas` made", kStreamLoad.help};
constexpr Sentence<2> kStreamStore{
    "align-stream-break", "{op} stores at UB byte {0:hex}, but the stream has come to {1:hex}", kStreamLoad.help};
constexpr Sentence<2> kStreamEnd{
    "align-stream-break", "{op} ends the stream at UB byte {0:hex}, but it has come to {1:hex}", kStreamLoad.help};
constexpr Sentence<1> kStreamAhead{"undefined-by-manual",
                                   "{op} loads from the block at UB byte {0:hex}, which was stored to after its state "
                                   "had read it; the current bytes are used",
                                   "take the state with `pto.vldas` after the store and its `pto.mem_bar \"VST_VLD\"`"};
constexpr Sentence<2> kStreamCount{"stream-count", "{op} is asked to store {0} bytes of a register that has {1}",
                                   "the count is in elements, from 0 to the number of lanes"};
constexpr Sentence<1> kStreamEndsAtStart{
    "undefined-by-manual",
    "{op} ends the stream at its start, UB byte {0:hex}; what is pending is written where it belongs",
    "let the stores advance AR with \"POST_UPDATE\""};

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

constexpr Sentence<2> kSortRepeat{"sort-operand",
                                  "the repeat count of {op} is {0}, which does not fit its 8 bits; nothing is sorted",
                                  "sort at most {1} groups of 32 with one instruction"};
constexpr Sentence<1> kMergeBits{
    "undefined-by-manual",
    "the configuration {0:hex} of {op} has bits above bit 12, which belong to no field; they are ignored",
    "use bits 7:0 for the repeat count, 11:8 for the lists and 12 for the stop"};
constexpr Sentence<2> kMergeLists{
    "undefined-by-manual",
    "the configuration {0:hex} of {op} enables the lists {1:hex}; documents enable the first two, three or "
    "four",
    "put the lists that are merged first"};
constexpr Sentence<1> kMergeNothing{"undefined-by-manual",
                                    "the configuration {0:hex} of {op} has a repeat count of 0; nothing is merged",
                                    "use a repeat count of at least 1"};
constexpr Sentence<3> kMergeRepeat{
    "undefined-by-manual",
    "the configuration {0:hex} of {op} repeats a merge whose lists (lengths {1:hex}) are not four equal ones "
    "in a row; each turn starts {2:record} further",
    "repeat only merges of four lists of equal length that follow each other"};
constexpr Sentence<0> kSortOverlap{"undefined-by-manual",
                                   "{op} writes UB bytes that it reads; all are read before the first is written",
                                   "keep the result apart from what is sorted"};

//===----------------------------------------------------------------------===//
// The scalar unit
//===----------------------------------------------------------------------===//

constexpr Sentence<2> kRegisterBits{
    "undefined-by-manual",
    "the word {0:hex} of {op} has bits above bit {1}, which belong to no field; they are ignored",
    "build the word from two fields that fit"};
constexpr Sentence<1> kLoopStep{"loop-step", "the step of {op} is {0}", "a step has to be at least 1"};
constexpr Sentence<0> kDivisionByZero{"division", "the divisor of {op} is 0", "test the operands before the division"};
constexpr Sentence<0> kDivisionOverflow{"division", "{op} divides the smallest number of its type by -1",
                                        kDivisionByZero.help};
constexpr Sentence<1> kShiftRange{"shift-range", "{op} shifts by {0}, which is outside the width of its type",
                                  "test the count, or compute in a wider type"};
constexpr Sentence<0> kTrap{"trap", "the program reached {op}", ""};
constexpr Sentence<1> kOperandRange{"operand-range", "{op} is given the number {0}, which is outside its range",
                                    "an amount goes from 0 to the number of lanes, a part is 0 or 1"};
constexpr Sentence<1> kShiftCount{
    "undefined-by-manual",
    "{op} shifts by {0}, which is outside the width of its elements; the count is taken modulo the width",
    "keep the count from 0 to the width minus 1"};
constexpr Sentence<1> kTailCount{"negative-tail-count",
                                 "{op} is given the count {0}; taken as unsigned, every lane is on",
                                 "keep the count at 0 or above"};
constexpr Sentence<2> kBank{"undefined-by-manual", "{op} names bank {0}; there are 0 and 1, and it is taken as {1}",
                            "name bank 0 for the values below 128, bank 1 for the others"};
constexpr Sentence<3> kEventArrayBounds{"event-array-bounds", "index {0} of {op} is outside the array of {1:event id}",
                                        "use an index of 0 to {2}, or declare a larger array"};
constexpr Sentence<2> kEventArrayUnset{"event-array-unset",
                                       "{op} reads element {0} of an array of {1} event ids, which was never set",
                                       "write it with `pto.eventid_array_set` first"};
/// Whose value is printed.
constexpr Phrase<1> kOfBlock{", block {0}"};
constexpr Phrase<2> kOfCore{", {0} of block {1}"};
constexpr Sentence<3> kElementBounds{"operand-range", "index {0} of {op} is outside an extent of {1}",
                                     "use an index of 0 to {2}, or declare a larger array"};
constexpr Sentence<1> kElementUnset{"init-scalar", "{op} reads element {0}, which was never set",
                                    "set it first, after each execution of its declaration"};
constexpr Sentence<1> kInterrupted{"interrupted", "the run was interrupted in block {0}", ""};
/// The limit, the option that raises it, and what may be long.
constexpr Sentence<3> kMaxSteps{"max-steps", "the block took more than {0} steps",
                                "raise {1:`} if the {2} is just long; otherwise find out why the loop does not end"};
constexpr Sentence<0> kLivelock{
    "livelock",
    "this loop never ends: since its last iteration no instruction ran, no memory was written and its carried "
    "values stayed the same",
    "let something the loop waits for write what it reads, or bound the loop"};
constexpr Sentence<1> kQueueExhausted{
    "queue-exhausted", "{0} instructions are queued on this core and none can start",
    "let the scalar unit wait before it issues more, for example with a PIPE_ALL barrier in the loop"};

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

constexpr Sentence<1> kEventIdRange{
    "event-id-range", "event id {0} is outside 0..7 in {op}",
    "each ordered pair of pipes has the ids 0 to 7; compute a dynamic id modulo the number of buffers"};
constexpr Sentence<2> kFlagOverwritten{"flag-overwritten", "{op} sets flag {0} while it is still set",
                                       "wait for the flag on {1} before it is set again, or use another event id"};
constexpr Sentence<1> kBufferIdRange{"buffer-id-range", "buffer id {0} is outside 0..31 in {op}",
                                     "a core has the buffer ids 0 to 31"};
constexpr Sentence<1> kBufferMode{"buffer-mode", "mode {0} of {op} is neither 0 nor 1",
                                  "use mode 0, in which the get waits for the releases before it"};
constexpr Sentence<2> kBufferNested{
    "buffer-nested", "{0} acquires buffer id {1}, which it already holds",
    "release it with `pto.rls_buf` before the next `pto.get_buf` of the same pipe and id"};
constexpr Phrase<0> kAcquiredHere{"it was acquired here and not released since"};
constexpr Sentence<2> kBufferUnacquired{
    "buffer-release-unacquired", "{0} releases buffer id {1}, which it does not hold",
    "put `pto.get_buf` of the same pipe and id before the work that uses the buffer"};
constexpr Sentence<3> kBufferHeld{"buffer-held", "{0} still holds buffer id {1} when the kernel ends",
                                  "add {2:`} after the work that uses the buffer"};
/// The flag, how many sets and waits, how often to wait, and on which pipe.
constexpr Sentence<5> kFlagLeftover{"flag-leftover", "flag {0} is still set when the kernel ends: {1:set}, {2:wait}",
                                    "wait for it {3} on {4} before the kernel ends, or remove the set"};
constexpr Sentence<3> kFlagSurplus{
    "flag-leftover", "flag {0} is still set when the kernel ends: it is set {1} more than it is waited for",
    "wait for it {1} on {2} before the kernel ends, or remove the set"};
constexpr Sentence<2> kFlagUnwaited{"flag-leftover", "flag {0} is still set when the kernel ends: nothing waits for it",
                                    "wait for it on {1} once for every set before the kernel ends, or remove the set"};
constexpr Phrase<2> kDrain{"add {0:`} before {1}, or remove the set"};

constexpr Sentence<3> kSemaphoreIdRange{
    "semaphore-id-range", "semaphore id {0} is outside 0..{1} in {op} on the {2}",
    "a vector core has the ids 0 to 15; on the cube core 0 to 15 belong to AIV0, 16 to 31 to AIV1"};
constexpr Sentence<3> kClusterIdRange{"semaphore-id-range", kSemaphoreIdRange.message, "a cluster has the ids 0 to 15"};
constexpr Sentence<3> kTwoSetters{"not-modelled",
                                  "{op} sets semaphore {0} from {1}, which {2} of this core has set before",
                                  "use an id of its own for each pipe that sets"};
constexpr Sentence<0> kBetweenClusters{
    "not-modelled", "{op} between clusters of A5 is not modelled",
    "inside a cluster use `pto.sync.set` and `pto.sync.wait`, between blocks `pto.syncall`"};
constexpr Sentence<2> kWrongCoreType{"syncall-mismatch", "a {0} core reaches {op} of core type {1}",
                                     "use core type mix, or keep cores of the other kind away from it"};
constexpr Sentence<3> kTooFewCores{"syncall-mismatch", "{op} waits for {0} cores; the launch has {1} of core type {2}",
                                   "pass the number of cores that take part, or launch more blocks"};
constexpr Sentence<3> kUnusedCore{"syncall-mismatch",
                                  "core number {0} reaches {op}, in which only the first {1} cores take part",
                                  "let only cores 0 to {2} reach it"};
constexpr Sentence<1> kTooManyBarriers{
    "not-modelled", "more than {0} kinds of all-core barriers (core type and number of cores) in one launch",
    "use the same number of cores in all of them"};

//===----------------------------------------------------------------------===//
// What nothing ends
//===----------------------------------------------------------------------===//

/// Who, for what, and why.
constexpr Sentence<3> kDeadlock{"deadlock", "{0} waits forever for {1}: {2}",
                                "move a set before the wait that blocks its own pipe, to break the cycle of waits"};
constexpr Sentence<3> kWaitWithoutSet{"wait-without-set", kDeadlock.message, ""};
constexpr const char *kScalarUnit = "the scalar unit";

constexpr Phrase<1> kForFlag{"flag {0}"};
constexpr Phrase<1> kForBuffer{"buffer id {0}"};
constexpr Phrase<1> kForWork{"the work of all pipes under buffer id {0}"};
constexpr Phrase<1> kForSemaphore{"semaphore {0}"};
constexpr Phrase<0> kForAllCores{"the other cores at an all-core barrier"};
constexpr Phrase<0> kForTile{"the unit flag of its accumulator tile"};
constexpr Phrase<0> kForIdle{"every pipe to become idle"};

constexpr Phrase<0> kNoSetIssued{"no set of this flag was ever issued"};
constexpr Phrase<2> kFewSetsIssued{"this is wait number {0} of the flag, and only {1}"};
constexpr Phrase<1> kSetIssued{"{0:set} was issued"};
constexpr Phrase<1> kSetsIssued{"{0:set} were issued"};
constexpr Phrase<1> kStandsStill{"; the scalar unit is blocked at {0} and issues nothing more"};
constexpr Phrase<0> kRunsAlone{"this core runs alone, and no one sets its semaphores"};
constexpr Phrase<0> kNothingEndsIt{"nothing that could end the wait is queued"};
/// What ends the wait, its place, and the pipe.
constexpr Phrase<3> kQueuedOn{"{0} ({1}) is queued on {2}"};
constexpr const char *kItsSet = "its set", *kTheRelease = "the release", *kThatWork = "that work",
                     *kTheOther = "the instruction that passes it on";
constexpr const char *kUnitStops = "the scalar unit stops", *kKernelEnds = "the kernel ends";
constexpr Phrase<2> kBehindBlocked{" behind {0} at {1}, which cannot start"};
constexpr Phrase<3> kWaitsHere{"{0} waits here for {1}: {2}"};
constexpr Phrase<2> kWaitsHereFor{"{0} waits here for {1}"};
constexpr Phrase<0> kNothingBehind{"; nothing is queued behind it"};
constexpr Phrase<1> kOneBehind{"; {0:instruction} is queued behind it"};
constexpr Phrase<1> kSomeBehind{"; {0:instruction} are queued behind it"};
constexpr Phrase<2> kFirstBehind{", first {0} at {1}"};
constexpr Phrase<1> kCycle{"wait-for cycle: {0}"};

constexpr Phrase<1> kLikelyCause{"likely cause: {0}"};
constexpr Phrase<4> kAddSet{
    "add {0:`} before {1}, after the work on {2} that {3} needs: the program has no set of this flag"};
constexpr Phrase<2> kSetBeforeLoop{
    "set the flag before {0}, not at {1}: the first iteration of the loop waits before anything can set it"};
constexpr Phrase<2> kAddSetBeforeLoop{
    "add {0:`} before {1}: the first iteration of the loop waits before anything can set the flag"};
constexpr Phrase<4> kIssueSet{"issue {0:`} before {1}, after the work on {2} that {3} needs, or remove the wait"};
constexpr Phrase<2> kIssueSetOn{"issue {0:`} on {1} before it stops, or remove the wait"};
constexpr Phrase<0> kLaunchSetter{"launch the kernel with the core that sets the semaphore, or remove the wait"};
constexpr Phrase<0> kBreakCircle{
    "move a set before the wait that keeps it from being reached, to break the cycle of waits"};
/// The core, what it should do, and the line at which it stands.
constexpr Phrase<3> kLetBefore{"let {0} {1} before {2}"};
constexpr Phrase<3> kOrLetBefore{", or let {0} {1} before {2}"};
/// On a pipe that waits above, it would be queued behind the wait.
constexpr const char *kBreaksCycle = ", ahead of the waits above, to break the cycle";
/// The semaphore, and whose it is.
constexpr Phrase<2> kSetOf{"set {0} of {1}"};
constexpr Phrase<0> kReachBarrier{"let every core reach the barrier, or pass the number of cores that do"};
constexpr Phrase<3> kSignal{
    "let {0} signal id {1} with `pto.set_cross_core` after the work that {2} needs, or remove the wait"};
constexpr Phrase<3> kIssueSemaphore{"issue {0:`} on {1} after the work that {2} needs, or remove the wait"};

constexpr Phrase<2> kOf{"{0} of {1}"};
constexpr Phrase<1> kBlock{"block {0}"};
constexpr Phrase<1> kCannotGoOn{"{0} cannot go on"};
constexpr Phrase<0> kNothingQueued{"nothing is queued"};
constexpr Phrase<1> kNoSuchCore{"there is no {0} in this launch that could set it"};
constexpr Phrase<1> kNeverSets{"{0} never sets it"};
constexpr Phrase<1> kHasNotSet{"{0} has not set it"};
constexpr Phrase<3> kSetsTooRarely{"this is wait number {0} of it, and {1} sets it only {2:time}"};
constexpr Phrase<3> kHasSetTooRarely{"this is wait number {0} of it, and {1} has set it only {2:time}"};
constexpr Phrase<1> kItsUnitStands{"; its scalar unit is blocked at {0} and issues nothing more"};
constexpr Phrase<0> kSetIsDone{"its set is done"};
constexpr Phrase<0> kNoneMissing{"no core is missing"};
constexpr Phrase<1> kEndedBefore{"{0} has ended without reaching it"};
constexpr Phrase<1> kNotReached{"{0} has not reached it"};
constexpr Phrase<1> kMoreWait{"{0} more pipes and scalar units wait"};

constexpr Phrase<0> kProgramEnded{"the program has ended"};
constexpr Phrase<1> kUnitStandsHere{"the scalar unit is here, at {0}"};
constexpr Phrase<1> kScopeRuns{"PIPE_V runs {0} here"};
constexpr Phrase<2> kInFlight{"{0} has {1:transfer} in flight, one from here"};
constexpr Phrase<1> kIdle{"{0} is idle"};
constexpr Phrase<3> kQueueFirst{"{0} has {1:instruction} queued, first {2}"};
constexpr Phrase<3> kQueueWaits{"{0} has {1:instruction} queued, and waits here for {2}"};

/// Set and wait of one flag that were written differently.
constexpr Phrase<1> kSlipUnwaited{"nothing waits for flag {0}, which is set here"};
constexpr Phrase<1> kSlipTurns{"no iteration of the loop waits for flag {0}, which each iteration sets here"};
constexpr Phrase<1> kTurnsUnset{"no iteration of this loop sets flag {0}, which each iteration waits for"};
/// The pipes.
constexpr Phrase<1> kComputedUnwaited{"nothing waits for the flags {0} that are set here"};
constexpr Phrase<4> kSlip{"the set at {0} uses {1} but this wait uses {2} (both {3}); neither has a match"};
/// The flag as the line has it, the one that is meant, and how often.
constexpr Phrase<3> kSlipOfSet{
    "this set is of {0}, which is set {2} more than it is waited for; {1} is waited for {2} more than it is set"};
constexpr Phrase<3> kSlipOfWait{
    "this wait is of {0}, which is waited for {2} more than it is set; {1} is set {2} more than it is waited for"};
constexpr Phrase<2> kWaitsTwice{"this is a second wait for flag {0}, right behind the one at {1}, and one is set"};
constexpr Phrase<2> kRemove{"remove {0:`} at {1}"};
constexpr Phrase<2> kAddBehind{"add {0:`} behind {1}"};
constexpr Phrase<3> kWriteFor{"at {0} write {1:`} for {2:`}"};
constexpr Phrase<3> kSwapPipes{"swap {0} and {1} at {2}"};
constexpr Phrase<2> kSlipReversedHelp{"give the pipes of the set at {0} and of the wait at {1} in the same order: from "
                                      "the one that finishes first to the one that waits"};
/// The pipe, what it acquires and where, what it releases.
constexpr Phrase<4> kBufferSlip{"{0} acquires buffer id {1} at {2} and releases {3} here; neither has a match"};
constexpr Phrase<2> kBufferSlipHelp{"make the buffer ids of the get at {0} and of the release at {1} the same"};
constexpr Phrase<2> kSlipIdHelp{"make the event ids of the set at {0} and of the wait at {1} the same"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_SENTENCES_H
