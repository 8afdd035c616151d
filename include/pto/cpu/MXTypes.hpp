//===- MXTypes.hpp - small float formats, by their global names -*- C++ -*-===//

#ifndef PTO_CPU_MXTYPES_HPP
#define PTO_CPU_MXTYPES_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/common/type.hpp"
#include "pto/detail/host_numbers.hpp"

#include "pto/detail/letters_end.inc"

#endif // PTO_CPU_MXTYPES_HPP
