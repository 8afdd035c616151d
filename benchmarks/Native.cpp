//===- Native.cpp - the same work by hand ---------------------------------===//

#include "Native.h"

#include <cstring>

void native::addPlain(const float *a, const float *b, float *sum, size_t n) {
  for (size_t i = 0; i < n; ++i)
    sum[i] = a[i] + b[i];
}

void native::addTiled(const float *a, const float *b, float *sum, size_t tiles, uint8_t *scratch) {
  constexpr size_t kElements = 32 * 256, kBytes = kElements * sizeof(float);
  for (size_t i = 0; i < tiles; ++i) {
    size_t half = (i % 2) * kBytes;
    auto *ubA = reinterpret_cast<float *>(scratch + half);
    auto *ubB = reinterpret_cast<float *>(scratch + 65536 + half);
    auto *ubSum = reinterpret_cast<float *>(scratch + 131072 + half);
    std::memcpy(ubA, a + i * kElements, kBytes);
    std::memcpy(ubB, b + i * kElements, kBytes);
    for (size_t j = 0; j < kElements; ++j)
      ubSum[j] = ubA[j] + ubB[j];
    std::memcpy(sum + i * kElements, ubSum, kBytes);
  }
}
