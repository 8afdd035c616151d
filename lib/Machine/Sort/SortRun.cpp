//===- SortRun.cpp - sorting instructions on PIPE_V -----------------------===//
//
// Issue, checks and execution of vbitsort and vmrgsort4, and the status register
// that the latter leaves behind. Operands are looked at when the instruction is
// issued, addresses when it executes, since only then is known how far a merge
// gets. A bad one is reported and ends the instruction.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <algorithm>

namespace ptoscope {

namespace {
constexpr int64_t kMaxRepeat = 255;
/// Fields of vmrgsort4's configuration word.
constexpr unsigned kListsAt = 8, kSuspendBit = 12;

std::string plural(uint64_t n, const char *one) {
  return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
}
} // namespace

int32_t Core::issueSort(SiteId site, const Sort &sort) {
  if (!hasPipe(Pipe::V))
    return internalError(site, "a sort on a core without PIPE_V");
  Entry entry = makeEntry(OpKind::Sort, Pipe::V, site);
  entry.sort = &sort;
  if (sort.merges)
    vms4.writer = {id, Pipe::V, entry.ordinal, site, nullptr, 0};
  return submit(entry);
}

int32_t Core::bitSort(SiteId site, uint32_t scoreBytes, uint64_t dst, uint64_t scores, uint64_t indices,
                      int64_t repeat) {
  if (step(site))
    return 1;
  if (repeat < 0 || repeat > kMaxRepeat) {
    Finding f = finding("sort-operand", site,
                        "the repeat count of " + opName(site) + " is " + std::to_string(repeat) +
                            ", which does not fit its 8 bits; nothing is sorted");
    f.help = "sort at most " + std::to_string(kMaxRepeat) + " groups of 32 with one instruction";
    addIterations(f, site);
    report(std::move(f));
    return stopped;
  }
  Sort sort;
  sort.scoreBytes = scoreBytes;
  sort.repeat = uint32_t(repeat);
  sort.dst = dst;
  sort.src = {scores, indices};
  return issueSort(site, sort);
}

int32_t Core::mergeSort(SiteId site, uint32_t scoreBytes, uint64_t dst,
                        const std::array<uint64_t, kMergeLists> &lists, uint64_t count, uint64_t config) {
  if (step(site))
    return 1;
  Sort sort;
  sort.merges = true;
  sort.scoreBytes = scoreBytes;
  sort.repeat = uint32_t(config & 0xff);
  sort.dst = dst;
  sort.src = lists;
  sort.suspends = config >> kSuspendBit & 1;
  for (size_t list = 0; list < kMergeLists; ++list)
    if (config >> (kListsAt + list) & 1)
      sort.length[list] = uint32_t(count >> (16 * list) & 0xffff);
  if (checks.memory)
    checkMerge(site, sort, count, config);
  return stopped ? 1 : issueSort(site, sort);
}

/// What no document defines about the two words of a merge.
void Core::checkMerge(SiteId site, const Sort &sort, uint64_t count, uint64_t config) {
  auto undefined = [&](std::string message, const char *help) {
    Finding f = finding("undefined-by-manual", site, std::move(message));
    f.help = help;
    addIterations(f, site);
    report(std::move(f));
  };
  std::string word = "the configuration " + hex(config) + " of " + opName(site);
  uint64_t enabled = config >> kListsAt & 0xf;
  if (config >> (kSuspendBit + 1))
    undefined(word + " has bits above bit 12, which belong to no field; they are ignored",
              "use bits 7:0 for the repeat count, 11:8 for the lists and 12 for the stop");
  if (enabled != 0x3 && enabled != 0x7 && enabled != 0xf)
    undefined(word + " enables the lists " + hex(enabled) + "; documents enable the first two, three or four",
              "put the lists that are merged first");
  if (sort.repeat == 0)
    undefined(word + " has a repeat count of 0; nothing is merged", "use a repeat count of at least 1");
  if (sort.repeat <= 1)
    return;
  bool regular = enabled == 0xf;
  for (size_t list = 1; list < kMergeLists; ++list)
    regular = regular && sort.length[list] == sort.length[0] &&
              sort.src[list] == sort.src[0] + list * sort.length[0] * kRecordBytes;
  if (!regular)
    undefined(word + " repeats a merge whose lists (lengths " + hex(count) +
                  ") are not four equal ones in a row; each turn starts " +
                  plural(uint64_t(kMergeLists) * sort.length[0], "record") + " further",
              "repeat only merges of four lists of equal length that follow each other");
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// True when the instruction may access these bytes.
bool Core::sortRange(const Entry &entry, uint64_t address, uint64_t bytes, uint32_t alignment,
                     std::string_view verb) {
  uint64_t size = bytesOf(Space::Ub);
  bool outside = bytes && (address > size || bytes > size - address);
  bool misaligned = checks.memory && address % alignment != 0;
  if (!outside && !misaligned)
    return true;
  std::string what = opName(entry.site) + " " + std::string(verb) + " ";
  Finding f = misaligned ? finding("ub-misaligned", entry.site,
                                   what + "UB at byte " + hex(address) + ", which is no multiple of " +
                                       std::to_string(alignment))
                         : finding("ub-out-of-bounds", entry.site,
                                   what + plural(bytes, "byte") + " of UB at " + hex(address) + "; UB has " +
                                       std::to_string(size) + " bytes");
  f.help = misaligned ? "align the address"
                      : "check the pointer, the repeat count and the lengths, in records of 8 bytes";
  f.bytes = ByteRange{"ub", "", address, address + bytes};
  f.iterations.assign(entry.iterations, entry.iterations + entry.depth);
  if (checks.memory)
    report(std::move(f));
  else
    fatal(std::move(f));
  return false;
}

void Core::observeSort(const Entry &entry, uint64_t address, uint64_t bytes, bool writes) {
  if (!observer || bytes == 0)
    return;
  LocalAccess access{entry.site,
                     Space::Ub,
                     nullptr,
                     address,
                     uint32_t(bytes),
                     nullptr,
                     writes ? VectorStore : VectorLoad,
                     /*inScope=*/false};
  if (writes)
    observer->directWrite(instr(entry), access);
  else
    observer->directRead(instr(entry), access);
}

/// No document says what becomes of inputs that the result overwrites: here all
/// of them are read first.
void Core::checkSortOverlap(const Entry &entry, uint64_t input, uint64_t inputBytes, uint64_t bytes) {
  uint64_t begin = std::max(input, entry.sort->dst),
           end = std::min(input + inputBytes, entry.sort->dst + bytes);
  if (!checks.memory || begin >= end)
    return;
  Finding f = finding("undefined-by-manual", entry.site,
                      opName(entry.site) +
                          " writes UB bytes that it reads; all are read before the first is written");
  f.help = "let the result stand apart from what is sorted";
  f.bytes = ByteRange{"ub", "", begin, end};
  f.iterations.assign(entry.iterations, entry.iterations + entry.depth);
  report(std::move(f));
}

/// Whether a merge that gets to the end of its lists writes to one of them.
static bool mayOverwriteInput(const Sort &sort, uint64_t stepsBytes, uint64_t total) {
  for (size_t list = 0; list < kMergeLists; ++list) {
    uint64_t bytes = uint64_t(sort.length[list]) * kRecordBytes;
    if (bytes && sort.src[list] < sort.dst + stepsBytes + total &&
        sort.dst < sort.src[list] + stepsBytes + bytes)
      return true;
  }
  return false;
}

void Core::executeSort(const Entry &entry) {
  if (entry.sort->merges)
    executeMerge(entry);
  else
    executeGroups(entry);
}

void Core::executeGroups(const Entry &entry) {
  const Sort &sort = *entry.sort;
  uint32_t scoreGroup = kSortGroup * sort.scoreBytes, indexGroup = kSortGroup * 4;
  uint64_t scoreBytes = uint64_t(sort.repeat) * scoreGroup, indexBytes = uint64_t(sort.repeat) * indexGroup;
  uint64_t bytes = uint64_t(sort.repeat) * kSortGroup * kRecordBytes;
  if (sort.repeat == 0 || !sortRange(entry, sort.src[0], scoreBytes, kBlockBytes, "reads") ||
      !sortRange(entry, sort.src[1], indexBytes, kBlockBytes, "reads") ||
      !sortRange(entry, sort.dst, bytes, kBlockBytes, "writes"))
    return;
  checkSortOverlap(entry, sort.src[0], scoreBytes, bytes);
  checkSortOverlap(entry, sort.src[1], indexBytes, bytes);
  observeSort(entry, sort.src[0], scoreBytes, false);
  observeSort(entry, sort.src[1], indexBytes, false);
  observeSort(entry, sort.dst, bytes, true);
  uint8_t *ub = memory(Space::Ub);
  sortRecords.resize(bytes);
  for (uint32_t q = 0; q < sort.repeat; ++q)
    sortGroup(sort.scoreBytes, ub + sort.src[0] + q * scoreGroup, ub + sort.src[1] + q * indexGroup,
              sortRecords.data() + q * kSortGroup * kRecordBytes);
  std::copy_n(sortRecords.data(), bytes, ub + sort.dst);
}

void Core::executeMerge(const Entry &entry) {
  const Sort &sort = *entry.sort;
  uint8_t *ub = memory(Space::Ub);
  // Each turn starts where four lists of the first one's length end.
  uint64_t stepBytes = uint64_t(kMergeLists) * sort.length[0] * kRecordBytes, total = 0;
  for (uint32_t length : sort.length)
    total += uint64_t(length) * kRecordBytes;
  sortRecords.resize(total);
  const uint8_t *input = ub;
  if (mayOverwriteInput(sort, sort.repeat * stepBytes, total)) {
    sortInput.assign(ub, ub + bytesOf(Space::Ub));
    input = sortInput.data();
  }
  for (uint32_t q = 0; q < sort.repeat; ++q) {
    uint64_t offset = q * stepBytes;
    std::array<const uint8_t *, kMergeLists> lists{};
    for (size_t list = 0; list < kMergeLists; ++list) {
      uint64_t bytes = uint64_t(sort.length[list]) * kRecordBytes;
      if (bytes == 0)
        continue;
      if (!sortRange(entry, sort.src[list] + offset, bytes, kRecordBytes, "reads"))
        return;
      lists[list] = input + sort.src[list] + offset;
    }
    std::array<uint32_t, kMergeLists> taken;
    uint64_t bytes = uint64_t(mergeLists(sort, lists, sortRecords.data(), taken)) * kRecordBytes;
    if (!sortRange(entry, sort.dst + offset, bytes, kRecordBytes, "writes"))
      return;
    vms4.value = 0;
    for (size_t list = 0; list < kMergeLists; ++list) {
      vms4.value |= uint64_t(taken[list]) << (16 * list);
      // What was taken, and the head that was compared last.
      uint64_t read = uint64_t(std::min(taken[list] + 1, sort.length[list])) * kRecordBytes;
      if (read)
        checkSortOverlap(entry, sort.src[list], offset + read, offset + bytes);
      observeSort(entry, sort.src[list] + offset, read, false);
    }
    observeSort(entry, sort.dst + offset, bytes, true);
    std::copy_n(sortRecords.data(), bytes, ub + sort.dst + offset);
  }
}

int32_t Core::vms4Status(SiteId site, uint64_t *result) {
  *result = 0;
  if (step(site))
    return 1;
  ++queue(Pipe::S).issued;
  ++queue(Pipe::S).started;
  if (observer) {
    Instr instruction{id, Pipe::S, queue(Pipe::S).issued, site, suIterations, depthOf(site)};
    observer->issue(instruction);
    observer->start(instruction);
    observer->statusRead(instruction, StatusRegister::Vms4Sr, vms4.writer);
  }
  *result = vms4.value;
  if (queued && schedule == ScheduleKind::Random)
    randomTurn();
  return stopped;
}

} // namespace ptoscope
