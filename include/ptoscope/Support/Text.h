//===- Text.h - numbers and names as messages write them --------*- C++ -*-===//

#ifndef PTOSCOPE_SUPPORT_TEXT_H
#define PTOSCOPE_SUPPORT_TEXT_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ptoscope {

/// "0x1f", with at least `digits` digits.
std::string hex(uint64_t value, unsigned digits = 1);
/// "`name`".
std::string quoted(std::string_view name);
/// "1 byte", "2 bytes".
std::string plural(uint64_t n, std::string_view one);
/// "a, b or c", with `between` and `last`.
std::string joined(std::span<const std::string> words, std::string_view between, std::string_view last);

/// The name that `word` was probably meant to be; empty if none is near. A name is near if it differs by no more
/// letters than a third of its length, or contains the word as a third of it or more. Capitals do not matter. Names
/// that contain the word come first; ties go to the name with more of the same letters in front, then to the first.
std::string_view nearestOf(std::string_view word, std::span<const std::string_view> names);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_TEXT_H
