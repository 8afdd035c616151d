//===- TextRules.h - where text means something else than C++ ---*- C++ -*-===//
//
// Most differences are in the operands: which part of a view is moved, what a pad
// value is, how wide a scalar is. A call of text is changed into one that means the
// same in C++ before it is issued. What is left are meanings that look at
// Operands::rules.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_TEXTRULES_H
#define PTOSCOPE_LIB_TILE_TEXTRULES_H

#include "Issuer.h"

namespace ptoscope::tile {

/// A call that is being changed, and who hears about it: a core, or before a run
/// `found`, which gets an error.
struct Adapting {
  PtoContext *core;
  SiteId site;
  Call &call;
  Fact *found = nullptr;

  /// A warning; false: stop.
  bool warn(const Fact &fact) const { return found || reportAt(core, site, fact, /*fatal=*/false) == 0; }
  /// An error: the instruction does nothing.
  bool refuse(const Fact &fact) const {
    if (found)
      *found = fact;
    else
      reportAt(core, site, fact, /*fatal=*/false);
    return false;
  }
};

/// False: there is nothing to issue, which was reported.
using AdaptFunction = bool (*)(const Adapting &);
/// By position of the record; null where text and C++ agree.
extern const AdaptFunction *const kAdaptFunctions;

/// IRLOAD-2: the layout that maps a view, for a tile in UB.
Layout layoutInVec(const TileRef &tile);

/// TATTR-2: a tile of 4-bit pairs as one of bytes, where the instruction moves it from or
/// to a view of pairs.
void countPairs(const Record &record, Operands &ops);

/// IREW-8: whether the call divides integers, and the finding when it takes effect.
bool dividesIntegers(const Call &call);
Fact divisionProblem(const void *call);

/// Why an instruction cannot have these elements, memories or conversions; no code
/// where it can. The C++ API refuses them at compile time.
Fact operandProblem(const Call &call);
/// IRSTORE-6: what a word of quantisation may not have.
Fact wordProblem(const Operands &ops);
/// The same for valid extents, which are known.
Fact extentProblem(const Call &call);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_TEXTRULES_H
