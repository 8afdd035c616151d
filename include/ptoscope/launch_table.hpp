//===- launch_table.hpp - kernels that were compiled for cores --*- C++ -*-===//
//
// `ptoscope c++` adds a table to the object of a file that it compiled for one or
// both kinds of cores (LSYN-8). Small: it is compiled with every such file.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LAUNCH_TABLE_HPP
#define PTOSCOPE_LAUNCH_TABLE_HPP

#include "pto/detail/letters_begin.inc"

#include <cstddef>
#include <cstdint>

namespace ptoscope::syntax {

/// Which cores run a kernel, by the compilation of its file.
enum Kind : uint8_t {
  Unified, ///< one program for a core that has all pipes and memories
  Vector,
  Cube,
  Mixed
};

/// Functions of a file that was compiled for kinds of cores; `ptoscope c++` writes the table.
struct EntryHalf {
  const void *entry; ///< of the vector pass, or the only one; null: it is in another file
  const void *cube;  ///< of the cube pass; null: there is none, or it is in another file
  const char *name;
};
struct EntryTable {
  const EntryHalf *halves;
  size_t count;
  Kind kind;
  const char *arch;
  EntryTable *next;
};
[[gnu::visibility("default")]] bool addTable(EntryTable &table);

/// Metadata of a kernel (LSYN-12): kind 1 (cube cores), 2 (vector cores) or 4 (clusters), and the ratio.
[[gnu::visibility("default")]] bool addMetadata(const char *kernel, unsigned kind, unsigned cubes, unsigned vectors);

} // namespace ptoscope::syntax

#include "pto/detail/letters_end.inc"

#endif // PTOSCOPE_LAUNCH_TABLE_HPP
