//===- CommandLine.cpp - options as a table -------------------------------===//

#include "CommandLine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace ptoscope {

Result<void> parseCommandLine(std::span<const std::string> words, std::span<const Option> options,
                              std::vector<std::string> &positional) {
  for (size_t i = 0; i < words.size(); ++i) {
    llvm::StringRef word = words[i];
    if (!word.starts_with("-") || word == "-") {
      positional.push_back(words[i]);
      continue;
    }
    // `-j4` is `-j=4`.
    const bool isShort = word.size() > 2 && word[1] != '-' && llvm::isDigit(word[2]);
    const std::string spelt = isShort ? (word.take_front(2) + "=" + word.drop_front(2)).str() : word.str();
    word = spelt;
    auto [name, inlineValue] = word.split('=');
    const Option *found = nullptr;
    llvm::StringRef nearest;
    unsigned best = ~0u;
    for (const Option &option : options) {
      if (option.name == name)
        found = &option;
      unsigned distance = name.edit_distance(option.name);
      if (distance < best) {
        best = distance;
        nearest = option.name;
      }
    }
    if (!found)
      return usageError("unknown option `" + name.str() + "`",
                        best <= 3 ? "did you mean `" + nearest.str() + "`?" : "`--help` lists the options");
    std::string value = inlineValue.str();
    const bool isOptional = found->value.starts_with("[=");
    if (!found->value.empty() && !isOptional && !word.contains('=')) {
      if (i + 1 == words.size())
        return usageError("option `" + found->name + "` needs a value (" + found->value + ")");
      value = words[++i];
    }
    if (found->value.empty() && word.contains('='))
      return usageError("option `" + found->name + "` takes no value");
    if (std::optional<std::string> refused = found->take(value))
      return usageError("option `" + found->name + "`: " + *refused);
  }
  return {};
}

std::string describeOptions(std::span<const Option> options) {
  std::string text;
  for (const Option &option : options) {
    const char *space = option.value.empty() || option.value.starts_with("[=") ? "" : " ";
    std::string left = "  " + option.name + space + option.value;
    constexpr size_t kColumn = 30;
    text += left;
    text += left.size() + 2 > kColumn ? "\n" + std::string(kColumn, ' ') : std::string(kColumn - left.size(), ' ');
    for (char c : option.help) {
      text += c;
      if (c == '\n')
        text += std::string(kColumn, ' ');
    }
    text += '\n';
  }
  return text;
}

} // namespace ptoscope
