//===- LanesTest.cpp - every meaning against the plain model --------------===//
//
// Makes one test per instruction and element type of Lanes.h. Inputs: all of
// them for 8-bit pairs and 16-bit unary instructions; otherwise the cross
// product of special values, and random bits.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "ptoscope/Meaning/ForEach.h"
#include "ptoscope/Meaning/Vec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace ptoscope::meaning {

using reference::Bits;

template <typename T> constexpr reference::Type kType = {int(sizeof(typename T::Elem)) * 8, kIsSigned<T>};
template <> constexpr reference::Type kType<f16> = {16, true, 10};
template <> constexpr reference::Type kType<bf16> = {16, true, 7};
template <> constexpr reference::Type kType<f32> = {32, true, 23};

/// Edges of every kind: for floats zeros, denormals, powers of two and their
/// neighbours, infinities, quiet and signalling NaNs, both signs.
static std::vector<Bits> specialValues(reference::Type t) {
  std::vector<Bits> values;
  if (t.isFloat()) {
    Bits half = Bits(1) << (t.fraction - 1);
    int top = t.exponentMax(), bias = t.bias();
    for (int exponent :
         {0, 1, 2, bias - t.fraction - 1, bias - 1, bias, bias + 1, bias + t.fraction, top - 1, top})
      for (Bits fraction : {Bits(0), Bits(1), half - 1, half, half + 1, 2 * half - 1})
        for (Bits sign : {Bits(0), t.sign()})
          values.push_back(sign | Bits(exponent) << t.fraction | fraction);
  } else {
    for (int shift = 0; shift < t.width; ++shift)
      for (int step = -1; step <= 1; ++step) {
        values.push_back(((Bits(1) << shift) + Bits(step)) & t.mask());
        values.push_back((0 - (Bits(1) << shift) + Bits(step)) & t.mask());
      }
    values.push_back(0x5555555555555555 & t.mask());
    values.push_back(0xAAAAAAAAAAAAAAAA & t.mask());
  }
  return values;
}

/// Raw bits, and for floats often a pair of similar size, since sums of lanes
/// far apart are the larger one.
static std::vector<std::pair<Bits, Bits>> binaryInputs(reference::Type t) {
  std::vector<std::pair<Bits, Bits>> inputs;
  if (t.width == 8) {
    for (Bits a = 0; a < 256; ++a)
      for (Bits b = 0; b < 256; ++b)
        inputs.emplace_back(a, b);
    return inputs;
  }
  std::vector<Bits> values = specialValues(t);
  for (Bits a : values)
    for (Bits b : values)
      inputs.emplace_back(a, b);
  std::mt19937_64 random(t.width + t.fraction);
  for (int i = 0; i < 1 << 18; ++i) {
    Bits a = random() & t.mask(), b = random() & t.mask();
    if (t.isFloat() && i % 2) {
      Bits fraction = (Bits(1) << t.fraction) - 1;
      Bits step = Bits(i / 2 % 5) << t.fraction;
      b = (b & (fraction | t.sign())) | ((a + step) & ~(fraction | t.sign()) & t.mask());
    }
    inputs.emplace_back(a, b);
  }
  return inputs;
}

static std::vector<Bits> unaryInputs(reference::Type t) {
  std::vector<Bits> inputs;
  if (t.width <= 16) {
    for (Bits a = 0; a <= t.mask(); ++a)
      inputs.push_back(a);
    return inputs;
  }
  inputs = specialValues(t);
  std::mt19937_64 random(t.width);
  for (int i = 0; i < 1 << 18; ++i)
    inputs.push_back(random() & t.mask());
  return inputs;
}

template <typename T> static Group<T> load(const std::vector<typename T::Bits> &values, size_t at) {
  Group<T> group;
  std::memcpy(&group, values.data() + at, sizeof(group));
  return group;
}

/// What is expected of an instruction: arithmetic may return any NaN, and canon
/// then makes it the one of the model; what acts on bits is compared as it is.
enum class Compare { Canonical, Raw };
static constexpr Compare compareOf(std::string_view op) {
  return op == "vabs" || op == "vneg" || op == "canon" ? Compare::Raw : Compare::Canonical;
}

template <typename T> static bool agrees(Compare compare, Group<T> result, const typename T::Bits *expected) {
  if constexpr (kIsFloat<T>)
    if (compare == Compare::Canonical)
      result = canon<T>(result);
  return std::memcmp(&result, expected, sizeof(result)) == 0;
}

/// Runs whole groups; the inputs are padded with zeros. Stops at the first
/// group that differs.
template <typename T, typename Fn, typename Ref>
static void checkBinary(Compare compare, Fn instruction, Ref model) {
  using LaneBits = typename T::Bits;
  constexpr reference::Type type = kType<T>;
  std::vector<std::pair<Bits, Bits>> inputs = binaryInputs(type);
  inputs.resize((inputs.size() + kLanes<T> - 1) / kLanes<T> * kLanes<T>);
  std::vector<LaneBits> a, b, expected;
  for (auto [x, y] : inputs) {
    a.push_back(LaneBits(x));
    b.push_back(LaneBits(y));
    expected.push_back(LaneBits(model(type, x, y)));
  }
  for (size_t at = 0; at < inputs.size(); at += kLanes<T>) {
    Group<T> result = instruction(load<T>(a, at), load<T>(b, at));
    if (agrees<T>(compare, result, &expected[at]))
      continue;
    BitsGroup<T> bits = toBits<T>(result);
    for (int i = 0; i < kLanes<T>; ++i)
      EXPECT_EQ(Bits(bits[i]), Bits(expected[at + i]))
          << std::hex << "of 0x" << +a[at + i] << " and 0x" << +b[at + i];
    FAIL() << "first group that differs starts at input " << at;
  }
}

template <typename T, typename Fn, typename Ref>
static void checkUnary(Compare compare, Fn instruction, Ref model) {
  using LaneBits = typename T::Bits;
  constexpr reference::Type type = kType<T>;
  std::vector<Bits> inputs = unaryInputs(type);
  inputs.resize((inputs.size() + kLanes<T> - 1) / kLanes<T> * kLanes<T>);
  std::vector<LaneBits> a, expected;
  for (Bits x : inputs) {
    a.push_back(LaneBits(x));
    expected.push_back(LaneBits(model(type, x)));
  }
  for (size_t at = 0; at < inputs.size(); at += kLanes<T>) {
    Group<T> result = instruction(load<T>(a, at));
    if (agrees<T>(compare, result, &expected[at]))
      continue;
    BitsGroup<T> bits = toBits<T>(result);
    for (int i = 0; i < kLanes<T>; ++i)
      EXPECT_EQ(Bits(bits[i]), Bits(expected[at + i])) << std::hex << "of 0x" << +a[at + i];
    FAIL() << "first group that differs starts at input " << at;
  }
}

} // namespace ptoscope::meaning

#define PTOM_TEST1(op, type)                                                                                 \
  TEST(op, type) {                                                                                           \
    checkUnary<type>(                                                                                        \
        compareOf(#op), [](Group<type> a) { return op<type>(a); }, reference::op);                           \
  }
#define PTOM_TEST2(op, type)                                                                                 \
  TEST(op, type) {                                                                                           \
    checkBinary<type>(                                                                                       \
        compareOf(#op), [](Group<type> a, Group<type> b) { return op<type>(a, b); }, reference::op);         \
  }
#define PTOM_UNARY(op, ...) PTOM_FOR_EACH(PTOM_TEST1, op, __VA_ARGS__)
#define PTOM_BINARY(op, ...) PTOM_FOR_EACH(PTOM_TEST2, op, __VA_ARGS__)

#include "ptoscope/Meaning/Lanes.h"
