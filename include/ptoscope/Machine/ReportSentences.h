//===- ReportSentences.h - what is reported, then computed ------*- C++ -*-===//
//
// Findings about calls whose result is defined all the same (docs/isa/33b-host-moves.md).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_REPORTSENTENCES_H
#define PTOSCOPE_MACHINE_REPORTSENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

constexpr Sentence<1> kHostOnly{"host-only", "devices refuse this {op}: {0}",
                                "change it before the program is built for a device; here it is computed"};

// Scratch operands: no instruction of the model needs one.
constexpr Sentence<1> kScratchUnplaced{
    "tile-unassigned", "{0} of {op}, a scratch tile, has no place in memory; the result does not need it here",
    "place the tile with TASSIGN: devices write to it"};
/// The tile, its memory, first and last byte, size.
constexpr Sentence<5> kScratchOutside{
    "ub-out-of-bounds",
    "{0} of {op}, a scratch tile, has {1} bytes {2:hex}..{3:hex}; {1} has {4:byte}; the result does not need it here",
    "place the tile lower: devices write to it"};
constexpr Sentence<4> kScratchShared{
    "tile-overlap",
    "{0} of {op}, a scratch tile, shares byte {2} of {3} with {1}, which devices may overwrite; here it keeps its "
    "content",
    "place the scratch tile apart"};

// Memories and views.
/// Operand, verb, memory, first and last byte, size of the target's memory.
constexpr Sentence<6> kBeyondTarget{
    "ub-out-of-bounds",
    "operand {0} of {op} {1} {2} bytes {3:hex}..{4:hex}, and the target's {2} ends at {5:byte}; the host has more, and "
    "goes on",
    "place the tile at a lower address, or make it smaller, before the program is built for a device"};
constexpr Sentence<2> kTilesDoNotFit{
    "tile-memory-full",
    "a tile of {0} bytes does not fit: the largest free part of its memory has {1} bytes; it gets memory that only the "
    "host has",
    "use smaller tiles, or end the lifetime of those that are no longer needed"};
constexpr Sentence<1> kUnboundedGm{
    "gm-unregistered",
    "{op} {0} memory of the host that no one registered: its bounds are not known, and not checked; this is said once",
    "allocate it with `aclrtMalloc`, or register it with `ptoscope::Registration`"};
constexpr Sentence<0> kNullGm{"unmapped-gm-address", "the GlobalTensor of {op} has no memory: its pointer is null",
                              "check where the pointer comes from"};
constexpr Sentence<2> kViewDiffers{
    "tile-shape",
    "{op} moves a valid region of {0}, but the GlobalTensor covers {1}; the valid region is moved, through the strides "
    "of the view",
    "give the GlobalTensor the shape of the tile's valid region"};
constexpr Sentence<2> kMisalignedOnHost{
    "ub-misaligned", "{0} of {op} starts at byte {1}, which is not a multiple of 32; the host goes on",
    "place tiles at multiples of 32 bytes"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_REPORTSENTENCES_H
