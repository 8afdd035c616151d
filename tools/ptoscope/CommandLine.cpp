//===- CommandLine.cpp - options as a table -------------------------------===//

#include "CommandLine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <set>

namespace ptoscope {

static Result<void> follow(std::span<const OptionRule> rules, const std::set<std::string> &given) {
  auto isGiven = [&](const std::string &name) { return given.contains(name); };
  for (const auto &[option, kind, others] : rules) {
    if (!isGiven(option))
      continue;
    auto other = std::ranges::find_if(others, isGiven);
    const bool isThere = other != others.end();
    if (kind == OptionRule::Needs && !isThere) {
      const std::string wanted = "`" + llvm::join(others, "` or `") + "`";
      return usageError("option `" + option + "` needs " + wanted, "add " + wanted + ", or leave out `" + option + "`");
    }
    if (kind == OptionRule::Excludes && isThere)
      return usageError("option `" + option + "` does not go with `" + *other + "`", "leave out one of them");
  }
  return {};
}

Result<void> parseCommandLine(std::span<const std::string> words, std::span<const Option> options,
                              std::vector<std::string> &positional, std::span<const OptionRule> rules) {
  std::set<std::string> given;
  for (size_t i = 0; i < words.size(); ++i) {
    llvm::StringRef word = words[i];
    if (!word.starts_with("-") || word == "-") {
      positional.push_back(words[i]);
      continue;
    }
    // `-j4` is `-j=4`.
    const bool isShort = word.size() > 2 && word[1] != '-' && llvm::isDigit(word[2]);
    const std::string spelt = word == "-h" ? "--help"
                              : isShort    ? (word.take_front(2) + "=" + word.drop_front(2)).str()
                                           : word.str();
    word = spelt;
    auto [name, inlineValue] = word.split('=');
    const auto found = std::ranges::find_if(options, [&](const Option &option) { return option.name == name; });
    if (found == options.end()) {
      std::vector<std::string_view> names;
      for (const Option &option : options)
        names.push_back(option.name);
      const std::string nearest(nearestOf(name, names));
      return usageError("unknown option `" + name.str() + "`",
                        nearest.empty() ? "`--help` lists the options" : "did you mean `" + nearest + "`?");
    }
    std::string value = inlineValue.str();
    const bool isOptional = found->value.starts_with("[=");
    if (!found->value.empty() && !isOptional && !word.contains('=')) {
      if (i + 1 == words.size())
        return usageError("option `" + found->name + "` needs a value (" + found->value + ")");
      value = words[++i];
    }
    if (found->value.empty() && word.contains('='))
      return usageError("option `" + found->name + "` takes no value");
    if (isOptional && word.contains('=') && value.empty())
      return usageError("option `" + found->name + "` has nothing behind its `=`", "leave out the `=`");
    if (std::optional<std::string> refused = found->take(value))
      return usageError("option `" + found->name + "`: " + *refused);
    given.insert(found->name);
  }
  return given.contains("--help") ? Result<void>() : follow(rules, given);
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
