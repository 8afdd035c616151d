//===- CoreGroup.h - cores that run together on one host thread -*- C++ -*-===//
//
// Runs the scalar units of several cores, each on a fiber: the three cores of a
// mixed block, or all cores of a launch whose blocks have to be resident
// together. A core runs until it has to wait for another one; then the next one
// gets its turn, in a fixed order, or in a random one under random schedules.
// When every core that has not ended has tried and none could move since, that
// is a deadlock.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_GROUP_COREGROUP_H
#define PTOSCOPE_LIB_MACHINE_GROUP_COREGROUP_H

#include "Core.h"
#include "Group/Fiber.h"

namespace ptoscope {

class CoreGroup final : public Group {
public:
  struct Member {
    Core *core;
    PtoSuFunction program;
  };

  /// Runs every member to its end; members of one block stand together, blocks
  /// in order. False when the host refuses the stacks.
  bool run(const std::vector<Member> &members, const uint64_t *arguments, Schedule schedule, uint64_t block);

  // Called on the fiber of the core whose turn it is.
  void endTurn(TurnEnd end) override;
  uint64_t activityOfOthers(const Core &core) const override;
  void stop() override;
  /// The cores, ended ones too.
  size_t size() const { return places.size(); }
  const Core &core(size_t i) const { return *places[i].core; }
  bool ended(size_t i) const { return places[i].ended; }

  // All-core barriers.
  int64_t rankOf(const Core &core, uint32_t kind) const override;
  int64_t participants(uint32_t kind) const override;
  uint32_t barrierOf(uint32_t kind, int64_t usedCores) override;
  uint64_t completed(uint32_t number) const override { return barriers[number].completed; }
  void arrive(uint32_t number, SiteId site) override;
  uint64_t rounds(int64_t device, uint32_t kind, int64_t slot) const override;
  uint32_t channelOf(uint32_t kind, int64_t slot) override;
  uint32_t counterOf(const void *counter, int64_t participants) override;
  uint32_t observedAs(uint32_t number) const override;
  /// Is member `i` a core of that kind?
  bool isOf(size_t i, uint32_t kind) const;
  /// True when member `i` has to arrive before the open barrier completes.
  bool missing(size_t i, uint32_t number) const;

private:
  struct AllCores {
    int64_t device = 0;            ///< whose cores
    uint32_t kind = 0;             ///< PtoSyncCores
    int64_t usedCores = 0;         ///< 0: all of that kind
    int64_t slot = -1;             ///< of a flag that all of that kind raise; -1: a barrier
    const void *counter = nullptr; ///< of a barrier in global memory
    uint64_t completed = 0;        ///< how often all have passed
    SiteId site = kNoSite;         ///< where the first core of the open one arrived
    std::vector<uint8_t> arrived;  ///< by member; empty when none is open
  };
  struct Place {
    Core *core = nullptr;
    PtoSuFunction program = nullptr;
    std::unique_ptr<Fiber> fiber;
    TurnEnd last = TurnEnd::Ready;
    bool ended = false;
    uint64_t triedAt = 0; ///< effects of the group when its last turn ended
    uint64_t activity = 0;
  };

  static void enter(void *group);
  bool mayMove(const Place &place) const;
  /// Gives a core its turn; true when it had an effect that others can see.
  bool turn(Place &place);
  bool sweepBlock(size_t begin, size_t end);
  bool sweepRandomly();
  /// Stuck.cpp's part of a group: says why nothing moves and stops it.
  void deadlock();

  std::vector<Place> places;
  std::vector<std::unique_ptr<Fiber>> spare; ///< stacks of earlier runs
  Place *current = nullptr;
  const uint64_t *arguments = nullptr;
  size_t left = 0;      ///< cores that have not ended
  uint64_t effects = 0; ///< rises with everything other cores can see
  uint64_t activity = 0;
  std::vector<size_t> order;
  Random random;
  /// The number of a barrier of the device whose turn it is.
  uint32_t numberOf(AllCores wanted);
  std::vector<AllCores> barriers;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_GROUP_COREGROUP_H
