//===- TileParsing.h - text shared by views and tiles -----------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_DIALECT_PTO_TILEPARSING_H
#define PTOSCOPE_LIB_DIALECT_PTO_TILEPARSING_H

#include "Parsing.h"

namespace ptoscope::pto {

using Operands = llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand>;

mlir::ParseResult parseTileTypes(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &types);

/// `%a, %i, ... : T -> R`, with the types of the other operands or without.
mlir::ParseResult parseOnTile(mlir::OpAsmParser &parser, mlir::OperationState &result, mlir::Type rest);
void printOnTile(mlir::OpAsmPrinter &printer, mlir::Operation *op);

/// `, WORD = [%a, ...]`
mlir::ParseResult parseNamedList(mlir::OpAsmParser &parser, llvm::StringRef word, Operands &operands);
void printNamedList(mlir::OpAsmPrinter &printer, llvm::StringRef word, mlir::OperandRange operands);

/// `(%a, %b : T, T)` behind `ins` or `outs`.
mlir::ParseResult parseGroup(mlir::OpAsmParser &parser, mlir::OperationState &result, size_t count = 0);

/// `%a[%i, ...] : A -> T`
mlir::ParseResult parseElementOf(mlir::OpAsmParser &parser, mlir::OperationState &result);
void printElementOf(mlir::OpAsmPrinter &printer, mlir::Operation *op);

/// `, offsets = [...], sizes = [...] : TV -> PV`: what follows the view in
/// `partition_view`, and in the older spelling of it.
mlir::ParseResult parsePartitionOf(mlir::OpAsmParser &parser, mlir::OperationState &result,
                                   mlir::OpAsmParser::UnresolvedOperand view);

/// The attributes that the text has not said in its own words.
void printAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op, llvm::ArrayRef<llvm::StringRef> written = {});
void setSegments(mlir::OpAsmParser &parser, mlir::OperationState &result, llvm::ArrayRef<size_t> sizes);

/// The number, where the value is a constant.
std::optional<int64_t> constantOf(mlir::Value value);

} // namespace ptoscope::pto

#endif // PTOSCOPE_LIB_DIALECT_PTO_TILEPARSING_H
