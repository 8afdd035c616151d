//===- PhaseSentences.h - what findings of hidden phases say ----*- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_PHASESENTENCES_H
#define PTOSCOPE_MACHINE_PHASESENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

/// The flag.
constexpr Sentence<1> kHiddenFlag{
    "hidden-flag",
    "{op} breaks PHASE-2: it sets flag {0} and waits for it by itself, while the program has set that flag and not "
    "waited for it yet",
    "wait for the flag before {op}, or use an event id other than 0 for this pair of pipes"};
constexpr Phrase<0> kHiddenSet{"the program set the flag here"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_PHASESENTENCES_H
