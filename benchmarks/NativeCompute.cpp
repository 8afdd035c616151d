//===- NativeCompute.cpp - arithmetic by hand -----------------------------===//

#include "Native.h"
#include "ptoscope/Meaning/Lanes.h"

#include <cstring>

using namespace ptoscope::meaning;

namespace {

constexpr size_t kTile = 32768;

template <size_t InBytes = kTile, typename Body>
void throughScratch(const uint8_t *x, uint8_t *y, size_t tiles, uint8_t *scratch, size_t outBytes, Body body) {
  for (size_t t = 0; t < tiles; ++t) {
    std::memcpy(scratch, x + t * InBytes, InBytes);
    body(scratch, scratch + 65536);
    std::memcpy(y + t * outBytes, scratch + 65536, outBytes);
  }
}

template <typename V> V load(const uint8_t *from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <typename V> void store(uint8_t *to, V v) { std::memcpy(to, &v, sizeof v); }

/// Neighbours first, as the instruction adds.
float sumOf(const float *lanes) {
  float sum[64];
  std::memcpy(sum, lanes, sizeof sum);
  for (size_t n = 64; n > 1; n /= 2)
    for (size_t i = 0; i < n / 2; ++i)
      sum[i] = sum[2 * i] + sum[2 * i + 1];
  return sum[0];
}

} // namespace

void native::scaleAddF16(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch) {
  throughScratch(x, y, tiles, scratch, kTile, [](const uint8_t *in, uint8_t *out) {
    using Half = Vec<_Float16, 16>;
    using Wide = Vec<float, 16>;
    for (size_t at = 0; at < kTile; at += sizeof(Half)) {
      const Half product = __builtin_convertvector(__builtin_convertvector(load<Half>(in + at), Wide) * 0.75f, Half);
      store(out + at, __builtin_convertvector(__builtin_convertvector(product, Wide) + -0.5f, Half));
    }
  });
}

void native::softmax(const uint8_t *x, uint8_t *y, uint8_t *, size_t rows, uint8_t *scratch) {
  constexpr size_t kBytes = kSoftmaxColumns * sizeof(float), kLanes = 64, kGroups = 4, kStep = sizeof(Group<f32>);
  static_assert(kGroups * kStep == kLanes * sizeof(float));
  throughScratch<kBytes>(x, y, rows, scratch, kBytes, [](const uint8_t *in, uint8_t *out) {
    Group<f32> lanes[kGroups];
    for (Group<f32> &top : lanes)
      top = splat<f32>(-__builtin_inff());
    for (size_t at = 0; at < kBytes; at += kGroups * kStep)
      for (size_t g = 0; g < kGroups; ++g)
        lanes[g] = __builtin_elementwise_max(lanes[g], load<Group<f32>>(in + at + g * kStep));
    float each[kLanes], most = -__builtin_inff();
    std::memcpy(each, lanes, sizeof each);
    for (const float one : each)
      most = one > most ? one : most;
    for (Group<f32> &sum : lanes)
      sum = splat<f32>(0.0f);
    for (size_t at = 0; at < kBytes; at += kGroups * kStep)
      for (size_t g = 0; g < kGroups; ++g) {
        const Group<f32> power = vexp<f32>(load<Group<f32>>(in + at + g * kStep) - most);
        store(out + at + g * kStep, power);
        lanes[g] += power;
      }
    std::memcpy(each, lanes, sizeof each);
    const float total = sumOf(each);
    for (size_t at = 0; at < kBytes; at += kStep)
      store(out + at, load<Group<f32>>(out + at) / total);
  });
}

void native::expF32(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch) {
  throughScratch(x, y, tiles, scratch, kTile, [](const uint8_t *in, uint8_t *out) {
    for (size_t at = 0; at < kTile; at += sizeof(Group<f32>)) {
      store(out + at, vexp<f32>(load<Group<f32>>(in + at) * 0.75f + -0.5f));
    }
  });
}

void native::expF16(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch) {
  throughScratch(x, y, tiles, scratch, kTile, [](const uint8_t *in, uint8_t *out) {
    using Half = Vec<_Float16, 16>;
    for (size_t at = 0; at < kTile; at += sizeof(Half)) {
      const Group<f32> v = __builtin_convertvector(load<Half>(in + at), Group<f32>);
      store(out + at, __builtin_convertvector(vexp<f32>(v * 0.75f + -0.5f), Half));
    }
  });
}

void native::sums(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch) {
  throughScratch(x, y, tiles, scratch, 512, [](const uint8_t *in, uint8_t *out) {
    for (size_t row = 0; row < 128; ++row) {
      float lanes[64];
      std::memcpy(lanes, in + row * 256, sizeof lanes);
      store(out + row * 4, sumOf(lanes));
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
