//===- ElementwiseKernelTest.cpp - meanings, element by element -----------===//
//
// Every elementwise meaning at every level of host against a scalar formula: all
// element types, layouts, valid parts, tails, in place, special values. Bytes
// outside the destination's valid region must stay.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

using namespace reference;

namespace {

using FloatFormula = double (*)(Elem, double a, double b, double c);
using IntFormula = int64_t (*)(Elem, int64_t a, int64_t b, int64_t c);

/// Inputs, a letter each: tile number, s the scalar, r and c tile 2 as a column and
/// as a row.
struct Case {
  const char *name;
  RunFunction Kernels::*run;
  const char *inputs;
  FloatFormula ofFloats;
  IntFormula ofInts;
  bool bf16 = true;
  uint32_t mode = 0;
  unsigned ulps = 0;
};

double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}
double relu(double x) { return x <= 0 ? 0.0 : x; }
/// a * b + c, rounded once.
double multiplyAdd(Elem elem, double a, double b, double c) {
  if (elem == Elem::f32)
    return double(std::fma(float(a), float(b), float(c)));
  // The product is exact. What a small addend loses decides ties: of the two numbers around the sum the odd one,
  // which is no tie.
  long double product = (long double)a * b, sum = product + c;
  if (!std::isfinite(sum))
    return double(sum);
  bool larger = std::fabs(product) > std::fabs(c);
  long double lost = larger ? c - (sum - product) : product - (sum - c);
  const long double next = std::nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
  const bool isOdd = std::fmod(sum, 2 * (next - sum)) != 0;
  return rounded(elem, lost == 0 || isOdd ? sum : next);
}
/// HMEAN-19: halves are rounded twice.
double mulThenAdd(Elem elem, double a, double b, double c) {
  return elem == Elem::f16 ? rounded(elem, rounded(elem, a * b) + c) : multiplyAdd(elem, a, b, c);
}
int64_t divide(int64_t a, int64_t b) { return b == 0 ? -1 : a / b; }
double flooredRemainder(Elem elem, double a, double b) {
  double rest = std::fmod(a, b);
  if (std::isnan(rest))
    return rest;
  if (rest == 0)
    return std::copysign(0.0, b);
  return std::signbit(rest) == std::signbit(b) ? rest : rounded(elem, (long double)rest + b);
}
int64_t integerPower(Elem elem, int64_t a, int64_t b) {
  if (b < 0)
    return a == 0 ? -1 : a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  uint64_t result = 1, base = uint64_t(a);
  for (uint64_t n = uint64_t(b); n; n >>= 1, base *= base)
    if (n & 1)
      result *= base;
  return toInt(elem, fromInt(elem, int64_t(result)));
}

#define F [](Elem e, double a, double b, double c) -> double
#define I [](Elem e, int64_t a, int64_t b, int64_t c) -> int64_t
#define UNUSED ((void)e, (void)a, (void)b, (void)c)
// Rows of a table, as clang-format does not see them.
// clang-format off
const FloatFormula kAdd = F { UNUSED; return a + b; }, kSub = F { UNUSED; return a - b; },
                   kMul = F { UNUSED; return a * b; }, kDiv = F { UNUSED; return a / b; },
                   kMax = F { UNUSED; return maximum(a, b); }, kMin = F { UNUSED; return -maximum(-a, -b); },
                   kFmod = F { UNUSED; return std::fmod(a, b); },
                   kRem = F { UNUSED; return flooredRemainder(e, a, b); },
                   kPow = F { UNUSED; return std::pow(a, b); },
                   kPrelu = F { UNUSED; return a > 0 ? a : a * b; },
                   kExpdif = F { UNUSED; return std::exp(double(float(a) - float(b))); },
                   kMulAdd = F { UNUSED; return multiplyAdd(e, a, b, c); },
                   kAddAdd = F { UNUSED; return rounded(e, a + b) + c; },
                   kSubAdd = F { UNUSED; return rounded(e, a - b) + c; };
const IntFormula kAddI = I { UNUSED; return a + b; }, kSubI = I { UNUSED; return a - b; },
                 kMulI = I { UNUSED; return int64_t(uint64_t(a) * uint64_t(b)); },
                 kDivI = I { UNUSED; return divide(a, b); }, kMaxI = I { UNUSED; return a > b ? a : b; },
                 kMinI = I { UNUSED; return a < b ? a : b; },
                 kFmodI = I { UNUSED; return b == 0 ? a : a % b; },
                 kRemI = I { UNUSED; return b == 0 ? a : (a % b != 0 && (a % b < 0) != (b < 0)) ? a % b + b : a % b; },
                 kPowI = I { UNUSED; return integerPower(e, a, b); }, kAndI = I { UNUSED; return a & b; },
                 kOrI = I { UNUSED; return a | b; }, kXorI = I { UNUSED; return a ^ b; },
                 kShlI = I { UNUSED; return int64_t(uint64_t(a) << (b & (widthBits(e) - 1))); },
                 kShrI = I { UNUSED; return a >> (b & (widthBits(e) - 1)); },
                 kMulAddI = I { UNUSED; return int64_t(uint64_t(a) * uint64_t(b) + uint64_t(c)); },
                 kAddAddI = I { UNUSED; return a + b + c; }, kSubAddI = I { UNUSED; return a - b + c; };

const Case kCases[] = {
    {"TADD", &Kernels::TADD, "12", kAdd, kAddI},
    {"TSUB", &Kernels::TSUB, "12", kSub, kSubI},
    {"TMUL", &Kernels::TMUL, "12", kMul, kMulI},
    {"TDIV", &Kernels::TDIV, "12", kDiv, kDivI},
    {"TMAX", &Kernels::TMAX, "12", kMax, kMaxI},
    {"TMIN", &Kernels::TMIN, "12", kMin, kMinI},
    {"TAND", &Kernels::TAND, "12", nullptr, kAndI},
    {"TOR", &Kernels::TOR, "12", nullptr, kOrI},
    {"TXOR", &Kernels::TXOR, "12", nullptr, kXorI},
    {"TSHL", &Kernels::TSHL, "12", nullptr, kShlI},
    {"TSHR", &Kernels::TSHR, "12", nullptr, kShrI},
    {"TREM", &Kernels::TREM, "12", kRem, kRemI},
    {"TFMOD", &Kernels::TFMOD, "12", kFmod, kFmodI},
    {"TPOW", &Kernels::TPOW, "12", kPow, kPowI, true, 0, 1},
    {"TPRELU", &Kernels::TPRELU, "12", kPrelu, nullptr, false},
    {"TADDRELU", &Kernels::TADDRELU, "12", F { UNUSED; return relu(a + b); }, // TEW-18
     I { UNUSED; return std::max<int64_t>(toInt(e, fromInt(e, a + b)), 0); }},
    {"TSUBRELU", &Kernels::TSUBRELU, "12", F { UNUSED; return relu(a - b); },
     I { UNUSED; return std::max<int64_t>(toInt(e, fromInt(e, a - b)), 0); }},
    {"TADDC", &Kernels::TADDC, "123", kAddAdd, kAddAddI},
    {"TSUBC", &Kernels::TSUBC, "123", kSubAdd, kSubAddI},
    {"TFUSEDMULADD", &Kernels::TFUSEDMULADD, "102", kMulAdd, kMulAddI},
    {"TFUSEDMULADDRELU", &Kernels::TFUSEDMULADDRELU, "102", F { UNUSED; return relu(mulThenAdd(e, a, b, c)); },
     I { UNUSED; return std::max<int64_t>(toInt(e, fromInt(e, kMulAddI(e, a, b, c))), 0); }},
    {"TMULADDDST", &Kernels::TMULADDDST, "120", F { UNUSED; return mulThenAdd(e, a, b, c); }, kMulAddI},
    {"TABS", &Kernels::TABS, "1", F { UNUSED; return std::fabs(a); }, I { UNUSED; return a < 0 ? -a : a; }},
    {"TNEG", &Kernels::TNEG, "1", F { UNUSED; return -a; }, I { UNUSED; return -a; }},
    {"TNOT", &Kernels::TNOT, "1", nullptr, I { UNUSED; return ~a; }},
    {"TRELU", &Kernels::TRELU, "1", F { UNUSED; return relu(a); }, I { UNUSED; return a < 0 ? 0 : a; }},
    {"TEXP", &Kernels::TEXP, "1", F { UNUSED; return std::exp(a); }, nullptr, false},
    {"TLOG", &Kernels::TLOG, "1", F { UNUSED; return std::log(a); }, nullptr, false},
    {"TSQRT", &Kernels::TSQRT, "1", F { UNUSED; return std::sqrt(a); }, nullptr, false},
    {"TRSQRT", &Kernels::TRSQRT, "1", F { UNUSED; return 1 / std::sqrt(a); }, nullptr, false},
    {"TRECIP", &Kernels::TRECIP, "1", F { UNUSED; return 1 / a; }, nullptr, false},
    {"TADDS", &Kernels::TADDS, "1s", kAdd, kAddI},
    {"TSUBS", &Kernels::TSUBS, "1s", kSub, kSubI},
    {"TMULS", &Kernels::TMULS, "1s", kMul, kMulI},
    {"TDIVS", &Kernels::TDIVS, "1s", kDiv, kDivI},
    {"TDIVS of a scalar", &Kernels::TDIVS, "s1", kDiv, kDivI, true, 1},
    {"TMAXS", &Kernels::TMAXS, "1s", kMax, kMaxI},
    {"TMINS", &Kernels::TMINS, "1s", kMin, kMinI},
    {"TANDS", &Kernels::TANDS, "1s", nullptr, kAndI},
    {"TORS", &Kernels::TORS, "1s", nullptr, kOrI},
    {"TXORS", &Kernels::TXORS, "1s", nullptr, kXorI},
    {"TSHLS", &Kernels::TSHLS, "1s", nullptr, kShlI},
    {"TSHRS", &Kernels::TSHRS, "1s", nullptr, kShrI},
    {"TREMS", &Kernels::TREMS, "1s", kRem, kRemI},
    {"TFMODS", &Kernels::TFMODS, "1s", kFmod, kFmodI},
    {"TPOWS", &Kernels::TPOWS, "1s", kPow, kPowI, true, 0, 1},
    {"TLRELU", &Kernels::TLRELU, "1s", kPrelu, nullptr, false},
    {"TADDSC", &Kernels::TADDSC, "1s2", kAddAdd, kAddAddI},
    {"TSUBSC", &Kernels::TSUBSC, "1s2", kSubAdd, kSubAddI},
    {"TROWEXPANDADD", &Kernels::TROWEXPANDADD, "1r", kAdd, kAddI},
    {"TROWEXPANDSUB", &Kernels::TROWEXPANDSUB, "1r", kSub, kSubI},
    {"TROWEXPANDSUB of a vector", &Kernels::TROWEXPANDSUB, "r1", kSub, kSubI, true, 1},
    {"TROWEXPANDMUL", &Kernels::TROWEXPANDMUL, "1r", kMul, kMulI},
    {"TROWEXPANDDIV", &Kernels::TROWEXPANDDIV, "1r", kDiv, kDivI},
    {"TROWEXPANDDIV of a vector", &Kernels::TROWEXPANDDIV, "r1", kDiv, kDivI, true, 1},
    {"TROWEXPANDMAX", &Kernels::TROWEXPANDMAX, "1r", kMax, kMaxI},
    {"TROWEXPANDMIN", &Kernels::TROWEXPANDMIN, "1r", kMin, kMinI},
    {"TROWEXPANDEXPDIF", &Kernels::TROWEXPANDEXPDIF, "1r", kExpdif, nullptr, false},
    {"TROWEXPANDEXPDIF of a vector", &Kernels::TROWEXPANDEXPDIF, "r1", kExpdif, nullptr, false, 1},
    {"TCOLEXPANDADD", &Kernels::TCOLEXPANDADD, "1c", kAdd, kAddI},
    {"TCOLEXPANDSUB", &Kernels::TCOLEXPANDSUB, "1c", kSub, kSubI},
    {"TCOLEXPANDMUL", &Kernels::TCOLEXPANDMUL, "1c", kMul, kMulI},
    {"TCOLEXPANDDIV", &Kernels::TCOLEXPANDDIV, "1c", kDiv, kDivI},
    {"TCOLEXPANDMAX", &Kernels::TCOLEXPANDMAX, "1c", kMax, kMaxI},
    {"TCOLEXPANDMIN", &Kernels::TCOLEXPANDMIN, "1c", kMin, kMinI},
    {"TCOLEXPANDEXPDIF", &Kernels::TCOLEXPANDEXPDIF, "1c", kExpdif, nullptr, false},
};
// clang-format on

struct Layouts {
  Name tile[4];
};

class Elementwise : public ::testing::TestWithParam<Case> {};

void check(const Case &test, Elem elem, const Layouts &layouts, int rows, int cols, bool inPlace) {
  constexpr int kRows = 32, kCols = 96; // multiples of every box
  std::vector<TestTile> tiles;
  for (unsigned i = 0; i < 4; ++i) {
    tiles.emplace_back(layouts.tile[i], elem, kRows, kCols, rows, cols, 7 + i);
    fill(tiles.back(), 100 * i + unsigned(rows));
  }
  Operands ops;
  ops.tiles = 4;
  ops.mode = test.mode;
  std::mt19937 random(unsigned(rows * 31 + cols));
  ops.scalar[0] = randomElement(elem, random);
  const std::vector<TestTile> before = tiles;
  const TestTile &first = inPlace ? before[1] : before[0];
  auto argument = [&](int i, int r, int c) {
    char from = test.inputs[i];
    return from == 's'   ? ops.scalar[0]
           : from == 'r' ? before[2].get(r, 0)
           : from == 'c' ? before[2].get(0, c)
           : from == '0' ? first.get(r, c)
                         : before[size_t(from - '0')].get(r, c);
  };
  std::vector<uint64_t> formula; // the valid part, row by row; the same for every level
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      uint64_t args[3] = {};
      for (int i = 0; test.inputs[i]; ++i)
        args[i] = argument(i, r, c);
      formula.push_back(
          isFloat(elem)
              ? fromNumber(elem, test.ofFloats(elem, toNumber(elem, args[0]), toNumber(elem, args[1]),
                                               toNumber(elem, args[2])))
              : fromInt(elem, test.ofInts(elem, toInt(elem, args[0]), toInt(elem, args[1]), toInt(elem, args[2]))));
    }
  auto shown = [&](int i, int r, int c) {
    uint64_t bits = test.inputs[size_t(i)] ? argument(i, r, c) : 0;
    return isFloat(elem) ? toNumber(elem, bits) : double(toInt(elem, bits));
  };
  atEveryLevel([&](const Kernels &kernels) {
    tiles = before;
    for (unsigned i = 0; i < 4; ++i)
      ops.tile[i] = tiles[i].view();
    if (inPlace)
      ops.tile[0] = tiles[1].view();
    (kernels.*test.run)(ops);
    TestTile &dst = tiles[inPlace ? 1 : 0];
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c) {
        if (r >= rows || c >= cols) {
          ASSERT_EQ(dst.get(r, c), first.get(r, c)) << "outside, " << r << ", " << c;
          continue;
        }
        ASSERT_TRUE(same(elem, dst.get(r, c), formula[size_t(r * cols + c)], test.ulps))
            << r << ", " << c << " of " << dst.text() << ", element " << int(elem) << ": " << shown(0, r, c) << " and "
            << shown(1, r, c);
      }
    for (int i = 1; i < 4; ++i)
      if (!(inPlace && i == 1))
        ASSERT_EQ(tiles[size_t(i)].memory.bytes, before[size_t(i)].memory.bytes) << "source " << i << " was written";
  });
}

// TEW-1, TEW-2, TEW-3, TEW-4, TEW-5, TEW-6, TEW-7, TEW-8, TEW-9, TEW-10, TEW-11.
TEST_P(Elementwise, AgainstFormula) {
  const Case &test = GetParam();
  const Layouts rows = {{kND, kND, kND, kND}}, columns = {{kDN, kDN, kDN, kDN}}, mixed = {{kND, kDN, kNZ, kZN}},
                boxed = {{kNZ, kND, kDN, kZZ}}, vector = {{kND, kND, kDN, kND}};
  for (Elem elem : kArithmeticElems) {
    if (isFloat(elem) ? !test.ofFloats || (elem == Elem::bf16 && !test.bf16) : !test.ofInts)
      continue;
    SCOPED_TRACE("element " + std::to_string(int(elem)));
    for (auto [r, c] : {std::pair{32, 96}, {1, 96}, {32, 1}, {5, 33}, {31, 95}, {0, 5}, {5, 0}})
      for (bool inPlace : {false, true})
        check(test, elem, rows, r, c, inPlace);
    for (const Layouts &layouts : {columns, mixed, boxed, vector})
      check(test, elem, layouts, 19, 37, false);
    check(test, elem, columns, 32, 96, true);
    if (::testing::Test::HasFatalFailure())
      return;
  }
}

INSTANTIATE_TEST_SUITE_P(Tile, Elementwise, ::testing::ValuesIn(kCases), [](const auto &info) {
  std::string name = info.param.name;
  for (char &c : name)
    if (c == ' ')
      c = '_';
  return name;
});

//===----------------------------------------------------------------------===//
// With a change of type
//===----------------------------------------------------------------------===//

struct Mixed {
  const char *name;
  RunFunction Kernels::*run;
  Elem from, to;
  /// Of sources as numbers (a sum of integers has wrapped), destination and scale.
  uint64_t (*formula)(Elem from, Elem to, double a, double b, double dst, double scale);
};

double sumIn(Elem elem, double a, double b) {
  return isFloat(elem) ? rounded(elem, a + b) : double(toInt(elem, fromInt(elem, int64_t(a) + int64_t(b))));
}
/// To nearest, clamped; NaN to 0 (CVAL-1).
uint64_t saturated(Elem to, double value) {
  if (to == Elem::f32)
    return fromNumber(to, value);
  if (std::isnan(value))
    return 0;
  if (to == Elem::f16)
    return fromNumber(to, std::min(std::max(value, -65504.0), 65504.0));
  return fromInt(to, int64_t(std::nearbyint(std::min(std::max(value, -128.0), 127.0))));
}
uint64_t addReluConvert(Elem from, Elem to, double a, double b, double, double) {
  return saturated(to, relu(sumIn(from, a, b)));
}
uint64_t subReluConvert(Elem from, Elem to, double a, double b, double, double) {
  return saturated(to, relu(sumIn(from, a, -b)));
}
uint64_t addDequantRelu(Elem from, Elem to, double a, double b, double, double scale) {
  double product = relu(double(float(sumIn(from, a, b)) * float(scale)));
  return std::isnan(product) ? fromNumber(to, product)
                             : fromNumber(to, to == Elem::f16 ? std::min(product, 65504.0) : product);
}
uint64_t axpy(Elem from, Elem to, double a, double, double dst, double scale) {
  return fromNumber(to, from == Elem::f16 && to == Elem::f16 ? mulThenAdd(to, scale, a, dst)
                                                             : multiplyAdd(to, scale, a, dst));
}
const Mixed kMixed[] = {
    {"TADDRELUCONV", &Kernels::TADDRELUCONV, Elem::f32, Elem::f16, addReluConvert},
    {"TADDRELUCONV", &Kernels::TADDRELUCONV, Elem::f16, Elem::i8, addReluConvert},
    {"TADDRELUCONV", &Kernels::TADDRELUCONV, Elem::i16, Elem::i8, addReluConvert},
    {"TADDRELUCONV", &Kernels::TADDRELUCONV, Elem::f16, Elem::f32, addReluConvert},
    {"TSUBRELUCONV", &Kernels::TSUBRELUCONV, Elem::f32, Elem::f16, subReluConvert},
    {"TSUBRELUCONV", &Kernels::TSUBRELUCONV, Elem::f16, Elem::i8, subReluConvert},
    {"TSUBRELUCONV", &Kernels::TSUBRELUCONV, Elem::i16, Elem::i8, subReluConvert},
    {"TSUBRELUCONV", &Kernels::TSUBRELUCONV, Elem::f16, Elem::f32, subReluConvert},
    {"TADDDEQRELU", &Kernels::TADDDEQRELU, Elem::i32, Elem::f16, addDequantRelu},
    {"TADDDEQRELU", &Kernels::TADDDEQRELU, Elem::i32, Elem::f32, addDequantRelu},
    {"TADDDEQRELU", &Kernels::TADDDEQRELU, Elem::f16, Elem::f16, addDequantRelu},
    {"TADDDEQRELU", &Kernels::TADDDEQRELU, Elem::f32, Elem::f32, addDequantRelu},
    {"TAXPY", &Kernels::TAXPY, Elem::f16, Elem::f16, axpy},
    {"TAXPY", &Kernels::TAXPY, Elem::bf16, Elem::bf16, axpy},
    {"TAXPY", &Kernels::TAXPY, Elem::f32, Elem::f32, axpy},
    {"TAXPY", &Kernels::TAXPY, Elem::f16, Elem::f32, axpy},
};

// TEW-14, TEW-15, TEW-16.
TEST(TileMixed, AgainstFormula) {
  for (const Mixed &test : kMixed)
    for (const Name &layout : {kND, kDN, kNZ})
      for (auto [rows, cols] : {std::pair{32, 96}, {7, 35}, {1, 1}}) {
        SCOPED_TRACE(std::string(test.name) + " from " + std::to_string(int(test.from)) + " to " +
                     std::to_string(int(test.to)));
        TestTile dst(layout, test.to, 32, 96, rows, cols, 1), a(layout, test.from, 32, 96, rows, cols, 2),
            b(layout, test.from, 32, 96, rows, cols, 3);
        fill(dst, 4), fill(a, 5), fill(b, 6);
        const TestTile before = dst;
        const double scale = 0.375;
        atEveryLevel([&](const Kernels &kernels) {
          dst = before;
          Operands ops;
          ops.tiles = 3;
          ops.tile[0] = dst.view(), ops.tile[1] = a.view(), ops.tile[2] = b.view();
          const bool isAxpy = test.formula == axpy;
          ops.scalar[0] = fromNumber(isAxpy ? test.to : Elem::f32, scale);
          (kernels.*test.run)(ops);
          for (int r = 0; r < 32; ++r)
            for (int c = 0; c < 96; ++c) {
              uint64_t expected = before.get(r, c);
              if (r < rows && c < cols)
                expected = test.formula(test.from, test.to, toNumber(test.from, a.get(r, c)),
                                        toNumber(test.from, b.get(r, c)), toNumber(test.to, before.get(r, c)), scale);
              ASSERT_TRUE(same(test.to, dst.get(r, c), expected))
                  << r << ", " << c << ": " << toNumber(test.from, a.get(r, c)) << " and "
                  << toNumber(test.from, b.get(r, c));
            }
        });
      }
}

} // namespace
