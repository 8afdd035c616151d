//===- Values.h - what is known of scalars and masks ------------*- C++ -*-===//
//
// A scalar or pointer of the program as a number, or as a sum over the turns of
// loops whose bounds are known. Pointers count bytes of their space, those to GM
// from the start of their array. Nothing is guessed: an absent value is unknown.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_VALUES_H
#define PTOSCOPE_LIB_ANALYSIS_VALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace ptoscope {

/// base + sum of step * turn, where the turn of each loop counts from 0.
struct Known {
  struct Term {
    uint32_t loop;
    int64_t step;
  };
  int64_t base = 0;
  llvm::SmallVector<Term, 2> terms;
  /// Holds in the first turn of every loop only; `terms` is then empty.
  bool firstTurn = false;
  uint32_t array = 0; ///< that it counts from, from 1; 0: a number, or an address on chip

  Known() = default;
  Known(int64_t base) : base(base) {}
  bool isConstant() const { return terms.empty() && !firstTurn && !array; }
};
using MaybeKnown = std::optional<Known>;

/// A mask whose first `lanes` lanes are on and whose others are off.
struct PrefixMask {
  int64_t lanes = 0;
  bool firstTurn = false;
};

/// Where places are sums over symbols (`check --prove`), each is an array of its own.
class PlaceSums {
public:
  virtual ~PlaceSums() = default;
  /// The place `array` + `offset` * factor; `offset` stands for a number.
  virtual uint32_t sum(uint32_t array, uint32_t offset, int64_t factor) = 0;
  /// Address 0 of a memory.
  virtual uint32_t start(uint32_t storage) = 0;
};

class Values {
public:
  PlaceSums *places = nullptr;
  /// An address and what is added to it.
  MaybeKnown sum(const Known &from, const Known &by, int64_t factor) const;

  /// Null when unknown. The pointer lasts until the next change.
  const Known *find(mlir::Value value) const;
  /// A number that is the same in every turn.
  std::optional<int64_t> constant(mlir::Value value) const;
  void set(mlir::Value value, MaybeKnown known);
  void set(mlir::ValueRange values, llvm::ArrayRef<MaybeKnown> known);
  /// Every GM pointer among the parameters of a kernel is the start of an array of its own.
  void setArrays(mlir::ValueRange parameters);
  MaybeKnown get(mlir::Value value) const;
  llvm::SmallVector<MaybeKnown> get(mlir::ValueRange values) const;

  const PrefixMask *mask(mlir::Value value) const;

  /// Computes the results of an operation without regions.
  void evaluate(mlir::Operation *op);

  /// A loop that is looked at once for all its turns; `trips` is at least 1.
  uint32_t addLoop(int64_t trips);
  int64_t trips(uint32_t loop) const { return loops[loop]; }
  /// Lowest and highest value over all turns; nothing when it overflows.
  std::optional<std::pair<int64_t, int64_t>> extent(const Known &known) const;

private:
  MaybeKnown compute(mlir::Operation *op) const;
  MaybeKnown linear(mlir::Operation *op) const;
  void evaluateMask(mlir::Operation *op);
  void forget(mlir::Value value);

  llvm::DenseMap<mlir::Value, Known> known;
  llvm::DenseMap<mlir::Value, PrefixMask> masks;
  llvm::SmallVector<int64_t> loops;
};

/// known + other * factor; nothing when it overflows or has too many terms.
MaybeKnown added(const Known &known, const Known &other, int64_t factor = 1);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_VALUES_H
