//===- UbBinding.h - a `ub` instruction as numbers and values ---*- C++ -*-===//
//
// The call of the runtime (ptoscope/Tile/UbVector.h) with what the record and the types
// fix, and the values that belong into its other places: null where there is none.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DIALECT_PTO_UBBINDING_H
#define PTOSCOPE_DIALECT_PTO_UBBINDING_H

#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Tile/UbVector.h"

namespace ptoscope::pto {

struct UbBinding {
  PtoUbVector known{};
  mlir::Value address[PTO_UB_OPERANDS], block[PTO_UB_OPERANDS], step[PTO_UB_OPERANDS];
  mlir::Value scalar, repeat;
};
UbBinding bindUbVector(mlir::Operation *op, const InstrInfo &info);

} // namespace ptoscope::pto

#endif // PTOSCOPE_DIALECT_PTO_UBBINDING_H
