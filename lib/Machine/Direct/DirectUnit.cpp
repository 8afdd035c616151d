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
    if (DirectProblem problem = instruction.problem(payload); problem.code)
      report->tell(problem.code, instr.site, report->opName(instr.site) + " " + problem.message,
                   std::move(problem.help));
  instruction.run(payload);
}

} // namespace ptoscope
