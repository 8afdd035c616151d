// Stores and moves that compute: atomic updates, conversion, relu, quantisation.

#include "Reference.h"

#include "ptoscope/Support/Formats.h"

#include <cmath>

using namespace reference;

namespace {

float asFloat(uint64_t bits) { return std::bit_cast<float>(uint32_t(bits)); }
uint64_t bitsOfFloat(float value) { return std::bit_cast<uint32_t>(value); }

double decode(Elem elem, uint64_t bits) {
  switch (elem) {
  case Elem::f32:
    return double(asFloat(bits));
  case Elem::f16:
    return ptoscope::decodeFloat(ptoscope::kF16, uint32_t(bits));
  case Elem::bf16:
    return ptoscope::decodeFloat(ptoscope::kBF16, uint32_t(bits));
  default:
    ADD_FAILURE();
    return 0;
  }
}

uint64_t encode(Elem elem, double value, bool saturate) {
  using ptoscope::Rounding;
  switch (elem) {
  case Elem::f16:
    return ptoscope::convertFloat(ptoscope::kF16, value, Rounding::Even, saturate);
  case Elem::bf16:
    return ptoscope::convertFloat(ptoscope::kBF16, value, Rounding::Even, saturate);
  case Elem::e4m3:
    return ptoscope::convertFloat(ptoscope::kF8E4M3FN, value, Rounding::Even, saturate);
  case Elem::e5m2:
    return ptoscope::convertFloat(ptoscope::kF8E5M2, value, Rounding::Even, saturate);
  case Elem::hif8:
    return ptoscope::encodeHif8(value, saturate);
  default:
    ADD_FAILURE();
    return 0;
  }
}

bool isFloat(Elem elem) { return elem == Elem::f32 || elem == Elem::f16 || elem == Elem::bf16; }

int64_t asSigned(Elem elem, uint64_t bits) {
  int width = widthBits(elem);
  return int64_t(bits << (64 - width)) >> (64 - width);
}

uint64_t update(AtomicType op, Elem elem, uint64_t oldBits, uint64_t newBits) {
  uint64_t mask = ~uint64_t(0) >> (64 - widthBits(elem));
  if (!isFloat(elem)) {
    int64_t a = asSigned(elem, oldBits), b = asSigned(elem, newBits);
    int64_t result = op == AtomicType::AtomicAdd   ? a + b
                     : op == AtomicType::AtomicMax ? std::max(a, b)
                                                   : std::min(a, b);
    return uint64_t(result) & mask;
  }
  double a = decode(elem, oldBits), b = decode(elem, newBits);
  uint64_t nan = elem == Elem::f32 ? 0x7fc00000 : elem == Elem::f16 ? 0x7e00 : 0x7fc0;
  if (std::isnan(a) || std::isnan(b))
    return nan;
  if (op == AtomicType::AtomicAdd) {
    if (elem == Elem::f32) {
      float sum = float(a) + float(b);
      return std::isnan(sum) ? nan : bitsOfFloat(sum);
    }
    // f32 has more than twice their precision: rounding twice changes nothing.
    float sum = float(a) + float(b);
    return std::isnan(sum) ? nan : encode(elem, sum, false);
  }
  bool takeNew = a == b ? (op == AtomicType::AtomicMax) == bool(std::signbit(a)) && std::signbit(a) != std::signbit(b)
                        : (op == AtomicType::AtomicMax) == (b > a);
  return takeNew ? newBits : oldBits;
}

constexpr uint32_t kSpecials32[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001,
                                    1, 0x80000001, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x00800000};
constexpr uint32_t kSpecials16[] = {0,      0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7f80, 0xff80,
                                    0x7fc0, 1,      0x8001, 0x7bff, 0xfbff, 0x7f7f, 0x3c00, 0x3f80};

uint64_t sample(Elem elem, std::mt19937 &random) {
  if (random() % 4 == 0)
    return widthBits(elem) == 32   ? kSpecials32[random() % std::size(kSpecials32)]
           : widthBits(elem) == 16 ? kSpecials16[random() % std::size(kSpecials16)]
                                   : random() % 256;
  if (elem == Elem::f32) // near one another, so that sums round
    return bitsOfFloat(std::ldexp(float(int32_t(random())), int(random() % 20) - 40));
  return random() & (~uint64_t(0) >> (64 - widthBits(elem)));
}

// TSTORE-5, TSTORE-6.
TEST(AtomicTest, EveryTypeAndOperation) {
  atEveryLevel([](const Kernels &kernels) {
    std::mt19937 random(5);
    for (Elem elem : {Elem::f32, Elem::f16, Elem::bf16, Elem::i8, Elem::i16, Elem::i32})
      for (AtomicType op : {AtomicType::AtomicAdd, AtomicType::AtomicMax, AtomicType::AtomicMin})
        for (int64_t gap : {0, 3})
          for (const Name &name : {kND, kDN, kNZ}) {
            int block = 256 / widthBits(elem), rows = 4 * block, cols = 64;
            TestTile tile(name, elem, rows, cols, 3 * block + 5, 37, 1);
            SCOPED_TRACE(tile.text() + " op " + std::to_string(int(op)));
            GlobalRef view{
                nullptr, elem, uint8_t(Layout::ND), {1, 1, 1, tile.ref.validRows, 37}, {0, 0, 0, 37 + gap, 1}};
            Memory global(int64_t(rows) * 64 * 4, 2);
            for (int r = 0; r < rows; ++r)
              for (int c = 0; c < cols; ++c)
                tile.set(r, c, sample(elem, random));
            for (int64_t i = 0; i < rows * 48; ++i)
              global.set(elem, i, sample(elem, random));
            Memory expected = global;
            for (int r = 0; r < tile.ref.validRows; ++r)
              for (int c = 0; c < 37; ++c) {
                int64_t at = viewOffset(view, r, c);
                expected.set(elem, at, update(op, elem, expected.get(elem, at), tile.get(r, c)));
              }
            Operands ops;
            ops.tile[0] = tile.view();
            ops.global = {global.data(), view};
            ops.mode = MoveMode{.atomic = op}.pack();
            kernels.TSTORE(ops);
            ASSERT_TRUE(global.bytes == expected.bytes);
          }
  });
}

// TSTORE-6.
TEST(AtomicTest, ElementsThatMeetAreUpdatedEachTime) {
  // All columns of a row go to one element, from a tile and, rectified, from an
  // accumulator; rows beside each other and apart.
  for (bool acc : {false, true})
    for (int64_t stride : {1, 3}) {
      TestTile tile(acc ? kNZ : kND, Elem::i32, 16, 16, 4, 8, 1, acc ? 1024 : 512);
      Memory global(64, 2), expected = global;
      GlobalRef view{nullptr, Elem::i32, uint8_t(Layout::ND), {1, 1, 1, 4, 8}, {0, 0, 0, stride, 0}};
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 8; ++c) {
          int64_t value = asSigned(Elem::i32, tile.get(r, c));
          uint64_t added = uint64_t(acc ? std::max<int64_t>(value, 0) : value);
          expected.set(Elem::i32, r * stride, (expected.get(Elem::i32, r * stride) + added) & 0xffffffff);
        }
      Operands ops;
      ops.tile[0] = tile.view();
      ops.global = {global.data(), view};
      ops.mode =
          MoveMode{.atomic = AtomicType::AtomicAdd, .relu = acc ? ReluPreMode::NormalRelu : ReluPreMode::NoRelu}.pack();
      hostKernels().TSTORE(ops);
      EXPECT_TRUE(global.bytes == expected.bytes) << acc << " " << stride;
    }
}

//===----------------------------------------------------------------------===//
// The accumulator
//===----------------------------------------------------------------------===//

struct Word {
  uint64_t bits;
  float scale;
  int offset;
  bool isSigned;
  int shift;
};

Word makeWord(std::mt19937 &random, bool vector) {
  Word word;
  word.scale = std::ldexp(float(int(random() % 4001) - 2000), -int(random() % 14));
  word.offset = int(random() % 512) - 256;
  word.isSigned = random() % 2;
  word.shift = int(random() % 16);
  uint64_t low = bitsOfFloat(word.scale) | (vector ? random() % 8192 : 0); // bits that are not the scale's
  word.scale = vector ? asFloat(low & 0xffffe000) : asFloat(low);
  word.bits = low | uint64_t(word.shift) << 32 | uint64_t(word.offset & 511) << 37 | uint64_t(word.isSigned) << 46;
  return word;
}

uint64_t convertOne(Elem from, Elem to, uint64_t bits, Quant quant, const Word &word, bool relu, bool saturate) {
  auto rectified = [&](float v) { return relu && v <= 0 ? 0.0f : v; };
  if (from == Elem::i32) {
    int64_t x = asSigned(Elem::i32, bits);
    if (quant == Quant::None)
      return uint64_t(relu ? std::max<int64_t>(x, 0) : x) & 0xffffffff;
    if (to == Elem::i16) {
      int64_t y = x >> (word.shift + 1);
      y = relu ? std::max<int64_t>(y, 0) : y;
      return uint64_t(std::clamp<int64_t>(y, -32768, 32767)) & 0xffff;
    }
  }
  volatile float x = from == Elem::i32 ? float(asSigned(Elem::i32, bits)) : float(decode(from, bits));
  if (quant == Quant::None && to == Elem::f32)
    return relu && x <= 0 ? 0 : from == Elem::f32 ? bits : bitsOfFloat(x);
  volatile float y = quant == Quant::None ? x : x * word.scale;
  if (to == Elem::i8 || to == Elem::u8) {
    y = y + float(word.offset);
    float z = rectified(y);
    if (std::isnan(z))
      return uint64_t(std::clamp(0, word.isSigned ? -128 : 0, 255));
    double whole = std::nearbyint(double(z));
    return uint64_t(int64_t(std::clamp(whole, word.isSigned ? -128.0 : 0.0, word.isSigned ? 127.0 : 255.0))) & 0xff;
  }
  float z = rectified(y);
  if (to == Elem::f32)
    return std::isnan(z) ? 0x7fc00000 : bitsOfFloat(z);
  return encode(to, double(z), saturate);
}

struct Types {
  Elem from, to;
  bool plain, quantised;
};
constexpr Types kTypes[] = {
    {Elem::f32, Elem::f32, true, true},   {Elem::f32, Elem::f16, true, true},   {Elem::f32, Elem::bf16, true, true},
    {Elem::i32, Elem::i32, true, false},  {Elem::f32, Elem::i8, false, true},   {Elem::f32, Elem::u8, false, true},
    {Elem::f32, Elem::e4m3, false, true}, {Elem::f32, Elem::e5m2, false, true}, {Elem::f32, Elem::hif8, false, true},
    {Elem::i32, Elem::i8, false, true},   {Elem::i32, Elem::u8, false, true},   {Elem::i32, Elem::i16, false, true},
    {Elem::i32, Elem::f16, false, true},  {Elem::i32, Elem::bf16, false, true},
};

// TSTORE-7, TSTORE-8.
TEST(AccTest, TableOfConversions) {
  for (const Types &types : kTypes) {
    EXPECT_EQ(accConverts(types.from, types.to, Quant::None), types.plain);
    EXPECT_EQ(accConverts(types.from, types.to, Quant::Scalar), types.quantised);
    EXPECT_EQ(accConverts(types.from, types.to, Quant::Vector), types.quantised);
  }
}

/// What TSTORE, TMOV, TEXTRACT and TINSERT share; the words go by the column of
/// the result.
template <typename Fn> void forEveryConversion(Fn fn) {
  std::mt19937 random(9);
  for (const Types &types : kTypes)
    for (Quant quant : {Quant::None, Quant::Scalar, Quant::Vector}) {
      if (quant == Quant::None ? !types.plain : !types.quantised)
        continue;
      for (bool relu : {false, true})
        for (bool saturate : {true, false}) {
          TestTile acc(kNZ, types.from, 64, 64, 45, 39, 1, 1024);
          for (int r = 0; r < 64; ++r)
            for (int c = 0; c < 64; ++c)
              acc.set(r, c,
                      types.from == Elem::i32 && random() % 2 ? random() % 4096 - 2048 : sample(types.from, random));
          TestTile fp(kND, Elem::u64, 1, 64, 1, 64, 3);
          std::vector<Word> words;
          Word scalar = makeWord(random, false);
          for (int c = 0; c < 64; ++c) {
            words.push_back(quant == Quant::Vector ? makeWord(random, true) : scalar);
            fp.set(0, c, words.back().bits);
          }
          SCOPED_TRACE("from " + std::to_string(int(types.from)) + " to " + std::to_string(int(types.to)) + " quant " +
                       std::to_string(int(quant)) + (relu ? " relu" : "") + (saturate ? " sat" : ""));
          MoveMode mode;
          mode.quant = quant;
          mode.relu = relu ? ReluPreMode::NormalRelu : ReluPreMode::NoRelu;
          mode.saturate = saturate;
          auto value = [&](int r, int c, int wordCol) {
            return convertOne(types.from, types.to, acc.get(r, c), quant, words[size_t(wordCol)], relu, saturate);
          };
          fn(types, mode, acc, fp, scalar.bits, value);
        }
    }
}

// TSTORE-9, TSTORE-10, TSTORE-11, TSTORE-12, TSTORE-13.
TEST(AccTest, Stores) {
  atEveryLevel([](const Kernels &kernels) {
    forEveryConversion([&](const Types &types, MoveMode mode, TestTile &acc, TestTile &fp, uint64_t word, auto value) {
      for (Layout layout : {Layout::ND, Layout::NZ})
        for (AtomicType atomic : {AtomicType::AtomicNone, AtomicType::AtomicAdd}) {
          if (atomic != AtomicType::AtomicNone && !hasAtomic(types.to))
            continue;
          bool nz = layout == Layout::NZ;
          acc.ref.validRows = nz ? 48 : 45;
          acc.ref.validCols = nz ? 48 : 39;
          GlobalRef view = nz ? GlobalRef{nullptr, types.to, uint8_t(layout), {1, 3, 3, 16, 16}, {0, 800, 256, 16, 1}}
                              : GlobalRef{nullptr, types.to, uint8_t(layout), {1, 1, 1, 45, 39}, {0, 0, 0, 41, 1}};
          Memory global(3000 * 4, 2), expected = global;
          for (int r = 0; r < acc.ref.validRows; ++r)
            for (int c = 0; c < acc.ref.validCols; ++c) {
              int64_t at = viewOffset(view, r, c);
              uint64_t v = value(r, c, c);
              expected.set(types.to, at,
                           atomic == AtomicType::AtomicNone ? v
                                                            : update(atomic, types.to, expected.get(types.to, at), v));
            }
          mode.atomic = atomic;
          Operands ops;
          ops.tiles = 2;
          ops.tile[0] = acc.view();
          ops.tile[1] = fp.view();
          ops.global = {global.data(), view};
          ops.scalar[kWordScalar] = word;
          ops.mode = mode.pack();
          kernels.TSTORE(ops);
          ASSERT_TRUE(global.bytes == expected.bytes) << "layout " << int(layout) << " atomic " << int(atomic);
        }
    });
  });
}

// TMOV-5, TSTORE-13.
TEST(AccTest, MovesExtractsInserts) {
  atEveryLevel([](const Kernels &kernels) {
    forEveryConversion([&](const Types &types, MoveMode mode, TestTile &acc, TestTile &fp, uint64_t word, auto value) {
      for (const Name &name : {kND, kNZ}) {
        Operands ops;
        ops.tiles = 3;
        ops.tile[1] = acc.view();
        ops.tile[2] = fp.view();
        ops.scalar[kWordScalar] = word;
        ops.mode = mode.pack();

        TestTile dst(name, types.to, 64, 64, 45, 39, 7), expected = dst;
        for (int r = 0; r < 45; ++r)
          for (int c = 0; c < 39; ++c)
            expected.set(r, c, value(r, c, c));
        ops.tile[0] = dst.view();
        kernels.TMOV(ops);
        ASSERT_TRUE(dst.memory.bytes == expected.memory.bytes) << "tmov " << name.name;

        TestTile window(name, types.to, 32, 32, 20, 19, 7), windowExpected = window;
        for (int r = 0; r < 20; ++r)
          for (int c = 0; c < 19; ++c)
            windowExpected.set(r, c, value(16 + r, 16 + c, 16 + c));
        ops.tile[0] = window.view();
        ops.scalar[kRowScalar] = 16;
        ops.scalar[kColScalar] = 16;
        kernels.TEXTRACT(ops);
        ASSERT_TRUE(window.memory.bytes == windowExpected.memory.bytes) << "textract " << name.name;

        TestTile large(name, types.to, 128, 128, 128, 128, 7), largeExpected = large;
        for (int r = 0; r < 45; ++r)
          for (int c = 0; c < 39; ++c)
            largeExpected.set(32 + r, 16 + c, value(r, c, c));
        ops.tile[0] = large.view();
        ops.scalar[kRowScalar] = 32;
        kernels.TINSERT(ops);
        ASSERT_TRUE(large.memory.bytes == largeExpected.memory.bytes) << "tinsert " << name.name;
      }
    });
  });
}

TEST(AccTest, ModesSurvivePacking) {
  for (uint32_t bits = 0; bits < 320; ++bits)
    if ((bits >> 3 & 3) != 3)
      EXPECT_EQ(MoveMode::unpack(bits).pack(), bits);
}

} // namespace
