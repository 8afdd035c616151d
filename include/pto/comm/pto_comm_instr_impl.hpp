//===- pto_comm_instr_impl.hpp - no communication is modelled ===//

#ifndef PTO_COMM_PTO_COMM_INSTR_IMPL_HPP
#define PTO_COMM_PTO_COMM_INSTR_IMPL_HPP

#include "pto/comm/comm_types.hpp"

#endif // PTO_COMM_PTO_COMM_INSTR_IMPL_HPP
