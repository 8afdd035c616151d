//===- Bench.h - measuring ours beside native code --------------*- C++ -*-===//

#ifndef PTOSCOPE_BENCHMARKS_BENCH_H
#define PTOSCOPE_BENCHMARKS_BENCH_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace bench {

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds that `fn` takes.
template <typename Fn> double timed(Fn fn) {
  double start = seconds();
  fn();
  return seconds() - start;
}

/// Seconds of this thread's processor time that `fn` takes: what shares the
/// machine with us is not counted.
template <typename Fn> double timedAlone(Fn fn) {
  auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
  };
  double start = now();
  fn();
  return now() - start;
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
inline bool figureAtLeast(const std::string &name, double value, double bound, const char *unit = "x") {
  bool ok = value >= bound;
  std::printf("%-58s %8.2f %-3s (at least %.2f) %s\n", name.c_str(), value, unit, bound,
              ok ? "ok" : "TOO SLOW");
  return ok;
}

bool streamAdd();
bool dma();
bool sync();
bool shuffle();
bool compute();
bool longScopes();
bool checks();
/// Kernels of 100 million instructions; not part of a run without arguments.
bool longChecks();
/// The C++ tile API.
bool tile();
bool startUp(const std::string &ptoscope);

} // namespace bench

#endif // PTOSCOPE_BENCHMARKS_BENCH_H
