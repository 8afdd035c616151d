//===- Buffers.h - memory that kernels may reach ----------------*- C++ -*-===//
//
// Buffers that are registered for all launches of the process: those of
// Registration and of aclrtMalloc. One table, under a lock.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_BUFFERS_H
#define PTOSCOPE_LIB_TILE_BUFFERS_H

#include "ptoscope/Machine/Gm.h"
#include "ptoscope/Support/ProcessMutex.h"
#include "ptoscope/launch.hpp"

#include <map>
#include <mutex>
#include <span>
#include <string>

namespace ptoscope::tile {

class Buffers {
public:
  static Buffers &process();

  void add(void *pointer, size_t bytes, std::string name, bool readOnly);
  void remove(void *pointer);
  /// The buffer that has the byte, and how many bytes it has from there on; an empty name: none.
  struct Found {
    std::string name;
    size_t bytes = 0;
  };
  Found find(const void *pointer);
  /// "buffer 3", counted over the process.
  std::string nextName(const char *kind);
  /// Those of the process and `more`, as objects at their host addresses. Buffers
  /// inside others are left out; of two that overlap in part, both names are given
  /// back as a message.
  std::string table(std::span<const detail::BufferRef> more, GmTable &gm);

private:
  struct Entry {
    size_t bytes;
    std::string name;
    bool readOnly;
  };
  ProcessMutex mutex;
  std::map<uintptr_t, Entry> entries;
  uint64_t named = 0;
};

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_BUFFERS_H
