//===- PlaceFile.h - the file that a place is in ----------------*- C++ -*-===//

#ifndef PTOSCOPE_SUPPORT_PLACEFILE_H
#define PTOSCOPE_SUPPORT_PLACEFILE_H

#include <filesystem>
#include <fstream>
#include <limits>

namespace ptoscope {

/// The file, at the beginning of a line. Nothing can be read from what is no regular file: a program may
/// name any path as its own (`loc`), and a device or a pipe may never end.
inline std::ifstream openAtLine(const std::string &path, uint64_t line) {
  std::ifstream file;
  std::error_code error;
  if (const std::uintmax_t bytes = std::filesystem::file_size(path, error); error || bytes == 0)
    return file;
  file.open(path, std::ios::binary);
  for (uint64_t i = 1; i < line && file; ++i)
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  return file;
}

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_PLACEFILE_H
