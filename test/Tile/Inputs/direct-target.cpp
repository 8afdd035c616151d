// A kernel that is called as a function has the target of its file (SURF-6), and buffers do not touch each other (ACL-5).
#include <acl/acl.h>
#include <pto/pto-inst.hpp>

using namespace pto;
using Row = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1024, 1024, 1024, 64, 1>>;

extern "C" __global__ AICORE void load(__gm__ float *from, int at) {
  Tile<TileType::Vec, float, 16, 64> tile;
  TASSIGN(tile, at);
  Row view(from);
  TLOAD(tile, view);
}

int main(int count, char **) {
  float *first, *second;
  aclrtMalloc((void **)&first, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void **)&second, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
  if (count > 1)
    load(first + 32, 0); // a part of the next buffer, if that were right behind
  else
    load(first, 0x38000); // beyond the UB of a3
  return aclrtSynchronizeStream(nullptr);
}
