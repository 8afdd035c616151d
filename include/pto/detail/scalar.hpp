//===- scalar.hpp - what kernels do beside tile instructions ----*- C++ -*-===//
//
// Which core runs, caches, counters, scalar accesses to global memory and small
// arithmetic (TLAUNCH-2, SURF-25 to SURF-33). Kernels bring functions and macros of
// some of these names: names that may be macros stand in parentheses, and those that
// kernels declare again are templates, so that theirs win or coexist.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_SCALAR_HPP
#define PTO_DETAIL_SCALAR_HPP

#include "pto/common/type.hpp"
#include "pto/detail/cluster_abi.hpp"
#include "pto/detail/comm_abi.hpp"
#include "pto/detail/scalar_abi.hpp"

#include <source_location>

#undef dcci
#undef dsb

// --- which core ------------------------------------------------------------------------

inline int64_t(get_block_idx)() { return ptoscope::tile::blockIndex(); }
inline int64_t(get_block_num)() { return ptoscope::tile::blockCount(); }
inline int64_t(get_subblockid)() { return ptoscope::tile::subblockIndex(); }
inline int64_t(get_subblockdim)(std::source_location at = std::source_location::current()) {
  return ptoscope::tile::subblockCountAt({at.file_name(), at.line(), at.column()});
}
inline int64_t(get_coreid)() {
  return ptoscope::tile::blockIndex() * ptoscope::tile::subblockCount() + ptoscope::tile::subblockIndex();
}
inline uint64_t(get_task_cookie)() { return ptoscope::tile::taskCookie(); }

namespace ptoscope::tile {
struct BlockIndex {
  operator int64_t() const { return blockIndex(); }
};
struct BlockCount {
  operator int64_t() const { return blockCount(); }
};
} // namespace ptoscope::tile
/// As numbers. Objects, not macros: kernels have variables of these names.
inline constexpr ptoscope::tile::BlockIndex block_idx{};
inline constexpr ptoscope::tile::BlockCount block_num{};

// --- caches, which hold nothing here, and barriers of memories ----------------------------------------------

namespace ptoscope::tile {
/// An address of any kind; none, as for the whole cache.
template <typename P> inline constexpr bool kIsLine = std::is_pointer_v<P> || std::is_null_pointer_v<P>;
} // namespace ptoscope::tile
// A line that goes out tells others what was stored before it (COMM-29).
template <typename P>
  requires ptoscope::tile::kIsLine<P>
inline void dcci(P line, std::source_location at = std::source_location::current()) {
  ptoscope::tile::invalidateLine(line, false, {at.file_name(), at.line(), at.column()});
}
template <typename P, typename A>
  requires(ptoscope::tile::kIsLine<P> && !std::is_same_v<A, std::source_location>)
inline void dcci(P line, A, std::source_location at = std::source_location::current()) {
  ptoscope::tile::invalidateLine(line, false, {at.file_name(), at.line(), at.column()});
}
template <typename P, typename A, typename B>
  requires(ptoscope::tile::kIsLine<P> && !std::is_same_v<B, std::source_location>)
inline void dcci(P line, A, B destination, std::source_location at = std::source_location::current()) {
  constexpr int kOut = 2; // CACHELINE_OUT, of which programs may have a macro
  ptoscope::tile::invalidateLine(line, int(destination) == kOut, {at.file_name(), at.line(), at.column()});
}
template <typename A> inline void dsb(A memory, std::source_location at = std::source_location::current()) {
  ptoscope::tile::memoryBarrier(uint32_t(memory), {at.file_name(), at.line(), at.column()});
}

// --- numbers -----------------------------------------------------------------------------

namespace ptoscope::tile {
template <typename T> inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || std::is_same_v<T, half>;
inline Source sourceHere(const std::source_location &at) { return {at.file_name(), at.line(), at.column()}; }
template <typename T> T fromBits(uint64_t bits) {
  T value;
  __builtin_memcpy(static_cast<void *>(&value), &bits, sizeof(T));
  return value;
}
template <typename T> uint64_t toBits(const T &value) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, static_cast<const void *>(&value), sizeof(T));
  return bits;
}
} // namespace ptoscope::tile

/// Of two numbers, which may have different types. std::min and std::max fit two of the
/// same type better.
template <typename A, typename B>
  requires(ptoscope::tile::kIsNumber<A> && ptoscope::tile::kIsNumber<B>)
constexpr std::common_type_t<A, B>(min)(A a, B b) {
  using C = std::common_type_t<A, B>;
  return C(b) < C(a) ? C(b) : C(a);
}
template <typename A, typename B>
  requires(ptoscope::tile::kIsNumber<A> && ptoscope::tile::kIsNumber<B>)
constexpr std::common_type_t<A, B>(max)(A a, B b) {
  using C = std::common_type_t<A, B>;
  return C(a) < C(b) ? C(b) : C(a);
}
namespace pto {
using ::max;
using ::min;
} // namespace pto

constexpr uint64_t sbitset0(uint64_t value, int64_t bit) { return value & ~(uint64_t(1) << (bit & 63)); }
constexpr uint64_t sbitset1(uint64_t value, int64_t bit) { return value | uint64_t(1) << (bit & 63); }

// --- registers and counters ----------------------------------------------------------------

inline uint64_t get_ctrl() { return ptoscope::tile::controlRegister(); }
inline void set_ctrl(uint64_t value, std::source_location at = std::source_location::current()) {
  ptoscope::tile::setControlRegister(value, ptoscope::tile::sourceHere(at));
}
inline uint64_t get_sys_cnt(std::source_location at = std::source_location::current()) {
  return ptoscope::tile::systemCount(ptoscope::tile::sourceHere(at));
}

// --- scalar accesses to global memory --------------------------------------------------------

/// The pointee, `offset` bytes on.
template <typename T>
std::remove_cv_t<T> ld_dev(T *pointer, int64_t offset = 0, std::source_location at = std::source_location::current()) {
  return ptoscope::tile::fromBits<std::remove_cv_t<T>>(
      ptoscope::tile::loadUncached(const_cast<const char *>(reinterpret_cast<const volatile char *>(pointer)) + offset,
                                   sizeof(T), ptoscope::tile::sourceHere(at)));
}
template <typename V, typename T>
void st_dev(V value, T *pointer, int64_t offset = 0, std::source_location at = std::source_location::current()) {
  using E = std::remove_cv_t<T>;
  ptoscope::tile::storeUncached(const_cast<char *>(reinterpret_cast<volatile char *>(pointer)) + offset, sizeof(E),
                                ptoscope::tile::toBits(E(value)), ptoscope::tile::sourceHere(at));
}

/// Operations and element types of set_st_atomic_cfg.
enum : int { ATOMIC_NONE = 0, ATOMIC_SUM = 1, ATOMIC_S32 = 4 };
inline void set_st_atomic_cfg(int type, int operation) {
  ptoscope::tile::setScalarAtomic(type == ATOMIC_NONE || operation == ATOMIC_NONE ? ATOMIC_NONE : ATOMIC_SUM);
}
/// Adds; only stores after set_st_atomic_cfg with ATOMIC_NONE.
template <typename T, typename P>
void st_atomic(T value, P *pointer, std::source_location at = std::source_location::current()) {
  using E = std::remove_cv_t<P>;
  E *target = const_cast<E *>(pointer);
  if (ptoscope::tile::scalarAtomic() != ATOMIC_NONE)
    ptoscope::tile::addUncached(target, ptoscope::tile::elemOf<E>, ptoscope::tile::toBits(E(value)),
                                ptoscope::tile::sourceHere(at));
  else
    st_dev(value, target, 0, at);
}
/// What the place held before.
template <typename P, typename T>
std::remove_cv_t<P> atomicAdd(P *pointer, T value, std::source_location at = std::source_location::current()) {
  using E = std::remove_cv_t<P>;
  static_assert(ptoscope::tile::IsElement<E>, "atomicAdd adds integers, half, bfloat16_t or float");
  return ptoscope::tile::fromBits<E>(ptoscope::tile::addUncached(const_cast<E *>(pointer), ptoscope::tile::elemOf<E>,
                                                                 ptoscope::tile::toBits(E(value)),
                                                                 ptoscope::tile::sourceHere(at)));
}

/// From now on TSTORE adds to global memory, as with AtomicType::AtomicAdd.
template <typename T> void set_atomic_add() {
  static_assert(ptoscope::tile::IsElement<T>, "set_atomic_add names the element type of the stores");
  ptoscope::tile::setStoreAtomic(1);
}
inline void set_atomic_none() { ptoscope::tile::setStoreAtomic(0); }

namespace cce {
[[gnu::format(printf, 1, 2)]] inline int printf(const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  const int written = __builtin_vprintf(format, arguments);
  __builtin_va_end(arguments);
  return written;
}
} // namespace cce

#endif // PTO_DETAIL_SCALAR_HPP
