//===- Footprints.h - footprints that records leave open --------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_FOOTPRINTS_H
#define PTOSCOPE_LIB_TILE_FOOTPRINTS_H

#include "Footprint.h"

namespace ptoscope::tile {

#define PTO_RECORD(...)
#define PTO_CUSTOM_RECORD(NAME, KERNEL, ...) void KERNEL##Footprint(const Operands &ops, Footprint &footprint);
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_FOOTPRINTS_H
