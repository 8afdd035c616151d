//===- HostNumbers.cpp - numbers as host simulators make them -------------===//

#include "HostNumbers.h"

#include "ptoscope/Support/Formats.h"

#include <algorithm>
#include <cmath>

namespace ptoscope::tile {

uint8_t nearestHif8(double value) {
  constexpr uint8_t kNan = 0x80;
  if (value != value)
    return kNan;
  constexpr double kLargest = 0x1p15; // further away, all codes would be as near
  value = std::clamp(value, -kLargest, kLargest);
  // Few codes, no hurry: the nearest, the lower of two that are as near.
  uint8_t best = 0;
  double bestValue = 0, bestDistance = -1;
  for (unsigned code = 0; code < 256; ++code) {
    const double candidate = decodeHif8(uint8_t(code)), distance = std::abs(candidate - value);
    if (!std::isfinite(candidate))
      continue;
    if (bestDistance < 0 || distance < bestDistance || (distance == bestDistance && candidate < bestValue)) {
      best = uint8_t(code);
      bestValue = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

} // namespace ptoscope::tile
