//===- TileInstr.h - tile instructions in text ------------------*- C++ -*-===//
//
// A tile instruction is one record (pto/detail/records), which the C++ tile API
// and text share. Operations of the dialect are made from the records: they have
// no definition of their own, and a new record adds its text, too.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DIALECT_PTO_TILEINSTR_H
#define PTOSCOPE_DIALECT_PTO_TILEINSTR_H

#include "ptoscope/Dialect/PTO/PTO.h"

#include "pto/detail/record.hpp"

namespace ptoscope::pto {

/// On instructions of functions that mean program order (pto-automatic-order).
inline constexpr llvm::StringLiteral kAutomaticAttr = "pto.automatic";

/// On a `pto.tprint` that hands a value to the onlooker: the number of the look.
inline constexpr llvm::StringLiteral kLookAttr = "pto.look";

/// True for tiles and views: values that lowering keeps as descriptors.
inline bool isDescriptor(mlir::Type type) {
  return llvm::isa<TileBufType, MultiTileBufType, TensorViewType, PartitionTensorViewType>(type);
}

/// What a view of this element transfers. Views count pairs (TATTR-2), so a pair of
/// 4-bit elements is a byte.
tile::Elem viewElemOf(mlir::Type element);

/// Dimensions of a view.
inline int64_t rankOf(mlir::Type view) {
  if (auto whole = llvm::dyn_cast<TensorViewType>(view))
    return whole.getRank();
  return llvm::cast<PartitionTensorViewType>(view).getRank();
}

/// Reads the attributes of an instruction, see TileRules.cpp.
enum class TileRule : uint8_t {
#define PTO_TILE_RULE(NAME, ...) NAME,
#include "ptoscope/Dialect/PTO/TileRules.def"
#undef PTO_TILE_RULE
};

/// One operand as text writes it.
struct TileSlot {
  enum Kind : uint8_t {
    Tile,          ///< tile `index` of the record
    View,          ///< the view of global memory
    Element,       ///< scalar 0, of the element type of tile 0
    SourceElement, ///< scalar 0, of the element type of the first source
    Float,         ///< scalar 0: f32
    Integer,       ///< scalar `index`
    Word,          ///< scalar 2: 64 bits
    HalfScalar,    ///< half `index` % 2 of scalar `index` / 2
    Ignored,
  } kind;
  uint8_t index = 0;
  bool optional = false;
};

/// One way to write an instruction.
struct TileForm {
  std::string mnemonic; ///< without `pto.`
  const tile::Record *record;
  unsigned recordNumber; ///< its position in records/all.def
  TileRule rule;
  llvm::SmallVector<TileSlot> ins, outs;
  std::string syntax; ///< for messages and the manual
};
/// What the table of instructions says of them, one row a mnemonic.
llvm::ArrayRef<InstrInfo> tileInstructions();
/// What the manual says of a tile of a record.
struct TileOperandInfo {
  std::string name, role, elements, memories; ///< lists are in one line
};
llvm::SmallVector<TileOperandInfo> operandsOf(const tile::Record &record);
/// What docs/isa/ops-tile-ir.tsv says of a mnemonic, and docs/isa/ops-tile.tsv of a call in C++.
struct TileTextInfo {
  llvm::StringLiteral name, pipe, profiles, rules, summary;
};
struct TileCallInfo {
  llvm::StringLiteral name, signature, rules, summary;
};
const TileTextInfo *findTileText(llvm::StringRef mnemonic);
/// The labels of both; none for what is no tile instruction.
llvm::SmallVector<llvm::StringRef> tileRulesOf(llvm::StringRef mnemonic);
/// The call that issues a record; null for one that only text has.
const TileCallInfo *findTileCall(llvm::StringRef record);
/// The forms of one mnemonic, in the order they are tried.
llvm::ArrayRef<TileForm> tileFormsOf(llvm::StringRef mnemonic);

/// The operands of an instruction in the order of its record.
struct TileBinding {
  const TileForm *form = nullptr;
  llvm::SmallVector<mlir::Value, 4> tiles;
  mlir::Value view; ///< or null
  struct Scalar {
    TileSlot slot;
    mlir::Value value;
  };
  llvm::SmallVector<Scalar, 2> scalars;
  uint32_t mode = 0;
  /// AccToVecMode: the halves of the source go to the two vector cores.
  unsigned split = 0;
  /// Scalar 1, where an attribute gives it.
  std::optional<int64_t> offset;
  /// The more precise algorithm is asked for (TATTR-6).
  bool precise = false;
};

template <typename Concrete> class TileInstrTrait : public mlir::OpTrait::TraitBase<Concrete, TileInstrTrait> {};

/// Any tile instruction, by `isa` and `dyn_cast`.
class TileInstr : public mlir::OpState {
public:
  using mlir::OpState::OpState;
  explicit TileInstr(mlir::Operation *op) : OpState(op) {}
  static bool classof(mlir::Operation *op) { return op->hasTrait<TileInstrTrait>(); }

  mlir::OperandRange getIns();
  mlir::OperandRange getOuts();
  /// Why no form fits, in an error at the operation; empty when `emits` is false.
  mlir::FailureOr<TileBinding> bind(bool emits = true);
};

} // namespace ptoscope::pto

#endif // PTOSCOPE_DIALECT_PTO_TILEINSTR_H
