//===- ScopeSchedules.h - scopes that are timed -----------------*- C++ -*-===//

#ifndef PTOSCOPE_COMPILER_SCOPESCHEDULES_H
#define PTOSCOPE_COMPILER_SCOPESCHEDULES_H

#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Timing/Scopes.h"

namespace ptoscope {

/// `pto-lower-scopes`, which describes each scope in `schedules` and lets code count how often its
/// regions are entered; null: no one times.
std::unique_ptr<mlir::Pass> createLowerScopesPass(CodeOptions options, SiteTable *sites,
                                                  timing::ScopeSchedules *schedules);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_SCOPESCHEDULES_H
