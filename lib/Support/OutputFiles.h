//===- OutputFiles.h - temporary files beside their targets -----*- C++ -*-===//

#ifndef PTOSCOPE_LIB_SUPPORT_OUTPUTFILES_H
#define PTOSCOPE_LIB_SUPPORT_OUTPUTFILES_H

#include "ptoscope/Support/Result.h"

#include <span>
#include <string>

namespace ptoscope {

Finding cannotWrite(const std::string &path, const std::string &reason);
/// The file that a write to `path` would change.
Result<std::string> resolveTarget(const std::string &path);
/// A temporary file beside `target`; `file` is -1, with errno set, where there is none.
std::string openBeside(const std::string &target, int &file);
/// False with errno set.
bool writeAll(int file, std::span<const uint8_t> bytes);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_SUPPORT_OUTPUTFILES_H
