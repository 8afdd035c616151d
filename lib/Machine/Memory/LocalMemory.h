//===- LocalMemory.h - guarded on-chip memories -----------------*- C++ -*-===//
//
// Every local space sits at the start of a 4 GiB reservation without access
// rights beyond its size. Any 32-bit offset plus any window stays inside it, so
// a stray access of generated code traps instead of touching host memory. The
// fault handler records the access, opens the page and returns; the Machine
// reports afterwards and closes the page again.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_MEMORY_LOCALMEMORY_H
#define PTOSCOPE_LIB_MACHINE_MEMORY_LOCALMEMORY_H

#include "Memory/WatchedPages.h"
#include "ptoscope/Machine/Types.h"

#include <csignal>

namespace ptoscope {

/// The first stray access since the record was cleared.
struct LocalFault {
  Space space = Space::None;
  uint64_t address = 0; ///< offset in the space
  uint64_t pc = 0;
};

class LocalMemories {
public:
  LocalMemories() = default;
  ~LocalMemories();
  LocalMemories(const LocalMemories &) = delete;
  LocalMemories &operator=(const LocalMemories &) = delete;

  /// Reserves those spaces of `profile` in `wanted` (a bit per Space) that are
  /// not there yet. False when the host refuses the address space.
  bool reserve(const Profile &profile, uint16_t wanted = 0xffff);
  /// Back to zeros for the next block. The first blocks give their pages back; from then on pages that
  /// blocks touch time and again are kept. False when the host refuses memory.
  bool clear();

  uint8_t *base(Space space) const { return spaces[size_t(space)].base; }

  bool faulted() const { return faultPending != 0; }
  const LocalFault &fault() const { return firstFault; }
  /// Closes the pages the handler opened and forgets the fault.
  void closeFaultedPages();

private:
  struct Guarded {
    uint8_t *base = nullptr;
    uint64_t openBytes = 0;               ///< readable and writable, whole pages
    uint64_t strayLow = 0, strayHigh = 0; ///< pages opened by the handler
    WatchedPages *watched = nullptr;      ///< null: all pages are open
  };
  /// Blocks before pages are watched: programs of few blocks take no fault (a native debugger would stop at each).
  static constexpr uint32_t kUnwatchedBlocks = 16;
  /// Blocks after which is watched anew: what only some of them touch is not zeroed forever.
  static constexpr uint32_t kWatchedBlocks = 1024;

  bool clear(Guarded &space);

  std::array<Guarded, kSpaceSlots> spaces{};
  const Profile *profile = nullptr;
  LocalFault firstFault;
  volatile sig_atomic_t faultPending = 0;
  uint32_t faultCount = 0;
  uint32_t clears = 0;

  friend struct FaultHandler;
};

/// Puts the handler in place, on top of whatever is there; cheap when it is.
void installFaultHandler();

/// Lets the signals of faults reach this thread for its lifetime. Some programs block all signals in the threads
/// that they make; a fault would end the process there.
class FaultsUnblocked {
public:
  FaultsUnblocked();
  ~FaultsUnblocked();
  FaultsUnblocked(const FaultsUnblocked &) = delete;
  FaultsUnblocked &operator=(const FaultsUnblocked &) = delete;

private:
  sigset_t before;
  bool changed;
};

/// Makes the memories the ones whose faults this thread handles, for its
/// lifetime. The handler has to be installed.
class FaultScope {
public:
  explicit FaultScope(LocalMemories &memories);
  ~FaultScope();
  FaultScope(const FaultScope &) = delete;
  FaultScope &operator=(const FaultScope &) = delete;

private:
  LocalMemories *previous;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_MEMORY_LOCALMEMORY_H
