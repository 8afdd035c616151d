//===- Text.cpp - numbers and names as messages write them ----------------===//

#include "ptoscope/Support/Text.h"

namespace ptoscope {

std::string hex(uint64_t value, unsigned digits) {
  std::string text;
  for (; value || text.size() < digits; value >>= 4)
    text.insert(text.begin(), "0123456789abcdef"[value & 15]);
  return "0x" + text;
}

std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

std::string plural(uint64_t n, std::string_view one) {
  return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : "s");
}

} // namespace ptoscope
