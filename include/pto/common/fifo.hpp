//===- fifo.hpp - part of pto-inst.hpp, under the name programs include ===//

#ifndef PTO_COMMON_FIFO_HPP
#define PTO_COMMON_FIFO_HPP

#include "pto/detail/inst/queue.hpp"

#endif // PTO_COMMON_FIFO_HPP
