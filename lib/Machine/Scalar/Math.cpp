//===- Math.cpp - scalar functions of programs ----------------------------===//
//
// Only what is exact comes from the host's library: results are the same everywhere.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Math.h"
#include "ptoscope/Meaning/Power.h"

#include <bit>
#include <cmath>

using namespace ptoscope::meaning;

static Group<f32> lanes(double value) { return splat<f32>(float(value)); }
static double first(Group<f32> lanes) { return lanes[0]; }

/// a + b, the odd neighbour where it is inexact: rounding that to a narrower type gives
/// what rounding the sum itself would give. Products of f32 are exact.
static double oddSum(double a, double b) {
  const double sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
  const auto bits = std::bit_cast<uint64_t>(sum);
  if (!(rest < 0 || rest > 0) || std::isinf(sum) || (bits & 1))
    return sum;
  // The neighbour on the side of what is missing.
  return std::bit_cast<double>((rest < 0) == (sum < 0) ? bits + 1 : bits - 1);
}

double ptosc_math(uint32_t function, double a, double b, double c) {
  using Function = double (*)(double, double, double);
  static constexpr Function kFunctions[] = {
#define PTO_MATH(NAME, VALUE)                                                                                          \
  []([[maybe_unused]] double a, [[maybe_unused]] double b, [[maybe_unused]] double c) -> double { return VALUE; },
#include "ptoscope/math.def"
#undef PTO_MATH
  };
  return kFunctions[function](a, b, c);
}
