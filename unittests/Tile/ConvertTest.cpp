//===- ConvertTest.cpp - TCVT and quantisation ----------------------------===//
//
// Pairs of types, rounding modes and ways to overflow, for every value of the
// types of up to 16 bits, against arithmetic in double, which holds every element of
// up to 32 bits and every result exactly; in long double (Exact) for 64 bits.
//
//===----------------------------------------------------------------------===//

#include "../Sample.h"
#include "Reference.h"

#include "pto/detail/convert.hpp"

#include <cmath>

using namespace reference;

namespace {

using Exact = long double;

struct Format {
  int fraction, lowest; ///< bits behind the point; exponent of the smallest normal
  double largest;
  bool infinity, nan;
  int width, bias;
};
Format formatOf(Elem elem) {
  switch (elem) {
  case Elem::f16:
    return {10, -14, 65504, true, true, 16, 15};
  case Elem::bf16:
    return {7, -126, 0x1.fep127, true, true, 16, 127};
  case Elem::f32:
    return {23, -126, 0x1.fffffep127, true, true, 32, 127};
  case Elem::e4m3:
    return {3, -6, 448, false, true, 8, 7};
  case Elem::e5m2:
    return {2, -14, 57344, true, true, 8, 15};
  case Elem::e2m1x2:
    return {1, 0, 6, false, false, 4, 1};
  default:
    return {2, 0, 1.75, false, false, 4, 1}; // e1m2x2
  }
}
bool isInt(Elem elem) { return elem <= Elem::u64; }
bool isSigned(Elem elem) { return int(elem) % 2 == 0; }

template <typename Real = Exact> Real valueOf(Elem elem, uint64_t bits) {
  const int width = widthBits(elem);
  if (isInt(elem))
    return isSigned(elem) ? Real(int64_t(bits << (64 - width)) >> (64 - width)) : Real(bits);
  const Format f = formatOf(elem);
  const uint64_t fraction = bits & ((uint64_t(1) << f.fraction) - 1);
  const int exponent = int(bits >> f.fraction & ((uint64_t(1) << (width - 1 - f.fraction)) - 1));
  const bool top = exponent == (1 << (width - 1 - f.fraction)) - 1;
  Real value;
  if (f.infinity && top)
    value = fraction ? NAN : INFINITY;
  else if (elem == Elem::e4m3 && top && fraction == 7)
    value = NAN;
  else if (exponent == 0)
    value = std::ldexp(Real(fraction), f.lowest - f.fraction);
  else
    value = std::ldexp(Real(fraction | uint64_t(1) << f.fraction), exponent - f.bias - f.fraction);
  return bits >> (width - 1) & 1 ? -value : value;
}

/// To an integer, by a pto::RoundMode.
template <typename Real> Real roundWhole(Real x, int mode) {
  switch (mode) {
  case 2:
    return std::round(x);
  case 3:
    return std::floor(x);
  case 4:
    return std::ceil(x);
  case 5:
    return std::trunc(x);
  case 6: {
    const Real t = std::trunc(x);
    return t == x || std::fmod(t, Real(2)) != 0 ? t : t + (std::signbit(x) ? -1 : 1);
  }
  default:
    return std::nearbyint(x);
  }
}

/// In a format whose exponents have no upper end.
template <typename Real> Real roundFloat(Real x, const Format &f, int mode) {
  if (x == 0 || std::isinf(x))
    return x;
  const int unit = std::max(std::ilogb(x), f.lowest) - f.fraction;
  return std::copysign(std::ldexp(roundWhole(std::ldexp(x, -unit), mode), unit), x);
}

template <typename Real> struct Expected {
  Real value;
  bool nan = false;
};
template <typename Real> Expected<Real> expected(Elem from, Elem to, Real x, int mode, bool sat) {
  if (isInt(to)) {
    const int width = widthBits(to);
    const auto high = Exact(UINT64_MAX >> (64 - width + isSigned(to))),
               low = isSigned(to) ? Exact(INT64_MIN >> (64 - width)) : 0;
    if (std::isnan(x))
      return {0};
    const Exact whole = std::min(std::max(Exact(roundWhole(x, mode)), Exact(INT64_MIN)), Exact(INT64_MAX));
    if (sat || (!isInt(from) && (to == Elem::i32 || to == Elem::i64)))
      return {Real(std::min(std::max(whole, low), high))};
    return {valueOf<Real>(to, uint64_t(int64_t(whole)) & (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1))};
  }
  if (from == to)
    return {std::isnan(x) ? Real(NAN) : std::isinf(x) ? x : std::copysign(roundWhole(x, mode), x), bool(std::isnan(x))};
  const Format f = formatOf(to);
  const bool widens = !isInt(from) && widthBits(from) < widthBits(to);
  const bool clamps = (sat || !f.nan) && to != Elem::f32 && !widens;
  if (std::isnan(x))
    return clamps ? Expected<Real>{0} : Expected<Real>{0, true};
  const Real y = roundFloat(x, f, mode);
  if (std::fabs(y) <= f.largest)
    return {y};
  return clamps ? Expected<Real>{std::copysign(Real(f.largest), x)}
                : Expected<Real>{std::copysign(Real(INFINITY), x), !f.infinity};
}

uint64_t sourceBits(Elem elem, std::mt19937_64 &random) {
  const int width = widthBits(elem);
  uint64_t bits = random();
  if (elem == Elem::f32) {
    // Near the ends of other formats, halves, denormals, infinities, NaN, anything.
    const float special[] = {0.0f,     -0.0f,         0.5f,           -1.5f,   2.5f,    127.5f,   -128.5f,   255.5f,
                             65504.0f, 65520.0f,      1e-8f,          3e-41f,  448.0f,  464.0f,   465.0f,    57344.0f,
                             61440.0f, 2147483648.0f, -2147483648.0f, 9.3e18f, 3.4e38f, INFINITY, -INFINITY, NAN,
                             6.0f,     7.0f,          1.75f,          0.25f,   0.125f,  32767.5f, -32769.0f};
    float value = special[bits >> 8 & 31 % std::size(special)];
    switch (bits & 3) {
    case 0:
      std::memcpy(&value, reinterpret_cast<const uint8_t *>(&bits) + 4, 4);
      break;
    case 1:
      value = float(int32_t(bits >> 32)) * std::ldexp(1.0f, -int(bits >> 4 & 31));
      break;
    case 2:
      break;
    default:
      value = special[(bits >> 8) % std::size(special)];
    }
    uint32_t result;
    std::memcpy(&result, &value, 4);
    return result;
  }
  if (width == 64 && (bits & 1))
    bits = uint64_t(int64_t(random()) >> (bits >> 8 & 63));
  return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

template <typename Real> bool isSame(Elem to, Real x, Real value, const Expected<Real> &want) {
  if (want.nan)
    return std::isnan(value);
  return value == want.value && (isInt(to) || std::isnan(x) || std::signbit(value) == std::signbit(want.value));
}

void checkPair(const Kernels &kernels, Elem from, Elem to, const Name &layout, int mode, bool sat) {
  constexpr int kRows = 64, kCols = 64, kValidRows = 19, kValidCols = 61; // whole boxes of 4-bit elements
  TestTile src(layout, from, kRows, kCols, kValidRows, kValidCols, 1);
  TestTile dst(layout, to, kRows, kCols, kValidRows, kValidCols, 2);
  std::mt19937_64 random(unsigned(from) * 64 + unsigned(to));
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c)
      src.set(r, c, sourceBits(from, random));
  const TestTile before = dst;
  Operands ops;
  ops.tiles = 2;
  ops.tile[0] = dst.view();
  ops.tile[1] = src.view();
  ops.mode = convertMode(uint32_t(mode), sat);
  kernels.TCVT(ops);
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) {
      const uint64_t got = dst.get(r, c);
      if (r >= kValidRows || c >= kValidCols) {
        ASSERT_EQ(got, before.get(r, c)) << "outside, at " << r << ", " << c;
        continue;
      }
      const Exact x = valueOf(from, src.get(r, c)), value = valueOf(to, got);
      const Expected<Exact> want = expected(from, to, x, mode, sat);
      ASSERT_TRUE(isSame(to, x, value, want)) << "elements " << int(from) << " to " << int(to) << ": " << double(x)
                                              << " gives " << double(value) << ", not " << double(want.value);
    }
}

constexpr Elem kElems[] = {Elem::i8,  Elem::u8,   Elem::i16, Elem::u16,  Elem::i32,  Elem::u32,    Elem::i64,
                           Elem::f16, Elem::bf16, Elem::f32, Elem::e4m3, Elem::e5m2, Elem::e2m1x2, Elem::e1m2x2};

/// One row with every value of a type of at most 16 bits; wide types have special
/// values and random ones.
struct Sources {
  TestTile tile;

  static int count(Elem elem) { return widthBits(elem) <= 16 ? 1 << widthBits(elem) : 2000; }
  explicit Sources(Elem elem) : tile(kND, elem, 1, (count(elem) + 63) / 64 * 64, 1, count(elem), 1) {
    std::mt19937_64 random{unsigned(elem)};
    for (int c = 0; c < count(elem); ++c)
      tile.set(0, c, widthBits(elem) <= 16 ? uint64_t(c) : sourceBits(elem, random));
  }
};

template <typename Real> void checkAll(Sources &sources, Elem from, Elem to, int mode, bool sat) {
  const int count = sources.tile.ref.validCols;
  const KernelLevels &levels = hostLevels();
  std::vector<TestTile> results(levels.count, TestTile(kND, to, 1, sources.tile.ref.cols, 1, count, 2));
  for (size_t i = 0; i < levels.count; ++i) {
    Operands ops;
    ops.tiles = 2;
    ops.tile[0] = results[i].view();
    ops.tile[1] = sources.tile.view();
    ops.mode = convertMode(uint32_t(mode), sat);
    levels.level[i]->TCVT(ops);
    ASSERT_TRUE(results[i].memory.bytes == results[0].memory.bytes) << "bits of level " << levels.level[i]->level;
  }
  for (int c = 0; c < count; ++c) {
    const Real x = valueOf<Real>(from, sources.tile.memory.get(from, c)),
               value = valueOf<Real>(to, results[0].memory.get(to, c));
    const Expected<Real> want = expected(from, to, x, mode, sat);
    ASSERT_TRUE(isSame(to, x, value, want)) << "mode " << mode << " sat " << sat << ": " << double(x) << " gives "
                                            << double(value) << ", not " << double(want.value);
  }
}

// TCVT-1, TCVT-2, TCVT-4, TCVT-5, TCVT-6, TCVT-7.
TEST(TileConvert, EveryPairRoundsOnce) {
  Sample sample(3);
  for (Elem from : kElems) {
    Sources sources(from);
    for (Elem to : kElems)
      if (converts(from, to))
        // Nothing is rounded where an integer becomes one.
        for (int mode = 0; mode <= (isInt(from) && isInt(to) ? 1 : 6); ++mode)
          for (bool sat : {true, false}) {
            if (!sample.next())
              continue;
            SCOPED_TRACE("elements " + std::to_string(int(from)) + " to " + std::to_string(int(to)));
            (from == Elem::i64 || to == Elem::i64 ? checkAll<Exact> : checkAll<double>)(sources, from, to, mode, sat);
          }
  }
}

TEST(TileConvert, EveryLayout) {
  atEveryLevel([](const Kernels &kernels) {
    for (const Name &layout : {kDN, kNZ, kZN})
      for (auto [from, to] : {std::pair{Elem::f32, Elem::f16},
                              {Elem::f16, Elem::f32},
                              {Elem::f32, Elem::i8},
                              {Elem::bf16, Elem::e2m1x2},
                              {Elem::e2m1x2, Elem::bf16},
                              {Elem::i64, Elem::i32}})
        checkPair(kernels, from, to, layout, 1, true);
  });
}

// TCVT-5.
TEST(TileConvert, Hif8HoldsPowersOfTwo) {
  atEveryLevel([](const Kernels &kernels) {
    TestTile a(kND, Elem::f32, 1, 32, 1, 32, 1), b(kND, Elem::hif8, 1, 32, 1, 32, 2),
        c(kND, Elem::f32, 1, 32, 1, 32, 3);
    for (int i = 0; i < 32; ++i) {
      const float value = std::ldexp(i % 2 ? -1.0f : 1.0f, i - 16);
      std::memcpy(a.memory.data() + 4 * i, &value, 4);
    }
    Operands ops;
    ops.tiles = 2;
    ops.mode = convertMode(2, true);
    ops.tile[0] = b.view(), ops.tile[1] = a.view();
    kernels.TCVT(ops);
    ops.tile[0] = c.view(), ops.tile[1] = b.view();
    kernels.TCVT(ops);
    EXPECT_EQ(std::memcmp(a.memory.data(), c.memory.data(), 128), 0);
    EXPECT_EQ(b.get(0, 16), 0x08u); // 1.0
  });
}

float floatOf(uint64_t bits) {
  const auto word = uint32_t(bits);
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}
uint64_t bitsOfFloat(float value) {
  uint32_t word;
  std::memcpy(&word, &value, 4);
  return word;
}

// TQUANT-1, TQUANT-2.
TEST(TileQuantise, Int8PerRow) {
  atEveryLevel([](const Kernels &kernels) {
    for (bool asymmetric : {false, true}) {
      const Elem elem = asymmetric ? Elem::u8 : Elem::i8;
      TestTile dst(kND, elem, 8, 64, 7, 45, 1), src(kND, Elem::f32, 8, 64, 7, 45, 2);
      TestTile scale(kDN, Elem::f32, 8, 1, 7, 1, 3), offset(kDN, Elem::f32, 8, 1, 7, 1, 4),
          back(kND, Elem::f32, 8, 64, 7, 45, 5);
      for (int r = 0; r < 8; ++r) {
        scale.set(r, 0, bitsOfFloat(0.25f + 0.3f * float(r)));
        offset.set(r, 0, bitsOfFloat(float(r * 10)));
        for (int c = 0; c < 64; ++c)
          src.set(r, c, bitsOfFloat(c == 3 ? NAN : c == 4 ? 1e30f : float(c - 30) * 7.5f));
      }
      Operands ops;
      ops.tiles = asymmetric ? 4 : 3;
      ops.tile[0] = dst.view(), ops.tile[1] = src.view(), ops.tile[2] = scale.view(), ops.tile[3] = offset.view();
      kernels.TQUANT(ops);
      ops.tiles = 4;
      ops.tile[0] = back.view(), ops.tile[1] = dst.view();
      kernels.TDEQUANT(ops);
      for (int r = 0; r < 7; ++r)
        for (int c = 0; c < 45; ++c) {
          const float s = floatOf(scale.get(r, 0)), o = floatOf(offset.get(r, 0));
          float x = floatOf(src.get(r, c)) * s;
          if (asymmetric)
            x = x + o;
          const double low = asymmetric ? 0 : -128, high = asymmetric ? 255 : 127;
          const double want = std::isnan(x) ? std::min(std::max(0.0, low), high)
                                            : std::min(std::max(std::nearbyint(double(x)), low), high);
          ASSERT_EQ(double(valueOf(elem, dst.get(r, c))), want) << r << ", " << c;
          const float again = (float(want) - o) * s;
          ASSERT_EQ(floatOf(back.get(r, c)), again) << r << ", " << c;
        }
    }
  });
}

// TQUANT-3, HMEAN-5, HMEAN-6, HMEAN-7.
float upperHalf(float value) { return floatOf(bitsOfFloat(value) & 0xffff0000); }
TEST(TileQuantise, GroupsShareAnExponent) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::e4m3, Elem::e2m1x2}) {
      TestTile dst(kND, elem, 4, 128, 3, 100, 1), src(kND, Elem::f32, 4, 128, 3, 100, 2);
      TestTile exponent(kND, Elem::u8, 4, 32, 3, 4, 3), max(kND, Elem::f32, 4, 8, 3, 4, 4),
          scaling(kND, Elem::f32, 4, 8, 3, 4, 5);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 128; ++c)
          src.set(r, c, bitsOfFloat(r == 2 ? 0.0f : std::ldexp(float((c * 37 + r) % 101 - 50), c / 32 * 5 - 7)));
      Operands ops;
      ops.tiles = 5;
      TestTile *tiles[] = {&dst, &src, &exponent, &max, &scaling};
      for (int i = 0; i < 5; ++i)
        ops.tile[i] = tiles[i]->view();
      kernels.TQUANT_MX(ops);
      const int largest = elem == Elem::e4m3 ? 8 : 2;
      for (int r = 0; r < 3; ++r)
        for (int g = 0; g < 4; ++g) {
          float most = 0;
          for (int c = g * 32; c < std::min(100, g * 32 + 32); ++c)
            most = std::max(most, std::fabs(floatOf(src.get(r, c))));
          const int shared = most == 0 ? -127 : std::max(-127, std::ilogb(most) - largest);
          ASSERT_EQ(exponent.get(r, g), uint64_t(shared + 127));
          // By their number, whatever the shape of the tile.
          const int number = r * 4 + g;
          ASSERT_EQ(floatOf(max.get(number / 8, number % 8)), elem == Elem::e4m3 ? most : upperHalf(most));
          ASSERT_EQ(floatOf(scaling.get(number / 8, number % 8)), std::ldexp(1.0f, -shared));
          for (int c = g * 32; c < std::min(100, g * 32 + 32); ++c) {
            const Exact x = std::ldexp(Exact(floatOf(src.get(r, c))), -shared);
            ASSERT_EQ(double(valueOf(elem, dst.get(r, c))), double(expected(Elem::f32, elem, x, 1, true).value))
                << r << ", " << c;
          }
        }
    }
  });
}

} // namespace
