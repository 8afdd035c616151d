//===- TileInstr.h - parts of tile instructions in text ---------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_DIALECT_PTO_TILEINSTR_H
#define PTOSCOPE_LIB_DIALECT_PTO_TILEINSTR_H

#include "Parsing.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"

namespace ptoscope::pto {

/// How many operands are `ins`, how many `outs`.
inline constexpr llvm::StringLiteral kSegments = "operandSegmentSizes";

void addTileInstrs(PTODialect &dialect);
mlir::ParseResult parseTileInstr(mlir::OpAsmParser &parser, mlir::OperationState &result);
void printTileInstr(mlir::OpAsmPrinter &printer, TileInstr op);

struct TileRuleResult {
  bool declines = false; ///< another form of the mnemonic is meant
  std::string problem;   ///< an error, with its label
};
/// All forms, those of a mnemonic one behind the other.
llvm::ArrayRef<TileForm> tileForms();
/// The form as messages and the manual write it.
std::string syntaxOf(const TileForm &form);
/// Adds what the attributes say.
TileRuleResult applyRule(mlir::Operation *op, TileBinding &binding);
/// Where text writes the attributes of a rule.
enum class AttributePlace : uint8_t { Behind, Inside, Operand };
AttributePlace placeOf(TileRule rule);

} // namespace ptoscope::pto

#endif // PTOSCOPE_LIB_DIALECT_PTO_TILEINSTR_H
