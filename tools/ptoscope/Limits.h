//===- Limits.h - what a run of a verb may take and do ----------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_LIMITS_H
#define PTOSCOPE_TOOLS_LIMITS_H

#include "CommandLine.h"
#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Support/Sandbox.h"

namespace ptoscope {

/// `--sandbox`, `--max-seconds` and `--max-memory`, of verbs that take programs of others.
struct LimitOptions {
  bool sandbox = false;
  ResourceLimits limits;

  /// Of a sandbox, where nothing else is said.
  static constexpr uint64_t kSandboxSeconds = 600, kSandboxBytes = uint64_t(8) << 30;

  std::vector<Option> options();
  /// Before anything of a program is read. `outputs` are all files that will be written; the
  /// result has to live until they are, and is null outside a sandbox.
  Result<std::unique_ptr<ReservedOutputs>> begin(std::span<const std::string> outputs) const;
  /// Once everything is read.
  Result<void> close() const;
};

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_LIMITS_H
