//===- MemoryMap.h - on-chip memories over a program, drawn -----*- C++ -*-===//

#ifndef PTOSCOPE_PLAN_MEMORYMAP_H
#define PTOSCOPE_PLAN_MEMORYMAP_H

#include "ptoscope/Plan/Placement.h"

#include <string>

namespace ptoscope {

struct MappedTile {
  std::string name; ///< "%sum", as the program has it
  uint32_t line;    ///< of its allocation
  Space space;
  uint64_t bytes;
  std::optional<uint64_t> address; ///< nothing where the program computes it
  StepRange used;                  ///< not empty
};

/// The tiles of a kernel over its steps.
struct MemoryMap {
  std::string kernel;
  const Profile *profile;
  bool planned;                ///< places were chosen for it (level 2)
  std::vector<uint32_t> lines; ///< by step
  std::vector<MappedTile> tiles;
};

/// One chart for each memory that has tiles: addresses upwards, the program to the
/// right, a letter for each tile.
std::string mapText(const MemoryMap &map);
/// The charts of all kernels as one picture, a `rect` for each tile.
std::string mapSvg(const std::vector<MemoryMap> &maps);

} // namespace ptoscope

#endif // PTOSCOPE_PLAN_MEMORYMAP_H
