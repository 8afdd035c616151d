//===- RandomOrder.cpp - any legal order, chosen by a seed ----------------===//
//
// After each instruction it issues, the scalar unit lets the pipes take a
// random number of steps. Phases of random length favour the scalar unit or
// some pipe, so that far-apart orders occur as well as near ones. Transfers of
// MTE2 and MTE3 start in order but move their rows interleaved; an instruction
// that synchronises its pipe waits until they are done. A core that runs with
// others lets them go on at random instructions.
//
//===----------------------------------------------------------------------===//

#include "Schedule/Pipes.h"

#include <algorithm>

namespace ptoscope {

void Pipes::randomTurn() {
  if (phaseLeft-- == 0) {
    phaseLeft = 1 + random.below(48);
    // 0: the SU runs ahead; large: pipes keep up with it.
    constexpr uint32_t kBias[] = {0, 0, 1, 1, 2, 4, 16, 64};
    suBias = kBias[random.below(std::size(kBias))];
    for (uint8_t &p : priority)
      p = uint8_t(random.below(4));
  }
  for (uint64_t left = random.below(uint64_t(suBias) + 1); left > 0 && !report->stopped && queued; --left)
    if (!randomStep())
      break;
  if (group && random.oneIn(4))
    passTurn(false);
}

/// One step of one pipe; false when none can move.
bool Pipes::randomStep() {
  struct Choice {
    Pipe pipe;
    bool flying; ///< advance what has started instead of starting the head
    uint64_t weight;
  };
  Choice choices[2 * std::size(kPullOrder)];
  size_t count = 0;
  uint64_t total = 0;
  auto add = [&](Pipe pipe, bool flying) {
    uint64_t weight = uint64_t(1) << (2 * priority[size_t(pipe)]);
    choices[count++] = {pipe, flying, weight};
    total += weight;
  };
  for (Pipe pipe : kPullOrder) {
    const PipeQueue &q = (*this)[pipe];
    if (!q.inFlight.empty())
      add(pipe, true);
    if (const Operation *head = q.head(); head && (q.inFlight.empty() || head->overtakes()) && head->ready())
      add(pipe, false);
  }
  if (count == 0 || report->stopped)
    return false;
  uint64_t pick = random.below(total);
  size_t chosen = 0;
  while (pick >= choices[chosen].weight)
    pick -= choices[chosen++].weight;
  if (choices[chosen].flying)
    advanceOne((*this)[choices[chosen].pipe]);
  else
    runHead(choices[chosen].pipe);
  return true;
}

void Pipes::advanceOne(PipeQueue &q) {
  std::unique_ptr<Operation> &flying = q.inFlight[random.below(q.inFlight.size())];
  ++moves;
  if (!flying->advance(instr(*flying), random))
    return;
  --queued;
  std::swap(flying, q.inFlight.back());
  q.inFlight.pop_back();
}

} // namespace ptoscope
