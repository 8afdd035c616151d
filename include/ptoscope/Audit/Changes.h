//===- Changes.h - what a new version did to a kernel -----------*- C++ -*-===//

#ifndef PTOSCOPE_AUDIT_CHANGES_H
#define PTOSCOPE_AUDIT_CHANGES_H

#include "ptoscope/Audit/Rows.h"

namespace ptoscope::audit {

/// A version of a kernel: its row, and the text that its places are in.
struct Version {
  const Json &row;
  std::string_view text;
};

/// Order edges, findings, results and the outcome that changed, each an object with `kind`,
/// `message`, and the lines in both versions (docs/auditing.md). Places in other files than
/// the text are not compared.
Json changesOf(const Version &before, const Version &after);

} // namespace ptoscope::audit

#endif // PTOSCOPE_AUDIT_CHANGES_H
