//===- pto-inst.hpp - the PTO tile API --------------------------*- C++ -*-===//
//
// GlobalTensor, Tile and the instructions on them, for any C++20 compiler. Kernels
// run on the library `ptoscope`, by <ptoscope/launch.hpp> or called directly.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_PTO_INST_HPP
#define PTO_PTO_INST_HPP

#include "pto/detail/letters_begin.inc"

// Programs for host simulators rely on these without including them (SURF-5).
#ifdef __CPU_SIM
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "pto/common/cpu_stub.hpp"
#endif

#include "pto/common/buffer_limits.hpp"
#include "pto/common/constants.hpp"
#include "pto/common/pto_tile.hpp"
#include "pto/common/type.hpp"
#include "pto/detail/inst/alias.hpp"
#include "pto/detail/inst/assign.hpp"
#include "pto/detail/inst/cluster.hpp"
#include "pto/detail/inst/convert.hpp"
#include "pto/detail/inst/convolution.hpp"
#include "pto/detail/inst/elementwise.hpp"
#include "pto/detail/inst/gather.hpp"
#include "pto/detail/inst/impl.hpp"
#include "pto/detail/inst/matrix.hpp"
#include "pto/detail/inst/memory.hpp"
#include "pto/detail/inst/move.hpp"
#include "pto/detail/inst/mx.hpp"
#include "pto/detail/inst/print.hpp"
#include "pto/detail/inst/quantise.hpp"
#include "pto/detail/inst/queue.hpp"
#include "pto/detail/inst/random.hpp"
#include "pto/detail/inst/rearrange.hpp"
#include "pto/detail/inst/reduce.hpp"
#include "pto/detail/inst/shapes.hpp"
#include "pto/detail/sync.hpp"

#include "pto/detail/letters_end.inc"

#endif // PTO_PTO_INST_HPP
