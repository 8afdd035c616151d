//===- rt_ffts.h - signals between cores, on the host's side ----*- C++ -*-===//

#ifndef PTO_RUNTIME_RT_FFTS_H
#define PTO_RUNTIME_RT_FFTS_H

#include "runtime/rt.h"

#endif // PTO_RUNTIME_RT_FFTS_H
