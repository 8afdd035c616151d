//===- RearrangeTest.cpp - rearranging meanings against plain models ------===//
//
// Makes one test per function and variant of Rearrange.h; a function without a
// model here does not compile. Models follow docs/isa/12-rearrange.md.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "Registers.h"
#include "ptoscope/Meaning/ForEach.h"
#include "ptoscope/Meaning/Masks.h"

#include <bit>

namespace reference {

static constexpr int kRounds = 20;

/// z = a || b, lane k.
static uint64_t laneOfBoth(const Register &a, const Register &b, int width, int k) {
  int lanes = 256 / width;
  return k < lanes ? a.lane(width, k) : b.lane(width, k - lanes);
}

template <typename Fn> static void vdup_lane(std::string_view variant, Fn function) {
  int width = widthOf(variant), lanes = 256 / width;
  Random random(1);
  Register v = randomRegister(random);
  for (int lane = 0; lane < lanes; ++lane) {
    Register r = garbage(), expected;
    for (int i = 0; i < lanes; ++i)
      expected.setLane(width, i, v.lane(width, lane));
    function(&r, &v, int64_t(lane));
    expectEqual(r, expected);
  }
}

/// A scalar that becomes what the function takes.
struct Scalar {
  Bits bits;
  operator int8_t() const { return int8_t(bits); }
  operator int16_t() const { return int16_t(bits); }
  operator int32_t() const { return int32_t(bits); }
  operator _Float16() const { return std::bit_cast<_Float16>(uint16_t(bits)); }
  operator float() const { return std::bit_cast<float>(uint32_t(bits)); }
};

template <typename Fn> static void vci(std::string_view variant, Fn function) {
  Type type = variant.starts_with("i8")    ? Type{8}
              : variant.starts_with("i16") ? Type{16}
              : variant.starts_with("i32") ? Type{32}
              : variant.starts_with("f16") ? Type{16, true, 10}
                                           : Type{32, true, 23};
  bool descending = variant.ends_with("DESC");
  int width = type.width / 8;
  Random random(2);
  std::vector<Bits> bases = {0, 1, type.mask(), type.sign(), type.sign() - 1, type.mask() - 100};
  if (type.isFloat())
    for (double base : {-100.0, 0.5, 1000.25, 2047.5, 2048.0, 4096.0, 65503.0, 16777215.0, -16777216.0})
      bases.push_back(fromReal(type, base));
  for (int i = 0; i < 200; ++i)
    bases.push_back(random() & type.mask());
  for (Bits base : bases) {
    Register r = garbage(), expected;
    for (int i = 0; i < 256 / width; ++i)
      if (type.isFloat()) { // base -0: -0 + 0 is +0, -0 - 0 is -0
        double value = toDouble(type, base), number = i;
        expected.setLane(width, i, fromReal(type, descending ? value - number : value + number));
      } else {
        expected.setLane(width, i, descending ? base - Bits(i) : base + Bits(i));
      }
    function(&r, Scalar{base});
    expectEqual(r, expected);
  }
}

static void interleaved(int width, const Register &a, const Register &b, Register &lo, Register &hi) {
  int half = 256 / width / 2;
  for (int i = 0; i < half; ++i) {
    lo.setLane(width, 2 * i, a.lane(width, i));
    lo.setLane(width, 2 * i + 1, b.lane(width, i));
    hi.setLane(width, 2 * i, a.lane(width, half + i));
    hi.setLane(width, 2 * i + 1, b.lane(width, half + i));
  }
}

static void deinterleaved(int width, const Register &a, const Register &b, Register &lo, Register &hi) {
  for (int i = 0; i < 256 / width; ++i) {
    lo.setLane(width, i, laneOfBoth(a, b, width, 2 * i));
    hi.setLane(width, i, laneOfBoth(a, b, width, 2 * i + 1));
  }
}

template <typename Fn, typename Model> static void pairs(std::string_view variant, Fn function, Model model) {
  Random random(3);
  for (int round = 0; round < kRounds; ++round) {
    Register a = randomRegister(random), b = randomRegister(random);
    Register lo = garbage(), hi = garbage(), low, high;
    model(widthOf(variant), a, b, low, high);
    function(&lo, &hi, &a, &b);
    expectEqual(lo, low);
    expectEqual(hi, high);
  }
}
template <typename Fn> static void vintlv(std::string_view variant, Fn function) {
  pairs(variant, function, interleaved);
}
template <typename Fn> static void vdintlv(std::string_view variant, Fn function) {
  pairs(variant, function, deinterleaved);
}

template <typename Fn, typename Model> static void halves(std::string_view variant, Fn function, Model model) {
  Random random(4);
  for (int round = 0; round < kRounds; ++round) {
    Register a = randomRegister(random), b = randomRegister(random), r = garbage(), low, high;
    model(widthOf(variant), a, b, low, high);
    function(&r, &a, &b);
    expectEqual(r, isHigher(variant) ? high : low);
  }
}
template <typename Fn> static void vintlvv2(std::string_view variant, Fn function) {
  halves(variant, function, interleaved);
}
template <typename Fn> static void vdintlvv2(std::string_view variant, Fn function) {
  halves(variant, function, deinterleaved);
}

/// In range and beyond: taken modulo the number of lanes.
template <typename Fn> static void vselr(std::string_view variant, Fn function) {
  int width = widthOf(variant), lanes = 256 / width;
  Random random(5);
  for (int round = 0; round < kRounds; ++round) {
    Register v = randomRegister(random), index = randomRegister(random), r = garbage(), expected;
    if (round % 2)
      for (int i = 0; i < lanes; ++i)
        index.setLane(width, i, random() % uint64_t(lanes));
    for (int i = 0; i < lanes; ++i)
      expected.setLane(width, i, v.lane(width, int(index.lane(width, i) % uint64_t(lanes))));
    function(&r, &v, &index);
    expectEqual(r, expected);
  }
}

template <typename Fn> static void vslide(std::string_view variant, Fn function) {
  int width = widthOf(variant), lanes = 256 / width;
  Random random(6);
  Register a = randomRegister(random), b = randomRegister(random);
  for (int n = 0; n <= lanes; ++n) {
    Register r = garbage(), expected;
    for (int i = 0; i < lanes; ++i)
      expected.setLane(width, i, i >= n ? a.lane(width, i - n) : b.lane(width, lanes - n + i));
    function(&r, &a, &b, int64_t(n));
    expectEqual(r, expected);
  }
}

template <typename Fn> static void vshift(std::string_view variant, Fn function) {
  int width = widthOf(variant), lanes = 256 / width;
  Random random(7);
  Register a = randomRegister(random);
  for (int n = 0; n <= lanes; ++n) {
    Register r = garbage(), expected;
    for (int i = 0; i < lanes; ++i)
      expected.setLane(width, i, i >= n ? a.lane(width, i - n) : 0);
    function(&r, &a, int64_t(n));
    expectEqual(r, expected);
  }
}

template <typename Fn> static void vsqz(std::string_view variant, Fn function) {
  int width = widthOf(variant), lanes = 256 / width;
  Random random(8);
  auto check = [&](const Mask &mask, const uint64_t *words) {
    Register v = randomRegister(random), r = garbage(), expected = zeros();
    int next = 0;
    for (int i = 0; i < lanes; ++i)
      if (mask.on(width, i))
        expected.setLane(width, next++, v.lane(width, i));
    function(&r, &v, words);
    expectEqual(r, expected);
  };
  for (const Mask &mask : manyMasks(random))
    check(mask, Words(mask).word);
  check(allOn(), nullptr);
}

template <typename Fn> static void vusqz(std::string_view variant, Fn function) {
  int width = widthOf(variant), lanes = 256 / width;
  Random random(9);
  auto check = [&](const Mask &mask, const uint64_t *words) {
    Register r = garbage(), expected;
    uint64_t count = 0;
    for (int i = 0; i < lanes; ++i) {
      expected.setLane(width, i, count);
      count += mask.on(width, i);
    }
    function(&r, words);
    expectEqual(r, expected);
  };
  for (const Mask &mask : manyMasks(random))
    check(mask, Words(mask).word);
  check(allOn(), nullptr);
}

template <typename Fn> static void vpack(std::string_view variant, Fn function) {
  int width = widthOf(variant), lanes = 256 / width;
  Random random(10);
  for (int round = 0; round < kRounds; ++round) {
    Register v = randomRegister(random), r = garbage(), expected = zeros();
    for (int i = 0; i < lanes; ++i)
      expected.setLane(width / 2, i + (isHigher(variant) ? lanes : 0), v.lane(width, i));
    function(&r, &v);
    expectEqual(r, expected);
  }
}

template <typename Fn> static void vpack2(std::string_view variant, Fn function) {
  int width = widthOf(variant), lanes = 256 / width;
  Random random(11);
  for (int round = 0; round < kRounds; ++round) {
    Register a = randomRegister(random), b = randomRegister(random), r = garbage(), expected;
    for (int i = 0; i < 2 * lanes; ++i)
      expected.setLane(width / 2, i, laneOfBoth(a, b, width, i));
    function(&r, &a, &b);
    expectEqual(r, expected);
  }
}

template <typename Fn> static void unpack(std::string_view variant, Fn function, bool isSigned) {
  int width = widthOf(variant), lanes = 256 / width;
  Random random(12);
  for (int round = 0; round < kRounds; ++round)
    for (int part : {0, 1}) {
      Register v = randomRegister(random), r = garbage(), expected;
      for (int i = 0; i < lanes / 2; ++i)
        expected.setLane(2 * width, i, uint64_t(toInteger({8 * width, isSigned}, v.lane(width, i + part * lanes / 2))));
      function(&r, &v, int64_t(part));
      expectEqual(r, expected);
    }
}
template <typename Fn> static void vsunpack(std::string_view variant, Fn function) { unpack(variant, function, true); }
template <typename Fn> static void vzunpack(std::string_view variant, Fn function) { unpack(variant, function, false); }

} // namespace reference

#define PTOM_TEST(op, variant)                                                                                         \
  TEST(op, variant) {                                                                                                  \
    reference::op(#variant, [](auto... arguments) { return op<variant>(arguments...); });                              \
  }
#undef PTOM_FUNCTIONS
#define PTOM_FUNCTIONS(op, parameters, arguments, ...) PTOM_FOR_EACH(PTOM_TEST, op, __VA_ARGS__)

#include "ptoscope/Meaning/Rearrange.h"
