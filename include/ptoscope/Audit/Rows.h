//===- Rows.h - one kernel of an audit --------------------------*- C++ -*-===//
//
// Runs the kernels of one file and describes each by an object, a row
// (docs/auditing.md, share/schema/audit.json). Called in a process of its own.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_AUDIT_ROWS_H
#define PTOSCOPE_AUDIT_ROWS_H

#include "ptoscope/Machine/Launch.h"
#include "ptoscope/Support/Finding.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ptoscope::audit {

using Json = nlohmann::ordered_json;

struct RowOptions {
  std::vector<Schedule> schedules;
  int64_t blocks = 1;
  std::string arch;
  std::vector<std::string> compilerWords; ///< for C++
  std::string work;                       ///< a folder of this file alone
  /// Arguments by kernel, instead of automatic ones, where they fit.
  std::map<std::string, std::vector<std::string>> arguments;
};

/// `begin` is told before a kernel runs, with its name; `row` afterwards.
struct RowSink {
  std::function<void(const std::string &kernel)> begin;
  std::function<void(const Json &row)> row;
};

/// A row without results.
Json emptyRow(const std::string &kernel, const std::string &outcome, const std::string &reason = "");
/// Adds findings of a run under a schedule to a row; the same finding is one.
void addFindings(Json &row, const std::vector<Json> &findings, const std::string &schedule);
/// What the findings of a row make of it: "clean", "findings", "not-modelled", …
std::string outcomeOf(const Json &row);

/// Each kernel of a `.pto` file, with automatic arguments.
void auditText(const std::string &path, const RowOptions &options, const RowSink &sink);
/// A C++ file with a main function, or with kernels that can be called.
void auditCxx(const std::string &path, const RowOptions &options, const RowSink &sink);

} // namespace ptoscope::audit

#endif // PTOSCOPE_AUDIT_ROWS_H
