//===- Kernels.cpp - the table of one level -------------------------------===//

#include "Kernels.h"

#define PTOSCOPE_TEXT_OF(x) #x
#define PTOSCOPE_TEXT(x) PTOSCOPE_TEXT_OF(x)

namespace ptoscope::tile::PTOSCOPE_LEVEL {

extern const Kernels kKernels;
const Kernels kKernels = {
    PTOSCOPE_TEXT(PTOSCOPE_LEVEL),
#define PTO_RECORD(NAME, KERNEL, ...) KERNEL,
#define PTO_CUSTOM_RECORD PTO_RECORD
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD
    moveMatrix,
    fillMatrix,
    multiplyMatrices,
};

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
