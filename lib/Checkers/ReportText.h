//===- ReportText.h - what the reports share --------------------*- C++ -*-===//

#ifndef PTOSCOPE_CHECKERS_REPORTTEXT_H
#define PTOSCOPE_CHECKERS_REPORTTEXT_H

#include "ptoscope/Machine/Observer.h"

#include <cstdint>
#include <string>

namespace ptoscope {

/// Findings that are counted by their code and places.
enum Code : unsigned {
  RaceRaw,
  RaceWar,
  RaceWaw,
  RaceScope,
  OrderDependent,
  InitRead,
  InitIndex,
  InitScalar,
  InitStoreGm,
  InitClobbered,
  TileClobbered,
  StaleLine,
  Overflow
};
constexpr const char *kCodes[] = {"race-raw",        "race-war",       "race-waw",       "race-scope",
                                  "order-dependent", "init-read",      "init-index",     "init-scalar",
                                  "init-store-gm",   "init-clobbered", "tile-clobbered", "stale-line"};

inline const char *verb(AccessKind kind) {
  return kind == AccessKind::Read ? "reads" : kind == AccessKind::Write ? "writes" : "updates";
}

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_REPORTTEXT_H
