//===- Direct.cpp - instructions that bring their own meaning -------------===//
//
// Issue, bounds and effect of direct instructions. Under the eager schedule one
// that nothing holds up runs in the issuer's call, without a copy of its operands;
// its regions are made only for observers.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Direct.h"

#include "Group/CoreGroup.h"

namespace ptoscope {

static std::string bytesText(uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

int32_t Core::direct(SiteId site, const DirectInstruction &instruction, std::span<const DirectHull> hulls) {
  if (step(site))
    return 1;
  if (!hasPipe(instruction.pipe))
    return internalError(site, "a direct instruction on " + std::string(nameOf(instruction.pipe)) +
                                   ", which this core does not have");
  for (const DirectHull &hull : hulls)
    if (!hullInside(site, hull))
      return stopped;
  if (instruction.pipe == Pipe::S)
    return directScalar(site, instruction);
  if (passDirectly(instruction.pipe, site)) {
    takeEffect(passing, instruction);
    // A release of mode 1 may have waited for it.
    if (queued)
      pump();
    return stopped;
  }
  Entry entry = makeEntry(OpKind::Direct, instruction.pipe, site);
  entry.direct = &instruction;
  return submit(entry);
}

/// The scalar unit does it itself, at once, like any of its stores.
int32_t Core::directScalar(SiteId site, const DirectInstruction &direct) {
  ++queue(Pipe::S).issued;
  ++queue(Pipe::S).started;
  Instr instruction{id, Pipe::S, queue(Pipe::S).issued, site, suIterations, depthOf(site)};
  if (observer) {
    observer->issue(instruction);
    observer->start(instruction);
  }
  takeEffect(instruction, direct);
  ++changes;
  if (queued && schedule == ScheduleKind::Random)
    randomTurn();
  return stopped;
}

/// False: the instruction is suppressed, and that was reported.
bool Core::hullInside(SiteId site, const DirectHull &hull) {
  if (hull.space == Space::Gm) {
    const GmObject *object = setup.gm->find(hull.begin);
    if (object && hull.end - object->base <= object->bytes && hull.end >= hull.begin &&
        !(hull.writes && object->readOnly) && ((hull.begin & (hull.alignment - 1)) == 0 || !checks.memory)) [[likely]]
      return true;
    badGmHull(site, hull, object);
    return false;
  }
  uint64_t size = bytesOf(hull.space);
  bool inside = hull.end <= size && hull.begin <= hull.end;
  if (inside && ((hull.begin & (hull.alignment - 1)) == 0 || !checks.memory)) [[likely]]
    return true;
  std::string space = spaceText(hull.space), what = "operand " + std::to_string(hull.operand) + " of " + opName(site);
  Finding f = inside ? finding("ub-misaligned", site,
                               what + " starts at " + space + " byte " + hex(hull.begin) +
                                   ", which is no multiple of " + std::to_string(hull.alignment))
                     : finding(hull.space == Space::Ub ? "ub-out-of-bounds" : "local-out-of-bounds", site,
                               what + (hull.writes ? " writes" : " reads") + " " + space + " bytes " +
                                   hex(hull.begin) + ".." + hex(hull.end - 1) + "; " + space + " has " +
                                   bytesText(size));
  f.help = inside ? "place the tile at a multiple of " + std::to_string(hull.alignment)
                  : "place the tile at a lower address, or make it smaller";
  f.bytes = ByteRange{std::string(nameOf(hull.space)), "", hull.begin, hull.end};
  reportAccess(site, std::move(f));
  return false;
}

/// `object` holds the first byte, if any does. Strides may be negative.
void Core::badGmHull(SiteId site, const DirectHull &hull, const GmObject *object) {
  std::string what = opName(site) + (hull.writes ? " writes " : " reads "), name = object ? "`" + object->name + "`" : "";
  Finding f;
  if (const GmObject *last = object || hull.end < hull.begin ? nullptr : setup.gm->find(hull.end - 1)) {
    f = finding("gm-out-of-bounds", site,
                what + bytesText(last->base - hull.begin) + " before the start of `" + last->name + "`");
    f.help = "check pointer, shape and strides of the view";
    f.bytes = ByteRange{"gm", last->name, 0, hull.end - last->base};
    reportAccess(site, std::move(f));
    return;
  }
  if (!object) {
    f = finding("unmapped-gm-address", site,
                what + bytesText(hull.end - hull.begin) + " of GM through a pointer that belongs to no registered buffer");
    f.help = "register the memory: pass `ptoscope::buffer(pointer, count)` to the launch, or allocate it "
             "with `aclrtMalloc`";
    reportAccess(site, std::move(f));
    return;
  }
  uint64_t begin = hull.begin - object->base, end = hull.end - object->base;
  if (hull.end < hull.begin || end > object->bytes) {
    f = finding("gm-out-of-bounds", site,
                what + bytesText(end - object->bytes) + " beyond the end of " + name + " (" +
                    bytesText(object->bytes) + "): it covers bytes " + std::to_string(begin) + ".." +
                    std::to_string(end - 1));
    f.help = "pass a buffer of at least " + bytesText(end) + ", or check pointer, shape and strides of the view";
  } else if (hull.writes && object->readOnly) {
    f = finding("gm-read-only", site,
                what + "bytes " + std::to_string(begin) + ".." + std::to_string(end - 1) + " of " + name +
                    ", which is read-only");
    f.help = "write to another buffer, or register this one by a pointer to what is not const";
  } else {
    f = finding("gm-misaligned", site,
                what + name + " at byte " + std::to_string(begin) + ", which is no multiple of " +
                    std::to_string(hull.alignment));
    f.help = "let the pointer stand at an element";
  }
  f.bytes = ByteRange{"gm", object->name, begin, end};
  reportAccess(site, std::move(f));
}

void Core::takeEffect(const Instr &instruction, const DirectInstruction &direct) {
  if (direct.atomic && !lowerBlocksDone) {
    // Float sums are formed in block order, whatever the number of threads.
    setup.order->waitForLowerBlocks(setup.block);
    lowerBlocksDone = true;
  }
  if (observer) {
    directRegions.clear();
    direct.regions(direct.payload, directRegions);
    for (DirectRegion &region : directRegions)
      if (region.space == Space::Gm)
        region.object = setup.gm->find(region.box.lowest());
    observer->direct(instruction, {directRegions, direct});
  }
  if (direct.problem && checks.memory)
    if (DirectProblem problem = direct.problem(direct.payload); problem.code) {
      Finding f = finding(problem.code, instruction.site, opName(instruction.site) + " " + problem.message);
      f.help = std::move(problem.help);
      reportAccess(instruction.site, std::move(f));
    }
  direct.run(direct.payload);
}

void Core::openToHost(Space space, uint64_t begin, uint64_t bytes) {
  if (stopped)
    return;
  if (queued)
    runAll();
  if (observer)
    observer->openToHost(id, space, begin, bytes);
}

int32_t Core::reportAt(SiteId site, std::string_view code, std::string message, std::string help, bool ends) {
  if (stopped)
    return 1;
  Finding f = finding(code, site, std::move(message));
  f.help = std::move(help);
  addIterations(f, site);
  if (ends)
    return fatal(std::move(f));
  report(std::move(f));
  return stopped;
}

void Core::stopBlock() {
  stopped = true;
  if (setup.group)
    setup.group->stop();
}

static Core &coreOf(PtoContext *context) { return *static_cast<Core *>(context); }
static const Core &coreOf(const PtoContext *context) { return *static_cast<const Core *>(context); }

int32_t issueDirect(PtoContext *core, SiteId site, const DirectInstruction &instruction,
                    std::span<const DirectHull> hulls) {
  return coreOf(core).direct(site, instruction, hulls);
}
void openToHost(PtoContext *core, Space space, uint64_t begin, uint64_t bytes) {
  coreOf(core).openToHost(space, begin, bytes);
}
int32_t reportAt(PtoContext *core, SiteId site, std::string_view code, std::string message, std::string help,
                 bool fatal) {
  return coreOf(core).reportAt(site, code, std::move(message), std::move(help), fatal);
}
void stopBlock(PtoContext *core) { coreOf(core).stopBlock(); }
bool isStopped(const PtoContext *core) { return coreOf(core).isStopped(); }
bool isResident(const PtoContext *core) { return coreOf(core).isResident(); }
uint32_t localBytes(const PtoContext *core, Space space) { return coreOf(core).sizeOf(space); }

} // namespace ptoscope
