//===- Sandbox.h - a process that can hurt no one ---------------*- C++ -*-===//
//
// A process gives up what it does not need: first everything but reading files,
// computing and writing to what is open already; later, when its inputs are read,
// the opening of files as well. Nothing gives it back. Outputs are opened before
// (reserveOutputs, AtomicFile.h). docs/security.md says what is left.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_SANDBOX_H
#define PTOSCOPE_SUPPORT_SANDBOX_H

#include "ptoscope/Support/Result.h"

namespace ptoscope {

/// What this process and its threads may take; 0: as much as the host gives. One that takes more
/// ends with status 1 and a `max-seconds` or `max-memory` in words on standard error.
struct ResourceLimits {
  uint64_t seconds = 0;     ///< of processor time, of all threads together
  uint64_t memoryBytes = 0; ///< of data: what is reserved and closed does not count
};
Result<void> limitResources(const ResourceLimits &limits);
/// What a process leaves beside these words.
struct LimitEnd {
  int status = 1;
  std::string report; ///< on standard output
};
void setLimitEnds(LimitEnd overTime, LimitEnd withoutMemory);
/// Says `max-memory` and ends the process: for a tool, where `new` fails.
[[noreturn]] void endWithoutMemory();

enum class SandboxStage : uint8_t {
  Reading, ///< no file is created, changed or opened for writing; no socket, no program, no process
  Closed,  ///< and none is opened for reading
};
/// Whether this host has one; a `usage` that says why not.
Result<void> sandboxAvailable();
/// For all threads of the process.
Result<void> enterSandbox(SandboxStage stage);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_SANDBOX_H
