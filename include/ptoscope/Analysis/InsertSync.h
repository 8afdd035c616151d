//===- InsertSync.h - pto-insert-sync ---------------------------*- C++ -*-===//

#ifndef PTOSCOPE_ANALYSIS_INSERTSYNC_H
#define PTOSCOPE_ANALYSIS_INSERTSYNC_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace ptoscope {

/// Writes down the flags and barriers of functions that mean program order.
std::unique_ptr<mlir::Pass> createInsertSyncPass();

} // namespace ptoscope

#endif // PTOSCOPE_ANALYSIS_INSERTSYNC_H
