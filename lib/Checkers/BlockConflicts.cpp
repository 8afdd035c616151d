//===- BlockConflicts.cpp - blocks that meet in global memory -------------===//
//
// See BlockConflicts.h.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/BlockConflicts.h"
#include "ReportText.h"
#include "ptoscope/Checkers/Reporter.h"
#include "ptoscope/Machine/OrderSentences.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ptoscope {

namespace {

bool shapeLess(const Box &a, const Box &b) {
  if (a.dims.size() != b.dims.size())
    return a.dims.size() < b.dims.size();
  for (size_t i = 0; i < a.dims.size(); ++i) {
    if (a.dims[i].count != b.dims[i].count)
      return a.dims[i].count < b.dims[i].count;
    if (a.dims[i].stride != b.dims[i].stride)
      return a.dims[i].stride < b.dims[i].stride;
  }
  // Plain ranges of any length are joined with each other.
  if (!a.dims.empty() && a.rowBytes != b.rowBytes)
    return a.rowBytes < b.rowBytes;
  return a.base < b.base;
}

/// Unions plain ranges that touch; `boxes` is sorted by shapeLess.
std::vector<Box> joinRanges(const std::vector<Box> &boxes) {
  std::vector<Box> result;
  for (const Box &box : boxes) {
    if (!result.empty()) {
      Box &last = result.back();
      if (last.dims.empty() && box.dims.empty() && box.base <= last.base + last.rowBytes) {
        last.rowBytes = std::max(last.rowBytes, box.base + box.rowBytes - last.base);
        continue;
      }
      if (last.base == box.base && last.rowBytes == box.rowBytes && last.dims == box.dims)
        continue;
    }
    result.push_back(box);
  }
  return result;
}

/// Runs of three or more boxes of one shape at even distances become one box.
std::vector<Box> joinEvenlySpaced(const std::vector<Box> &boxes) {
  std::vector<Box> result;
  for (size_t i = 0; i < boxes.size();) {
    auto sameShape = [&](size_t j) {
      return j < boxes.size() && boxes[j].rowBytes == boxes[i].rowBytes && boxes[j].dims == boxes[i].dims;
    };
    size_t end = i + 1;
    if (sameShape(i + 1)) {
      uint64_t step = boxes[i + 1].base - boxes[i].base;
      while (sameShape(end) && boxes[end].base - boxes[end - 1].base == step)
        ++end;
      if (end - i >= 3) {
        Box joined = boxes[i];
        joined.dims.push_back({end - i, int64_t(step)});
        joined.normalise();
        result.push_back(std::move(joined));
        i = end;
        continue;
      }
    }
    result.push_back(boxes[i]);
    ++i;
  }
  return result;
}

std::vector<Box> compactBoxes(std::vector<Box> boxes) {
  for (size_t before = boxes.size() + 1; boxes.size() < before && boxes.size() > 1;) {
    before = boxes.size();
    std::sort(boxes.begin(), boxes.end(), shapeLess);
    boxes = joinEvenlySpaced(joinRanges(boxes));
  }
  return boxes;
}

/// Is there a barrier, of the first `channels`, after the one access and before the other?
bool barrierBetween(const BarrierCounts &until, const BarrierCounts &after, size_t channels = kSyncAllChannels) {
  for (size_t channel = 0; channel < channels; ++channel)
    if (until[channel] <= after[channel])
      return true;
  return false;
}

/// Sites in an order that no schedule and no thread changes. Those of a C++ program
/// are numbered as its threads meet them, so what the text says decides.
struct SiteOrder {
  const SiteTable &sites;

  bool operator()(SiteId a, SiteId b) const {
    if (!sites.isCpp() || a >= sites.size() || b >= sites.size())
      return a < b;
    const Site &first = sites[a], &second = sites[b];
    return std::tie(first.place.file, first.place.line, first.place.column, first.op, a) <
           std::tie(second.place.file, second.place.line, second.place.column, second.op, b);
  }
};

} // namespace

bool BlockConflicts::separated(const When &a, const When &b) const {
  if (signals) {
    if (signals->before(a.block, a.until, b.block, b.after) || signals->before(b.block, b.until, a.block, a.after))
      return true;
    // What flags of all cores of a kind tell stays on their device.
    return signals->ofOneDevice(a.block, b.block) && (barrierBetween(a.until, b.after, kFirstSignalChannel) ||
                                                      barrierBetween(b.until, a.after, kFirstSignalChannel));
  }
  return barrierBetween(a.until, b.after) || barrierBetween(b.until, a.after);
}

std::vector<FootprintPart> compactFootprint(const std::vector<GmEntry> &entries, const SiteTable &sites) {
  std::vector<FootprintPart> parts;
  std::map<std::tuple<const GmObject *, SiteId, AccessKind, BarrierCounts, BarrierCounts>, size_t> positions;
  for (const GmEntry &entry : entries) {
    auto [it, isNew] =
        positions.try_emplace({entry.object, entry.site, entry.kind, entry.after, entry.until}, parts.size());
    if (isNew)
      parts.push_back({entry.object, entry.site, entry.kind, {}, entry.after, entry.until, entry.told});
    if (FootprintPart &part = parts[it->second]; entry.told.number < part.told.number)
      part.told = entry.told;
    Box box = entry.boxes.boxFrom(0);
    box.normalise();
    parts[it->second].boxes.push_back(std::move(box));
  }
  for (FootprintPart &part : parts)
    part.boxes = compactBoxes(std::move(part.boxes));
  // Order of first access may depend on the schedule; order of sites does not.
  std::sort(parts.begin(), parts.end(), [before = SiteOrder{sites}](const FootprintPart &a, const FootprintPart &b) {
    if (a.site != b.site)
      return before(a.site, b.site);
    uint32_t objectA = a.object ? a.object->index : 0, objectB = b.object ? b.object->index : 0;
    return std::tie(a.kind, objectA, a.after, a.until) < std::tie(b.kind, objectB, b.after, b.until);
  });
  return parts;
}

/// Makes cells of the smallest boxes when there are too many.
static void settleBoxes(std::vector<FootprintPart> &parts, GmCells &cells) {
  std::vector<uint64_t> sizes;
  for (const FootprintPart &part : parts)
    for (const Box &box : part.boxes)
      sizes.push_back(box.bytes());
  if (sizes.size() <= BlockConflicts::kMaxBoxes)
    return;
  auto limit = sizes.end() - ptrdiff_t(BlockConflicts::kMaxBoxes);
  std::nth_element(sizes.begin(), limit, sizes.end());
  for (FootprintPart &part : parts) {
    uint32_t key = cells.numberOf({part.object, part.site, 0, part.kind, part.after, part.until});
    std::erase_if(part.boxes, [&](const Box &box) {
      if (box.bytes() > *limit)
        return false;
      cells.add(key, 0, box);
      return true;
    });
  }
}

void BlockConflicts::add(int64_t block, const std::vector<GmEntry> &footprint, GmCells withoutPattern,
                         FindingList &findings) {
  if (latest)
    record(*latest);
  latest = Footprint{block, compactFootprint(footprint, sites), std::move(withoutPattern)};
  settleBoxes(latest->parts, latest->cells);
  for (const FootprintPart &part : latest->parts)
    for (const Box &box : part.boxes)
      check(part, box, block, findings);
  checkCells(*latest, findings);
  if (signals)
    checkSignals(*latest, findings);
}

void BlockConflicts::record(const Footprint &footprint) {
  for (const FootprintPart &part : footprint.parts)
    for (size_t i = 0; i < part.boxes.size(); ++i)
      record(part, i, footprint.block);
  uint64_t order = GmCells::kMaxOrder - uint64_t(footprint.block);
  footprint.cells.forEach([&](uint32_t key, uint64_t, uint64_t address, uint32_t mask) {
    GmCells::Key own = footprint.cells.key(key);
    if (signals)
      own.block = footprint.block; // who knows what depends on the block
    cells.add(cells.numberOf(own), order, address, mask);
  });
}

/// The first bytes of a mask that follow each other.
static std::pair<uint64_t, uint64_t> firstRun(uint64_t address, uint32_t mask) {
  uint64_t begin = address + unsigned(std::countr_zero(mask));
  return {begin, begin + unsigned(std::countr_one(mask >> std::countr_zero(mask)))};
}

/// The cells of a block against everything that is recorded. One report for each
/// pair of sites: the cells of a site are one cause.
void BlockConflicts::checkCells(const Footprint &footprint, FindingList &findings) {
  struct Found {
    uint64_t block, begin, end;
    const GmObject *object;
    BarrierCounts after, otherAfter;
    EarlySignal told; ///< of the other one
  };
  struct Pair {
    SiteId own;
    AccessKind kind;
    SiteId other;
    AccessKind otherKind;
  };
  auto less = [before = SiteOrder{sites}](const Pair &a, const Pair &b) {
    return a.own != b.own       ? before(a.own, b.own)
           : a.other != b.other ? before(a.other, b.other)
                                : std::tie(a.kind, a.otherKind) < std::tie(b.kind, b.otherKind);
  };
  std::map<Pair, Found, decltype(less)> found(less);
  auto note = [&](const GmCells::Key &own, const Side &other, uint64_t begin, uint64_t end) {
    found.try_emplace({own.site, own.kind, other.site, other.kind},
                      Found{other.block, begin, end, own.object, own.after, other.after, other.told});
  };
  footprint.cells.forEach([&](uint32_t number, uint64_t, uint64_t address, uint32_t mask) {
    const GmCells::Key &own = footprint.cells.key(number);
    auto meets = [&](uint64_t block, AccessKind kind, const BarrierCounts &after, const BarrierCounts &until) {
      return conflicting(kind, own.kind) &&
             !separated({block, after, until}, {uint64_t(footprint.block), own.after, own.until});
    };
    cells.query(address, mask, [&](uint32_t other, uint64_t order, uint64_t, uint32_t common) {
      const GmCells::Key &key = cells.key(other);
      uint64_t block = GmCells::kMaxOrder - order;
      if (!meets(block, key.kind, key.after, key.until))
        return;
      auto [begin, end] = firstRun(address, common);
      note(own, {key.site, key.kind, block, key.after}, begin, end);
    });
    auto visit = [&](uint32_t id) {
      const GmEntry &entry = entries[id];
      if (!meets(entry.boxes.firstOrder - 1, entry.kind, entry.after, entry.until))
        return;
      for (uint32_t rest = mask; rest;) {
        auto [begin, end] = firstRun(address, rest);
        rest &= end - address >= kBlockBytes ? 0u : ~0u << (end - address);
        Box run;
        run.base = begin;
        run.rowBytes = end - begin;
        uint64_t byte = 0;
        if (!entry.boxes.boxFrom(0).overlaps(run, &byte))
          continue;
        uint64_t item = entry.boxes.numberAt(byte, 0, entry.boxes.count);
        note(own,
             {entry.site, entry.kind, entry.boxes.firstOrder + item * entry.boxes.orderStep - 1, entry.after,
              entry.told},
             byte, byte + 1);
        return;
      }
    };
    writes.query(address, address + kBlockBytes, visit);
    if (own.kind != AccessKind::Read)
      reads.query(address, address + kBlockBytes, visit);
  });
  for (const auto &[pair, where] : found) {
    report({pair.other, pair.otherKind, where.block, where.otherAfter, where.told},
           {pair.own, pair.kind, uint64_t(footprint.block), where.after}, where.object, where.begin, where.end,
           findings);
  }
}

void BlockConflicts::check(const FootprintPart &part, const Box &box, int64_t block, FindingList &findings) {
  std::vector<uint32_t> candidates;
  uint64_t lowest = box.lowest(), end = box.end();
  auto visit = [&](uint32_t id) {
    const GmEntry &entry = entries[id];
    if (conflicting(entry.kind, part.kind) && entry.boxes.lowest() < end && entry.boxes.end() > lowest &&
        !separated({entry.boxes.firstOrder - 1, entry.after, entry.until}, {uint64_t(block), part.after, part.until}))
      candidates.push_back(id);
  };
  writes.query(lowest, end, visit);
  if (part.kind != AccessKind::Read)
    reads.query(lowest, end, visit);
  std::sort(candidates.begin(), candidates.end());
  for (uint32_t id : candidates) {
    const GmEntry &entry = entries[id];
    uint64_t byte = 0;
    if (!entry.boxes.boxFrom(0).overlaps(box, &byte))
      continue;
    uint64_t number = entry.boxes.numberAt(byte, 0, entry.boxes.count);
    Box item = entry.boxes.item;
    item.base += number * uint64_t(entry.boxes.stride);
    auto [begin, runEnd] = commonRun(item, box, byte);
    report(
        {entry.site, entry.kind, entry.boxes.firstOrder + number * entry.boxes.orderStep - 1, entry.after, entry.told},
        {part.site, part.kind, uint64_t(block), part.after, part.told}, part.object, begin, runEnd, findings);
  }
  std::map<std::pair<SiteId, AccessKind>, bool> reported;
  cells.query(box, [&](uint32_t number, uint64_t order, uint64_t address, uint32_t common) {
    const GmCells::Key &key = cells.key(number);
    uint64_t other = GmCells::kMaxOrder - order;
    if (!conflicting(key.kind, part.kind) ||
        separated({other, key.after, key.until}, {uint64_t(block), part.after, part.until}) ||
        std::exchange(reported[{key.site, key.kind}], true))
      return;
    auto [begin, runEnd] = firstRun(address, common);
    report({key.site, key.kind, other, key.after}, {part.site, part.kind, uint64_t(block), part.after, part.told},
           part.object, begin, runEnd, findings);
  });
}

void BlockConflicts::report(const Side &first, const Side &second, const GmObject *object, uint64_t begin, uint64_t end,
                            FindingList &findings) {
  ReportBytes bytes{Space::Gm, object, begin, end};
  if (signals && !(isAtomic(second.kind) && first.kind == second.kind))
    return reportDevices(first, second, bytes, findings);
  bool sums = isAtomic(second.kind) && first.kind == second.kind; // only those of floats come here
  std::string memory = spaceText(bytes);
  Words words(&sites);
  Finding finding = words.finding(
      second.site, sums ? say::kBlockSums(memory)
                        : say::kBlockRace(verb(second.kind), memory, words.opText(first.site), verb(first.kind)));
  finding.bytes = rangeOf(bytes);
  finding.notes.push_back(
      {sites.placeOf(second.site), say::kBlockDoes(second.block, verb(second.kind), bytesText(bytes))});
  finding.notes.push_back({sites.placeOf(first.site), say::kBlockDoesHere(first.block, verb(first.kind))});
  const char *blockIndex = sites.isCpp() ? "get_block_idx()" : "pto.get_block_idx";
  bool reads = first.kind == AccessKind::Read || second.kind == AccessKind::Read;
  if (!sums)
    finding.help = isAtomic(first.kind) && isAtomic(second.kind) ? say::kSameUpdate()
                   : reads ? say::kOwnBytesOrMeet(blockIndex, sites.isCpp() ? "SYNCALL()" : "pto.syncall")
                           : say::kOwnBytesOrAtomic(blockIndex);
  findings.add(std::move(finding));
}

void BlockConflicts::record(const FootprintPart &part, size_t index, int64_t block) {
  const Box &box = part.boxes[index];
  IntervalIndex &where = part.kind == AccessKind::Read ? reads : writes;
  auto [it, isNew] =
      open.try_emplace({part.object, part.site, part.kind, part.after, part.until, index}, uint32_t(entries.size()));
  if (!isNew && !signals) {
    GmEntry &last = entries[it->second];
    uint64_t oldLow = last.boxes.lowest(), oldEnd = last.boxes.end();
    if (last.boxes.extend(box, uint64_t(block) + 1)) {
      where.move(oldLow, oldEnd, last.boxes.lowest(), last.boxes.end(), it->second);
      return;
    }
  }
  it->second = uint32_t(entries.size());
  GmEntry entry;
  entry.boxes.item = box;
  entry.boxes.firstOrder = uint64_t(block) + 1;
  entry.object = part.object;
  entry.site = part.site;
  entry.kind = part.kind;
  entry.after = part.after;
  entry.until = part.until;
  entry.told = part.told;
  where.insert(entry.boxes.lowest(), entry.boxes.end(), uint32_t(entries.size()));
  entries.push_back(std::move(entry));
}

} // namespace ptoscope
