// A host program as those for devices are: memory, copies and a stream of the aclrt runtime, and a kernel
// that is called like any function. It then runs on a core of the calling thread, with all checks; what they
// find is printed when the stream is synchronised. Built with -DFORGET, TADD does not wait for the loads.
#include <pto/common/constants.hpp>
#include <pto/common/cpu_stub.hpp>
#include <pto/pto-inst.hpp>

#include <cstdio>
#include <vector>

using namespace pto;

template <typename T, int kRows, int kCols>
__global__ AICORE void runAdd(__gm__ T *out, __gm__ T *src0, __gm__ T *src1) {
  using View = GlobalTensor<T, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
  using TileData = Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, -1>;
  TileData a(kRows, kCols), b(kRows, kCols), c(kRows, kCols);
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x4000);
  TASSIGN(c, 0x8000);
  View view0(src0), view1(src1), view(out);

  TLOAD(a, view0);
  TLOAD(b, view1);
#ifndef FORGET
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
#endif
  TADD(c, a, b);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(view, c);
}

int main() {
  constexpr int kRows = 64, kCols = 64;
  constexpr size_t kBytes = kRows * kCols * sizeof(float);
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream;
  aclrtCreateStream(&stream);

  float *hostA, *hostB, *hostC, *deviceA, *deviceB, *deviceC;
  aclrtMallocHost((void **)&hostA, kBytes);
  aclrtMallocHost((void **)&hostB, kBytes);
  aclrtMallocHost((void **)&hostC, kBytes);
  aclrtMalloc((void **)&deviceA, kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void **)&deviceB, kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void **)&deviceC, kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
  for (int i = 0; i < kRows * kCols; ++i) {
    hostA[i] = 0.5f * float(i);
    hostB[i] = float(7 - i);
  }
  aclrtMemcpy(deviceA, kBytes, hostA, kBytes, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemcpy(deviceB, kBytes, hostB, kBytes, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemset(deviceC, kBytes, 0xff, kBytes);

  runAdd<float, kRows, kCols>(deviceC, deviceA, deviceB);
  const aclError status = aclrtSynchronizeStream(stream);

  aclrtMemcpy(hostC, kBytes, deviceC, kBytes, ACL_MEMCPY_DEVICE_TO_HOST);
  int wrong = 0;
  for (int i = 0; i < kRows * kCols; ++i)
    wrong += hostC[i] != hostA[i] + hostB[i];
  std::printf("%d of %d sums are wrong\n", wrong, kRows * kCols);

  aclrtFree(deviceA);
  aclrtFree(deviceB);
  aclrtFree(deviceC);
  aclrtFreeHost(hostA);
  aclrtFreeHost(hostB);
  aclrtFreeHost(hostC);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return wrong || status != 0;
}
