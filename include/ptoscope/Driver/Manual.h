//===- Manual.h - the instruction table without MLIR ------------*- C++ -*-===//

#ifndef PTOSCOPE_DRIVER_MANUAL_H
#define PTOSCOPE_DRIVER_MANUAL_H

#include <string>
#include <vector>

namespace ptoscope {

/// A row of `ptoscope ops`; names have the dialect: "pto.vadd".
struct OpRow {
  std::string name, family, summary, pipe;
  std::vector<std::string> elements, profiles, syntax, constraints, aliases;
};

/// Every instruction, in the order of the manual.
std::vector<OpRow> opsTable();

} // namespace ptoscope

#endif // PTOSCOPE_DRIVER_MANUAL_H
