//===- Text.h - numbers and names as messages write them --------*- C++ -*-===//

#ifndef PTOSCOPE_SUPPORT_TEXT_H
#define PTOSCOPE_SUPPORT_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ptoscope {

/// "0x1f", with at least `digits` digits.
std::string hex(uint64_t value, unsigned digits = 1);
/// "`name`".
std::string quoted(std::string_view name);
/// "1 byte", "2 bytes".
std::string plural(uint64_t n, std::string_view one);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_TEXT_H
