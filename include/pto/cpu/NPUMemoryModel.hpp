//===- NPUMemoryModel.hpp - the on-chip memories of a thread ----*- C++ -*-===//
//
// SURF-49 to SURF-51. The object has no state: every thread has its memories in the
// library.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_CPU_NPUMEMORYMODEL_HPP
#define PTO_CPU_NPUMEMORYMODEL_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/detail/cpu_sim_abi.hpp"
#include "pto/detail/kinds.hpp"

namespace pto {

enum class NPUArch { A2A3, A5 };

class NPUMemoryModel {
public:
  static NPUMemoryModel &Instance() {
    static NPUMemoryModel model;
    return model;
  }
  /// Of threads that come later and do not say theirs.
  static void SetDefaultArch(NPUArch arch) { ptoscope::tile::setTargetOfThreads(int(arch)); }

  /// Contents stay.
  void Initialize(NPUArch arch = NPUArch::A2A3) { ptoscope::tile::setTargetOfThread(int(arch)); }
  void EnsureInitialized() {
    if (!IsInitialized())
      Initialize(GetArch());
  }
  void Clear() { ptoscope::tile::clearMemoriesOfThread(); }
  void Reset() {
    Clear();
    ptoscope::tile::setTargetOfThread(-1);
  }
  /// What was said, else what simulators say before (SURF-49).
  NPUArch GetArch() const {
    const int own = ptoscope::tile::targetOfThread(), all = ptoscope::tile::targetOfThreads();
    return own >= 0 ? NPUArch(own) : all >= 0 ? NPUArch(all) : NPUArch::A2A3;
  }
  bool IsInitialized() const { return ptoscope::tile::targetOfThread() >= 0; }
  bool ContainsAddress(uintptr_t address) const { return ptoscope::tile::isInMemoryOfThread(address); }

  char *GetUBBase() const { return base(ptoscope::tile::TileType::Vec); }
  char *GetL1Base() const { return base(ptoscope::tile::TileType::Mat); }
  char *GetL0ABase() const { return base(ptoscope::tile::TileType::Left); }
  char *GetL0BBase() const { return base(ptoscope::tile::TileType::Right); }
  char *GetL0CBase() const { return base(ptoscope::tile::TileType::Acc); }
  char *GetREGBase() const { return reinterpret_cast<char *>(ptoscope::tile::registersOfThread()); }

private:
  static char *base(ptoscope::tile::TileType location) {
    return reinterpret_cast<char *>(ptoscope::tile::memoryOfThread(uint8_t(location)));
  }
};

/// Makes a target that of the thread, and of later threads.
inline void NPU_MEMORY_INIT(NPUArch arch = NPUArch::A2A3) {
  NPUMemoryModel::SetDefaultArch(arch);
  NPUMemoryModel::Instance().Initialize(arch);
}
inline void NPU_MEMORY_CLEAR() { NPUMemoryModel::Instance().Clear(); }

} // namespace pto

#include "pto/detail/letters_end.inc"

#endif // PTO_CPU_NPUMEMORYMODEL_HPP
