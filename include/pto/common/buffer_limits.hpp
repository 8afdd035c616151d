//===- buffer_limits.hpp - sizes of on-chip memories ------------*- C++ -*-===//

#ifndef PTO_COMMON_BUFFER_LIMITS_HPP
#define PTO_COMMON_BUFFER_LIMITS_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/detail/words.hpp"

// Of the target, in bytes (TASSIGN-1); a program may have its own.
#ifdef PTO_NPU_ARCH_A2A3
#define PTO_SIZE_OF_TARGET(A3, A5) (A3)
#else
#define PTO_SIZE_OF_TARGET(A3, A5) (A5)
#endif
#ifndef PTO_UBUF_SIZE_BYTES
#define PTO_UBUF_SIZE_BYTES PTO_SIZE_OF_TARGET(196608, 262144)
#endif
#ifndef PTO_CBUF_SIZE_BYTES
#define PTO_CBUF_SIZE_BYTES 524288
#endif
#ifndef PTO_L1_SIZE_BYTES
#define PTO_L1_SIZE_BYTES 524288
#endif
#ifndef PTO_L0A_SIZE_BYTES
#define PTO_L0A_SIZE_BYTES 65536
#endif
#ifndef PTO_L0B_SIZE_BYTES
#define PTO_L0B_SIZE_BYTES 65536
#endif
#ifndef PTO_L0C_SIZE_BYTES
#define PTO_L0C_SIZE_BYTES PTO_SIZE_OF_TARGET(131072, 262144)
#endif
#ifndef PTO_BIAS_SIZE_BYTES
#define PTO_BIAS_SIZE_BYTES PTO_SIZE_OF_TARGET(1024, 4096)
#endif
#ifndef PTO_FBUF_SIZE_BYTES
#define PTO_FBUF_SIZE_BYTES PTO_SIZE_OF_TARGET(2048, 4096)
#endif

#include "pto/detail/letters_end.inc"

#endif // PTO_COMMON_BUFFER_LIMITS_HPP
