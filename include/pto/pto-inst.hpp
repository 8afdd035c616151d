//===- pto-inst.hpp - the PTO tile API --------------------------*- C++ -*-===//
//
// GlobalTensor, Tile and the instructions on them, for any C++20 compiler. Kernels
// run on the library `ptoscope`, by <ptoscope/launch.hpp> or called directly.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_PTO_INST_HPP
#define PTO_PTO_INST_HPP

#include "pto/common/constants.hpp"
#include "pto/common/pto_tile.hpp"
#include "pto/common/type.hpp"
#include "pto/detail/inst/alias.hpp"
#include "pto/detail/inst/assign.hpp"
#include "pto/detail/inst/convert.hpp"
#include "pto/detail/inst/elementwise.hpp"
#include "pto/detail/inst/gather.hpp"
#include "pto/detail/inst/matrix.hpp"
#include "pto/detail/inst/memory.hpp"
#include "pto/detail/inst/move.hpp"
#include "pto/detail/inst/print.hpp"
#include "pto/detail/inst/random.hpp"
#include "pto/detail/inst/rearrange.hpp"
#include "pto/detail/inst/reduce.hpp"
#include "pto/detail/inst/shapes.hpp"
#include "pto/detail/inst/unmodelled.hpp"
#include "pto/detail/sync.hpp"

#endif // PTO_PTO_INST_HPP
