//===- MXTypes.hpp - small float formats, under the name programs include ===//

#ifndef PTO_CPU_MXTYPES_HPP
#define PTO_CPU_MXTYPES_HPP

#include "pto/common/type.hpp"

#endif // PTO_CPU_MXTYPES_HPP
