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
  /// The same, and findFreed knows it until its memory is part of another one.
  void free(void *pointer);
  /// The buffer that has the byte, and how many bytes it has from there on; an empty name: none.
  struct Found {
    std::string name;
    size_t bytes = 0;
  };
  Found find(const void *pointer);
  /// The buffer that had the byte before it was freed; the memory may be another one's of the host by now.
  std::string findFreed(uintptr_t address);
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
  using Entries = std::map<uintptr_t, Entry>;
  /// The entry that has the byte, or the end.
  static Entries::const_iterator at(const Entries &entries, uintptr_t address);
  Entries entries, freed;
  uint64_t named = 0;
};

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_BUFFERS_H
