//===- ScalarMemory.cpp - scalar loads and stores -------------------------===//
//
// Accesses of the scalar unit, and of the scalar part of a vector scope, to UB
// and GM. Bounds of GM are exact whatever is checked: bytes beyond an object
// read as zero and writes there are dropped.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

/// A bad access is suppressed, or ends the block when nobody checks accesses.
void Core::reportAccess(SiteId site, Finding f) {
  addIterations(f, site);
  if (checks.memory)
    report(std::move(f));
  else
    fatal(std::move(f));
}

/// False: the access is suppressed (reported, or GM that does not exist).
bool Core::resolveScalar(SiteId site, uint32_t spaceNumber, uint64_t address, uint32_t bytes, bool isStore,
                         ScalarTarget &target) {
  Space space = Space(spaceNumber);
  std::string_view verb = isStore ? " writes " : " reads ";
  if ((space != Space::Ub && space != Space::Gm) || bytes == 0 || bytes > 8 || (bytes & (bytes - 1))) {
    internalError(site, "a scalar access of " + std::to_string(bytes) + " bytes to space " +
                            std::to_string(spaceNumber) + " does not exist");
    return false;
  }
  if (checks.memory && address % bytes != 0) {
    Finding f =
        finding("scalar-misaligned", site,
                opName(site) + std::string(verb) + std::to_string(bytes) + " bytes of " + spaceText(space) +
                    " at " + hex(address) + ", which is no multiple of " + std::to_string(bytes));
    f.help = "align the address to the size of the value";
    f.bytes = ByteRange{std::string(nameOf(space)), "", address, address + bytes};
    reportAccess(site, std::move(f));
    return false;
  }
  if (space == Space::Ub) {
    uint64_t size = bytesOf(space);
    if (address >= size || size - address < bytes) {
      Finding f = finding("ub-out-of-bounds", site,
                          opName(site) + std::string(verb) + std::to_string(bytes) + " bytes of UB at " +
                              hex(address) + "; UB has " + std::to_string(size) + " bytes");
      f.help = "check the pointer and the offset, which counts elements";
      f.bytes = ByteRange{"ub", "", address, address + bytes};
      reportAccess(site, std::move(f));
      return false;
    }
    target.host = memory(space) + address;
    target.present = bytes;
    return true;
  }

  const GmObject *object = setup.gm->find(address);
  if (object && object->bytes - (address - object->base) >= bytes && !(isStore && object->readOnly)) {
    target.host = object->host + (address - object->base);
    target.object = object;
    target.present = bytes;
    return true;
  }
  if (!checks.memory) {
    // The bytes that exist are accessed, the others are zero or dropped.
    bool starts = object != nullptr;
    if (!object)
      object = setup.gm->find(address + bytes - 1);
    if (!object || (isStore && object->readOnly))
      return false;
    target.object = object;
    target.skipFront = starts ? 0 : uint32_t(object->base - address);
    target.host = object->host + (starts ? address - object->base : 0);
    target.present = uint32_t(std::min<uint64_t>(bytes - target.skipFront, object->base + object->bytes -
                                                                               (address + target.skipFront)));
    return true;
  }
  const GmObject *nearest = object ? object : setup.gm->nearest(address);
  Finding f;
  uint64_t distance = !nearest                  ? UINT64_MAX
                      : address < nearest->base ? nearest->base - address
                                                : address - nearest->base;
  if (object && isStore && object->readOnly && object->bytes - (address - object->base) >= bytes) {
    f = finding("gm-read-only", site,
                opName(site) + " writes byte " + std::to_string(address - object->base) + " of `" +
                    object->name + "`, which is read-only");
    f.help = "write to another buffer, or pass this one as writable";
    f.bytes = ByteRange{"gm", object->name, address - object->base, address - object->base + bytes};
  } else if (nearest && distance <= nearest->bytes + std::max<uint64_t>(nearest->bytes, 4096)) {
    bool before = address < nearest->base;
    f = finding("gm-out-of-bounds", site,
                opName(site) + std::string(verb) + std::to_string(bytes) + " bytes at " +
                    (before ? "byte -" : "byte ") + std::to_string(distance) + " of `" + nearest->name +
                    "`, which has " + std::to_string(nearest->bytes) +
                    (nearest->bytes == 1 ? " byte" : " bytes"));
    f.help = before ? "check the offset, which is negative"
                    : "pass a buffer of at least " + std::to_string(distance + bytes) + " bytes for `" +
                          nearest->name + "`, or check the offset, which counts elements";
    if (!before)
      f.bytes = ByteRange{"gm", nearest->name, distance, distance + bytes};
  } else {
    f = finding("unmapped-gm-address", site,
                opName(site) + std::string(verb) + std::to_string(bytes) + " bytes of GM at " + hex(address) +
                    ", where no buffer is");
    f.help = "derive GM addresses from the kernel's parameters";
    f.bytes = ByteRange{"gm", "", address, address + bytes};
  }
  reportAccess(site, std::move(f));
  return false;
}

void Core::observeScalar(SiteId site, uint32_t space, const ScalarTarget &target, uint64_t address,
                         uint32_t bytes, bool inScope, bool isStore) {
  LocalAccess access{
      site,   Space(space), target.object, address, bytes, nullptr, isStore ? ScalarStore : ScalarLoad,
      inScope};
  auto emit = [&](const Instr &instruction) {
    if (isStore)
      observer->scalarStore(instruction, access);
    else
      observer->scalarLoad(instruction, access);
  };
  if (inScope && runningScope) {
    emit(instr(*runningScope));
    return;
  }
  Instr instruction{id, Pipe::S, queue(Pipe::S).issued, site, suIterations, depthOf(site)};
  observer->issue(instruction);
  observer->start(instruction);
  emit(instruction);
}

bool Core::beginScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope, bool writes,
                       ScalarTarget &target) {
  if (inScope ? stopped : step(site))
    return false;
  if (!inScope) {
    ++queue(Pipe::S).issued;
    ++queue(Pipe::S).started;
  }
  if (!resolveScalar(site, space, address, bytes, writes, target))
    return false;
  if (observer)
    observeScalar(site, space, target, address, bytes, inScope, writes);
  return true;
}

int32_t Core::loadScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope,
                         uint64_t *result) {
  *result = 0;
  ScalarTarget target;
  if (!beginScalar(site, space, address, bytes, inScope, false, target))
    return stopped;
  uint8_t value[8] = {};
  std::memcpy(value + target.skipFront, target.host, target.present);
  if (inScope && !storeBuffer.empty() && Space(space) == Space::Ub)
    storeBuffer.overlay(target.host, bytes, value);
  for (uint32_t i = 0; i < bytes; ++i)
    *result |= uint64_t(value[i]) << (8 * i);
  if (!inScope && queued && schedule == ScheduleKind::Random)
    randomTurn();
  return stopped;
}

int32_t Core::storeScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope,
                          uint64_t value) {
  ScalarTarget target;
  if (!beginScalar(site, space, address, bytes, inScope, true, target))
    return stopped;
  uint8_t raw[8];
  for (uint32_t i = 0; i < bytes; ++i)
    raw[i] = uint8_t(value >> (8 * i));
  if (inScope && schedule == ScheduleKind::Random && Space(space) == Space::Ub) {
    storeBuffer.addScalar(random, target.host, bytes, raw);
    return stopped;
  }
  // A store that changes nothing cannot end a loop that waits for a change.
  if (std::memcmp(target.host, raw + target.skipFront, target.present) != 0)
    ++changes;
  std::memcpy(target.host, raw + target.skipFront, target.present);
  if (!inScope && queued && schedule == ScheduleKind::Random)
    randomTurn();
  return stopped;
}

} // namespace ptoscope
