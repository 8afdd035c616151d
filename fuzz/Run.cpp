//===- Run.cpp - texts that may be programs, compiled and run -------------===//
//
// Small buffers, few steps. Checks, schedule, blocks and scalars follow from the text.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

using namespace ptoscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text(fuzz::textOf(data, size));
  TextMutator choose(fuzz::hashOf(text));
  uint64_t launched = 0;
  const std::string faults = tryOut(fuzz::session(), text, choose, launched);
  fuzz::require(faults.empty(), faults);
  return 0;
}
