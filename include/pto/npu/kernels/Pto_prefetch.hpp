//===- Pto_prefetch.hpp - a hint to a cache ---------------------*- C++ -*-===//

#ifndef PTO_NPU_KERNELS_PTO_PREFETCH_HPP
#define PTO_NPU_KERNELS_PTO_PREFETCH_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/common/cpu_stub.hpp"

namespace pto {
template <bool UseSdma = true, int AivCores = -1> void PTO_PREFETCH(void *, uint64_t, aclrtStream = nullptr) {}
} // namespace pto

#include "pto/detail/letters_end.inc"

#endif // PTO_NPU_KERNELS_PTO_PREFETCH_HPP
