//===- fixpipe.hpp - part of pto-inst.hpp, under the name programs include ===//

#ifndef PTO_COMMON_FIXPIPE_HPP
#define PTO_COMMON_FIXPIPE_HPP

#include "pto/common/pto_tile.hpp"

#endif // PTO_COMMON_FIXPIPE_HPP
