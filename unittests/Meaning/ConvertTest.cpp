//===- ConvertTest.cpp - conversions against the exact model --------------===//
//
// Every legal combination of types and attributes. The first part of each goes
// through all inputs of 8 and 16 bits, and for f32 through the numbers of the
// result type, the middles between them and their neighbours; other parts see a
// sample. Lanes that are not converted hold noise; whole groups are compared.
//
//===----------------------------------------------------------------------===//

#include "../Support/ExactFormats.h"
#include "Reference.h"
#include "ptoscope/Meaning/Vec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace ptoscope::meaning {

using Inputs = std::vector<uint64_t>;

/// A number of f32 with its neighbours, of both signs.
static void addFloats(Inputs &inputs, double value) {
  uint32_t bits = std::bit_cast<uint32_t>(float(value)) & 0x7FFFFFFF;
  for (uint32_t near : {bits - 1, bits, bits + 1})
    for (uint32_t sign : {0u, 0x80000000u})
      inputs.push_back((near & 0x7FFFFFFF) | sign);
}

static double valueOf(exact::Number x) {
  return x.kind == exact::Number::Finite ? std::ldexp(double(x.digits), x.exponent) : HUGE_VAL;
}

/// Where rounding or clamping to `to` changes its mind.
static Inputs floatInputs(const exact::Type &to) {
  Inputs inputs;
  for (uint32_t exponent = 0; exponent < 256; ++exponent)
    for (uint32_t fraction : {0u, 1u, 0x3FFFFFu, 0x400000u, 0x400001u, 0x7FFFFFu})
      for (uint32_t sign : {0u, 0x80000000u})
        inputs.push_back(sign | exponent << 23 | fraction);
  if (to.isFloat()) {
    uint64_t codes = uint64_t(1) << (to.width - 1);
    double before = 0;
    for (uint64_t code = 0; code < codes; code += codes > 0x8000 ? codes / 0x8000 : 1) {
      exact::Number number = exact::decode(to, code);
      if (number.kind != exact::Number::Finite)
        continue;
      double value = valueOf(number);
      addFloats(inputs, value);
      addFloats(inputs, (value + before) / 2);
      before = value;
    }
    double max = valueOf(to.max);
    for (double factor : {1.0, 1.0001, 1.01, 1.0625, 1.125, 1.2, 1.25, 1.3, 1.5, 2.0})
      addFloats(inputs, max * factor);
  } else {
    for (int i = 0; i < 1200; ++i)
      addFloats(inputs, i / 4.0);
    for (int shift = 7; shift < 66; ++shift)
      for (double step : {-1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5})
        addFloats(inputs, std::ldexp(1.0, shift) + step);
  }
  return inputs;
}

/// Powers of two and their surroundings; ties of every significand of 24 bits.
static Inputs integerInputs(int width) {
  Inputs inputs;
  for (int shift = 0; shift < width; ++shift)
    for (int64_t step = -3; step <= 3; ++step)
      for (uint64_t power : {uint64_t(1) << shift, uint64_t(0x800001) << shift, uint64_t(0xFFFFFF) << shift,
                             uint64_t(0x1000001) << shift, uint64_t(0x1000003) << shift})
        for (uint64_t value : {power + step, 0 - power + step})
          inputs.push_back(value);
  return inputs;
}

static Inputs inputsFor(const exact::Type &from, const exact::Type &to, bool sample) {
  int width = from.lane();
  uint64_t mask = ~uint64_t(0) >> (64 - width);
  std::mt19937_64 random(width);
  Inputs inputs;
  if (width <= 16 && !sample) {
    for (uint64_t bits = 0; bits <= mask; ++bits)
      inputs.push_back(bits);
    return inputs;
  }
  if (!sample)
    inputs = from.isFloat() ? floatInputs(to) : integerInputs(width);
  for (int i = 0; i < (sample ? 4096 : 1 << 16); ++i) {
    uint64_t bits = random();
    inputs.push_back(from.isFloat() ? bits : bits >> (random() % width)); // integers of every size
  }
  for (uint64_t &input : inputs)
    input &= mask;
  return inputs;
}

/// Lane by lane in the bytes of a group.
static uint64_t getLane(const uint8_t *bytes, int width, int lane) {
  uint64_t value = 0;
  std::memcpy(&value, bytes + lane * width / 8, width / 8);
  return value;
}
static void setLane(uint8_t *bytes, int width, int lane, uint64_t value) {
  std::memcpy(bytes + lane * width / 8, &value, width / 8);
}

struct Attributes {
  char rounding;
  std::string_view sat;
  int part;
};

/// CVT-9 to CVT-12. Two 4-bit floats share a byte: byte 4k + part, elements 2k and
/// 2k + 1.
static void expected(const uint8_t *source, uint8_t *result, const exact::Type &from, const exact::Type &to,
                     Attributes at) {
  auto converted = [&](uint64_t bits) { return exact::convert(from, bits, to, at.rounding, at.sat); };
  std::memset(result, 0, 64);
  if (to.isPair()) {
    for (int k = 0; k < 16; ++k)
      result[4 * k + at.part] =
          uint8_t(converted(getLane(source, 16, 2 * k)) | converted(getLane(source, 16, 2 * k + 1)) << 4);
    return;
  }
  if (from.isPair()) {
    for (int k = 0; k < 32; ++k)
      setLane(result, 16, k, converted((source[k / 2 * 4 + at.part] >> (k % 2 * 4)) & 15));
    return;
  }
  int ws = from.width, wd = to.width, ratio = std::max(ws, wd) / std::min(ws, wd);
  for (int i = 0; i < 512 / std::max(ws, wd); ++i)
    setLane(result, wd, ws > wd ? ratio * i + at.part : i,
            converted(getLane(source, ws, ws < wd ? ratio * i + at.part : i)));
}

/// An instruction on the bytes of groups. A plain pointer: hundreds of them share
/// one copy of the loops below.
using Unary = void (*)(const uint8_t *source, uint8_t *result);
using Binary = void (*)(const uint8_t *a, const uint8_t *b, uint8_t *result);

template <typename T> static Group<T> get(const uint8_t *bytes) {
  Group<T> group;
  std::memcpy(&group, bytes, sizeof(group));
  return group;
}
template <typename V> static void put(uint8_t *bytes, V group) { std::memcpy(bytes, &group, sizeof(group)); }

/// Runs whole groups and stops at the first that differs.
static void checkConversion(std::string_view sourceType, std::string_view resultType, Attributes at, bool sample,
                            Unary fn) {
  const exact::Type &from = exact::typeOf(sourceType), &to = exact::typeOf(resultType);
  int ws = from.lane(), wd = to.lane();
  std::mt19937_64 random(7);
  Inputs inputs = inputsFor(from, to, sample);
  // Lanes of the source that are converted: all, or one of each slot.
  int step = from.isPair() ? 4 : std::max(1, wd / ws);
  size_t perGroup = size_t(512 / ws / step);
  for (size_t start = 0; start < inputs.size(); start += perGroup) {
    uint8_t source[64], result[64], model[64];
    for (int i = 0; i < 8; ++i)
      setLane(source, 64, i, random());
    for (size_t i = 0; i < perGroup && start + i < inputs.size(); ++i)
      setLane(source, ws, int(i) * step + (step > 1 ? at.part : 0), inputs[start + i]);
    fn(source, result);
    expected(source, model, from, to, at);
    if (std::memcmp(result, model, 64) == 0)
      continue;
    for (int lane = 0; lane < 512 / wd; ++lane)
      EXPECT_EQ(getLane(result, wd, lane), getLane(model, wd, lane)) << "lane " << lane;
    std::string text;
    for (int lane = 0; lane < 512 / ws; ++lane)
      text += std::to_string(getLane(source, ws, lane)) + " ";
    FAIL() << "first group that differs, source lanes " << text;
  }
}

/// Masks rely on it.
static void checkZero(Unary fn) {
  uint8_t zero[64] = {}, result[64];
  fn(zero, result);
  EXPECT_EQ(std::memcmp(result, zero, 64), 0);
}

static void checkTruncation(std::string_view name, char rounding, Unary fn) {
  const exact::Type &type = exact::typeOf(name);
  int width = type.width;
  Inputs inputs = inputsFor(type, exact::typeOf("i32"), false);
  for (size_t start = 0; start + size_t(512 / width) <= inputs.size(); start += size_t(512 / width)) {
    uint8_t source[64], result[64];
    for (int i = 0; i < 512 / width; ++i)
      setLane(source, width, i, inputs[start + i]);
    fn(source, result);
    for (int i = 0; i < 512 / width; ++i)
      ASSERT_EQ(getLane(result, width, i), exact::integral(type, inputs[start + i], rounding))
          << std::hex << inputs[start + i];
  }
}

static uint64_t modelOf(std::string_view op, std::string_view type, uint64_t a, uint64_t b) {
  reference::Type t = type == "f32"   ? reference::Type{32, true, 23}
                      : type == "f16" ? reference::Type{16, true, 10}
                                      : reference::Type{16, true};
  if (op == "vmulconv")
    return reference::vmul(t, a, b);
  uint64_t sum = reference::vadd(t, a, b);
  return t.isNaN(sum) ? t.quietNaN() : sum & t.sign() ? 0 : sum;
}

/// The result of the arithmetic, converted with R and SAT into even lanes, or
/// exactly from even lanes.
static void checkFused(std::string_view op, std::string_view sourceType, std::string_view resultType, Binary fn) {
  const exact::Type &from = exact::typeOf(sourceType), &to = exact::typeOf(resultType);
  int width = from.width, lanes = 512 / width;
  Inputs a = inputsFor(from, to, false), b = a;
  std::mt19937_64 random(11);
  std::shuffle(b.begin(), b.end(), random);
  for (size_t start = 0; start + size_t(lanes) <= a.size(); start += size_t(lanes)) {
    uint8_t x[64], y[64], between[64], wanted[64], result[64];
    for (int i = 0; i < lanes; ++i) {
      setLane(x, width, i, a[start + i]);
      setLane(y, width, i, b[start + i]);
      setLane(between, width, i, modelOf(op, sourceType, a[start + i], b[start + i]));
    }
    expected(between, wanted, from, to, {'R', to.width < from.width ? "SAT" : "", 0});
    fn(x, y, result);
    ASSERT_EQ(std::memcmp(result, wanted, 64), 0) << "at input " << start;
  }
}

} // namespace ptoscope::meaning

#define PTOM_TRUNCATION(type, rnd)                                                                                     \
  TEST(Vtrc_##type, rnd) {                                                                                             \
    checkTruncation(#type, #rnd[0], [](const uint8_t *source, uint8_t *result) {                                       \
      put(result, vtrc<type, roundingOf(#rnd)>(get<type>(source)));                                                    \
    });                                                                                                                \
  }
#define PTOM_FUSED_CONVERSION(op, src, dst)                                                                            \
  TEST(op, src##_##dst) {                                                                                              \
    checkFused(#op, #src, #dst, [](const uint8_t *a, const uint8_t *b, uint8_t *result) {                              \
      put(result, op<src, dst>(get<src>(a), get<src>(b)));                                                             \
    });                                                                                                                \
  }

#include "ptoscope/Meaning/Convert.h"

namespace ptoscope::meaning {

// A table of functions: hundreds of tests of their own would take minutes to
// compile.
#undef PTOM_CONVERSION
#define PTOM_CONVERSION(src, dst, rnd, sat, part)                                                                      \
  {#src "_" #dst "_" #rnd #sat #part,                                                                                  \
   #src,                                                                                                               \
   #dst,                                                                                                               \
   {#rnd[0], #sat, partOf(#part)},                                                                                     \
   [](const uint8_t *source, uint8_t *result) {                                                                        \
     put(result, vcvt<src, dst, roundingOf(#rnd), saturates(#sat), partOf(#part)>(get<src>(source)));                  \
   }},

struct Case {
  const char *name;
  std::string_view source, result;
  Attributes attributes;
  Unary fn;
};
static const Case kCases[] = {PTOM_EACH_CONVERSION};

class Vcvt : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Vcvt, testing::ValuesIn(kCases), [](const auto &info) { return info.param.name; });

TEST_P(Vcvt, IsExactlyRounded) {
  const Case &it = GetParam();
  bool sample = it.attributes.part != 0;
  checkConversion(it.source, it.result, it.attributes, sample, it.fn);
  checkZero(it.fn);
}

template <typename S, typename D, Rounding R, bool Sat>
static uint64_t one(std::type_identity_t<typename S::Elem> value) {
  return toBits<D>(vcvt<S, D, R, Sat, 0>(splat<S>(value)))[0];
}

/// The conformance vectors of docs/isa/21-convert.md: RND-1 to RND-4, CVAL-2, CVAL-4,
/// CVAL-5, CVAL-8 to CVAL-11, FMT-2, FMT-5, FMT-8, FMT-9.
TEST(ConvertTest, ConformanceVectors) {
  constexpr auto R = Rounding::Even;
  auto half = [](float x) { return one<f32, f16, Rounding::Even, false>(x); };
  EXPECT_EQ((one<f32, f16, R, true>(NAN)), 0x0000u);
  EXPECT_EQ((one<f32, f16, R, true>(INFINITY)), 0x7BFFu);
  EXPECT_EQ((one<f32, f16, R, true>(-INFINITY)), 0xFBFFu);
  EXPECT_EQ((one<f32, f16, R, true>(1e9f)), 0x7BFFu);
  EXPECT_EQ(half(NAN), 0x7E00u);
  EXPECT_EQ(half(INFINITY), 0x7C00u);
  EXPECT_EQ(half(1e9f), 0x7C00u);
  EXPECT_EQ(half(0.33333334f), 0x3555u);
  EXPECT_EQ(half(2049), 0x6800u);
  EXPECT_EQ(half(2051), 0x6802u);
  EXPECT_EQ(half(1e-8f), 0x0000u);
  EXPECT_EQ(half(3e-8f), 0x0001u);
  EXPECT_EQ(half(123.75f), 0x57BCu);
  EXPECT_EQ((one<f32, f16, Rounding::Away, false>(2049)), 0x6801u);
  EXPECT_EQ((one<f32, f16, Rounding::Zero, false>(2049)), 0x6800u);
  EXPECT_EQ((one<f32, f16, Rounding::Odd, false>(2049)), 0x6801u);
  EXPECT_EQ(int16_t(one<i32, i16, Rounding::None, true>(40000)), 32767);
  EXPECT_EQ(int16_t(one<i32, i16, Rounding::None, false>(40000)), -25536);
  EXPECT_EQ((one<u32, u8, Rounding::None, true>(256)), 255u);
  EXPECT_EQ((one<u32, u8, Rounding::None, true>(0xFFFFFFFF)), 255u);
  EXPECT_EQ((one<i16, u8, Rounding::None, true>(-5)), 0u);
  EXPECT_EQ((one<i16, u8, Rounding::None, true>(300)), 255u);
  EXPECT_EQ((one<i16, u32, Rounding::None, true>(-5)), 0u);
  EXPECT_EQ((one<f16, u8, R, false>(-5)), 251u);
  EXPECT_EQ(std::bit_cast<float>(uint32_t(one<i64, f32, R, true>(16777217))), 16777216.0f);
  EXPECT_EQ(std::bit_cast<float>(uint32_t(one<i64, f32, R, true>(16777219))), 16777220.0f);
  struct {
    float value;
    unsigned code;
  } hif[] = {{1, 0x08}, {2, 0x10}, {3, 0x14}, {0.1f, 0x52}, {100, 0x4A}, {1000, 0x64}, {40959, 0x6E}, {40960, 0x6F}};
  for (auto [value, code] : hif)
    EXPECT_EQ((one<f32, hif8, Rounding::Away, false>(value)), code) << value;
  EXPECT_EQ((one<f32, hif8, Rounding::Away, true>(40960)), 0x6Eu);
  EXPECT_EQ((one<f32, e4m3, R, true>(1)), 0x38u);
  EXPECT_EQ((one<f32, e4m3, R, true>(2)), 0x40u);
  EXPECT_EQ((one<f32, e4m3, R, true>(448)), 0x7Eu);
  EXPECT_EQ((one<f32, e4m3, R, true>(1000)), 0x7Eu);
  EXPECT_EQ((one<bf16, e2m1x2, R, true>(0x4020)), 0x44u); // 2.5
  EXPECT_EQ((one<bf16, e2m1x2, R, true>(0x40A0)), 0x66u); // 5
  EXPECT_EQ((one<bf16, e2m1x2, R, true>(0x4110)), 0x77u); // 9
  float up[] = {2, 3, 2, 3, 2}, down[] = {-2, -3, -3, -2, -2};
  auto truncated = [](float x) {
    return std::vector<float>{vtrc<f32, Rounding::Even>(splat<f32>(x))[0], vtrc<f32, Rounding::Away>(splat<f32>(x))[0],
                              vtrc<f32, Rounding::Floor>(splat<f32>(x))[0], vtrc<f32, Rounding::Ceil>(splat<f32>(x))[0],
                              vtrc<f32, Rounding::Zero>(splat<f32>(x))[0]};
  };
  EXPECT_EQ(truncated(2.5f), std::vector<float>(up, up + 5));
  EXPECT_EQ(truncated(-2.5f), std::vector<float>(down, down + 5));
}

/// What the manual says of the model itself.
TEST(ConvertTest, ModelHasTheNumbersOfTheManual) {
  double e2m1[] = {0, .5, 1, 1.5, 2, 3, 4, 6};
  for (int code = 0; code < 8; ++code) {
    EXPECT_EQ(valueOf(exact::decode(exact::typeOf("e2m1x2"), code)), e2m1[code]);
    EXPECT_EQ(valueOf(exact::decode(exact::typeOf("e1m2x2"), code)), code * 0.25);
  }
  EXPECT_EQ(valueOf(exact::decode(exact::typeOf("hif8"), 0x08)), 1.0);
  EXPECT_EQ(valueOf(exact::decode(exact::typeOf("hif8"), 0x10)), 2.0);
  EXPECT_EQ(valueOf(exact::decode(exact::typeOf("hif8"), 0x6E)), 32768.0);
  EXPECT_EQ(valueOf(exact::decode(exact::typeOf("hif8"), 0x52)), 0.09375);
  EXPECT_EQ(valueOf(exact::decode(exact::typeOf("e4m3"), 0x7E)), 448.0);
  EXPECT_EQ(valueOf(exact::decode(exact::typeOf("e4m3"), 0x01)), std::ldexp(1.0, -9));
  EXPECT_EQ(valueOf(exact::decode(exact::typeOf("e5m2"), 0x7B)), 57344.0);
  EXPECT_EQ(valueOf(exact::decode(exact::typeOf("e5m2"), 0x01)), std::ldexp(1.0, -16));
}

TEST(ConvertTest, TableHasEveryPairOnce) {
  int current = 0;
  for (const Conversion &pair : kConversions) {
    EXPECT_EQ(findConversion<std::string_view>(pair.source, pair.result), &pair);
    current += pair.surface == ConversionSurface::Current;
  }
  EXPECT_EQ(current, 36);
  EXPECT_EQ(findConversion<std::string_view>("u64", "f32"), nullptr);
}

} // namespace ptoscope::meaning
