//===- CacheLines.h - what scalar units have cached of GM -------*- C++ -*-===//
//
// A scalar unit reads GM through a cache of 64-byte lines that nothing keeps
// coherent (CACHE-1, CACHE-6). A line is here from the first access that goes through
// the cache until it is invalidated; bytes that another pipe, another core or an access
// past the cache has written since are stale in it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_CACHELINES_H
#define PTOSCOPE_CHECKERS_CACHELINES_H

#include "ptoscope/Machine/Observer.h"

#include <map>
#include <optional>

namespace ptoscope {

class CacheLines {
public:
  /// A load that finds bytes in the cache which are not those of memory any more.
  struct Stale {
    uint64_t begin, end;
    SiteId cachedBy, writer;
  };

  /// The scalar unit of `core` reads bytes through its cache.
  std::optional<Stale> load(CoreId core, SiteId site, uint64_t address, uint64_t bytes);
  /// It writes them: what it stored itself is not stale.
  void store(CoreId core, SiteId site, uint64_t address, uint64_t bytes);
  /// Memory changes beneath the caches of all cores but `except`.
  void write(std::optional<CoreId> except, SiteId site, const Box &box) {
    if (!empty)
      spoil(except, site, box);
  }
  void invalidate(CoreId core, uint64_t begin, uint64_t end);
  /// Nothing is cached, for another block.
  void reset() {
    if (!empty)
      *this = CacheLines();
  }

private:
  struct Line {
    SiteId cachedBy, writer = kNoSite;
    uint64_t stale = 0; ///< a bit per byte
  };
  void spoil(std::optional<CoreId> except, SiteId site, const Box &box);

  std::array<std::map<uint64_t, Line>, kCoresPerBlock> lines; ///< by address
  bool empty = true;
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_CACHELINES_H
