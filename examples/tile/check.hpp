// What every program of this folder does around its kernel: numbers to start from, a report, a comparison.
#ifndef EXAMPLES_TILE_CHECK_HPP
#define EXAMPLES_TILE_CHECK_HPP

#include <ptoscope/launch.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

/// Numbers from -1 to 1, the same on every run.
inline std::vector<float> numbers(size_t count, unsigned seed) {
  std::vector<float> result(count);
  for (float &x : result) {
    seed = seed * 1664525u + 1013904223u;
    x = float(int(seed >> 8) - (1 << 23)) / float(1 << 23);
  }
  return result;
}

/// Prints what was found and whether the results are those of the plain loop; the exit status of main.
inline int finish(const ptoscope::Result &result, const std::vector<float> &got, const std::vector<float> &want,
                  float tolerance = 0) {
  result.print();
  for (size_t i = 0; i < want.size(); ++i)
    if (!(std::fabs(got[i] - want[i]) <= tolerance)) {
      std::printf("element %zu is %g, not %g\n", i, double(got[i]), double(want[i]));
      return 1;
    }
  std::printf("%zu elements as expected, %zu findings\n", want.size(), result.size());
  return result.ok() ? 0 : 1;
}

#endif // EXAMPLES_TILE_CHECK_HPP
