//===- PlaceBlocksTest.cpp - bytes of gathers and scatters, by block ------===//
//
// What one word with a bit for each place notes is what place by place does, in the
// same order.
//
//===----------------------------------------------------------------------===//

#include "Scope/PlaceBlocks.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>

using namespace ptoscope;

namespace {

constexpr uint32_t kMemory = 8192;

using Blocks = std::vector<std::array<uint32_t, 3>>;

Blocks partsOf(PlaceBlocks &blocks) {
  Blocks result;
  for (const BlockPart &part : blocks.collect())
    result.push_back({part.address, part.touched, part.defined});
  return result;
}

std::unique_ptr<PlaceBlocks> makeBlocks() {
  auto blocks = std::make_unique<PlaceBlocks>();
  blocks->begin(kMemory);
  return blocks;
}

template <uint32_t Bytes, bool Backwards, typename Index> void compare(uint32_t base, std::span<const Index> indices) {
  const auto count = uint32_t(indices.size());
  const auto [low, high] = std::ranges::minmax(indices);
  auto near = makeBlocks(), each = makeBlocks();
  const bool noted = near->noteNear<Bytes, Backwards>(indices.data(), base, count, low, high);
  const bool shared = each->visit<Bytes, Backwards>(indices.data(), base, count, [](uint32_t, uint32_t) {}) != nullptr;
  const uint32_t begin = (base + low * Bytes) / kBlockBytes * kBlockBytes;
  ASSERT_EQ(noted, base + high * Bytes - begin < 64 * Bytes && !(Backwards && shared));
  if (!noted) {
    EXPECT_TRUE(partsOf(*near).empty());
    return;
  }
  ASSERT_EQ(partsOf(*near), partsOf(*each));
  near->numberNear();
  for (Index index : indices)
    near->forEachPart(base + index * Bytes, Bytes, [&](const BlockPart &part, uint32_t mask, int) {
      EXPECT_EQ(part.address, (base + index * Bytes) / kBlockBytes * kBlockBytes);
      EXPECT_EQ(part.touched & mask, mask);
    });
}

template <uint32_t Bytes, typename Index> void compareRandom() {
  std::mt19937 random(Bytes * 8 + sizeof(Index));
  for (int round = 0; round < 400; ++round) {
    const uint32_t base = random() % 64 * Bytes, reach = 1 + random() % 80, from = random() % 150;
    std::vector<Index> indices(1 + random() % 64);
    for (uint32_t lane = 0; Index & index : indices) // distinct ones for scatters, mostly
      index = Index(from + (round % 2 ? random() : 37 * lane++) % reach);
    if (round % 4 == 0)
      indices.resize(std::min<size_t>(indices.size(), reach / 2 + 1));
    compare<Bytes, false, Index>(base, indices);
    compare<Bytes, true, Index>(base, indices);
  }
}

} // namespace

TEST(PlaceBlocksTest, NearPlacesAreNotedAsAnyOthers) {
  compareRandom<1, uint8_t>();
  compareRandom<1, uint16_t>();
  compareRandom<2, uint16_t>();
  compareRandom<2, uint32_t>();
  compareRandom<4, uint32_t>();
  compareRandom<8, uint32_t>();
}

TEST(PlaceBlocksTest, NothingIsLeftForTheNextOne) {
  auto blocks = makeBlocks();
  const uint32_t near[] = {3, 1}, far[] = {0, 200};
  ASSERT_TRUE((blocks->noteNear<4, false>(near, 64, 2, 1, 3)));
  EXPECT_EQ(partsOf(*blocks), (Blocks{{64, 0xF0F0, 0xF0F0}}));
  blocks->begin(kMemory);
  EXPECT_TRUE(partsOf(*blocks).empty());
  ASSERT_FALSE((blocks->noteNear<4, false>(far, 64, 2, 0, 200)));
  blocks->visit<4, false>(far, 64, 2, [](uint32_t, uint32_t) {});
  EXPECT_EQ(partsOf(*blocks), (Blocks{{64, 0xF, 0xF}, {864, 0xF, 0xF}}));
  blocks->begin(kMemory);
  ASSERT_TRUE((blocks->noteNear<4, true>(near, 64, 2, 1, 3)));
  EXPECT_EQ(partsOf(*blocks), (Blocks{{64, 0xF0F0, 0xF0F0}}));
}
