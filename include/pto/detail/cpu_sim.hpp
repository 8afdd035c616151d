//===- cpu_sim.hpp - host threads as cores ----------------------*- C++ -*-===//
//
// Which core a thread is, launches on several cores, and the names of an instruction
// trace, which is never on (SURF-44 to SURF-48).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_CPU_SIM_HPP
#define PTO_DETAIL_CPU_SIM_HPP

#include "pto/detail/cpu_sim_abi.hpp"

#include <iosfwd>
#include <string>
#include <type_traits>
#include <vector>

using aclrtStream = void *;

namespace pto::cpu_sim {

inline void set_execution_context(uint32_t block, uint32_t subblock, uint32_t subblockDim = 1) {
  ptoscope::tile::Identity identity = ptoscope::tile::identityOfThread();
  identity.block = block;
  identity.subblock = subblock;
  identity.subblocks = subblockDim ? subblockDim : 1;
  ptoscope::tile::setIdentityOfThread(identity);
}
inline void reset_execution_context() { ptoscope::tile::setIdentityOfThread({}); }
inline void set_task_cookie(uint64_t cookie) {
  ptoscope::tile::Identity identity = ptoscope::tile::identityOfThread();
  identity.cookie = cookie;
  ptoscope::tile::setIdentityOfThread(identity);
}
inline uint64_t get_task_cookie() { return ptoscope::tile::identityOfThread().cookie; }

class ScopedExecutionContext {
public:
  ScopedExecutionContext(uint32_t block, uint32_t subblock, uint32_t subblockDim = 1) {
    set_execution_context(block, subblock, subblockDim);
  }
  ~ScopedExecutionContext() { ptoscope::tile::setIdentityOfThread(before); }
  ScopedExecutionContext(const ScopedExecutionContext &) = delete;
  ScopedExecutionContext &operator=(const ScopedExecutionContext &) = delete;

private:
  ptoscope::tile::Identity before = ptoscope::tile::identityOfThread();
};

struct KernelLaunchOptions {
  std::string kernel_name{};
  uint32_t requested_cores = 0;
  uint32_t total_work_items = 0;
  uint32_t work_quantum = 1;
  uint32_t subblocks_per_block = 1;
  uint32_t explicit_block_count = 0;
  bool write_trace_files = true;
};

/// Blocks of a launch: few enough that each has work, in whole quanta.
inline uint32_t blocksOf(const KernelLaunchOptions &options) {
  uint32_t blocks = options.explicit_block_count ? options.explicit_block_count : options.requested_cores;
  if (blocks == 0)
    blocks = ptoscope::tile::configuredCores();
  const uint32_t items = options.total_work_items, quantum = options.work_quantum ? options.work_quantum : 1;
  if (items) {
    blocks = blocks < items ? blocks : items;
    while (blocks > 1 && ((items - 1) / blocks + 1) % quantum != 0)
      --blocks;
  }
  return blocks ? blocks : 1;
}

/// Calls `kernel()` once on each core, and returns when all have ended.
template <typename Kernel>
void LaunchKernelMultiCore(const KernelLaunchOptions &options, aclrtStream, Kernel &&kernel) {
  ptoscope::tile::launchCores(
      blocksOf(options), options.subblocks_per_block ? options.subblocks_per_block : 1,
      [](void *f) { (*static_cast<std::remove_reference_t<Kernel> *>(f))(); },
      const_cast<void *>(static_cast<const void *>(__builtin_addressof(kernel))));
}

template <typename... A> void register_hooks(A &&...) {
  static_assert(sizeof...(A) > 999, "register_hooks is not modelled: it joins the state of another simulator, which "
                                    "has none of its own here");
}

// --- instruction trace ---------------------------------------------------------------------

inline constexpr bool kInstructionTraceEnabled = false;
struct TileOperandRecord {
  uintptr_t address = 0;
  std::vector<int64_t> shape;
  std::string layout, dtype;
};
struct ScalarOperandRecord {
  std::string dtype, value;
};
struct InstructionTraceRecord {
  uint32_t block_idx = 0;
  uint64_t sequence_id = 0;
  std::string opcode;
  std::vector<TileOperandRecord> input_tiles;
  std::vector<ScalarOperandRecord> scalar_inputs;
  std::vector<TileOperandRecord> output_tiles;
};
inline void ResetInstructionTrace() {}
inline std::vector<InstructionTraceRecord> CopyInstructionTraceRecords() { return {}; }
inline void DumpInstructionTraceJson(std::ostream &) {}

} // namespace pto::cpu_sim

#endif // PTO_DETAIL_CPU_SIM_HPP
