//===- CodeCache.cpp - machine code of kernels, kept on disk --------------===//

#include "ptoscope/Compiler/CodeCache.h"

#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Support/CacheFolder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>
#include <sys/stat.h>

using namespace llvm;

namespace ptoscope {

/// An entry: digest of the rest, then length and bytes of each object.
static constexpr size_t kDigestBytes = 32;
static constexpr uint64_t kCacheBytes = 256 << 20;

static std::string digestOf(StringRef bytes) {
  BLAKE3 hash;
  hash.update(bytes);
  auto digest = hash.final<kDigestBytes>();
  return std::string(digest.begin(), digest.end());
}

/// A new build of this program may make other code of the same module. Asked of the host once.
static const std::string &thisProgram() {
  static const std::string identity = []() -> std::string {
    Dl_info info;
    if (!dladdr(reinterpret_cast<void *>(&thisProgram), &info))
      return "";
    // A program that was found on PATH has the name it was called by.
    const char *path = StringRef(info.dli_fname).contains('/') ? info.dli_fname : "/proc/self/exe";
    struct stat status;
    if (stat(path, &status) != 0)
      return "";
    return std::to_string(status.st_size) + "." + std::to_string(status.st_mtim.tv_sec) + "." +
           std::to_string(status.st_mtim.tv_nsec);
  }();
  return identity;
}

std::optional<CodeCache> CodeCache::open() {
  if (thisProgram().empty())
    return std::nullopt;
  std::string folder = cacheFolder();
  if (folder.empty())
    return std::nullopt;
  return CodeCache(std::move(folder));
}

std::string CodeCache::keyOf(ArrayRef<StringRef> parts) {
  BLAKE3 hash;
  auto add = [&hash](StringRef part) {
    uint8_t length[8];
    support::endian::write64le(length, part.size());
    hash.update(ArrayRef<uint8_t>(length));
    hash.update(part);
  };
  add(thisProgram());
  for (StringRef part : parts)
    add(part);
  return toHex(hash.final<kDigestBytes>(), /*LowerCase=*/true);
}

std::string CodeCache::pathOf(const std::string &key) const {
  SmallString<128> path(folder);
  sys::path::append(path, "llvmcache-" + key); // the prefix that pruneCache looks for
  return std::string(path);
}

std::optional<std::vector<ObjectFile>> CodeCache::find(const std::string &key) const {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(pathOf(key), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() < kDigestBytes || digestOf(bytes.drop_front(kDigestBytes)) != bytes.take_front(kDigestBytes))
    return std::nullopt;
  bytes = bytes.drop_front(kDigestBytes);
  std::vector<ObjectFile> objects;
  while (!bytes.empty()) {
    const uint64_t length = support::endian::read64le(bytes.data());
    objects.emplace_back(bytes.begin() + 8, bytes.begin() + 8 + length);
    bytes = bytes.drop_front(8 + length);
  }
  return objects;
}

void CodeCache::keep(const std::string &key, ArrayRef<ObjectFile> objects) const {
  std::string bytes;
  for (const ObjectFile &object : objects) {
    char length[8];
    support::endian::write64le(length, object.size());
    bytes.append(length, sizeof(length));
    bytes.append(object.begin(), object.end());
  }
  if (!writeFileAtomically(pathOf(key), digestOf(bytes) + bytes))
    return;
  CachePruningPolicy policy;
  policy.Interval = std::chrono::minutes(10);
  policy.MaxSizeBytes = kCacheBytes;
  policy.MaxSizePercentageOfAvailableSpace = 10;
  pruneCache(folder, policy);
}

} // namespace ptoscope
