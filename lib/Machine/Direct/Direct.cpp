//===- Direct.cpp - direct instructions, as they are issued ---------------===//
//
// Under the eager schedule one that nothing holds up runs in the issuer's call,
// without a copy of its operands; its regions are made only for observers.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Direct.h"

#include "Core.h"

namespace ptoscope {

int32_t Core::direct(SiteId site, const DirectInstruction &instruction, std::span<const DirectHull> hulls) {
  if (step(site))
    return 1;
  elision.settle();
  if (!pipes.has(instruction.pipe))
    return lacksPipe(site, "a direct instruction on", uint32_t(instruction.pipe));
  for (const DirectHull &hull : hulls)
    if (!memories.admits(hull, site, report))
      return report.stopped;
  if (instruction.pipe == Pipe::S) {
    // The scalar unit does it itself, at once, like any of its stores.
    directs.effect(pipes.passScalar(site), instruction);
    ++scalar.changes;
    return afterAccess();
  }
  if (const UnitUse &use = instruction.unit; use.flag != UnitFlag::None) {
    uint64_t number = pipes[instruction.pipe].issued + 1;
    uint64_t after = sync.units.issue(instruction.pipe, use.flag, number, use.begin, use.end);
    UnitOperation op(directs, instruction, pipes, after);
    return issue(op, instruction.pipe, site);
  }
  if (pipes.passDirectly(instruction.pipe, site)) {
    directs.effect(pipes.passing, instruction);
    // A release of mode 1 may have waited for it.
    if (pipes.queued)
      pipes.pump();
    return report.stopped;
  }
  DirectOperation op(directs, instruction);
  return issue(op, instruction.pipe, site);
}

void Core::openToHost(Space space, uint64_t begin, uint64_t bytes) {
  if (report.stopped)
    return;
  elision.settle();
  if (pipes.queued)
    pipes.runAll();
  if (pipes.observer)
    pipes.observer->openToHost(id, space, begin, bytes);
}

int32_t issueDirect(PtoContext *core, SiteId site, const DirectInstruction &instruction,
                    std::span<const DirectHull> hulls) {
  return coreOf(core).direct(site, instruction, hulls);
}
void openToHost(PtoContext *core, Space space, uint64_t begin, uint64_t bytes) {
  coreOf(core).openToHost(space, begin, bytes);
}
uint32_t numberOf(PtoContext *core, const Storage &storage) {
  return coreOf(core).directs.numberOf(coreOf(core).id, storage);
}
int32_t reportAt(PtoContext *core, SiteId site, const Fact &fact, bool fatal) {
  Report &report = coreOf(core).report;
  if (report.stopped)
    return 1;
  if (fatal)
    return report.end(site, fact);
  report.tell(site, fact);
  return report.stopped;
}
void stopBlock(PtoContext *core) { coreOf(core).report.stopAll(); }
bool isStopped(const PtoContext *core) { return coreOf(core).report.stopped; }
bool isResident(const PtoContext *core) { return coreOf(core).setup.resident || core->blockNum == 1; }
uint32_t localBytes(const PtoContext *core, Space space) { return coreOf(core).memories.bytesOf(space); }
UbTarget ubOf(const PtoContext *context, unsigned subblock) {
  const Core &core = coreOf(context);
  return core.memories.targetUb(core.kind, core.id, subblock);
}
uint64_t controlWord(const PtoContext *core) { return uint64_t(coreOf(core).scalar.registers.ctrl); }
VectorMask vectorMask(const PtoContext *core) {
  constexpr unsigned kCountBit = 56;
  const Registers &registers = coreOf(core).scalar.registers;
  return {{uint64_t(registers.mask[0]), uint64_t(registers.mask[1])}, (registers.ctrl >> kCountBit & 1) != 0};
}
bool checksRaces(const PtoContext *core) { return coreOf(core).report.checks.race; }
bool checksMemory(const PtoContext *core) { return coreOf(core).report.checks.memory; }
const Profile &profileOf(const PtoContext *core) { return *coreOf(core).setup.options->profile; }
std::string siteText(const PtoContext *core, SiteId site) {
  const Report &report = coreOf(core).report;
  return report.lineText(site) + ": " + (report.knows(site) ? (*report.sites)[site].op : "");
}
std::string placeText(const PtoContext *core, SiteId site) { return coreOf(core).report.lineText(site); }
const std::string &tokenOf(const PtoContext *core, SiteId site) { return (*coreOf(core).report.sites)[site].token; }
std::string whoText(const PtoContext *context) {
  const Core &core = coreOf(context);
  if (core.setup.options->devices > 1)
    return ", " + (core.setup.mixed ? say::kOf(core.id, blockText(core.setup)) : blockText(core.setup));
  if (core.setup.mixed)
    return say::kOfCore(core.id, core.blockIdx);
  return core.blockNum == 1 ? "" : say::kOfBlock(core.blockIdx);
}
void print(const PtoContext *context, std::string_view text) {
  const BlockSetup &setup = coreOf(context).setup;
  setup.order->print(setup.block, text);
}
const GmObject *objectAt(const PtoContext *core, uint64_t address) { return coreOf(core).memories.find(address); }
bool isUnregistered(const PtoContext *core, uint64_t address) { return coreOf(core).memories.isUnregistered(address); }
uint8_t *hostOf(const PtoContext *core, uint64_t address) {
  const GmObject *object = objectAt(core, address);
  return object ? object->host + (address - object->base) : nullptr;
}
std::unique_ptr<Attachment> &attachmentOf(PtoContext *core) { return coreOf(core).attachment; }

} // namespace ptoscope
