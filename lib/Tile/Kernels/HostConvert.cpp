//===- HostConvert.cpp - conversions of the host profile ------------------===//
//
// HMEAN-10 to HMEAN-16: what host simulators do where devices do something else, one
// element at a time. Elements are brought into double or 64-bit integers, which hold
// every one of them exactly.
//
//===----------------------------------------------------------------------===//

#include "HostConvert.h"
#include "Walk.h"
#include "pto/detail/convert.hpp"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
constexpr uint32_t kNone = 0, kRint = 1, kRound = 2, kFloor = 3, kCeil = 4, kTrunc = 5, kOdd = 6;

bool isTwin(Elem elem) { return has(kTwinFloats, elem); }
bool isInteger(Elem elem) { return has(kInts, elem); }
bool isSigned(Elem elem) { return elem == Elem::i8 || elem == Elem::i16 || elem == Elem::i32 || elem == Elem::i64; }

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// To an integral value; NONE keeps what is there.
double integralOf(double value, uint32_t rounding) {
  if (rounding == kNone || !(__builtin_fabs(value) < 0x1p52))
    return value;
  auto whole = int64_t(value);
  const double rest = __builtin_fabs(value - double(whole));
  const int64_t away = value < 0 ? -1 : 1;
  switch (rounding) {
  case kRint:
    whole += rest > 0.5 || (rest == 0.5 && whole % 2 != 0) ? away : 0;
    break;
  case kRound:
    whole += rest >= 0.5 ? away : 0;
    break;
  case kFloor:
    whole -= rest > 0 && value < 0;
    break;
  case kCeil:
    whole += rest > 0 && value > 0;
    break;
  case kOdd:
    whole += rest > 0 && whole % 2 == 0 ? away : 0;
    break;
  default:
    break;
  }
  return __builtin_copysign(double(whole), value);
}

double clamped(double value, double low, double high) { return value < low ? low : value > high ? high : value; }

/// Codes of 4-bit floats: bits of the fraction, as many as belong to the exponent less
/// than 3, and a bias of 1.
double twinValue(Elem elem, uint64_t code) {
  const unsigned fractionBits = elem == Elem::e2m1x2 ? 1 : 2;
  const uint64_t magnitude = code & 7, field = magnitude >> fractionBits,
                 fraction = magnitude & ((1 << fractionBits) - 1);
  const auto whole = double(field ? fraction + (1u << fractionBits) : fraction);
  const double value = whole * double(1u << (field ? field - 1 : 0)) / double(1u << fractionBits);
  return code & 8 ? -value : value;
}

/// SURF-14: the fraction is cut, the exponent keeps its low bits.
uint64_t cutTwin(Elem elem, double value) {
  const unsigned fractionBits = elem == Elem::e2m1x2 ? 1 : 2, exponentBits = 3 - fractionBits;
  const auto bits = __builtin_bit_cast(uint64_t, value);
  const int field = int(bits >> 52 & 0x7ff);
  if (field == 0)
    return 0;
  int exponent = field - 1023 + 1;
  uint64_t fraction = (bits & ((uint64_t(1) << 52) - 1)) >> (52 - fractionBits);
  if (exponent < 0) {
    fraction = 1 - exponent > 31 ? 0 : (fraction | 1u << fractionBits) >> (1 - exponent);
    exponent = 0;
  }
  return bits >> 63 << 3 | (uint64_t(exponent) & ((1u << exponentBits) - 1)) << fractionBits | fraction;
}

/// To nearest even; a NaN stays one.
uint64_t encodeFloat(Elem elem, double value) {
  if (elem == Elem::f32)
    return __builtin_bit_cast(uint32_t, float(value));
  if (elem == Elem::f16)
    return __builtin_bit_cast(uint16_t, _Float16(value));
  // Only numbers come here that f32 has exactly.
  const auto near = __builtin_bit_cast(uint32_t, float(value));
  return value != value ? 0x7fc0 : (near + 0x7fff + (near >> 16 & 1)) >> 16 & 0xffff;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// An element as it is: a whole number, or a float, or a code of a 4-bit one.
struct Value {
  bool isWhole;
  int64_t whole;
  double real;
};

Value decode(Elem elem, uint64_t bits) {
  const unsigned unused = 64 - bitsOf(elem);
  if (elem == Elem::i4)
    return {true, int64_t((bits & 15) ^ 8) - 8, 0};
  if (isInteger(elem))
    return {true, isSigned(elem) ? int64_t(bits << unused) >> unused : int64_t(bits), 0};
  if (elem == Elem::f16)
    return {false, 0, double(__builtin_bit_cast(_Float16, uint16_t(bits)))};
  if (elem == Elem::bf16)
    return {false, 0, double(__builtin_bit_cast(float, uint32_t(bits) << 16))};
  if (elem == Elem::f32)
    return {false, 0, double(__builtin_bit_cast(float, uint32_t(bits)))};
  return {false, 0, twinValue(elem, bits)};
}

/// Numbers of 4 bits: all of them fit, but for negative ones that become unsigned.
uint64_t toInteger(const Value &value, Elem to, uint32_t rounding, bool sat) {
  const int64_t whole = value.isWhole ? value.whole : int64_t(integralOf(value.real, rounding));
  return uint64_t(sat && !isSigned(to) && whole < 0 ? 0 : whole);
}

uint64_t toInt4(const Value &value, uint32_t rounding) {
  const double real = value.isWhole ? double(value.whole) : integralOf(value.real, rounding);
  return real != real ? 0 : uint64_t(int64_t(clamped(real, -8, 7))) & 15;
}

uint64_t toTwin(const Value &value, Elem to, uint32_t rounding, bool sat) {
  double real = value.isWhole ? double(value.whole) : value.real;
  if (sat)
    real = to == Elem::e2m1x2 ? clamped(real, -6, 6) : clamped(real, -4, 3.5);
  return cutTwin(to, value.isWhole ? real : integralOf(real, rounding));
}

uint64_t converted(Elem from, Elem to, uint32_t rounding, bool sat, uint64_t bits) {
  if (isTwin(from) && isTwin(to))
    return bits;
  const Value value = decode(from, bits);
  if (to == Elem::i4)
    return toInt4(value, rounding);
  if (isInteger(to))
    return toInteger(value, to, rounding, sat);
  if (isTwin(to))
    return toTwin(value, to, rounding, sat && !isTwin(from));
  double real = value.isWhole ? double(value.whole) : value.real;
  if (isTwin(from) || from == to) // rounded though nothing asks for it
    real = integralOf(real, rounding);
  else if (sat && to == Elem::f16)
    real = clamped(real, -65504, 65504);
  return encodeFloat(to, real);
}
} // namespace

bool convertsByHostRules(Elem from, Elem to, uint32_t rounding, bool sat) {
  if (has(kByteFloats, from) || has(kByteFloats, to))
    return false; // as devices do
  if (isTwin(from) || isTwin(to) || from == Elem::i4 || to == Elem::i4)
    return true;
  if (!has(kFloats, from))
    return false;
  return (from == to && rounding == kNone) || (from != to && to == Elem::f16 && sat);
}

uint32_t hostRounding(Elem from, Elem to, uint32_t rounding) {
  if (has(kByteFloats, from) || from == to)
    return rounding;
  return has(kFloats, to) ? kRint : isInteger(to) && rounding == kNone ? kTrunc : rounding;
}

void convertOnHost(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1];
  const Map to = tileMap(dst.ref), from = tileMap(src.ref);
  const unsigned toBits = bitsOf(dst.ref.elem), fromBits = bitsOf(src.ref.elem);
  const uint32_t rounding = ops.isHost() || ops.mode & 7 ? ops.mode & 7 : kRint;
  const bool sat = (ops.mode & kSaturateBit) != 0;
  const auto oneOf = [](Elem elem) { return elem == Elem::i4x2 ? Elem::i4 : elem; };
  for (int64_t r = 0; r < src.ref.validRows; ++r)
    for (int64_t c = 0; c < src.ref.validCols; ++c)
      storeElement(toBits, dst.data, to.offset(r, c),
                   converted(oneOf(src.ref.elem), oneOf(dst.ref.elem), rounding, sat,
                             loadElement(fromBits, src.data, from.offset(r, c))));
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
