//===- Cores.cpp - instructions on cores of one kind ----------------------===//
//
// MIX-12 to MIX-14. A core with all pipes runs everything. A cube core and a vector
// core run what their pipes do, on their memories; on A5 a cube core also writes UB of
// the vector cores of its cluster, and these write its L1.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "pto/detail/cluster_abi.hpp"
#include "pto/detail/modes.hpp"
#include "ptoscope/Machine/ClusterSentences.h"
#include "ptoscope/Machine/Cores.h"
#include "ptoscope/Support/ProcessMutex.h"

#include <mutex>
#include <sys/mman.h>

namespace ptoscope::tile {

Pipe Issuer::pipeHere(const Call &call) const {
  const Pipe pipe = pipeOf(call);
  // TMOV and TEXTRACT from Vec to Mat: the event table has PIPE_FIX, which vector cores
  // lack. Their store pipe moves the data (MIX-14).
  if (pipe == Pipe::FIX && kind == CoreKind::AIV)
    return call.operands.tiles > 1 && spaceOf(call.operands.tile[1].ref.location) == Space::Ub ? Pipe::MTE3 : pipe;
  return pipe;
}

Fact Issuer::coreProblem(const Call &call, Pipe pipe) const {
  const Operands &ops = call.operands;
  if (!hasPipe(core, pipe))
    return say::kPipeOfOtherCore(pipe, say::coreText(kind), say::otherCoreText(kind), say::otherMacro(kind));
  const bool reachesOthers = inCluster(core) && profileOf(core).pipeSemaphores;
  for (size_t i = 0; i < ops.tiles; ++i) {
    const Space space = spaceOf(ops.tile[i].ref.location);
    const Role role = call.record->tile[i].role;
    if (ownsMemory(core, space) || role == Role::Alias)
      continue;
    const bool written = writes(directRole(role)) && role != Role::Scratch;
    const bool path = kind == CoreKind::AIC ? pipe == Pipe::FIX && space == Space::Ub
                                            : pipe == Pipe::MTE3 && space == Space::L1 && call.record->gm == Gm::None;
    if (!reachesOthers || !written || !path)
      return say::kMemoryOfOtherCore(nameOf(call, i), space, say::coreText(kind), say::otherCoreText(kind),
                                     say::otherMacro(kind));
  }
  return {};
}

bool Context::reportAbsent(const Call &call, size_t i, SiteId site) {
  report(site,
         say::kMemoryOfOtherCore(nameOf(call, i), tile::spaceOf(call.operands.tile[i].ref.location),
                                 say::coreText(kind), say::otherCoreText(kind), say::otherMacro(kind)),
         /*fatal=*/true);
  return false;
}

uint8_t *Context::baseOfAbsent(Space space) {
  static std::array<uint8_t *, kSpaceSlots> bases{};
  static ProcessMutex mutex;
  std::lock_guard lock(mutex);
  uint8_t *&base = bases[size_t(space)];
  if (!base) {
    // Nothing is ever read or written there: a use is a finding before.
    void *place = mmap(nullptr, kReach, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    base = place == MAP_FAILED ? nullptr : static_cast<uint8_t *>(place);
  }
  return base;
}

bool Context::absentAddressOf(Space space, const void *data, uint64_t &address) const {
  if (base(space))
    return false;
  address = uint64_t(static_cast<const uint8_t *>(data) - baseOfAbsent(space));
  return address < kReach;
}

int32_t Issuer::issueToVectors(Call &call, SiteState &site, SiteState &second, unsigned subblock) {
  const bool fromAcc = call.operands.tile[1].ref.location == uint8_t(TileType::Acc);
  MoveMode mode = MoveMode::unpack(call.operands.mode);
  const bool rows = mode.part == Part::FirstRows, halves = fromAcc && (rows || mode.part == Part::FirstCols);
  if ((halves || subblock != 0) && inCluster(core) && vectorCoresOf(core) < 2)
    return reportAt(core, site.id, say::kNoSecondVector(), /*fatal=*/true);
  const Call original = call;
  const auto issueTo = [&](unsigned target, SiteState &state) {
    // The same place in the UB of each; whose it is stands in the mode.
    const UbTarget ub = ubOf(core, target);
    call.operands.tile[0].data += ub.base - base(Space::Ub);
    if (fromAcc)
      call.operands.mode |= uint32_t(ub.core.index) << kUbOwnerShift;
    return issue(call, state);
  };
  if (int32_t status = issueTo(subblock, site); status || !halves)
    return status;
  call = original;
  mode.part = rows ? Part::LastRows : Part::LastCols;
  call.operands.mode = mode.pack();
  return issueTo(1, second);
}

void Context::issueToSecond(Call &call) {
  const Record &record = *call.record;
  SiteEntry &site = siteOf(&record, record.name, record.timing, call.source);
  if (!place(call, site.id))
    return;
  if (goesToVectors(call))
    return leave(issueToVectors(call, site, site, 1));
  leave(Issuer::issue(call, site));
}

void issueToSecondVector(Call &call) { Context::here().issueToSecond(call); }

} // namespace ptoscope::tile
