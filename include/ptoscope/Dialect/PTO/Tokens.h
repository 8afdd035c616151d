//===- Tokens.h - words that attributes may be ------------------*- C++ -*-===//
//
// The verifier's own tables, for those that offer words before they are written.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DIALECT_PTO_TOKENS_H
#define PTOSCOPE_DIALECT_PTO_TOKENS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace ptoscope::pto {

/// `round_mode` of `#pto.round_mode<RINT>`, and its words: "NONE|CAST_NONE RINT …", other
/// spellings behind `|`, a number that is not the next one behind `=`.
llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>> attributeKinds();

/// Patterns of masks: "PAT_ALL" and others.
llvm::ArrayRef<llvm::StringLiteral> maskPatterns();

} // namespace ptoscope::pto

#endif // PTOSCOPE_DIALECT_PTO_TOKENS_H
