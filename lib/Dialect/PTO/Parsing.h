//===- Parsing.h - text shared by the instruction families ------*- C++ -*-===//
//
// PTO text comes in several spellings; these functions accept all of them. The
// op definitions generated from the records call parseX / printX by name.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_DIALECT_PTO_PARSING_H
#define PTOSCOPE_LIB_DIALECT_PTO_PARSING_H

#include "ptoscope/Dialect/PTO/InstrTable.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "llvm/ADT/StringExtras.h"

namespace ptoscope::pto {

/// `<word>`, or ` word` of `#pto<mnemonic word>`, checked against `words` unless that list is a single empty string.
mlir::ParseResult parseWord(mlir::AsmParser &parser, llvm::StringRef mnemonic, llvm::ArrayRef<llvm::StringRef> words,
                            std::string &word);

/// "PIPE_X", <PIPE_X>, #pto.pipe<PIPE_X>, or a tile-level type that stands for a pipe.
mlir::ParseResult parsePipeOperand(mlir::AsmParser &parser, PipeAttr &pipe);
/// Like the above; an absent optional result means that no pipe starts here.
mlir::OptionalParseResult parseOptionalPipeOperand(mlir::AsmParser &parser, PipeAttr &pipe);
/// "WORD", <WORD> or #pto.<mnemonic><WORD>.
mlir::ParseResult parseWordOperand(mlir::AsmParser &parser, llvm::StringRef what, std::string &word,
                                   mlir::Type *behind = nullptr);

/// An element type, `u8` to `u64` included.
mlir::ParseResult parseElement(mlir::AsmParser &parser, mlir::Type &element);
/// Pairs that no instruction computes with are elements too: they are carried along.
bool isTileElement(mlir::Type element);
/// A type, or the shortened `<T, space>` of a pointer.
mlir::ParseResult parseTypeOrPtr(mlir::AsmParser &parser, mlir::Type &type);
/// A type, or the shortened `<loc=...>` of a tile (TBUF-5).
mlir::ParseResult parseTypeOrTile(mlir::AsmParser &parser, mlir::Type &type);
/// `T, T, ...` or `(T, T, ...)`.
mlir::ParseResult parseTypes(mlir::AsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &types);

/// `!pto.mask<G>` and `!pto.mask` become the granularity the instruction has.
mlir::Type resolveMask(mlir::Type type, unsigned bytes);

/// A remark that the spelling is accepted but not the documented one.
void remarkLoose(mlir::AsmParser &parser, llvm::SMLoc loc, const llvm::Twine &message);
/// A remark that only older manuals have this; no other spelling says it.
void remarkOlder(mlir::AsmParser &parser, llvm::SMLoc loc, const llvm::Twine &message);

/// The operation as messages name it: `pto.x` in backticks.
std::string quoted(mlir::Operation *op);

/// The mask of a register instruction has the width of its elements.
llvm::LogicalResult verifyMask(mlir::Operation *op, mlir::Value mask, VRegType vreg, llvm::StringRef label = "P8");
/// The granularity a `vsts` distribution asks for (VST-1), 0 = that of the elements.
unsigned granularityOfStore(llvm::StringRef dist);
/// ADDR-2: vector instructions reach ub only.
llvm::LogicalResult verifyUb(mlir::Operation *op, mlir::Value pointer, llvm::StringRef label = "ADDR-2");
/// POST-1: a pointer result, which may be null, has the type of the base.
llvm::LogicalResult verifyNext(mlir::Operation *op, mlir::Value base, mlir::Value next,
                               llvm::StringRef label = "POST-1");
/// ADDR-1, ADDR-2, POST-1 of an access through `base`; `next` may be null.
llvm::LogicalResult verifyAccess(mlir::Operation *op, mlir::Value base, mlir::Value next, VRegType vreg,
                                 llvm::StringRef postLabel = "POST-1");
/// The word is one of the list.
llvm::LogicalResult verifyWord(mlir::Operation *op, llvm::StringRef what, llvm::StringRef word,
                               llvm::ArrayRef<llvm::StringRef> words, llvm::StringRef label, llvm::StringRef code = "");
llvm::LogicalResult verifyElement(mlir::Operation *op, mlir::Type element, llvm::StringRef label);

} // namespace ptoscope::pto

#endif // PTOSCOPE_LIB_DIALECT_PTO_PARSING_H
