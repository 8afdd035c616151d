//===- DirectChecks.cpp - race and init checks of direct instructions -----===//
//
// A direct instruction tells all its regions at once. Uses are looked at before
// anything it defines, so that an instruction may write what it reads.
//
//===----------------------------------------------------------------------===//

#include "BlockChecker.h"

#include <algorithm>
#include <vector>

namespace ptoscope {

static AccessKind accessOf(const DirectRegion &region) {
  if (region.role == DirectRole::Atomic)
    return region.update;
  return writes(region.role) ? AccessKind::Write : AccessKind::Read;
}

static bool uses(const DirectRegion &region) {
  return region.space != Space::Gm && (region.role == DirectRole::Read || region.role == DirectRole::Update);
}

void BlockChecker::direct(const Instr &instr, const DirectEvent &event) {
  Slot slot = begin(instr);
  // Asked before its own writes are noted: in place, it would be the origin of what it reads.
  std::vector<std::pair<const DirectRegion *, Undefined>> used;
  if (checks.init)
    for (const DirectRegion &region : event.regions)
      if (uses(region))
        if (Undefined undefined = undefinedOf(memory(ownerOf(region, instr), region.space), region.box);
            undefined.count)
          used.emplace_back(&region, undefined);
  for (const DirectRegion &region : event.regions) {
    CoreId owner = ownerOf(region, instr);
    if (!region.runs.empty()) {
      touchRuns(instr, slot, region, accessOf(region));
      continue;
    }
    if (region.role == DirectRole::Update)
      touchBox(instr, slot, owner, region.space, region.object, region.box, AccessKind::Read);
    touchBox(instr, slot, owner, region.space, region.object, region.box, accessOf(region));
  }
  if (hasStorages)
    checkStorages(instr, event);
  if (!checks.init)
    return;
  for (const auto &[region, undefined] : used)
    reporter.undefinedDirect(instr, {region->space, nullptr, undefined.first, region->box.end()}, undefined);
  bool copiesDefined = allCopiedDefined(instr, event), toGm = false;
  for (const DirectRegion &region : event.regions)
    toGm |= region.space == Space::Gm && writes(region.role);
  if (!copiesDefined && toGm)
    for (const DirectRegion &region : event.regions)
      if (region.role == DirectRole::Copy && region.space != Space::Gm)
        storeDirect(instr, region);
  bool carries = !copiesDefined && !toGm && event.instruction.carry;
  // Results come last: scratch may be the destination, too (TILE-17).
  for (bool scratch : {true, false})
    for (const DirectRegion &region : event.regions) {
      if (region.space == Space::Gm || !writes(region.role) || (region.role == DirectRole::Scratch) != scratch)
        continue;
      DefinedMap &map = *memory(ownerOf(region, instr), region.space).defined;
      region.box.forEachRow([&](uint64_t start, uint64_t bytes) {
        if (scratch)
          map.undefine(start, bytes, clobberer(instr.site));
        else if (!carries)
          map.define(start, bytes);
      });
    }
  if (carries)
    carryDirect(instr, event);
}

/// Undefined bytes of a region that leaves for GM.
void BlockChecker::storeDirect(const Instr &instr, const DirectRegion &region) {
  Undefined undefined = undefinedOf(memory(ownerOf(region, instr), region.space), region.box);
  const uint64_t first = undefined.first;
  if (undefined.count)
    reporter.undefinedStore(instr, {region.space, nullptr, first, first + 1}, undefined, region.box.bytes());
}

bool BlockChecker::allCopiedDefined(const Instr &instr, const DirectEvent &event) {
  uint64_t undefined = 0;
  for (const DirectRegion &region : event.regions) {
    if (region.role != DirectRole::Copy || region.space == Space::Gm)
      continue;
    DefinedMap &map = *memory(ownerOf(region, instr), region.space).defined;
    region.box.forEachRow(
        [&](uint64_t start, uint64_t bytes) { undefined += map.countUndefined(start, bytes, nullptr); });
  }
  return undefined == 0;
}

/// Lets the instruction move marks instead of data.
void BlockChecker::carryDirect(const Instr &instr, const DirectEvent &event) {
  struct Operand {
    uint64_t begin = UINT64_MAX, end = 0;
    std::vector<uint8_t> marks;
  };
  std::array<Operand, 256> operands;
  for (const DirectRegion &region : event.regions) {
    if (region.space == Space::Gm || region.box.empty())
      continue;
    Operand &operand = operands[region.operand];
    operand.begin = std::min(operand.begin, region.box.lowest());
    operand.end = std::max(operand.end, region.box.end());
  }
  std::array<DirectMarks, 256> marks{};
  for (const DirectRegion &region : event.regions) {
    Operand &operand = operands[region.operand];
    if (region.space == Space::Gm || operand.begin >= operand.end)
      continue;
    if (operand.marks.empty())
      operand.marks.resize(operand.end - operand.begin);
    marks[region.operand] = {operand.marks.data(), operand.begin};
    const DefinedMap &map = *memory(ownerOf(region, instr), region.space).defined;
    region.box.forEachRow([&](uint64_t start, uint64_t bytes) {
      if (map.countUndefined(start, bytes, nullptr) == 0)
        return;
      for (uint64_t i = start; i < start + bytes; ++i)
        operand.marks[i - operand.begin] = map.countUndefined(i, 1, nullptr) ? 0xff : 0;
    });
  }
  event.instruction.carry(event.instruction.payload, marks.data());
  for (const DirectRegion &region : event.regions) {
    if (region.space == Space::Gm || !writes(region.role) || region.role == DirectRole::Scratch)
      continue;
    DefinedMap &map = *memory(ownerOf(region, instr), region.space).defined;
    const Operand &operand = operands[region.operand];
    region.box.forEachRow([&](uint64_t start, uint64_t bytes) {
      map.define(start, bytes);
      for (uint64_t i = start; i < start + bytes; ++i)
        if (operand.marks[i - operand.begin])
          map.undefine(i, 1, 0);
    });
  }
}

void BlockChecker::storage(CoreId core, uint32_t number, const Storage &storage) {
  Memory &target = memory(core, storage.space);
  if (!target.storages)
    target.storages = std::make_unique<StorageShadow>();
  target.storages->add(core, number, storage);
  hasStorages = true;
}

/// Reads before writes: an instruction may overwrite what it reads.
void BlockChecker::checkStorages(const Instr &instr, const DirectEvent &event) {
  auto shadowOf = [&](const DirectRegion &region) {
    return region.space == Space::Gm ? nullptr : memory(ownerOf(region, instr), region.space).storages.get();
  };
  auto reads = [](DirectRole role) { return !writes(role) || role == DirectRole::Update; };
  for (const DirectRegion &region : event.regions)
    if (StorageShadow *shadow = shadowOf(region); shadow && region.storage && reads(region.role))
      if (std::optional<StorageShadow::Loss> loss = shadow->read(instr.core, region.storage, region.box)) [[unlikely]]
        reporter.clobbered(instr, region.space, *loss);
  // What an instruction reads and writes by one tile, it changes for every tile that has the bytes.
  auto changes = [&](const DirectRegion &written) {
    return std::any_of(event.regions.begin(), event.regions.end(), [&](const DirectRegion &region) {
      return reads(region.role) && region.space == written.space && region.storage == written.storage &&
             region.box.base == written.box.base && region.box.rowBytes == written.box.rowBytes &&
             region.box.dims == written.box.dims;
    });
  };
  for (const DirectRegion &region : event.regions)
    if (StorageShadow *shadow = shadowOf(region); shadow && writes(region.role))
      if (!shadow->isOfAnother(instr.core, region.storage, region.box) || !changes(region))
        shadow->write(instr.core, region.storage, instr.site, region.box);
}

void BlockChecker::openToHost(CoreId core, Space space, uint64_t begin, uint64_t bytes) {
  forgetStorage(core, space, begin, bytes);
  if (checks.init)
    memory(core, space).defined->define(begin, bytes);
}

} // namespace ptoscope
