//===- ExactFormats.h - an exact model of conversions -----------*- C++ -*-===//
//
// RND-1 to RND-6, CVAL-1 to CVAL-11 and FMT-1 to FMT-9, one value at a time and without any rounding
// of the host: a number is an integer times a power of two, a format is the list
// of its numbers, and encoding is a search in that list. Types have the names of
// the conversion table.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_SUPPORT_EXACTFORMATS_H
#define PTOSCOPE_UNITTESTS_SUPPORT_EXACTFORMATS_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

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

/// An element type: a float or, with precision -1, an integer.
struct Type {
  std::string_view name;
  int width;          ///< bits of a code
  int precision = -1; ///< bits of a significand; 0: hif8, which has several
  int emin = 0;       ///< exponent of the smallest normal number
  Number max = {};    ///< with all digits of the precision
  bool infinity = false;
  uint64_t nan = 0; ///< canonical; 0: there is none
  bool isSigned = false;

  bool isFloat() const { return precision >= 0; }
  /// Of an integer.
  __int128 low() const { return isSigned ? -(__int128(1) << (width - 1)) : 0; }
  __int128 high() const { return (__int128(1) << (isSigned ? width - 1 : width)) - 1; }
  uint64_t mask() const { return ~uint64_t(0) >> (64 - width); }

  bool isPair() const { return name.ends_with("x2"); }
  /// Bits of a lane.
  int lane() const { return isPair() ? 8 : width; }
};

inline constexpr Type kTypes[] = {{"f32", 32, 24, -126, {.digits = 0xFFFFFF, .exponent = 104}, true, 0x7FC00000},
                                  {"f16", 16, 11, -14, {.digits = 2047, .exponent = 5}, true, 0x7E00},
                                  {"bf16", 16, 8, -126, {.digits = 255, .exponent = 120}, true, 0x7FC0},
                                  {"e4m3", 8, 4, -6, {.digits = 14, .exponent = 5}, false, 0x7F},
                                  {"e5m2", 8, 3, -14, {.digits = 7, .exponent = 13}, true, 0x7E},
                                  {"hif8", 8, 0, 0, {.digits = 1, .exponent = 15}, true, 0x80},
                                  {"e2m1x2", 4, 2, 0, {.digits = 3, .exponent = 1}, false, 0},
                                  {"e1m2x2", 4, 3, 0, {.digits = 7, .exponent = -2}, false, 0},
                                  {"tf32", 19, 11, -126, {.digits = 2047, .exponent = 117}, true, 0x3FE00},
                                  {.name = "i8", .width = 8, .isSigned = true},
                                  {.name = "i16", .width = 16, .isSigned = true},
                                  {.name = "i32", .width = 32, .isSigned = true},
                                  {.name = "i64", .width = 64, .isSigned = true},
                                  {.name = "u8", .width = 8},
                                  {.name = "u16", .width = 16},
                                  {.name = "u32", .width = 32}};

inline const Type &typeOf(std::string_view name) {
  for (const Type &type : kTypes)
    if (type.name == name)
      return type;
  throw std::logic_error("no such type");
}

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
      case 't':
        below = bit;
        break;
      case 'e':
        e = 2 * e + bit;
        break;
      case 'm':
        m = 2 * m + bit, ++bits;
        break;
      default:
        fits = fits && bit == row.pattern[i] - '0';
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

inline Number decode(const Type &t, uint64_t code) {
  if (t.precision == 0)
    return decodeHif8(code);
  int bits = t.precision - 1;
  uint64_t size = code & ((uint64_t(1) << (t.width - 1)) - 1);
  uint64_t field = size >> bits, fraction = size & ((uint64_t(1) << bits) - 1);
  Number x{.negative = ((code >> (t.width - 1)) & 1) != 0};
  uint64_t ones = (uint64_t(1) << (t.width - 1 - bits)) - 1;
  if (t.infinity && field == ones)
    x.kind = fraction ? Number::NaN : Number::Infinite;
  else if (!t.infinity && t.nan && size == t.nan)
    x.kind = Number::NaN;
  else
    x = {.negative = x.negative,
         .digits = fraction | (field ? uint64_t(1) << bits : 0),
         .exponent = t.emin - bits + (field ? int(field) - 1 : 0)};
  return reduced(x);
}

/// By search among the numbers of the format; infinity is one.
inline uint64_t codeOf(const Type &t, Number x) {
  static std::unordered_map<uint64_t, uint64_t> tables[std::size(kTypes)];
  auto keyOf = [](Number v) {
    return v.kind == Number::Infinite ? ~uint64_t(0) : v.digits << 12 | uint64_t(v.exponent + 2048);
  };
  x = reduced(x);
  uint64_t sign = x.negative ? uint64_t(1) << (t.width - 1) : 0;
  if (t.width == 32) // too many to list; the number fits, so that nothing is rounded
    return sign | std::bit_cast<uint32_t>(x.kind == Number::Infinite ? std::numeric_limits<float>::infinity()
                                                                     : std::ldexp(float(x.digits), x.exponent));
  auto &table = tables[&t - kTypes];
  if (table.empty())
    for (uint64_t code = 0; code < uint64_t(1) << (t.width - 1); ++code)
      if (Number v = decode(t, code); v.kind != Number::NaN)
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
  case 'R':
    return floor + (order > 0 || (order == 0 && floor % 2));
  case 'A':
    return floor + (order >= 0);
  case 'F':
    return floor + (x.negative && rest);
  case 'C':
    return floor + (!x.negative && rest);
  case 'Z':
  case 'H': // only to hif8, which has its own function, it is another
    return floor;
  case 'O':
    return floor | (rest != 0);
  }
  throw std::logic_error("inexact without a rounding mode");
}

/// The nearest number of hif8, ties away from zero. Doubles hold its numbers, and
/// the differences that decide.
inline uint64_t narrowHif8(Number x, bool sat) {
  static const std::vector<std::pair<double, uint64_t>> numbers = [] {
    std::vector<std::pair<double, uint64_t>> list;
    for (uint64_t code = 0; code < 0x80; ++code)
      if (Number v = decodeHif8(code); v.kind == Number::Finite)
        list.emplace_back(std::ldexp(double(v.digits), v.exponent), code);
    std::sort(list.begin(), list.end());
    return list;
  }();
  if (x.kind == Number::NaN)
    return sat ? 0 : 0x80;
  double value = x.kind == Number::Infinite ? HUGE_VAL : std::ldexp(double(x.digits), x.exponent);
  uint64_t sign = x.negative ? 0x80 : 0;
  if (value >= 1.25 * 32768)
    return sign | (sat ? 0x6E : 0x6F);
  auto above = std::upper_bound(numbers.begin(), numbers.end(), std::pair(value, uint64_t(0x80)));
  auto below = std::prev(above);
  bool up = above != numbers.end() && above->first - value <= value - below->first;
  uint64_t code = (up ? above : below)->second;
  return code ? sign | code : 0;
}

/// RND-6, with the specials of CVAL-4 to CVAL-6.
inline uint64_t narrow(Number x, const Type &t, char rounding, bool sat) {
  if (t.precision == 0)
    return narrowHif8(x, sat);
  if (x.kind == Number::NaN)
    return sat ? 0 : t.nan;
  if (x.kind == Number::Finite && x.digits == 0)
    return codeOf(t, x);
  bool over = x.kind == Number::Infinite;
  if (!over) {
    int e = 63 - std::countl_zero(x.digits) + x.exponent;
    int q = std::max(e, t.emin) - (t.precision - 1);
    x.digits = uint64_t(quantised(x, q, rounding));
    x.exponent = q;
    // Both have digits of full precision wherever they are close.
    int distance = q - t.max.exponent;
    over = x.digits && (distance > 1 || (distance >= 0 && x.digits << distance > t.max.digits));
  }
  if (!over)
    return codeOf(t, x);
  if (sat)
    return codeOf(t, {.negative = x.negative, .digits = t.max.digits, .exponent = t.max.exponent});
  return t.infinity ? codeOf(t, {.kind = Number::Infinite, .negative = x.negative}) : t.nan;
}

inline __int128 clamp(__int128 v, const Type &t) { return v < t.low() ? t.low() : v > t.high() ? t.high() : v; }

/// CVAL-1 to CVAL-11. `sat` is SAT, NOSAT or empty.
inline uint64_t convert(const Type &from, uint64_t bits, const Type &to, char rounding, std::string_view sat) {
  static const Type &i16 = typeOf("i16"), &i32 = typeOf("i32"), &i64 = typeOf("i64"), &u32 = typeOf("u32");
  if (from.isFloat()) {
    Number x = decode(from, bits);
    if (to.isFloat()) {
      if (to.width == 32 && x.kind == Number::NaN) { // quiet, sign and payload kept
        if (from.precision == 0)
          return to.nan;
        uint64_t sign = x.negative ? 0x80000000 : 0;
        uint64_t payload = bits & ((uint64_t(1) << (from.precision - 1)) - 1);
        return sign | to.nan | (from.infinity ? payload << (24 - from.precision) : 0);
      }
      return narrow(x, to, rounding, sat == "SAT" || !to.nan);
    }
    const Type &range = sat != "NOSAT" ? to : to.width == 64 ? i64 : i32;
    __int128 v = 0;
    if (x.kind == Number::Infinite)
      v = x.negative ? range.low() : range.high();
    else if (x.kind == Number::Finite)
      v = __int128(std::min(quantised(x, 0, rounding), Wide(1) << 100)) * (x.negative ? -1 : 1);
    return uint64_t(clamp(v, range)) & to.mask();
  }
  bits &= from.mask();
  __int128 v = __int128(bits);
  if (from.isSigned && bits >> (from.width - 1))
    v -= __int128(1) << from.width;
  if (to.isFloat())
    return narrow({.negative = v < 0, .digits = uint64_t(v < 0 ? -v : v)}, to, rounding, false);
  if (sat == "SAT" || (&from == &i16 && &to == &u32))
    v = clamp(v, to);
  return uint64_t(v) & to.mask();
}

/// vtrc: the integral value in the same format, sign kept, NaNs and infinities
/// as they are.
inline uint64_t integral(const Type &t, uint64_t bits, char rounding) {
  Number x = decode(t, bits);
  if (x.kind != Number::Finite || x.exponent >= 0)
    return bits;
  return codeOf(t, {.negative = x.negative, .digits = uint64_t(quantised(x, 0, rounding))});
}

} // namespace exact

#endif // PTOSCOPE_UNITTESTS_SUPPORT_EXACTFORMATS_H
