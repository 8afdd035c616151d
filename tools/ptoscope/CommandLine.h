//===- CommandLine.h - options as a table -----------------------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_COMMANDLINE_H
#define PTOSCOPE_TOOLS_COMMANDLINE_H

#include "ptoscope/Driver/Usage.h"
#include "ptoscope/Support/Result.h"
#include "ptoscope/Support/Text.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ptoscope {

/// Exit status of the tool.
enum ExitStatus { kSuccess = 0, kProgramError = 1, kUsageError = 2, kInternalError = 3, kInterrupted = 130 };

struct Option {
  std::string name;  ///< "--arg"
  std::string value; ///< "V", empty for a switch, "[=V]" for a switch that may have a value
  std::string help;  ///< one or more lines
  /// Takes the value (empty for a switch); a message refuses it.
  std::function<std::optional<std::string>(const std::string &)> take;
};

/// One that wants one of a few words; the message that refuses others lists them.
template <typename T>
Option choiceOption(std::string name, std::string help, std::string_view kind,
                    std::vector<std::pair<std::string, T>> choices, T &chosen) {
  std::vector<std::string> words;
  for (const auto &choice : choices)
    words.push_back(choice.first);
  std::string value = joined(words, "|", "|");
  std::string refusal = "` is not a " + std::string(kind) + "; use " + joined(words, ", ", " or ");
  return {std::move(name), std::move(value), std::move(help),
          [choices = std::move(choices), refusal = std::move(refusal),
           &chosen](const std::string &word) -> std::optional<std::string> {
            for (const auto &[known, means] : choices)
              if (known == word)
                return chosen = means, std::nullopt;
            return "`" + word + refusal;
          }};
}

/// An option that would be ignored is refused: without one of the others, or beside any of them.
struct OptionRule {
  std::string option;
  enum Kind { Needs, Excludes } kind;
  std::vector<std::string> others;
};

/// Parses `words`; everything that is no option goes to `positional`.
/// `--name value` and `--name=value` are the same, and `-h` is `--help`, which no rule hides.
Result<void> parseCommandLine(std::span<const std::string> words, std::span<const Option> options,
                              std::vector<std::string> &positional, std::span<const OptionRule> rules = {});

/// The options part of a help text.
std::string describeOptions(std::span<const Option> options);

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_COMMANDLINE_H
