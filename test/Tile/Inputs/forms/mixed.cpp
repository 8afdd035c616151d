// Kernels for both kinds of core: as a compiler writes them, and with the kind as a
// constant, where both parts are compiled for either kind (SURF-6, SURF-9).
#include "pto/pto-inst.hpp"
#include "pto/common/kernel_meta.hpp"
using namespace pto;

enum class PTOAutoSyncTailMode : int { kBarrierAll = 0, kSetWaitMte3ToSEvent0 = 1 };
static AICORE inline void ptoas_auto_sync_tail(PTOAutoSyncTailMode mode = PTOAutoSyncTailMode::kBarrierAll) {
  switch (mode) {
  case PTOAutoSyncTailMode::kSetWaitMte3ToSEvent0:
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
    break;
  default:
    pipe_barrier(PIPE_ALL);
    break;
  }
}
template <typename View> static AICORE inline void PTOAS__FLUSH(View &view) {
  dcci((__gm__ void *)view.data(), cache_line_t::SINGLE_CACHE_LINE);
  dcci((__gm__ void *)view.data(), cache_line_t::ENTIRE_DATA_CACHE, dcci_dst_t::CACHELINE_OUT);
}

static AICORE void cube_part(__gm__ half *a, __gm__ half *b, __gm__ float *c) {
#if defined(__DAV_CUBE__)
  using T = half;
  Tile<TileType::Mat, T, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor> m0, m1;
  TileLeft<T, 32, 32> l;
  TileRight<T, 32, 32> r;
  TileAcc<float, 32, 32> acc;
  TASSIGN(m0, 0), TASSIGN(m1, 4096), TASSIGN(l, 0), TASSIGN(r, 0), TASSIGN(acc, 0);
  using View = GlobalTensor<T, Shape<1, 1, 1, 32, 32>, Stride<1024, 1024, 1024, 32, 1>>;
  TLOAD(m0, View(a));
  TLOAD(m1, View(b));
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(l, m0);
  TMOV(r, m1);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL<AccPhase::Unknown>(acc, l, r);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  GlobalTensor<float, Shape<1, 1, 1, 32, 32>, Stride<1024, 1024, 1024, 32, 1>> out(c);
  TSTORE(out, acc);
  __builtin_cce_ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(FFTS_MODE_VAL, 0));
  ffts_cross_core_sync(PIPE_FIX, 1 | (2 << 4) | (1 << 8));
#endif
  (void)a, (void)b, (void)c;
}
static AICORE void vector_part(__gm__ float *c, int32_t rows) {
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  using T = float;
  __builtin_cce_wait_flag_dev(0);
  Tile<TileType::Vec, T, 16, 32, BLayout::RowMajor, DYNAMIC, 32> half0(rows);
  TASSIGN(half0, 0);
  using View = GlobalTensor<T, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1024, 1024, 1024, 32, 1>>;
  View view(c + get_subblockid() * 512, {rows});
  TLOAD(half0, view);
  set_flag(PIPE_MTE2, PIPE_V, (event_t)0);
  wait_flag(PIPE_MTE2, PIPE_V, static_cast<event_t>(0));
  TADDS(half0, half0, 1.0f);
  PTOAS__FLUSH(view);
#endif
  (void)c, (void)rows;
}
extern "C" __global__ AICORE void emitted(__gm__ half *v1, __gm__ half *v2, __gm__ float *v3, int32_t v4,
                                          uint64_t ffts_addr) {
  set_ffts_base_addr(ffts_addr);
  cube_part(v1, v2, v3);
  vector_part(v3, v4);
  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
}
PTO_SYNCALL_MIX_AIC_KERNEL_META(emitted, 1, 2);

#ifdef __DAV_CUBE__
constexpr bool DAV_CUBE = true;
#else
constexpr bool DAV_CUBE = false;
#endif
#ifdef __DAV_VEC__
constexpr bool DAV_VEC = true;
#else
constexpr bool DAV_VEC = false;
#endif
extern "C" __global__ __aicore__ void by_constant(GM_ADDR ws) {
  using Pipe = TPipe<0, Direction::DIR_C2V, 4096, 2>;
  Pipe pipe((__gm__ void *)ws, 0x0, 0x0);
  if constexpr (DAV_CUBE) {
    TileAcc<float, 32, 32> acc;
    TASSIGN(acc, 0);
    TPUSH<Pipe, decltype(acc), TileSplitAxis::TILE_UP_DOWN>(pipe, acc);
  }
  if constexpr (DAV_VEC) {
    Tile<TileType::Vec, float, 16, 32> tile;
    TPOP<Pipe, decltype(tile), TileSplitAxis::TILE_UP_DOWN>(pipe, tile);
    TFREE<Pipe, TileSplitAxis::TILE_UP_DOWN>(pipe);
  }
  SYNCALL<SyncCoreType::Mix>();
}
