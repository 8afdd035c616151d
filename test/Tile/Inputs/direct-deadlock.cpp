// A kernel that is called like a function and waits for a flag that no one sets. What main does then is the argument.
#include <acl/acl.h>
#include <pto/pto-inst.hpp>

#include <cstdio>
#include <cstring>

using namespace pto;

AICORE void increment(__gm__ float *x, bool broken) {
  Tile<TileType::Vec, float, 1, 64> tile;
  TASSIGN(tile, 0);
  GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<64, 64, 64, 64, 1>> view(x);
  TLOAD(tile, view);
  if (!broken)
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADDS(tile, tile, 1.0f);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(view, tile);
}

int main(int, char **arguments) {
  void *x = nullptr;
  float copy[64];
  aclrtMalloc(&x, sizeof(copy), ACL_MEM_MALLOC_HUGE_FIRST);
  increment(static_cast<float *>(x), std::strcmp(arguments[1], "right") != 0);
  if (!std::strcmp(arguments[1], "copies"))
    aclrtMemcpy(copy, sizeof(copy), x, sizeof(copy), ACL_MEMCPY_DEVICE_TO_HOST);
  if (std::strcmp(arguments[1], "leaves"))
    std::printf("synchronized: %d\n", aclrtSynchronizeStream(nullptr));
  return 0;
}
