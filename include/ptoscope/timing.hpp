//===- timing.hpp - timing classes ------------------------------*- C++ -*-===//

#ifndef PTOSCOPE_TIMING_HPP
#define PTOSCOPE_TIMING_HPP

#include <cstddef>
#include <cstdint>

namespace ptoscope {

enum class Timing : uint8_t {
#define PTO_TIMING(NAME, TEXT) NAME,
#include "ptoscope/timing.def"
#undef PTO_TIMING
};

inline constexpr const char *kTimingNames[] = {
#define PTO_TIMING(NAME, TEXT) #NAME,
#include "ptoscope/timing.def"
#undef PTO_TIMING
};
constexpr const char *nameOf(Timing timing) { return kTimingNames[size_t(timing)]; }

} // namespace ptoscope

#endif // PTOSCOPE_TIMING_HPP
