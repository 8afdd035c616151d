//===- debug.h - assertions, under the name programs include ===//

#ifndef PTO_COMMON_DEBUG_H
#define PTO_COMMON_DEBUG_H

#include "pto/common/type.hpp"

#endif // PTO_COMMON_DEBUG_H
