//===- MemoryTest.cpp - indexed and block accesses against plain models ---===//
//
// Makes one test per function and variant of Memory.h; a function without a
// model here does not compile. Models follow GATHER-1 to GATHER-3, VGB-3,
// VSLDB-3, VSLDB-4, VSSTB-1, VSSTB-2, VSC-3 and VSC-4. What
// is inactive has wild addresses, which would crash if it were accessed.
//
//===----------------------------------------------------------------------===//

#include "Registers.h"
#include "ptoscope/Meaning/ForEach.h"

#include <cstring>

namespace reference {

static constexpr uint32_t kUbBytes = 256 * 1024;

static std::vector<uint8_t> randomUb(Random &random) {
  std::vector<uint8_t> ub(kUbBytes);
  for (uint8_t &byte : ub)
    byte = uint8_t(random());
  return ub;
}

/// s4_i4_d2: bytes of a slot, which are those of an index, and of a datum.
struct IndexedShape {
  int slot, datum;
  explicit IndexedShape(std::string_view variant) : slot(variant[1] - '0'), datum(variant[7] - '0') {
    EXPECT_EQ(variant[4] - '0', slot);
  }
  int lanes() const { return 256 / slot; }
};

/// Indices of active lanes stay below `limit`; others are as large as they can
/// be. Some active ones wrap around to the data before `address`.
static Register randomIndices(Random &random, IndexedShape shape, const Mask &mask, uint64_t limit, bool wrapping) {
  Register index;
  for (int i = 0; i < shape.lanes(); ++i) {
    uint64_t value = ~uint64_t(0);
    if (mask.on(shape.slot, i))
      value = wrapping && shape.slot == 4 && random() % 4 == 0 ? 0 - (1 + random() % 8) : random() % limit;
    index.setLane(shape.slot, i, value);
  }
  return index;
}

/// Calls check(mask, words, address, limit of indices).
template <typename Check> static void forAccesses(Random &random, IndexedShape shape, Check check) {
  uint64_t most = shape.slot == 1 ? 256 : 65536 / uint64_t(shape.datum);
  for (const Mask &mask : manyMasks(random))
    for (uint64_t limit : {most, uint64_t(40), uint64_t(1)})
      check(mask, Words(mask).word, uint32_t(32 + random() % 1024), limit);
  check(allOn(), nullptr, 64, most);
}

template <typename Fn> static void vgather(std::string_view variant, Fn function) {
  IndexedShape shape(variant);
  Random random(1);
  std::vector<uint8_t> ub = randomUb(random);
  forAccesses(random, shape, [&](const Mask &mask, const uint64_t *words, uint32_t address, uint64_t limit) {
    Register index = randomIndices(random, shape, mask, limit, true), r = garbage(), expected = zeros();
    for (int i = 0; i < shape.lanes(); ++i)
      if (mask.on(shape.slot, i)) {
        uint32_t at = address + uint32_t(index.lane(shape.slot, i)) * uint32_t(shape.datum);
        std::memcpy(expected.byte + i * shape.slot, &ub[at], size_t(shape.datum));
      }
    function(&r, static_cast<const uint8_t *>(ub.data()), address, &index, words);
    expectEqual(r, expected);
  });
}

/// Where lanes collide the lowest one stays.
template <typename Fn> static void vscatter(std::string_view variant, Fn function) {
  IndexedShape shape(variant);
  Random random(2);
  std::vector<uint8_t> ub = randomUb(random), expected = ub;
  forAccesses(random, shape, [&](const Mask &mask, const uint64_t *words, uint32_t address, uint64_t limit) {
    Register index = randomIndices(random, shape, mask, limit, true), value = randomRegister(random);
    std::vector<bool> written(kUbBytes);
    for (int i = 0; i < shape.lanes(); ++i) {
      uint32_t at = address + uint32_t(index.lane(shape.slot, i)) * uint32_t(shape.datum);
      if (!mask.on(shape.slot, i) || written[at])
        continue;
      written[at] = true;
      std::memcpy(&expected[at], value.byte + i * shape.slot, size_t(shape.datum));
    }
    function(ub.data(), address, &index, &value, words);
    ASSERT_TRUE(ub == expected);
  });
}

/// Block b of v.
static uint8_t *block(Register &v, int b) { return v.byte + 32 * b; }

template <typename Fn> static void vgatherb(Fn function) {
  Random random(3);
  std::vector<uint8_t> ub = randomUb(random);
  auto check = [&](const Mask &mask, const uint64_t *words) {
    uint32_t address = uint32_t(32 * (random() % 100));
    Register offsets = randomRegister(random), r = garbage(), expected = zeros();
    for (int b = 0; b < 8; ++b) {
      bool on = mask.bit[size_t(4 * b)];
      // The second half wraps around.
      uint32_t offset = uint32_t(32 * (random() % 1000)) - (b < 4 ? 0 : address);
      offsets.setLane(4, b, on ? offset : 0x7FFFFFE0);
      if (on)
        std::memcpy(block(expected, b), &ub[uint32_t(address + offset)], 32);
    }
    function(&r, static_cast<const uint8_t *>(ub.data()), address, &offsets, words);
    expectEqual(r, expected);
  };
  for (const Mask &mask : manyMasks(random))
    check(mask, Words(mask).word);
  for (int pattern = 0; pattern < 256; ++pattern) {
    Mask mask;
    for (int b = 0; b < 8; ++b)
      mask.bit[size_t(4 * b)] = pattern >> b & 1;
    check(mask, Words(mask).word);
  }
  check(allOn(), nullptr);
}

static bool isBlockActive(const Mask &mask, int b) {
  for (int k = 32 * b; k < 32 * b + 32; ++k)
    if (mask.bit[size_t(k)])
      return true;
  return false;
}

/// Calls check(mask, words, block stride, repeat stride). Strides of masks that
/// turn off the last blocks may lead out of UB there.
template <typename Check> static void forStrides(Random &random, Check check) {
  for (const Mask &mask : manyMasks(random)) {
    for (uint32_t blockStride : {0u, 1u, 2u, 3u, 17u, 1000u})
      for (uint32_t repeatStride : {0u, 1u, 4u, 500u})
        check(mask, Words(mask).word, blockStride, repeatStride);
    Mask firstBlock;
    for (size_t k = 0; k < 32; ++k)
      firstBlock.bit[k] = mask.bit[k];
    check(firstBlock, Words(firstBlock).word, 0xFFFF, 3);
  }
  check(allOn(), nullptr, 3, 1);
}

template <typename Fn> static void vsldb(Fn function) {
  Random random(4);
  std::vector<uint8_t> ub = randomUb(random);
  forStrides(random, [&](const Mask &mask, const uint64_t *words, uint32_t blockStride, uint32_t repeatStride) {
    uint32_t address = uint32_t(32 * (random() % 100));
    Register r = garbage(), expected = zeros();
    for (int b = 0; b < 8; ++b)
      if (isBlockActive(mask, b))
        std::memcpy(block(expected, b), &ub[address + 32 * (repeatStride + uint32_t(b) * blockStride)], 32);
    function(&r, static_cast<const uint8_t *>(ub.data()), address, blockStride, repeatStride, words);
    expectEqual(r, expected);
  });
}

template <typename Fn> static void vsstb(Fn function) {
  Random random(5);
  std::vector<uint8_t> ub = randomUb(random), expected = ub;
  forStrides(random, [&](const Mask &mask, const uint64_t *words, uint32_t blockStride, uint32_t repeatStride) {
    uint32_t address = uint32_t(32 * (random() % 100));
    Register v = randomRegister(random);
    for (int b = 0; b < 8; ++b)
      if (isBlockActive(mask, b))
        std::memcpy(&expected[address + 32 * (repeatStride + uint32_t(b) * blockStride)], block(v, b), 32);
    function(ub.data(), address, blockStride, repeatStride, &v, words);
    ASSERT_TRUE(ub == expected);
  });
}

} // namespace reference

#define PTOM_TEST(op, variant)                                                                                         \
  TEST(op, variant) {                                                                                                  \
    reference::op(#variant, [](auto... arguments) { return op<variant>(arguments...); });                              \
  }
#define PTOM_FUNCTIONS(op, parameters, arguments, ...) PTOM_FOR_EACH(PTOM_TEST, op, __VA_ARGS__)
#define PTOM_FUNCTION(op, parameters, ...)                                                                             \
  TEST(op, MatchesModel) {                                                                                             \
    reference::op([](auto... arguments) { return op(arguments...); });                                                 \
  }

#include "ptoscope/Meaning/Memory.h"
