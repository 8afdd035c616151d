//===- InstrTable.h - the instruction records as a table --------*- C++ -*-===//
//
// What scripts/instr_table.py makes of the records: one row per instruction,
// its aliases, and the names that are recognised and refused.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DIALECT_PTO_INSTRTABLE_H
#define PTOSCOPE_DIALECT_PTO_INSTRTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ptoscope::pto {

/// Lists are separated by spaces (elements, profiles) or newlines.
struct InstrInfo {
  llvm::StringLiteral name, family, pipe, footprint, definedness, timing, summary, elements, profiles, syntax,
      constraints, nan, path, meaning, symbol, inactive;
  bool takesElement(llvm::StringRef element) const;
  bool onProfile(llvm::StringRef profile) const;
};
struct AliasInfo {
  llvm::StringLiteral alias, name;
  llvm::StringLiteral profiles; ///< which have this name, not always those of the record
  bool onProfile(llvm::StringRef profile) const;
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
/// The known name nearest in spelling.
llvm::StringRef nearestName(llvm::StringRef name);

} // namespace ptoscope::pto

#endif // PTOSCOPE_DIALECT_PTO_INSTRTABLE_H
