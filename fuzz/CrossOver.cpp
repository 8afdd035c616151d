//===- CrossOver.cpp - two inputs joined between lines --------------------===//

#include "Input.h"
#include "TextMutator.h"

using namespace ptoscope;

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
