// Names of headers, constants and types (SURF-1 to SURF-4, SURF-21 to SURF-24), const
// tiles (SURF-57), the host's side (SURF-34 to SURF-41), and std beside all of them.
#include <acl/acl.h>
#include <kernel_operator.h>
#include <pto/common/arch_macro.hpp>
#include <pto/common/buffer_limits.hpp>
#include <pto/common/constants.hpp>
#include <pto/common/cpu_stub.hpp>
#include <pto/common/debug.h>
#include <pto/common/event.hpp>
#include <pto/common/fifo.hpp>
#include <pto/common/fixpipe.hpp>
#include <pto/common/kernel_meta.hpp>
#include <pto/common/memory.hpp>
#include <pto/common/pto_instr.hpp>
#include <pto/common/pto_instr_impl.hpp>
#include <pto/common/pto_tile.hpp>
#include <pto/common/type.hpp>
#include <pto/common/utils.hpp>
#include <pto/cpu/MXTypes.hpp>
#include <pto/cpu/NPUMemoryModel.hpp>
#include <pto/cpu/TPartArgKernelCommon.hpp>
#include <pto/cpu/tile_offsets.hpp>
#include <pto/npu/a5/TMov.hpp>
#include <pto/npu/a5/TQuant.hpp>
#include <pto/npu/a5/utils.hpp>
#include <pto/npu/kernels/Pto_prefetch.hpp>
#include <pto/pto-inst.hpp>
#include <runtime/rt.h>
#include <runtime/rt_ffts.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#ifdef CPU_SIM_BFLOAT_ENABLED
#error "the build decides about cases with bf16, not the headers"
#endif

using namespace pto;

// --- constants -------------------------------------------------------------------------------
template <uint8_t Dir, uint8_t Axis> struct TakesBytes {
  static constexpr int kSum = Dir + Axis;
};
static_assert(TakesBytes<Direction::DIR_C2V, TileSplitAxis::TILE_UP_DOWN>::kSum == 2);
static_assert(Direction::DIR_C2V_GM == 5 && DIR_V2C_GM == 6 && DIR_BOTH_GM == 7);
static_assert(AccPhase::Unknown == AccPhase::Unspecified);
static_assert(SYNC_AIC_FLAG == 11 && SYNC_AIV_FLAG == 12 && SYNC_AIC_AIV_FLAG == 13 && SYNC_AIV_ONLY_ALL == 14 &&
              SYNC_FLAG_ID_MAX == 16 && SYNCALL_SOFT_WORKSPACE_INT32 == 16);
static_assert(FFTS_BASE_COUNT_WIDTH == 15 && FFTS_MODE_VAL == 2 && FFTS_MODE_WIDTH == 3 && FFTS_MODE_OFFSET == 4 &&
              FFTS_EVENT_ID_WIDTH == 15 && FFTS_EVENT_ID_OFFSET == 8 && FFTS_MODE_BIT_START == 4 &&
              FFTS_FLAG_ID_BIT_START == 8);
static_assert(CVSyncMode::CV_CORE_SYNC == 2 && V_SUBCORES_SYNC == 1 && CV_COMM_CTRL == 12);
static_assert(int(MxQuantAlg::OcpMxFp8E4M3) == 0 && int(MxQuantAlg::NvMxFp8E4M3) == 1 &&
              int(MxQuantAlg::OcpMxFp4E2M1) == 2 && int(MxQuantAlg::NvMxFp4E2M1) == 3 && int(MxQuantAlg::Hif4) == 4);
static_assert(int(VecStoreMode::ND) == 0 && int(VecStoreMode::NZ) == 1);
static_assert(uint8_t(PrintFormat::Width8_Precision4) == 0 && uint8_t(PrintFormat::Width8_Precision2) == 1 &&
              uint8_t(PrintFormat::Width10_Precision6) == 2);
static_assert(REPEAT_MAX == 255 && PTO_L0A_SIZE_BYTES == 65536);
#ifdef PTO_NPU_ARCH_A2A3
static_assert(PTO_UBUF_SIZE_BYTES == 196608 && PTO_L0C_SIZE_BYTES == 131072);
#else
static_assert(PTO_UBUF_SIZE_BYTES == 262144 && PTO_L0C_SIZE_BYTES == 262144);
#endif
static_assert(sizeof(TRandomKey) == 8 && sizeof(TRandomCounter) == 16);
static_assert(std::is_same_v<std::underlying_type_t<pipe_t>, int> && static_cast<event_t>(9) == event_t(9));

PTO_SYNCALL_AIV_KERNEL_META(vectorEntry);
PTO_SYNCALL_AIC_KERNEL_META(cubeEntry);
PTO_SYNCALL_MIX_AIC_KERNEL_META(mixedEntry, 1, 2);

// --- const tiles ------------------------------------------------------------------------------
using F = Tile<TileType::Vec, float, 16, 64>;
using M = Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor>;
using G = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
static_assert(is_tile_data_v<const F> && is_global_data_v<const G>);
static_assert(GetTileElementOffset<M>(17, 18) == 1 * 32 * 16 + 1 * 256 + 1 * 16 + 2);
static_assert(GetTileElementOffset<const F>(40, 70) == 40 * 64 + 70 && GetTileOffset<F>(1, 2) == 66);
static_assert(F::GetSizeInBytes() == 4096);
static_assert(std::is_same_v<decltype(std::declval<const F &>().data()), float *>);

void fused(F &out, const F &a, const F &b, const M &left, const G &in, G &gm) {
  F tmp;
  TLOAD(tmp, in);
  TADD(tmp, a, b);
  TADDS(tmp, a, 2.0f);
  TMAX(out, tmp, a);
  TROWSUM(out, a, tmp);
  TLOAD_IMPL(tmp, in);
  TileLeft<half, 32, 32> l0;
  TMOV(l0, left);
  TEXTRACT(l0, left, 0, 0);
  TSTORE(gm, a);
  TSTORE_IMPL(gm, tmp);
  TASSIGN_IMPL(tmp, 0x100);
  out.RowMaskInternal = 4;
  out.ColMaskInternal = unsigned(a.GetValidRow() + a.GetValidCol() + int(a.GetElement(1, 2)));
}

// --- the host's side ------------------------------------------------------------------------------
int host() {
  aclrtStream stream = nullptr;
  rtStream_t other;
  aclrtEvent begin, end;
  float *p = nullptr, time = 0;
  uint64_t ffts = 0;
  uint32_t bytes = 0, cores = 0;
  int errors = aclInit(nullptr) + aclrtSetDevice(0) + aclrtCreateStream(&stream) + rtSetDevice(0) +
               rtStreamCreate(&other, 0) + rtGetAiCoreCount(&cores);
  errors += aclrtMalloc((void **)&p, 64, ACL_MEM_MALLOC_HUGE_FIRST) + aclrtMallocHost((void **)&p, 64);
  errors += aclrtMemcpy(p, 64, p, 64, ACL_MEMCPY_HOST_TO_DEVICE) + aclrtMemset(p, 64, 0, 64);
  errors += rtGetC2cCtrlAddr(&ffts, &bytes) + aclrtCreateEvent(&begin) + aclrtCreateEvent(&end);
  errors += aclrtRecordEvent(begin, stream) + aclrtEventElapsedTime(&time, begin, end) + aclrtDestroyEvent(begin);
  PTO_PREFETCH(p, 64, stream);
  PTO_PREFETCH<false, 8>(p, 64, stream);
  cpu_sim::KernelLaunchOptions options{.kernel_name = "fused", .total_work_items = 4, .work_quantum = 2};
  cpu_sim::LaunchKernelMultiCore(options, stream, [&] { time += 1; });
  return errors == ACL_SUCCESS && errors == ACL_ERROR_NONE;
}

// --- std and pto side by side (SURF-26, SURF-55) --------------------------------------------
using namespace std;

static_assert(min(3, 4u) == 3 && max(uint8_t(200), int64_t(-1)) == 200 && min(2.5f, 1) == 1.0f);
static_assert(min(3, 4) == 3 && max(3, 4) == 4 && pto::min(5, 6l) == 5);
constexpr int kTile = min(64, 48);
constexpr uint32_t kRows = max<int>(16, 8);

int sums(const vector<int> &values, int n) {
  int least = min(n, int(values.size()));
  int most = max({n, 1, 2});
  least += min(block_idx + 0, n + 0l) + std::min(n, 2) + int(std::max<size_t>(values.size(), 3));
  string text = "text";
  array<int, 4> four{1, 2, 3, 4};
  return accumulate(begin(four), end(four), least + most) + int(size(text)) + int(data(four)[0]) + kTile +
         int(kRows);
}

struct Params {
  int block_num, block_idx;
};
void shadows(Params p, int block_idx) {
  int block_num = p.block_num;
  for (int count = 0; count < block_num; ++count)
    block_idx += p.block_idx;
  (void)block_idx;
}
int64_t predefined(int n) {
  uint32_t mine = block_idx;
  int64_t total = int64_t(block_num) * n;
  for (int i = block_idx; i < n; i += block_num)
    total += i;
  return block_idx < block_num ? total + mine : 0;
}

// Their own, of any shape.
template <typename T> static inline T clampTo(T low, T x, T high) { return max(low, min(x, high)); }
int64_t helpers(__gm__ int32_t *p, uint64_t v) {
  const uint64_t begin = get_sys_cnt();
  set_ctrl(sbitset1(sbitset0(get_ctrl(), 48), 60));
  static_assert(sbitset1(0, 3) == 8 && sbitset0(15, 0) == 14);
  st_dev(3, p, 0);
  set_st_atomic_cfg(ATOMIC_S32, ATOMIC_SUM);
  st_atomic<int32_t>(int32_t(v), p);
  set_st_atomic_cfg(ATOMIC_NONE, ATOMIC_SUM);
  set_atomic_add<float>();
  set_atomic_none();
  cce::printf("%d %lu\n", ld_dev(p, 0), v);
  return clampTo<int64_t>(0, atomicAdd(p, 1), int64_t(get_sys_cnt() - begin));
}
