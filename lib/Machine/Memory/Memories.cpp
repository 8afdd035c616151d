//===- Memories.cpp - operands that leave their memory --------------------===//

#include "Memory/Memories.h"

namespace ptoscope {

bool Memories::refuse(const DirectHull &hull, SiteId site, Report &report) const {
  if (hull.space == Space::Gm) {
    refuseGm(hull, site, report);
    return false;
  }
  uint64_t size = bytesOf(hull.space);
  std::string space = spaceText(hull.space),
              what = "operand " + std::to_string(hull.operand) + " of " + report.opName(site);
  ByteRange bytes{std::string(nameOf(hull.space)), "", hull.begin, hull.end};
  if (hull.end <= size && hull.begin <= hull.end)
    report.refuse("ub-misaligned", site,
                  what + " starts at " + space + " byte " + hex(hull.begin) + ", which is no multiple of " +
                      std::to_string(hull.alignment),
                  "place the tile at a multiple of " + std::to_string(hull.alignment), bytes);
  else
    report.refuse(hull.space == Space::Ub ? "ub-out-of-bounds" : "local-out-of-bounds", site,
                  what + (hull.writes ? " writes " : " reads ") + space + " bytes " + hex(hull.begin) + ".." +
                      hex(hull.end - 1) + "; " + space + " has " + plural(size, "byte"),
                  "place the tile at a lower address, or make it smaller", bytes);
  return false;
}

/// Strides may be negative.
void Memories::refuseGm(const DirectHull &hull, SiteId site, Report &report) const {
  const GmObject *object = find(hull.begin); // that holds the first byte, if any does
  std::string what = report.opName(site) + (hull.writes ? " writes " : " reads ");
  if (const GmObject *last = object || hull.end < hull.begin ? nullptr : find(hull.end - 1))
    return report.refuse("gm-out-of-bounds", site,
                         what + plural(last->base - hull.begin, "byte") + " before the start of " +
                             quoted(last->name),
                         "check pointer, shape and strides of the view",
                         ByteRange{"gm", last->name, 0, hull.end - last->base});
  if (!object)
    return report.refuse(
        "unmapped-gm-address", site,
        what + plural(hull.end - hull.begin, "byte") +
            " of GM through a pointer that belongs to no registered buffer",
        "register the memory: pass `ptoscope::buffer(pointer, count)` to the launch, or allocate it "
        "with `aclrtMalloc`");
  uint64_t begin = hull.begin - object->base, end = hull.end - object->base;
  std::string name = quoted(object->name), covered = std::to_string(begin) + ".." + std::to_string(end - 1);
  ByteRange bytes{"gm", object->name, begin, end};
  if (hull.end < hull.begin || end > object->bytes)
    report.refuse("gm-out-of-bounds", site,
                  what + plural(end - object->bytes, "byte") + " beyond the end of " + name + " (" +
                      plural(object->bytes, "byte") + "): it covers bytes " + covered,
                  "pass a buffer of at least " + plural(end, "byte") +
                      ", or check pointer, shape and strides of the view",
                  bytes);
  else if (hull.writes && object->readOnly)
    report.refuse("gm-read-only", site, what + "bytes " + covered + " of " + name + ", which is read-only",
                  "write to another buffer, or register this one by a pointer to what is not const", bytes);
  else
    report.refuse("gm-misaligned", site,
                  what + name + " at byte " + std::to_string(begin) + ", which is no multiple of " +
                      std::to_string(hull.alignment),
                  "let the pointer stand at an element", bytes);
}

} // namespace ptoscope
