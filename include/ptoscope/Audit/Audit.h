//===- Audit.h - every kernel of a compiler's output ------------*- C++ -*-===//

#ifndef PTOSCOPE_AUDIT_AUDIT_H
#define PTOSCOPE_AUDIT_AUDIT_H

#include "ptoscope/Audit/Rows.h"
#include "ptoscope/Support/Result.h"

#include <atomic>
#include <optional>

namespace ptoscope::audit {

struct AuditOptions {
  std::string folder;
  std::string against; ///< an older output; empty: none
  RowOptions rows;
  unsigned parallel = 1;
  double seconds = 60; ///< for a file
  /// How many of how many files are done; may be empty.
  std::function<void(size_t done, size_t all)> progress;
};

/// The result of an audit as an object (share/schema/audit.json): `rows`, `summary`, and `changes`
/// where there is an older output. Nothing: interrupted. A finding: the folder cannot be used.
Result<std::optional<Json>> runAudit(const AuditOptions &options, const std::atomic<bool> &interrupted);

/// 0, or 1 if a kernel is not clean or something changed.
int statusOf(const Json &audit);

/// A table for terminals, with the findings and changes below.
std::string auditText(const Json &audit);
/// One page that needs no other file. `source` has the lines of files, for excerpts.
std::string auditPage(const Json &audit);

} // namespace ptoscope::audit

#endif // PTOSCOPE_AUDIT_AUDIT_H
