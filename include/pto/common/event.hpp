//===- event.hpp - events and flags, under this name ------------*- C++ -*-===//

#ifndef PTO_COMMON_EVENT_HPP
#define PTO_COMMON_EVENT_HPP

#include "pto/detail/sync.hpp"

#endif // PTO_COMMON_EVENT_HPP
