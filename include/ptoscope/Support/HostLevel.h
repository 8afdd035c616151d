//===- HostLevel.h - how much of the host is used ---------------*- C++ -*-===//
//
// Results are the same bits on every host. To see what a plainer one would give,
// and how fast, PTOSCOPE_HOST names a level: `base`, of x86-64 `v3` and `v4`, and `fp16`
// for one with f16 arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_HOSTLEVEL_H
#define PTOSCOPE_SUPPORT_HOSTLEVEL_H

#include <cstdint>

namespace ptoscope {

enum class HostLevel : uint8_t { Base, V3, V4, Fp16 };

/// What PTOSCOPE_HOST allows, and never more than the host has.
HostLevel hostLevel();

/// The level of x86-64 that stands for the host, as compilers call it; null when all of the host is used.
const char *plainerHost();

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_HOSTLEVEL_H
