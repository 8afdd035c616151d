//===- Cluster.h - what the cores of a block share --------------*- C++ -*-===//
//
// The cube core and the two vector cores of a block, and the semaphores between
// them (SEM-1). A block of one core has a cluster too, with the
// other places empty: no one sets its semaphores.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SYNC_CLUSTER_H
#define PTOSCOPE_LIB_MACHINE_SYNC_CLUSTER_H

#include "Schedule/Fifo.h"
#include "ptoscope/Machine/Observer.h"

namespace ptoscope {

class Core;

inline constexpr int64_t kVectorSemaphores = 16; ///< ids of a vector core, and of every core of A2/A3
inline constexpr int64_t kCubeSemaphores = 32;   ///< ids of the cube core on A5

/// One semaphore, at the core that waits for it. The k-th wait passes once the
/// k-th set of every sender is done: A5 semaphores have one sender, those of
/// the cube core of A2/A3 have both vector cores.
struct Semaphore {
  /// The sets of one core. They take effect in issue order: all of one pipe, or
  /// made by the scalar unit when every pipe is idle.
  struct Sender {
    uint64_t issued = 0, done = 0;
    Pipe pipe = Pipe::S; ///< that makes them; S until a set names one
    SiteId last = kNoSite;
    Fifo<uint64_t> queued; ///< ordinals on `pipe` of the sets that wait there
  };
  std::array<Sender, kCoresPerBlock> senders;
  uint64_t waitsIssued = 0, waitsDone = 0;
};

/// A semaphore by owner and number.
struct SemaphoreName {
  uint8_t core;
  int64_t id;
};

struct Cluster {
  std::array<Core *, kCoresPerBlock> cores{}; ///< by CoreId::index; null where there is none
  std::array<std::array<Semaphore, size_t(kCubeSemaphores)>, kCoresPerBlock> semaphores;
  bool touched = false; ///< some semaphore was used

  void reset() {
    cores = {};
    if (touched)
      semaphores = {};
    touched = false;
  }
  Semaphore &at(SemaphoreName name) { return semaphores[name.core][size_t(name.id)]; }
  const Semaphore &at(SemaphoreName name) const { return semaphores[name.core][size_t(name.id)]; }
};

/// Bit per core whose set counts towards the semaphore.
inline uint8_t sendersOf(SemaphoreName name, bool pipeSemaphores) {
  if (name.core != 0)
    return 1;
  if (!pipeSemaphores)
    return 2 | 4;
  return name.id < kVectorSemaphores ? 2 : 4;
}

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SYNC_CLUSTER_H
