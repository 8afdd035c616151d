//===- ConformanceTest.cpp - vectors of the compute instructions ----------===//
//
// As docs/isa/20-compute.md gives them, except the stored image of a mask, which is a matter of
// predicate stores (MasksTest).
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Meaning/Lanes.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>

using namespace ptoscope::meaning;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The first lanes of a group.
template <typename T> Group<T> lanes(std::initializer_list<typename T::Elem> values) {
  Group<T> group = splat<T>(0);
  int i = 0;
  for (typename T::Elem value : values)
    group[i++] = value;
  return group;
}

/// Values are equal, or both are NaN.
template <typename V, typename E> void expectLanes(V result, std::initializer_list<E> expected) {
  int i = 0;
  for (E value : expected) {
    EXPECT_TRUE(result[i] == value || (value != value && result[i] != result[i]))
        << "lane " << i << " is " << +result[i] << ", not " << +value;
    ++i;
  }
}

TEST(ConformanceTest, Integers) {
  expectLanes(vabs<i16>(lanes<i16>({-32768, -1, 7})), {-32768, 1, 7});
  expectLanes(vadd<i16>(lanes<i16>({32767, -32768}), lanes<i16>({1, -1})), {-32768, 32767});
  expectLanes(vadd<u16>(lanes<u16>({65535, 32768}), lanes<u16>({1, 40000})), {0, 7232});
  expectLanes(vshr<i16>(lanes<i16>({-0x8000}), lanes<i16>({15})), {-1});
  expectLanes(vshr<u16>(lanes<u16>({0x8000}), lanes<u16>({15})), {1});
}

TEST(ConformanceTest, Floats) {
  expectLanes(vadd<bf16>(lanes<bf16>({0x3F80, 0x3F80}), lanes<bf16>({0x3B80, 0x3C40})), {0x3F80, 0x3F82});
  expectLanes(vmin<f32>(lanes<f32>({kNaN, 3.5f, -kInf}), lanes<f32>({1.0f, kNaN, kInf})), {kNaN, kNaN, -kInf});
  expectLanes(vdiv<f32>(lanes<f32>({-0.0f, 1.0f, -kInf}), lanes<f32>({0.0f, kInf, 2.0f})), {kNaN, 0.0f, -kInf});
  expectLanes(vlrelu<f32>(lanes<f32>({-8.0f, -kInf, kNaN, 3.0f}), 0.125f), {-1.0f, -kInf, kNaN, 3.0f});
}

/// The records say "canonical" of these: nothing behind them looks for other NaNs.
template <typename T> void expectCanonical(Group<T> result) {
  EXPECT_TRUE(result[0] == result[0] || toBits<T>(result)[0] == T::kNaN) << std::hex << uint64_t(toBits<T>(result)[0]);
}
template <typename T, typename Body> void forEachInput(Body body) {
  const uint64_t all = uint64_t(1) << (8 * sizeof(typename T::Bits)), step = sizeof(typename T::Bits) == 2 ? 1 : 65521;
  for (uint64_t bits = 0; bits < all; bits += step)
    body(fromBits<T>(BitsGroup<T>(typename T::Bits(bits))));
}
template <typename T> void expectCanonical() {
  forEachInput<T>([](Group<T> a) {
    expectCanonical<T>(vexp<T>(a));
    expectCanonical<T>(vln<T>(a));
  });
}
template <typename Form> void expectCanonicalPower() {
  using T = typename Form::Operand;
  forEachInput<T>([](Group<T> a) {
    for (auto sign : {typename T::Bits(0), T::kSign}) {
      const auto b = fromBits<T>(BitsGroup<T>(typename T::Bits(T::kInf | sign)));
      expectCanonical<typename Form::Result>(vexpdif<Form>(a, b));
      expectCanonical<typename Form::Result>(vexpdif<Form>(b, a));
    }
  });
}
TEST(ConformanceTest, CanonicalNaNs) {
  expectCanonical<f16>();
  expectCanonical<f32>();
  expectCanonicalPower<f16_f16>();
  expectCanonicalPower<f32_f32>();
  expectCanonicalPower<f16_f32_EVEN>();
  expectCanonicalPower<f16_f32_ODD>();
}

TEST(ConformanceTest, Carries) {
  Group<u32> a = lanes<u32>({0xFFFFFFFF, 0x7FFFFFFF}), b = lanes<u32>({1, 1});
  expectLanes(vaddc<u32>(a, b), {0u, 0x80000000u});
  expectLanes(vaddc<u32_mask>(a, b), {-1, 0});
  Group<u32> c = lanes<u32>({0, 0x80000000, 5}), d = lanes<u32>({1, 0xFFFFFFFF, 5});
  expectLanes(vsubc<u32>(c, d), {0xFFFFFFFFu, 0x80000001u, 0u});
  expectLanes(vsubc<u32_mask>(c, d), {0, 0, -1});
  Group<u32> five = lanes<u32>({5});
  MaskGroup<u32> none = MaskGroup<u32>(0);
  expectLanes(vsubcs<u32>(five, five, none), {0xFFFFFFFFu});
  expectLanes(vsubcs<u32_mask>(five, five, none), {0});
}

TEST(ConformanceTest, Comparisons) {
  expectLanes(vcmp_lt<f32>(lanes<f32>({kNaN, -0.0f, -kInf}), lanes<f32>({1.0f, 0.0f, kInf})), {0, 0, -1});
  expectLanes(vcmps_gt<i16>(lanes<i16>({-1}), 5), {0});
  expectLanes(vcmps_gt<u16>(lanes<u16>({0xFFFF}), 513), {-1});
}

} // namespace
