//===- Random.cpp - counter-based random words ----------------------------===//
//
// TRANDOM (TGEN-3 to TGEN-5, HMEAN-39, IRGEN-4): 64 lanes of Philox 4x32, each with a
// counter of 128 bits of its own.
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

// dst; scalar 0 is the key, scalars 1 and 2 the counter, mode the rounds. Text and C++
// differ in the columns of a lane's words and in how the counters go on.
void trandom(const Operands &ops) {
  const TileRef &dst = ops.tile[0].ref;
  const Map map = tileMap(dst);
  const auto a = uint32_t(ops.scalar[0]), b = uint32_t(ops.scalar[0] >> 32);
  const int laneStep = ops.isText() ? kWords : 1, wordStep = ops.isText() ? 1 : kLanes;
  constexpr int kPass = kLanes * kWords;
  Counter counter = Counter(ops.scalar[2]) << 64 | ops.scalar[1];
  for (int64_t r = 0; r < dst.validRows; ++r)
    for (int64_t c = 0; c < dst.validCols; c += kPass) {
      for (int lane = 0; lane < kLanes && c + lane * laneStep < dst.validCols; ++lane) {
        const Words words = philox(counter + Counter(lane), a, b, int(ops.mode));
        for (int w = 0; w < kWords; ++w)
          if (const int64_t column = c + w * wordStep + lane * laneStep; column < dst.validCols)
            storeElement(32, ops.tile[0].data, map.offset(r, column), words.word[w]);
      }
      if (!ops.isText())
        counter += Counter(dst.cols / kWords);
      else
        counter += Counter(c + kPass < dst.validCols ? kLanes : (dst.validCols - 1) % kLanes + 1);
    }
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
