//===- Random.cpp - counter-based random words ----------------------------===//
//
// TRANDOM (TGEN-3 to TGEN-5, HMEAN-39): 64 lanes of Philox 4x32, each with a counter of
// 128 bits of its own.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Walk.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
constexpr int kLanes = 64, kWords = 4;
using Counter = unsigned __int128;

struct Words {
  uint32_t word[kWords];
};

Words philox(Counter counter, uint32_t a, uint32_t b, int rounds) {
  uint32_t x[kWords];
  for (int i = 0; i < kWords; ++i)
    x[i] = uint32_t(counter >> (32 * i));
  for (int round = 0; round < rounds; ++round) {
    const uint64_t p = uint64_t(x[0]) * 0xD2511F53, q = uint64_t(x[2]) * 0xCD9E8D57;
    const uint32_t next[] = {uint32_t(q >> 32) ^ x[1] ^ a, uint32_t(q), uint32_t(p >> 32) ^ x[3] ^ b, uint32_t(p)};
    __builtin_memcpy(x, next, sizeof(x));
    a += 0x9E3779B9;
    b += 0xBB67AE85;
  }
  return {{x[0], x[1], x[2], x[3]}};
}
} // namespace

// dst; scalar 0 is the key, scalars 1 and 2 the counter, mode the rounds. Word w of lane l
// of a pass goes to column 64 w + l.
void trandom(const Operands &ops) {
  const TileRef &dst = ops.tile[0].ref;
  const Map map = tileMap(dst);
  const auto a = uint32_t(ops.scalar[0]), b = uint32_t(ops.scalar[0] >> 32);
  Counter counter = Counter(ops.scalar[2]) << 64 | ops.scalar[1];
  for (int64_t r = 0; r < dst.validRows; ++r)
    for (int64_t c = 0; c < dst.validCols; c += kLanes * kWords) {
      for (int lane = 0; lane < kLanes && c + lane < dst.validCols; ++lane) {
        const Words words = philox(counter + Counter(lane), a, b, int(ops.mode));
        for (int w = 0; w < kWords && c + w * kLanes + lane < dst.validCols; ++w)
          storeElement(32, ops.tile[0].data, map.offset(r, c + w * kLanes + lane), words.word[w]);
      }
      counter += Counter(dst.cols / kWords);
    }
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
