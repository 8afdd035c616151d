//===- Setup.h - what a block gives its cores -------------------*- C++ -*-===//
//
// Settings of a block, and the cores that run beside one, as the parts of a core
// see them. All of it is constant while the block runs.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SETUP_H
#define PTOSCOPE_LIB_MACHINE_SETUP_H

#include "ptoscope/Machine/Launch.h"

namespace ptoscope {

class Core;
struct Cluster;

/// What blocks do in their order, whichever runs first.
class BlockOrder {
public:
  virtual ~BlockOrder() = default;
  /// Waits until all lower blocks have finished.
  virtual void waitForLowerBlocks(int64_t block) = 0;
  /// Prints after all that lower blocks print.
  virtual void print(int64_t block, std::string_view text) = 0;
};
/// To where the options say.
void printText(const LaunchOptions &options, std::string_view text);

/// How a scalar unit gives up its turn.
enum class TurnEnd : uint8_t {
  Ready,    ///< it could go on
  Aside,    ///< it could go on, but other blocks go first
  Spinning, ///< it repeats a loop, and its last turn changed nothing
  Blocked,  ///< it needs another core, and its own pipes cannot move
};

/// The cores that run together, as one of them sees the others.
class Group {
public:
  virtual ~Group() = default;
  virtual void endTurn(TurnEnd end) = 0;
  /// Every core stops at its next chance.
  virtual void stop() = 0;
  /// Rises when a core other than `core` has done something in its turn that
  /// was not a mere repetition.
  virtual uint64_t activityOfOthers(const Core &core) const = 0;

  // All-core barriers, one for each set of participants.
  /// Position of `core` among the cores of `kind`; -1 when it is none.
  virtual int64_t rankOf(const Core &core, uint32_t kind) const = 0;
  virtual int64_t participants(uint32_t kind) const = 0;
  /// The number of the barrier with these participants.
  virtual uint32_t barrierOf(uint32_t kind, int64_t usedCores) = 0;
  /// How often all have passed it.
  virtual uint64_t completed(uint32_t number) const = 0;
  // Flags that all cores of a kind raise together. `slot` is where they are counted at
  // each core.
  /// How often all of them have set it.
  virtual uint64_t rounds(int64_t device, uint32_t kind, int64_t slot) const = 0;
  /// The number that observers know it by, among those of barriers.
  virtual uint32_t channelOf(uint32_t kind, int64_t slot) = 0;
  /// The number of a barrier that counts in global memory.
  virtual uint32_t counterOf(const void *counter, int64_t participants) = 0;
  /// The core whose turn it is has drained its pipes and waits at a barrier.
  virtual void arrive(uint32_t number, SiteId site) = 0;
  /// What observers know a barrier by: those of one device are told apart, see
  /// BlockSetup::channels.
  virtual uint32_t observedAs(uint32_t number) const = 0;
};

/// The same for all cores of a block.
struct BlockSetup {
  const LaunchOptions *options = nullptr;
  const GmTable *gm = nullptr;
  const SiteTable *sites = nullptr;
  FindingList *findings = nullptr;
  Observer *observer = nullptr; ///< may be null
  BlockOrder *order = nullptr;
  int64_t block = 0; ///< in the launch, counted over all devices
  Cluster *cluster = nullptr;
  bool mixed = false;        ///< the block is a cluster, not a core
  uint8_t vectorCores = 2;   ///< of a cluster
  uint32_t scopeRegions = 0; ///< that code counts, at most in a scope; 0: it counts none
  bool resident = false;     ///< all blocks of the launch are in the group
  bool keeps = false;        ///< memories stay what the last block left
  Group *group = nullptr;    ///< null: this core runs alone

  int64_t device() const { return block / options->blocks; }
  int64_t blockOfDevice() const { return block % options->blocks; }
  /// Numbers that observers have for barriers: where signals order blocks, they have the rest.
  uint32_t channels() const { return options->signals ? kFirstSignalChannel : kSyncAllChannels; }
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SETUP_H
