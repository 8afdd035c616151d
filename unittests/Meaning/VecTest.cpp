//===- VecTest.cpp - helpers on lane groups -------------------------------===//

#include "ptoscope/Meaning/Lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

using namespace ptoscope::meaning;

namespace {

static_assert(sizeof(Group<i8>) == 64 && kLanes<i8> == 64);
static_assert(sizeof(Group<bf16>) == 64 && kLanes<bf16> == 32);
static_assert(sizeof(Group<f16>) == 64 && kLanes<f16> == 32);
static_assert(sizeof(Group<u64>) == 64 && kLanes<u64> == 8);
static_assert(kIsSigned<i32> && !kIsSigned<u32>);

uint16_t narrowOne(uint32_t bits) { return narrow(WideGroup(std::bit_cast<float>(bits)))[0]; }

TEST(VecTest, WidenIsExact) {
  for (uint32_t bits = 0; bits < 0x10000; bits += 32) {
    Group<bf16> v;
    for (int i = 0; i < 32; ++i)
      v[i] = uint16_t(bits + i);
    Vec<uint32_t, 32> wide = bitcast<Vec<uint32_t, 32>>(widen(v));
    for (int i = 0; i < 32; ++i)
      ASSERT_EQ(wide[i], (bits + i) << 16);
  }
}

TEST(VecTest, NarrowRoundsToNearestEven) {
  EXPECT_EQ(narrowOne(0x3F800000), 0x3F80);
  EXPECT_EQ(narrowOne(0x3F807FFF), 0x3F80); // below the tie
  EXPECT_EQ(narrowOne(0x3F808000), 0x3F80); // tie, even below
  EXPECT_EQ(narrowOne(0x3F808001), 0x3F81);
  EXPECT_EQ(narrowOne(0x3F818000), 0x3F82); // tie, even above
  EXPECT_EQ(narrowOne(0x7F7FFFFF), 0x7F80); // rounds to infinity
  EXPECT_EQ(narrowOne(0xFF7F8000), 0xFF80);
  EXPECT_EQ(narrowOne(0x7F7F7FFF), 0x7F7F);
  EXPECT_EQ(narrowOne(0x7F800000), 0x7F80);
  EXPECT_EQ(narrowOne(0x00008000), 0x0000); // denormal tie
  EXPECT_EQ(narrowOne(0x00008001), 0x0001);
  EXPECT_EQ(narrowOne(0x007FFFFF), 0x0080); // denormal to normal
  EXPECT_EQ(narrowOne(0x80000000), 0x8000);
}

TEST(VecTest, NarrowHasOneNaN) {
  for (uint32_t bits : {0x7F800001u, 0x7FFFFFFFu, 0xFF800001u, 0xFFFFFFFFu, 0xFFC00000u, 0x7FC12345u})
    EXPECT_EQ(narrowOne(bits), 0x7FC0) << std::hex << bits;
}

TEST(VecTest, SelectCopiesBits) {
  Group<f16> a = fromBits<f16>(BitsGroup<f16>(uint16_t(0x7C01))); // signalling NaN
  Group<f16> b = fromBits<f16>(BitsGroup<f16>(uint16_t(0x8000)));
  MaskGroup<f16> mask = 0;
  for (int i = 0; i < 32; i += 3)
    mask[i] = -1;
  BitsGroup<f16> bits = toBits<f16>(select(mask, a, b));
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(bits[i], i % 3 == 0 ? 0x7C01 : 0x8000);
}

/// The conformance vectors of docs/isa/20-compute.md, as far as they concern these
/// instructions: VABS-1, INT-1, FP-1.
TEST(VecTest, ConformanceVectors) {
  auto abs16 = [](int x) { return vabs<i16>(splat<i16>(int16_t(x)))[0]; };
  EXPECT_EQ(abs16(-32768), -32768);
  EXPECT_EQ(abs16(-1), 1);
  EXPECT_EQ(abs16(7), 7);
  EXPECT_EQ(vadd<i16>(splat<i16>(32767), splat<i16>(1))[0], -32768);
  EXPECT_EQ(vadd<i16>(splat<i16>(-32768), splat<i16>(-1))[0], 32767);
  EXPECT_EQ(vadd<u16>(splat<u16>(65535), splat<u16>(1))[0], 0);
  EXPECT_EQ(vadd<u16>(splat<u16>(32768), splat<u16>(40000))[0], 7232);
  EXPECT_EQ(vadd<bf16>(splat<bf16>(0x3F80), splat<bf16>(0x3B80))[0], 0x3F80);
  EXPECT_EQ(vadd<bf16>(splat<bf16>(0x3F80), splat<bf16>(0x3C40))[0], 0x3F82);
}

} // namespace
