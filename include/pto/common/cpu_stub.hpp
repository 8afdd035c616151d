//===- cpu_stub.hpp - the host runtime that test programs use ---*- C++ -*-===//
//
// Device memory is host memory that is registered with the library, streams are
// nothing, copies are copies (ACL-1). Everything returns 0, except where
// memory is short or a kernel that was called directly had an error.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMMON_CPU_STUB_HPP
#define PTO_COMMON_CPU_STUB_HPP

#include "pto/common/type.hpp"

using aclError = int;
using aclrtStream = void *;
enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY };
enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST,
  ACL_MEMCPY_HOST_TO_DEVICE,
  ACL_MEMCPY_DEVICE_TO_HOST,
  ACL_MEMCPY_DEVICE_TO_DEVICE
};

namespace ptoscope::tile {
/// Zeroed memory that kernels may reach, and its end.
PTO_API void *allocateDevice(size_t bytes);
PTO_API void freeDevice(void *pointer);
PTO_API void *allocateHost(size_t bytes);
PTO_API void freeHost(void *pointer);
PTO_API void copyBytes(void *to, size_t room, const void *from, size_t bytes);
PTO_API void setBytes(void *to, size_t room, int value, size_t bytes);
/// Kernels that were called directly have ended; false if one of them had an error.
PTO_API bool synchronize();
} // namespace ptoscope::tile

inline aclError aclInit(const char *) { return 0; }
inline aclError aclFinalize() { return 0; }
inline aclError aclrtSetDevice(int) { return 0; }
inline aclError aclrtResetDevice(int) { return 0; }
inline aclError aclrtCreateStream(aclrtStream *stream) {
  *stream = nullptr;
  return 0;
}
inline aclError aclrtDestroyStream(aclrtStream) { return 0; }
inline aclError aclrtSynchronizeStream(aclrtStream) { return ptoscope::tile::synchronize() ? 0 : 1; }
inline aclError aclrtSynchronizeDevice() { return aclrtSynchronizeStream(nullptr); }
template <typename T>
aclError aclrtMalloc(T **pointer, size_t bytes, aclrtMemMallocPolicy = ACL_MEM_MALLOC_HUGE_FIRST) {
  *pointer = static_cast<T *>(ptoscope::tile::allocateDevice(bytes));
  return *pointer ? 0 : 1;
}
inline aclError aclrtFree(void *pointer) {
  ptoscope::tile::freeDevice(pointer);
  return 0;
}
template <typename T> aclError aclrtMallocHost(T **pointer, size_t bytes) {
  *pointer = static_cast<T *>(ptoscope::tile::allocateHost(bytes));
  return *pointer ? 0 : 1;
}
inline aclError aclrtFreeHost(void *pointer) {
  ptoscope::tile::freeHost(pointer);
  return 0;
}
inline aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind) {
  ptoscope::tile::copyBytes(to, room, from, bytes);
  return 0;
}
inline aclError aclrtMemset(void *to, size_t room, int value, size_t bytes) {
  ptoscope::tile::setBytes(to, room, value, bytes);
  return 0;
}
inline float aclFloat16ToFloat(aclFloat16 value) { return float(value); }

#endif // PTO_COMMON_CPU_STUB_HPP
