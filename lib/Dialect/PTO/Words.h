//===- Words.h - words of vector instructions -------------------*- C++ -*-===//
//
// Distributions, roundings, comparisons and the like are strings in programs,
// and manuals spell them in several ways. Operations hold one spelling, that of
// the tables; words that may be left out are put in.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_DIALECT_PTO_WORDS_H
#define PTOSCOPE_LIB_DIALECT_PTO_WORDS_H

#include "Parsing.h"

#include "ptoscope/Meaning/Conversions.h"

namespace ptoscope::pto {

/// What `rnd`, `sat` or `part` of a conversion may be, the one to take where it is
/// left out first; none when the pair does not have it.
llvm::SmallVector<std::string> conversionTokens(const Conversion &pair, llvm::StringRef attribute);

/// Completes the attributes of a parsed instruction with these operand types.
mlir::ParseResult completeWords(mlir::OpAsmParser &parser, mlir::OperationState &result,
                                llvm::ArrayRef<mlir::Type> operands, llvm::ArrayRef<mlir::Type> results);

/// Whether completed words are those of the older `vexpdif`, which has no mask (FUSE-6).
bool isOlderDifference(const mlir::OperationState &state);

} // namespace ptoscope::pto

#endif // PTOSCOPE_LIB_DIALECT_PTO_WORDS_H
