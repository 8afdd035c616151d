//===- SymbolicValues.h - scalars and pointers as sums ----------*- C++ -*-===//
//
// The values of one program as sums over symbols. Arithmetic is taken not to wrap, and
// unsigned operations to have operands that are not negative: a proof says so.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_SYMBOLICVALUES_H
#define PTOSCOPE_LIB_ANALYSIS_SYMBOLICVALUES_H

#include "Symbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace ptoscope {

class SymbolicValues {
public:
  explicit SymbolicValues(Symbols &symbols) : symbols(symbols) {}

  /// A symbol of its own where nothing is known.
  Sum get(mlir::Value value);
  void set(mlir::Value value, Sum sum);
  /// The array in GM that a pointer points into, from 1; 0: on chip, or unknown.
  uint32_t arrayOf(mlir::Value pointer) const { return arrays.lookup(pointer); }
  void setArray(mlir::Value pointer, uint32_t array) { arrays[pointer] = array; }

  /// Results of an operation without regions.
  void evaluate(mlir::Operation *op);
  /// What a loop carries from turn to turn: a constant step, or nothing known.
  void carry(mlir::scf::ForOp loop, const Sum &turns);
  /// Sums that are not negative when a condition holds, and when it does not.
  void condition(mlir::Value value, std::vector<Sum> &whenTrue, std::vector<Sum> &whenFalse);
  /// 1 where the condition holds and 0 where it does not, if that is a sum.
  std::optional<Sum> truth(mlir::Value condition);
  /// `yes` where the condition holds, otherwise `no`.
  std::optional<Sum> choose(mlir::Value condition, const Sum &yes, const Sum &no);

  bool usesUnsigned = false;

private:
  std::optional<Sum> compute(mlir::Operation *op);
  std::optional<Sum> flipped(const Sum &sum, const Sum &bits);
  std::optional<Sum> around(mlir::Value argument, const Sum &init, mlir::Value next, const Sum &turns);
  std::optional<Sum> divide(const Sum &a, const Sum &b, bool isSigned);

  Symbols &symbols;
  llvm::DenseMap<mlir::Value, Sum> sums;
  llvm::DenseMap<mlir::Value, uint32_t> arrays;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_SYMBOLICVALUES_H
