//===- Scalars.cpp - numbers as kernels take them -------------------------===//

#include "ptoscope/Driver/Program.h"
#include "ptoscope/Support/ElementType.h"
#include "ptoscope/Support/Half.h"

#include <bit>
#include <cmath>

namespace ptoscope {

bool takesFloat(const Parameter &parameter) {
  std::optional<ElementType> type = parseElementType(parameter.element);
  return type && infoOf(*type).kind == ElementClass::Float;
}

Result<uint64_t> encodeScalar(const Parameter &parameter, double value) {
  const ElementType type = *parseElementType(parameter.element);
  if (type == ElementType::F64)
    return std::bit_cast<uint64_t>(value);
  uint64_t bits = encodeFloat(*formatOf(type), value);
  if (std::isfinite(value) && !std::isfinite(decodeFloat(*formatOf(type), bits)))
    return makeFinding("usage", {}, "it is too large for " + parameter.element);
  return bits;
}

Result<uint64_t> encodeScalar(const Parameter &parameter, int64_t value) {
  const unsigned bits = parameter.element == "i1" ? 1 : parameter.bytes * 8;
  if (bits >= 64)
    return uint64_t(value);
  const int64_t lowest = -(int64_t(1) << (bits - 1)), highest = (int64_t(1) << bits) - 1;
  if (value < lowest || value > highest)
    return makeFinding("usage", {},
                       "it does not fit into " + parameter.element + " (" + std::to_string(lowest) + " to " +
                           std::to_string(highest) + ")");
  return uint64_t(value) & uint64_t(highest);
}

} // namespace ptoscope
