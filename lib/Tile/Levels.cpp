//===- Levels.cpp - which compilation of the meanings this host takes -----===//
//
// The same source compiled for the plainest host of the architecture and for
// better ones gives the same bits; the best that the host has is taken.
//
//===----------------------------------------------------------------------===//

#include "Kernels/Kernels.h"
#include "ptoscope/Support/HostLevel.h"

namespace ptoscope::tile {

namespace base {
extern const Kernels kKernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const Kernels kKernels;
}
namespace v4 {
extern const Kernels kKernels;
}
#endif
#if defined(__x86_64__) || defined(__aarch64__)
namespace fp16 {
extern const Kernels kKernels;
}
#endif

const KernelLevels &hostLevels() {
  static const KernelLevels levels = [] {
    KernelLevels result = {{&base::kKernels}, 1};
#if defined(__x86_64__)
    if (hostLevel() >= HostLevel::V3)
      result.level[result.count++] = &v3::kKernels;
    if (hostLevel() >= HostLevel::V4)
      result.level[result.count++] = &v4::kKernels;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    if (hostLevel() >= HostLevel::Fp16)
      result.level[result.count++] = &fp16::kKernels;
#endif
    return result;
  }();
  return levels;
}

const Kernels &hostKernels() {
  const KernelLevels &levels = hostLevels();
  return *levels.level[levels.count - 1];
}

} // namespace ptoscope::tile
