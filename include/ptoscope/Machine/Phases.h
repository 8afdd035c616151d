//===- Phases.h - flags that an instruction uses by itself ------*- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_PHASES_H
#define PTOSCOPE_MACHINE_PHASES_H

#include "ptoscope/Machine/Runtime.h"
#include "ptoscope/Machine/Sites.h"
#include "ptoscope/Machine/Types.h"

namespace ptoscope {

/// An instruction sets flag 0 from `src` to `dst` and waits for it at once (PHASE-1). If
/// the program has set that flag and not waited for it, its set ends this wait: a
/// finding. Does nothing where the core lacks one of the pipes. Nonzero: stop.
int32_t orderByFlag(PtoContext *core, SiteId site, Pipe src, Pipe dst);

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_PHASES_H
