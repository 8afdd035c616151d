//===- Sample.h - which cases of a product a test takes ---------*- C++ -*-===//
//
// `make test-long` takes every case. `make test` takes one of a few, always the
// same ones; the step shares no factor with the innermost loops, so that every
// type, mode and shape is among them.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_SAMPLE_H
#define PTOSCOPE_UNITTESTS_SAMPLE_H

#include <cstdint>
#include <cstdlib>

inline bool takesEveryCase() { return std::getenv("PTOSCOPE_TEST_LONG") != nullptr; }

class Sample {
public:
  explicit Sample(uint64_t step) : step(takesEveryCase() ? 1 : step) {}
  /// Is the next case one of them?
  bool next() { return number++ % step == 0; }

private:
  uint64_t step, number = 0;
};

#endif // PTOSCOPE_UNITTESTS_SAMPLE_H
