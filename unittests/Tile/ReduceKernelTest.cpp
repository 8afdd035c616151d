//===- ReduceKernelTest.cpp - reductions, comparisons, partial operations -===//
//
// Meanings at every level of host against scalar loops written from the documents:
// all element types, valid parts, tails, special values, destinations in rows and
// in columns.
//
//===----------------------------------------------------------------------===//

#include "../Sample.h"
#include "Numbers.h"

using namespace reference;

namespace {

constexpr int kRows = 32, kCols = 288;
const std::pair<int, int> kShapes[] = {{32, 288}, {1, 288}, {32, 1}, {5, 33}, {31, 287}, {17, 130}, {4, 64}};

double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}
uint64_t combine(char op, Elem elem, uint64_t x, uint64_t y) {
  if (isFloat(elem)) {
    double a = toNumber(elem, x), b = toNumber(elem, y);
    double r = op == '+' ? a + b : op == '*' ? a * b : op == 'M' ? maximum(a, b) : -maximum(-a, -b);
    return fromNumber(elem, r);
  }
  int64_t a = toInt(elem, x), b = toInt(elem, y);
  return fromInt(elem, op == '+'   ? a + b
                       : op == '*' ? int64_t(uint64_t(a) * uint64_t(b))
                       : op == 'M' ? std::max(a, b)
                                   : std::min(a, b));
}

/// In f32: lane c mod 64 in the order of columns, then neighbours.
uint64_t rowOfFloats(char op, const TestTile &src, int r) {
  std::vector<float> lanes(64, op == '+' ? 0.0f : 1.0f);
  auto f = [&](float a, float b) { return op == '+' ? a + b : a * b; };
  for (int c = 0; c < src.ref.validCols; ++c)
    lanes[size_t(c % 64)] = f(lanes[size_t(c % 64)], float(toNumber(src.ref.elem, src.get(r, c))));
  for (; lanes.size() > 1; lanes.resize(lanes.size() / 2))
    for (size_t i = 0; i < lanes.size() / 2; ++i)
      lanes[i] = f(lanes[2 * i], lanes[2 * i + 1]);
  return fromNumber(src.ref.elem, lanes[0]);
}
uint64_t reduceRow(char op, const TestTile &src, int r) {
  if (isFloat(src.ref.elem) && (op == '+' || op == '*'))
    return rowOfFloats(op, src, r);
  uint64_t result = src.get(r, 0);
  for (int c = 1; c < src.ref.validCols; ++c)
    result = combine(op, src.ref.elem, result, src.get(r, c));
  return result;
}

struct Reduction {
  const char *name;
  RunFunction Kernels::*run;
  char op;
  bool rows;
};
const Reduction kReductions[] = {
    {"TROWSUM", &Kernels::TROWSUM, '+', true},  {"TROWPROD", &Kernels::TROWPROD, '*', true},
    {"TROWMAX", &Kernels::TROWMAX, 'M', true},  {"TROWMIN", &Kernels::TROWMIN, 'm', true},
    {"TCOLSUM", &Kernels::TCOLSUM, '+', false}, {"TCOLPROD", &Kernels::TCOLPROD, '*', false},
    {"TCOLMAX", &Kernels::TCOLMAX, 'M', false}, {"TCOLMIN", &Kernels::TCOLMIN, 'm', false},
};

// TRED-1, TRED-2, TRED-3.
TEST(TileReduce, RowsAndColumns) {
  Sample sample(3);
  for (const Reduction &test : kReductions)
    for (Elem elem : kArithmeticElems)
      for (auto [rows, cols] : kShapes)
        for (const Name &layout : {kND, kDN}) {
          if (!sample.next())
            continue;
          SCOPED_TRACE(std::string(test.name) + ", element " + std::to_string(int(elem)));
          TestTile src(kND, elem, kRows, kCols, rows, cols, 1);
          TestTile dst(layout, elem, test.rows ? kRows : 32, test.rows ? 32 : kCols, test.rows ? rows : 1,
                       test.rows ? 1 : cols, 2);
          fill(src, unsigned(rows * cols));
          const TestTile before = dst;
          atEveryLevel([&](const Kernels &kernels) {
            dst = before;
            Operands ops;
            ops.tiles = 2;
            ops.tile[0] = dst.view(), ops.tile[1] = src.view();
            (kernels.*test.run)(ops);
            for (int r = 0; r < dst.ref.rows; ++r)
              for (int c = 0; c < dst.ref.cols; ++c) {
                uint64_t expected = before.get(r, c);
                if (test.rows && r < rows && c == 0) {
                  expected = reduceRow(test.op, src, r);
                } else if (!test.rows && r == 0 && c < cols) {
                  expected = src.get(0, c);
                  for (int k = 1; k < rows; ++k)
                    expected = combine(test.op, elem, expected, src.get(k, c));
                }
                ASSERT_TRUE(same(elem, dst.get(r, c), expected)) << r << ", " << c << " of " << src.text();
              }
          });
        }
}

/// Neighbours first, an odd one goes up alone.
uint64_t treeSum(Elem elem, std::vector<uint64_t> v) {
  while (v.size() > 1) {
    std::vector<uint64_t> next;
    for (size_t i = 0; i < v.size(); i += 2)
      next.push_back(i + 1 < v.size() ? combine('+', elem, v[i], v[i + 1]) : v[i]);
    v = next;
  }
  return v[0];
}

// TRED-4.
TEST(TileReduce, BinaryColumnSum) {
  for (Elem elem : {Elem::f16, Elem::f32, Elem::i16})
    for (int rows = 1; rows <= 32; ++rows) {
      TestTile src(kND, elem, kRows, kCols, rows, 37, 1), dst(kND, elem, 1, kCols, 1, 37, 2);
      for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < kCols; ++c)
          src.set(r, c, isFloat(elem) ? fromNumber(elem, 1.0 / (1 + r * 7 + c)) : uint64_t(r * 1000 + c));
      Operands ops;
      ops.tiles = 2;
      ops.mode = 1;
      ops.tile[0] = dst.view(), ops.tile[1] = src.view();
      atEveryLevel([&](const Kernels &kernels) {
        kernels.TCOLSUM(ops);
        for (int c = 0; c < 37; ++c) {
          std::vector<uint64_t> column;
          for (int r = 0; r < rows; ++r)
            column.push_back(src.get(r, c));
          ASSERT_TRUE(same(elem, dst.get(0, c), treeSum(elem, column))) << rows << " rows, column " << c;
        }
      });
    }
}

// TRED-5.
TEST(TileReduce, PlacesOfExtrema) {
  struct {
    RunFunction Kernels::*run;
    bool max, rows;
  } const tests[] = {{&Kernels::TROWARGMAX, true, true},
                     {&Kernels::TROWARGMIN, false, true},
                     {&Kernels::TCOLARGMAX, true, false},
                     {&Kernels::TCOLARGMIN, false, false}};
  for (const auto &test : tests)
    for (Elem elem : kArithmeticElems)
      for (auto [rows, cols] : kShapes) {
        SCOPED_TRACE("element " + std::to_string(int(elem)) + (test.max ? " max" : " min"));
        TestTile src(kND, elem, kRows, kCols, rows, cols, 1), index(kND, Elem::u32, kRows, kCols, kRows, kCols, 2),
            value(kND, elem, kRows, kCols, kRows, kCols, 3), scratch(kND, elem, 1, 32, 1, 32, 4);
        fill(src, unsigned(rows + cols));
        Operands ops;
        ops.tiles = 4;
        ops.tile[0] = index.view(), ops.tile[1] = src.view(), ops.tile[2] = scratch.view(), ops.tile[3] = value.view();
        atEveryLevel([&](const Kernels &kernels) {
          (kernels.*test.run)(ops);
          for (int line = 0; line < (test.rows ? rows : cols); ++line) {
            auto at = [&](int k) { return test.rows ? src.get(line, k) : src.get(k, line); };
            int best = 0;
            for (int k = 1; k < (test.rows ? cols : rows); ++k) {
              double x = isFloat(elem) ? toNumber(elem, at(k)) : double(toInt(elem, at(k)));
              double y = isFloat(elem) ? toNumber(elem, at(best)) : double(toInt(elem, at(best)));
              if ((std::isnan(x) && !std::isnan(y)) || (test.max ? x > y : x < y))
                best = k;
            }
            int r = test.rows ? line : 0, c = test.rows ? 0 : line;
            ASSERT_EQ(index.get(r, c), uint64_t(best)) << "line " << line;
            ASSERT_TRUE(same(elem, value.get(r, c), at(best)));
          }
        });
      }
}

// TRED-7.
TEST(TileReduce, SumsOfPairs) {
  for (Elem elem : kArithmeticElems)
    for (auto [rows, cols] : kShapes)
      for (bool inPlace : {false, true}) {
        SCOPED_TRACE("element " + std::to_string(int(elem)));
        TestTile src(kND, elem, kRows, kCols, rows, cols, 1), other(kND, elem, kRows, kCols, rows, cols, 2);
        fill(src, 3);
        const TestTile before = src;
        TestTile &dst = inPlace ? src : other;
        atEveryLevel([&](const Kernels &kernels) {
          src = before;
          Operands ops;
          ops.tiles = 2;
          ops.tile[0] = dst.view(), ops.tile[1] = src.view();
          kernels.TPAIRREDUCESUM(ops);
          for (int r = 0; r < rows; ++r)
            for (int c = 0; c < cols; ++c) {
              uint64_t expected = 2 * c + 1 < cols ? combine('+', elem, before.get(r, 2 * c), before.get(r, 2 * c + 1))
                                  : 2 * c < cols   ? before.get(r, 2 * c)
                                                   : 0;
              ASSERT_TRUE(same(elem, dst.get(r, c), expected)) << r << ", " << c << " of " << src.text();
            }
        });
      }
}

// TRED-8, TRED-9.
TEST(TileReduce, Histogram) {
  for (Elem elem : {Elem::u16, Elem::u32})
    for (unsigned byte = 0; byte < unsigned(widthBits(elem)) / 8; ++byte) {
      const unsigned higher = unsigned(widthBits(elem)) / 8 - 1 - byte;
      TestTile src(kND, elem, 16, kCols, 9, 200, 1), index(kND, Elem::u8, 4, 32, 3, 9, 2),
          dst(kND, Elem::u32, 16, 256, 9, 256, 3);
      std::mt19937 random(byte);
      for (int r = 0; r < 9; ++r)
        for (int c = 0; c < 200; ++c) // few values, so that filters let something pass
          src.set(r, c, (random() % 3) << 24 | (random() % 3) << 16 | (random() % 3) << 8 | random() % 256);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 9; ++c)
          index.set(r, c, random() % 3);
      Operands ops;
      ops.tiles = 3;
      ops.mode = byte;
      ops.tile[0] = dst.view(), ops.tile[1] = src.view(), ops.tile[2] = index.view();
      atEveryLevel([&](const Kernels &kernels) {
        kernels.THISTOGRAM(ops);
        for (int r = 0; r < 9; ++r)
          for (unsigned bin = 0; bin < 256; ++bin) {
            uint64_t count = 0;
            for (int c = 0; c < 200; ++c) {
              bool counted = (src.get(r, c) >> 8 * byte & 255) <= bin;
              for (unsigned k = 0; k < higher; ++k)
                counted = counted &&
                          (src.get(r, c) >> 8 * (unsigned(widthBits(elem)) / 8 - 1 - k) & 255) == index.get(int(k), r);
              count += counted;
            }
            ASSERT_EQ(dst.get(r, int(bin)), count) << "byte " << byte << ", row " << r << ", bin " << bin;
          }
      });
    }
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

bool holds(unsigned mode, double a, double b) {
  switch (mode) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return a < b;
  case 3:
    return a <= b;
  case 4:
    return a > b;
  default:
    return a >= b;
  }
}

// TCMP-1, TCMP-2.
TEST(TileCompare, PackedBits) {
  Sample sample(5);
  for (Elem elem : kArithmeticElems)
    for (Elem word : {Elem::u8, Elem::u16, Elem::i32})
      for (unsigned mode = 0; mode < 6; ++mode)
        for (auto [rows, cols] : {std::pair{32, 288}, {3, 1}, {5, 33}, {7, 130}})
          for (bool scalar : {false, true}) {
            if (!sample.next())
              continue;
            SCOPED_TRACE("element " + std::to_string(int(elem)) + ", mode " + std::to_string(mode));
            TestTile a(kND, elem, kRows, kCols, rows, cols, 1), b(kND, elem, kRows, kCols, rows, cols, 2),
                mask(kND, word, kRows, 64, 1, 1, 3);
            fill(a, 4), fill(b, 5);
            for (int c = 0; c < cols; c += 3)
              b.set(0, c, a.get(0, c)); // some are equal
            const TestTile before = mask;
            atEveryLevel([&](const Kernels &kernels) {
              mask = before;
              Operands ops;
              ops.tiles = scalar ? 2 : 3;
              ops.mode = mode;
              ops.scalar[0] = b.get(1, 0);
              ops.tile[0] = mask.view(), ops.tile[1] = a.view(), ops.tile[2] = b.view();
              kernels.TCMP(ops);
              const int bits = widthBits(word);
              for (int r = 0; r < kRows; ++r)
                for (int w = 0; w < 64; ++w) {
                  uint64_t expected = 0;
                  for (int k = 0; k < bits; ++k)
                    if (int c = w * bits + k; c < cols && r < rows) {
                      uint64_t x = a.get(r, c), y = scalar ? b.get(1, 0) : b.get(r, c);
                      bool on = isFloat(elem) ? holds(mode, toNumber(elem, x), toNumber(elem, y))
                                              : holds(mode, double(toInt(elem, x)), double(toInt(elem, y)));
                      expected |= uint64_t(on) << k;
                    }
                  if (r >= rows || w * bits >= cols)
                    expected = before.get(r, w);
                  ASSERT_EQ(mask.get(r, w), expected) << "row " << r << ", word " << w << " of " << bits << " bits";
                }
            });
          }
}

// TCMP-3.
TEST(TileCompare, Select) {
  for (Elem elem : {Elem::u8, Elem::f16, Elem::f32, Elem::i64})
    for (Elem word : {Elem::u8, Elem::u16, Elem::u32})
      for (auto [rows, cols] : kShapes)
        for (bool scalar : {false, true}) {
          TestTile mask(kND, word, kRows, 64, kRows, 64, 1), a(kND, elem, kRows, kCols, rows, cols, 2),
              b(kND, elem, kRows, kCols + 32, rows, cols, 3), dst(kND, elem, kRows, kCols + 64, rows, cols, 4);
          const TestTile before = dst;
          atEveryLevel([&](const Kernels &kernels) {
            dst = before;
            Operands ops;
            ops.tiles = 4;
            ops.scalar[0] = 0x1234567890abcdef;
            ops.tile[0] = dst.view(), ops.tile[1] = mask.view(), ops.tile[2] = a.view(), ops.tile[3] = b.view();
            (scalar ? kernels.TSELS : kernels.TSEL)(ops);
            const int bits = widthBits(word), width = widthBits(elem);
            for (int r = 0; r < kRows; ++r)
              for (int c = 0; c < dst.ref.cols; ++c) {
                uint64_t expected = before.get(r, c);
                if (r < rows && c < cols)
                  expected = mask.get(r, c / bits) >> c % bits & 1 ? a.get(r, c)
                             : scalar ? ops.scalar[0] & (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1)
                                      : b.get(r, c);
                ASSERT_EQ(dst.get(r, c), expected) << r << ", " << c << " of " << dst.text();
              }
          });
        }
}

//===----------------------------------------------------------------------===//
// Partial operations
//===----------------------------------------------------------------------===//

const std::pair<int, int> kPartShapes[] = {{9, 40}, {9, 20}, {4, 40}, {4, 20}, {12, 30}, {0, 0}};

// TPART-1.
TEST(TilePartial, Operations) {
  struct {
    RunFunction Kernels::*run;
    char op;
  } const tests[] = {
      {&Kernels::TPARTADD, '+'}, {&Kernels::TPARTMUL, '*'}, {&Kernels::TPARTMAX, 'M'}, {&Kernels::TPARTMIN, 'm'}};
  for (const auto &test : tests)
    for (Elem elem : kArithmeticElems)
      for (auto [ra, ca] : kPartShapes)
        for (auto [rb, cb] : kPartShapes)
          for (const Name &layout : {kND, kDN}) {
            TestTile dst(kND, elem, 32, 64, 9, 40, 1), a(layout, elem, 32, 64, ra, ca, 2),
                b(layout, elem, 32, 64, rb, cb, 3);
            fill(a, 4), fill(b, 5);
            const TestTile before = dst;
            Operands ops;
            ops.tiles = 3;
            ops.tile[0] = dst.view(), ops.tile[1] = a.view(), ops.tile[2] = b.view();
            atEveryLevel([&](const Kernels &kernels) {
              (kernels.*test.run)(ops);
              for (int r = 0; r < 32; ++r)
                for (int c = 0; c < 64; ++c) {
                  bool inA = r < ra && c < ca, inB = r < rb && c < cb;
                  uint64_t expected = r >= 9 || c >= 40 ? before.get(r, c)
                                      : inA && inB      ? combine(test.op, elem, a.get(r, c), b.get(r, c))
                                      : inA             ? a.get(r, c)
                                      : inB             ? b.get(r, c)
                                                        : 0;
                  ASSERT_TRUE(same(elem, dst.get(r, c), expected)) << r << ", " << c;
                }
            });
          }
}

// TPART-2.
TEST(TilePartial, Places) {
  for (bool max : {true, false})
    for (Elem elem : kArithmeticElems)
      for (auto [ra, ca] : kPartShapes)
        for (auto [rb, cb] : kPartShapes) {
          TestTile dst(kND, elem, 16, 64, 9, 40, 1), a(kND, elem, 16, 64, ra, ca, 2), b(kND, elem, 16, 64, rb, cb, 3);
          TestTile di(kND, Elem::i32, 16, 64, 9, 40, 4), ai(kND, Elem::i32, 16, 64, ra, ca, 5),
              bi(kND, Elem::i32, 16, 64, rb, cb, 6);
          fill(a, 7), fill(b, 8);
          Operands ops;
          ops.tiles = 6;
          ops.tile[0] = dst.view(), ops.tile[1] = a.view(), ops.tile[2] = b.view();
          ops.tile[3] = di.view(), ops.tile[4] = ai.view(), ops.tile[5] = bi.view();
          atEveryLevel([&](const Kernels &kernels) {
            (max ? kernels.TPARTARGMAX : kernels.TPARTARGMIN)(ops);
            for (int r = 0; r < 9; ++r)
              for (int c = 0; c < 40; ++c) {
                bool inA = r < ra && c < ca, inB = r < rb && c < cb;
                auto number = [&](uint64_t bits) {
                  return isFloat(elem) ? toNumber(elem, bits) : double(toInt(elem, bits));
                };
                double x = number(a.get(r, c)), y = number(b.get(r, c));
                bool second = inB && (!inA || (max ? y > x : y < x) || (std::isnan(y) && !std::isnan(x)));
                uint64_t value = second ? b.get(r, c) : inA ? a.get(r, c) : 0;
                uint64_t index = second ? bi.get(r, c) : inA ? ai.get(r, c) : 0;
                ASSERT_TRUE(same(elem, dst.get(r, c), value)) << r << ", " << c;
                ASSERT_EQ(di.get(r, c), index) << r << ", " << c;
              }
          });
        }
}

} // namespace
