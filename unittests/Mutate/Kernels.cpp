//===- Kernels.cpp - which kernels are mutated ----------------------------===//

#include "Kernels.h"

#include "../../tools/ptoscope/CommandLine.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace ptoscope::mutate {

std::string KernelCase::name() const {
  std::string text = std::filesystem::path(file).filename().string();
  if (!kernel.empty())
    text += " @" + kernel;
  return arch.empty() ? text : text + " " + arch;
}

static Result<KernelCase> parseLine(const std::string &line, const std::filesystem::path &folder) {
  std::istringstream stream(line);
  std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}}, files;
  KernelCase result;
  Option options[] = {
      {"--kernel", "K", "", [&](const std::string &v) { return result.kernel = v, std::nullopt; }},
      {"--arch", "A", "", [&](const std::string &v) { return result.arch = v, std::nullopt; }},
      {"--block-dim", "N", "",
       [&](const std::string &v) -> std::optional<std::string> {
         std::optional<int64_t> number = parseInteger(v);
         if (!number || *number < 1)
           return "it is not a number of blocks";
         result.blocks = *number;
         return std::nullopt;
       }},
      {"--arg", "V", "", [&](const std::string &v) { return result.arguments.push_back(v), std::nullopt; }},
  };
  if (Result<void> parsed = parseCommandLine(words, options, files); !parsed)
    return parsed.takeFinding();
  if (files.size() != 1)
    return usageError("`" + line + "` names " + std::to_string(files.size()) + " files, a line names one");
  result.file = (folder / files[0]).lexically_normal().string();
  return result;
}

Result<std::vector<KernelCase>> readKernels(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return usageError("cannot read `" + path + "`");
  std::vector<KernelCase> list;
  for (std::string line; std::getline(file, line);) {
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    Result<KernelCase> kernel = parseLine(line, std::filesystem::path(path).parent_path());
    if (!kernel)
      return kernel.takeFinding();
    list.push_back(std::move(*kernel));
  }
  return list;
}

} // namespace ptoscope::mutate
