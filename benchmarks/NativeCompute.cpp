//===- NativeCompute.cpp - arithmetic by hand -----------------------------===//

#include "Native.h"
#include "ptoscope/Meaning/Lanes.h"

#include <cstring>

using namespace ptoscope::meaning;

namespace {

constexpr size_t kTile = 32768;

template <typename Body>
void throughScratch(const uint8_t *x, uint8_t *y, size_t tiles, uint8_t *scratch, size_t outBytes, Body body) {
  for (size_t t = 0; t < tiles; ++t) {
    std::memcpy(scratch, x + t * kTile, kTile);
    body(scratch, scratch + 65536);
    std::memcpy(y + t * outBytes, scratch + 65536, outBytes);
  }
}

} // namespace

void native::expF32(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch) {
  throughScratch(x, y, tiles, scratch, kTile, [](const uint8_t *in, uint8_t *out) {
    for (size_t at = 0; at < kTile; at += sizeof(Group<f32>)) {
      Group<f32> v;
      std::memcpy(&v, in + at, sizeof v);
      v = vexp<f32>(v * 0.75f + -0.5f);
      std::memcpy(out + at, &v, sizeof v);
    }
  });
}

void native::expF16(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch) {
  throughScratch(x, y, tiles, scratch, kTile, [](const uint8_t *in, uint8_t *out) {
    using Half = Vec<_Float16, 16>;
    for (size_t at = 0; at < kTile; at += sizeof(Half)) {
      Half h;
      std::memcpy(&h, in + at, sizeof h);
      Group<f32> v = vexp<f32>(__builtin_convertvector(h, Group<f32>) * 0.75f + -0.5f);
      h = __builtin_convertvector(v, Half);
      std::memcpy(out + at, &h, sizeof h);
    }
  });
}

void native::sums(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch) {
  throughScratch(x, y, tiles, scratch, 512, [](const uint8_t *in, uint8_t *out) {
    // Neighbours first, as the instruction adds.
    for (size_t row = 0; row < 128; ++row) {
      float sum[64];
      std::memcpy(sum, in + row * 256, 256);
      for (size_t n = 64; n > 1; n /= 2)
        for (size_t i = 0; i < n / 2; ++i)
          sum[i] = sum[2 * i] + sum[2 * i + 1];
      std::memcpy(out + row * 4, sum, 4);
    }
  });
}

//===----------------------------------------------------------------------===//
// f16
//===----------------------------------------------------------------------===//

namespace {
/// z[i] = body(x[i], y[i]), every turn.
template <typename From, typename To, typename Body>
void everyTurn(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns, Body body) {
  const auto *a = reinterpret_cast<const From *>(x), *b = reinterpret_cast<const From *>(y);
  auto *c = reinterpret_cast<To *>(z);
  for (size_t t = 0; t < turns; ++t) {
    for (size_t i = 0; i < elements; ++i)
      c[i] = body(a[i], b[i]);
    asm volatile("" : : "r"(z) : "memory");
  }
}
} // namespace

using Half = _Float16;
void native::addF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns) {
  everyTurn<Half, Half>(x, y, z, elements, turns, [](Half a, Half b) { return Half(a + b); });
}
void native::subF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns) {
  everyTurn<Half, Half>(x, y, z, elements, turns, [](Half a, Half b) { return Half(a - b); });
}
void native::mulF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns) {
  everyTurn<Half, Half>(x, y, z, elements, turns, [](Half a, Half b) { return Half(a * b); });
}
void native::divF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns) {
  everyTurn<Half, Half>(x, y, z, elements, turns, [](Half a, Half b) { return Half(a / b); });
}
void native::maxF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns) {
  everyTurn<Half, Half>(x, y, z, elements, turns, [](Half a, Half b) { return a < b ? b : a; });
}
void native::widenF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns) {
  everyTurn<Half, float>(x, y, z, elements, turns, [](Half a, Half) { return float(a); });
}
void native::narrowF32(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns) {
  everyTurn<float, Half>(x, y, z, elements, turns, [](float a, float) { return Half(a); });
}
