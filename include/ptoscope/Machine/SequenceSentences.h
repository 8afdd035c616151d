//===- SequenceSentences.h - what is said of vectors of any length *- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_SEQUENCESENTENCES_H
#define PTOSCOPE_MACHINE_SEQUENCESENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

/// Index, number of lanes, and the lane that has it.
constexpr Sentence<3> kLaneIndex{"operand-range", "{op} breaks VPICK-4: lane {2} takes lane {0} of a vector of {1}",
                                 "keep indices below the number of lanes"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_SEQUENCESENTENCES_H
