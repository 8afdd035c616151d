//===- words.hpp - the words of the language --------------------*- C++ -*-===//
//
// Target and core kind, qualifiers of device programs, which mean nothing on a host,
// and function macros (CPP-3 to CPP-5, SURF-6 to SURF-10). Programs define some of
// these before they include us: ours hold.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_WORDS_HPP
#define PTO_DETAIL_WORDS_HPP

#include "pto/detail/abi.hpp"

// --- target --------------------------------------------------------------------------
#if !defined(PTO_NPU_ARCH_A2A3) && !defined(PTO_NPU_ARCH_A5)
#if defined(__NPU_ARCH__)
#if __NPU_ARCH__ == 2201
#define PTO_NPU_ARCH_A2A3
#endif
#elif defined(__DAV_C220__) || defined(__DAV_C220_CUBE__) || defined(__DAV_C220_VEC__) || defined(MEMORY_BASE)
#define PTO_NPU_ARCH_A2A3
#elif defined(__CCE_AICORE__) && !defined(__DAV_C310__) && !defined(__DAV_C310_CUBE__) &&                              \
    !defined(__DAV_C310_VEC__) && !defined(REGISTER_BASE)
#if __CCE_AICORE__ + 0 == 220
#define PTO_NPU_ARCH_A2A3
#endif
#endif
#ifndef PTO_NPU_ARCH_A2A3
#define PTO_NPU_ARCH_A5
#endif
#endif
// Kernels that are called as functions have the target of the file, too. Programs for host simulators choose theirs
// at run time (SURF-49).
#if defined(PTO_NPU_ARCH_A2A3) && !defined(__CPU_SIM)
namespace ptoscope::tile {
[[maybe_unused]] static const bool kNotedTarget = noteTarget();
}
#endif

// The older spellings of a core kind; a host runs what is meant for either kind.
#if !defined(__DAV_CUBE__) && (defined(__DAV_C220_CUBE__) || defined(__DAV_C310_CUBE__))
#define __DAV_CUBE__
#endif
#if !defined(__DAV_VEC__) && (defined(__DAV_C220_VEC__) || defined(__DAV_C310_VEC__))
#define __DAV_VEC__
#endif
#if !defined(__DAV_CUBE__) && !defined(__DAV_VEC__)
#define __DAV_CUBE__
#define __DAV_VEC__
#endif

// --- qualifiers ------------------------------------------------------------------------
#undef __global__
#undef __gm__
#undef __ubuf__
#undef __cbuf__
#undef __ca__
#undef __cb__
#undef __cc__
#undef __fbuf__
#undef __biasbuf__
#undef __tf__
#undef __in__
#undef __out__
#undef __aicore__
#undef AICORE
#define __global__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __tf__
#define __in__
#define __out__
#define __aicore__
#define AICORE
#define __cce_get_tile_ptr(x) x
#define set_mask_norm(...) ((void)0)
#define set_vector_mask(...) ((void)0)
#ifndef GM_ADDR
#define GM_ADDR __gm__ uint8_t *
#endif

// --- functions -------------------------------------------------------------------------
// GNU attributes may stand between specifiers: `constexpr PTO_INTERNAL float f()`.
#define PTO_INST __attribute__((always_inline, visibility("default"))) inline
#define PTO_INTERNAL __attribute__((always_inline)) inline
#define PTO_INLINE inline
#define PTO_STATIC_ASSERT_TEXT(cond, text, ...) static_assert(cond, text)
#define PTO_STATIC_ASSERT(cond, ...) PTO_STATIC_ASSERT_TEXT((cond)__VA_OPT__(, ) __VA_ARGS__, #cond)
#define PTO_CPU_ASSERT(cond, ...)                                                                                      \
  ((cond) ? (void)0 : ::ptoscope::tile::failAssert(#cond, "" __VA_ARGS__, __FILE__, __LINE__))
#ifdef _DEBUG
#define PTO_ASSERT(cond, ...) PTO_CPU_ASSERT(cond __VA_OPT__(, ) __VA_ARGS__)
#else
#define PTO_ASSERT(cond, ...) ((void)0)
#endif

namespace ptoscope::tile {
/// Prints and aborts.
[[noreturn]] PTO_API void failAssert(const char *condition, const char *message, const char *file, int line);
} // namespace ptoscope::tile

#endif // PTO_DETAIL_WORDS_HPP
