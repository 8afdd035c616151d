//===- CubeText.h - what the records of cube instructions name --*- C++ -*-===//
//
// Text, rules and calls of the cube instructions. CubeOps.td names these functions;
// CubeLoads.cpp, CubeProducts.cpp and CubeStores.cpp define them.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_DIALECT_PTO_CUBETEXT_H
#define PTOSCOPE_LIB_DIALECT_PTO_CUBETEXT_H

#include "Parsing.h"
#include "ptoscope/Dialect/PTO/CubeBinding.h"

namespace ptoscope::pto {

using Operands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;

//===----------------------------------------------------------------------===//
// Shared (CubeOps.cpp)
//===----------------------------------------------------------------------===//

/// `%a, %b`, up to something else. `comma`: one stands before that.
mlir::ParseResult parseCubeOperands(mlir::OpAsmParser &parser, Operands &operands, bool &comma);
/// Attributes, a colon, and a type for each operand.
mlir::ParseResult parseCubeTypes(mlir::OpAsmParser &parser, mlir::OperationState &result,
                                 llvm::ArrayRef<mlir::OpAsmParser::UnresolvedOperand> operands);
/// The same in print, without the attributes that stand elsewhere.
void printCubeTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, llvm::ArrayRef<llvm::StringRef> elided = {});
/// A clause of a list that has an order: tells others with a remark, and refuses a second one.
class ClauseOrder {
public:
  mlir::ParseResult take(mlir::OpAsmParser &parser, llvm::SMLoc loc, llvm::StringRef word, unsigned rank);

private:
  unsigned seen = 0;
};

/// A number that the text fixes, extended by zeros.
std::optional<int64_t> fixedNumber(mlir::Value value);
void bindNumber(CubeBinding &binding, size_t place, mlir::Value value);
/// What the elements behind a pointer are to the runtime.
tile::Elem pointeeOf(mlir::Value pointer);
inline mlir::Type elementOf(mlir::Value pointer) { return llvm::cast<PtrType>(pointer.getType()).getElement(); }

/// The first operands are pointers into the memories of the record, each with an element.
llvm::LogicalResult verifySpaces(mlir::Operation *op, llvm::StringRef label);
/// A number that the text fixes is `low` to `high`.
llvm::LogicalResult verifyRange(mlir::Operation *op, llvm::StringRef label, llvm::StringRef what, mlir::Value value,
                                int64_t low, int64_t high);

mlir::ParseResult parseCubeFlat(mlir::OpAsmParser &parser, mlir::OperationState &result);
void printCubeFlat(mlir::OpAsmPrinter &printer, mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Loads (CubeLoads.cpp)
//===----------------------------------------------------------------------===//

mlir::ParseResult parseCubeFrac(mlir::OpAsmParser &parser, mlir::OperationState &result);
void printCubeFrac(mlir::OpAsmPrinter &printer, MteGmL1FracOp op);
bool bindFrac(MteGmL1FracOp op, CubeBinding &binding);
llvm::LogicalResult verifyFrac(MteGmL1FracOp op);

bool bindFill(mlir::Operation *op, CubeBinding &binding);
llvm::LogicalResult verifyFill(mlir::Operation *op);

mlir::ParseResult parseCubeLoad(mlir::OpAsmParser &parser, mlir::OperationState &result);
mlir::ParseResult parseCubeScales(mlir::OpAsmParser &parser, mlir::OperationState &result);
inline void printCubeLoad(mlir::OpAsmPrinter &printer, mlir::Operation *op) { printCubeFlat(printer, op); }
inline void printCubeScales(mlir::OpAsmPrinter &printer, mlir::Operation *op) { printCubeFlat(printer, op); }
bool bindL0Load(mlir::Operation *op, tile::CubeOp kind, CubeBinding &binding);
/// `counts`: how many scalars it may have.
llvm::LogicalResult verifyL0Load(mlir::Operation *op, std::initializer_list<size_t> counts);

/// A load of bias; false where it is a transfer of rows.
bool bindBias(TransferOpInterface op, CubeBinding &binding);
llvm::LogicalResult verifyBias(TransferOpInterface op);

//===----------------------------------------------------------------------===//
// Products (CubeProducts.cpp)
//===----------------------------------------------------------------------===//

mlir::ParseResult parseCubeProduct(mlir::OpAsmParser &parser, mlir::OperationState &result);
void printCubeProduct(mlir::OpAsmPrinter &printer, mlir::Operation *op);
bool bindMad(mlir::Operation *op, tile::CubeStart start, bool mx, CubeBinding &binding);
bool bindMadRaw(mlir::Operation *op, tile::CubeStart start, bool mx, CubeBinding &binding);
llvm::LogicalResult verifyMad(mlir::Operation *op, bool mx);
llvm::LogicalResult verifyMadRaw(mlir::Operation *op, bool mx);

//===----------------------------------------------------------------------===//
// Stores (CubeStores.cpp)
//===----------------------------------------------------------------------===//

/// The operands and clauses of a store, the same for each destination. What the
/// text does not have is null or empty.
struct FixStore {
  template <typename Op>
  explicit FixStore(Op op)
      : op(op), src(op.getSrc()), dst(op.getDst()), m(op.getM()), n(op.getN()), srcRows(op.getSrcRows()),
        dstStep(op.getDstStep()), sid(op.getSid()), l2(op.getL2()), subblock(op.getSubblock()), scale(op.getScale()),
        slope(op.getSlope()), clip(op.getClip()), split(op.getSplit()), loop0(op.getLoop0()),
        loop3(op.getLoop3().begin(), op.getLoop3().end()), dstMode(op.getDstMode().value_or("")),
        unitFlag(op.getUnitFlag().value_or("")), quant(op.getQuant().value_or("")), relu(op.getRelu().value_or("")),
        layout(op.getLayout().value_or("")), saturation(op.getSaturation().value_or("")),
        atomicType(op.getAtomicType().value_or("")), atomicOp(op.getAtomicOp().value_or("")) {}

  mlir::Operation *op;
  mlir::Value src, dst, m, n, srcRows, dstStep, sid, l2, subblock, scale, slope, clip, split, loop0;
  llvm::SmallVector<mlir::Value, 3> loop3;
  llvm::StringRef dstMode, unitFlag, quant, relu, layout, saturation, atomicType, atomicOp;
};

mlir::ParseResult parseCubeStore(mlir::OpAsmParser &parser, mlir::OperationState &result);
void printStore(mlir::OpAsmPrinter &printer, const FixStore &store);
bool bindStore(const FixStore &store, CubeBinding &binding);
llvm::LogicalResult verifyStore(const FixStore &store);
template <typename Op> void printCubeStore(mlir::OpAsmPrinter &printer, Op op) { printStore(printer, FixStore(op)); }

} // namespace ptoscope::pto

#endif // PTOSCOPE_LIB_DIALECT_PTO_CUBETEXT_H
