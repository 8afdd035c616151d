//===- TextMutators.cpp - programs out of programs ------------------------===//
//
// Most mutants are programs with typing errors; some are new random programs of
// the generator, with or without a fault, some have changed bytes.
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
