//===- Calibrate.cpp - plain work to measure instructions with ------------===//
//
// What any interpreter does for an instruction, and any checker for an access.
// Compiled as the machine and the checkers are, so that a ratio says the same on
// every host. No more than the least is done here: ratios are well above one.
//
//===----------------------------------------------------------------------===//

#include "Native.h"

#include <array>
#include <vector>

namespace {

struct Record {
  uint32_t handler, operand;
};
using Counters = std::array<uint64_t, 8>;

template <unsigned Step> void handle(Counters &counters, uint32_t operand) {
  counters[operand & 7] += Step;
  if (counters[operand & 7] < counters[(operand + Step) & 7])
    counters[(operand + 1) & 7] += operand;
}

/// When something was written and read last, as a checker keeps it for 32 bytes of UB.
struct Mark {
  uint64_t written, read;
};
constexpr size_t kMarks = 256 * 1024 / 32, kMarksOfRegister = 256 / 32;

} // namespace

uint64_t native::dispatch(size_t times) {
  void (*volatile handlers[])(Counters &, uint32_t) = {handle<1>, handle<2>, handle<3>, handle<5>};
  std::array<Record, 64> queue{};
  Counters counters{};
  for (size_t i = 0; i < times; ++i) {
    queue[i % queue.size()] = {uint32_t(i & 3), uint32_t(i + counters[0])};
    asm volatile("" : : "r"(queue.data()) : "memory"); // it goes through memory
    const Record &record = queue[i % queue.size()];
    handlers[record.handler](counters, record.operand);
  }
  return counters[0];
}

uint64_t native::marks(size_t registers, size_t elements) {
  std::vector<Mark> marks(kMarks);
  uint64_t late = 0, clock = 1;
  auto look = [&](Mark &mark) {
    late += mark.written > clock;
    mark.written = mark.read;
    mark.read = clock;
  };
  size_t at = 0;
  for (size_t i = 0; i < registers; ++i, ++clock, at = (at + kMarksOfRegister) % kMarks)
#pragma clang loop vectorize(disable) unroll(disable)
    for (size_t k = 0; k < kMarksOfRegister; ++k)
      look(marks[at + k]);
  uint64_t random = 1;
  for (size_t i = 0; i < elements; ++i, ++clock) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    look(marks[(random >> 40) % kMarks]);
  }
  return late + marks[at].read;
}
