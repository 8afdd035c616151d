//===- Immediate.h - instructions without a launch --------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_IMMEDIATE_H
#define PTOSCOPE_LIB_TILE_IMMEDIATE_H

#include "Context.h"

namespace ptoscope::tile {

/// The context of a thread outside launches: one core that runs each instruction as
/// soon as it can. Made when it is first asked for, ended with the thread or by
/// finishDirectCalls().
Context &immediateContext();

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_IMMEDIATE_H
