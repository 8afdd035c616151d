//===- comm_types.hpp - types of communication between devices --*- C++ -*-===//
//
// COMM-10 to COMM-16: signals, groups of tensors, and the words for operations.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMM_COMM_TYPES_HPP
#define PTO_COMM_COMM_TYPES_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/common/pto_tile.hpp"

namespace pto {
PTO_MODE_BEGIN
namespace comm {

enum class NotifyOp : uint8_t { AtomicAdd = 0, Set = 1 };
enum class WaitCmp : uint8_t { EQ = 0, NE = 1, GT = 2, GE = 3, LT = 4, LE = 5 };
enum class ReduceOp : uint8_t { Sum = 0, Max = 1, Min = 2 };
enum class DmaEngine : uint8_t { SDMA = 0, URMA = 1, RDMA = 2 };
enum class CollEngine : uint8_t { AIV = 0, CCU = 1 };

/// One word.
using Signal = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

/// R x C words; rows are `stride` words apart.
template <int64_t R, int64_t C>
struct Signal2D : GlobalTensor<int32_t, Shape<1, 1, 1, R, C>, Stride<DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC, 1>> {
  using Base = GlobalTensor<int32_t, Shape<1, 1, 1, R, C>, Stride<DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC, 1>>;
  constexpr Signal2D() = default;
  constexpr Signal2D(int32_t *words, int64_t stride = C)
      : Base(words, {}, {R * stride, R * stride, R * stride, stride, int64_t(1)}) {}
};

namespace ptoscope_detail {
template <typename...> struct SignalTensor;
template <typename S> struct SignalTensor<S> {
  using Type = GlobalTensor<int32_t, S>;
};
template <typename S, typename T> struct SignalTensor<S, T> {
  using Type = GlobalTensor<int32_t, S, T>;
};
template <typename S> struct SignalTensor<int32_t, S> {
  using Type = GlobalTensor<int32_t, S>;
};
template <typename S, typename T> struct SignalTensor<int32_t, S, T> {
  using Type = GlobalTensor<int32_t, S, T>;
};
} // namespace ptoscope_detail
/// Words of any shape, with the element in front or without it.
template <typename... T> using GlobalSignal = typename ptoscope_detail::SignalTensor<T...>::Type;

/// A view of one tensor for each rank, which its program keeps.
template <typename GT> struct ParallelGroup {
  using value_type = GT;
  GT *tensors = nullptr;
  int nranks = 0;
  int rootIdx = 0;

  static constexpr ParallelGroup Create(GT *array, int n, int root) { return {array, n, root}; }
  constexpr GT &operator[](int rank) const { return tensors[rank]; }
  constexpr int GetSize() const { return nranks; }
  constexpr int GetRootIdx() const { return rootIdx; }
  constexpr bool empty() const { return nranks <= 0; }
};

namespace ptoscope_detail {
template <typename...> inline constexpr bool kNever = false;
} // namespace ptoscope_detail

/// Of collectives that a unit of the A5 runs.
struct CcuTriggerContext {};

} // namespace comm

enum class GridDirection : uint8_t { NORTH, EAST, WEST, SOUTH, SOURCE };
/// By name only (COMM-61).
template <typename T, auto SlotBytes, auto SlotCount> struct GridPipe {
  static_assert(comm::ptoscope_detail::kNever<T>,
                "GridPipe is not modelled: it is a proposal that windows and atomic flags emulate, and no document "
                "fixes what it does; use pto::comm::TPUT, TNOTIFY and TWAIT");
};

PTO_MODE_END
} // namespace pto

#include "pto/detail/letters_end.inc"

#endif // PTO_COMM_COMM_TYPES_HPP
