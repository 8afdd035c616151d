//===- pto_instr_impl.hpp - the instructions, under this name ---*- C++ -*-===//

#ifndef PTO_COMMON_PTO_INSTR_IMPL_HPP
#define PTO_COMMON_PTO_INSTR_IMPL_HPP

#include "pto/pto-inst.hpp"

#endif // PTO_COMMON_PTO_INSTR_IMPL_HPP
