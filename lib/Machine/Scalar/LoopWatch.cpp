//===- LoopWatch.cpp - telling a loop that cannot end ---------------------===//

#include "Scalar/LoopWatch.h"

#include <algorithm>

namespace ptoscope {

void LoopWatch::forgetInner(SiteId loop, const SiteTable *sites) {
  if (turns.empty() || !sites)
    return;
  std::erase_if(turns, [&](const auto &turn) {
    SiteId inner = turn.first;
    for (unsigned guard = 0; inner < sites->size() && guard < 4096; ++guard) {
      inner = (*sites)[inner].loop;
      if (inner == loop)
        return true;
    }
    return false;
  });
}

bool LoopWatch::repeats(SiteId loop, const View &view) {
  Turn &turn = turns[loop];
  if (turn.visited && turn.changes == view.changes && turn.executed == view.executed && turn.issued == view.issued &&
      std::ranges::equal(turn.carried, view.carried) && std::ranges::equal(turn.outerIterations, view.outerIterations))
    return true;
  turn = {true,
          0,
          view.changes,
          view.executed,
          view.issued,
          view.others,
          {view.carried.begin(), view.carried.end()},
          {view.outerIterations.begin(), view.outerIterations.end()}};
  return false;
}

bool LoopWatch::excused(SiteId loop, bool moved, uint64_t others) {
  Turn &turn = turns[loop];
  if (!moved && turn.others == others)
    return false;
  turn.others = others;
  turn.repeats = 0;
  return true;
}

} // namespace ptoscope
