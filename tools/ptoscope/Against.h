//===- Against.h - ptoscope ops --against -----------------------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_AGAINST_H
#define PTOSCOPE_TOOLS_AGAINST_H

#include <string>

namespace ptoscope {

/// Prints what the table has and this build lacks: names, and lines that the parser
/// refuses. -> exit status: 1 if there is anything, 2 for a table that cannot be read.
int compareWith(const std::string &path, bool json);

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_AGAINST_H
