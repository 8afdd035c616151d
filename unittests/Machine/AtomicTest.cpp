//===- AtomicTest.cpp - read-modify-write transfers -----------------------===//
//
// Every type and operation of CTRL against a model that computes in double and
// searches the nearest representable value, so that no rounding code is shared.
// Rules: DMA-24, CREG-1, CREG-7, CREG-8.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

using namespace ptoscope;

namespace {
enum { F32 = 1, F16, S16, S32, S8, BF16 };
enum { Add, Max, Min };
int64_t ctrlOf(int type, int op) { return int64_t(type) << 6 | int64_t(op) << 9; }

/// Value of a small float by its fields.
double valueOf(uint32_t bits, int exponentBits, int mantissaBits) {
  uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
  int exponent = int(bits >> mantissaBits) & ((1 << exponentBits) - 1), bias = (1 << (exponentBits - 1)) - 1;
  double sign = bits >> (exponentBits + mantissaBits) ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1)
    return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(double(mantissa) + (1 << mantissaBits), exponent - bias - mantissaBits);
}

/// Nearest 16-bit float by search over all values, ties to even.
struct Rounder {
  int exponentBits, mantissaBits;
  std::map<double, uint16_t> finite; ///< non-negative values
  Rounder(int e, int m) : exponentBits(e), mantissaBits(m) {
    for (uint32_t bits = 0; bits < 0x8000; ++bits) {
      double v = valueOf(bits, e, m);
      if (std::isfinite(v))
        finite[v] = uint16_t(bits);
    }
  }
  uint16_t round(double v) const {
    uint16_t infinity = uint16_t(((1 << exponentBits) - 1) << mantissaBits);
    if (std::isnan(v))
      return uint16_t(infinity | 1 << (mantissaBits - 1));
    uint16_t sign = std::signbit(v) ? 0x8000 : 0;
    double magnitude = std::fabs(v);
    if (std::isinf(magnitude))
      return sign | infinity;
    auto above = finite.lower_bound(magnitude);
    if (above == finite.end()) {
      auto last = std::prev(finite.end());
      double ulp = last->first - std::prev(last)->first;
      return uint16_t(sign | (magnitude - last->first < ulp / 2 ? last->second : infinity));
    }
    if (above->first == magnitude)
      return uint16_t(sign | above->second);
    auto below = std::prev(above);
    double down = magnitude - below->first, up = above->first - magnitude;
    bool takeUp = up < down || (up == down && (above->second & 1) == 0);
    return uint16_t(sign | (takeUp ? above->second : below->second));
  }
};

double apply(int op, double a, double b) {
  if (op == Add)
    return a + b;
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  if (a == b)
    return (op == Max) == std::signbit(a) ? b : a;
  return (op == Max) == (b > a) ? b : a;
}

struct AtomicTest : ::testing::Test, Bench {
  /// out = op(out, in) for whole buffers, in two transfers.
  void apply(int type, int op, uint64_t in, uint64_t out, int64_t bytes) {
    LaunchResult r = run([&](Su &su) {
      su.load({.src = in, .len = bytes});
      su.barrier(Pipe::All);
      su.ctrl(ctrlOf(type, op));
      su.store({.dst = out, .len = bytes, .elementBytes = 1}); // bytes stand for elements of any width
      su.ctrl(0);
    });
    EXPECT_TRUE(r.completed) << textOf(r);
  }
};
} // namespace

TEST_F(AtomicTest, SmallFloats) {
  for (auto [type, e, m] : {std::tuple(int(F16), 5, 10), std::tuple(int(BF16), 8, 7)}) {
    Rounder rounder(e, m);
    for (int op : {Add, Max, Min}) {
      std::mt19937 rng(uint32_t(type * 10 + op));
      Bench::buffers.clear();
      gm = {};
      uint64_t in = buffer(8192), out = buffer(8192);
      const uint16_t special[] = {0,      0x8000, 1,      0x8001, 0x7c00, 0xfc00, 0x7c01, 0x7bff, 0xfbff,
                                  0x7f80, 0xff80, 0x7fc1, 0x7f7f, 0x0400, 0x03ff, 0x3c00, 0x3f80};
      std::vector<uint16_t> a(4096), b(4096), expected(4096);
      for (size_t i = 0; i < 4096; ++i) {
        a[i] = i < 289 ? special[i / 17] : uint16_t(rng());
        // Near in magnitude half of the time, so that sums round.
        b[i] = i < 289 ? special[i % 17] : rng() % 2 ? uint16_t(a[i] ^ (rng() & 0x8fff)) : uint16_t(rng());
        double va = valueOf(a[i], e, m), vb = valueOf(b[i], e, m);
        expected[i] = rounder.round(::apply(op, va, vb));
      }
      std::memcpy(buffers[0].data(), b.data(), 8192);
      std::memcpy(buffers[1].data(), a.data(), 8192);
      apply(type, op, in, out, 8192);
      for (size_t i = 0; i < 4096; ++i) {
        uint16_t got;
        std::memcpy(&got, buffers[1].data() + 2 * i, 2);
        ASSERT_EQ(got, expected[i]) << "type " << type << " op " << op << " " << a[i] << " " << b[i];
      }
    }
  }
}

TEST_F(AtomicTest, F32) {
  const float values[] = {0.0f, -0.0f, 1.5f, -2.25f, INFINITY, -INFINITY, NAN, 1e38f, -1e38f, 1e-45f, 3.4e38f, 0.1f};
  for (int op : {Add, Max, Min}) {
    gm = {};
    buffers.clear();
    size_t n = std::size(values);
    uint64_t in = buffer(n * n * 4), out = buffer(n * n * 4);
    std::vector<float> a, b;
    for (float x : values)
      for (float y : values) {
        a.push_back(x);
        b.push_back(y);
      }
    std::memcpy(buffers[0].data(), b.data(), n * n * 4);
    std::memcpy(buffers[1].data(), a.data(), n * n * 4);
    apply(F32, op, in, out, int64_t(n * n * 4));
    for (size_t i = 0; i < n * n; ++i) {
      // A sum of two floats is exact in double or rounds the same way.
      float expected = float(::apply(op, a[i], b[i]));
      uint32_t bits = std::isnan(expected) ? 0x7fc00000u : std::bit_cast<uint32_t>(expected), got;
      std::memcpy(&got, buffers[1].data() + 4 * i, 4);
      EXPECT_EQ(got, bits) << op << " " << a[i] << " " << b[i];
    }
  }
}

TEST_F(AtomicTest, Integers) {
  std::mt19937_64 rng(3);
  for (auto [type, bytes] : {std::pair(int(S8), 1), std::pair(int(S16), 2), std::pair(int(S32), 4)})
    for (int op : {Add, Max, Min}) {
      gm = {};
      buffers.clear();
      uint64_t in = buffer(1024), out = buffer(1024);
      for (auto *buffer : {&buffers[0], &buffers[1]})
        for (uint8_t &b : *buffer)
          b = uint8_t(rng());
      std::vector<uint8_t> before = buffers[1];
      apply(type, op, in, out, 1024);
      auto element = [bytes = bytes](const std::vector<uint8_t> &from, size_t i) {
        int64_t v = 0;
        for (int k = 0; k < bytes; ++k)
          v |= int64_t(from[i * size_t(bytes) + size_t(k)]) << (8 * k);
        int shift = 64 - 8 * bytes;
        return int64_t(uint64_t(v) << shift) >> shift;
      };
      for (size_t i = 0; i < 1024 / size_t(bytes); ++i) {
        int64_t a = element(before, i), b = element(buffers[0], i);
        int64_t expected = op == Add ? a + b : op == Max ? std::max(a, b) : std::min(a, b);
        int shift = 64 - 8 * bytes;
        expected = int64_t(uint64_t(expected) << shift) >> shift;
        EXPECT_EQ(element(buffers[1], i), expected);
      }
    }
}

TEST_F(AtomicTest, CtrlIsCapturedAtIssueAndOnlyForGm) {
  uint64_t x = buffer(64), out = buffer(64);
  std::fill(buffers[0].begin(), buffers[0].end(), uint8_t(3));
  std::fill(buffers[1].begin(), buffers[1].end(), uint8_t(10));
  options.schedule.kind = ScheduleKind::Lazy;
  LaunchResult r = run([&](Su &su) {
    EXPECT_EQ(ptosc_get_ctrl(su.context), 0);
    su.ctrl(ctrlOf(S8, Add));
    EXPECT_EQ(ptosc_get_ctrl(su.context), ctrlOf(S8, Add));
    su.load({.src = x, .len = 64}); // a UB destination is never atomic
    su.set(Pipe::MTE2, Pipe::MTE3);
    su.wait(Pipe::MTE2, Pipe::MTE3);
    su.store({.dst = out, .len = 32, .elementBytes = 1});
    su.ctrl(0);
    su.store({.dst = out + 32, .len = 32});
  });
  EXPECT_EQ(codesOf(r), "");
  EXPECT_EQ(buffers[1][0], 13);
  EXPECT_EQ(buffers[1][32], 3);
}

TEST_F(AtomicTest, ClipsWholeElementsAndRejectsNonsense) {
  uint64_t x = buffer(64), out = buffer(30);
  std::fill(buffers[0].begin(), buffers[0].end(), uint8_t(1));
  Program program = [&](Su &su) {
    su.load({.src = x, .len = 64});
    su.barrier(Pipe::All);
    su.ctrl(ctrlOf(S32, Add));
    su.store({.dst = out, .len = 32});
  };
  EXPECT_EQ(codesOf(run(program)), "gm-out-of-bounds");
  EXPECT_EQ(buffers[1][27], 1);
  EXPECT_EQ(buffers[1][28], 0); // half an element is no element
  EXPECT_EQ(codesOf(run([&](Su &su) {
              su.ctrl(ctrlOf(S32, Add));
              su.store({.dst = out, .len = 6});
            })),
            "transfer-operand");
  EXPECT_EQ(codesOf(run([&](Su &su) {
              su.ctrl(ctrlOf(7, Add));
              su.store({.dst = out, .len = 8});
            })),
            "transfer-operand");
  EXPECT_EQ(codesOf(run([&](Su &su) {
              su.ctrl(ctrlOf(F32, 3));
              su.store({.dst = out, .len = 8});
            })),
            "transfer-operand");
}
