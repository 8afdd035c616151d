//===- TQuant.hpp - part of pto-inst.hpp, under this name -------*- C++ -*-===//

#ifndef PTO_NPU_A5_TQUANT_HPP
#define PTO_NPU_A5_TQUANT_HPP

#include "pto/pto-inst.hpp"

#endif // PTO_NPU_A5_TQUANT_HPP
