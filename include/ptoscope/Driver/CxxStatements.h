//===- CxxStatements.h - where a line of C++ may be inserted ----*- C++ -*-===//

#ifndef PTOSCOPE_DRIVER_CXXSTATEMENTS_H
#define PTOSCOPE_DRIVER_CXXSTATEMENTS_H

#include <cstdint>
#include <string_view>

namespace ptoscope::cxx {

/// Whether a statement that is inserted as a line before `line`, or after it, comes right before the statement at
/// `column` of that line, or right after it, on every path. It does not in front of the body of an `if` without
/// braces, behind a label of the same line, or inside of an expression. Lines and columns count from 1; column 0 is
/// the beginning of the line.
bool canInsertLine(std::string_view text, uint32_t line, uint32_t column, bool after);

} // namespace ptoscope::cxx

#endif // PTOSCOPE_DRIVER_CXXSTATEMENTS_H
