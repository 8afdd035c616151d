//===- MissingSets.h - the set that a wait for another core lacks -*- C++ -*-=//

#ifndef PTOSCOPE_LIB_MACHINE_GROUP_MISSINGSETS_H
#define PTOSCOPE_LIB_MACHINE_GROUP_MISSINGSETS_H

#include "Core.h"

namespace ptoscope {

/// The line that is missing, for a wait of `waiting` that no set answers.
std::string missingSetHelp(const Core &waiting, int64_t id, SignalMode mode);
/// How the sets that `entry`, a wait for semaphore `id`, needs are counted. If there was none, what the wait says.
SignalMode modeOf(const Core &waiting, const Operation &entry, int64_t id);
/// The semaphore that a wait of the cube core of a5 for `id` may mean: one that a vector core sets and that nothing
/// waits for. None: -1.
int64_t meantByCube(const Core &waiting, int64_t id);
/// Why a core of a5 waits for a semaphore that is never set, or set less often. The cube core may mean another number,
/// see above. For a vector core, the cube core sets another number that nothing waits for; or that of the other vector
/// core alone, beside which the line is missing: both run the same text and need it at the same place.
void explainUnset(Finding &finding, const Core &waiting, int64_t id);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_GROUP_MISSINGSETS_H
