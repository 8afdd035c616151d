//===- InstrTable.h - the instruction records as a table --------*- C++ -*-===//
//
// What scripts/instr_table.py makes of the records: one row per instruction,
// its aliases, and the names that are recognised and refused. What code decides
// by is an enumeration, made at build time; what people read is text.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DIALECT_PTO_INSTRTABLE_H
#define PTOSCOPE_DIALECT_PTO_INSTRTABLE_H

#include "ptoscope/Machine/Runtime.h"
#include "ptoscope/Machine/Types.h"
#include "ptoscope/timing.hpp"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <string>

namespace ptoscope::pto {

// Family, Footprint, Definedness, NanRule, MeaningKind, StepModel, TransferRole, and nameOf of each.
#include "ptoscope/Dialect/PTO/InstrEnums.inc"

/// Lanes that the mask switches off: zero, ungoverned, zero at the source, or kept from an operand.
enum class Inactive : uint8_t { Zero, None, Source, Operand };

class ProfileSet {
public:
  explicit constexpr ProfileSet(ProfileId id) : bits(uint8_t(1u << unsigned(id))) {}
  constexpr ProfileSet operator|(ProfileSet other) const {
    other.bits |= bits;
    return other;
  }
  constexpr bool has(ProfileId id) const { return bits >> unsigned(id) & 1; }
  bool operator==(const ProfileSet &) const = default;
  /// "a5 a3"
  std::string text() const;

private:
  uint8_t bits;
};

/// What the record of a transfer says; its operands by role are in TransferOpInterface.
struct TransferInfo {
  Space src, dst;
  StepModel steps;
  std::array<uint16_t, 3> units; ///< by ProfileId: bytes that lengths and steps of rows count; steps of loops are bytes
  uint8_t operands;              ///< of the record
  bool segments;                 ///< some of them may be left out
  bool sameSize;                 ///< of the elements of both sides
  std::array<int8_t, kTransferRoles> operand; ///< its position in the record, -1 without
  std::array<PtoRegister, 4> reads;           ///< loop sizes, inner steps, outer steps, then others
  uint8_t readCount;

  uint16_t unit(ProfileId id) const { return units[size_t(id)]; }
  bool has(TransferRole role) const { return operand[size_t(role)] >= 0; }
  llvm::ArrayRef<PtoRegister> registers() const { return {reads.data(), readCount}; }
};

struct InstrInfo {
  llvm::StringRef name;
  Family family;
  std::optional<Pipe> pipe; ///< nothing when an operand names it
  Footprint footprint;
  Definedness definedness;
  Timing timing;
  ProfileSet profiles;
  NanRule nan;
  MeaningKind meaning;
  Inactive inactive;
  uint8_t inactiveOperand; ///< for Inactive::Operand
  llvm::StringRef summary;
  llvm::StringRef elements;            ///< separated by spaces
  llvm::StringRef syntax, constraints; ///< separated by newlines
  llvm::StringRef symbol;
  std::optional<PtoRegister> sets;
  bool mayLackMask;             ///< loose texts leave out its last operand, a mask: every lane is active
  const TransferInfo *transfer; ///< null for others

  bool takesElement(llvm::StringRef element) const;
  /// "V", or "operand"
  llvm::StringRef pipeText() const;
};
struct AliasInfo {
  llvm::StringLiteral alias, name;
  ProfileSet profiles; ///< which have this name, not always those of the record
};
struct NotModelledInfo {
  llvm::StringLiteral name, category;
  llvm::StringLiteral reason; ///< why not, where there is more to say
};

llvm::ArrayRef<InstrInfo> instructions();
llvm::ArrayRef<AliasInfo> aliases();
llvm::ArrayRef<NotModelledInfo> notModelled();

/// Names without the "pto." prefix; null when absent.
const InstrInfo *findInstr(llvm::StringRef name);
const AliasInfo *findAlias(llvm::StringRef alias);
const NotModelledInfo *findNotModelled(llvm::StringRef name);
/// The known name that `name` was probably meant to be (`nearestOf`); empty if none is near.
llvm::StringRef nearestName(llvm::StringRef name);

} // namespace ptoscope::pto

#endif // PTOSCOPE_DIALECT_PTO_INSTRTABLE_H
