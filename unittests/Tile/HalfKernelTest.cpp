//===- HalfKernelTest.cpp - f16 at every level, every value ---------------===//
//
// Hosts compute f16 in their own ways: by f32, by instructions for it, by a library.
// Tiles hold every f16, NaNs in the middle of numbers among them, and are longer than
// what is looked over for NaNs at a time.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include "pto/detail/convert.hpp"

using namespace reference;

namespace {

constexpr int kSide = 256;

/// An array of elements as one tile of kSide x kSide.
template <typename T> struct Square {
  std::vector<T> bits = std::vector<T>(kSide * kSide);
  TileView view(Elem elem) {
    TileView view;
    view.data = reinterpret_cast<uint8_t *>(bits.data());
    view.ref.elem = elem;
    view.ref.blockLayout = uint8_t(BLayout::RowMajor);
    view.ref.innerLayout = uint8_t(SLayout::NoneBox);
    view.ref.fractalBytes = 512;
    view.ref.rows = view.ref.validRows = view.ref.cols = view.ref.validCols = kSide;
    return view;
  }
};
/// All of them; NaNs of both signs stand together, and some among the numbers.
Square<uint16_t> everyHalf() {
  Square<uint16_t> all;
  for (size_t i = 0; i < all.bits.size(); ++i)
    all.bits[i] = uint16_t(i);
  for (size_t i = 0x100; i < 0x7c00; i += 0x1700)
    std::swap(all.bits[i], all.bits[0x7c00 + i / 0x100]);
  return all;
}

double larger(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}

struct Pairwise {
  RunFunction Kernels::*run;
  double (*formula)(double, double);
};
const Pairwise kPairwise[] = {
    {&Kernels::TADD, [](double a, double b) { return a + b; }},
    {&Kernels::TSUB, [](double a, double b) { return a - b; }},
    {&Kernels::TMUL, [](double a, double b) { return a * b; }},
    {&Kernels::TDIV, [](double a, double b) { return a / b; }},
    {&Kernels::TMAX, larger},
    {&Kernels::TMIN, [](double a, double b) { return -larger(-a, -b); }},
};

// TEW-1, TEW-2, TEW-8. Denormals are kept, every NaN is the same one, +0 is above -0.
TEST(TileHalf, PairsAtEveryLevel) {
  Square<uint16_t> all = everyHalf(), other, expected, result;
  std::vector<uint16_t> partners = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3c01, 0x4248,
                                    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe01, 0x6400, 0x1400};
  std::mt19937 random(14);
  for (int i = 0; i < 9; ++i)
    partners.push_back(uint16_t(random()));
  for (const Pairwise &test : kPairwise)
    for (uint16_t partner : partners)
      for (bool first : {true, false}) {
        std::fill(other.bits.begin(), other.bits.end(), partner);
        for (size_t i = 0; i < all.bits.size(); ++i) {
          const double a = toNumber(Elem::f16, all.bits[i]), b = toNumber(Elem::f16, partner);
          expected.bits[i] = uint16_t(fromNumber(Elem::f16, first ? test.formula(a, b) : test.formula(b, a)));
        }
        atEveryLevel([&](const Kernels &kernels) {
          Operands ops;
          ops.tiles = 3;
          ops.tile[0] = result.view(Elem::f16);
          ops.tile[first ? 1 : 2] = all.view(Elem::f16);
          ops.tile[first ? 2 : 1] = other.view(Elem::f16);
          (kernels.*test.run)(ops);
          for (size_t i = 0; i < all.bits.size(); ++i)
            ASSERT_EQ(result.bits[i], expected.bits[i])
                << std::hex << all.bits[i] << " and " << partner << ", operation " << &test - kPairwise;
        });
        if (HasFatalFailure())
          return;
      }
}

// TCVT-1, CVAL-1: a NaN keeps its sign and payload, and is quiet.
TEST(TileHalf, WidenedAtEveryLevel) {
  Square<uint16_t> all = everyHalf();
  Square<uint32_t> result;
  atEveryLevel([&](const Kernels &kernels) {
    Operands ops;
    ops.tiles = 2;
    ops.mode = 1;
    ops.tile[0] = result.view(Elem::f32);
    ops.tile[1] = all.view(Elem::f16);
    kernels.TCVT(ops);
    for (size_t i = 0; i < all.bits.size(); ++i) {
      const uint32_t bits = all.bits[i];
      const uint32_t expected = (bits & 0x7fff) > 0x7c00 ? (bits & 0x8000) << 16 | 0x7fc00000 | (bits & 0x3ff) << 13
                                                         : uint32_t(fromNumber(Elem::f32, toNumber(Elem::f16, bits)));
      ASSERT_EQ(result.bits[i], expected) << std::hex << bits;
    }
  });
}

// TCVT-1: to nearest even, with and without saturation; also in place.
TEST(TileHalf, NarrowedAtEveryLevel) {
  Square<uint32_t> wide;
  std::mt19937 random(15);
  for (size_t i = 0; i < wide.bits.size(); ++i) {
    // Near every f16, exponents of f16 mostly; NaNs are rare, as they are.
    const double value = toNumber(Elem::f16, i & 0x7bff | (i & 0x8000));
    wide.bits[i] = uint32_t(fromNumber(Elem::f32, value)) + random() % 0x4000 - 0x2000 * (i % 2);
    if (i % 3000 == 1)
      wide.bits[i] = 0x7f800000 + uint32_t(random() % 3);
    if (i % 5000 == 4999)
      wide.bits[i] = uint32_t(random()) | 0x7f000000;
  }
  for (bool sat : {false, true})
    for (bool inPlace : {false, true})
      atEveryLevel([&](const Kernels &kernels) {
        Square<uint32_t> source = wide;
        Square<uint16_t> result;
        Operands ops;
        ops.tiles = 2;
        ops.mode = 1 | (sat ? kSaturateBit : 0);
        ops.tile[1] = source.view(Elem::f32);
        ops.tile[0] = result.view(Elem::f16);
        if (inPlace)
          ops.tile[0].data = ops.tile[1].data;
        kernels.TCVT(ops);
        if (inPlace)
          std::memcpy(result.bits.data(), source.bits.data(), result.bits.size() * 2);
        for (size_t i = 0; i < wide.bits.size(); ++i) {
          double value = toNumber(Elem::f32, wide.bits[i]);
          if (sat)
            value = std::isnan(value) ? 0.0 : std::min(std::max(value, -65504.0), 65504.0);
          ASSERT_EQ(result.bits[i], fromNumber(Elem::f16, value)) << std::hex << wide.bits[i] << ", " << sat;
        }
      });
}

} // namespace
