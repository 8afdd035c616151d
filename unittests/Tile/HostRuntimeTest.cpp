//===- HostRuntimeTest.cpp - test programs of other simulators ------------===//

#include "pto/common/cpu_stub.hpp"
#include "pto/pto-inst.hpp"

#include <gtest/gtest.h>

#include <vector>

using namespace pto;

namespace {

__global__ AICORE void doubled(__gm__ int32_t *out, __gm__ int32_t *in) {
  Tile<TileType::Vec, int32_t, 8, 8> a;
  TASSIGN(a, 0x20);
  GlobalTensor<int32_t, TileShape2D<int32_t, 8, 8>, BaseShape2D<int32_t, 8, 8>> gi(in), go(out);
  TLOAD(a, gi);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADD(a, a, a);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(go, a);
}

// ACL-2, ACL-3.
TEST(TileHostRuntime, KernelsCalledDirectly) {
  aclInit(nullptr);
  aclrtStream stream;
  aclrtCreateStream(&stream);
  std::vector<int32_t> host(64), back(64);
  for (int i = 0; i < 64; ++i)
    host[i] = i - 32;
  int32_t *in, *out;
  aclrtMalloc(&in, 256, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void **)&out, 256, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(in, 256, host.data(), 256, ACL_MEMCPY_HOST_TO_DEVICE);
  testing::internal::CaptureStderr();
  // A second call writes what the first one's store still reads: not a race, since
  // the first one has ended.
  for (int i = 0; i < 2; ++i) {
    doubled(out, in);
    aclrtSynchronizeStream(stream);
  }
  aclrtMemcpy(back.data(), 256, out, 256, ACL_MEMCPY_DEVICE_TO_HOST);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(back[i], 2 * (i - 32));
  aclrtFree(in);
  aclrtFree(out);
  testing::internal::CaptureStderr();
  doubled(out, in);
  EXPECT_NE(aclrtSynchronizeStream(stream), 0);
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(
      report.find("error[unmapped-gm-address]: `TLOAD` reads memory that device buffer 0 had before it was freed"),
      std::string::npos)
      << report;
  aclrtDestroyStream(stream);
  aclFinalize();
}

} // namespace
