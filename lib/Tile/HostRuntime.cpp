//===- HostRuntime.cpp - device memory of test programs -------------------===//
//
// ACL-2 to ACL-4. Each of these is a point where kernels that were called
// directly have ended.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "HostProfile.h"
#include "HostThreads.h"
#include "pto/common/cpu_stub.hpp"
#include "ptoscope/launch_syntax.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ptoscope::tile {

/// REPORT-13: programs of the host profile take another number for a fault of the runtime.
bool synchronize() {
  const bool direct = finishDirectCalls(), launches = launchesWereFine(), syntax = !syntax::takeError();
  return (direct && launches && syntax) || isHostProgram();
}

void *allocateHost(size_t bytes) { return std::calloc(std::max<size_t>(bytes, 1), 1); }
void freeHost(void *pointer) { std::free(pointer); }

void *allocateDevice(size_t bytes) {
  finishDirectCalls(); // errors wait for the program to ask
  void *pointer = allocateHost(bytes);
  Buffers &buffers = Buffers::process();
  if (pointer)
    buffers.add(pointer, bytes, buffers.nextName("device buffer"), /*readOnly=*/false);
  return pointer;
}

void freeDevice(void *pointer) {
  finishDirectCalls();
  Buffers::process().remove(pointer);
  std::free(pointer);
}

void copyBytes(void *to, size_t room, const void *from, size_t bytes) {
  finishDirectCalls();
  if (size_t n = std::min(room, bytes))
    std::memcpy(to, from, n);
}

void setBytes(void *to, size_t room, int value, size_t bytes) {
  finishDirectCalls();
  if (size_t n = std::min(room, bytes))
    std::memset(to, value, n);
}

} // namespace ptoscope::tile
