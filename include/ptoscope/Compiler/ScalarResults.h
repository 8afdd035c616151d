//===- ScalarResults.h - scalars that vector instructions give --*- C++ -*-===//

#ifndef PTOSCOPE_COMPILER_SCALARRESULTS_H
#define PTOSCOPE_COMPILER_SCALARRESULTS_H

#include "mlir/IR/Operation.h"

namespace ptoscope {

/// Replaces the uses of an instruction's scalar results (the rest of `plt_*`,
/// the pointer of post-update forms) by the same value computed with scalar
/// operations in front of it. They never depend on vector data.
void detachScalarResults(mlir::Operation *op);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_SCALARRESULTS_H
