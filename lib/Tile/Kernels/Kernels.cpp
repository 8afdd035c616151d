//===- Kernels.cpp - the table of one level -------------------------------===//

#include "Kernels.h"

#define PTOSCOPE_TEXT_OF(x) #x
#define PTOSCOPE_TEXT(x) PTOSCOPE_TEXT_OF(x)

namespace ptoscope::tile::PTOSCOPE_LEVEL {

extern const Kernels kKernels;
const Kernels kKernels = {
    PTOSCOPE_TEXT(PTOSCOPE_LEVEL),
#define KERNEL(name) name,
#include "Kernels.def"
#undef KERNEL
};

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
