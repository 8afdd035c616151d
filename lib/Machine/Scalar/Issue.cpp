//===- Issue.cpp - instructions as the scalar unit issues them ------------===//
//
// Each function checks what depends on operands only, numbers the instruction
// in issue order and hands it to the schedule. The scalar unit itself waits in
// these cases: a wait or get on PIPE_S, a PIPE_ALL barrier, the kernel's end,
// and what Sync/OtherCores.cpp adds.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <cstring>

namespace ptoscope {

int32_t Core::transfer(SiteId site, const PtoTransfer &operands) {
  if (step(site))
    return 1;
  if (!pipes.has(operands.pipe) || Pipe(operands.pipe) == Pipe::S)
    return lacksPipe(site, "a transfer on", operands.pipe);
  PlainRows rows;
  if (transfers.plainRows(operands, rows)) {
    if (!pipes.observer && !setup.options->onlooker && pipes.passDirectly(Pipe(operands.pipe), site)) {
      transfers.count(rows);
      if (!transfers.isDataless())
        elision.move(rows);
      // A release of mode 1 may have waited for it.
      if (pipes.queued)
        pipes.pump();
      return report.stopped;
    }
    transfers.planRows(operands, rows);
  } else {
    elision.settle(); // what it finds comes after what the scope before it finds
    if (report.stopped || transfers.plan(site, operands))
      return 1;
  }
  TransferOperation op(transfers, transfers.planned);
  return issue(op, Pipe(operands.pipe), site);
}

int32_t Core::scope(SiteId site, PtoScopeFunction function, const uint64_t *captures, uint32_t n, bool asks) {
  if (step(site))
    return 1;
  if (!pipes.has(Pipe::V))
    return lacksPipe(site, "a vector scope on", uint32_t(Pipe::V));
  if (asks && elision.holds(n) && pipes.passDirectly(Pipe::V, site)) {
    elision.hold(pipes.passing, function, captures, n);
    if (pipes.queued)
      pipes.pump();
    return report.stopped;
  }
  ScopeOperation op(scopes, function, captures, n);
  return issue(op, Pipe::V, site);
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

int32_t Core::issueSort(SiteId site, const SortUnit::Call &call) {
  if (!pipes.has(Pipe::V))
    return lacksPipe(site, "a sort on", uint32_t(Pipe::V));
  DirectOperation op(directs, SortUnit::instruction(call));
  if (call.sort.merges)
    sorts.vms4.writer = {id, Pipe::V, pipes[Pipe::V].issued + 1, site, nullptr, 0};
  return issue(op, Pipe::V, site);
}

int32_t Core::bitSort(SiteId site, uint32_t scoreBytes, uint64_t dst, uint64_t scores, uint64_t indices,
                      int64_t repeat) {
  SortUnit::Call call;
  if (step(site) || !sorts.groups(site, scoreBytes, dst, scores, indices, repeat, call))
    return report.stopped;
  return issueSort(site, call);
}

int32_t Core::mergeSort(SiteId site, uint32_t scoreBytes, uint64_t dst, const std::array<uint64_t, kMergeLists> &lists,
                        uint64_t count, uint64_t config) {
  SortUnit::Call call;
  if (step(site) || !sorts.merge(site, scoreBytes, dst, lists, count, config, call))
    return report.stopped;
  return issueSort(site, call);
}

int32_t Core::vms4Status(SiteId site, uint64_t *result) {
  *result = 0;
  if (step(site))
    return 1;
  const Instr &instr = pipes.passScalar(site);
  if (pipes.observer)
    pipes.observer->statusRead(instr, StatusRegister::Vms4Sr, sorts.vms4.writer);
  *result = sorts.vms4.value;
  return afterAccess();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

int32_t Core::yield(SiteId site, const void *carried, uint64_t n, bool finite) {
  if (step(site))
    return 1;
  scalar.loops.forgetInner(site, setup.sites);
  if (pipes.isRandom() && pipes.queued)
    pipes.randomTurn();
  if (finite) {
    // Such a loop waits for no one, but others may be ready for a long time.
    if (scalar.loops.countFinite())
      pipes.passTurn(false);
    return report.stopped;
  }

  // Scalar loads count as issued instructions of S; only pipes matter here.
  uint64_t issued = 0;
  for (Pipe pipe : kPullOrder)
    issued += pipes[pipe].issued;
  uint64_t others = setup.group ? setup.group->activityOfOthers(*this) : 0;
  if (!scalar.loops.repeats(site, {changes(),
                                   pipes.executed,
                                   issued,
                                   others,
                                   {static_cast<const uint8_t *>(carried), n},
                                   {suIterations, report.depthOf(site)}})) {
    pipes.passTurn(false);
    return report.stopped;
  }
  // Work that a schedule holds back may still change what the loop reads, and
  // so may other cores.
  bool moved = pipes.queued && pipes.runAll();
  if (scalar.loops.excused(site, moved, others)) {
    pipes.passTurn(!moved);
    return report.stopped;
  }
  if (report.stopped)
    return 1;
  if (!scalar.loops.hopeless(site)) {
    pipes.passTurn(true);
    return report.stopped;
  }
  Finding f = report.finding(site, say::kLivelock());
  f.notes = blockNotes();
  report.addIterations(f, site);
  return report.fatal(std::move(f));
}

//===----------------------------------------------------------------------===//
// Scalar loads and stores
//===----------------------------------------------------------------------===//

/// What both begin with: a step, its place on PIPE_S, the checks and the event.
/// False when nothing is to be accessed.
bool Core::beginScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope, bool writes,
                       bool pastCache, ScalarTarget &target) {
  if (inScope ? report.stopped : step(site))
    return false;
  if (!inScope) {
    elision.settle();
    pipes.passSilently(Pipe::S);
  }
  if (!scalar.resolve(site, space, address, bytes, writes, target))
    return false;
  if (!pipes.observer)
    return true;
  LocalAccess access{site,    Space(space), target.object, address, bytes, nullptr, writes ? ScalarStore : ScalarLoad,
                     inScope, pastCache};
  Instr instr = inScope && scopes.isRunning() ? scopes.instr() : pipes.announce(Pipe::S, site);
  instr.scopeIterations = nullptr;
  if (writes)
    pipes.observer->scalarStore(instr, access);
  else
    pipes.observer->scalarLoad(instr, access);
  return true;
}

int32_t Core::loadScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope, uint64_t *result,
                         bool pastCache) {
  *result = 0;
  ScalarTarget target;
  if (!beginScalar(site, space, address, bytes, inScope, false, pastCache, target))
    return report.stopped;
  uint8_t value[8] = {};
  std::memcpy(value + target.skipFront, target.host, target.present);
  if (inScope && Space(space) == Space::Ub)
    scopes.overlay(target.host, bytes, value);
  for (uint32_t i = 0; i < bytes; ++i)
    *result |= uint64_t(value[i]) << (8 * i);
  return inScope ? int32_t(report.stopped) : afterAccess();
}

int32_t Core::storeScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope, uint64_t value,
                          bool pastCache) {
  ScalarTarget target;
  if (!beginScalar(site, space, address, bytes, inScope, true, pastCache, target))
    return report.stopped;
  uint8_t raw[8];
  for (uint32_t i = 0; i < bytes; ++i)
    raw[i] = uint8_t(value >> (8 * i));
  if (inScope && Space(space) == Space::Ub && scopes.delayScalar(target.host, bytes, raw))
    return report.stopped;
  scalar.store(target, raw);
  return inScope ? int32_t(report.stopped) : afterAccess();
}

int32_t Core::invalidateCache(SiteId site, uint64_t address, bool whole) {
  if (step(site))
    return 1;
  const Instr &instr = pipes.passScalar(site);
  const uint64_t line = address & ~(kCacheLineBytes - 1);
  if (pipes.observer)
    pipes.observer->cacheInvalidate(instr, whole ? 0 : line, whole ? UINT64_MAX : line + kCacheLineBytes);
  return afterAccess();
}

} // namespace ptoscope
