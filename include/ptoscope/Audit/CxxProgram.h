//===- CxxProgram.h - a C++ file as a program -------------------*- C++ -*-===//
//
// Compiles a file of the tile API with `ptoscope c++` and runs what comes out with the
// variables of docs/cpp.md. A file without a main function gets one around a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_AUDIT_CXXPROGRAM_H
#define PTOSCOPE_AUDIT_CXXPROGRAM_H

#include "ptoscope/Audit/Rows.h"
#include "ptoscope/Audit/Workers.h"

#include <optional>

namespace ptoscope::audit {

/// Does the text include the tile API?
bool includesTileApi(std::string_view text);
/// Names of functions that are marked as kernels, without templates.
std::vector<std::string> kernelNames(std::string_view text);
bool hasMain(std::string_view text);

class CxxProgram {
public:
  /// Files go to `work`; `words` are further ones of the compiler.
  CxxProgram(std::string path, std::string work, std::vector<std::string> words)
      : path(std::move(path)), work(std::move(work)), words(std::move(words)) {}

  /// With a main function around `kernel`, unless that is empty. Nothing: it compiles; else the first
  /// error of the compiler.
  std::optional<std::string> compile(const std::string &kernel);

  struct Parameter {
    bool isPointer;
    std::string element;
  };
  /// Of the kernel that it was compiled around. Nothing: one cannot be had from words.
  std::optional<std::vector<Parameter>> parameters() const;

  struct Run {
    Ended ended;
    std::vector<Json> findings;
    std::vector<Json> recordings; ///< of each launch, if it was recorded
    bool failed() const;          ///< an error was found
  };
  /// With words for the program's command line.
  Run run(const std::vector<std::string> &arguments, const std::string &schedule, bool records,
          const std::string &arch) const;
  /// Contents of an object of GM after a recorded launch, numbered from 1.
  std::string contentsFile(size_t launch, uint64_t object) const;
  /// Each word of a buffer as a file with its contents; numbers stay. Nothing: a word makes no array.
  std::optional<std::vector<std::string>> filesOf(const std::vector<std::string> &argumentWords) const;
  /// Words for all parameters. Buffers grow until the kernel does not leave them.
  std::vector<std::string> chooseArguments(const std::vector<Parameter> &parameters, int64_t blocks,
                                           const std::string &arch) const;

private:
  std::string program() const { return work + "/program"; }
  const std::string path, work;
  const std::vector<std::string> words;
};

} // namespace ptoscope::audit

#endif // PTOSCOPE_AUDIT_CXXPROGRAM_H
