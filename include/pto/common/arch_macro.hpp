//===- arch_macro.hpp - target and core kind, under this name ---*- C++ -*-===//

#ifndef PTO_COMMON_ARCH_MACRO_HPP
#define PTO_COMMON_ARCH_MACRO_HPP

#include "pto/detail/words.hpp"

#endif // PTO_COMMON_ARCH_MACRO_HPP
