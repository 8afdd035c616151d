//===- ReduceTest.cpp - reductions and histograms against plain models ----===//
//
// Makes one test per function and variant of Reduce.h; a function without a
// model here does not compile. Models follow RED-1 to RED-18 and HIST-3 to
// HIST-6, one lane at a time, with the arithmetic of Reference.h. Below them stand
// the conformance vectors of docs/isa/22-reduce.md.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "Registers.h"
#include "ptoscope/Meaning/ForEach.h"
#include "ptoscope/Meaning/Masks.h"

#include <bit>
#include <functional>
#include <optional>

namespace reference {

using Reduction = void (*)(void *, const void *, const uint64_t *);
using Marking = void (*)(void *, uint64_t *, const void *, const uint64_t *);
using Counting = void (*)(void *, const void *, const void *, const uint64_t *);
using BankCounting = void (*)(void *, const void *, const void *, const uint64_t *, uint32_t);

static Type typeOf(std::string_view name) {
  if (name[0] == 'f')
    return name == "f16" ? Type{16, true, 10} : Type{32, true, 23};
  return {name.ends_with("8") ? 8 : name.ends_with("16") ? 16 : 32, name[0] == 'i'};
}

/// Registers whose lanes meet edges and each other: raw bits, few different
/// values (ties), both zeros, infinities of both signs, NaNs, extremes.
static std::vector<Register> manyRegisters(Type t, Random &random) {
  int width = t.width / 8, lanes = 256 / width;
  std::vector<Register> registers = {zeros()};
  auto fill = [&](std::function<Bits(int)> value) {
    Register r;
    for (int i = 0; i < lanes; ++i)
      r.setLane(width, i, value(i));
    registers.push_back(r);
  };
  fill([&](int) { return t.mask(); });
  fill([&](int) { return t.sign(); });
  fill([&](int) { return t.sign() - 1; });
  for (int i = 0; i < 4; ++i)
    registers.push_back(randomRegister(random));
  std::vector<Bits> few = {0, 1, t.sign(), t.sign() - 1, t.mask()};
  if (t.isFloat()) {
    Bits one = Bits(t.bias()) << t.fraction, inf = t.infinity();
    few = {0, t.sign(), one, one | t.sign()};
    fill([&](int) { return few[random() % few.size()]; });
    fill([&](int) { return random() % 2 * t.sign(); });
    fill([&](int i) { return i % 3 ? t.sign() | inf : inf; });
    fill([&](int) { return inf; });
    fill([&](int) { return inf | t.sign(); });
    fill([&](int) { return random() % 16 ? few[random() % few.size()] : (random() & t.mask()) | inf | 1; });
    // Of similar size, so that every rounding shows.
    for (int spread : {1, 3, 12})
      fill([&](int) {
        Bits fraction = random() & ((Bits(1) << t.fraction) - 1);
        return (random() & 1) * t.sign() | Bits(t.bias() + int(random() % uint64_t(spread))) << t.fraction | fraction;
      });
  } else {
    fill([&](int) { return few[random() % few.size()]; });
    fill([&](int) { return random() % 4; });
  }
  return registers;
}

using Check = std::function<void(const Register &a, const Mask &mask, const uint64_t *words)>;

/// Registers and masks of every kind, and an absent mask.
static void forInputs(Type t, uint64_t seed, const Check &check) {
  Random random(seed);
  std::vector<Register> registers = manyRegisters(t, random);
  for (const Mask &mask : manyMasks(random))
    for (const Register &a : registers)
      check(a, mask, Words(mask).word);
  for (const Register &a : registers)
    check(a, allOn(), nullptr);
}

/// t[j] = t[2j] + t[2j + 1], until one value is left.
static Bits treeSum(Type t, std::vector<Bits> values) {
  while (values.size() > 1) {
    for (size_t j = 0; j < values.size() / 2; ++j)
      values[j] = vadd(t, values[2 * j], values[2 * j + 1]);
    values.resize(values.size() / 2);
  }
  return canon(t, values[0]);
}

static void vcadd(std::string_view variant, Reduction function) {
  Type t = typeOf(variant);
  Type sum = t;
  if (!t.isFloat() && t.width < 32)
    sum.width = 2 * t.width;
  int width = t.width / 8;
  forInputs(t, 1, [&](const Register &a, const Mask &mask, const uint64_t *words) {
    std::vector<Bits> values;
    for (int i = 0; i < 256 / width; ++i) {
      Bits value = mask.on(width, i) ? a.lane(width, i) : 0;
      values.push_back(t.isFloat() ? value : Bits(toInteger(t, value)) & sum.mask());
    }
    Register r = garbage(), expected = zeros();
    expected.setLane(sum.width / 8, 0, treeSum(sum, values));
    function(&r, &a, words);
    expectEqual(r, expected);
  });
}

static void vcgadd(std::string_view variant, Reduction function) {
  Type t = typeOf(variant);
  int width = t.width / 8, lanes = 256 / width / 8;
  forInputs(t, 2, [&](const Register &a, const Mask &mask, const uint64_t *words) {
    Register r = garbage(), expected = zeros();
    for (int block = 0; block < 8; ++block) {
      std::vector<Bits> values;
      for (int i = block * lanes; i < (block + 1) * lanes; ++i)
        values.push_back(mask.on(width, i) ? a.lane(width, i) : 0);
      expected.setLane(width, block, treeSum(t, values));
    }
    function(&r, &a, words);
    expectEqual(r, expected);
  });
}

static void vcpadd(std::string_view variant, Reduction function) {
  Type t = typeOf(variant);
  int width = t.width / 8;
  forInputs(t, 3, [&](const Register &a, const Mask &mask, const uint64_t *words) {
    Register r = garbage(), expected = zeros();
    auto value = [&](int i) { return mask.on(width, i) ? a.lane(width, i) : 0; };
    for (int k = 0; k < 128 / width; ++k)
      expected.setLane(width, k, canon(t, vadd(t, value(2 * k), value(2 * k + 1))));
    function(&r, &a, words);
    expectEqual(r, expected);
  });
}

/// What a maximum or minimum without lanes is.
static Bits neutral(Type t, bool isMax) {
  if (t.isFloat())
    return isMax ? t.infinity() | t.sign() : t.infinity();
  if (t.isSigned)
    return isMax ? t.sign() : t.sign() - 1;
  return isMax ? 0 : t.mask();
}

/// Strictly: equal values, both zeros among them, beat no one; the first NaN
/// beats all.
static bool beats(Type t, Bits a, Bits b, bool isMax) {
  if (t.isNaN(a) || t.isNaN(b))
    return t.isNaN(a) && !t.isNaN(b);
  if (t.isFloat())
    return isMax ? toDouble(t, a) > toDouble(t, b) : toDouble(t, a) < toDouble(t, b);
  return isMax ? before(t, b, a) : before(t, a, b);
}

static void extremum(std::string_view variant, Reduction function, bool isMax) {
  Type t = typeOf(variant);
  int width = t.width / 8;
  forInputs(t, 4, [&](const Register &a, const Mask &mask, const uint64_t *words) {
    std::optional<int> best;
    for (int i = 0; i < 256 / width; ++i)
      if (mask.on(width, i) && (!best || beats(t, a.lane(width, i), a.lane(width, *best), isMax)))
        best = i;
    Register r = garbage(), expected = zeros();
    expected.setLane(width, 0, best ? canon(t, a.lane(width, *best)) : neutral(t, isMax));
    expected.setLane(width, 1, Bits(best.value_or(0)));
    function(&r, &a, words);
    expectEqual(r, expected);
  });
}
static void vcmax(std::string_view variant, Reduction function) { extremum(variant, function, true); }
static void vcmin(std::string_view variant, Reduction function) { extremum(variant, function, false); }

/// The value alone, and every lane that neither beats it nor is beaten by it.
static void markedExtremum(std::string_view variant, Marking function, bool isMax) {
  Type t = typeOf(variant);
  int width = t.width / 8;
  forInputs(t, 7, [&](const Register &a, const Mask &mask, const uint64_t *words) {
    std::optional<int> best;
    for (int i = 0; i < 256 / width; ++i)
      if (mask.on(width, i) && (!best || beats(t, a.lane(width, i), a.lane(width, *best), isMax)))
        best = i;
    Register r = garbage(), expected = zeros();
    expected.setLane(width, 0, best ? canon(t, a.lane(width, *best)) : neutral(t, isMax));
    uint64_t places[4] = {~uint64_t(0), 1, 2, 3}, marked[4] = {};
    for (int i = 0; best && i < 256 / width; ++i)
      if (mask.on(width, i) && !beats(t, a.lane(width, *best), a.lane(width, i), isMax))
        marked[i * width / 64] |= uint64_t(1) << i * width % 64;
    function(&r, places, &a, words);
    expectEqual(r, expected);
    for (int word = 0; word < 4; ++word)
      EXPECT_EQ(places[word], marked[word]);
  });
}
static void vcbmax(std::string_view variant, Marking function) { markedExtremum(variant, function, true); }
static void vcbmin(std::string_view variant, Marking function) { markedExtremum(variant, function, false); }

static void blockExtrema(std::string_view variant, Reduction function, bool isMax) {
  Type t = typeOf(variant);
  int width = t.width / 8, lanes = 256 / width / 8;
  forInputs(t, 5, [&](const Register &a, const Mask &mask, const uint64_t *words) {
    Register r = garbage(), expected = zeros();
    for (int block = 0; block < 8; ++block) {
      Bits best = neutral(t, isMax);
      for (int i = block * lanes; i < (block + 1) * lanes; ++i)
        if (mask.on(width, i))
          best = isMax ? vmax(t, best, a.lane(width, i)) : vmin(t, best, a.lane(width, i));
      expected.setLane(width, block, best);
    }
    function(&r, &a, words);
    expectEqual(r, expected);
  });
}
static void vcgmax(std::string_view variant, Reduction function) { blockExtrema(variant, function, true); }
static void vcgmin(std::string_view variant, Reduction function) { blockExtrema(variant, function, false); }

template <typename Function> static void histogram(int base, Function function, bool cumulative) {
  uint64_t seed = 6;
  forInputs(Type{8}, seed, [&](const Register &src, const Mask &mask, const uint64_t *words) {
    Random random(++seed);
    Register acc = randomRegister(random), r = garbage(), expected;
    for (int k = 0; k < 128; ++k) {
      uint64_t count = acc.lane(2, k);
      for (int i = 0; i < 256; ++i) {
        int value = src.byte[i];
        count += mask.bit[size_t(i)] && (cumulative ? value <= base + k : value == base + k);
      }
      expected.setLane(2, k, count);
    }
    function(&r, &acc, &src, words);
    expectEqual(r, expected);
  });
}
static void vdhist(std::string_view variant, Counting function) {
  histogram(variant == "BIN_N0" ? 0 : 128, function, false);
}
static void vchist(std::string_view variant, Counting function) {
  histogram(variant == "BIN_N0" ? 0 : 128, function, true);
}
/// Of other banks the lowest bit counts.
static void inBanks(BankCounting function, bool cumulative) {
  for (uint32_t bank : {0u, 1u, 16u, ~0u})
    histogram(
        bank & 1 ? 128 : 0,
        [&](void *r, const void *acc, const void *src, const uint64_t *mask) { function(r, acc, src, mask, bank); },
        cumulative);
}
static void dhistv2(std::string_view, BankCounting function) { inBanks(function, false); }
static void chistv2(std::string_view, BankCounting function) { inBanks(function, true); }

} // namespace reference

#define PTOM_TEST(op, variant)                                                                                         \
  TEST(op, variant) {                                                                                                  \
    reference::op(#variant, [](auto... arguments) { return op<variant>(arguments...); });                              \
  }
#undef PTOM_FUNCTIONS
#define PTOM_FUNCTIONS(op, parameters, arguments, ...) PTOM_FOR_EACH(PTOM_TEST, op, __VA_ARGS__)

#include "ptoscope/Meaning/Reduce.h"

//===----------------------------------------------------------------------===//
// Conformance vectors
//===----------------------------------------------------------------------===//

namespace ptoscope::meaning {

using reference::garbage;
using reference::prefix;
using reference::Register;
using reference::Words;

static Register floats(auto value) {
  Register r;
  for (int i = 0; i < 64; ++i)
    r.setLane(4, i, std::bit_cast<uint32_t>(float(value(i))));
  return r;
}

static float floatAt(const Register &r, int i) { return std::bit_cast<float>(uint32_t(r.lane(4, i))); }

TEST(ReduceVectors, Sums) {
  Register r = garbage();
  Register ones = floats([](int) { return 1; }), ramp = floats([](int i) { return i; });
  vcadd<f32>(&r, &ones, nullptr);
  EXPECT_EQ(floatAt(r, 0), 64.0f);
  EXPECT_EQ(r.lane(4, 1), 0u);
  Register bytes;
  for (uint8_t &byte : bytes.byte)
    byte = 255;
  vcadd<u8>(&r, &bytes, nullptr);
  EXPECT_EQ(r.lane(2, 0), 65280u);
  vcgadd<f32>(&r, &ramp, nullptr);
  for (int g = 0; g < 8; ++g)
    EXPECT_EQ(floatAt(r, g), 28.0f + 64.0f * float(g));
  EXPECT_EQ(r.lane(4, 8), 0u);
  vcgadd<f32>(&r, &ones, Words(prefix(4, 12)).word);
  EXPECT_EQ(floatAt(r, 0), 8.0f);
  EXPECT_EQ(floatAt(r, 1), 4.0f);
  EXPECT_EQ(floatAt(r, 2), 0.0f);
  vcpadd<f32>(&r, &ramp, nullptr);
  for (int k = 0; k < 32; ++k)
    EXPECT_EQ(floatAt(r, k), float(4 * k + 1));
  EXPECT_EQ(floatAt(r, 32), 0.0f);
  vcpadd<f32>(&r, &ones, Words(prefix(4, 3)).word);
  EXPECT_EQ(floatAt(r, 0), 2.0f);
  EXPECT_EQ(floatAt(r, 1), 1.0f);
  EXPECT_EQ(floatAt(r, 2), 0.0f);
}

TEST(ReduceVectors, Extrema) {
  Register r = garbage();
  Register tie = floats([](int i) { return i == 5 || i == 9 ? 7 : 0; });
  vcmax<f32>(&r, &tie, nullptr);
  EXPECT_EQ(floatAt(r, 0), 7.0f);
  EXPECT_EQ(r.lane(4, 1), 5u);
  EXPECT_EQ(r.lane(4, 2), 0u);
  Register two = floats([](int i) { return i == 5 ? 7 : i == 9 ? 6 : 0; });
  reference::Mask without5 = reference::allOn();
  without5.bit[20] = false;
  vcmax<f32>(&r, &two, Words(without5).word);
  EXPECT_EQ(floatAt(r, 0), 6.0f);
  EXPECT_EQ(r.lane(4, 1), 9u);
  Register halves = reference::zeros();
  halves.setLane(2, 100, 0xC000);
  vcmin<f16>(&r, &halves, nullptr);
  EXPECT_EQ(r.lane(2, 0), 0xC000u);
  EXPECT_EQ(r.lane(2, 1), 0x64u);
  EXPECT_EQ(r.lane(2, 2), 0u);
  vcmax<f32>(&r, &two, Words(reference::Mask()).word);
  EXPECT_EQ(r.lane(4, 0), 0xFF800000u);
  EXPECT_EQ(r.lane(4, 1), 0u);
}

TEST(ReduceVectors, Histograms) {
  Register src, acc = reference::zeros(), r = garbage();
  for (uint8_t &byte : src.byte)
    byte = 200;
  vdhist<BIN_N1>(&r, &acc, &src, nullptr);
  for (int k = 0; k < 128; ++k)
    EXPECT_EQ(r.lane(2, k), k == 72 ? 256u : 0u);
  vchist<BIN_N1>(&r, &acc, &src, nullptr);
  for (int k = 0; k < 128; ++k)
    EXPECT_EQ(r.lane(2, k), k >= 72 ? 256u : 0u);
}

} // namespace ptoscope::meaning
