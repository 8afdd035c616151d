//===- Limits.cpp - what a run of a verb may take and do ------------------===//

#include "Limits.h"

namespace ptoscope {

/// "4096", "512M", "4G"; nothing for other words.
static std::optional<uint64_t> parseBytes(std::string word) {
  unsigned shift = 0;
  if (!word.empty())
    shift = word.back() == 'K' ? 10 : word.back() == 'M' ? 20 : word.back() == 'G' ? 30 : 0;
  if (shift)
    word.pop_back();
  const std::optional<int64_t> number = parseInteger(word);
  if (!number || *number < 1 || *number > (INT64_MAX >> shift))
    return std::nullopt;
  return uint64_t(*number) << shift;
}

std::vector<Option> LimitOptions::options() {
  return {
      {"--max-seconds", "N", "end the run after N seconds of processor time (default: never; sandbox: 600)",
       [this](const std::string &word) -> std::optional<std::string> {
         const std::optional<int64_t> value = parseInteger(word);
         if (!value || *value < 1 || *value > INT32_MAX)
           return "`" + word + "` is not a whole number from 1 to " + std::to_string(INT32_MAX);
         limits.seconds = uint64_t(*value);
         return std::nullopt;
       }},
      {"--max-memory", "N", "end the run when it needs more than N bytes, as 512M or 4G (default: any;\nsandbox: 8G)",
       [this](const std::string &word) -> std::optional<std::string> {
         const std::optional<uint64_t> value = parseBytes(word);
         if (!value)
           return "`" + word + "` is not a number of bytes; write 4096, 512M or 4G";
         limits.memoryBytes = *value;
         return std::nullopt;
       }},
      {"--sandbox", "",
       "for untrusted programs: may write only its outputs; no network access, no child\n"
       "processes (docs/security.md)",
       [this](const std::string &) { return sandbox = true, std::nullopt; }},
  };
}

Result<std::unique_ptr<ReservedOutputs>> LimitOptions::begin(std::span<const std::string> outputs) const {
  std::unique_ptr<ReservedOutputs> none;
  ResourceLimits applied = limits;
  if (sandbox) {
    applied.seconds = limits.seconds ? limits.seconds : kSandboxSeconds;
    applied.memoryBytes = limits.memoryBytes ? limits.memoryBytes : kSandboxBytes;
  }
  if (Result<void> limited = limitResources(applied); !limited)
    return limited.takeFinding();
  if (!sandbox)
    return none;
  if (Result<void> there = sandboxAvailable(); !there)
    return there.takeFinding();
  Result<std::unique_ptr<ReservedOutputs>> reserved = std::move(none);
  if (!outputs.empty())
    reserved = ReservedOutputs::make(outputs);
  if (!reserved)
    return reserved;
  if (Result<void> entered = enterSandbox(SandboxStage::Reading); !entered)
    return entered.takeFinding();
  return reserved;
}

Result<void> LimitOptions::close() const { return sandbox ? enterSandbox(SandboxStage::Closed) : Result<void>(); }

} // namespace ptoscope
