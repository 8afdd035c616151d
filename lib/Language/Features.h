//===- Features.h - answers to the questions of editors ---------*- C++ -*-===//
//
// Each takes a document as it is, complete or not, and asks the tolerant scanners
// only: no answer waits for a parser.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_LANGUAGE_FEATURES_H
#define PTOSCOPE_LIB_LANGUAGE_FEATURES_H

#include "Document.h"

#include "ptoscope/Support/Finding.h"
#include "ptoscope/Support/Result.h"

namespace ptoscope {

//===--- what is where (Lookup.cpp) -----------------------------------------===//

/// The token under the cursor, or just before it; null for none.
const Token *tokenUnder(const Document &document, size_t at);
/// The value at a place; null for none.
const ValueName *valueAt(const Document &document, size_t at);
/// The type that the text gives a definition; empty where it does not tell.
std::string typeOf(const Document &document, const ValueName &definition);
/// The name of the operation of the statement around a place: "pto.vadd"; may be empty.
llvm::StringRef operationAt(const Document &document, size_t at);
llvm::StringRef operationOf(const Document &document, TextRange statement);

struct FunctionText {
  TextRange name, whole;
  bool declared; ///< without a body
};
/// Functions in the order of the text.
std::vector<FunctionText> functionsOf(const Document &document);

//===--- answers ------------------------------------------------------------===//

llvm::json::Value hover(const Document &document, size_t at);
llvm::json::Value completions(const Document &document, size_t at, bool snippets);
/// An item of completions with its page.
llvm::json::Value completed(llvm::json::Object item);

/// Places of the name at `at`, its definition among them if asked for.
std::vector<TextRange> occurrences(const Document &document, size_t at, bool withDefinition);
std::optional<TextRange> definition(const Document &document, size_t at);
/// What would be renamed; nothing where there is no name.
std::optional<TextRange> renamable(const Document &document, size_t at);
/// Edits of the text, or why not.
Result<std::vector<TextRange>> rename(const Document &document, size_t at, std::string &newName);
llvm::json::Value outline(const Document &document);
llvm::json::Value foldings(const Document &document);
llvm::json::Value lenses(const Document &document);

llvm::ArrayRef<llvm::StringLiteral> colourKinds();
llvm::ArrayRef<llvm::StringLiteral> colourModifiers();
/// Five numbers for each token, as the protocol packs them.
llvm::json::Value colours(const Document &document);

/// Edits that lay out lines [first, last].
llvm::json::Value layoutEdits(const Document &document, size_t first, size_t last);
llvm::json::Value toDiagnostic(const Document &document, const Finding &finding);
/// The edits of a finding, as edits of the document.
llvm::json::Array toEdits(const Document &document, const std::vector<Edit> &edits);
/// Actions for findings in lines [first, last].
llvm::json::Value actions(const Document &document, const std::vector<Finding> &findings, size_t first, size_t last);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_LANGUAGE_FEATURES_H
