//===- Manual.cpp - the instruction table without MLIR --------------------===//

#include "ptoscope/Driver/Manual.h"

#include "ptoscope/Dialect/PTO/InstrTable.h"

#include "llvm/ADT/SmallVector.h"

namespace ptoscope {

static std::vector<std::string> pieces(llvm::StringRef text, char separator) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, separator, -1, /*KeepEmpty=*/false);
  return {parts.begin(), parts.end()};
}

std::vector<OpRow> opsTable() {
  std::vector<OpRow> rows;
  for (const pto::InstrInfo &info : pto::instructions()) {
    OpRow row{"pto." + info.name.str(),  pto::nameOf(info.family).str(), info.summary.str(),
              info.pipeText().str(),     pieces(info.elements, ' '),     pieces(info.profiles.text(), ' '),
              pieces(info.syntax, '\n'), pieces(info.constraints, '\n'), {}};
    for (const pto::AliasInfo &alias : pto::aliases())
      if (alias.name == info.name)
        row.aliases.push_back("pto." + alias.alias.str());
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace ptoscope
