//===- ExpandVmi.h - vectors of any length as registers ---------*- C++ -*-===//
//
// Rewrites the `pto.vmi.*` operations of an outlined scope as micro instructions
// on registers of 256 bytes, and sequence calls (Sequences.h) for what reaches
// across registers. A vector of N lanes is ceil(N / E) registers in the order of
// its lanes; lanes that the last register has beyond N are never observed. A mask
// stays symbolic (all lanes, the first n, fixed lanes) where it can, and is made
// for the width of elements that it governs.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_EXPANDVMI_H
#define PTOSCOPE_LIB_COMPILER_EXPANDVMI_H

#include "Scopes/Sequences.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Dialect/PTO/Vmi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace ptoscope {

inline bool isVmi(mlir::Operation *op) { return mlir::isa<pto::VmiOp>(op); }
inline bool isVmiVector(mlir::Type type) { return mlir::isa<pto::VmiVRegType>(type); }
inline bool isVmiMask(mlir::Type type) { return mlir::isa<pto::VmiMaskType>(type); }
/// Lanes of a vector or a mask.
inline int64_t vmiLanes(mlir::Type type) {
  auto vector = mlir::dyn_cast<pto::VmiVRegType>(type);
  return vector ? vector.getLanes() : mlir::cast<pto::VmiMaskType>(type).getLanes();
}

/// The mask that the operation takes lanes by, its last one; null without one.
inline mlir::Value activeLanes(pto::VmiOp op) {
  llvm::SmallVector<mlir::Value> masks = op.getMasks();
  return masks.empty() ? mlir::Value() : masks.back();
}

/// Whether the function has anything to rewrite.
bool hasVmi(mlir::func::FuncOp function);

/// Replaces the body of a scope's function.
llvm::LogicalResult expandVmi(mlir::func::FuncOp function);

/// A vector of N elements, as registers hold it.
struct LaneShape {
  int64_t lanes;
  mlir::Type element; ///< of the registers: signless integers are unsigned (VSEQ-5)
  unsigned bytes;     ///< of an element

  int64_t perRegister() const { return int64_t(kRegisterBytes) / bytes; }
  int64_t registers() const { return (lanes + perRegister() - 1) / perRegister(); }
  /// Lanes of register k that belong to the vector.
  int64_t lanesIn(int64_t k) const { return std::min(perRegister(), lanes - k * perRegister()); }
  bool fills(int64_t k) const { return lanesIn(k) == perRegister(); }
  LaneShape with(int64_t count) const { return {count, element, bytes}; }
  pto::VRegType type() const { return pto::VRegType::get(element.getContext(), perRegister(), element); }

  static constexpr unsigned kRegisterBytes = 256;
};

/// What is known of a mask of N lanes.
struct LaneMask {
  enum Kind { Prefix, Fixed, Images } kind = Fixed;
  int64_t lanes = 0;
  mlir::Value count = {};                ///< Prefix: lanes that are on, an index or i32, of any size
  llvm::SmallVector<bool> fixed = {};    ///< Fixed
  unsigned bytes = 0;                    ///< Images: the width they are made for
  llvm::SmallVector<mlir::Value> images; ///< a micro mask for each register of that width
};

class VmiExpander {
public:
  explicit VmiExpander(mlir::func::FuncOp function) : function(function), b(function.getContext()) {}
  llvm::LogicalResult run();

private:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using Operation = mlir::Operation;
  using Parts = llvm::SmallVector<Value>;
  using Vmi = pto::VmiOp;
  using Handler = llvm::LogicalResult (VmiExpander::*)(Vmi);
  static const llvm::StringMap<Handler> &handlers();

  // --- blocks, loops and branches (ExpandVmi.cpp)
  llvm::LogicalResult expandBlock(mlir::Block &from);
  llvm::LogicalResult expandInto(mlir::Block &from, mlir::Block *to);
  llvm::LogicalResult expandOp(Operation *op);
  llvm::LogicalResult expandFor(mlir::scf::ForOp loop);
  llvm::LogicalResult expandIf(mlir::scf::IfOp branch);
  llvm::LogicalResult expandWhile(mlir::scf::WhileOp loop);
  /// Values with vectors and masks taken apart, and back again.
  Parts flat(mlir::ValueRange values);
  llvm::SmallVector<Type> flat(mlir::TypeRange types);
  void bind(mlir::ValueRange values, mlir::ValueRange parts);

  // --- values
  LaneShape shapeOf(Type type);
  LaneShape shapeOf(Value value) { return shapeOf(value.getType()); }
  const Parts &partsOf(Value vector);
  Value scalar(Value value) { return mapping.lookup(value); }
  llvm::LogicalResult give(Value vector, Parts parts);
  Value index(int64_t value);
  Value addIndex(Value base, int64_t number);

  // --- instructions that are made
  Operation *micro(llvm::StringRef name, mlir::ValueRange operands, mlir::TypeRange results,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  Value microValue(llvm::StringRef name, mlir::ValueRange operands, Type result,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return micro(name, operands, result, attributes)->getResult(0);
  }
  Operation *sequence(llvm::StringRef name, mlir::ValueRange operands, mlir::TypeRange results,
                      llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  Parts sequenceOf(llvm::StringRef name, mlir::ValueRange operands, LaneShape result,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::NamedAttribute text(llvm::StringRef name, llvm::StringRef value);
  mlir::NamedAttribute number(llvm::StringRef name, int64_t value);
  /// The scalar in every lane, and a constant in every lane.
  Value splat(Value scalar, LaneShape shape);
  Value splatBits(uint64_t bits, LaneShape shape);
  Parts constantLanes(LaneShape shape, llvm::function_ref<int64_t(int64_t)> lane);
  /// Lane i is lane from(i) of the registers, zero where that is -1.
  Parts shuffle(mlir::ValueRange registers, LaneShape result, llvm::function_ref<int64_t(int64_t)> from);
  /// Lanes off in the mask become those of `otherwise`, or zero.
  Parts choose(Value mask, LaneShape shape, const Parts &parts, const Parts &otherwise);
  Parts zeroed(Value mask, LaneShape shape, const Parts &parts);
  /// False when the mask is known to have every lane on.
  bool governs(Value mask, LaneShape shape);

  // --- masks (VmiMasks.cpp)
  /// The mask of register k of elements of `bytes`; null = every lane that exists is on.
  Value maskOf(Value mask, unsigned bytes, int64_t k);
  /// The same, never null, with the lanes beyond N off.
  Value exactMask(Value mask, unsigned bytes, int64_t k);
  const Parts &imagesOf(Value mask, unsigned bytes);
  Value fixedMask(llvm::ArrayRef<bool> lanes, unsigned bytes);
  /// The first lanes of a register.
  Value existingMask(int64_t lanes, unsigned bytes);
  llvm::LogicalResult give(Value mask, LaneMask known);
  llvm::LogicalResult createMask(Vmi op);
  llvm::LogicalResult createGroupMask(Vmi op);
  llvm::LogicalResult patternMask(Vmi op);
  llvm::LogicalResult countMask(Vmi op);
  llvm::LogicalResult constantMask(Vmi op);
  llvm::LogicalResult maskLogic(Vmi op);

  // --- lanes (VmiLanes.cpp)
  llvm::LogicalResult lanewise(Vmi op);
  llvm::LogicalResult expDifference(Vmi op);
  llvm::LogicalResult compare(Vmi op);
  llvm::LogicalResult select(Vmi op);
  llvm::LogicalResult convert(Vmi op);
  llvm::LogicalResult reinterpret(Vmi op);
  Parts converted(const Parts &parts, LaneShape from, LaneShape to, llvm::StringRef rounding = "",
                  llvm::StringRef saturate = "");

  // --- order of lanes (VmiOrder.cpp)
  llvm::LogicalResult broadcast(Vmi op);
  llvm::LogicalResult counters(Vmi op);
  llvm::LogicalResult constant(Vmi op);
  llvm::LogicalResult interleave(Vmi op);
  llvm::LogicalResult shuffleOp(Vmi op);
  llvm::LogicalResult channels(Vmi op);
  llvm::LogicalResult lookup(Vmi op);
  llvm::LogicalResult prefixIndex(Vmi op);
  llvm::LogicalResult compress(Vmi op);
  llvm::LogicalResult reduce(Vmi op);
  llvm::LogicalResult histogram(Vmi op);
  llvm::LogicalResult identity(Vmi op);
  llvm::LogicalResult pack(Vmi op);
  Parts rank(Value mask, LaneShape shape);

  // --- memory (VmiMemory.cpp)
  /// Rows of an access: from row to row `stride` elements of the pointer.
  struct Rows {
    int64_t count, lanes; ///< of each row
    Value stride;
    unsigned alignment;
    Value mask = {}; ///< of blocks: those without an active lane are left out
  };
  std::optional<Rows> rowsOf(Vmi op, LaneShape shape);
  Value rowOffset(Vmi op, const Rows &rows, int64_t row, int64_t lane);
  Parts loadRun(Vmi op, LaneShape shape);
  void storeRun(Vmi op, LaneShape shape, const Parts &parts);
  Value loadRegister(Vmi op, LaneShape shape, Value offset, int64_t lanes, unsigned alignment);
  void storeRegister(Vmi op, LaneShape shape, Value part, Value offset, Value mask, int64_t lanes, unsigned alignment);
  Parts loadRows(Vmi op, LaneShape shape, const Rows &rows);
  void storeRows(Vmi op, LaneShape shape, const Parts &parts, const Rows &rows);
  llvm::LogicalResult load(Vmi op);
  llvm::LogicalResult store(Vmi op);
  llvm::LogicalResult gather(Vmi op);
  llvm::LogicalResult scatter(Vmi op);
  llvm::LogicalResult maskedLoad(Vmi op);
  llvm::LogicalResult expandLoad(Vmi op);
  llvm::LogicalResult compressStore(Vmi op);
  Value pointerOf(Vmi op);
  Parts widened(const Parts &parts, LaneShape from, unsigned bytes);
  Parts gathered(Value pointer, LaneShape data, const Parts &indices, LaneShape index, Value mask);
  void scattered(Value pointer, LaneShape data, const Parts &parts, const Parts &indices, LaneShape index, Value mask);

  mlir::func::FuncOp function;
  mlir::OpBuilder b;
  mlir::Location loc = mlir::UnknownLoc::get(b.getContext());
  int64_t origin = 0; ///< number of the operation that is rewritten
  int64_t part = -1;  ///< the register that instructions are made for; -1 for all
  mlir::IRMapping mapping;
  llvm::DenseMap<Value, Parts> vectors;
  llvm::DenseMap<Value, LaneMask> masks;
  /// Masks of a width, by the block they are made in: a block does not see what its siblings have.
  std::map<std::tuple<const void *, unsigned, mlir::Block *>, Parts> widths;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_EXPANDVMI_H
