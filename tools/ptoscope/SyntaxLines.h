//===- SyntaxLines.h - lines of syntax as programs --------------*- C++ -*-===//
//
// Tables of instructions write one line of syntax for each form, with letters for
// types and marks for choices: `T`, `NxT`, `[, %m]`, `"EVEN|ODD"`. Here such a line
// becomes small programs that a parser can be asked about.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TOOLS_SYNTAXLINES_H
#define PTOSCOPE_TOOLS_SYNTAXLINES_H

#include "llvm/ADT/StringExtras.h"

#include <functional>
#include <string>
#include <vector>

namespace ptoscope {

/// A letter of a word.
inline bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The ways to read a line: with and without its optional parts, each choice once.
/// `why` gets the reason where there is none.
std::vector<std::string> readingsOf(const std::string &name, const std::string &syntax, std::string &why);

/// Fills the letters of a reading in every way that the elements of its row allow, and
/// hands each program to `accepts` until it returns true. -> whether one was accepted.
/// `why` gets the reason where no program can be written.
bool tryReading(const std::string &name, const std::string &reading, const std::string &elements,
                const std::string &profile, const std::function<bool(const std::string &)> &accepts, std::string &why);

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_SYNTAXLINES_H
