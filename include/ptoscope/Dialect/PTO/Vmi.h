//===- Vmi.h - virtual vector instructions ----------------------*- C++ -*-===//
//
// `pto.vmi.*`: instructions on vectors of any length (docs/isa/40-vmi.md). A
// lowering asks the interface for operands by what they are and the record for
// what the instruction does; it needs no list of names. Plain names such as
// `pto.vmi.addf` are read as the instruction that they are other names of.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DIALECT_PTO_VMI_H
#define PTOSCOPE_DIALECT_PTO_VMI_H

#include "ptoscope/Dialect/PTO/VmiTypes.h"

namespace ptoscope::pto {

/// What an instruction is to a lowering.
enum class VmiKind : uint8_t {
  Load,        ///< from an address on: `vload`, `stride_load`, `masked_load`, `expand_load`
  Store,       ///< to an address on: `vstore`, `vsstb`, `compress_store`
  Gather,      ///< `vgather`, and `gather` with a vector for inactive lanes
  Scatter,     ///< `vscatter`
  Mask,        ///< makes a mask
  Elementwise, ///< lane i of the results from lane i of the operands, by the meaning of `micro`; logic also on masks
  Compare,     ///< gives a mask
  Select,      ///< `vsel`
  Permute,     ///< lanes change their places
  Broadcast,   ///< `vbrc`
  Index,       ///< `vci`
  Constant,    ///< `constant`
  Reduce,      ///< one lane for each group
  Histogram,   ///< `vdhist`, `vchist`
  Convert,     ///< `vcvt`: lane i of another type
  Cast,        ///< `vinterpret_cast`: the same bytes
  Identity,    ///< the same lanes: helpers
  Pack,        ///< between registers and a vector: `pack`, `unpack`
};

/// What the record of a virtual vector instruction says beyond InstrInfo.
struct VmiInfo {
  llvm::StringLiteral name; ///< without `pto.`
  VmiKind kind;
  llvm::StringLiteral micro; ///< the micro instruction whose meaning its lanes have; empty where none has it
  llvm::StringLiteral signature;
  llvm::StringLiteral attributes; ///< names, separated by spaces; `#` behind an integer, `!` a unit, `*` any other
  llvm::StringLiteral labels;     ///< of its constraints, separated by spaces
  bool maskDropped;               ///< the reference compiler computes all lanes, whatever the mask (VGATE-10)
  bool helper;                    ///< programs do not have it (VMI-16)
  bool generic;                   ///< written and printed in MLIR's generic form
};

/// Another name of an instruction.
struct VmiAlias {
  llvm::StringLiteral name, target;
  llvm::StringLiteral signature, elements;
  llvm::StringLiteral attributeMap; ///< `name=word` it stands for, `name>name` other names of attributes
  llvm::StringLiteral needs;        ///< "slots", a direction of conversion, or nothing
  llvm::StringLiteral syntax;       ///< separated by newlines
  bool helper;
};

/// All of them, sorted by name.
llvm::ArrayRef<VmiInfo> vmiInstrs();
/// Names without `pto.`; null when absent.
const VmiInfo *findVmi(llvm::StringRef name);
const VmiAlias *findVmiAlias(llvm::StringRef name);
/// The element type as records name it: i32, si32 and ui32 are three types here.
std::string vmiElementName(mlir::Type element);

/// The number of an attribute such as `group`, which may have any signless type; nothing for another attribute.
std::optional<int64_t> vmiCount(mlir::Attribute attribute);
/// Lanes of the longest vector: bytes of the largest UB.
inline constexpr int64_t kMaxVmiLanes = 262144;

/// Where a layout puts lanes; used by `pack` and `unpack` alone.
struct VmiPlace {
  int64_t part; ///< number of the register
  int64_t lane; ///< in it
};
/// Registers that hold a vector, of 2048 / bits lanes each.
int64_t vmiRegisters(VmiVRegType type);
VmiPlace vmiPlaceOf(VmiVRegType type, int64_t lane);

/// What a conversion does, by its element types.
struct VmiConversion {
  llvm::StringLiteral direction; ///< float-widen, float-narrow, float-to-signed, …; empty when there is no such pair
  llvm::StringLiteral roundings; ///< letters it takes, the default first; empty when it takes none
  bool saturates;                ///< `saturate` is required; otherwise forbidden
};
std::optional<VmiConversion> findVmiConversion(mlir::Type from, mlir::Type to);

template <typename Concrete> class VmiOpTrait : public mlir::OpTrait::TraitBase<Concrete, VmiOpTrait> {};

/// Any virtual vector instruction, by `isa` and `dyn_cast`. Operands are told apart by their types, so that the text
/// and the generic form need no segments: vectors, masks, an address (pointer and index), strides and scalars.
class VmiOp : public mlir::OpState {
public:
  using mlir::OpState::OpState;
  explicit VmiOp(mlir::Operation *op) : OpState(op) {}
  static bool classof(mlir::Operation *op) { return op->hasTrait<VmiOpTrait>(); }

  /// The record: kind, the micro instruction whose lanes it computes, and so on.
  const VmiInfo &getInfo();
  /// Whether `op` is the instruction `pto.vmi.` and that name.
  static bool is(mlir::Operation *op, llvm::StringRef name);

  /// Vector operands in the order of the text. A gather has its indices first, then what inactive lanes
  /// keep; a scatter the values, then the indices.
  llvm::SmallVector<mlir::Value> getVectors();
  llvm::SmallVector<mlir::Value> getMasks();
  /// The mask that says which lanes are active, null without one. Never the mask of a selection or one that
  /// logic computes with; of a comparison the seed.
  mlir::Value getMask();
  /// The carry of `vaddcs`, null elsewhere.
  mlir::Value getCarry();
  /// Integer or float operand: of vector-scalar instructions, broadcasts, `vci`, counts of masks.
  mlir::Value getScalar();
  /// Address of a memory access; the offset counts elements, and is null where an index vector replaces it.
  mlir::Value getBase();
  mlir::Value getOffset();
  /// From group to group, in elements; null without `group`.
  mlir::Value getStride();
  /// From 32-byte block to block, and the repeat stride; null in other forms.
  mlir::Value getBlockStride();
  mlir::Value getRepeatStride();
  /// Groups of equal size; 1 without the attribute.
  int64_t getGroups();
  bool hasGroups();
  /// The word of a string attribute, empty without it.
  llvm::StringRef getWord(llvm::StringRef name);
  /// "continuous", "brc" or "dintlv".
  llvm::StringRef getDistMode();
  /// eq, ne, lt, le, gt or ge of a comparison.
  llvm::StringRef getComparison();
  /// The rounding of a conversion, with the default of its types; empty where it has none.
  llvm::StringRef getRounding();
  /// Type of the first vector among results, or else operands.
  VmiVRegType getVectorType();
  /// Type of the first vector among operands, or else results.
  VmiVRegType getVectorOperandType();
  /// Lanes that the instruction works through: of its first vector operand, or else of its first vector result
  /// or mask.
  int64_t getLanes();
};

/// Turns other names in MLIR's generic form, which are no operations of the dialect, into their instructions.
llvm::LogicalResult readOtherNames(mlir::Operation *root);

} // namespace ptoscope::pto

#endif // PTOSCOPE_DIALECT_PTO_VMI_H
