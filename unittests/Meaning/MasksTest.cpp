//===- MasksTest.cpp - meanings on mask images against plain models -------===//
//
// Makes one test per function and variant of Masks.h; a function without a model
// here does not compile. Models follow docs/isa/11-predicates.md bit by bit.
//
//===----------------------------------------------------------------------===//

#include "Registers.h"
#include "ptoscope/Meaning/ForEach.h"

namespace reference {

/// Group i of `size` bits of a || b to group j of `to`.
static void copyGroup(Mask &to, int j, const Mask &a, const Mask &b, int i, int size) {
  for (int k = 0; k < size; ++k) {
    int from = i * size + k;
    to.bit[size_t(j * size + k)] = from < 256 ? a.bit[size_t(from)] : b.bit[size_t(from - 256)];
  }
}

template <typename Fn> static void maskLanes(std::string_view variant, Fn function) {
  int width = widthOf(variant);
  Random random(1);
  for (const Mask &mask : manyMasks(random)) {
    Register r = garbage(), expected;
    for (int i = 0; i < 256 / width; ++i)
      expected.setLane(width, i, mask.on(width, i) ? ~uint64_t(0) : 0);
    Words words(mask);
    for (int g = 0; g < 4; ++g) {
      auto lanes = function(words.word[g]);
      ASSERT_EQ(sizeof(lanes), 64u);
      __builtin_memcpy(r.byte + 64 * g, &lanes, 64);
    }
    expectEqual(r, expected);
  }
}

/// Lanes is the type of a group of lanes.
template <typename Lanes, typename Fn> static void maskBits(std::string_view variant, Fn function) {
  int width = widthOf(variant);
  Random random(2);
  for (const Mask &mask : manyMasks(random)) {
    Register lanes;
    Mask canonical;
    for (int i = 0; i < 256 / width; ++i) {
      lanes.setLane(width, i, mask.on(width, i) ? ~uint64_t(0) : 0);
      canonical.bit[size_t(width * i)] = mask.on(width, i);
    }
    Words r;
    for (int g = 0; g < 4; ++g) {
      Lanes group;
      __builtin_memcpy(&group, lanes.byte + 64 * g, 64);
      r.word[g] = function(group);
    }
    expectEqual(r, canonical);
  }
}

template <typename Fn> static void countOn(std::string_view variant, Fn function) {
  int width = widthOf(variant);
  Random random(3);
  for (const Mask &mask : manyMasks(random)) {
    uint32_t count = 0;
    for (int i = 0; i < 256 / width; ++i)
      count += mask.on(width, i);
    ASSERT_EQ(function(Words(mask).word), count);
  }
  ASSERT_EQ(function(static_cast<const uint64_t *>(nullptr)), uint32_t(256 / width));
}

/// Calls check(a, b) with pairs of masks.
template <typename Check> static void forMaskPairs(Check check) {
  Random random(4);
  std::vector<Mask> masks = manyMasks(random);
  for (const Mask &a : masks) {
    check(a, masks[random() % masks.size()]);
    check(a, randomMask(random));
  }
}

template <typename Fn> static void pintlv(std::string_view variant, Fn function) {
  int size = widthOf(variant), groups = 256 / size;
  forMaskPairs([&](const Mask &a, const Mask &b) {
    Mask low, high;
    for (int j = 0; j < 2 * groups; ++j)
      copyGroup(j < groups ? low : high, j % groups, a, b, j / 2 + (j % 2 ? groups : 0), size);
    Words lo, hi;
    function(lo.word, hi.word, Words(a).word, Words(b).word);
    expectEqual(lo, low);
    expectEqual(hi, high);
  });
}

template <typename Fn> static void pdintlv(std::string_view variant, Fn function) {
  int size = widthOf(variant), groups = 256 / size;
  forMaskPairs([&](const Mask &a, const Mask &b) {
    Mask low, high;
    for (int i = 0; i < groups; ++i) {
      copyGroup(low, i, a, b, 2 * i, size);
      copyGroup(high, i, a, b, 2 * i + 1, size);
    }
    Words lo, hi;
    function(lo.word, hi.word, Words(a).word, Words(b).word);
    expectEqual(lo, low);
    expectEqual(hi, high);
  });
}

template <typename Fn> static void ppack(std::string_view variant, Fn function) {
  Random random(5);
  for (const Mask &a : manyMasks(random)) {
    Mask expected;
    for (size_t i = 0; i < 128; ++i)
      expected.bit[i + (isHigher(variant) ? 128 : 0)] = a.bit[2 * i];
    Words r;
    function(r.word, Words(a).word);
    expectEqual(r, expected);
  }
}

template <typename Fn> static void punpack(std::string_view variant, Fn function) {
  Random random(6);
  for (const Mask &a : manyMasks(random)) {
    Mask expected;
    for (size_t i = 0; i < 128; ++i)
      expected.bit[2 * i] = a.bit[i + (isHigher(variant) ? 128 : 0)];
    Words r;
    function(r.word, Words(a).word);
    expectEqual(r, expected);
  }
}

/// Exactly the bytes that the instruction reads, at an odd address.
template <typename Fn> static void plds(std::string_view variant, Fn function) {
  Random random(7);
  size_t bytes = variant == "NORM" ? 32 : variant == "US" ? 16 : 64;
  for (int round = 0; round < 50; ++round) {
    std::vector<uint8_t> ub(1 + bytes);
    for (uint8_t &byte : ub)
      byte = uint8_t(random());
    auto bit = [&](size_t k) { return bool(ub[1 + k / 8] >> k % 8 & 1); };
    Mask expected;
    for (size_t k = 0; k < 256; ++k)
      expected.bit[k] = variant == "NORM" ? bit(k) : variant == "US" ? bit(k / 2) : bit(2 * k);
    Words r;
    function(r.word, static_cast<const uint8_t *>(ub.data() + 1));
    expectEqual(r, expected);
  }
}

template <typename Fn> static void psts(std::string_view variant, Fn function) {
  Random random(8);
  size_t bytes = variant == "NORM" ? 32 : 16;
  for (const Mask &mask : manyMasks(random)) {
    std::vector<uint8_t> ub(bytes + 2, 0xA5), expected = ub;
    for (size_t i = 0; i < bytes; ++i) {
      expected[1 + i] = 0;
      for (size_t k = 0; k < 8; ++k)
        expected[1 + i] |= uint8_t(mask.bit[(8 * i + k) * (variant == "PK" ? 2 : 1)] << k);
    }
    function(ub.data() + 1, Words(mask).word);
    ASSERT_EQ(ub, expected);
  }
}

/// One bit for each lane.
template <typename Fn> static void pstu(std::string_view variant, Fn function) {
  int width = widthOf(variant);
  Random random(9);
  for (const Mask &mask : manyMasks(random)) {
    Register r = garbage(), expected = zeros();
    for (int i = 0; i < 256 / width; ++i)
      expected.byte[i / 8] |= uint8_t(mask.on(width, i) << i % 8);
    function(&r, Words(mask).word);
    expectEqual(r, expected);
  }
}

} // namespace reference

#define PTOM_TEST(op, variant)                                                                                         \
  TEST(op, variant) {                                                                                                  \
    reference::op(#variant, [](auto... arguments) { return op<variant>(arguments...); });                              \
  }
#define PTOM_FUNCTIONS(op, parameters, arguments, ...) PTOM_FOR_EACH(PTOM_TEST, op, __VA_ARGS__)
#define PTOM_FROM_WORD(op, ...) PTOM_FOR_EACH(PTOM_TEST, op, __VA_ARGS__)
#define PTOM_TEST_LANES(op, variant)                                                                                   \
  TEST(op, variant) {                                                                                                  \
    using Lanes = MaskGroup<variant>;                                                                                  \
    reference::op<Lanes>(#variant, [](const Lanes &lanes) { return op<variant>(lanes); });                             \
  }
#define PTOM_TO_WORD(op, ...) PTOM_FOR_EACH(PTOM_TEST_LANES, op, __VA_ARGS__)

#include "ptoscope/Meaning/Masks.h"
