//===- TextRulesTest.cpp - where text means something else than C++ -------===//
//
// Each rule against a model that is written out here, element by element; every
// byte of UB is compared.
//
//===----------------------------------------------------------------------===//

#include "TextPrograms.h"
#include "pto/detail/modes.hpp"

#include <algorithm>
#include <cmath>

namespace {
using namespace text;

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

struct PadCase {
  Elem elem;
  PadValue pad;
  uint64_t pattern;
};
// IRLOAD-9, TLOAD-10
constexpr PadCase kPads[] = {
    {Elem::f32, PadValue::Max, 0x7f7fffff}, {Elem::f32, PadValue::Min, 0xff7fffff}, {Elem::f32, PadValue::Zero, 0},
    {Elem::f16, PadValue::Max, 0x7bff},     {Elem::f16, PadValue::Min, 0xfbff},     {Elem::bf16, PadValue::Max, 0x7f7f},
    {Elem::bf16, PadValue::Min, 0xff7f},    {Elem::i16, PadValue::Max, 0x7fff},     {Elem::i16, PadValue::Min, 0x8000},
    {Elem::u8, PadValue::Max, 0xff},        {Elem::u8, PadValue::Min, 0},
};

TEST(TextRules, LoadsPadToTheBlock) { // IRLOAD-8, IRLOAD-9
  for (const PadCase &pad : kPads)
    for (bool dn : {false, true}) {
      const size_t width = bitsOf(pad.elem) / 8, block = 32 / width;
      const int valid = int(block) + 3;
      Bytes data(2 * size_t(valid) * width, 0x5a);
      uint64_t gm = 0;
      const auto setup = [&](Program &p) { gm = p.buffer(data); };
      OnUb run = onUb(
          [&](Program &p) {
            // Two lines of `valid` elements; a line has room for two blocks and a half.
            const Shape shape = dn ? Shape{int(block) * 4, 8} : Shape{8, int(block) * 4};
            TileView tile = p.alloc(typeOf(TileType::Vec, pad.elem, shape, dn ? BLayout::ColMajor : BLayout::RowMajor,
                                           SLayout::NoneBox, 512, pad.pad),
                                    kA, dn ? valid : 2, dn ? 2 : valid);
            GlobalView view =
                dn ? p.view(gm, pad.elem, {valid, 2}, {1, valid}) : p.view(gm, pad.elem, {2, valid}, {valid, 1});
            p.issue("TLOAD", {&tile}, &view);
          },
          {}, 1, "a5", setup);
      SCOPED_TRACE(std::to_string(int(pad.elem)) + (dn ? " DN" : " ND"));
      expectUb(run, [&](Bytes &ub) {
        for (size_t line = 0; line < 2; ++line)
          for (size_t i = 0; i < 2 * block; ++i) {
            const uint64_t value = i < size_t(valid) ? 0x5a5a5a5a : pad.pattern;
            std::memcpy(&ub[(line * 4 * block + i) * width], &value, width);
          }
      });
    }
}

OnUb fillPad(const char *record, TileView dst, Shape dstValid, Shape srcValid, TileView src, bool inPlace = false) {
  return onUb([=](Program &p) {
    TileView a = p.alloc(dst, kA, dstValid.rows, dstValid.cols);
    TileView b = p.alloc(src, inPlace ? kA : kB, srcValid.rows, srcValid.cols);
    p.issue(record, {&a, &b}, nullptr, {},
            uint32_t(inPlace                                    ? TFillPadMode::InPlace
                     : std::string(record) == "TFILLPAD_EXPAND" ? TFillPadMode::Expand
                                                                : TFillPadMode::Normal));
  });
}

TEST(TextRules, PaddingEndsWithTheValidRegion) { // IRPAD-1, IRPAD-2, IRPAD-3
  for (const PadCase &pad : kPads)
    for (bool inPlace : {false, true}) {
      const TileView type = vec(pad.elem, {8, 64}, pad.pad);
      OnUb run =
          fillPad(inPlace ? "TFILLPAD_INPLACE" : "TFILLPAD", type, {6, 50}, {4, 33}, vec(pad.elem, {8, 64}), inPlace);
      const size_t width = bitsOf(pad.elem) / 8;
      const bool minusOne = pad.elem == Elem::f32 && pad.pad == PadValue::Zero;
      const uint64_t pattern = minusOne ? bitsOfFloat(-1) : pad.pattern;
      expectUb(run, [&](Bytes &ub) {
        for (size_t r = 0; r < 6; ++r)
          for (size_t c = 0; c < 50; ++c) {
            const size_t at = (r * 64 + c) * width;
            if (r >= 4 || c >= 33)
              std::memcpy(&ub[at], &pattern, width);
            else if (!inPlace)
              std::memcpy(&ub[at], &run.before[size_t(kB) + at], width);
          }
      });
    }
}

TEST(TextRules, PaddingOfEqualRegionsFillsNothing) {
  const TileView type = vec(Elem::f32, {8, 64}, PadValue::Zero);
  OnUb run = fillPad("TFILLPAD", type, {5, 20}, {5, 20}, vec(Elem::f32, {8, 64}));
  expectUb(run, [&](Bytes &ub) {
    for (size_t r = 0; r < 5; ++r)
      std::memcpy(&ub[r * 256], &run.before[size_t(kB) + r * 256], 80);
  });
  // Another shape around it.
  OnUb wider =
      fillPad("TFILLPAD_EXPAND", vec(Elem::i16, {16, 128}, PadValue::Min), {9, 100}, {4, 30}, vec(Elem::i16, {8, 32}));
  expectUb(wider, [&](Bytes &ub) {
    for (size_t r = 0; r < 9; ++r)
      for (size_t c = 0; c < 100; ++c)
        putAt<int16_t>(ub, 0, r * 128 + c,
                       r < 4 && c < 30 ? valueAt<int16_t>(wider.before, kB, r * 32 + c) : INT16_MIN);
  });
}

//===----------------------------------------------------------------------===//
// Compare and select
//===----------------------------------------------------------------------===//

template <typename T> void comparesScalar(Shape valid) { // IRCMP-3, IRCMP-4
  const Shape shape = {16, 512};
  const T scalar = T(3);
  SCOPED_TRACE(std::to_string(sizeof(T)) + " bytes, " + std::to_string(valid.rows) + " x " +
               std::to_string(valid.cols));
  OnUb run = onUb(
      [=](Program &p) {
        TileView mask = p.alloc(vec(Elem::u8, {32, 64}), kC),
                 src = p.alloc(vec(elemOf<T>(), shape), kA, valid.rows, valid.cols);
        uint64_t bits = 0;
        std::memcpy(&bits, &scalar, sizeof(T));
        p.issue("TCMPS", {&mask, &src}, nullptr, {bits}, /*lt*/ 2);
      },
      [=](Bytes &ub) {
        for (size_t i = 0; i < size_t(shape.rows * shape.cols); ++i)
          putAt<T>(ub, kA, i, T(int(ub[i] % 7)));
      });
  expectUb(run, [&](Bytes &ub) {
    const int vr = valid.rows, vc = valid.cols;
    const int group = sizeof(T) == 1 ? 256 : 128, chunks = (vc + group - 1) / group;
    const size_t bytes = sizeof(T) == 4 ? size_t((vr * vc + 127) / 128 * 16) : size_t(vr * chunks * group / 8);
    std::fill_n(ub.begin() + kC, bytes, 0);
    for (int r = 0; r < vr; ++r)
      for (int c = 0; c < vc; ++c) {
        if (!(valueAt<T>(run.before, kA, size_t(r * shape.cols + c)) < scalar))
          continue;
        const int i = r * vc + c;
        const int byte = sizeof(T) == 4 ? i / 8 : (r * chunks + c / group) * (group / 8) + c % group / 8;
        ub[size_t(kC + byte)] |= uint8_t(1 << (sizeof(T) == 4 ? i % 8 : c % 8));
      }
  });
}

TEST(TextRules, ComparesWithScalarsPackTightly) {
  for (Shape valid : {Shape{1, 1}, {3, 7}, {4, 64}, {5, 129}, {2, 300}, {16, 100}}) {
    comparesScalar<float>({std::min(valid.rows, 4), valid.cols});
    comparesScalar<int32_t>({std::min(valid.rows, 4), valid.cols});
    comparesScalar<int16_t>({valid.rows, valid.cols});
    comparesScalar<int8_t>({valid.rows, valid.cols});
  }
}

TEST(TextRules, MasksHaveRoom) {
  auto found = [](Shape mask) {
    return onUb([=](Program &p) {
             TileView m = p.alloc(vec(Elem::u8, mask), kC), src = p.alloc(vec(Elem::f32, {8, 64}), kA);
             p.issue("TCMPS", {&m, &src}, nullptr, {0});
           })
        .found;
  };
  EXPECT_EQ(found({2, 32}), "");
  EXPECT_NE(found({1, 32}).find("tile-shape"), std::string::npos);
}

TEST(TextRules, ComparesClearTheGroup) { // IRCMP-2
  for (int cols : {32, 64})
    for (int valid : {5, 128, 130}) {
      OnUb run = onUb([=](Program &p) {
        TileView mask = p.alloc(vec(Elem::u8, {8, cols}), kC), a = p.alloc(vec(Elem::i16, {8, 256}), kA, 3, valid),
                 b = p.alloc(vec(Elem::i16, {8, 256}), kB, 3, valid);
        p.issue("TCMP", {&mask, &a, &b}, nullptr, {}, /*gt*/ 4);
      });
      expectUb(run, [&](Bytes &ub) {
        for (int r = 0; r < 3; ++r) {
          const int end = std::min(cols, (valid + 127) / 128 * 16);
          std::fill_n(ub.begin() + kC + r * cols, end, 0);
          for (int c = 0; c < valid; ++c) {
            const size_t i = size_t(r * 256 + c);
            if (valueAt<int16_t>(run.before, kA, i) > valueAt<int16_t>(run.before, kB, i))
              ub[size_t(kC + r * cols + c / 8)] |= uint8_t(1 << c % 8);
          }
        }
      });
    }
}

TEST(TextRules, SelectsReadWithThePitchOfTheMask) { // IRCMP-5
  for (Elem mask : {Elem::i8, Elem::i16, Elem::i32}) {
    const int width = int(bitsOf(mask) / 8);
    OnUb run = onUb([=](Program &p) {
      TileView d = p.alloc(vec(Elem::i16, {8, 64}), kD, 5, 45), m = p.alloc(vec(mask, {8, 32}), kC),
               a = p.alloc(vec(Elem::i16, {8, 128}), kA, 5, 45);
      p.issue("TSELS", {&d, &m, &a}, nullptr, {77});
    });
    expectUb(run, [&](Bytes &ub) {
      for (int r = 0; r < 5; ++r)
        for (int c = 0; c < 45; ++c) {
          const bool taken = run.before[size_t(kC + r * 32 * width + c / 8)] >> c % 8 & 1;
          putAt<int16_t>(ub, kD, size_t(r * 64 + c),
                         taken ? valueAt<int16_t>(run.before, kA, size_t(r * 128 + c)) : 77);
        }
    });
  }
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

TEST(TextRules, PartsThatNoSourceHas) { // IRPART-2
  struct Case {
    const char *record;
    Elem elem;
    uint64_t pattern;
  };
  for (const Case &k : {Case{"TPARTMAX", Elem::f32, 0xff7fffff},
                        {"TPARTMIN", Elem::f32, 0x7f7fffff},
                        {"TPARTMAX", Elem::i16, 0x8000},
                        {"TPARTMIN", Elem::u8, 0xff},
                        {"TPARTADD", Elem::i16, 0},
                        {"TPARTMAX", Elem::f16, 0xfbff}}) {
    SCOPED_TRACE(k.record);
    const size_t width = bitsOf(k.elem) / 8;
    auto program = [&](Shape a, Shape b) {
      return onUb([=](Program &p) {
        TileView d = p.alloc(vec(k.elem, {8, 64}), kC, 6, 50), x = p.alloc(vec(k.elem, {8, 64}), kA, a.rows, a.cols),
                 y = p.alloc(vec(k.elem, {8, 64}), kB, b.rows, b.cols);
        p.issue(k.record, {&d, &x, &y});
      });
    };
    OnUb run = program({6, 0}, {2, 30});
    std::string name = k.record;
    for (char &c : name)
      c = char(std::tolower(c));
    expectUb(
        run,
        [&](Bytes &ub) {
          for (size_t r = 0; r < 6; ++r)
            for (size_t c = 0; c < 50; ++c) {
              const size_t at = (r * 64 + c) * width;
              std::memcpy(&ub[size_t(kC) + at],
                          r < 2 && c < 30 ? &run.before[size_t(kB) + at]
                                          : reinterpret_cast<const uint8_t *>(&k.pattern),
                          width);
            }
        },
        "undefined-by-manual: `pto." + name +
            "` breaks IRPART-2: it writes 6 x 50 elements, and some of them are in neither source\n");
    EXPECT_EQ(program({6, 50}, {2, 30}).found, "");
    EXPECT_EQ(program({6, 20}, {6, 50}).found, "");
  }
}

template <typename T> void remainders(const char *record, bool scalar, std::function<T(T, T)> model) {
  SCOPED_TRACE(std::string(record) + " " + std::to_string(sizeof(T)));
  const T k = T(-7);
  OnUb run = onUb(
      [=](Program &p) {
        TileView d = p.alloc(vec(elemOf<T>(), {4, 64}), kC), a = p.alloc(vec(elemOf<T>(), {4, 64}), kA),
                 b = p.alloc(vec(elemOf<T>(), {4, 64}), kB), tmp = p.alloc(vec(elemOf<T>(), {4, 64}), kD);
        uint64_t bits = 0;
        std::memcpy(&bits, &k, sizeof(T));
        if (scalar)
          p.issue(record, {&d, &a, &tmp}, nullptr, {bits});
        else
          p.issue(record, {&d, &a, &b, &tmp});
      },
      [](Bytes &ub) {
        for (int i = 0; i < 256; ++i) {
          putAt<T>(ub, kA, size_t(i), T(i % 41 - 20));
          putAt<T>(ub, kB, size_t(i), T(i % 2 ? i % 9 + 1 : -(i % 9) - 1));
        }
      });
  expectUb(run, [&](Bytes &ub) {
    for (size_t i = 0; i < 256; ++i)
      putAt<T>(ub, kC, i, model(valueAt<T>(run.before, kA, i), scalar ? k : valueAt<T>(run.before, kB, i)));
  });
}

TEST(TextRules, SignsOfRemainders) { // IREW-6, IREW-7
  remainders<int32_t>("TREM", false, [](int32_t a, int32_t b) { return a % b; });
  remainders<int16_t>("TREM", false, [](int16_t a, int16_t b) { return int16_t(a % b); });
  remainders<int32_t>("TREMS", true, [](int32_t a, int32_t b) { return a % b; });
  remainders<float>("TREMS", true, [](float a, float b) { return std::fmod(a, b); });
  remainders<float>("TREM", false, [](float a, float b) {
    const float rest = std::fmod(a, b);
    return rest == 0 ? std::copysign(0.0f, b) : (rest < 0) != (b < 0) ? rest + b : rest;
  });
}

TEST(TextRules, DivisionByZero) { // IREW-8
  auto found = [](const char *record, int zeroRow, int zeroCol, std::vector<uint64_t> scalars = {}, uint32_t mode = 0) {
    return onUb(
               [=](Program &p) {
                 TileView d = p.alloc(vec(Elem::i16, {4, 64}), kC), a = p.alloc(vec(Elem::i16, {4, 64}), kA),
                          b = p.alloc(vec(Elem::i16, {4, 64}), kB, 4, record[1] == 'R' && record[2] == 'O' ? 1 : 64);
                 if (scalars.empty())
                   p.issue(record, {&d, &a, &b}, nullptr, {}, mode);
                 else
                   p.issue(record, {&d, &a}, nullptr, scalars, mode);
               },
               [=](Bytes &ub) {
                 for (int i = 0; i < 256; ++i) {
                   putAt<int16_t>(ub, kA, size_t(i), int16_t(i == 70 ? 0 : i + 1));
                   putAt<int16_t>(ub, kB, size_t(i), int16_t(i / 64 == zeroRow && i % 64 == zeroCol ? 0 : 3));
                 }
               })
        .found;
  };
  const auto wanted = [](const std::string &op, int row, int col) {
    return "undefined-by-manual: `pto." + op + "` breaks IREW-8: it divides integers by zero, first at row " +
           std::to_string(row) + ", column " + std::to_string(col) +
           "; the quotient has all bits set, the remainder is the dividend\n";
  };
  EXPECT_EQ(found("TDIV", 2, 5), wanted("tdiv", 2, 5));
  EXPECT_EQ(found("TDIV", 9, 0), "");
  EXPECT_EQ(found("TFMOD", 3, 63), wanted("tfmod", 3, 63));
  EXPECT_EQ(found("TREM", 3, 63), wanted("trem", 3, 63));
  EXPECT_EQ(found("TREM", 9, 0), "");
  EXPECT_EQ(found("TDIVS", 9, 0, {0x10000}), wanted("tdivs", 0, 0));
  EXPECT_EQ(found("TDIVS", 9, 0, {2}), "");
  EXPECT_EQ(found("TDIVS", 9, 0, {7}, 1), wanted("tdivs", 1, 6));
  EXPECT_EQ(found("TREMS", 9, 0, {0}), wanted("trems", 0, 0));
  EXPECT_EQ(found("TROWEXPANDDIV", 2, 0), wanted("trowexpanddiv", 2, 0));
  EXPECT_EQ(found("TROWEXPANDDIV", 2, 1), "");
  EXPECT_EQ(found("TCOLEXPANDDIV", 0, 9), wanted("tcolexpanddiv", 0, 9));
  EXPECT_EQ(found("TCOLEXPANDDIV", 1, 9), "");
}

template <typename T> void shifts(Elem elem) { // IREW-4, IREW-5
  constexpr int width = 8 * sizeof(T);
  auto left = [](T a, int64_t n) { return n < 0 || n >= width ? T(0) : T(std::make_unsigned_t<T>(a) << n); };
  auto right = [](T a, int64_t n) { return n < 0 || n >= width ? T(a < 0 ? -1 : 0) : T(a >> n); };
  OnUb run = onUb(
      [=](Program &p) {
        TileView d = p.alloc(vec(elem, {4, 64}), kC), e = p.alloc(vec(elem, {4, 64}), kD),
                 a = p.alloc(vec(elem, {4, 64}), kA), b = p.alloc(vec(elem, {4, 64}), kB);
        p.issue("TSHL", {&d, &a, &b});
        p.issue("TSHR", {&e, &a, &b});
      },
      [](Bytes &ub) {
        for (size_t i = 0; i < 256; ++i)
          putAt<T>(ub, kB, i, T(i % (2 * width + 3)));
      },
      unsigned(width));
  expectUb(run, [&](Bytes &ub) {
    for (size_t i = 0; i < 256; ++i) {
      const T a = valueAt<T>(run.before, kA, i), n = valueAt<T>(run.before, kB, i);
      putAt<T>(ub, kC, i, left(a, int64_t(n)));
      putAt<T>(ub, kD, i, right(a, int64_t(n)));
    }
  });
  for (int64_t n :
       {int64_t(0), int64_t(3), int64_t(width - 1), int64_t(width), int64_t(256), int64_t(1) << 32, int64_t(-1)}) {
    OnUb scalar = onUb([=](Program &p) {
      TileView d = p.alloc(vec(elem, {4, 64}), kC), e = p.alloc(vec(elem, {4, 64}), kD),
               a = p.alloc(vec(elem, {4, 64}), kA);
      p.issue("TSHLS", {&d, &a}, nullptr, {uint64_t(n)});
      p.issue("TSHRS", {&e, &a}, nullptr, {uint64_t(n)});
    });
    expectUb(scalar, [&](Bytes &ub) {
      for (size_t i = 0; i < 256; ++i) {
        putAt<T>(ub, kC, i, left(valueAt<T>(scalar.before, kA, i), n));
        putAt<T>(ub, kD, i, right(valueAt<T>(scalar.before, kA, i), n));
      }
    });
  }
}

TEST(TextRules, ShiftsByTheWidthAndMore) {
  shifts<int8_t>(Elem::i8);
  shifts<uint8_t>(Elem::u8);
  shifts<int16_t>(Elem::i16);
  shifts<uint16_t>(Elem::u16);
  shifts<int32_t>(Elem::i32);
  shifts<uint32_t>(Elem::u32);
}

TEST(TextRules, SlopesMultiplyZeros) { // TEW-5
  struct Slope {
    float slope;
    uint32_t zero, minusZero; ///< what becomes of them
  };
  for (Slope test : {Slope{INFINITY, 0x7FC00000, 0x7FC00000}, {-1.0f, 0x80000000, 0}, {0.5f, 0, 0x80000000}}) {
    OnUb run = onUb(
        [=](Program &p) {
          TileView d = p.alloc(vec(Elem::f32, {4, 64}), kC), a = p.alloc(vec(Elem::f32, {4, 64}), kA);
          p.issue("TLRELU", {&d, &a}, nullptr, {bitsOfFloat(test.slope)});
        },
        [](Bytes &ub) {
          for (size_t i = 0; i < 256; ++i)
            putAt<float>(ub, kA, i, i % 3 == 0 ? 0.0f : i % 3 == 1 ? -0.0f : 2.0f);
        });
    expectUb(run, [&](Bytes &ub) {
      for (size_t i = 0; i < 256; ++i)
        putAt<uint32_t>(ub, kC, i, i % 3 == 0 ? test.zero : i % 3 == 1 ? test.minusZero : 0x40000000);
    });
  }
}

TEST(TextRules, SlopesAreRoundedFirst) { // IREW-9
  const float slope = 0.1f;
  OnUb run = onUb(
      [=](Program &p) {
        TileView d = p.alloc(vec(Elem::f16, {4, 64}), kC), a = p.alloc(vec(Elem::f16, {4, 64}), kA);
        p.issue("TLRELU", {&d, &a}, nullptr, {bitsOfFloat(slope)});
      },
      [](Bytes &ub) {
        for (int i = 0; i < 256; ++i)
          putAt<_Float16>(ub, kA, size_t(i), _Float16(float(i - 200) * 1.37f));
      });
  expectUb(run, [&](Bytes &ub) {
    for (size_t i = 0; i < 256; ++i) {
      const auto a = valueAt<_Float16>(run.before, kA, i);
      // The product of two f16 is exact in double.
      putAt<_Float16>(ub, kC, i, a > 0 ? a : _Float16(double(a) * double(_Float16(slope))));
    }
  });
}

} // namespace
