//===- DirectUnit.cpp - effect of direct instructions ---------------------===//

#include "Direct/DirectUnit.h"

namespace ptoscope {

void DirectUnit::effectInSteps(const Instr &instr, const DirectInstruction &instruction) {
  const void *payload = instruction.payload;
  if (instruction.atomic)
    atomics->enter();
  if (instruction.prepare && !instruction.prepare(payload, instr))
    return;
  if (observer) {
    regions.clear();
    instruction.regions(payload, regions);
    for (DirectRegion &region : regions)
      if (region.space == Space::Gm)
        region.object = memories->find(region.box.lowest());
    observer->direct(instr, {regions, instruction});
  }
  if (instruction.problem && report->checks.memory)
    if (Fact problem = instruction.problem(payload); problem.code)
      report->tell(instr.site, problem);
  instruction.run(payload);
}

} // namespace ptoscope
