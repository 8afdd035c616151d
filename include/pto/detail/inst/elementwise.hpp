//===- elementwise.hpp - element by element ---------------------*- C++ -*-===//
//
// isa/30 section 8: over the destination's valid region, on Vec tiles.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_ELEMENTWISE_HPP
#define PTO_DETAIL_INST_ELEMENTWISE_HPP

#include "pto/detail/inst/shapes.hpp"

namespace pto {
PTO_MODE_BEGIN

PTO_BINARY(TADD)

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_ELEMENTWISE_HPP
