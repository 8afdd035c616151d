//===- InstructionLog.cpp - loop iterations of recent accesses ------------===//
//
// See InstructionLog.h.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/InstructionLog.h"

#include <algorithm>
#include <span>
#include <utility>

namespace ptoscope {

void InstructionLog::enlarge(Log &log) {
  Log bigger{
      std::vector<Record>(log.ring.empty() ? kFirstSize : log.ring.size() * 4), std::move(log.hulls), {}, log.latest};
  if (!log.deep.empty())
    bigger.deep.resize(bigger.ring.size());
  for (size_t i = 0; i < log.ring.size(); ++i) {
    size_t to = log.ring[i].ordinal & (bigger.ring.size() - 1);
    if (log.ring[i].ordinal != 0)
      bigger.ring[to] = log.ring[i];
    if (log.ring[i].ordinal != 0 && !log.deep.empty())
      bigger.deep[to] = log.deep[i];
  }
  log = std::move(bigger);
}

void InstructionLog::enlargeHulls(Log &log) {
  std::vector<Hulls> bigger(log.ring.size());
  for (const Hulls &hulls : log.hulls)
    if (hulls.ordinal != 0)
      bigger[hulls.ordinal & (bigger.size() - 1)] = hulls;
  log.hulls = std::move(bigger);
}

void InstructionLog::note(Slot slot, const Instr &instr) {
  Log &log = logs[slot];
  if (instr.ordinal >= log.ring.size() && log.ring.size() < kLastSize) [[unlikely]]
    enlarge(log);
  size_t at = instr.ordinal & (log.ring.size() - 1);
  Record &record = log.ring[at];
  if (record.ordinal == instr.ordinal)
    return;
  record.ordinal = instr.ordinal;
  log.latest = std::max(log.latest, instr.ordinal);
  record.issue = ++issued;
  record.depth = instr.iterations ? std::min<uint32_t>(instr.depth, kMaxDepth) : 0;
  for (uint32_t i = 0; i < std::min<uint32_t>(record.depth, kNearDepth); ++i)
    record.iterations[i] = instr.iterations[i];
  if (record.depth <= kNearDepth) [[likely]]
    return;
  log.deep.resize(log.ring.size());
  std::copy(instr.iterations + kNearDepth, instr.iterations + record.depth, log.deep[at].begin());
}

void InstructionLog::reset() {
  issued = 0;
  for (Log &log : logs) {
    // Ordinals count from 1, so that no other places are in use.
    const size_t used = std::min<uint64_t>(std::exchange(log.latest, 0) + 1, log.ring.size());
    for (size_t i = 0; i < used; ++i)
      log.ring[i].ordinal = 0;
    for (size_t i = 0; i < std::min(used, log.hulls.size()); ++i)
      log.hulls[i].ordinal = 0;
  }
}

std::vector<int64_t> InstructionLog::iterations(Slot slot, uint64_t ordinal) const {
  const Record *record = find(slot, ordinal);
  if (!record)
    return {};
  size_t near = std::min<size_t>(record->depth, kNearDepth);
  std::vector<int64_t> result(record->iterations.begin(), record->iterations.begin() + near);
  if (record->depth > near) {
    const Deep &deep = logs[slot].deep[size_t(record - logs[slot].ring.data())];
    result.insert(result.end(), deep.begin(), deep.begin() + (record->depth - near));
  }
  return result;
}

uint64_t InstructionLog::issueNumber(Slot slot, uint64_t ordinal) const {
  const Record *record = find(slot, ordinal);
  return record ? record->issue : 0;
}

const InstructionLog::Record *InstructionLog::find(Slot slot, uint64_t ordinal) const {
  const auto &ring = logs[slot].ring;
  if (ring.empty())
    return nullptr;
  const Record &record = ring[ordinal & (ring.size() - 1)];
  return record.ordinal == ordinal ? &record : nullptr;
}

std::optional<ByteHull> InstructionLog::hull(Slot slot, uint64_t ordinal, bool writes) const {
  const auto &ring = logs[slot].hulls;
  if (ring.empty())
    return std::nullopt;
  const Hulls &hulls = ring[ordinal & (ring.size() - 1)];
  if (hulls.ordinal != ordinal || hulls.of[writes] == ByteHull{})
    return std::nullopt;
  return hulls.of[writes];
}

void ScopeLog::noteLoop(uint64_t ordinal, uint32_t number, const ScopeLoop &loop, uint64_t turns,
                        const int64_t *iterations) {
  if (loops.size() == kMaxLoops)
    forgetLoops();
  loops.push_back(
      {next, ordinal, turns, number, loop.depth, uint32_t(loopAccesses.size()), uint32_t(loop.accesses.size()), {}});
  std::copy_n(iterations, kMaxDepth, loops.back().outer.begin());
  loopAccesses.insert(loopAccesses.end(), loop.accesses.begin(), loop.accesses.end());
  next += turns * loop.accesses.size();
  for (uint64_t i = 0; i <= kAhead; ++i)
    fetchAhead(i);
}

/// Mostly the older ones have left the ring before anyone asked for them.
void ScopeLog::forgetLoops() {
  const uint64_t oldest = next > kSize ? next - kSize : 0;
  const auto kept = std::find_if(loops.begin(), loops.end(), [&](const Loop &loop) {
    return loop.position + loop.turns * loop.accessCount > oldest;
  });
  if (kept - loops.begin() < ptrdiff_t(kMaxLoops / 2))
    return writeOut();
  const uint32_t accesses = kept == loops.end() ? uint32_t(loopAccesses.size()) : kept->firstAccess;
  loopAccesses.erase(loopAccesses.begin(), loopAccesses.begin() + accesses);
  loops.erase(loops.begin(), kept);
  for (Loop &loop : loops)
    loop.firstAccess -= accesses;
}

/// Accesses that were noted later than these are in places of their own: what they would
/// have replaced has been forgotten.
void ScopeLog::writeOut() const {
  ring.resize(kSize);
  const uint64_t oldest = next > kSize ? next - kSize : 0;
  for (const Loop &loop : loops) {
    const uint64_t end = loop.position + loop.turns * loop.accessCount;
    for (uint64_t at = std::max(loop.position, oldest); at < end; ++at) {
      const uint64_t index = at - loop.position, turn = index / loop.accessCount;
      const LoopAccess &access = loopAccesses[loop.firstAccess + index % loop.accessCount];
      Record &record = ring[at % kSize];
      record.ordinal = loop.ordinal;
      record.number = uint32_t(loop.number + index);
      record.site = access.site;
      record.address = uint32_t(access.address + turn * access.stride);
      record.bytes = access.windowBytes;
      record.masked = 0;
      record.turns = loop.outer;
      if (loop.depth < kMaxDepth)
        record.turns[loop.depth] = int64_t(turn);
    }
  }
  loops.clear();
  loopAccesses.clear();
}

template <typename Matches> const ScopeLog::Record *ScopeLog::latest(Matches matches) const {
  writeOut();
  for (uint64_t back = 1; back <= std::min<uint64_t>(next, kSize); ++back)
    if (const Record &record = ring[(next - back) % kSize]; matches(record))
      return &record;
  return nullptr;
}

const ScopeLog::Turns *ScopeLog::byNumber(uint64_t ordinal, uint32_t number) const {
  const Record *found =
      latest([&](const Record &record) { return record.ordinal == ordinal && record.number == number; });
  return found ? &found->turns : nullptr;
}

const ScopeLog::Turns *ScopeLog::byPlace(uint64_t ordinal, SiteId site, uint64_t byte) const {
  // A masked access may or may not have touched the byte: nothing older is looked at.
  const Record *found = latest([&](const Record &record) {
    return record.ordinal == ordinal && record.site == site && record.address <= byte &&
           byte - record.address < record.bytes;
  });
  return found && !found->masked ? &found->turns : nullptr;
}

std::optional<ByteHull> ScopeLog::latestOf(uint64_t ordinal, SiteId site) const {
  const Record *found = latest([&](const Record &record) { return record.ordinal == ordinal && record.site == site; });
  if (!found || found->masked)
    return std::nullopt;
  return ByteHull{found->address, uint64_t(found->address) + found->bytes};
}

std::optional<ByteHull> ScopeLog::hullOf(uint64_t ordinal, SiteId site) const {
  writeOut();
  if (next >= kSize && ring[next % kSize].ordinal == ordinal)
    return std::nullopt;
  std::optional<ByteHull> hull;
  for (const Record &record : std::span(ring).first(std::min<size_t>(next, ring.size()))) {
    if (record.ordinal != ordinal || record.site != site)
      continue;
    if (record.masked)
      return std::nullopt;
    uint64_t end = uint64_t(record.address) + record.bytes;
    hull = hull ? ByteHull{std::min<uint64_t>(hull->begin, record.address), std::max(hull->end, end)}
                : ByteHull{record.address, end};
  }
  return hull;
}

} // namespace ptoscope
