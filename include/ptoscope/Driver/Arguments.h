//===- Arguments.h - words to kernel arguments --------*- C++ -*-===//

#ifndef PTOSCOPE_DRIVER_ARGUMENTS_H
#define PTOSCOPE_DRIVER_ARGUMENTS_H

#include "ptoscope/Driver/Session.h"
#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/Compare.h"

namespace ptoscope {

/// One kernel argument with what it came from.
struct LoadedArgument {
  Array array;       ///< for pointers; keeps dtype and shape of the input
  uint64_t bits = 0; ///< for scalars
};

/// One word per parameter, in order. Adds findings and returns nothing on error.
std::optional<std::vector<LoadedArgument>> loadArguments(const CompiledKernel &kernel,
                                                         std::span<const std::string> words, FindingList &findings);

/// As a launch takes them; they stay owned by `loaded`.
std::vector<Argument> argumentsOf(const CompiledKernel &kernel, std::vector<LoadedArgument> &loaded);

/// "3=PATH" or "%name=PATH": a parameter and a file.
struct FileOfParameter {
  size_t parameter;
  std::string path;
};
Result<FileOfParameter> parseFileOfParameter(const CompiledKernel &kernel, const std::string &option,
                                             const std::string &word);

/// Compares a buffer with expected values, as what the kernel takes them for.
Comparison compareWith(const Parameter &parameter, const Array &got, const Array &expected,
                       std::optional<Tolerance> tolerance);

} // namespace ptoscope

#endif // PTOSCOPE_DRIVER_ARGUMENTS_H
