// What sources define before they include the headers (SURF-53).
#ifndef PIPE_FIX
#define PIPE_FIX static_cast<pipe_t>(10)
#endif
#define __aicore__ [aicore]
#define AICORE [aicore]
#define __gm__ __attribute__((address_space(1)))
#ifndef SINGLE_CACHE_LINE
#define SINGLE_CACHE_LINE 0
#define CACHELINE_OUT 2
#define DSB_DDR 0
#endif
#define EVENT_ID0 static_cast<event_t>(0)
#ifndef __CPU_SIM
#define get_subblockid() redirectedSubblock
inline int redirectedSubblock = 7;
#endif

#include <pto/pto-inst.hpp>

using namespace pto;

// A namespace of their own with a common name.
namespace detail {
inline int helper() { return 1; }
} // namespace detail
namespace views {
inline int helper() { return 2; }
} // namespace views

constexpr PTO_INTERNAL float twice(float x) { return 2 * x; }
static_assert(twice(1.5f) == 3.0f);
template <typename T> PTO_INST T thrice(T x) { return T(3 * x); }

extern "C" __global__ __aicore__ void entry(__gm__ float *x, int32_t n) {
  constexpr pipe_t fix = PIPE_FIX;
  static_assert(int(fix) == 10 && static_cast<pipe_t>(10) == PIPE_FIX);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, fix, (event_t)n);
  PtoSetWaitFlag<PIPE_FIX, PIPE_S>();
  dcci(x, SINGLE_CACHE_LINE, CACHELINE_OUT);
  dsb(DSB_DDR);
  if (get_subblockid() == n + detail::helper() + views::helper())
    x[0] = thrice(2.0f);
}

// The accessors of a task runtime beside those without an argument.
struct Dispatch {
  int32_t block, blocks;
};
static inline int32_t get_block_idx(int64_t *args) { return reinterpret_cast<Dispatch *>(args[48])->block; }
static inline int32_t get_block_num(int64_t *args) { return reinterpret_cast<Dispatch *>(args[48])->blocks; }
extern "C" void kernel_entry(int64_t *args) {
  uint32_t lane = get_block_idx() * get_subblockdim();
  auto all = get_block_num() * get_subblockdim();
  if (get_block_idx(args) < get_block_num(args) && int64_t(lane) < all)
    args[0] = 0;
}
