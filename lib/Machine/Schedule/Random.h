//===- Random.h - the random stream of a core -------------------*- C++ -*-===//
//
// SplitMix64: the same numbers on every host. Streams are seeded by
// (seed, block, core), so that they do not depend on host threads.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SCHEDULE_RANDOM_H
#define PTOSCOPE_LIB_MACHINE_SCHEDULE_RANDOM_H

#include <cstdint>

namespace ptoscope {

class Random {
public:
  void seed(uint64_t seed, uint64_t block, uint64_t core) {
    state = seed;
    state = next() ^ (block * 0x9e3779b97f4a7c15u);
    state = next() ^ (core * 0xd1b54a32d192ed03u);
  }
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// 0 .. n-1; n > 0.
  uint64_t below(uint64_t n) { return next() % n; }
  bool oneIn(uint64_t n) { return below(n) == 0; }

private:
  uint64_t state = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCHEDULE_RANDOM_H
