//===- MemoryMapTest.cpp - memories over a program, drawn -----------------===//

#include "ptoscope/Plan/MemoryMap.h"

#include <gtest/gtest.h>

using namespace ptoscope;

namespace {

MemoryMap sample() {
  MemoryMap map{"k", findProfile("a5"), true, {3, 4, 5, 6}, {}};
  map.tiles.push_back({"%a", 1, Space::Ub, 131072, 0, {0, 2}});
  map.tiles.push_back({"%b", 2, Space::Ub, 65536, 131072, {1, 4}});
  map.tiles.push_back({"%c", 2, Space::Ub, 65536, 0, {2, 4}});
  return map;
}

TEST(MemoryMap, RowsAreAddressesAndColumnsAreSteps) {
  EXPECT_EQ(mapText(sample()),
            "@k, UB: tiles up to byte 196608 of 253952, at most 196608 bytes in use at once (line 4)\n"
            "  0x3e000 - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - capacity\n"
            "  0x3c000 |................................................................\n"
            "  0x38000 |................................................................\n"
            "  0x34000 |................................................................\n"
            "  0x30000 |................................................................\n"
            "  0x2c000 |................cccccccccccccccccccccccccccccccccccccccccccccccc\n"
            "  0x28000 |................cccccccccccccccccccccccccccccccccccccccccccccccc\n"
            "  0x24000 |................cccccccccccccccccccccccccccccccccccccccccccccccc\n"
            "  0x20000 |................cccccccccccccccccccccccccccccccccccccccccccccccc\n"
            "  0x1c000 |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa................................\n"
            "  0x18000 |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa................................\n"
            "  0x14000 |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa................................\n"
            "  0x10000 |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa................................\n"
            "  0x0c000 |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"
            "  0x08000 |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"
            "  0x04000 |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"
            "  0x00000 |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"
            "          +----------------------------------------------------------------\n"
            "           line 3                                                    line 6\n"
            "  a  %a  0x00000..0x1ffff  131072 bytes  lines 3 to 4\n"
            "  b  %c  0x00000..0x0ffff   65536 bytes  lines 5 to 6\n"
            "  c  %b  0x20000..0x2ffff   65536 bytes  lines 4 to 6\n");
}

TEST(MemoryMap, SmallTilesAreDrawnLarge) {
  MemoryMap map = sample();
  map.tiles = {{"%a", 1, Space::Ub, 64, 0, {0, 4}}};
  EXPECT_EQ(mapText(map), "@k, UB: tiles up to byte 64 of 253952, at most 64 bytes in use at once (line 3)\n"
                          "  0x3e000 - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - capacity\n"
                          "          :\n"
                          "  0x00020 |" +
                              std::string(64, 'a') +
                              "\n"
                              "  0x00000 |" +
                              std::string(64, 'a') +
                              "\n"
                              "          +" +
                              std::string(64, '-') +
                              "\n"
                              "           line 3                                                    line 6\n"
                              "  a  %a  0x00000..0x0003f  64 bytes  lines 3 to 6\n");
}

TEST(MemoryMap, SharedBytesAndUnknownPlaces) {
  MemoryMap map = sample();
  map.planned = false;
  map.tiles[1].address = 65536; // inside %a, and in use with it
  map.tiles.push_back({"%d", 9, Space::Ub, 64, std::nullopt, {0, 1}});
  std::string text = mapText(map);
  EXPECT_NE(text.find("of 262144"), std::string::npos) << text;
  EXPECT_NE(text.find("  0x10000 |aaaaaaaaaaaaaaaa################cccccccc"), std::string::npos) << text;
  EXPECT_NE(text.find("#: two tiles that are in use have bytes in common\n"), std::string::npos);
  EXPECT_NE(text.find("  ?  %d  not a constant        64 bytes  line 3\n"), std::string::npos) << text;
}

TEST(MemoryMap, APictureHasARectForEachTile) {
  MemoryMap map = sample();
  map.kernel = "a<b>";
  map.tiles.push_back({"%d", 9, Space::L1, 64, std::nullopt, {0, 1}});
  std::string svg = mapSvg({map});
  size_t rects = 0;
  for (size_t at = 0; (at = svg.find("<rect", at)) != std::string::npos; ++at)
    ++rects;
  EXPECT_EQ(rects, 3u);
  EXPECT_NE(svg.find("@a&lt;b&gt;, UB"), std::string::npos);
  EXPECT_NE(svg.find("<title>%a, line 1: 0x00000..0x1ffff, 131072 bytes, in use in lines 3 to 4</title>"),
            std::string::npos);
  EXPECT_NE(svg.find("addresses that are not constants: %d (line 9)"), std::string::npos);
}

TEST(MemoryMap, NoTiles) { EXPECT_EQ(mapText({"k", findProfile("a5"), true, {}, {}}), "@k has no tiles\n"); }

} // namespace
