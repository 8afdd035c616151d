//===- Format.h - numbers and tables of timing reports ----------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TIMING_FORMAT_H
#define PTOSCOPE_LIB_TIMING_FORMAT_H

#include "ptoscope/Machine/Observer.h"

#include <string>
#include <vector>

namespace ptoscope::timing {

/// With so many digits behind the point.
std::string number(double value, int digits = 0);
/// "12 %".
std::string percent(double part, double whole);
/// "once", "3 times".
std::string timesText(uint64_t times);
/// "MTE2"; "AIV0 MTE2" where cores of a block have names.
std::string trackName(CoreId core, Pipe pipe, bool isCluster);
/// "GM to UB".
std::string pathName(Space from, Space to);
/// "add.pto:24 pto.vadd"; "?" without a place.
std::string placeAndOp(const SiteTable &sites, SiteId site);

/// Columns as wide as their widest cell; a heading that begins with `>` has its column
/// aligned to the right. No heading at all: none is printed.
class Table {
public:
  explicit Table(std::vector<std::string> headings);
  void add(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  std::string render(size_t indent = 0) const;

private:
  std::vector<std::string> headings;
  std::vector<bool> right;
  std::vector<std::vector<std::string>> rows;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_FORMAT_H
