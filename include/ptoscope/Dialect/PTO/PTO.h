//===- PTO.h - the pto dialect ----------------------------------*- C++ -*-===//
//
// Dialect, types, attributes and operations generated from the records, and
// the helpers that passes share.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DIALECT_PTO_PTO_H
#define PTOSCOPE_DIALECT_PTO_PTO_H

#include "ptoscope/Dialect/PTO/InstrTable.h"

#include "pto/detail/layout.hpp"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <string>

#include "ptoscope/Dialect/PTO/PTODialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ptoscope/Dialect/PTO/PTOTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ptoscope/Dialect/PTO/PTOAttributes.h.inc"

namespace ptoscope::pto {
/// The record of an instruction; null for operations of other dialects.
const InstrInfo *infoOf(mlir::Operation *op);
struct CubeBinding;
} // namespace ptoscope::pto

#include "ptoscope/Dialect/PTO/CubeInterface.h.inc"
#include "ptoscope/Dialect/PTO/TransferInterface.h.inc"

namespace ptoscope::pto {
/// An operation whose view operands may be GM memrefs in the text (TIR-8):
/// `pto-resolve-types` makes views of them.
template <typename Op> class TakesViews : public mlir::OpTrait::TraitBase<Op, TakesViews> {};
} // namespace ptoscope::pto

#include "ptoscope/Dialect/PTO/Ops.h.inc"

namespace ptoscope::pto {

/// The attribute dictionary entry that marks an `scf.for` as a vector scope.
inline constexpr llvm::StringLiteral kScopeLoopAttr = "llvm.loop.aivector_scope";
/// Elements of the largest event-id array: it lives on the stack of its core.
inline constexpr int64_t kMaxEventArray = 1024;
/// Scalars of the largest local array or struct, likewise.
inline constexpr int64_t kMaxLocalScalars = 1024;
/// Bits of an element type, packed PTO types included.
unsigned bitsOf(mlir::Type element);
/// The name the tables use: "i32" for i32 and si32, "u32" for ui32, "f16", "e4m3", …
std::string elementName(mlir::Type element);

/// True for vreg, mask and align: values that live inside a vector scope.
bool isVectorValue(mlir::Type type);
/// True for operations that produce or consume such values.
bool isVectorOp(mlir::Operation *op);
/// The last mask among the operands, which says what lanes take part; null = none. A carry does not.
mlir::Value lastMask(mlir::Operation *op);
/// The vector scope around `op` (vecscope, strict_vecscope or marked loop), or null.
mlir::Operation *scopeAround(mlir::Operation *op);
bool isScope(mlir::Operation *op);

/// False for `PAT_VL<n>` with a number that no manual lists.
bool isListedPattern(llvm::StringRef pattern);

/// The granularity of the masks of an instruction (`pto.x`) with these types, in bytes; 0 when nothing tells.
unsigned maskBytesOf(llvm::StringRef name, llvm::StringRef dist, mlir::TypeRange operands, mlir::TypeRange results);

/// Bytes that the offset of a mask load or store counts (PLD-5, PLD-11).
int64_t unitOfMaskOffset(mlir::Operation *op);

/// PIPE_X, or nothing when the word names no pipe an instruction may use.
std::optional<Pipe> parsePipe(llvm::StringRef word);
/// gm, ub, vec, … or nothing.
std::optional<Space> parseSpace(llvm::StringRef word);
std::optional<Fence> parseFence(llvm::StringRef word);
/// What a word of `dsb` stands for; ALL and SEQ are everything.
Domain domainOf(llvm::StringRef word);

/// A diagnostic that carries a stable code; the reporting layer takes it off
/// the front of the message again.
mlir::InFlightDiagnostic emitCoded(mlir::InFlightDiagnostic diag, llvm::StringRef code);
/// Starts the note of a diagnostic that says how to repair it; it becomes the help of the finding.
inline constexpr llvm::StringLiteral kHelpMark = "help: ";
/// "`pto.x` breaks LABEL: " - the start of every message of a verifier. Rules
/// with a page of their own name its code.
mlir::InFlightDiagnostic breaks(mlir::Operation *op, llvm::StringRef label, llvm::StringRef code = "");
/// "[code] message" for a name (without `pto.`) that is no operation of the
/// dialect: not modelled, or unknown with the nearest name.
std::string refusalOf(llvm::StringRef name);
/// Splits "[code] message"; the code is empty when there is none.
std::pair<std::string, std::string> splitCode(llvm::StringRef message);

} // namespace ptoscope::pto

#endif // PTOSCOPE_DIALECT_PTO_PTO_H
