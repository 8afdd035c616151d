//===- HostConvert.h - conversions of the host profile ----------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_HOSTCONVERT_H
#define PTOSCOPE_LIB_TILE_KERNELS_HOSTCONVERT_H

#include "../Operands.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

/// Whether a conversion of the host profile has rules of its own; of others only the
/// rounding may be another one.
bool convertsByHostRules(Elem from, Elem to, uint32_t rounding, bool sat);
uint32_t hostRounding(Elem from, Elem to, uint32_t rounding);

/// TCVT by those rules, element by element.
void convertOnHost(const Operands &ops);

} // namespace ptoscope::tile::PTOSCOPE_LEVEL

#endif // PTOSCOPE_LIB_TILE_KERNELS_HOSTCONVERT_H
