//===- ScalarUnit.h - state of the unit that issues -------------*- C++ -*-===//
//
// Registers, the count of steps, where the program stands, and what its loops
// looked like. Instructions for pipes are issued by the core, which joins the
// scalar unit with the others.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SCALAR_SCALARUNIT_H
#define PTOSCOPE_LIB_MACHINE_SCALAR_SCALARUNIT_H

#include "Memory/Memories.h"
#include "Scalar/LoopWatch.h"

namespace ptoscope {

/// The legacy DMA registers with their reset values (DREG-11).
struct LoopRegisters {
  int64_t count1 = 1, count2 = 1;
  int64_t src1 = 0, dst1 = 0, src2 = 0, dst2 = 0;
  bool staleSize = false; ///< a grouped transfer came after the size was set
};
struct Registers {
  LoopRegisters outToUb, ubToOut, outToL1;
  bool padSetOutToL1 = false; ///< set_pad_val_outtol1 was executed
  int64_t padValueOutToL1 = 0;
  int64_t fftsBase = 0;
  int64_t padValue = 0; ///< raw bits
  int64_t padWidth = 1; ///< bytes of padValue that count
  int64_t ctrl = 0;
  int64_t mask[2] = {-1, -1}; ///< of `ub` instructions
};

/// The bytes that a scalar load or store accesses.
struct ScalarTarget {
  uint8_t *host = nullptr; ///< null: nothing there
  const GmObject *object = nullptr;
  uint32_t skipFront = 0, present = 0; ///< which bytes of the value exist
};

class ScalarUnit {
public:
  ScalarUnit() = default;
  ScalarUnit(Report &report, const Memories &memories) : report(&report), memories(&memories) {}

  SiteId site = kNoSite; ///< where it stands
  uint64_t steps = 0;
  uint64_t pollAt = 1; ///< steps after which the core looks around
  /// Rises with every memory write of the unit and every register change.
  uint64_t changes = 0;
  bool ended = false; ///< the program has returned
  Registers registers;
  LoopWatch loops;

  /// Counts a step; true when it is time to look around.
  bool step(SiteId at) {
    site = at;
    return ++steps >= pollAt;
  }

  // Each returns nonzero to stop.
  int32_t setRegister(SiteId site, uint32_t reg, int64_t a, int64_t b);
  void setCtrl(int64_t value) {
    changes += value != registers.ctrl;
    registers.ctrl = value;
  }
  int32_t fail(SiteId site, uint32_t failure, int64_t value);
  // EventArray.cpp
  int32_t eventArraySet(SiteId site, PtoEventId *array, int64_t n, int64_t index, int64_t id);
  int32_t eventArrayGet(SiteId site, const PtoEventId *array, int64_t n, int64_t index, int64_t *result);

  // ScalarMemory.cpp
  /// False: the access is suppressed (reported, or GM that does not exist).
  bool resolve(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool isStore, ScalarTarget &target);
  void store(const ScalarTarget &target, const uint8_t *value);

private:
  int32_t unpack(SiteId site, uint64_t word, unsigned firstBits, int64_t &first, int64_t &second);
  int32_t badEventIndex(SiteId site, int64_t n, int64_t index);

  Report *report = nullptr;
  const Memories *memories = nullptr;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCALAR_SCALARUNIT_H
