//===- sdma_types.hpp - words of one engine -----------------------*- C++ -*-=//

#ifndef PTO_COMM_ASYNC_SDMA_SDMA_TYPES_HPP
#define PTO_COMM_ASYNC_SDMA_SDMA_TYPES_HPP

#include "pto/comm/async_common/async_types.hpp"

#endif // PTO_COMM_ASYNC_SDMA_SDMA_TYPES_HPP
