//===- VmiText.h - text and rules of virtual vector instructions *- C++ -*-===//

#ifndef PTOSCOPE_LIB_DIALECT_PTO_VMITEXT_H
#define PTOSCOPE_LIB_DIALECT_PTO_VMITEXT_H

#include "ptoscope/Dialect/PTO/PTO.h"

namespace ptoscope::pto {

/// Registers types and the layout.
void addVmiTypes(PTODialect &dialect);
void addVmiInstrs(PTODialect &dialect);
/// A type of this layer by the word behind `!pto.`; nothing for another word.
mlir::OptionalParseResult parseVmiType(mlir::AsmParser &parser, llvm::StringRef mnemonic, mlir::Type &type);
mlir::OptionalParseResult parseVmiAttribute(mlir::AsmParser &parser, llvm::StringRef mnemonic,
                                            mlir::Attribute &attribute);
/// Failure for what is not of this layer.
llvm::LogicalResult printVmiType(mlir::Type type, mlir::AsmPrinter &printer);
llvm::LogicalResult printVmiAttribute(mlir::Attribute attribute, mlir::AsmPrinter &printer);

/// An instruction, or another name of one; without `pto.`.
bool isVmiInstr(llvm::StringRef name);
/// Reads an instruction under any of its names, by the signature of that name.
mlir::ParseResult parseVmi(mlir::OpAsmParser &parser, mlir::OperationState &result);
void printVmi(mlir::OpAsmPrinter &printer, mlir::Operation *op);
/// `%v[1, 0]`: lanes as numbers.
mlir::ParseResult parseVmiShuffle(mlir::OpAsmParser &parser, mlir::OperationState &result);
void printVmiShuffle(mlir::OpAsmPrinter &printer, mlir::Operation *op);
/// `pto.vmi.*`: words and types are complete as written, and another form breaks VMI-11.
bool isVmiName(llvm::StringRef name);
/// `parseText` of Signature.h; `syntax` gives what a message recommends, lines of the record.
mlir::ParseResult parseTextAs(mlir::OpAsmParser &parser, mlir::OperationState &result, llvm::StringRef signature,
                              llvm::function_ref<std::string()> syntax);
/// Whether operands, results and words are those of a form of the signature.
bool fitsSignature(mlir::Operation *op, llvm::StringRef signature);
/// Runs the check of every rule that the record names.
llvm::LogicalResult verifyVmi(mlir::Operation *op);

} // namespace ptoscope::pto

#endif // PTOSCOPE_LIB_DIALECT_PTO_VMITEXT_H
