//===- TileBench.h - what measures of the tile API share --------*- C++ -*-===//
//
// Tile instructions stand beside plain code for the same work, both compiled into
// this program, on one thread. Ours and theirs take turns, and the least processor
// time of each counts: whatever shares the machine only ever adds.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_BENCHMARKS_TILEBENCH_H
#define PTOSCOPE_BENCHMARKS_TILEBENCH_H

#include "Bench.h"

#include "pto/pto-inst.hpp"
#include "ptoscope/launch.hpp"

#include <array>
#include <cstdlib>
#include <memory>
#include <new>

namespace bench {

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

/// Launches a kernel on one block; findings are not expected.
template <typename Kernel, typename... Args> bool run(bool checked, Kernel kernel, Args &&...args) {
  ptoscope::Options options;
  if (!checked)
    options.unchecked();
  ptoscope::Result result = ptoscope::launch(options, kernel, 1, args...);
  if (!result.ok())
    result.print();
  return result.ok();
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

/// Products of matrices, in TileProducts.cpp.
bool tileProducts();

} // namespace bench

#endif // PTOSCOPE_BENCHMARKS_TILEBENCH_H
