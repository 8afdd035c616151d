//===- Looks.h - from `%name@LINE` to an instruction ------------*- C++ -*-===//

#ifndef PTOSCOPE_COMPILER_LOOKS_H
#define PTOSCOPE_COMPILER_LOOKS_H

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Support/Result.h"
#include "ptoscope/Tile/Looks.h"

namespace ptoscope {

/// `tile@LINE` is everything that the instructions of the line write, `%name@LINE` a
/// value that one of them has; `:K` limits it to the K-th time, `/B` to block B.
/// With `dumps` there is one thing, and `=PATH` at the end.
Result<std::vector<tile::Look>> findLooks(const ParsedProgram &program, const std::string &word, bool dumps);

/// What a scalar is printed as; nothing for other types.
std::optional<ElementType> scalarElementOf(mlir::Type type);
/// How values of a type are handed over; nothing for those that cannot be.
std::optional<tile::Shown> shownOf(mlir::Type type);

/// Lets the kernel hand over the values among `looks`, each by its position there.
void insertLooks(mlir::ModuleOp module, const std::vector<tile::Look> &looks);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_LOOKS_H
