//===- HostNumbers.h - numbers as host simulators make them -----*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_HOSTNUMBERS_H
#define PTOSCOPE_LIB_TILE_HOSTNUMBERS_H

#include <cstdint>

namespace ptoscope::tile {

/// The code of hifloat8 whose number is nearest, the lower one of two (SURF-14). For programs, and for kernels of every
/// level: it is the same on all hosts.
uint8_t nearestHif8(double value);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_HOSTNUMBERS_H
