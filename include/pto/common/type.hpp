//===- type.hpp - scalar types, words and enumerations ----------*- C++ -*-===//
//
// What the language of kernels has beside instructions (CPP-3 to CPP-7, SURF-4).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMMON_TYPE_HPP
#define PTO_COMMON_TYPE_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/common/constants.hpp"
#ifdef __CPU_SIM
#include "pto/detail/host_numbers.hpp"
#endif

#include "pto/detail/letters_end.inc"

#endif // PTO_COMMON_TYPE_HPP
