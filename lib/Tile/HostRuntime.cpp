//===- HostRuntime.cpp - device memory of test programs -------------------===//
//
// ACL-2 to ACL-5. Each of these is a point where kernels that were called
// directly have ended.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "HostProfile.h"
#include "HostThreads.h"
#include "Run.h"
#include "pto/common/cpu_stub.hpp"
#include "ptoscope/Support/ProcessMutex.h"
#include "ptoscope/launch_syntax.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

namespace ptoscope::tile {

/// REPORT-13: programs of the host profile take another number for a fault of the runtime.
bool synchronize() {
  const bool direct = directCallsWereFine(), launches = launchesWereFine(), syntax = !syntax::takeError();
  const bool fine = direct && launches && syntax;
  if (isHostProgram())
    return true;
  if (!fine)
    programKnows();
  return fine;
}

/// What `aclrtMalloc` and `aclrtMallocHost` gave and no one has freed (ACL-5).
struct Given {
  ProcessMutex mutex;
  std::set<void *> device, host;
};
static Given &given() {
  static Given *instance = new Given; // outlives destructors of the program
  return *instance;
}
static bool complain(const char *function, const std::string &problem) {
  std::fprintf(stderr, "ptoscope: %s: %s\n", function, problem.c_str());
  return false;
}

/// Behind each buffer are bytes that belong to none, so that what goes beyond its end does not end in the next one.
static void *allocate(size_t bytes, std::set<void *> &kind) {
  constexpr size_t kGap = 4096;
  void *pointer = bytes > SIZE_MAX - kGap ? nullptr : std::calloc(bytes + kGap, 1);
  std::lock_guard lock(given().mutex);
  if (pointer)
    kind.insert(pointer);
  return pointer;
}
static bool release(void *pointer, std::set<void *> &kind, const char *function, const char *source) {
  if (!pointer)
    return true;
  {
    std::lock_guard lock(given().mutex);
    if (!kind.erase(pointer))
      return complain(function, std::string("the pointer is not one that ") + source + " gave, or was freed before");
  }
  Buffers::process().free(pointer);
  std::free(pointer);
  return true;
}

void *allocateHost(size_t bytes) { return allocate(bytes, given().host); }
bool freeHost(void *pointer) { return release(pointer, given().host, "aclrtFreeHost", "aclrtMallocHost"); }

void *allocateDevice(size_t bytes) {
  endDirectCalls(); // errors wait for the program to ask
  void *pointer = allocate(bytes, given().device);
  Buffers &buffers = Buffers::process();
  if (pointer)
    buffers.add(pointer, bytes, buffers.nextName("device buffer"), /*readOnly=*/false);
  return pointer;
}

bool freeDevice(void *pointer) {
  endDirectCalls();
  return release(pointer, given().device, "aclrtFree", "aclrtMalloc");
}

/// Whether a side of a copy has that many bytes, as far as it is known.
static bool holds(const void *pointer, size_t bytes, const char *function, const char *side) {
  if (!pointer)
    return complain(function, std::string("the ") + side + " is a null pointer");
  const Buffers::Found found = Buffers::process().find(pointer);
  if (found.name.empty() || bytes <= found.bytes)
    return true;
  return complain(function, std::to_string(bytes) + " bytes, but the " + side + ", " + found.name + ", has only " +
                                std::to_string(found.bytes) + " from there on");
}

bool copyBytes(void *to, size_t room, const void *from, size_t bytes) {
  endDirectCalls();
  const size_t n = std::min(room, bytes);
  if (n == 0)
    return true;
  if (!holds(to, n, "aclrtMemcpy", "destination") || !holds(from, n, "aclrtMemcpy", "source"))
    return false;
  std::memmove(to, from, n);
  return true;
}

bool setBytes(void *to, size_t room, int value, size_t bytes) {
  endDirectCalls();
  const size_t n = std::min(room, bytes);
  if (n == 0)
    return true;
  if (!holds(to, n, "aclrtMemset", "destination"))
    return false;
  std::memset(to, value, n);
  return true;
}

} // namespace ptoscope::tile
