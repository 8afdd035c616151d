//===- kernel_operator.h - GM_ADDR and nothing else -------------*- C++ -*-===//
//
// Sources include it for this name; the classes of that library are not modelled.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_KERNEL_OPERATOR_H
#define PTO_KERNEL_OPERATOR_H

#include "pto/detail/words.hpp"

#endif // PTO_KERNEL_OPERATOR_H
