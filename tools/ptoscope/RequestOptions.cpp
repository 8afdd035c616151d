//===- RequestOptions.cpp - options of verbs that run programs ------------===//

#include "RequestOptions.h"
#include "Report.h"

#include "llvm/ADT/StringRef.h"

namespace ptoscope {

std::vector<Option> requestOptions(RunRequest &request) {
  auto append = [](std::vector<std::string> &list) {
    return [&list](const std::string &word) { return list.push_back(word), std::nullopt; };
  };
  auto real = [&request](double Tolerance::*target) {
    return [&request, target](const std::string &word) -> std::optional<std::string> {
      double value;
      if (llvm::StringRef(word).getAsDouble(value) || !(value >= 0))
        return "`" + word + "` is not a number of at least 0";
      if (!request.tolerance)
        request.tolerance.emplace();
      (*request.tolerance).*target = value;
      return std::nullopt;
    };
  };
  return {
      {"--arg", "V",
       "one per kernel parameter, in order: a number for a scalar; for a\n"
       "pointer a .npy file, a raw file, or a generator: zeros:f32:32x32,\n"
       "iota:i32:64, random:f16:1024:SEED, random:i32:64:SEED:LIMIT,\n"
       "fill:f32:8x8:1.5; `auto`, for one of them or once for all: sizes that the\n"
       "program touches, random contents, numbers that make its loops run",
       append(request.arguments)},
      {"--expect", "I=PATH", "compare parameter I with a file or generator after the run",
       append(request.expectations)},
      {"--atol", "X", "absolute tolerance of --expect (default: exact bytes)", real(&Tolerance::atol)},
      {"--rtol", "X", "relative tolerance of --expect", real(&Tolerance::rtol)},
      {"--kernel", "NAME", "which kernel, when the module has several",
       [&request](const std::string &word) -> std::optional<std::string> {
         request.compile.kernel = llvm::StringRef(word).ltrim('@').str();
         return std::nullopt;
       }},
      numberOption("--block-dim", "blocks to launch (default: 1)", request.launch.blocks, 1),
      archOption(request.frontend),
      {"--check", "LIST", "all (default), none, or some of race,memory,init,sync",
       [&request](const std::string &word) { return parseChecks(word, request.launch.checks); }},
      {"--schedule", "S", "eager (default), lazy, or random:SEED",
       [&request](const std::string &word) { return parseSchedule(word, request.launch.schedule); }},
      numberOption("--threads", "host threads for blocks (default: one per core); results do not\ndepend on it",
                   request.launch.threads, 1),
      numberOption("--max-findings", "stop after this many errors, and list as many warnings (default: 20)",
                   request.launch.maxFindings, 1),
      {"--max-steps", "N", "stop a block after N steps: instructions and iterations of loops",
       [&request](const std::string &word) -> std::optional<std::string> {
         std::optional<int64_t> value = parseInteger(word);
         if (!value || *value < 1)
           return "`" + word + "` is not a whole number of at least 1";
         request.launch.maxSteps = uint64_t(*value);
         return std::nullopt;
       }},
      {"--as-written", "", "run a tile program without flags as it stands, without the order that it\nimplies",
       [&request](const std::string &) { return request.compile.asWritten = true, std::nullopt; }},
      {"--strict", "", "refuse loose spellings",
       [&request](const std::string &) { return request.frontend.strict = true, std::nullopt; }},
      {"--no-auto-scope", "", "vector instructions outside a scope are errors",
       [&request](const std::string &) { return request.frontend.autoScope = false, std::nullopt; }},
  };
}

std::vector<OptionRule> requestRules() {
  return {{"--atol", OptionRule::Needs, {"--expect"}}, {"--rtol", OptionRule::Needs, {"--expect"}}};
}

} // namespace ptoscope
