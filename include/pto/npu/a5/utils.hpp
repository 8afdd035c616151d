//===- utils.hpp - part of pto-inst.hpp, under this name --------*- C++ -*-===//

#ifndef PTO_NPU_A5_UTILS_HPP
#define PTO_NPU_A5_UTILS_HPP

#include "pto/pto-inst.hpp"

#endif // PTO_NPU_A5_UTILS_HPP
