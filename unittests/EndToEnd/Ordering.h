//===- Ordering.h - what a program under construction has ordered -*- C++ -*-=//
//
// Vector clocks over pipes, kept while a program is written: which instructions
// are known to have ended before the next one of a pipe starts. Written from the
// rules of docs/memory-model.md, apart from the checker's own.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_ENDTOEND_ORDERING_H
#define PTOSCOPE_UNITTESTS_ENDTOEND_ORDERING_H

#include "Program.h"

#include <algorithm>

namespace ptoscope::randomprogram {

inline constexpr Pipe kPipes[] = {Pipe::S, Pipe::V, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::FIX};
inline constexpr size_t kPipeCount = std::size(kPipes);
inline size_t pipeNumber(Pipe pipe) { return size_t(std::find(kPipes, kPipes + kPipeCount, pipe) - kPipes); }

/// By pipe: how many of its instructions have ended.
struct Clock : std::array<uint32_t, kCores * kPipeCount> {
  void join(const Clock &other) {
    for (size_t k = 0; k < size(); ++k)
      (*this)[k] = std::max((*this)[k], other[k]);
  }
};

class Ordering {
public:
  explicit Ordering(bool a5) : a5(a5) {}

  static size_t number(uint8_t core, Pipe pipe) { return core * kPipeCount + pipeNumber(pipe); }

  /// MTE2 and MTE3 start in order and end in any; so does V before a5.
  bool inOrder(Pipe pipe) const { return pipe != Pipe::MTE2 && pipe != Pipe::MTE3 && (pipe != Pipe::V || a5); }

  /// The next instruction of a pipe. Returns its number, from 1.
  uint32_t issue(uint8_t core, Pipe pipe) {
    size_t n = number(core, pipe);
    if (inOrder(pipe))
      clocks[n][n] = counts[n];
    return ++counts[n];
  }
  /// What the next instruction of a pipe knows.
  const Clock &known(uint8_t core, Pipe pipe) const { return clocks[number(core, pipe)]; }
  /// What a signal sent by the pipe now says.
  Clock published(uint8_t core, Pipe pipe) const {
    Clock clock = known(core, pipe);
    clock[number(core, pipe)] = counts[number(core, pipe)];
    return clock;
  }
  /// What a core knows when all its pipes are idle.
  Clock published(uint8_t core) const {
    Clock all{};
    for (Pipe pipe : kPipes)
      all.join(published(core, pipe));
    return all;
  }
  void learn(uint8_t core, Pipe pipe, const Clock &clock) { clocks[number(core, pipe)].join(clock); }
  void learn(uint8_t core, const Clock &clock) {
    for (Pipe pipe : kPipes)
      learn(core, pipe, clock);
  }
  void barrier(uint8_t core, Pipe pipe) {
    if (pipe == Pipe::All)
      learn(core, published(core));
    else
      learn(core, pipe, published(core, pipe));
  }

private:
  bool a5;
  uint32_t counts[kCores * kPipeCount] = {};
  Clock clocks[kCores * kPipeCount] = {};
};

} // namespace ptoscope::randomprogram

#endif // PTOSCOPE_UNITTESTS_ENDTOEND_ORDERING_H
