//===- Bench.h - measuring ours beside native code --------------*- C++ -*-===//

#ifndef PTOSCOPE_BENCHMARKS_BENCH_H
#define PTOSCOPE_BENCHMARKS_BENCH_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// One figure with the bound it has to keep; true when it does.
inline bool figure(const std::string &name, double value, double bound, const char *unit = "x") {
  bool ok = value <= bound;
  std::printf("%-58s %8.2f %-3s (at most %.2f) %s\n", name.c_str(), value, unit, bound, ok ? "ok" : "TOO SLOW");
  return ok;
}

bool streamAdd();
bool startUp(const std::string &ptoscope);

} // namespace bench

#endif // PTOSCOPE_BENCHMARKS_BENCH_H
