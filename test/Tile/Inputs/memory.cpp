// Corners of the aclrt functions; the exit status is the number of the first that is wrong.
#include <pto/common/cpu_stub.hpp>

#include <cstdint>
#include <cstring>

int main() {
  char *pointer = nullptr;
  if (aclrtMalloc(&pointer, SIZE_MAX / 2, ACL_MEM_MALLOC_NORMAL_ONLY) == 0 || pointer)
    return 1;
  if (aclrtMallocHost(&pointer, SIZE_MAX / 2) == 0 || pointer)
    return 2;
  if (aclrtFree(nullptr) != 0 || aclrtFreeHost(nullptr) != 0)
    return 3;
  if (aclrtMalloc(&pointer, 0, ACL_MEM_MALLOC_HUGE_FIRST) != 0 || aclrtFree(pointer) != 0)
    return 4;
  // Memory starts as zeros; copies are as long as the shorter side, and may be empty.
  char from[8] = "1234567", to[4];
  if (aclrtMalloc(&pointer, 8, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
      std::memcmp(pointer, "\0\0\0\0\0\0\0\0", 8) != 0)
    return 5;
  aclrtMemcpy(pointer, 8, from, 6, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemcpy(to, 4, pointer, 8, ACL_MEMCPY_DEVICE_TO_HOST);
  if (std::memcmp(pointer, "123456\0", 8) != 0 || std::memcmp(to, "1234", 4) != 0)
    return 6;
  // More than there is room for is refused (SURF-34).
  if (aclrtMemset(pointer, 4, 'y', 8) != 145000 || aclrtMemset(pointer, 4, 'x', 4) != 0)
    return 9;
  aclrtMemcpy(nullptr, 0, from, 8, ACL_MEMCPY_HOST_TO_HOST);
  if (std::memcmp(pointer, "xxxx56\0", 8) != 0 || aclrtFree(pointer) != 0)
    return 7;
  return aclrtSynchronizeStream(nullptr) != 0 || aclFloat16ToFloat(aclFloat16(0.5f)) != 0.5f ? 8 : 0;
}
