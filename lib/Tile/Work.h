//===- Work.h - how much a tile or cube instruction has to do ---*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_WORK_H
#define PTOSCOPE_LIB_TILE_WORK_H

#include "Cube.h"
#include "ptoscope/Machine/Work.h"

namespace ptoscope::tile {

/// Of a Call that was checked.
Work workOf(const Call &call);
/// Of a cube instruction of text.
Work workOf(const CubePlan &plan);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_WORK_H
