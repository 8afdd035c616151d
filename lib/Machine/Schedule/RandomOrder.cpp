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

#include "Core.h"

#include <algorithm>

namespace ptoscope {

void Core::randomTurn() {
  if (phaseLeft-- == 0) {
    phaseLeft = 1 + random.below(48);
    // 0: the SU runs ahead; large: pipes keep up with it.
    constexpr uint32_t kBias[] = {0, 0, 1, 1, 2, 4, 16, 64};
    suBias = kBias[random.below(std::size(kBias))];
    for (uint8_t &p : priority)
      p = uint8_t(random.below(4));
  }
  for (uint64_t left = random.below(uint64_t(suBias) + 1); left > 0 && !stopped && queued; --left)
    if (!randomStep())
      break;
  if (setup.group && random.oneIn(4))
    passTurn(false);
}

/// One step of one pipe; false when none can move.
bool Core::randomStep() {
  struct Choice {
    Pipe pipe;
    bool rows; ///< move rows instead of starting the head
    uint64_t weight;
  };
  Choice choices[2 * std::size(kPullOrder)];
  size_t count = 0;
  uint64_t total = 0;
  auto add = [&](Pipe pipe, bool rows) {
    uint64_t weight = uint64_t(1) << (2 * priority[size_t(pipe)]);
    choices[count++] = {pipe, rows, weight};
    total += weight;
  };
  for (Pipe pipe : kPullOrder) {
    const PipeQueue &q = queue(pipe);
    if (!q.inFlight.empty())
      add(pipe, true);
    if (!q.waiting.empty()) {
      const Entry &head = q.waiting.front();
      if ((q.inFlight.empty() || overtakes(head)) && ready(head))
        add(pipe, false);
    }
  }
  if (count == 0 || stopped)
    return false;
  uint64_t pick = random.below(total);
  size_t chosen = 0;
  while (pick >= choices[chosen].weight)
    pick -= choices[chosen++].weight;
  if (choices[chosen].rows)
    moveSomeRows(queue(choices[chosen].pipe));
  else
    runHead(choices[chosen].pipe);
  return true;
}

void Core::moveSomeRows(PipeQueue &q) {
  size_t pick = random.below(q.inFlight.size());
  InFlight &flying = q.inFlight[pick];
  if (flying.entry.kind == OpKind::Direct) {
    Entry entry = std::move(flying.entry);
    std::swap(flying, q.inFlight.back());
    q.inFlight.pop_back();
    --queued;
    ++changes;
    takeEffect(instr(entry), *entry.direct);
    return;
  }
  if (!flying.moved) {
    flying.moved = true;
    announceTransfer(flying.entry);
  }
  // Mostly a row or a few; sometimes far, so that large transfers end.
  uint64_t rows = random.oneIn(4) ? flying.entry.transfer->rows() / 4 + 1 : 1 + random.below(4);
  runRows(*this, *flying.entry.transfer, flying.cursor, rows);
  ++changes;
  if (!flying.cursor.done)
    return;
  --queued;
  std::swap(flying, q.inFlight.back());
  q.inFlight.pop_back();
}

} // namespace ptoscope
