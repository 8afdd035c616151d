//===- Arguments.cpp - words to kernel arguments --------------------===//

#include "ptoscope/Driver/Arguments.h"
#include "ptoscope/Driver/Program.h"
#include "ptoscope/Driver/Usage.h"

#include "llvm/ADT/StringRef.h"

#include <cmath>

namespace ptoscope {

static std::string describe(size_t i, const Parameter &parameter) {
  return "parameter " + std::to_string(i) + " (" + parameter.name + " : " + parameter.type + ")";
}

/// Numbers of one are not numbers of the other: floats and integers. Files hold bits of floats
/// that NumPy does not have as integers.
static bool areOtherNumbers(ElementType held, ElementType wanted) {
  auto inNumpy = [](ElementType type) { return infoOf(type).numpyKind == 'f'; };
  auto isFloat = [](ElementType type) { return infoOf(type).kind == ElementClass::Float; };
  return inNumpy(held) != inNumpy(wanted) || (isFloat(held) && !isFloat(wanted));
}

/// The raw bits of a scalar written as a number.
static Result<uint64_t> parseScalar(size_t i, const Parameter &parameter, const std::string &word) {
  auto refuse = [&](const std::string &why) {
    return usageError("`--arg " + word + "` for " + describe(i, parameter) + ": " + why);
  };
  Result<uint64_t> bits = uint64_t(0);
  if (takesFloat(parameter)) {
    double value;
    if (llvm::StringRef(word).getAsDouble(value, /*AllowInexact=*/true))
      return refuse("it is not a number");
    bits = encodeScalar(parameter, value);
  } else {
    std::optional<int64_t> value = parseInteger(word);
    if (!value)
      return refuse("it is not a whole number of at most 64 bits");
    bits = encodeScalar(parameter, *value);
  }
  if (!bits)
    return refuse(bits.finding().message);
  return *bits;
}

/// For a pointer and a word that is no file.
static std::string pointerHelp(const std::string &word) {
  const std::string nearest(nearestGenerator(word));
  return "a pointer takes a .npy file, a raw file or a generator such as `" +
         (nearest.empty() ? "zeros:f32:1024" : nearest + word.substr(word.find(':'))) + "`";
}

std::optional<std::vector<LoadedArgument>> loadArguments(const CompiledKernel &kernel,
                                                         std::span<const std::string> words, FindingList &findings) {
  size_t expected = kernel.parameters.size();
  if (words.size() != expected) {
    size_t at = std::min(words.size(), expected);
    std::string message = "kernel @" + kernel.name + " takes " + std::to_string(expected) +
                          (expected == 1 ? " argument, " : " arguments, ") + std::to_string(words.size()) + " given; " +
                          (words.size() < expected ? "the first missing one is " + describe(at, kernel.parameters[at])
                                                   : "`--arg " + words[at] + "` is one too many");
    findings.add(usageError(message,
                            "give `--arg` once per parameter, in order: a number for a scalar; a .npy file, a raw "
                            "file or a generator such as `zeros:f32:1024` for a pointer; or `--arg auto` for all"));
    return std::nullopt;
  }
  std::vector<LoadedArgument> arguments(expected);
  for (size_t i = 0; i < expected; ++i) {
    const Parameter &parameter = kernel.parameters[i];
    if (!parameter.isPointer) {
      Result<uint64_t> bits = parseScalar(i, parameter, words[i]);
      if (!bits)
        return findings.add(bits.takeFinding()), std::nullopt;
      arguments[i].bits = *bits;
      continue;
    }
    Result<Array> array = loadArray(words[i]);
    if (!array) {
      Finding finding = array.takeFinding();
      finding.notes.push_back({{}, "it was given for " + describe(i, parameter)});
      if (finding.code == "file-error" && finding.help.empty())
        finding.help = pointerHelp(words[i]);
      return findings.add(std::move(finding)), std::nullopt;
    }
    bool typed = isGeneratorWord(words[i]) || llvm::StringRef(words[i]).ends_with(".npy");
    if (typed && parameter.bytes && array->itemBytes != parameter.bytes) {
      findings.add(usageError("`--arg " + words[i] + "` has elements of " + std::to_string(array->itemBytes) +
                                  " bytes, " + describe(i, parameter) + " needs " + std::to_string(parameter.bytes),
                              "convert the array to the parameter's element type, or pass the bytes as a raw file"));
      return std::nullopt;
    }
    std::optional<ElementType> type = parseElementType(parameter.element);
    if (typed && type && areOtherNumbers(array->type, *type) && !words[i].starts_with("zeros:"))
      findings.add(makeFinding("loose-spelling", {},
                               "`--arg " + words[i] + "` holds " + std::string(infoOf(array->type).name) + ", " +
                                   describe(i, parameter) + " takes its bytes as they are"));
    arguments[i].array = std::move(*array);
  }
  return arguments;
}

std::vector<Argument> argumentsOf(const CompiledKernel &kernel, std::vector<LoadedArgument> &loaded) {
  std::vector<Argument> arguments;
  for (size_t i = 0; i < loaded.size(); ++i) {
    if (kernel.parameters[i].isPointer)
      arguments.emplace_back(loaded[i].array.bytes.span());
    else
      arguments.emplace_back(loaded[i].bits);
  }
  return arguments;
}

Result<FileOfParameter> parseFileOfParameter(const CompiledKernel &kernel, const std::string &option,
                                             const std::string &word) {
  size_t equals = word.find('=');
  std::string name = word.substr(0, equals);
  if (equals == std::string::npos || name.empty() || equals + 1 == word.size())
    return usageError("`" + option + " " + word + "` is not of the form I=PATH",
                      "parameters count from 0: `" + option + " 1=out.npy`");
  FileOfParameter result{SIZE_MAX, word.substr(equals + 1)};
  if (name[0] == '%') {
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      if (kernel.parameters[i].name == name)
        result.parameter = i;
  } else if (std::optional<int64_t> number = parseInteger(name); number && *number >= 0) {
    result.parameter = size_t(*number);
  }
  if (result.parameter >= kernel.parameters.size()) {
    std::string names;
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      names += (i ? ", " : "") + std::to_string(i) + " = " + kernel.parameters[i].name;
    return usageError("`" + option + " " + word + "`: kernel @" + kernel.name + " has no parameter `" + name + "`",
                      "its parameters are " + names);
  }
  const Parameter &parameter = kernel.parameters[result.parameter];
  if (!parameter.isPointer)
    return usageError("`" + option + " " + word + "`: " + describe(result.parameter, parameter) + " is not a buffer");
  return result;
}

Comparison compareWith(const Parameter &parameter, const Array &got, const Array &expected,
                       std::optional<Tolerance> tolerance) {
  ElementType type = parseElementType(parameter.element).value_or(got.type);
  uint32_t bytes = infoOf(type).bytes;
  std::vector<uint64_t> shape = got.itemBytes == bytes ? got.shape : std::vector<uint64_t>{got.bytes.size() / bytes};
  return compareBytes(type, bytes, shape, got.bytes.span(), expected.bytes.span(), tolerance);
}

} // namespace ptoscope
