//===- LoopChecks.cpp - accesses of a whole loop at once ------------------===//
//
// What the turns of a loop do to the shadows, access by access instead of turn by
// turn: as they touch different bytes, or the same ones in the same order, both
// leave the same state. First everything is looked at, then what is in order is
// recorded.
//
//===----------------------------------------------------------------------===//

#include "BlockChecker.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ptoscope {

/// For less, it is not worth while; and what a carried value derives from by way of
/// another one is complete after two turns.
static constexpr uint64_t kFewestTurns = 2;

template <typename Body> static void forEachBit(uint64_t bits, Body body) {
  for (; bits; bits &= bits - 1)
    body(uint32_t(std::countr_zero(bits)));
}

static LocalAccess accessOf(const LoopAccess &access) {
  return {access.site,
          Space::Ub,
          nullptr,
          access.address,
          access.windowBytes,
          nullptr,
          access.writes ? VectorStore : VectorLoad,
          true};
}

//===----------------------------------------------------------------------===//
// Order inside the scope
//===----------------------------------------------------------------------===//

/// A window of whole lines or halves.
template <bool Stores> bool ScopeShadow::isOrdered(Request &request, uint64_t address, uint32_t bytes) {
  auto isFree = [&](const Cell &cell) {
    return cell.generation != generation || check<Stores>(request, cell, ~0u, {nullptr, 0});
  };
  for (uint64_t at = address, end = address + bytes; at < end;) {
    Cell &line = lines[at / kLineBytes];
    if (line.generation == generation && line.olderLoads == kOpen)
      return false;
    const uint64_t in = at % kLineBytes, cut = inParts(line) ? cutOf(line) : 0;
    if (!isFree(cut ? parts[at / kLineBytes * kLineParts + (in >= cut)] : line))
      return false;
    at += (in < cut ? cut : kLineBytes) - in;
  }
  return true;
}

/// What the value of a store derives from in the first turn: the same in each turn, but for
/// the loads of the turn itself, which come behind the first `outside`. Gives their count.
uint32_t ScopeShadow::stampsOfTurn(const ScopeLoop &loop, size_t number, std::array<uint32_t, 128> &stamps,
                                   uint32_t &outside) const {
  const LoopAccess &from = loop.accesses[number];
  outside = 0;
  if (!from.writes)
    return 0;
  forEachBit(from.stamps, [&](uint32_t i) { stamps[outside++] = loop.stamps[i]; });
  uint32_t count = outside;
  forEachBit(from.loads, [&](uint32_t i) { stamps[count++] = next + i; });
  return count;
}

/// One past the last byte of an access in so many turns.
static uint64_t endOf(const LoopAccess &access, uint64_t turns) {
  return access.address + (turns - 1) * access.stride + access.windowBytes;
}

/// Has this scope touched none of the lines between its first byte and its last one?
bool ScopeShadow::areUntouched(const LoopAccess &access, uint64_t turns) const {
  const Cell *line = &lines[access.address / kLineBytes];
  const Cell *const end = &lines[0] + (endOf(access, turns) + kLineBytes - 1) / kLineBytes;
  while (line != end && line->generation != generation)
    ++line;
  return line == end;
}

/// Is an access of each turn after every turn of loops that are not in the cells yet, or
/// apart from them? No is also said of what the cells have to tell.
bool ScopeShadow::isAfterUnwritten(const ScopeLoop &loop, size_t number, uint64_t turns) {
  const LoopAccess &from = loop.accesses[number];
  const uint64_t begin = from.address / kLineBytes * kLineBytes, end = endOf(from, turns);
  const LocalAccess access = accessOf(from);
  std::array<uint32_t, 128> stamps;
  uint32_t outside, count = stampsOfTurn(loop, number, stamps, outside);
  Request request(access, next, stamps.data(), count);
  // No fence is in the loop: what comes before its first turn comes before all of them.
  return std::all_of(unwritten.begin(), unwritten.begin() + unwrittenCount, [&](const Unwritten &earlier) {
    if (!earlier.touches(begin, end) || (!from.writes && !earlier.access.writes))
      return true;
    const AccessClass prior = earlier.access.writes ? VectorStore : VectorLoad;
    return epoch != 0 && pastOf(request).upTo[indexOf(prior)] > earlier.last();
  });
}

template <bool Stores> uint64_t ScopeShadow::orderedTurns(const ScopeLoop &loop, size_t number, uint64_t turns) {
  const LoopAccess &from = loop.accesses[number];
  if (areUntouched(from, turns))
    return turns;
  const LocalAccess access = accessOf(from);
  std::array<uint32_t, 128> stamps;
  uint32_t outside, count = stampsOfTurn(loop, number, stamps, outside);
  Request request(access, next, stamps.data(), count);
  for (uint64_t turn = 0; turn < turns; ++turn) {
    if (!isOrdered<Stores>(request, from.address + turn * from.stride, from.windowBytes))
      return turn;
    for (uint32_t i = outside; i < count; ++i)
      stamps[i] += uint32_t(loop.accesses.size());
  }
  return turns;
}

uint64_t ScopeShadow::orderedTurns(const ScopeLoop &loop, uint64_t turns) {
  if (exhausted || turns * loop.accesses.size() >= kLastNumber - next)
    return 0;
  settleLoop();
  if (next == 1) // nothing comes before it in its scope
    return turns;
  for (size_t i = 0; i < loop.accesses.size() && unwrittenCount; ++i)
    if (!isAfterUnwritten(loop, i, turns))
      writeLoops();
  for (size_t i = 0; i < loop.accesses.size() && turns; ++i)
    turns = loop.accesses[i].writes ? orderedTurns<true>(loop, i, turns) : orderedTurns<false>(loop, i, turns);
  return turns;
}

template <bool Stores> void ScopeShadow::recordWhole(const Request &request, Cell &cell) {
  if (cell.generation == generation)
    record<Stores>(request, cell, ~0u);
  else if constexpr (Stores)
    cell.setStore(generation, request.number, tagOf(request.access));
  else
    cell.setLoad(generation, request.number, tagOf(request.access));
}

template <bool Stores> void ScopeShadow::recordWindow(const Request &request, uint64_t address, uint32_t bytes) {
  for (uint64_t at = address, end = address + bytes; at < end;) {
    const uint64_t line = at / kLineBytes, stop = std::min(end, (line + 1) * kLineBytes);
    if (stop - at < kLineBytes) {
      if (Cell *part = partAt(at, stop)) {
        recordWhole<Stores>(request, *part);
      } else {
        open(line);
        for (; at < stop; at += kBlockBytes)
          recordWhole<Stores>(request, cells[at / kBlockBytes]);
      }
    } else if (inParts(lines[line])) {
      for (uint32_t i = 0; i < kLineParts; ++i)
        recordWhole<Stores>(request, parts[line * kLineParts + i]);
    } else {
      recordWhole<Stores>(request, lines[line]);
    }
    at = stop;
  }
}

template <bool Stores> void ScopeShadow::writeTurns(const Unwritten &turns) {
  const LocalAccess access = accessOf(turns.access);
  Request request(access, turns.number, nullptr, 0);
  for (uint64_t turn = 0; turn < turns.turns; ++turn) {
    recordWindow<Stores>(request, turns.access.address + turn * turns.access.stride, turns.access.windowBytes);
    request.number += turns.perTurn;
  }
}

void ScopeShadow::writeLoops() {
  for (const Unwritten &turns : std::span(unwritten).first(std::exchange(unwrittenCount, 0)))
    if (turns.access.writes)
      writeTurns<true>(turns);
    else
      writeTurns<false>(turns);
}

/// What noteStored says of each store. Stamps from outside are the same in each turn.
void ScopeShadow::noteStoredTurns(const ScopeLoop &loop, uint64_t turns, uint32_t first) {
  uint64_t loads = 0, storedLoads = 0, outside = 0;
  bool stores = false;
  for (size_t i = 0; i < loop.accesses.size(); ++i) {
    const LoopAccess &access = loop.accesses[i];
    loads |= uint64_t(!access.writes) << i;
    storedLoads |= access.writes ? access.loads : 0;
    outside |= access.writes ? access.stamps : 0;
    stores |= access.writes;
  }
  if (!stores)
    return;
  const auto perTurn = uint32_t(loop.accesses.size());
  std::array<uint32_t, 2 * 64> stamps;
  uint32_t count = 0;
  if (loads == storedLoads) { // every number of the loop, as one run
    forEachBit(outside, [&](uint32_t i) { stamps[count++] = loop.stamps[i]; });
    noteElsewhere(first, stamps.data(), count);
    settle();
    runs.back().end = std::max(runs.back().end, first + uint32_t(turns) * perTurn);
    if (loads)
      latestStored =
          std::max(latestStored, first + uint32_t(turns - 1) * perTurn + uint32_t(std::bit_width(loads)) - 1);
    return;
  }
  // Between numbers that are stored there may be loads that are not.
  lastLoad = first + uint32_t(turns - 1) * perTurn + uint32_t(std::bit_width(loads)) - 1;
  for (uint64_t turn = 0; turn < turns; ++turn)
    for (uint32_t i = 0; i < perTurn; ++i) {
      const LoopAccess &access = loop.accesses[i];
      if (!access.writes)
        continue;
      const uint32_t base = first + uint32_t(turn) * perTurn;
      count = 0;
      if (turn == 0)
        forEachBit(access.stamps, [&](uint32_t k) { stamps[count++] = loop.stamps[k]; });
      forEachBit(access.loads, [&](uint32_t k) { stamps[count++] = base + k; });
      noteStored(base + i, stamps.data(), count);
    }
}

void ScopeShadow::noteLatestLoop() {
  noteStoredTurns({loopAccesses, loopStamps, {}, loopTurns, 0}, loopTurns, loopFirst);
  const auto perTurn = uint32_t(loopAccesses.size());
  for (uint32_t i = 0; i < perTurn; ++i) {
    const LoopAccess &access = loopAccesses[i];
    if (unwrittenCount == kMaxUnwritten)
      writeLoops();
    Unwritten &turns = unwritten[unwrittenCount++];
    turns = {access,
             loopTurns,
             loopFirst + i,
             perTurn,
             access.address / kLineBytes * kLineBytes,
             (endOf(access, loopTurns) + kLineBytes - 1) / kLineBytes * kLineBytes};
    (access.writes ? lastStore : lastLoad) = turns.last();
  }
  loopTurns = 0;
}

void ScopeShadow::settleLines(uint64_t begin, uint64_t end) {
  settleLoop();
  const auto pending = std::span(unwritten).first(unwrittenCount);
  if (std::any_of(pending.begin(), pending.end(), [&](const Unwritten &turns) { return turns.touches(begin, end); }))
    writeLoops();
}

void ScopeShadow::recordTurns(const ScopeLoop &loop, uint64_t turns) {
  const uint32_t first = next, perTurn = uint32_t(loop.accesses.size());
  next += uint32_t(turns) * perTurn;
  loopTurns = turns;
  loopFirst = first;
  loopAccesses.assign(loop.accesses.begin(), loop.accesses.end());
  loopStamps.assign(loop.stamps.begin(), loop.stamps.end());
  uint64_t loads = 0;
  for (size_t i = 0; i < perTurn; ++i)
    loads |= uint64_t(!loop.accesses[i].writes) << i;
  for (LoopValue &value : loop.carried) {
    behindLoop.clear();
    forEachBit(value.stamps, [&](uint32_t i) { behindLoop.push_back(loop.stamps[i]); });
    if (value.loads)
      behindLoop.push_back(mergeLoads({first, perTurn, uint32_t(turns), value.loads == loads, value.loads}));
    value.stamp = merge(behindLoop.data(), uint32_t(behindLoop.size()));
  }
}

//===----------------------------------------------------------------------===//
// All checks
//===----------------------------------------------------------------------===//

uint64_t BlockChecker::scopeLoop(const Instr &instr, const ScopeLoop &loop) {
  if (hasStorages) // each write takes bytes from one
    return 0;
  const Slot slot = begin(instr);
  Memory &target = *scopeMemory;
  uint64_t turns = loop.turns;
  for (const LoopAccess &access : loop.accesses) {
    const Epoch self(slot, instr.ordinal, access.site);
    const auto plainTurns = [&]<bool Writes>() {
      return target.shadow->plainTurns<Writes>(self, order.clock(slot), access.address, access.stride,
                                               access.windowBytes, turns);
    };
    if (scopeShadow)
      turns = access.writes ? plainTurns.template operator()<true>() : plainTurns.template operator()<false>();
    if (checks.init && !access.writes)
      turns = target.defined->definedTurns(access.address, access.stride, access.windowBytes, turns);
    if (turns < kFewestTurns)
      return 0;
  }
  if (scopeShadow)
    turns = scopeShadow->orderedTurns(loop, turns);
  if (turns < kFewestTurns)
    return 0;

  uint64_t bytes = 0;
  for (const LoopAccess &access : loop.accesses) {
    // Windows without gaps are as good as one.
    const bool together = access.stride == access.windowBytes;
    const uint64_t pieces = together ? 1 : turns, piece = together ? turns * access.stride : access.windowBytes;
    bytes += pieces * piece;
    for (uint64_t i = 0, at = access.address; i < pieces; ++i, at += access.stride) {
      const Epoch self(slot, instr.ordinal, access.site);
      if (scopeShadow && access.writes)
        target.shadow->recordPlain<true>(self, order.clock(slot), at, piece, conflicts);
      else if (scopeShadow)
        target.shadow->recordPlain<false>(self, order.clock(slot), at, piece, conflicts);
      if (!conflicts.empty()) [[unlikely]]
        reportLocal(instr, slot, access.site, Space::Ub, access.writes);
      if (checks.init && access.writes)
        target.defined->define(at, piece);
    }
  }
  totals.accesses += turns * loop.accesses.size();
  totals.bytes += bytes;
  if (!scopeShadow)
    return turns;
  if (instr.scopeIterations)
    reporter.scopeLogs[instr.core.index].noteLoop(instr.ordinal, scopeShadow->latest() + 1, loop, turns,
                                                  instr.scopeIterations);
  scopeShadow->recordTurns(loop, turns);
  return turns;
}

} // namespace ptoscope
