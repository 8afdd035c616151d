//===- ReportFile.cpp - the file of PTOSCOPE_REPORT -----------------------===//

#include "ptoscope/Support/AtomicFile.h"

namespace ptoscope::tile {

/// Environment.cpp. Apart from it: the results of launches and of functions have one name.
std::string writeReport(const std::string &path, const std::string &text) {
  OutputSet files;
  Result<void> staged = files.stage(path, text);
  if (staged)
    staged = files.commit();
  return staged ? "" : staged.finding().message;
}

} // namespace ptoscope::tile
