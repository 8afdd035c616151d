//===- VmiRules.h - checks of virtual vector instructions -------*- C++ -*-===//
//
// A check looks at one rule of docs/isa/40b-vmi-constraints.md; VmiRules.cpp has
// the table of them.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_DIALECT_PTO_VMIRULES_H
#define PTOSCOPE_LIB_DIALECT_PTO_VMIRULES_H

#include "Parsing.h"

#include "ptoscope/Dialect/PTO/Vmi.h"

namespace ptoscope::pto::vmi {

using Check = llvm::LogicalResult(VmiOp op, llvm::StringRef label);

/// Of operands, then of results.
inline llvm::SmallVector<mlir::Type> typesOf(mlir::Operation *op) {
  llvm::SmallVector<mlir::Type> types(op->getOperandTypes());
  types.append(op->result_type_begin(), op->result_type_end());
  return types;
}

template <typename T> llvm::SmallVector<T> only(llvm::ArrayRef<mlir::Type> types) {
  llvm::SmallVector<T> found;
  for (mlir::Type type : types)
    if (auto one = mlir::dyn_cast<T>(type))
      found.push_back(one);
  return found;
}

inline int64_t lanesOf(mlir::Type type) {
  if (auto vector = mlir::dyn_cast<VmiVRegType>(type))
    return vector.getLanes();
  return mlir::cast<VmiMaskType>(type).getLanes();
}

/// VMI-11: attributes that the record does not list, or of another kind.
Check checkAttributes;
/// A dense attribute with a value of that type for each lane of the result.
llvm::LogicalResult checkLiteral(VmiOp op, llvm::StringRef label, mlir::Type element);
/// A word of one of the lists, whose words are separated by spaces.
llvm::LogicalResult checkWord(VmiOp op, llvm::StringRef label, llvm::StringRef attribute,
                              llvm::ArrayRef<llvm::StringRef> lists);

// Memory
Check checkSpace, checkPointer, checkStride, checkGroupMode, checkBlocks, checkPair, checkDistMode, checkStoreMask,
    checkIndices;
// Order of lanes, counters, constants
Check checkLaneIndices, checkShuffle, checkChannels, checkBroadcast, checkOrder, checkConstant, checkRegisters;
// Reductions and conversions
Check checkReduction, checkReassociation, checkHistogram, checkConversion;

} // namespace ptoscope::pto::vmi

#endif // PTOSCOPE_LIB_DIALECT_PTO_VMIRULES_H
