//===- PrintFormat.cpp - a scalar in the place of a conversion ------------===//

#include "Print.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace ptoscope::tile {

namespace {
/// `%[flags][width][.precision][length]letter`.
struct Conversion {
  size_t end = 0;   ///< behind the letter
  std::string spec; ///< flags, width and precision
  char letter = 0;  ///< 0: this is none
};

Conversion conversionAt(std::string_view format, size_t at) {
  constexpr size_t kMaxDigits = 3; // no line is wider
  Conversion found;
  auto run = [&](std::string_view set, size_t most) {
    const size_t begin = at;
    while (at < format.size() && at - begin < most && set.find(format[at]) != std::string_view::npos)
      ++at;
    return format.substr(begin, at - begin);
  };
  ++at;
  found.spec = run("-+ #0", 5);
  found.spec += run("0123456789", kMaxDigits);
  if (at < format.size() && format[at] == '.') {
    found.spec += run(".", 1);
    found.spec += run("0123456789", kMaxDigits);
  }
  run("hlLqjzt", 2);
  if (at < format.size() && std::string_view("diouxXcfFeEgGaAsp").find(format[at]) != std::string_view::npos) {
    found.letter = format[at];
    found.end = at + 1;
  }
  return found;
}

template <typename T> std::string printed(const Conversion &conversion, const char *length, char letter, T value) {
  char text[2048];
  const std::string spec = "%" + conversion.spec + length + letter;
  std::snprintf(text, sizeof(text), spec.c_str(), value);
  return text;
}

std::string converted(const Conversion &conversion, ElementType type, uint64_t bits) {
  const ElementInfo &info = infoOf(type);
  const bool isFloat = info.kind == ElementClass::Float;
  const unsigned above = 64 - 8 * info.bytes;
  const FloatFormat *format = formatOf(type);
  const double real = format ? decodeFloat(*format, uint32_t(bits)) : std::bit_cast<double>(bits);
  // Numbers beyond 64 bits, and none at all, have no whole one.
  const bool hasWhole = !isFloat || (std::isfinite(real) && std::abs(real) < 0x1p63);
  if (!hasWhole && std::strchr("diouxXcp", conversion.letter))
    return scalarText(type, bits);
  const int64_t whole = isFloat                             ? int64_t(real)
                        : info.kind == ElementClass::Signed ? int64_t(bits << above) >> above
                                                            : int64_t(bits << above >> above);
  switch (conversion.letter) {
  case 'd':
  case 'i':
    if (info.kind == ElementClass::Unsigned)
      return printed(conversion, "ll", 'u', (unsigned long long)whole);
    return printed(conversion, "ll", 'd', (long long)whole);
  case 'o':
  case 'u':
  case 'x':
  case 'X':
  case 'p':
    // Of as many bits as the type has.
    return (conversion.letter == 'p' ? "0x" : "") +
           printed(conversion, "ll", conversion.letter == 'p' ? 'x' : conversion.letter,
                   (unsigned long long)(isFloat ? uint64_t(whole) : bits << above >> above));
  case 'c':
    return printed(conversion, "", 'c', int(uint8_t(whole)));
  case 's':
    return printed(conversion, "", 's', scalarText(type, bits).c_str());
  default:
    return printed(conversion, "", conversion.letter, isFloat ? real : double(whole));
  }
}
} // namespace

std::string formatScalar(std::string_view format, ElementType type, uint64_t bits) {
  std::string text;
  bool done = false;
  for (size_t at = 0; at < format.size();) {
    if (format.substr(at, 2) == "%%") {
      text += '%';
      at += 2;
      continue;
    }
    Conversion conversion;
    if (format[at] == '%' && !done)
      conversion = conversionAt(format, at);
    if (conversion.letter) {
      text += converted(conversion, type, bits);
      at = conversion.end;
      done = true;
    } else {
      text += format[at++];
    }
  }
  if (!done)
    text += (text.empty() || text.back() == ' ' ? "" : " ") + scalarText(type, bits);
  if (text.empty() || text.back() != '\n')
    text += '\n';
  return text;
}

} // namespace ptoscope::tile
