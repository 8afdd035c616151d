//===- TextMutators.cpp - programs out of programs ------------------------===//
//
// Most mutants are programs with typing errors; some are new random programs of
// the generator, with or without a fault, some have changed bytes. Two programs
// are joined between lines.
//
//===----------------------------------------------------------------------===//

#include "Input.h"
#include "Program.h"
#include "TextMutator.h"

using namespace ptoscope;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  TextMutator random(seed);
  if (random.below(10) == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  const std::string text(fuzz::textOf(data, size));
  // Those of tiles stay among themselves.
  if (random.below(20) == 0 && text.find("tile") == std::string::npos) {
    randomprogram::Program program = randomprogram::generate(random.below(UINT64_MAX), random.below(4) == 0);
    if (random.below(2))
      randomprogram::breakOne(program, seed);
    return fuzz::give(randomprogram::textOf(program), data, maxSize);
  }
  return fuzz::give(random.mutate(text), data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t maxSize, unsigned seed) {
  TextMutator random(seed);
  const auto lineEnd = [&](std::string_view text) {
    return text.empty() ? 0 : std::min(text.find('\n', random.below(text.size())), text.size());
  };
  const std::string_view head = fuzz::textOf(first, firstSize), tail = fuzz::textOf(second, secondSize);
  std::string joined(head.substr(0, lineEnd(head)));
  joined += tail.substr(lineEnd(tail));
  return fuzz::give(joined, out, maxSize);
}
