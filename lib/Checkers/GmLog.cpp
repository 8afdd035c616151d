//===- GmLog.cpp - accesses to global memory, exact and compact -----------===//
//
// See GmLog.h. Everything here is exact: bounding intervals only select what is
// compared box against box.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/GmLog.h"

#include <algorithm>
#include <bit>

namespace ptoscope {

uint64_t Progression::lowest() const {
  uint64_t low = item.lowest();
  return stride < 0 ? low + (count - 1) * uint64_t(stride) : low;
}

uint64_t Progression::end() const {
  uint64_t high = item.end();
  return stride > 0 ? high + (count - 1) * uint64_t(stride) : high;
}

bool Progression::extend(const Box &box, uint64_t order) {
  uint64_t last = lastOrder();
  if (order <= last || box.rowBytes != item.rowBytes || box.dims != item.dims)
    return false;
  int64_t delta = int64_t(box.base - (item.base + (count - 1) * uint64_t(stride)));
  if (count == 1) {
    stride = delta;
    orderStep = order - last;
  } else if (delta != stride || order - last != orderStep) {
    return false;
  }
  ++count;
  return true;
}

Box Progression::boxFrom(uint64_t from) const {
  Box box = item;
  box.base += from * uint64_t(stride);
  if (count - from > 1 && stride != 0)
    box.dims.push_back({count - from, stride});
  return box;
}

uint64_t Progression::firstAfter(uint64_t order) const {
  if (order < firstOrder)
    return 0;
  if (orderStep == 0)
    return count;
  return std::min(count, (order - firstOrder) / orderStep + 1);
}

uint64_t Progression::numberAt(uint64_t byte, uint64_t from, uint64_t to) const {
  if (stride == 0)
    return from;
  // Only boxes whose bounds hold the byte are looked at.
  uint64_t step = stride > 0 ? uint64_t(stride) : uint64_t(0) - uint64_t(stride);
  uint64_t low = item.lowest(), high = item.end() - 1;
  uint64_t ahead = stride > 0 ? (byte > high ? byte - high : 0) : (low > byte ? low - byte : 0);
  for (uint64_t i = std::max(from, (ahead + step - 1) / step); i < to; ++i) {
    Box box = item;
    box.base += i * uint64_t(stride);
    Box one;
    one.base = byte;
    one.rowBytes = 1;
    if (box.overlaps(one))
      return i;
  }
  return from;
}

std::pair<uint64_t, uint64_t> commonRun(const Box &a, const Box &b, uint64_t byte) {
  std::pair<uint64_t, uint64_t> run{0, UINT64_MAX};
  for (const Box *box : {&a, &b}) {
    std::pair<uint64_t, uint64_t> row{byte, byte + 1};
    box->forEachRow([&](uint64_t start, uint64_t bytes) {
      if (start <= byte && byte - start < bytes)
        row = {std::min(row.first, start), std::max(row.second, start + bytes)};
    });
    run = {std::max(run.first, row.first), std::min(run.second, row.second)};
  }
  return run;
}

void GmLog::reset() {
  emptyForReuse(entries);
  if (!cells.empty())
    cells = GmCells();
  reads.clear();
  writes.clear();
  open.clear();
  usingPipes = 0;
  emptyForReuse(indexedIds);
  pruneAt = kFirstPrune;
}

void GmLog::startUsing(Slot slot) {
  if (usingPipes >> slot & 1)
    return;
  usingPipes |= 1u << slot;
  for (uint32_t id = 0; id < entries.size(); ++id)
    if (!entries[id].indexed && entries[id].boxes.lastOrder() > order.clock(slot).ended[entries[id].slot])
      addToIndex(id);
}

BarrierCounts GmLog::barriersBefore(Slot slot) const {
  BarrierCounts after;
  std::copy_n(order.clock(slot).ended.begin() + kFirstBarrierCount, kSyncAllChannels, after.begin());
  return after;
}

void GmLog::access(Slot slot, uint64_t ordinal, SiteId site, AccessKind kind, const GmObject *object, const Box &box,
                   std::vector<GmConflict> &conflicts) {
  if (box.empty())
    return;
  startUsing(slot);
  uint64_t lowest = box.lowest(), end = box.end();
  auto visit = [&](uint32_t id) { check(id, slot, ordinal, kind, box, lowest, end, conflicts); };
  writes.query(lowest, end, visit);
  if (kind != AccessKind::Read)
    reads.query(lowest, end, visit);
  checkCells(slot, ordinal, kind, box, conflicts);
  record(slot, ordinal, site, kind, object, box);
  if (indexedIds.size() >= pruneAt)
    prune();
  if (entries.size() > kMaxEntries || indexedIds.size() > kMaxIndexed) [[unlikely]]
    settle(/*indexedOnly=*/indexedIds.size() > kMaxIndexed);
}

void GmLog::checkCells(Slot slot, uint64_t ordinal, AccessKind kind, const Box &box,
                       std::vector<GmConflict> &conflicts) const {
  if (cells.empty())
    return;
  cells.query(box, [&](uint32_t number, uint64_t other, uint64_t address, uint32_t mask) {
    checkCell(slot, ordinal, kind, number, other, address, mask, conflicts);
  });
}

void GmLog::checkCell(Slot slot, uint64_t ordinal, AccessKind kind, uint32_t number, uint64_t other, uint64_t address,
                      uint32_t mask, std::vector<GmConflict> &conflicts) const {
  const GmCells::Key &key = cells.key(number);
  if (!conflicting(key.kind, kind) || other <= order.clock(slot).ended[key.slot] ||
      (key.slot == slot && other == ordinal))
    return;
  uint64_t begin = address + unsigned(std::countr_zero(mask));
  uint64_t end = begin + unsigned(std::countr_one(mask >> std::countr_zero(mask)));
  // Bytes of one cause that follow each other; only the newest few can.
  for (size_t i = conflicts.size(), oldest = i > 8 ? i - 8 : 0; i-- > oldest;)
    if (GmConflict &known = conflicts[i]; known.site == key.site && known.slot == key.slot && known.ordinal == other &&
                                          known.kind == key.kind && known.end == begin) {
      known.end = end;
      return;
    }
  conflicts.push_back({key.site, key.slot, other, key.kind, begin, end});
}

void GmLog::accessRuns(Slot slot, uint64_t ordinal, SiteId site, AccessKind kind, const GmObject *object,
                       std::span<const ByteRun> runs, std::vector<GmConflict> &conflicts) {
  if (ordinal > GmCells::kMaxOrder) [[unlikely]] {
    for (const ByteRun &run : runs)
      access(slot, ordinal, site, kind, object, Box{run.begin, run.end - run.begin, {}}, conflicts);
    return;
  }
  if (runs.empty())
    return;
  startUsing(slot);
  auto visit = [&](uint32_t id) { checkRuns(id, slot, ordinal, kind, runs, conflicts); };
  writes.query(runs.front().begin, runs.back().end, visit);
  if (kind != AccessKind::Read)
    reads.query(runs.front().begin, runs.back().end, visit);
  // Entries would be as many as runs: they become cells at once.
  const uint32_t key = cells.numberOf({object, site, slot, kind, barriersBefore(slot), kNoBarrier});
  for (const ByteRun &run : runs)
    cells.exchange(key, ordinal, run.begin, run.end,
                   [&](uint32_t number, uint64_t other, uint64_t address, uint32_t mask) {
                     if (number != key || conflicting(kind, kind))
                       checkCell(slot, ordinal, kind, number, other, address, mask, conflicts);
                   });
}

void GmLog::checkRuns(uint32_t id, Slot slot, uint64_t ordinal, AccessKind kind, std::span<const ByteRun> runs,
                      std::vector<GmConflict> &conflicts) const {
  const GmEntry &entry = entries[id];
  const Progression &boxes = entry.boxes;
  if (!conflicting(entry.kind, kind))
    return;
  uint64_t from = boxes.firstAfter(order.clock(slot).ended[entry.slot]), count = boxes.count;
  if (entry.slot == slot && boxes.lastOrder() == ordinal)
    --count;
  if (from >= count)
    return;
  Progression rest = boxes;
  rest.count = count;
  const Box box = rest.boxFrom(from);
  const uint64_t lowest = box.lowest(), end = box.end();
  auto run = std::partition_point(runs.begin(), runs.end(), [&](const ByteRun &r) { return r.end <= lowest; });
  // One conflict of each entry: more would say the same.
  for (Box one; run != runs.end() && run->begin < end; ++run) {
    one.base = run->begin;
    one.rowBytes = run->end - run->begin;
    uint64_t first = 0;
    if (!box.overlaps(one, &first))
      continue;
    uint64_t number = boxes.numberAt(first, from, count);
    Box item = boxes.item;
    item.base += number * uint64_t(boxes.stride);
    auto [begin, runEnd] = commonRun(item, one, first);
    conflicts.push_back(
        {entry.site, entry.slot, boxes.firstOrder + number * boxes.orderStep, entry.kind, begin, runEnd});
    return;
  }
}

void GmLog::check(uint32_t id, Slot slot, uint64_t ordinal, AccessKind kind, const Box &box, uint64_t lowest,
                  uint64_t end, std::vector<GmConflict> &conflicts) const {
  const GmEntry &entry = entries[id];
  const Progression &boxes = entry.boxes;
  if (!conflicting(entry.kind, kind) || boxes.lowest() >= end || boxes.end() <= lowest)
    return;
  uint64_t from = boxes.firstAfter(order.clock(slot).ended[entry.slot]);
  // The instruction's own accesses are not ordered against each other. Ordinals
  // grow along a progression, so its own box can only be the last one recorded.
  uint64_t count = boxes.count;
  if (entry.slot == slot && boxes.lastOrder() == ordinal)
    --count;
  if (from >= count)
    return;
  Progression rest = boxes;
  rest.count = count;
  uint64_t first = 0;
  if (!rest.boxFrom(from).overlaps(box, &first))
    return;
  uint64_t number = boxes.numberAt(first, from, count);
  Box item = boxes.item;
  item.base += number * uint64_t(boxes.stride);
  auto [begin, runEnd] = commonRun(item, box, first);
  conflicts.push_back({entry.site, entry.slot, boxes.firstOrder + number * boxes.orderStep, entry.kind, begin, runEnd});
}

void GmLog::record(Slot slot, uint64_t ordinal, SiteId site, AccessKind kind, const GmObject *object, const Box &box) {
  const BarrierCounts after = barriersBefore(slot);
  uint64_t key = uint64_t(site) << 16 | uint64_t(slot) << 8 | uint64_t(kind);
  auto [it, isNew] = open.try_emplace(key, uint32_t(entries.size()));
  if (!isNew) {
    GmEntry &last = entries[it->second];
    uint64_t oldLow = last.boxes.lowest(), oldEnd = last.boxes.end();
    if (last.indexed && last.object == object && last.after == after && last.boxes.extend(box, ordinal)) {
      indexOf(kind).move(oldLow, oldEnd, last.boxes.lowest(), last.boxes.end(), it->second);
      return;
    }
    it->second = uint32_t(entries.size());
  }
  GmEntry entry;
  entry.boxes.item = box;
  entry.boxes.firstOrder = ordinal;
  entry.object = object;
  entry.site = site;
  entry.slot = slot;
  entry.kind = kind;
  entry.after = after;
  entries.push_back(std::move(entry));
  addToIndex(uint32_t(entries.size() - 1));
}

BarrierCounts GmLog::untilOf(Slot slot, uint64_t ordinal, uint64_t *lastOrdinal) const {
  const auto &arrivals = order.arrivals();
  BarrierCounts until = kNoBarrier;
  for (size_t channel = 0; channel < kSyncAllChannels; ++channel) {
    // Knowledge only grows: the first barrier whose arrival covers the access.
    const std::vector<VectorClock> &list = arrivals[channel];
    auto covers = std::partition_point(list.begin(), list.end(),
                                       [&](const VectorClock &clock) { return clock.ended[slot] < ordinal; });
    if (covers == list.end())
      continue;
    until[channel] = uint64_t(covers - list.begin()) + 1;
    *lastOrdinal = std::min(*lastOrdinal, covers->ended[slot]);
  }
  return until;
}

std::vector<GmEntry> GmLog::footprint() const {
  const auto &arrivals = order.arrivals();
  bool barriers = std::any_of(arrivals.begin(), arrivals.end(), [](const auto &list) { return !list.empty(); });
  if (!barriers)
    return entries;
  std::vector<GmEntry> pieces;
  for (const GmEntry &entry : entries) {
    const Progression &boxes = entry.boxes;
    for (uint64_t from = 0; from < boxes.count;) {
      uint64_t ordinal = boxes.firstOrder + from * boxes.orderStep, last = UINT64_MAX;
      GmEntry piece = entry;
      piece.until = untilOf(entry.slot, ordinal, &last);
      piece.told = {coreOf(entry.slot).index, order.firstToldAfter(entry.slot, ordinal)};
      uint64_t to = last == UINT64_MAX ? boxes.count : boxes.firstAfter(last);
      piece.boxes.item.base += from * uint64_t(boxes.stride);
      piece.boxes.firstOrder = ordinal;
      piece.boxes.count = std::max(to, from + 1) - from;
      from += piece.boxes.count;
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

GmCells GmLog::cellFootprint() const {
  GmCells result;
  cells.forEach([&](uint32_t number, uint64_t ordinal, uint64_t address, uint32_t mask) {
    GmCells::Key key = cells.key(number);
    uint64_t unused = 0;
    key.until = untilOf(key.slot, ordinal, &unused);
    key.slot = 0;
    result.add(result.numberOf(key), 0, address, mask);
  });
  return result;
}

void GmLog::settle(bool indexedOnly) {
  auto bytesOf = [](const GmEntry &entry) { return entry.boxes.count * entry.boxes.item.bytes(); };
  std::vector<uint64_t> sizes;
  for (const GmEntry &entry : entries)
    if (entry.indexed || !indexedOnly)
      sizes.push_back(bytesOf(entry));
  auto middle = sizes.begin() + ptrdiff_t(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  uint64_t limit = *middle;
  std::vector<GmEntry> kept;
  std::unordered_map<uint32_t, uint32_t> keptIds; ///< new by old
  for (uint32_t id = 0; id < entries.size(); ++id) {
    GmEntry &entry = entries[id];
    if ((indexedOnly && !entry.indexed) || bytesOf(entry) > limit || entry.boxes.lastOrder() > GmCells::kMaxOrder) {
      keptIds[id] = uint32_t(kept.size());
      kept.push_back(std::move(entry));
      continue;
    }
    uint32_t number = cells.numberOf({entry.object, entry.site, entry.slot, entry.kind, entry.after, kNoBarrier});
    Box box = entry.boxes.item;
    for (uint64_t i = 0; i < entry.boxes.count; ++i, box.base += uint64_t(entry.boxes.stride))
      cells.add(number, entry.boxes.firstOrder + i * entry.boxes.orderStep, box);
  }
  entries = std::move(kept);
  std::erase_if(open, [&](const auto &entry) { return !keptIds.contains(entry.second); });
  for (auto &entry : open)
    entry.second = keptIds[entry.second];
  reads = IntervalIndex();
  writes = IntervalIndex();
  indexedIds.clear();
  for (uint32_t id = 0; id < entries.size(); ++id)
    if (entries[id].indexed)
      addToIndex(id);
}

void GmLog::addToIndex(uint32_t id) {
  GmEntry &entry = entries[id];
  indexOf(entry.kind).insert(entry.boxes.lowest(), entry.boxes.end(), id);
  entry.indexed = true;
  indexedIds.push_back(id);
}

void GmLog::prune() {
  VectorClock known;
  known.ended.fill(UINT64_MAX);
  for (Slot slot = 0; slot < kClockSlots; ++slot)
    if (usingPipes >> slot & 1)
      for (size_t i = 0; i < kClockSlots; ++i)
        known.ended[i] = std::min(known.ended[i], order.oldestClock(slot).ended[i]);
  std::erase_if(indexedIds, [&](uint32_t id) {
    GmEntry &entry = entries[id];
    if (entry.boxes.lastOrder() > known.ended[entry.slot])
      return false;
    indexOf(entry.kind).erase(entry.boxes.lowest(), entry.boxes.end(), id);
    entry.indexed = false;
    return true;
  });
  pruneAt = std::max<size_t>(kFirstPrune, 2 * indexedIds.size());
}

} // namespace ptoscope
