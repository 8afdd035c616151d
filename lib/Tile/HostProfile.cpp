//===- HostProfile.cpp - programs of the host profile ---------------------===//
//
// REPORT-6 to REPORT-9: such programs find more on-chip memory than the target has,
// and any memory of the host as GM. Whether a call may use it is decided call by call
// (Reported.cpp).
//
//===----------------------------------------------------------------------===//

#include "HostProfile.h"

#include "pto/detail/host_abi.hpp"
#include "ptoscope/Machine/ReportSentences.h"

#include <algorithm>
#include <atomic>

namespace ptoscope::tile {

static std::atomic<bool> programIsHost = false, programIsAutomatic = false;

bool noteHost(bool automatic) {
  programIsHost = true;
  if (automatic)
    programIsAutomatic = true;
  return true;
}

bool isHostProgram() { return programIsHost; }

void widenMemories(Profile &profile, LaunchState &state) {
  if (!programIsHost)
    return;
  state.targetBytes = profile.bytes;
  state.isWidened = true;
  state.takesMore = programIsAutomatic;
  for (size_t i = 0; i < kSpaceSlots; ++i) {
    const auto space = Space(i);
    if (!profile.bytes[i])
      continue;
    // FB has room for its regions only.
    uint32_t least = space == Space::Fb ? uint32_t(kFbRegionStep) : kHostBytes;
    if (programIsAutomatic && space != Space::Fb)
      least = kAutomaticBytes;
    profile.bytes[i] = std::max(profile.bytes[i], least);
  }
}

void admitHostMemory(GmTable &gm) {
  if (programIsHost)
    gm.admitOthers("host memory");
}

void hostOnly(const char *op, const char *why, const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf(op, source).id;
  if (context.isFirst(site))
    context.report(site, say::kHostOnly(why));
}

} // namespace ptoscope::tile
