//===- cpu_sim_abi.hpp - host threads as cores, in the library --*- C++ -*-===//

#ifndef PTO_DETAIL_CPU_SIM_ABI_HPP
#define PTO_DETAIL_CPU_SIM_ABI_HPP

#include "pto/detail/abi.hpp"

namespace ptoscope::tile {

/// Which core the calling thread is, for kernels that it calls directly.
struct Identity {
  uint32_t block = 0, subblock = 0, subblocks = 1;
  uint64_t cookie = 0;
};
PTO_API Identity identityOfThread();
PTO_API void setIdentityOfThread(const Identity &identity);

/// PTO_CPU_SIM_NUM_CORES of the environment, else 4.
PTO_API uint32_t configuredCores();
/// Calls `invoke(kernel)` on blocks x subblocks cores and prints what was found. What
/// the first of them throws is thrown again.
PTO_API void launchCores(uint32_t blocks, uint32_t subblocks, void (*invoke)(void *), void *kernel);

/// The on-chip memories of the calling thread.
PTO_API uint8_t *memoryOfThread(uint8_t location);
PTO_API uint8_t *registersOfThread();
PTO_API bool isInMemoryOfThread(uint64_t address);
PTO_API void clearMemoriesOfThread();
/// Its target, by number of pto::NPUArch; -1: no one has said it.
PTO_API int targetOfThread();
PTO_API int targetOfThreads();
PTO_API void setTargetOfThread(int target);
PTO_API void setTargetOfThreads(int target);

/// Of the target that kernels run on.
PTO_API uint32_t cubeCores();

/// Nanoseconds since some beginning.
PTO_API uint64_t hostTime();

} // namespace ptoscope::tile

#endif // PTO_DETAIL_CPU_SIM_ABI_HPP
