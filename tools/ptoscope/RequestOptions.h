//===- RequestOptions.h - options of verbs that run programs ----*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_REQUESTOPTIONS_H
#define PTOSCOPE_TOOLS_REQUESTOPTIONS_H

#include "CommandLine.h"
#include "ptoscope/Driver/Runs.h"

namespace ptoscope {

/// An option with a whole number of at least `lowest`.
template <typename T> Option numberOption(std::string name, std::string help, T &target, int64_t lowest) {
  return {name, "N", std::move(help), [&target, lowest](const std::string &word) -> std::optional<std::string> {
            std::optional<int64_t> value = parseInteger(word);
            if (!value || *value < lowest || *value > int64_t(INT32_MAX))
              return "`" + word + "` is not a whole number from " + std::to_string(lowest) + " to " +
                     std::to_string(INT32_MAX);
            target = T(*value);
            return std::nullopt;
          }};
}

/// Arguments, expectations, kernel, blocks, target, checks, schedule and limits of a run:
/// the same words in every verb. `request` has to outlive the options.
std::vector<Option> requestOptions(RunRequest &request);
/// Of these options among themselves, where `--expect` is one.
std::vector<OptionRule> requestRules();

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_REQUESTOPTIONS_H
