//===- memory.hpp - tiles and views, under this name ------------*- C++ -*-===//

#ifndef PTO_COMMON_MEMORY_HPP
#define PTO_COMMON_MEMORY_HPP

#include "pto/common/pto_tile.hpp"

#endif // PTO_COMMON_MEMORY_HPP
