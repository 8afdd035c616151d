//===- Memories.h - the memories that a core sees ---------------*- C++ -*-===//
//
// Where each local memory lies, how large it is, and the buffers of GM. Local
// memories are reserved elsewhere (LocalMemory.h): in a cluster a core sees some
// that belong to another one.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_MEMORY_MEMORIES_H
#define PTOSCOPE_LIB_MACHINE_MEMORY_MEMORIES_H

#include "Report.h"
#include "ptoscope/Machine/Direct.h"

namespace ptoscope {

class Memories {
public:
  Memories() = default;
  /// `bases` are those of the core's context, by Space.
  Memories(uint8_t *const *bases, const Profile &profile, const GmTable &gm)
      : bytes(profile.bytes), bases(bases), gm(&gm) {}

  uint8_t *base(Space space) const { return bases[size_t(space)]; }
  uint32_t bytesOf(Space space) const { return bytes[size_t(space)]; }
  /// See endOf in Types.h.
  uint64_t endOf(Space space, uint64_t address) const { return ptoscope::endOf(space, bytesOf(space), address); }
  /// GM, or a local memory that is there.
  bool has(uint32_t space) const { return space == uint32_t(Space::Gm) || (space < kSpaceSlots && bases[space]); }
  /// The buffer that holds the address; null without one.
  const GmObject *find(uint64_t address) const { return gm->find(address); }
  /// No object, or that of everything that no one registered.
  bool isUnregistered(uint64_t address) const {
    const GmObject *object = gm->find(address);
    return !object || gm->isOther(object);
  }
  const GmObject *nearest(uint64_t address) const { return gm->nearest(address); }

  /// The UB of a core of the cluster, for instructions that write another one's; null:
  /// the own one.
  std::array<uint8_t *, kCoresPerBlock> ubOf{};
  /// What `self` reaches as the UB of a vector core: a cube core of a cluster writes
  /// that of either (CHIP-4, FIX-28), any other core its own.
  UbTarget targetUb(CoreKind kind, CoreId self, unsigned subblock) const {
    if (kind != CoreKind::AIC)
      return {base(Space::Ub), self};
    CoreId owner{uint8_t(1 + subblock)};
    uint8_t *other = ubOf[owner.index];
    return {other ? other : base(Space::Ub), owner};
  }

  /// Bounds, alignment and permission of an operand. False: the instruction is
  /// suppressed, and that was reported.
  bool admits(const DirectHull &hull, SiteId site, Report &report) const {
    if ((hull.begin & (hull.alignment - 1)) != 0 && report.checks.memory) [[unlikely]]
      return refuse(hull, site, report);
    bool fine;
    if (hull.space == Space::Gm) {
      const GmObject *object = find(hull.begin);
      fine = object && hull.end - object->base <= object->bytes && hull.end >= hull.begin &&
             !(hull.writes && object->readOnly);
    } else {
      fine = hull.end <= endOf(hull.space, hull.begin) && hull.begin <= hull.end;
    }
    return fine || refuse(hull, site, report);
  }

private:
  bool refuse(const DirectHull &hull, SiteId site, Report &report) const;
  void refuseGm(const DirectHull &hull, SiteId site, Report &report) const;

  std::array<uint32_t, kSpaceSlots> bytes{}; ///< the profile's
  uint8_t *const *bases = nullptr;
  const GmTable *gm = nullptr;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_MEMORY_MEMORIES_H
