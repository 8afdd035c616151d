//===- Cluster.h - what the cores of a block share --------------*- C++ -*-===//
//
// The cube core and the two vector cores of a block, and the semaphores between
// them (SEM-1). A block of one core has a cluster too, with the
// other places empty: no one sets its semaphores.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SYNC_CLUSTER_H
#define PTOSCOPE_LIB_MACHINE_SYNC_CLUSTER_H

#include "Sync/Queues.h"
#include "ptoscope/Machine/Cores.h"
#include "ptoscope/Machine/Observer.h"

namespace ptoscope {

class Core;

inline constexpr int64_t kVectorSemaphores = 16; ///< ids of a vector core, and of every core of A2/A3
inline constexpr int64_t kCubeSemaphores = 32;   ///< ids of the cube core on A5
/// On A5 messages are counted apart from semaphores, from here on.
inline constexpr int64_t kKindSemaphores = 32, kSemaphoreSlots = kKindSemaphores + 16;

/// One semaphore, at the core that waits for it. The k-th wait passes once the
/// k-th set of every sender is done: A5 semaphores have one sender, those of
/// the cube core of A2/A3 have both vector cores.
struct Semaphore {
  /// The sets of one core. They take effect in issue order: all of one pipe, or
  /// made by the scalar unit when every pipe is idle.
  struct Sender {
    uint64_t issued = 0, done = 0;
    Pipe pipe = Pipe::All; ///< that makes them; PIPE_ALL until a set names one
    SiteId last = kNoSite;
    Fifo<uint64_t> queued; ///< ordinals on `pipe` of the sets that wait there
  };
  std::array<Sender, kCoresPerBlock> senders;
  /// Of its sets; there is one as soon as a core has set it. With Kind, the own sets of
  /// each core of the kind are counted at that core.
  SignalMode mode = SignalMode::Cluster;
  bool used() const { return senders[0].issued + senders[1].issued + senders[2].issued != 0; }
  uint64_t waitsIssued = 0, waitsDone = 0;
};

/// A semaphore by owner and number.
struct SemaphoreName {
  uint8_t core;
  int64_t id;
};

struct Cluster {
  std::array<Core *, kCoresPerBlock> cores{}; ///< by CoreId::index; null where there is none
  std::array<std::array<Semaphore, size_t(kSemaphoreSlots)>, kCoresPerBlock> semaphores;
  bool touched = false;           ///< some semaphore was used
  std::unique_ptr<Queues> queues; ///< once there is one

  void reset() {
    cores = {};
    if (touched)
      semaphores = {};
    touched = false;
    queues.reset();
  }
  /// Flags that are above 0 when all cores have ended: remarks.
  void reportLeftovers() const;
  /// Vector cores that there are, a bit each.
  uint8_t vectors() const { return uint8_t((cores[1] ? 2 : 0) | (cores[2] ? 4 : 0)); }
  Semaphore &at(SemaphoreName name) { return semaphores[name.core][size_t(name.id)]; }
  const Semaphore &at(SemaphoreName name) const { return semaphores[name.core][size_t(name.id)]; }
};

/// Bit per core whose set of `mode` counts towards the semaphore. With Kind, the core itself: those
/// of other blocks are counted apart.
inline uint8_t sendersOf(const Cluster &cluster, SemaphoreName name, SignalMode mode, bool pipeSemaphores) {
  const uint8_t self = uint8_t(1u << name.core);
  if (mode == SignalMode::Message)
    return name.core != 0 ? 1 : cluster.vectors();
  if (mode != SignalMode::Cluster)
    return mode == SignalMode::Kind || !(cluster.vectors() & self) ? self : cluster.vectors();
  if (name.core != 0)
    return 1;
  if (!pipeSemaphores)
    return cluster.vectors() ? cluster.vectors() : 2 | 4;
  return name.id < kVectorSemaphores ? 2 : 4;
}

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SYNC_CLUSTER_H
