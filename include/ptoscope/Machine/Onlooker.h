//===- Onlooker.h - values of a run, as they come about ---------*- C++ -*-===//
//
// Sees what instructions have done, right after they took effect, whatever the
// schedule; and changes nothing. Calls come from all threads that run blocks.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_ONLOOKER_H
#define PTOSCOPE_MACHINE_ONLOOKER_H

#include "ptoscope/Machine/Direct.h"

namespace ptoscope {

/// One side of a transfer. The host's address of a byte is `zero` plus its own.
struct SeenSide {
  Space space;
  Box box;
  uintptr_t zero;
  const GmObject *object; ///< for Space::Gm
};

class Onlooker {
public:
  virtual ~Onlooker() = default;
  virtual void direct(const PtoContext *core, SiteId site, const DirectInstruction &instruction) = 0;
  virtual void transfer(const PtoContext *core, SiteId site, const SeenSide &src, const SeenSide &dst) = 0;
  /// The running scope stores to UB; code tells of that where accesses are tracked.
  virtual void store(const PtoContext *core, SiteId site, uint32_t address, uint32_t bytes, const uint64_t *active) = 0;
  /// The scope has ended: all it stored is there.
  virtual void scope(const PtoContext *core, SiteId site) = 0;
  /// The program has come to a value that was asked for by this number.
  virtual void value(const PtoContext *core, uint32_t number, const void *bytes) = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_ONLOOKER_H
