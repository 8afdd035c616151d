//===- rt.h - the layer below the host runtime ------------------*- C++ -*-===//

#ifndef PTO_RUNTIME_RT_H
#define PTO_RUNTIME_RT_H

#include "pto/common/cpu_stub.hpp"

using rtError_t = int;
using rtStream_t = void *;
inline constexpr int RT_ERROR_NONE = 0;

inline rtError_t rtSetDevice(int32_t device) { return aclrtSetDevice(device); }
inline rtError_t rtStreamCreate(rtStream_t *stream, int32_t = 0) { return aclrtCreateStream(stream); }
inline rtError_t rtStreamDestroy(rtStream_t stream) { return aclrtDestroyStream(stream); }
inline rtError_t rtStreamSynchronize(rtStream_t stream) { return aclrtSynchronizeStream(stream); }
/// Cube cores of the target.
inline rtError_t rtGetAiCoreCount(uint32_t *count) {
  *count = ptoscope::tile::cubeCores();
  return 0;
}

/// Kernels are functions here, not binaries for a device.
template <typename... A> rtError_t rtRegisterAllKernel(A &&...) {
  static_assert(sizeof...(A) > 999, "rtRegisterAllKernel is not modelled: it loads binaries of a device; compile and "
                                    "link the kernel, and call it or launch it");
  return 1;
}
template <typename... A> rtError_t rtKernelLaunchWithHandleV2(A &&...) {
  static_assert(sizeof...(A) > 999, "rtKernelLaunchWithHandleV2 is not modelled: it starts binaries of a device; "
                                    "compile and link the kernel, and call it or launch it");
  return 1;
}

#endif // PTO_RUNTIME_RT_H
