//===- ScalarMemory.cpp - scalar loads and stores -------------------------===//
//
// Accesses of the scalar unit, and of the scalar part of a vector scope, to UB
// and GM. Bounds of GM are exact whatever is checked: bytes beyond an object
// read as zero and writes there are dropped.
//
//===----------------------------------------------------------------------===//

#include "Scalar/ScalarUnit.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

bool ScalarUnit::resolve(SiteId at, uint32_t spaceNumber, uint64_t address, uint32_t bytes, bool isStore,
                         ScalarTarget &target) {
  Space space = Space(spaceNumber);
  bool checked = report->checks.memory;
  const char *verb = say::readsOrWrites(isStore);
  auto range = [&] { return ByteRange{std::string(nameOf(space)), "", address, address + bytes}; };
  if ((space != Space::Ub && space != Space::Gm) || bytes == 0 || bytes > 8 || (bytes & (bytes - 1))) {
    report->internalError(at, say::kBugScalar(bytes, spaceNumber));
    return false;
  }
  if (checked && address % bytes != 0) {
    report->refuse(at, say::kScalarMisaligned(verb, bytes, space, address), range());
    return false;
  }
  if (space == Space::Ub) {
    uint64_t size = memories->bytesOf(space);
    if (address >= size || size - address < bytes) {
      report->refuse(at, say::kScalarBounds(verb, bytes, address, size), range());
      return false;
    }
    target.host = memories->base(space) + address;
    target.present = bytes;
    return true;
  }

  const GmObject *object = memories->find(address);
  if (object && object->bytes - (address - object->base) >= bytes && !(isStore && object->readOnly)) {
    target.host = object->host + (address - object->base);
    target.object = object;
    target.present = bytes;
    return true;
  }
  if (!checked) {
    // The bytes that exist are accessed, the others are zero or dropped.
    bool starts = object != nullptr;
    if (!object)
      object = memories->find(address + bytes - 1);
    if (!object || (isStore && object->readOnly))
      return false;
    target.object = object;
    target.skipFront = starts ? 0 : uint32_t(object->base - address);
    target.host = object->host + (starts ? address - object->base : 0);
    target.present = uint32_t(
        std::min<uint64_t>(bytes - target.skipFront, object->base + object->bytes - (address + target.skipFront)));
    return true;
  }
  const GmObject *nearest = object ? object : memories->nearest(address);
  uint64_t distance = !nearest                  ? UINT64_MAX
                      : address < nearest->base ? nearest->base - address
                                                : address - nearest->base;
  if (object && isStore && object->readOnly && object->bytes - (address - object->base) >= bytes) {
    report->refuse(at, say::kReadOnly(say::kByte(distance), object->name),
                   ByteRange{"gm", object->name, distance, distance + bytes});
  } else if (nearest && distance <= nearest->bytes + std::max<uint64_t>(nearest->bytes, 4096)) {
    if (address < nearest->base)
      report->refuse(at, say::kScalarBeforeGm(verb, bytes, distance, nearest->name, nearest->bytes));
    else
      report->refuse(at, say::kScalarBehindGm(verb, bytes, distance, nearest->name, nearest->bytes, distance + bytes),
                     ByteRange{"gm", nearest->name, distance, distance + bytes});
  } else {
    report->refuse(at, say::kUnmapped(verb, say::kBytes(bytes), address), range());
  }
  return false;
}

void ScalarUnit::store(const ScalarTarget &target, const uint8_t *value) {
  // A store that changes nothing cannot end a loop that waits for a change.
  changes += std::memcmp(target.host, value + target.skipFront, target.present) != 0;
  std::memcpy(target.host, value + target.skipFront, target.present);
}

} // namespace ptoscope
