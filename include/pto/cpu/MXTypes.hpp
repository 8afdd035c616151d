//===- MXTypes.hpp - small float formats, by their global names -*- C++ -*-===//

#ifndef PTO_CPU_MXTYPES_HPP
#define PTO_CPU_MXTYPES_HPP

#include "pto/common/type.hpp"
#include "pto/detail/host_numbers.hpp"

#endif // PTO_CPU_MXTYPES_HPP
