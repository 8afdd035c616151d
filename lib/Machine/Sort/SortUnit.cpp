//===- SortUnit.cpp - sorting instructions on PIPE_V ----------------------===//

#include "Sort/SortUnit.h"

#include <algorithm>
#include <numeric>

namespace ptoscope {

namespace {
constexpr int64_t kMaxRepeat = 255;
/// Fields of vmrgsort4's configuration word.
constexpr unsigned kListsAt = 8, kSuspendBit = 12;
/// How a report counts the operands: the result, then the lists.
constexpr uint8_t kResult = 0, kFirstList = 1;
} // namespace

bool SortUnit::groups(SiteId site, uint32_t scoreBytes, uint64_t dst, uint64_t scores, uint64_t indices, int64_t repeat,
                      Call &call) {
  if (repeat < 0 || repeat > kMaxRepeat) {
    report->tell(site, say::kSortRepeat(repeat, kMaxRepeat));
    return false;
  }
  call = {this, {}};
  call.sort.scoreBytes = scoreBytes;
  call.sort.repeat = uint32_t(repeat);
  call.sort.dst = dst;
  call.sort.src = {scores, indices};
  return true;
}

bool SortUnit::merge(SiteId site, uint32_t scoreBytes, uint64_t dst, const std::array<uint64_t, kMergeLists> &lists,
                     uint64_t count, uint64_t config, Call &call) {
  call = {this, {}};
  Sort &sort = call.sort;
  sort.merges = true;
  sort.scoreBytes = scoreBytes;
  sort.repeat = uint32_t(config & 0xff);
  sort.dst = dst;
  sort.src = lists;
  sort.suspends = config >> kSuspendBit & 1;
  for (size_t list = 0; list < kMergeLists; ++list)
    if (config >> (kListsAt + list) & 1)
      sort.length[list] = uint32_t(count >> (16 * list) & 0xffff);
  if (report->checks.memory)
    checkMerge(site, sort, count, config);
  return !report->stopped;
}

/// What no document defines about the two words of a merge.
void SortUnit::checkMerge(SiteId site, const Sort &sort, uint64_t count, uint64_t config) {
  uint64_t enabled = config >> kListsAt & 0xf;
  if (config >> (kSuspendBit + 1))
    report->tell(site, say::kMergeBits(config));
  if (enabled != 0x3 && enabled != 0x7 && enabled != 0xf)
    report->tell(site, say::kMergeLists(config, enabled));
  if (sort.repeat == 0)
    report->tell(site, say::kMergeNothing(config));
  if (sort.repeat <= 1)
    return;
  bool regular = enabled == 0xf;
  for (size_t list = 1; list < kMergeLists; ++list)
    regular = regular && sort.length[list] == sort.length[0] &&
              sort.src[list] == sort.src[0] + list * sort.length[0] * kRecordBytes;
  if (!regular)
    report->tell(site, say::kMergeRepeat(config, count, uint64_t(kMergeLists) * sort.length[0]));
}

//===----------------------------------------------------------------------===//
// Effect
//===----------------------------------------------------------------------===//

DirectInstruction SortUnit::instruction(const Call &call) {
  static_assert(std::is_trivially_copyable_v<Call>);
  DirectInstruction instruction;
  instruction.pipe = Pipe::V;
  instruction.payloadBytes = sizeof(Call);
  instruction.payload = &call;
  instruction.prepare = [](const void *payload, const Instr &instr) {
    auto [unit, sort] = *static_cast<const Call *>(payload);
    return unit->prepare(sort, instr);
  };
  instruction.regions = [](const void *payload, std::vector<DirectRegion> &regions) {
    regions = static_cast<const Call *>(payload)->unit->regions;
  };
  instruction.work = [](const void *payload) {
    const Sort &sort = static_cast<const Call *>(payload)->sort;
    Work work;
    work.kind = Work::Kind::Vector;
    work.timing = Timing::sort;
    work.name = sort.merges ? "vmrgsort4" : "vbitsort";
    work.from = work.to = Space::Ub;
    work.fromBits = uint8_t(sort.scoreBytes * 8);
    work.toBits = kRecordBytes * 8;
    work.isFloat = true;
    work.rows = sort.repeat;
    work.cols = sort.merges ? std::accumulate(sort.length.begin(), sort.length.end(), 0u) : kSortGroup;
    return work;
  };
  instruction.run = [](const void *payload) {
    const SortUnit &unit = *static_cast<const Call *>(payload)->unit;
    const uint8_t *from = unit.records.data();
    for (const DirectRegion &region : unit.regions)
      if (region.role == DirectRole::Write) {
        std::copy_n(from, region.box.rowBytes, unit.memories->base(Space::Ub) + region.box.base);
        from += region.box.rowBytes;
      }
  };
  return instruction;
}

/// True when the instruction may access these bytes.
bool SortUnit::inside(const Instr &instr, uint64_t address, uint64_t bytes, uint32_t alignment, std::string_view verb) {
  uint64_t size = memories->bytesOf(Space::Ub);
  bool outside = bytes && (address > size || bytes > size - address);
  bool misaligned = report->checks.memory && address % alignment != 0;
  if (!outside && !misaligned)
    return true;
  Finding f = report->finding(instr.site, misaligned ? say::kSortMisaligned(verb, address, alignment)
                                                     : say::kSortBounds(verb, bytes, address, size));
  f.bytes = ByteRange{"ub", "", address, address + bytes};
  report->addTurns(f, instr);
  if (report->checks.memory)
    report->add(std::move(f));
  else
    report->fatal(std::move(f));
  return false;
}

/// No document says what becomes of inputs that the result overwrites: here all
/// of them are read first.
void SortUnit::checkOverlap(const Instr &instr, uint64_t dst, uint64_t input, uint64_t inputBytes, uint64_t bytes) {
  uint64_t begin = std::max(input, dst), end = std::min(input + inputBytes, dst + bytes);
  if (!report->checks.memory || begin >= end)
    return;
  Finding f = report->finding(instr.site, say::kSortOverlap());
  f.bytes = ByteRange{"ub", "", begin, end};
  report->addTurns(f, instr);
  report->add(std::move(f));
}

void SortUnit::touch(uint8_t operand, uint64_t address, uint64_t bytes, DirectRole role) {
  if (bytes)
    regions.push_back({Space::Ub, role, operand, Box{address, bytes, {}}});
}

bool SortUnit::prepare(const Sort &sort, const Instr &instr) {
  records.clear();
  regions.clear();
  if (sort.merges)
    prepareMerge(sort, instr);
  else if (sort.repeat)
    prepareGroups(sort, instr);
  return !regions.empty();
}

void SortUnit::prepareGroups(const Sort &sort, const Instr &instr) {
  uint32_t scoreGroup = kSortGroup * sort.scoreBytes, indexGroup = kSortGroup * 4;
  uint64_t scoreBytes = uint64_t(sort.repeat) * scoreGroup, indexBytes = uint64_t(sort.repeat) * indexGroup;
  uint64_t bytes = uint64_t(sort.repeat) * kSortGroup * kRecordBytes;
  if (!inside(instr, sort.src[0], scoreBytes, kBlockBytes, "reads") ||
      !inside(instr, sort.src[1], indexBytes, kBlockBytes, "reads") ||
      !inside(instr, sort.dst, bytes, kBlockBytes, "writes"))
    return;
  checkOverlap(instr, sort.dst, sort.src[0], scoreBytes, bytes);
  checkOverlap(instr, sort.dst, sort.src[1], indexBytes, bytes);
  touch(kFirstList, sort.src[0], scoreBytes, DirectRole::Read);
  touch(kFirstList + 1, sort.src[1], indexBytes, DirectRole::Read);
  touch(kResult, sort.dst, bytes, DirectRole::Write);
  const uint8_t *ub = memories->base(Space::Ub);
  records.resize(bytes);
  for (uint32_t q = 0; q < sort.repeat; ++q)
    sortGroup(sort.scoreBytes, ub + sort.src[0] + q * scoreGroup, ub + sort.src[1] + q * indexGroup,
              records.data() + q * kSortGroup * kRecordBytes);
}

void SortUnit::prepareMerge(const Sort &sort, const Instr &instr) {
  const uint8_t *ub = memories->base(Space::Ub);
  // Each turn starts where four lists of the first one's length end.
  uint64_t stepBytes = uint64_t(kMergeLists) * sort.length[0] * kRecordBytes, total = 0;
  for (uint32_t length : sort.length)
    total += uint64_t(length) * kRecordBytes;
  for (uint32_t q = 0; q < sort.repeat; ++q) {
    uint64_t offset = q * stepBytes;
    std::array<const uint8_t *, kMergeLists> lists{};
    for (size_t list = 0; list < kMergeLists; ++list) {
      uint64_t bytes = uint64_t(sort.length[list]) * kRecordBytes;
      if (bytes == 0)
        continue;
      if (!inside(instr, sort.src[list] + offset, bytes, kRecordBytes, "reads"))
        return;
      lists[list] = ub + sort.src[list] + offset;
    }
    std::array<uint32_t, kMergeLists> taken;
    size_t before = records.size();
    records.resize(before + total);
    uint64_t bytes = uint64_t(mergeLists(sort, lists, records.data() + before, taken)) * kRecordBytes;
    records.resize(before + bytes);
    if (!inside(instr, sort.dst + offset, bytes, kRecordBytes, "writes"))
      return;
    vms4.value = 0;
    for (size_t list = 0; list < kMergeLists; ++list) {
      vms4.value |= uint64_t(taken[list]) << (16 * list);
      // What was taken, and the head that was compared last.
      uint64_t read = uint64_t(std::min(taken[list] + 1, sort.length[list])) * kRecordBytes;
      if (read)
        checkOverlap(instr, sort.dst, sort.src[list], offset + read, offset + bytes);
      touch(uint8_t(kFirstList + list), sort.src[list] + offset, read, DirectRole::Read);
    }
    touch(kResult, sort.dst + offset, bytes, DirectRole::Write);
  }
}

} // namespace ptoscope
