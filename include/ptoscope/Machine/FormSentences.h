//===- FormSentences.h - findings of some forms of instructions -*- C++ -*-===//
//
// Calls that docs/isa/33c-host-meanings.md has a result for, and something to say about.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_FORMSENTENCES_H
#define PTOSCOPE_MACHINE_FORMSENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

constexpr Sentence<1> kNullOperand{"tile-unassigned", "the pointer to {0} of {op} is null; the instruction is left out",
                                   "pass the address of a tile"};
/// The bytes of a row of bits, and of a valid row of the mask.
constexpr Sentence<2> kStreamedBits{
    "host-only",
    "the bits of {op} are one stream here, since a row of {0} bits does not fill a valid row of the mask, {1} bits: "
    "device targets start each row anew",
    "give the mask as many valid columns as a row of bits needs"};
constexpr Sentence<1> kFirstElementOnly{
    "undefined-by-manual",
    "{op} compares with element 0 of a tile of {0}: devices take that one, host simulators element by element",
    "pass the number itself, or compare element by element with `TCMP`"};
constexpr Sentence<1> kElementsOfHost{"host-only", "devices refuse {op} on {0} elements; here it is computed",
                                      "convert the tile with TCVT before the program is built for a device"};
/// The function, the row, the column.
constexpr Sentence<3> kNoInteger{"undefined-by-manual",
                                 "{op} has no result for {0} at row {1}, column {2}; it has all bits set here",
                                 "replace such numbers before"};
/// The rows that the pattern takes; what the tile has.
constexpr Sentence<3> kPatternRows{
    "tile-shape",
    "the pattern of {op} takes {0} rows, and {1} has {2} valid ones; as many are moved as "
    "both have",
    "give the tile a valid row for each one that the pattern takes"};
/// The row; elements that the indices say; room.
constexpr Sentence<4> kJoinCut{
    "tile-shape", "the indices of {op} ask for {1} + {2} elements in row {0}, which has {3}; the rest is left out",
    "keep both counts within the sources and their sum within the valid columns of the destination"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_FORMSENTENCES_H
