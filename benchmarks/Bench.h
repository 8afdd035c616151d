//===- Bench.h - measuring ours beside native code --------------*- C++ -*-===//

#ifndef PTOSCOPE_BENCHMARKS_BENCH_H
#define PTOSCOPE_BENCHMARKS_BENCH_H

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
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

inline constexpr int kRounds = 15;

/// Least times of functions that take turns.
template <typename... Fn> std::array<double, sizeof...(Fn)> leastTimes(Fn... fn) {
  std::array<double, sizeof...(Fn)> best;
  best.fill(1e9);
  for (int round = 0; round < kRounds; ++round) {
    size_t i = 0;
    ((best[i] = std::min(best[i], timedAlone(fn)), ++i), ...);
  }
  return best;
}

/// Keeps a result that nobody looks at.
inline void keep(uint64_t value) { asm volatile("" : : "r"(value)); }

inline double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// A figure of this host, which is printed and not judged.
inline void report(const std::string &name, double value, const char *unit) {
  std::printf("%-58s %8.2f %-3s\n", name.c_str(), value, unit);
}

/// A ratio within one run, or memory, with the bound it has to keep on any host; true when it does.
inline bool figure(const std::string &name, double value, double bound, const char *unit = "x") {
  bool ok = value <= bound;
  std::printf("%-58s %8.2f %-3s (at most %.2f) %s\n", name.c_str(), value, unit, bound, ok ? "ok" : "TOO SLOW");
  return ok;
}
inline bool figureAtLeast(const std::string &name, double value, double bound, const char *unit = "x") {
  bool ok = value >= bound;
  std::printf("%-58s %8.2f %-3s (at least %.2f) %s\n", name.c_str(), value, unit, bound, ok ? "ok" : "TOO SLOW");
  return ok;
}

/// Arrays begin with a page, as buffers of devices do: copies depend on it.
template <typename T> class Array {
public:
  explicit Array(size_t count, T value = T(0))
      : count(count), values(static_cast<T *>(std::aligned_alloc(4096, (count * sizeof(T) + 4095) / 4096 * 4096))) {
    if (!values)
      throw std::bad_alloc();
    std::uninitialized_fill_n(values.get(), count, value);
  }
  T *data() { return values.get(); }
  const T *data() const { return values.get(); }
  size_t size() const { return count; }
  T &operator[](size_t i) { return values.get()[i]; }
  bool operator==(const Array &other) const { return std::equal(data(), data() + count, other.data()); }

private:
  struct Free {
    void operator()(T *pointer) const { std::free(pointer); }
  };
  size_t count;
  std::unique_ptr<T, Free> values;
};

inline bool wrong(const std::string &what) {
  std::printf("%s: WRONG RESULT\n", what.c_str());
  return false;
}

bool streamAdd();
bool dma();
bool sync();
bool shuffle();
bool compute();
bool longScopes();
bool vmi();
bool checks();
/// Kernels of 100 million instructions; not part of a run without arguments.
bool longChecks();
/// The C++ tile API.
bool tile(const std::string &driver);
/// Tile programs in text.
bool tileText(const std::string &ptoscope);
/// The matrix unit: GEMM and attention at micro level.
bool cube();
bool startUp(const std::string &ptoscope);
/// A small kernel again and again; `modules` is the folder of the Python package.
bool launches(const std::string &modules);

} // namespace bench

#endif // PTOSCOPE_BENCHMARKS_BENCH_H
