//===- Sequences.h - calls that act on several registers at once *- C++ -*-===//
//
// What vectors of any length need besides micro instructions: shuffles across
// registers, conversions that keep the order of lanes, trees of sums, rows in
// memory, masks of any length. `ExpandVmi.h` makes calls of these names, with
// registers and masks of micro instructions as operands and results, and
// LowerSequences.cpp makes code of them. They exist between the two only.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_SEQUENCES_H
#define PTOSCOPE_LIB_COMPILER_SEQUENCES_H

#include "ptoscope/timing.hpp"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

namespace ptoscope {

/// Registers of the operands follow each other: lane i of a sequence is lane i % E of its register i / E.
namespace sequence {
inline constexpr llvm::StringLiteral kConstant = "sequence.constant"; ///< () {value}: bytes of the registers
inline constexpr llvm::StringLiteral kShuffle = "sequence.shuffle";   ///< (registers) {from, bytes}: -1 is a zero lane
inline constexpr llvm::StringLiteral kConvert = "sequence.convert";   ///< (registers) {symbol, lanes}
inline constexpr llvm::StringLiteral kFold = "sequence.fold";         ///< (registers) {symbol, lanes, levels}
inline constexpr llvm::StringLiteral kLookup = "sequence.lookup";     ///< (registers, indices) {lanes}
inline constexpr llvm::StringLiteral kRank = "sequence.rank";         ///< (masks): lanes before this one that are on
inline constexpr llvm::StringLiteral kCompress = "sequence.compress"; ///< (registers, masks)
inline constexpr llvm::StringLiteral kLoadRows =
    "sequence.load"; ///< (ptr, offset, stride, masks) {row, bytes}: of a row, of all
inline constexpr llvm::StringLiteral kStoreRows =
    "sequence.store";                                             ///< (registers, ptr, offset, stride, masks), likewise
inline constexpr llvm::StringLiteral kPrefix = "sequence.prefix"; ///< (count) {first, lanes}: first + i < count
inline constexpr llvm::StringLiteral kFixed = "sequence.fixed";   ///< () {value}: a boolean for each lane
inline constexpr llvm::StringLiteral kRegrain = "sequence.regrain"; ///< (masks): the same lanes at another width
} // namespace sequence

/// Bytes of its window that a micro load or store of a shorter vector touches, and its alignment.
inline constexpr llvm::StringLiteral kBytesAttr = "pto.bytes", kAlignmentAttr = "pto.alignment";
/// The operation of the text that an instruction comes from: those with one number are one site.
inline constexpr llvm::StringLiteral kOriginAttr = "pto.origin";
/// The register of its vectors that an instruction works on, of several.
inline constexpr llvm::StringLiteral kPartAttr = "pto.part";

/// Every lane of the mask is on, whatever its count says.
inline constexpr llvm::StringLiteral kFullMaskAttr = "pto.full_mask";

/// The number of a loop, at the call in front of it that checks it.
inline constexpr llvm::StringLiteral kWholeLoopAttr = "pto.whole_loop";

/// Null for other calls, of which there is the one that counts turns.
inline bool isSequence(mlir::Operation *op) {
  auto call = llvm::dyn_cast<mlir::func::CallOp>(op);
  return call && call.getCallee().starts_with("sequence.");
}

/// What a sequence call takes on the machine: micro instructions that follow each other (VUSE-4).
struct SequenceCost {
  Timing timing;
  unsigned count;
};
llvm::SmallVector<SequenceCost> costOf(mlir::func::CallOp call);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_SEQUENCES_H
