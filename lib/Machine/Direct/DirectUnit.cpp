//===- DirectUnit.cpp - effect of direct instructions ---------------------===//

#include "Direct/DirectUnit.h"

#include "ptoscope/Machine/Onlooker.h"

namespace ptoscope {

/// Those who time a launch want to know what it touches of GM, and nothing else.
static bool mayReachGm(Pipe pipe) {
  return pipe == Pipe::MTE2 || pipe == Pipe::MTE3 || pipe == Pipe::FIX || pipe == Pipe::S;
}

void DirectUnit::effectInSteps(const Instr &instr, const DirectInstruction &instruction) {
  const void *payload = instruction.payload;
  if (instruction.atomic)
    atomics->enter();
  if (instruction.prepare && !dataless && !instruction.prepare(payload, instr))
    return;
  if (observer) {
    regions.clear();
    if (wantsRegions || mayReachGm(instruction.pipe))
      instruction.regions(payload, regions);
    for (DirectRegion &region : regions)
      if (region.space == Space::Gm)
        region.object = memories->find(region.box.lowest());
    observer->direct(instr, {regions, instruction});
  }
  if (instruction.problem && report->checks.memory)
    if (Fact problem = instruction.problem(payload); problem.code)
      report->tell(instr.site, problem);
  if (!dataless)
    instruction.run(payload);
  if (onlooker)
    onlooker->direct(report->context, instr.site, instruction);
}

void DirectUnit::effectOfUnit(const Instr &instr, const DirectInstruction &instruction, uint64_t after) {
  if (observer && after)
    observer->unitCheck(instr, unitPartner(instr.pipe), after);
  effect(instr, instruction);
  if (observer && passesTile(instruction.unit.flag))
    observer->unitPass(instr);
}

uint32_t DirectUnit::numberOf(CoreId core, const Storage &storage) {
  if (!observer || !report->checks.memory)
    return 0;
  auto [known, isNew] =
      storages.try_emplace(uint64_t(storage.site) << 32 | storage.begin, uint32_t(storages.size() + 1));
  if (isNew)
    observer->storage(core, known->second, storage);
  return known->second;
}

} // namespace ptoscope
