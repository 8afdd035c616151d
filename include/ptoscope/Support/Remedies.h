//===- Remedies.h - which edits a report may offer --------------*- C++ -*-===//

#ifndef PTOSCOPE_SUPPORT_REMEDIES_H
#define PTOSCOPE_SUPPORT_REMEDIES_H

#include "ptoscope/Support/Finding.h"

namespace ptoscope {

/// Edits are for programs that are clean with them. Where one error or warning of a
/// program has none, the others keep their help and lose theirs.
FindingList withCompleteRemedies(FindingList findings);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_REMEDIES_H
