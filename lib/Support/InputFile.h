//===- InputFile.h - reading a file without surprises -----------*- C++ -*-===//
//
// A file opened for reading. Its length is known when it is a regular file;
// pipes are read to their end.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_SUPPORT_INPUTFILE_H
#define PTOSCOPE_LIB_SUPPORT_INPUTFILE_H

#include "ptoscope/Support/Result.h"

#include <span>

namespace ptoscope {

/// A `file-error` about `path`.
Finding fileError(const std::string &path, std::string message);

class InputFile {
public:
  static Result<InputFile> open(const std::string &path);
  InputFile(InputFile &&other) noexcept
      : path(std::move(other.path)), descriptor(std::exchange(other.descriptor, -1)), regularBytes(other.regularBytes) {
  }
  InputFile &operator=(InputFile &&) = delete;
  ~InputFile();

  /// Reads until `into` is full or the file ends; the number of bytes read.
  Result<uint64_t> read(std::span<uint8_t> into);
  /// Length of a regular file; nothing for a pipe.
  std::optional<uint64_t> size() const { return regularBytes; }

private:
  InputFile(std::string path, int descriptor) : path(std::move(path)), descriptor(descriptor) {}

  std::string path;
  int descriptor;
  std::optional<uint64_t> regularBytes;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_SUPPORT_INPUTFILE_H
