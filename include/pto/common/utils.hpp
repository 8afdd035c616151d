//===- utils.hpp - part of pto-inst.hpp, under this name --------*- C++ -*-===//

#ifndef PTO_COMMON_UTILS_HPP
#define PTO_COMMON_UTILS_HPP

#include "pto/pto-inst.hpp"

#endif // PTO_COMMON_UTILS_HPP
