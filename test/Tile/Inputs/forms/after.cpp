// What sources of a task runtime define after the headers (SURF-54).
#include <pto/pto-inst.hpp>

#undef SINGLE_CACHE_LINE
#undef CACHELINE_OUT
#undef ENTIRE_DATA_CACHE
namespace cache_line_t {
constexpr int ENTIRE_DATA_CACHE = 7;
constexpr int SINGLE_CACHE_LINE = 8;
constexpr int CACHELINE_OUT = 9;
} // namespace cache_line_t
typedef int mem_dsb_t;
#define DSB_DDR 0
static inline void dcci(volatile void *, int = 0, int = 0) {}
static inline void dsb(mem_dsb_t) {}

using namespace pto;
static_assert(cache_line_t::SINGLE_CACHE_LINE == 8 && cache_line_t::CACHELINE_OUT == 9);

void kernel(__gm__ int32_t *p, GM_ADDR bytes) {
  dcci((__gm__ void *)p, cache_line_t::SINGLE_CACHE_LINE);
  dcci(p, cache_line_t::ENTIRE_DATA_CACHE, cache_line_t::CACHELINE_OUT);
  dcci(bytes);
  dsb(DSB_DDR);
  dsb((mem_dsb_t)0);
}

// Others make up what they miss as macros, and include more after that.
#ifndef SINGLE_CACHE_LINE
#define SINGLE_CACHE_LINE 0
#endif
#ifndef CACHELINE_OUT
#define CACHELINE_OUT 0
#endif
#ifndef PIPE_FIX
#define PIPE_FIX static_cast<pipe_t>(10)
#endif
#ifndef GM_ADDR
#error "GM_ADDR is offered"
#endif
#ifndef ACL_SUCCESS
#define ACL_SUCCESS 0
#endif
#define dcci(...)

#include <pto/common/event.hpp>
#include <pto/common/fifo.hpp>
#include <pto/pto-inst.hpp>

void emptied(__gm__ float *p) {
  dcci(p, SINGLE_CACHE_LINE, CACHELINE_OUT);
  pipe_barrier(PIPE_FIX);
  set_mask_norm();
  set_vector_mask(-1, -1);
}
