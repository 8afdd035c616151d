//===- unmodelled.hpp - instructions that are refused -----------*- C++ -*-===//
//
// Names of the tile API that this library does not run: using one is an error of
// compilation that names it and says why.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_UNMODELLED_HPP
#define PTO_DETAIL_INST_UNMODELLED_HPP

#include "pto/detail/call.hpp"

namespace pto {
PTO_MODE_BEGIN

namespace detail {
template <typename...> inline constexpr bool kNever = false;
} // namespace detail

/// Template arguments may be types, values, or types and then values.
#define PTO_NOT_MODELLED(NAME, WHY)                                                                                    \
  template <typename... T, typename... A> RecordEvent NAME(A &&...) {                                                  \
    static_assert(detail::kNever<T..., A...>, #NAME " is not modelled: " WHY);                                         \
    return {};                                                                                                         \
  }                                                                                                                    \
  template <auto V, auto... W, typename... A> RecordEvent NAME(A &&...) {                                              \
    static_assert(detail::kNever<A...>, #NAME " is not modelled: " WHY);                                               \
    return {};                                                                                                         \
  }                                                                                                                    \
  template <typename T, auto V, typename... A> RecordEvent NAME(A &&...) {                                             \
    static_assert(detail::kNever<T, A...>, #NAME " is not modelled: " WHY);                                            \
    return {};                                                                                                         \
  }                                                                                                                    \
  template <typename T, typename U, auto V, typename... A> RecordEvent NAME(A &&...) {                                 \
    static_assert(detail::kNever<T, U, A...>, #NAME " is not modelled: " WHY);                                         \
    return {};                                                                                                         \
  }

#define PTO_BETWEEN_CORES "tiles do not travel between the cores of a launch; store to global memory and load there"
PTO_NOT_MODELLED(TPUSH, PTO_BETWEEN_CORES)
PTO_NOT_MODELLED(TPOP, PTO_BETWEEN_CORES)
PTO_NOT_MODELLED(TFREE, PTO_BETWEEN_CORES)
PTO_NOT_MODELLED(TALLOC, PTO_BETWEEN_CORES)
#undef PTO_BETWEEN_CORES
#define PTO_FOR_TPUSH "it prepares TPUSH, which is not modelled; pass the scalar or the tile to TSTORE or TMOV"
PTO_NOT_MODELLED(SET_QUANT_SCALAR, PTO_FOR_TPUSH)
PTO_NOT_MODELLED(SET_QUANT_VECTOR, PTO_FOR_TPUSH)
#undef PTO_FOR_TPUSH

PTO_NOT_MODELLED(TPREFETCH_ASYNC, "there is no second-level cache here; leave it out, or stage a tile with TPREFETCH")

#define PTO_SCALES                                                                                                     \
  "scales are described for one fragment of 16 x 2 only: how more of them follow each other in L0A and L0B, the "      \
  "address that TGET_SCALE_ADDR gives and a scale that is NaN are left open; scale the factors before, or use half, "  \
  "bfloat16_t, float or 8-bit floats without scales"
PTO_NOT_MODELLED(TMATMUL_MX, PTO_SCALES)
PTO_NOT_MODELLED(TGEMV_MX, PTO_SCALES)
PTO_NOT_MODELLED(TGET_SCALE_ADDR, PTO_SCALES)
#undef PTO_SCALES

/// Tiles of convolutions, by name only.
template <int64_t... Extents> struct ConvTileShape {};
template <TileType Loc, typename Element, int64_t BufferBytes, Layout L, typename Shape> struct ConvTile {
  static_assert(detail::kNever<Element>,
                "ConvTile is not modelled: no document says what its members and TIMG2COL do to "
                "it; form the matrix with TLOAD");
};
#define PTO_CONVOLUTION "convolution tiles are not modelled; form the matrix with TLOAD"
PTO_NOT_MODELLED(TIMG2COL, PTO_CONVOLUTION)
PTO_NOT_MODELLED(SETFMATRIX, PTO_CONVOLUTION)
PTO_NOT_MODELLED(SET_IMG2COL_RPT, PTO_CONVOLUTION)
PTO_NOT_MODELLED(SET_IMG2COL_PADDING, PTO_CONVOLUTION)
#undef PTO_CONVOLUTION

#define PTO_DEVICES "a launch has one device"
PTO_NOT_MODELLED(TPUT, PTO_DEVICES)
PTO_NOT_MODELLED(TGET, PTO_DEVICES)
PTO_NOT_MODELLED(TPUT_ASYNC, PTO_DEVICES)
PTO_NOT_MODELLED(TGET_ASYNC, PTO_DEVICES)
PTO_NOT_MODELLED(TNOTIFY, PTO_DEVICES)
PTO_NOT_MODELLED(TWAIT, PTO_DEVICES)
PTO_NOT_MODELLED(TTEST, PTO_DEVICES)
PTO_NOT_MODELLED(TBROADCAST, PTO_DEVICES)
PTO_NOT_MODELLED(TREDUCE, PTO_DEVICES)
#undef PTO_DEVICES

/// Helpers of a host simulator, whose state they reach into.
namespace cpu_sim {
#define PTO_LAUNCH                                                                                                     \
  "it steers another simulator; launch kernels with ptoscope::launch, whose Options have a cookie and a target"
PTO_NOT_MODELLED(LaunchKernelMultiCore, PTO_LAUNCH)
PTO_NOT_MODELLED(set_execution_context, PTO_LAUNCH)
PTO_NOT_MODELLED(reset_execution_context, PTO_LAUNCH)
PTO_NOT_MODELLED(set_task_cookie, PTO_LAUNCH)
PTO_NOT_MODELLED(register_hooks, PTO_LAUNCH)
struct ScopedExecutionContext {
  template <typename... A> explicit ScopedExecutionContext(A &&...) {
    static_assert(detail::kNever<A...>, "ScopedExecutionContext is not modelled: " PTO_LAUNCH);
  }
};
#undef PTO_LAUNCH
} // namespace cpu_sim
#undef PTO_NOT_MODELLED

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_UNMODELLED_HPP
