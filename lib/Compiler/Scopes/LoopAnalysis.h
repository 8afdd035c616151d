//===- LoopAnalysis.h - loops that say what they touch ----------*- C++ -*-===//
//
// Finds out of an innermost loop that it moves whole windows of UB by a constant
// stride, and what its stores and the registers it carries derive from.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_LOOPANALYSIS_H
#define PTOSCOPE_LIB_COMPILER_LOOPANALYSIS_H

#include "Scopes/Affine.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace ptoscope {

class LoopAnalysis {
public:
  /// What a value of the body derives from.
  struct Sources {
    uint64_t loads = 0;                   ///< of the same turn, by access
    uint64_t carried = 0;                 ///< by number
    llvm::SetVector<mlir::Value> outside; ///< registers and masks

    void join(const Sources &other) {
      loads |= other.loads;
      carried |= other.carried;
      outside.insert(other.outside.begin(), other.outside.end());
    }
  };

  struct Access {
    mlir::Operation *op;
    bool writes;
    unsigned window;
    mlir::Value base, offset;
    unsigned elementBytes;
    Affine place;
    int64_t factor; ///< of the induction variable
    Sources sources;
  };

  /// A count of lanes that has to be large enough: `lanes` in each turn, of which each takes
  /// as many, or `least`.
  struct Count {
    mlir::Value count;
    unsigned lanes = 0; ///< 0: it is the same in every turn
    unsigned least = 0;
    bool operator==(const Count &) const = default;
  };

  explicit LoopAnalysis(mlir::scf::ForOp loop) : loop(loop), body(*loop.getBody()) {}
  bool run();

  mlir::scf::ForOp loop;
  mlir::Block &body;
  int64_t step = 0;
  llvm::SmallVector<Access> accesses;
  llvm::SmallVector<Count> counts;
  llvm::DenseSet<mlir::Operation *> fullMasks; ///< made in the body, of which every lane is on where the counts suffice
  llvm::SmallVector<Sources> carried;          ///< of the registers that the loop carries
  llvm::SetVector<mlir::Value> outside;        ///< registers and masks that come in

private:
  bool addOperation(mlir::Operation &op);
  bool addAccess(mlir::Operation &op);
  bool addCount(mlir::Operation &op);
  unsigned loweredBy(mlir::BlockArgument count);
  bool addCarried();
  bool isFull(mlir::Value mask, unsigned readBytes);
  bool isInside(mlir::Value value) { return body.getParent()->isAncestor(value.getParentRegion()); }
  Sources sourcesOf(mlir::Value value);
  Sources sourcesOf(mlir::Operation &op);

  llvm::DenseMap<mlir::Value, Sources> known;
  llvm::DenseSet<mlir::Operation *> wantedFull; ///< masks of a count, of stores that have to be whole
};

/// What checked code may report of the operation is only its accesses and undefined operands.
bool isQuiet(mlir::Operation &op);

/// `value` as it is in the first turn, computed in front of the loop.
mlir::Value inFirstTurn(mlir::Value value, mlir::scf::ForOp loop, mlir::OpBuilder &builder, mlir::IRMapping &first);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_LOOPANALYSIS_H
