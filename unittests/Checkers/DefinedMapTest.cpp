//===- DefinedMapTest.cpp - bit ranges against a plain model --------------===//
//
// Random operations on DefinedMap and on a vector of bool.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/DefinedMap.h"

#include "gtest/gtest.h"

#include <random>

using namespace ptoscope;

TEST(DefinedMap, AgreesWithAVectorOfBool) {
  constexpr uint32_t kBytes = 1000;
  std::mt19937 random(7);
  auto upTo = [&](uint64_t n) { return std::uniform_int_distribution<uint64_t>(0, n)(random); };
  DefinedMap map(kBytes);
  std::vector<bool> model(kBytes);
  std::vector<uint16_t> clobberers(kBytes); // who left an undefined byte so
  for (int step = 0; step < 20000; ++step) {
    uint64_t at = upTo(kBytes + 20), n = upTo(upTo(1) ? 300 : 40);
    switch (upTo(7)) {
    case 0:
    case 1: {
      bool value = upTo(1);
      uint16_t who = uint16_t(upTo(3));
      value ? map.define(at, n) : map.undefine(at, n, who);
      for (uint64_t i = at; i < at + n && i < kBytes; ++i) {
        if (value || who == 0)
          clobberers[i] = 0;
        else if (model[i])
          clobberers[i] = who;
        model[i] = value;
      }
      break;
    }
    case 2: {
      uint64_t defined[16], active[16];
      for (int i = 0; i < 16; ++i) {
        defined[i] = uint64_t(random()) << 32 | random();
        active[i] = uint64_t(random()) << 32 | random();
      }
      map.insert(at, uint32_t(n), defined, active);
      for (uint64_t i = 0; i < n && at + i < kBytes; ++i)
        if (active[i / 64] >> (i % 64) & 1)
          model[at + i] = defined[i / 64] >> (i % 64) & 1, clobberers[at + i] = 0;
      break;
    }
    case 3: {
      uint64_t from = upTo(kBytes - 1);
      map.copy(at, map, from, n);
      std::vector<bool> before = model;
      std::vector<uint16_t> whoBefore = clobberers;
      for (uint64_t i = 0; i < n && at + i < kBytes && from + i < kBytes; ++i) {
        model[at + i] = before[from + i];
        clobberers[at + i] = whoBefore[from + i];
      }
      break;
    }
    case 4: { // a whole register
      const uint64_t place = upTo((kBytes - 256) / 64) * 64;
      uint64_t defined[4];
      for (uint64_t &word : defined)
        word = upTo(1) ? ~uint64_t(0) : uint64_t(random()) << 32 | random();
      map.insert(place, 256, defined, nullptr);
      for (uint64_t i = 0; i < 256; ++i)
        model[place + i] = defined[i / 64] >> (i % 64) & 1, clobberers[place + i] = 0;
      break;
    }
    case 5: { // a block
      const uint64_t place = upTo(kBytes / 32 - 1) * 32;
      const uint32_t mask = uint32_t(random()), defined = uint32_t(random());
      map.insertBlock(place, mask, defined);
      for (uint64_t i = 0; i < 32; ++i)
        if (mask >> i & 1)
          model[place + i] = defined >> i & 1, clobberers[place + i] = 0;
      break;
    }
    case 6: { // for another block, or for what was known before
      if (upTo(20))
        break;
      DefinedMap other(kBytes);
      other.define(100, 700);
      other.undefine(300, 20, 0);
      map.reset();
      const bool takesOver = upTo(1);
      if (takesOver)
        map.takeOver(other);
      for (uint64_t i = 0; i < kBytes; ++i)
        model[i] = takesOver && i >= 100 && i < 800 && (i < 300 || i >= 320), clobberers[i] = 0;
      break;
    }
    default: {
      uint64_t bits[16] = {}, first = ~0ull, expectedFirst = ~0ull, missing = 0;
      bool all = map.extract(at, uint32_t(n), bits);
      for (uint64_t i = 0; i < n; ++i) {
        bool expected = at + i >= kBytes || model[at + i];
        if (at + i < kBytes) {
          ASSERT_EQ(map.clobbererOf(at + i, 1), model[at + i] ? 0 : clobberers[at + i]) << step;
        }
        ASSERT_EQ(bool(bits[i / 64] >> (i % 64) & 1), expected) << step;
        if (!expected && missing++ == 0)
          expectedFirst = at + i;
      }
      ASSERT_EQ(all, missing == 0);
      ASSERT_EQ(map.countUndefined(at, n, &first), missing);
      ASSERT_EQ(first, expectedFirst);
    }
    }
  }
}
