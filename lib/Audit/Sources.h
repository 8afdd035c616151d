//===- Sources.h - files that an audit looks at -----------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_AUDIT_SOURCES_H
#define PTOSCOPE_LIB_AUDIT_SOURCES_H

#include "ptoscope/Support/Result.h"

#include <optional>
#include <string>
#include <vector>

namespace ptoscope::audit {

struct Source {
  std::string relative; ///< to the folder
  std::string path;     ///< as the user would write it
  bool isCxx = false;
  std::string problem; ///< why it cannot be read; mostly empty
  std::string text;
};

/// Files in the order of their names. A folder without any is an error of use.
Result<std::vector<Source>> findSources(const std::string &folder);

/// For each new file the old one that it was, or nothing: by the name, else the one that has most
/// lines in common, if that is more than half of them.
std::vector<std::optional<size_t>> matchSources(const std::vector<Source> &before, const std::vector<Source> &after);

} // namespace ptoscope::audit

#endif // PTOSCOPE_LIB_AUDIT_SOURCES_H
