//===- Signature.h - text of vector instructions ----------------*- C++ -*-===//
//
// The text of a vector instruction is
//
//   items {attributes} : types -> types
//
// where an item is a value, an address `%base[%offset]` or a word in quotes. A
// signature says which items there are, so that one parser and one printer serve
// all of them:
//
//   ptr vreg mask align      a value of that type
//   buffer                   ptr, or a memref that stands for one (ADDR-2)
//   i16 i32 i64 index        a scalar of that type
//   offset                   an index whose type is not written; `stride`, and `step`, an i16: it need not be
//   part                     the same, though some texts write it
//   count                    scalar, an i16 where its type is not written
//   bytes                    vreg of 8-bit lanes, where its type is not written
//   scalar, input, active    integer or float; scalar or vreg; mask or index. v, m: vector, mask of any length
//   [kind                    the value stands in brackets after the one before
//   kind?                    it may be absent; `kind!`: with a remark then
//   kind:n                   it is operand n of the record, not the next one
//   kind:=n                  read and dropped; operand n is printed in its place
//   @name, @name?            a word: the string attribute `name`
//   name=WORD                sets the attribute
//   #LABEL                   the rule that other types break
//
// Results follow `->`, alternatives follow `|`. The first alternative that
// fits is read; the first that fits the operation is printed. An instruction
// without operands has its result type after the colon.
//
// Looser texts (TEXT-1 to TEXT-8) are read with a remark: types in parentheses,
// operand types that follow from a register type, words without quotes, and
// attributes after the types. Words.h completes the words.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_DIALECT_PTO_SIGNATURE_H
#define PTOSCOPE_LIB_DIALECT_PTO_SIGNATURE_H

#include "Parsing.h"

namespace ptoscope::pto {

struct Slot {
  llvm::StringRef kind; ///< of a value; the attribute's name of a word
  bool word = false, bracket = false, optional = false, remark = false, dropped = false;
  int operand = -1;
};

struct Form {
  llvm::SmallVector<Slot> items, results;
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>> sets; ///< attributes it stands for
  llvm::StringRef label;                                               ///< the rule of its types, if it has one
};

/// The alternatives of a signature.
llvm::SmallVector<Form> readSignature(llvm::StringRef signature);
/// Whether a value of that type can stand for that kind.
bool fits(llvm::StringRef kind, mlir::Type type);
bool fitResults(llvm::ArrayRef<Slot> slots, mlir::TypeRange types);
/// Whether the type need not be written.
bool isImplied(llvm::StringRef kind);

mlir::ParseResult parseText(mlir::OpAsmParser &parser, mlir::OperationState &result, llvm::StringRef signature);
void printText(mlir::OpAsmPrinter &printer, mlir::Operation *op, llvm::StringRef signature);

} // namespace ptoscope::pto

#endif // PTOSCOPE_LIB_DIALECT_PTO_SIGNATURE_H
