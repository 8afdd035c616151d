//===- Native.cpp - the same work by hand ---------------------------------===//

#include "Native.h"

#include <atomic>
#include <cstring>

void native::addPlain(const float *a, const float *b, float *sum, size_t n) {
  for (size_t i = 0; i < n; ++i)
    sum[i] = a[i] + b[i];
}

void native::addTiled(const float *a, const float *b, float *sum, size_t tiles, size_t elements, size_t places,
                      uint8_t *scratch) {
  const size_t bytes = elements * sizeof(float);
  for (size_t i = 0; i < tiles; ++i) {
    const size_t place = i % places;
    auto *ubA = reinterpret_cast<float *>(scratch + place * bytes);
    auto *ubB = reinterpret_cast<float *>(scratch + (places + place) * bytes);
    auto *ubSum = reinterpret_cast<float *>(scratch + (2 * places + place) * bytes);
    std::memcpy(ubA, a + i * elements, bytes);
    std::memcpy(ubB, b + i * elements, bytes);
    for (size_t j = 0; j < elements; ++j)
      ubSum[j] = ubA[j] + ubB[j];
    std::memcpy(sum + i * elements, ubSum, bytes);
  }
}

void native::copyTiles(const uint8_t *from, uint8_t *to, size_t bytes, size_t sources, size_t turns) {
  for (size_t i = 0; i < turns; ++i) {
    std::memcpy(to, from + i % sources * bytes, bytes);
    asm volatile("" : : "r"(to) : "memory"); // every copy is made
  }
}

void native::addInto(float *sums, const float *tile, size_t elements, size_t tiles, size_t turns) {
  for (size_t i = 0; i < turns; ++i) {
    float *to = sums + i % tiles * elements;
    for (size_t j = 0; j < elements; ++j)
      to[j] += tile[j];
  }
}

void native::multiply(const float *a, const float *b, float *sum, size_t side) {
  for (size_t i = 0; i < side; ++i) {
    float *row = sum + i * side;
    for (size_t j = 0; j < side; ++j)
      row[j] = 0;
    for (size_t k = 0; k < side; ++k)
      for (size_t j = 0; j < side; ++j)
        row[j] += a[i * side + k] * b[k * side + j];
  }
}

void native::rowsIn(const uint8_t *gm, size_t turns, size_t tiles, uint8_t *scratch) {
  for (size_t i = 0; i < turns; ++i) {
    const uint8_t *tile = gm + i % tiles * kRowTileBytes;
    for (size_t row = 0; row < kRows; ++row)
      std::memcpy(scratch + row * kUbStride, tile + row * kGmStride, kRowBytes);
  }
}

void native::rowsOut(uint8_t *gm, size_t turns, size_t tiles, const uint8_t *scratch) {
  for (size_t i = 0; i < turns; ++i) {
    uint8_t *tile = gm + i % tiles * kRowTileBytes;
    for (size_t row = 0; row < kRows; ++row)
      std::memcpy(tile + row * kGmStride, scratch + row * kUbStride, kRowBytes);
  }
}

void native::tiles(const uint8_t *from, uint8_t *to, size_t turns, size_t tiles, uint8_t *scratch) {
  for (size_t i = 0; i < turns; ++i) {
    size_t at = i % tiles * kTileBytes;
    std::memcpy(scratch, from + at, kTileBytes);
    std::memcpy(to + at, scratch, kTileBytes);
  }
}

void native::handOver(size_t times) {
  static_assert(std::atomic<uint64_t>::is_always_lock_free);
  std::atomic<uint64_t> sets[8] = {}, waits[8] = {};
  for (size_t i = 0; i < times; i += 2) {
    size_t id = i / 2 % 8;
    sets[id].fetch_add(1, std::memory_order_release);
    while (sets[id].load(std::memory_order_acquire) <= waits[id].load(std::memory_order_relaxed)) {
    }
    waits[id].fetch_add(1, std::memory_order_release);
  }
}

template <typename In, typename Out, typename Body>
static void throughScratch(const uint8_t *x, uint8_t *y, size_t tiles, uint8_t *scratch, size_t inBytes,
                           size_t outBytes, Body body) {
  for (size_t t = 0; t < tiles; ++t) {
    std::memcpy(scratch, x + t * inBytes, inBytes);
    body(reinterpret_cast<const In *>(scratch), reinterpret_cast<Out *>(scratch + 98304));
    std::memcpy(y + t * outBytes, scratch + 98304, outBytes);
  }
}

void native::deinterleave(const uint8_t *x, uint8_t *even, uint8_t *odd, size_t tiles, uint8_t *scratch) {
  for (size_t t = 0; t < tiles; ++t) {
    std::memcpy(scratch, x + t * 65536, 65536);
    auto *in = reinterpret_cast<const uint32_t *>(scratch);
    auto *low = reinterpret_cast<uint32_t *>(scratch + 98304), *high = reinterpret_cast<uint32_t *>(scratch + 163840);
    for (size_t i = 0; i < 8192; ++i) {
      low[i] = in[2 * i];
      high[i] = in[2 * i + 1];
    }
    std::memcpy(even + t * 32768, low, 32768);
    std::memcpy(odd + t * 32768, high, 32768);
  }
}

void native::upsample(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch) {
  throughScratch<uint16_t, uint16_t>(x, y, tiles, scratch, 16384, 32768, [](const uint16_t *in, uint16_t *out) {
    for (size_t i = 0; i < 8192; ++i)
      out[2 * i] = out[2 * i + 1] = in[i];
  });
}

void native::unpack(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch) {
  throughScratch<uint8_t, uint16_t>(x, y, tiles, scratch, 16384, 32768, [](const uint8_t *in, uint16_t *out) {
    for (size_t i = 0; i < 16384; ++i)
      out[i] = in[i];
  });
}

void native::pack(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch) {
  throughScratch<uint32_t, uint16_t>(x, y, tiles, scratch, 32768, 16384, [](const uint32_t *in, uint16_t *out) {
    for (size_t i = 0; i < 8192; ++i)
      out[i] = uint16_t(in[i]);
  });
}
