//===- VmiInterface.td - what every virtual vector instruction offers ---------===//
//
// Operands are told apart by their types, so that the text and the generic form
// need no segments: vectors, masks, an address (pointer and index), strides and
// scalars. The record says what the instruction does (VmiInfo in Vmi.h).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_PTO_VMI_INTERFACE
#define PTOSCOPE_PTO_VMI_INTERFACE

include "mlir/IR/OpBase.td"

def PTO_VmiOpInterface : OpInterface<"VmiOpInterface"> {
  let description = [{ An instruction on vectors of N elements. }];
  let cppNamespace = "::ptoscope::pto";
  let methods = [
    InterfaceMethod<"The record: kind, the micro instruction whose lanes it computes, and so on.",
      "const ::ptoscope::pto::VmiInfo &", "getInfo", (ins), [{}], [{
        static const ::ptoscope::pto::VmiInfo &info = *::ptoscope::pto::findVmi($_op->getName().stripDialect());
        return info;
      }]>,
  ];
  let extraClassDeclaration = [{
    /// Vector operands in the order of the text. A gather has its indices first, then what inactive lanes
    /// keep; a scatter the values, then the indices.
    ::llvm::SmallVector<::mlir::Value> getVectors();
    ::llvm::SmallVector<::mlir::Value> getMasks();
    /// The mask that says which lanes are active, null without one. Never the mask of a selection or one that
    /// logic computes with; of a comparison the seed.
    ::mlir::Value getMask();
    /// The carry of `vaddcs`, null elsewhere.
    ::mlir::Value getCarry();
    /// Integer or float operand: of vector-scalar instructions, broadcasts, `vci`, counts of masks.
    ::mlir::Value getScalar();
    /// Address of a memory access; the offset counts elements, and is null where an index vector replaces it.
    ::mlir::Value getBase();
    ::mlir::Value getOffset();
    /// From group to group, in elements; null without `group`.
    ::mlir::Value getStride();
    /// From 32-byte block to block, and the repeat stride; null in other forms.
    ::mlir::Value getBlockStride();
    ::mlir::Value getRepeatStride();
    /// Groups of equal size; 1 without the attribute.
    int64_t getGroups();
    bool hasGroups();
    /// The word of a string attribute, empty without it.
    ::llvm::StringRef getWord(::llvm::StringRef name);
    /// "continuous", "brc" or "dintlv".
    ::llvm::StringRef getDistMode();
    /// eq, ne, lt, le, gt or ge of a comparison.
    ::llvm::StringRef getComparison();
    /// The rounding of a conversion, with the default of its types; empty where it has none.
    ::llvm::StringRef getRounding();
    /// Type of the first vector among results, or else operands.
    ::ptoscope::pto::VmiVRegType getVectorType();
    /// Type of the first vector among operands, or else results.
    ::ptoscope::pto::VmiVRegType getVectorOperandType();
    /// Lanes that the instruction works through: of its first vector operand, or else of its first vector result
    /// or mask.
    int64_t getLanes();
  }];
}

#endif // PTOSCOPE_PTO_VMI_INTERFACE
