//===- Document.h - a text that an editor has open --------------*- C++ -*-===//
//
// The text, its places as the protocol counts them (lines from 0, UTF-16 units), and
// what the tolerant scanners say of it. Scans are made when someone asks and live
// until the next change.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_LANGUAGE_DOCUMENT_H
#define PTOSCOPE_LIB_LANGUAGE_DOCUMENT_H

#include "ptoscope/Compiler/ProgramNames.h"
#include "ptoscope/Language/Tokens.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptoscope {

/// As the protocol counts: from 0, characters in UTF-16 units.
struct Position {
  int64_t line = 0, character = 0;
};

class Document {
public:
  /// Longer texts are not looked at.
  static constexpr size_t kMaxBytes = size_t(8) << 20;

  Document(std::string uri, std::string text, int64_t version);

  const std::string uri;
  int64_t version;

  const std::string &text() const { return content; }
  /// Bytes of a text that is too long to be kept; 0 for others.
  size_t tooLong() const { return refusedBytes; }

  /// Takes one change: the whole text without a range. False for one that has no text.
  bool change(const llvm::json::Object &change);

  /// Places outside the text become the nearest ones inside.
  size_t offsetOf(Position position) const;
  Position positionOf(size_t offset) const;
  llvm::json::Value rangeOf(TextRange range) const;
  /// Where a line (from 0) begins; lines behind the last are at the end of the text.
  size_t lineStart(size_t line) const;
  size_t lineCount() const { return lines().size(); }
  llvm::StringRef lineAt(size_t line) const;

  const std::vector<Token> &tokens() const;
  const ProgramNames &names() const;
  llvm::StringRef wordOf(const Token &token) const { return token.in(content); }
  llvm::StringRef wordOf(TextRange range) const { return llvm::StringRef(content).slice(range.begin, range.end); }

private:
  const std::vector<size_t> &lines() const;
  void replace(std::string text);

  std::string content;
  size_t refusedBytes = 0;
  mutable std::vector<size_t> lineStarts;
  mutable std::optional<std::vector<Token>> tokenList;
  mutable std::optional<ProgramNames> nameTable;
};

std::optional<Position> positionFrom(const llvm::json::Object *object);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_LANGUAGE_DOCUMENT_H
