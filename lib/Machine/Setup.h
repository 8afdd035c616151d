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
  /// The core whose turn it is has drained its pipes and waits at a barrier.
  virtual void arrive(uint32_t number, SiteId site) = 0;
};

/// The same for all cores of a block.
struct BlockSetup {
  const LaunchOptions *options = nullptr;
  const GmTable *gm = nullptr;
  const SiteTable *sites = nullptr;
  FindingList *findings = nullptr;
  Observer *observer = nullptr; ///< may be null
  BlockOrder *order = nullptr;
  int64_t block = 0;
  Cluster *cluster = nullptr;
  bool mixed = false;     ///< the cluster has all its cores
  bool resident = false;  ///< all blocks of the launch are in the group
  Group *group = nullptr; ///< null: this core runs alone
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SETUP_H
