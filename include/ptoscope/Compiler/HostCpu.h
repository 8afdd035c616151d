//===- HostCpu.h - what the host can execute --------------------*- C++ -*-===//
//
// LLVM derives features from the CPU's name and re-enables ones that the kernel
// or hypervisor masks. Generated code may only use what the host reports, so
// everything else is switched off by name.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_COMPILER_HOSTCPU_H
#define PTOSCOPE_COMPILER_HOSTCPU_H

#include <string>

namespace ptoscope {

struct HostCpu {
  std::string triple;
  std::string name;
  std::string features;     ///< "+a,-b,…" as LLVM takes it
  bool wideVectors = false; ///< 64-byte registers
};

HostCpu hostCpu();

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_HOSTCPU_H
