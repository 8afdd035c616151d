//===- ExactFormats.h - an exact model of conversions -----------*- C++ -*-===//
//
// isa/21 sections 1.3, 1.5 and 2, one value at a time and without any rounding
// of the host: a number is an integer times a power of two, a format is the list
// of its numbers, and encoding is a search in that list. Types have the names of
// the conversion table.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_SUPPORT_EXACTFORMATS_H
#define PTOSCOPE_UNITTESTS_SUPPORT_EXACTFORMATS_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

namespace exact {

using Wide = unsigned __int128;

/// digits * 2^exponent, or none.
struct Number {
  enum Kind { Finite, Infinite, NaN } kind = Finite;
  bool negative = false;
  uint64_t digits = 0;
  int exponent = 0;

  bool operator==(const Number &) const = default;
};

/// The form with odd digits; zero has exponent zero.
inline Number reduced(Number x) {
  int zeros = x.digits ? std::countr_zero(x.digits) : 0;
  x.digits >>= zeros;
  x.exponent = x.digits ? x.exponent + zeros : 0;
  return x;
}

inline Number ofDouble(double value) {
  Number x{.negative = std::signbit(value)};
  if (!std::isfinite(value)) {
    x.kind = std::isnan(value) ? Number::NaN : Number::Infinite;
    return x;
  }
  int exponent;
  double fraction = std::frexp(std::fabs(value), &exponent);
  x.digits = uint64_t(std::ldexp(fraction, 53));
  x.exponent = exponent - 53;
  return reduced(x);
}

struct Format {
  int width;     ///< bits of a code
  int precision; ///< bits of a significand; 0: hif8, which has several
  int emin;      ///< exponent of the smallest normal number
  Number max;
  bool infinity;
  uint64_t nan; ///< canonical; 0: there is none
};

inline const std::map<std::string_view, Format> &formats() {
  static const std::map<std::string_view, Format> table = {
      {"f32", {32, 24, -126, {.digits = 0xFFFFFF, .exponent = 104}, true, 0x7FC00000}},
      {"f16", {16, 11, -14, {.digits = 2047, .exponent = 5}, true, 0x7E00}},
      {"bf16", {16, 8, -126, {.digits = 255, .exponent = 120}, true, 0x7FC0}},
      {"e4m3", {8, 4, -6, {.digits = 7, .exponent = 6}, false, 0x7F}},
      {"e5m2", {8, 3, -14, {.digits = 7, .exponent = 13}, true, 0x7E}},
      {"hif8", {8, 0, 0, {.digits = 1, .exponent = 15}, true, 0x80}},
      {"e2m1x2", {4, 2, 0, {.digits = 3, .exponent = 1}, false, 0}},
      {"e1m2x2", {4, 3, 0, {.digits = 7, .exponent = -2}, false, 0}},
      {"tf32", {19, 11, -126, {.digits = 2047, .exponent = 117}, true, 0x3FE00}}};
  return table;
}
inline bool isFloat(std::string_view type) { return formats().count(type) != 0; }

/// The rows of the table of hif8: a pattern is matched bit by bit.
inline Number decodeHif8(uint64_t code) {
  struct Row {
    std::string_view pattern;
    int base;
  };
  static constexpr Row rows[] = {{"11teeem", 8}, {"10teemm", 4}, {"01temmm", 2}, {"001tmmm", 1}, {"0001mmm", 0}};
  if (code == 0x80)
    return {.kind = Number::NaN};
  Number x{.negative = (code & 0x80) != 0};
  if ((code & 0x7F) == 0x6F) {
    x.kind = Number::Infinite;
    return x;
  }
  for (const Row &row : rows) {
    int e = 0, m = 0, bits = 0;
    bool fits = true, below = false;
    for (int i = 0; i < 7; ++i) {
      int bit = (code >> (6 - i)) & 1;
      switch (row.pattern[i]) {
      case 't': below = bit; break;
      case 'e': e = 2 * e + bit; break;
      case 'm': m = 2 * m + bit, ++bits; break;
      default: fits = fits && bit == row.pattern[i] - '0';
      }
    }
    if (!fits)
      continue;
    x.digits = (1 << bits) + m;
    x.exponent = (below ? -1 : 1) * (row.base + e) - bits;
    return reduced(x);
  }
  uint64_t last = code & 7;
  return last ? Number{.negative = x.negative, .digits = 1, .exponent = int(last) - 23} : x;
}

inline Number decode(std::string_view type, uint64_t code) {
  if (type == "hif8")
    return decodeHif8(code);
  const Format &f = formats().at(type);
  int bits = f.precision - 1;
  uint64_t size = code & ((uint64_t(1) << (f.width - 1)) - 1);
  uint64_t field = size >> bits, fraction = size & ((uint64_t(1) << bits) - 1);
  Number x{.negative = ((code >> (f.width - 1)) & 1) != 0};
  uint64_t ones = (uint64_t(1) << (f.width - 1 - bits)) - 1;
  if (f.infinity && field == ones)
    x.kind = fraction ? Number::NaN : Number::Infinite;
  else if (type == "e4m3" && size == 0x7F)
    x.kind = Number::NaN;
  else
    x = {.negative = x.negative,
         .digits = fraction | (field ? uint64_t(1) << bits : 0),
         .exponent = f.emin - bits + (field ? int(field) - 1 : 0)};
  return reduced(x);
}

/// Codes of the numbers of a format, by magnitude; infinity is among them.
inline uint64_t codeOf(std::string_view type, Number x) {
  using Table = std::unordered_map<uint64_t, uint64_t>;
  static std::map<std::string_view, Table> tables;
  auto keyOf = [](Number v) {
    return v.kind == Number::Infinite ? ~uint64_t(0) : v.digits << 12 | uint64_t(v.exponent + 2048);
  };
  x = reduced(x);
  const Format &f = formats().at(type);
  uint64_t sign = x.negative ? uint64_t(1) << (f.width - 1) : 0;
  if (type == "f32" && x.kind == Number::Finite)
    return sign | std::bit_cast<uint32_t>(std::ldexp(float(x.digits), x.exponent));
  Table &table = tables[type];
  if (table.empty())
    for (uint64_t code = 0; code < uint64_t(1) << (f.width - 1); ++code)
      if (Number v = decode(type, code); v.kind != Number::NaN && (type != "f32"))
        table.emplace(keyOf(v), code);
  return sign | table.at(keyOf(x));
}

/// x / 2^q as an integer.
inline Wide quantised(Number x, int q, char rounding) {
  if (x.exponent >= q)
    return Wide(x.digits) << (x.exponent - q);
  int drop = q - x.exponent;
  uint64_t floor = drop >= 64 ? 0 : x.digits >> drop;
  uint64_t rest = drop >= 64 ? x.digits : x.digits - (floor << drop);
  // Compares with half: of 2^65 and more every rest is less.
  int order = drop > 64 ? -1 : rest < uint64_t(1) << (drop - 1) ? -1 : rest > uint64_t(1) << (drop - 1);
  switch (rounding) {
  case 'R': return floor + (order > 0 || (order == 0 && floor % 2));
  case 'A':
  case 'H': return floor + (order >= 0);
  case 'F': return floor + (x.negative && rest);
  case 'C': return floor + (!x.negative && rest);
  case 'Z': return floor;
  case 'O': return floor | (rest != 0);
  }
  throw std::logic_error("inexact without a rounding mode");
}

/// The nearest number of hif8, ties away from zero.
inline uint64_t narrowHif8(Number x, bool sat) {
  if (x.kind == Number::NaN)
    return sat ? 0 : 0x80;
  auto value = [](Number v) { return std::ldexp((long double)(v.digits), v.exponent); };
  uint64_t sign = x.negative ? 0x80 : 0;
  if (x.kind == Number::Infinite || value(x) >= 1.25L * 32768)
    return sign | (sat ? 0x6E : 0x6F);
  uint64_t best = 0;
  for (uint64_t code = 0; code < 0x80; ++code) {
    if (code == 0x6F)
      continue;
    long double candidate = value(decodeHif8(code)), chosen = value(decodeHif8(best));
    long double difference = std::fabs(candidate - value(x)) - std::fabs(chosen - value(x));
    if (difference < 0 || (difference == 0 && candidate > chosen))
      best = code;
  }
  return best ? sign | best : 0;
}

/// narrow() of isa/21 1.3, with the specials of 1.5.
inline uint64_t narrow(Number x, std::string_view type, char rounding, bool sat) {
  if (type == "hif8")
    return narrowHif8(x, sat);
  const Format &f = formats().at(type);
  if (x.kind == Number::NaN)
    return sat ? 0 : f.nan;
  if (x.kind == Number::Finite && x.digits == 0)
    return codeOf(type, x);
  bool over = x.kind == Number::Infinite;
  if (!over) {
    int e = 63 - std::countl_zero(x.digits) + x.exponent;
    int q = std::max(e, f.emin) - (f.precision - 1);
    x.digits = uint64_t(quantised(x, q, rounding));
    x.exponent = q;
    int top = 63 - std::countl_zero(x.digits | 1) + x.exponent;
    int maxTop = 63 - std::countl_zero(f.max.digits) + f.max.exponent;
    over = x.digits && (top > maxTop || (top == maxTop && x.exponent <= f.max.exponent &&
                                         x.digits > f.max.digits << (f.max.exponent - x.exponent)));
  }
  if (!over)
    return codeOf(type, x);
  if (sat)
    return codeOf(type, {.negative = x.negative, .digits = f.max.digits, .exponent = f.max.exponent});
  return f.infinity ? codeOf(type, {.kind = Number::Infinite, .negative = x.negative}) : f.nan;
}

struct Integer {
  int width;
  bool isSigned;
  __int128 low() const { return isSigned ? -(__int128(1) << (width - 1)) : 0; }
  __int128 high() const { return (__int128(1) << (isSigned ? width - 1 : width)) - 1; }
  uint64_t mask() const { return ~uint64_t(0) >> (64 - width); }
};
inline Integer integer(std::string_view type) {
  return {std::stoi(std::string(type.substr(1))), type[0] == 'i'};
}
inline int widthOf(std::string_view type) {
  return isFloat(type) ? formats().at(type).width : integer(type).width;
}

inline __int128 clamp(__int128 v, Integer t) { return v < t.low() ? t.low() : v > t.high() ? t.high() : v; }

/// C(x) of isa/21 1.5. `sat` is SAT, NOSAT or empty.
inline uint64_t convert(std::string_view from, uint64_t bits, std::string_view to, char rounding,
                        std::string_view sat) {
  if (isFloat(from)) {
    Number x = decode(from, bits);
    if (isFloat(to)) {
      if (to == "f32" && x.kind == Number::NaN) { // quiet, sign and payload kept
        const Format &f = formats().at(from);
        if (from == "hif8")
          return 0x7FC00000;
        uint64_t sign = x.negative ? 0x80000000 : 0;
        uint64_t payload = bits & ((uint64_t(1) << (f.precision - 1)) - 1);
        return sign | 0x7FC00000 | (f.infinity ? payload << (24 - f.precision) : 0);
      }
      return narrow(x, to, rounding, sat == "SAT" || !formats().at(to).nan);
    }
    Integer t = integer(to);
    Integer range = sat != "NOSAT" ? t : t.width == 64 ? Integer{64, true} : Integer{32, true};
    __int128 v = 0;
    if (x.kind == Number::Infinite)
      v = range.high();
    else if (x.kind == Number::Finite)
      v = __int128(std::min(quantised(x, 0, rounding), Wide(1) << 100));
    if (x.negative)
      v = x.kind == Number::Infinite ? range.low() : -v;
    return uint64_t(clamp(v, range)) & t.mask();
  }
  Integer s = integer(from);
  bits &= s.mask();
  __int128 v = s.isSigned && bits >> (s.width - 1) ? __int128(bits) - (__int128(1) << s.width) : __int128(bits);
  if (isFloat(to))
    return narrow({.negative = v < 0, .digits = uint64_t(v < 0 ? -v : v)}, to, rounding, false);
  Integer t = integer(to);
  if (sat == "SAT" || (from == "i16" && to == "u32"))
    v = clamp(v, t);
  return uint64_t(v) & t.mask();
}

/// vtrc: the integral value in the same format, sign kept, NaNs and infinities
/// as they are.
inline uint64_t integral(std::string_view type, uint64_t bits, char rounding) {
  Number x = decode(type, bits);
  if (x.kind != Number::Finite || x.exponent >= 0)
    return bits;
  return codeOf(type, {.negative = x.negative, .digits = uint64_t(quantised(x, 0, rounding))});
}

} // namespace exact

#endif // PTOSCOPE_UNITTESTS_SUPPORT_EXACTFORMATS_H
