//===- CodeCache.h - machine code of kernels, kept on disk ------*- C++ -*-===//
//
// Optimising and emitting code takes most of the time of a small run, and most runs
// are of a kernel that ran before. What the code depends on is its name in the cache:
// the module, the meanings, the host and this program. An entry that is not whole is no
// entry, and a folder that cannot be used is no error: the code is made again.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_COMPILER_CODECACHE_H
#define PTOSCOPE_COMPILER_CODECACHE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace ptoscope {

using ObjectFile = llvm::SmallVector<char, 0>;

class CodeCache {
public:
  /// In the folder of caches (CacheFolder.h), if there is one.
  static std::optional<CodeCache> open();
  explicit CodeCache(std::string folder) : folder(std::move(folder)) {}

  /// The name of code that depends on these.
  static std::string keyOf(llvm::ArrayRef<llvm::StringRef> parts);

  std::optional<std::vector<ObjectFile>> find(const std::string &key) const;
  void keep(const std::string &key, llvm::ArrayRef<ObjectFile> objects) const;

private:
  std::string pathOf(const std::string &key) const;
  std::string folder;
};

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_CODECACHE_H
