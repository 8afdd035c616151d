//===- Launch.h - run a kernel on the machine -------------------*- C++ -*-===//
//
// A kernel is a set of programs, one per kind of core. launch() runs its
// blocks, on several host threads if asked, with results and reports that do
// not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_LAUNCH_H
#define PTOSCOPE_MACHINE_LAUNCH_H

#include "ptoscope/Machine/CountedSlips.h"
#include "ptoscope/Machine/Gm.h"
#include "ptoscope/Machine/Observer.h"
#include "ptoscope/Machine/Runtime.h"
#include "ptoscope/Machine/Sites.h"
#include "ptoscope/Machine/Types.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace ptoscope {

namespace timing {
class ScopeSchedules; // ptoscope/Timing/Scopes.h
}

/// With both programs a block is a cluster: one cube core and one or two vector
/// cores. With one of them it is a single core of that kind.
struct KernelImage {
  PtoSuFunction aiv = nullptr; ///< what vector cores run
  PtoSuFunction aic = nullptr; ///< what cube cores run
  const SiteTable *sites = nullptr;
  std::string name;
  /// The kernel has an all-core barrier: its blocks have to run at the same time.
  bool needsAllBlocks = false;
  /// Vector cores of a cluster.
  uint8_t vectorCores = 2;
  /// `aiv` runs on cores that have all pipes and memories; there is no `aic`.
  bool unified = false;
  /// What timing knows of the scopes; null where nothing is timed.
  const timing::ScopeSchedules *scopes = nullptr;
  /// Regions that the scope with most of them has.
  uint32_t mostScopeRegions = 0;
};

class Onlooker; // Onlooker.h

/// Cores that have run, with their memories and stacks, for the next launch of the same kernel:
/// then a launch costs little more than its kernel. Profile and checks of these launches have to be
/// the same. Several launches may use it at once.
class KeptCores {
public:
  KeptCores();
  ~KeptCores();
  KeptCores(const KeptCores &) = delete;

  struct Set; ///< of one host thread
  std::unique_ptr<Set> take();
  void keep(std::unique_ptr<Set> set);

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<Set>> idle;
};

enum class ScheduleKind : uint8_t { Eager, Lazy, Random };
struct Schedule {
  ScheduleKind kind = ScheduleKind::Eager;
  uint64_t seed = 0;
};

/// Which checks are on.
struct Checks {
  bool race = true;
  bool memory = true;
  bool init = true;
  bool sync = true;
  bool any() const { return race || memory || init || sync; }
  static Checks none() { return {false, false, false, false}; }
  bool operator==(const Checks &) const = default;
};

struct LaunchOptions {
  const Profile *profile = nullptr;
  int64_t blocks = 1; ///< of each device
  /// Devices that run the kernel together; more than one needs KernelImage::needsAllBlocks. Block
  /// b of device d is number d * blocks + b of the launch.
  int64_t devices = 1;
  /// Blocks may meet by signals.
  bool signals = false;
  Checks checks;
  Schedule schedule;
  unsigned threads = 1;
  /// Instructions and turns of loops, those inside vector scopes too, that the
  /// cores of a block may take together; 0 = no limit.
  uint64_t maxSteps = 0;
  size_t maxFindings = 20;
  /// A list that is full ends the run; else what would be new is only counted.
  bool endsWhenFull = true;
  /// Set by a signal handler: every block stops and says where it stands.
  const std::atomic<bool> *interrupt = nullptr;
  /// Steps of all blocks so far, brought up to date now and then; may be null.
  std::atomic<uint64_t> *stepsTaken = nullptr;
  /// Nothing is moved or computed, and GM has no memory behind it: what timing needs of
  /// kernels whose way does not depend on data. Checks must be off.
  bool dataless = false;
  /// Transfers may leave the bytes where they are, where no one can tell.
  bool elideCopies = true;
  /// Bytes of the host's last cache; 0: what the host says. Results that are written in order to an object too large
  /// for it go past the caches.
  uint64_t cacheBytes = 0;
  /// Where blocks that need not be resident together get their cores; null: made for this launch.
  KeptCores *kept = nullptr;
  /// May be null: no one observes.
  ObserverFactory *observers = nullptr;
  /// May be null: no one wants to see values.
  Onlooker *onlooker = nullptr;
  /// Called in block order with the number of blocks done; may be null.
  std::function<void(int64_t done)> progress;
  /// Gets what programs print, in block order; the standard output where it is null.
  std::function<void(std::string_view text)> print;
};

/// Totals over all blocks, for the line that says what was run.
struct LaunchStats {
  uint64_t instructions = 0; ///< executed by pipes
  uint64_t steps = 0;        ///< as maxSteps counts them
  uint64_t transfers = 0;
  uint64_t transferBytes = 0;
  uint64_t scopes = 0;
  uint64_t vectorAccesses = 0; ///< counted only when checks are on
  uint64_t flags = 0;          ///< sets and waits
  int64_t blocksDone = 0;
};

struct LaunchResult {
  FindingList findings;
  LaunchStats stats;
  bool completed = false; ///< every block ran to its end
  /// What may be why flags are out of balance on the first core that has something to report.
  std::vector<CountedSlip> slips = {};
};

/// `arguments` are the raw 8-byte kernel arguments (GM pointers as device
/// addresses). Buffers named by `gm` are read and written in place.
LaunchResult launch(const KernelImage &kernel, const GmTable &gm, const std::vector<uint64_t> &arguments,
                    const LaunchOptions &options);

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_LAUNCH_H
