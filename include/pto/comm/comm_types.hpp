//===- comm_types.hpp - no communication is modelled ===//

#ifndef PTO_COMM_COMM_TYPES_HPP
#define PTO_COMM_COMM_TYPES_HPP

#include "pto/common/pto_tile.hpp"

#ifndef PTO_COMM_NOT_SUPPORTED
#define PTO_COMM_NOT_SUPPORTED
#endif

#endif // PTO_COMM_COMM_TYPES_HPP
