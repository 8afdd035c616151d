//===- Memories.cpp - operands that leave their memory --------------------===//

#include "Memory/Memories.h"

namespace ptoscope {

bool Memories::refuse(const DirectHull &hull, SiteId site, Report &report) const {
  if (hull.space == Space::Gm) {
    refuseGm(hull, site, report);
    return false;
  }
  uint64_t size = bytesOf(hull.space);
  ByteRange bytes{std::string(nameOf(hull.space)), "", hull.begin, hull.end};
  if (hull.end <= endOf(hull.space, hull.begin) && hull.begin <= hull.end)
    report.refuse(site, say::kOperandMisaligned(hull.operand, hull.space, hull.begin, hull.alignment), bytes);
  else
    report.refuse(site,
                  (hull.space == Space::Fb ? say::kFbOperandBounds : say::kOperandBounds)
                      .as(say::boundsCode(hull.space))(hull.operand, say::readsOrWrites(hull.writes), hull.space,
                                                       hull.begin, hull.end - 1, size),
                  bytes);
  return false;
}

/// Strides may be negative.
void Memories::refuseGm(const DirectHull &hull, SiteId site, Report &report) const {
  const GmObject *object = find(hull.begin); // that holds the first byte, if any does
  const char *verb = say::readsOrWrites(hull.writes);
  if (const GmObject *last = object || hull.end < hull.begin ? nullptr : find(hull.end - 1))
    return report.refuse(site, say::kViewBeforeGm(verb, last->base - hull.begin, last->name),
                         ByteRange{"gm", last->name, 0, hull.end - last->base});
  // Shortly behind a buffer: a block or a slot too many.
  constexpr uint64_t kShortly = 4096;
  if (const GmObject *near = object ? nullptr : nearest(hull.begin);
      near && hull.begin > near->base && hull.begin - near->base - near->bytes < kShortly)
    object = near;
  if (!object) {
    const std::string former = gm->formerName ? gm->formerName(hull.begin) : "";
    return report.refuse(site,
                         former.empty() ? say::kUnregistered(verb, hull.end - hull.begin) : say::kFreed(verb, former));
  }
  uint64_t begin = hull.begin - object->base, end = hull.end - object->base;
  ByteRange bytes{"gm", object->name, begin, end};
  if (hull.end < hull.begin || end > object->bytes)
    report.refuse(
        site,
        say::kViewBehindGm(verb, plural(end - object->bytes, "byte"), object->name, object->bytes, begin, end - 1, end),
        bytes);
  else if (hull.writes && object->readOnly)
    report.refuse(site, say::kViewReadOnly(say::kCovered(begin, end - 1), object->name), bytes);
  else
    report.refuse(site, say::kGmMisaligned(verb, object->name, begin, hull.alignment), bytes);
}

} // namespace ptoscope
