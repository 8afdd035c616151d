//===- Manual.h - what people read about instructions and rules -*- C++ -*-===//
//
// The words of `ptoscope ops` and `ptoscope explain`, which the language server
// shows, too. The rules are those of docs/isa when this was built.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MANUAL_MANUAL_H
#define PTOSCOPE_MANUAL_MANUAL_H

#include "ptoscope/Dialect/PTO/InstrTable.h"

#include <string>
#include <vector>

namespace ptoscope {

/// A rule of the specification.
struct Rule {
  llvm::StringLiteral label, text, document, heading;
};

/// Sorted by family and number.
llvm::ArrayRef<Rule> rules();
/// By its label, in letters of any case; null for none.
const Rule *findRule(llvm::StringRef label);
/// "TLOAD" of "TLOAD-3", "P" of "P8".
llvm::StringRef familyOf(llvm::StringRef label);
/// Instructions that have the rule: "pto.vadd".
std::vector<std::string> instructionsWith(llvm::StringRef label);

/// The instruction with this name, alias or name of a call in C++; null for none.
const pto::InstrInfo *findInstruction(llvm::StringRef name);
/// What people read about it; its rules are not in it.
std::string textOf(const pto::InstrInfo &info);
/// Its rules: "P8: mask granularity matches the element width".
std::vector<std::string> rulesOf(const pto::InstrInfo &info);

/// What lengths of a transfer count: "bytes", "32-byte blocks", or by profile.
std::string unitText(const pto::TransferInfo &info);

} // namespace ptoscope

#endif // PTOSCOPE_MANUAL_MANUAL_H
