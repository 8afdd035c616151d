//===- cpu_stub.hpp - the host runtime that test programs use ---*- C++ -*-===//
//
// Device memory is host memory that is registered with the library, streams are
// nothing, copies are copies (ACL-1, SURF-34 to SURF-41). Everything returns 0, except
// where memory is short, arguments are wrong or a kernel had an error.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMMON_CPU_STUB_HPP
#define PTO_COMMON_CPU_STUB_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/common/type.hpp"
#include "pto/cpu/NPUMemoryModel.hpp"
#include "pto/detail/cpu_sim.hpp"

using aclError = int;
using aclrtStream = void *;
using aclrtEvent = void *;
using aclrtContext = void *;
inline constexpr int ACL_SUCCESS = 0, ACL_ERROR_NONE = 0, ACL_ERROR_INVALID_PARAM = 145000;
enum aclrtMemMallocPolicy : int {
  ACL_MEM_MALLOC_HUGE_FIRST,
  ACL_MEM_MALLOC_HUGE_ONLY,
  ACL_MEM_MALLOC_NORMAL_ONLY,
};
enum aclrtMemcpyKind : int {
  ACL_MEMCPY_HOST_TO_HOST,
  ACL_MEMCPY_HOST_TO_DEVICE,
  ACL_MEMCPY_DEVICE_TO_HOST,
  ACL_MEMCPY_DEVICE_TO_DEVICE,
};

namespace ptoscope::tile {
/// Zeroed memory that kernels may reach, and its end. False after a message: the memory is not what the
/// call takes it for (ACL-5).
PTO_API void *allocateDevice(size_t bytes);
PTO_API bool freeDevice(void *pointer);
PTO_API void *allocateHost(size_t bytes);
PTO_API bool freeHost(void *pointer);
PTO_API bool copyBytes(void *to, size_t room, const void *from, size_t bytes);
PTO_API bool setBytes(void *to, size_t room, int value, size_t bytes);
/// Kernels that were called directly have ended; false if one of them had an error.
PTO_API bool synchronize();
} // namespace ptoscope::tile

inline aclError aclInit(const char *) { return 0; }
inline aclError aclFinalize() { return 0; }

// --- devices and streams: there is one of each ---------------------------------------------

inline aclError aclrtSetDevice(int) { return 0; }
inline aclError aclrtResetDevice(int) { return 0; }
inline aclError aclrtGetDevice(int32_t *device) {
  *device = 0;
  return 0;
}
inline aclError aclrtGetDeviceCount(uint32_t *count) {
  *count = 1;
  return 0;
}
enum aclrtDevAttr : int {
  ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
  ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
  ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
};
/// How many cores the target has; 0 of anything else.
inline aclError aclrtGetDeviceInfo(uint32_t, int attribute, int64_t *value) {
  const int64_t cubes = ptoscope::tile::cubeCores();
  *value = attribute == ACL_DEV_ATTR_VECTOR_CORE_NUM                                              ? 2 * cubes
           : attribute == ACL_DEV_ATTR_AICORE_CORE_NUM || attribute == ACL_DEV_ATTR_CUBE_CORE_NUM ? cubes
                                                                                                  : 0;
  return 0;
}
inline aclError aclrtCreateStream(aclrtStream *stream) {
  *stream = nullptr;
  return 0;
}
inline aclError aclrtDestroyStream(aclrtStream) { return 0; }
inline aclError aclrtSynchronizeStream(aclrtStream) { return ptoscope::tile::synchronize() ? 0 : 1; }
inline aclError aclrtSynchronizeDevice() { return aclrtSynchronizeStream(nullptr); }

// --- memory -----------------------------------------------------------------------------------

template <typename T> aclError aclrtMalloc(T **pointer, size_t bytes, int /*policy*/ = ACL_MEM_MALLOC_HUGE_FIRST) {
  if (!pointer)
    return ACL_ERROR_INVALID_PARAM;
  *pointer = static_cast<T *>(ptoscope::tile::allocateDevice(bytes));
  return *pointer ? 0 : 1;
}
inline aclError aclrtMalloc(decltype(nullptr), size_t, int = ACL_MEM_MALLOC_HUGE_FIRST) {
  return ACL_ERROR_INVALID_PARAM;
}
inline aclError aclrtFree(void *pointer) { return ptoscope::tile::freeDevice(pointer) ? 0 : ACL_ERROR_INVALID_PARAM; }
template <typename T> aclError aclrtMallocHost(T **pointer, size_t bytes) {
  if (!pointer)
    return ACL_ERROR_INVALID_PARAM;
  *pointer = static_cast<T *>(ptoscope::tile::allocateHost(bytes));
  return *pointer ? 0 : 1;
}
inline aclError aclrtMallocHost(decltype(nullptr), size_t) { return ACL_ERROR_INVALID_PARAM; }
inline aclError aclrtFreeHost(void *pointer) { return ptoscope::tile::freeHost(pointer) ? 0 : ACL_ERROR_INVALID_PARAM; }
inline aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, int /*kind*/) {
  return ptoscope::tile::copyBytes(to, room, from, bytes) ? 0 : ACL_ERROR_INVALID_PARAM;
}
inline aclError aclrtMemset(void *to, size_t room, int value, size_t bytes) {
  if (bytes == 0)
    return 0;
  if (!to || bytes > room)
    return ACL_ERROR_INVALID_PARAM;
  return ptoscope::tile::setBytes(to, room, value, bytes) ? 0 : ACL_ERROR_INVALID_PARAM;
}
/// A hint to a cache.
inline aclError aclrtCmoAsync(void *, size_t, int, aclrtStream) { return 0; }

// --- events: the time of the host ----------------------------------------------------------------

inline aclError aclrtCreateEvent(aclrtEvent *event) {
  *event = new uint64_t(0);
  return 0;
}
inline aclError aclrtDestroyEvent(aclrtEvent event) {
  delete static_cast<uint64_t *>(event);
  return 0;
}
inline aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  const aclError error = aclrtSynchronizeStream(stream);
  *static_cast<uint64_t *>(event) = ptoscope::tile::hostTime();
  return error;
}
inline aclError aclrtSynchronizeEvent(aclrtEvent) { return 0; }
/// Milliseconds.
inline aclError aclrtEventElapsedTime(float *time, aclrtEvent begin, aclrtEvent end) {
  *time = float(*static_cast<uint64_t *>(end) - *static_cast<uint64_t *>(begin)) / 1e6f;
  return 0;
}

inline float aclFloat16ToFloat(aclFloat16 value) { return float(value); }

// --- the layer below ---------------------------------------------------------------------------------

/// The area of signals between cores. Host programs get none, as host simulators have it.
static inline int rtGetC2cCtrlAddr(uint64_t *address, uint32_t *bytes) {
#ifdef __CPU_SIM
  *address = 0;
#else
  *address = 0xff75; // any number serves as a token
#endif
  *bytes = 0;
  return 0;
}

#include "pto/detail/letters_end.inc"

#endif // PTO_COMMON_CPU_STUB_HPP
