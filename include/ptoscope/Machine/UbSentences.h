//===- UbSentences.h - findings of `ub` instructions ------------*- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_UBSENTENCES_H
#define PTOSCOPE_MACHINE_UBSENTENCES_H

#include "ptoscope/Machine/Words.h"

namespace ptoscope::say {

constexpr Sentence<3> kUbNumber{"operand-range", "{0} of {op} is {1}; it must be 0 to {2} (UBV-2)",
                                "split the work into several instructions, or check how the number is computed"};
constexpr Sentence<2> kUbCount{"operand-range",
                               "{op} is issued in count mode with {0:element}; UB has room for {1} (UBV-7)",
                               "pass the number of elements as the first word of `pto.ub.set_mask`, or leave count "
                               "mode with `pto.ub.set_mask_norm`"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_UBSENTENCES_H
