//===- shapes.hpp - signatures that many instructions share -----*- C++ -*-===//
//
// One line per instruction in the headers of the families. Every instruction takes
// its operands, up to four events to wait for, and its own place in the program.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_SHAPES_HPP
#define PTO_DETAIL_INST_SHAPES_HPP

#include "pto/detail/sync.hpp"

/// NAME(dst, src0, src1, events …)
#define PTO_BINARY(NAME)                                                                                       \
  template <typename D, typename A, typename B> RecordEvent NAME(D &dst, A &src0, B &src1, PTO_AFTER) {        \
    PTO_WAIT;                                                                                                  \
    detail::Call call = detail::makeCall<detail::record::NAME>(at, dst, src0, src1);                           \
    return detail::finish(call);                                                                               \
  }

/// NAME(dst, src, events …)
#define PTO_UNARY(NAME)                                                                                        \
  template <typename D, typename A> RecordEvent NAME(D &dst, A &src, PTO_AFTER) {                              \
    PTO_WAIT;                                                                                                  \
    detail::Call call = detail::makeCall<detail::record::NAME>(at, dst, src);                                  \
    return detail::finish(call);                                                                               \
  }

/// NAME(dst, src0, src1, src2, events …): three sources, or two and scratch
#define PTO_TERNARY(NAME)                                                                                      \
  template <typename D, typename A, typename B, typename C>                                                    \
  RecordEvent NAME(D &dst, A &src0, B &src1, C &src2, PTO_AFTER) {                                             \
    PTO_WAIT;                                                                                                  \
    detail::Call call = detail::makeCall<detail::record::NAME>(at, dst, src0, src1, src2);                     \
    return detail::finish(call);                                                                               \
  }

/// NAME(dst, src, scalar, events …): the scalar is converted to the element type
#define PTO_SCALAR(NAME)                                                                                       \
  template <typename D, typename A>                                                                            \
  RecordEvent NAME(D &dst, A &src, std::type_identity_t<typename D::DType> scalar, PTO_AFTER) {                \
    PTO_WAIT;                                                                                                  \
    detail::Call call = detail::makeCall<detail::record::NAME>(at, dst, src);                                  \
    detail::setScalar(call, 0, scalar);                                                                        \
    return detail::finish(call);                                                                               \
  }

#endif // PTO_DETAIL_INST_SHAPES_HPP
