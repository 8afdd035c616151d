// A cube core stores a Mat tile.
#include "acl/acl.h"
#include <cstdio>
#include <pto/pto-inst.hpp>

using namespace pto;

__global__ AICORE void copy(__gm__ float *from, __gm__ float *to) {
#ifdef __DAV_CUBE__
  Tile<TileType::Mat, float, 16, 64> tile;
  TASSIGN(tile, 0);
  GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>> source(from), result(to);
  TLOAD(tile, source);
#ifndef NO_FLAG
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
#endif
  TSTORE(result, tile);
#endif
}

int main() {
  constexpr int kCount = 1024;
  float *from = nullptr, *to = nullptr;
  aclrtMalloc((void **)&from, kCount * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void **)&to, kCount * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  for (int i = 0; i < kCount; ++i) {
    from[i] = float(i + 1);
    to[i] = 0;
  }
  aclrtStream stream;
  aclrtCreateStream(&stream);
  copy<<<1, nullptr, stream>>>(from, to);
  aclrtSynchronizeStream(stream);
  int wrong = 0;
  for (int i = 0; i < kCount; ++i)
    wrong += to[i] != float(i + 1);
  std::printf("%d wrong\n", wrong);
}
