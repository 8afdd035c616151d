// y = max(a * b, 0) on clusters: the cube core multiplies, and each of the two vector cores takes half of the rows.
// Written as for the device: one source for both kinds of cores, launched with <<<>>>. `ptoscope c++` compiles it.
#include <acl/acl.h>
#include <pto/pto-inst.hpp>

#include <cstdio>

using namespace pto;

constexpr int kSize = 64, kHalf = kSize / 2, kCount = kSize * kSize;

template <int Rows> using View = GlobalTensor<float, Shape<1, 1, 1, Rows, kSize>, Stride<1, 1, 1, kSize, 1>>;

extern "C" __global__ AICORE void product(__gm__ float *a, __gm__ float *b, __gm__ float *c, __gm__ float *y,
                                          uint64_t messages) {
  set_ffts_base_addr(messages);
  const int64_t first = get_block_idx() * kCount;
#ifdef __DAV_CUBE__
  using Matrix = Tile<TileType::Mat, float, kSize, kSize, BLayout::ColMajor, kSize, kSize, SLayout::RowMajor>;
  Matrix matA, matB;
  TileLeft<float, kSize, kSize> left;
  TileRight<float, kSize, kSize> right;
  TileAcc<float, kSize, kSize> sum;
  TASSIGN<0x0000>(matA);
  TASSIGN<0x4000>(matB);
  TASSIGN<0>(left);
  TASSIGN<0>(right);
  TASSIGN<0>(sum);
  View<kSize> viewA(a + first), viewB(b + first), viewC(c + first);
  TLOAD(matA, viewA);
  TLOAD(matB, viewB);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(left, matA);
  TMOV(right, matB);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(sum, left, right);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(viewC, sum);
#ifndef FORGET_THE_SIGNAL
  ffts_cross_core_sync(PIPE_FIX, 1 | (2 << 4) | (0 << 8)); // both vector cores of the cluster may go on
#endif
#endif
#ifdef __DAV_VEC__
  using Rows = Tile<TileType::Vec, float, kHalf, kSize>;
  Rows rows;
  TASSIGN<0>(rows);
  const int64_t half = first + get_subblockid() * (kCount / 2);
  View<kHalf> from(c + half), to(y + half);
#ifndef FORGET_THE_SIGNAL
  wait_flag_dev(0);
#endif
  TLOAD(rows, from);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TMAXS(rows, rows, 0.0f);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(to, rows);
#endif
}

int main() {
  constexpr int kBlocks = 2;
  constexpr size_t kBytes = kBlocks * kCount * sizeof(float);
  float *a, *b, *c, *y;
  aclrtStream stream;
  aclrtCreateStream(&stream);
  for (float **buffer : {&a, &b, &c, &y})
    aclrtMalloc(reinterpret_cast<void **>(buffer), kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
  for (int i = 0; i < kBlocks * kCount; ++i) {
    a[i] = float(i % 7 - 3);
    b[i] = float(i % 5 - 2);
  }
  product<<<kBlocks, nullptr, stream>>>(a, b, c, y, uint64_t(1));
  const int status = aclrtSynchronizeStream(stream);

  int wrong = 0;
  for (int block = 0; block < kBlocks; ++block)
    for (int row = 0; row < kSize; ++row)
      for (int column = 0; column < kSize; ++column) {
        const float *left = a + block * kCount + row * kSize, *right = b + block * kCount + column;
        float sum = 0;
        for (int k = 0; k < kSize; ++k)
          sum += left[k] * right[k * kSize];
        wrong += y[block * kCount + row * kSize + column] != (sum > 0 ? sum : 0);
      }
  std::printf("%d of %d elements are wrong, status %d\n", wrong, kBlocks * kCount, status);
  for (float *buffer : {a, b, c, y})
    aclrtFree(buffer);
  return wrong || status ? 1 : 0;
}
