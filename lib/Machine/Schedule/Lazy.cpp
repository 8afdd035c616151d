//===- Lazy.cpp - nothing runs before something needs it ------------------===//
//
// Consumer-first pull. A blocked wait demands exactly the prefix of the queue
// that holds its set or release; that prefix may demand others in turn. A pipe
// that is already being pulled cannot be demanded again: it stands at the very
// wait that started the chain.
//
//===----------------------------------------------------------------------===//

#include "Schedule/Pipes.h"

namespace ptoscope {

/// Tries to make `op` ready; true when it is.
bool Pipes::demand(const Operation &op) {
  while (!report->stopped && !op.ready()) {
    std::optional<Blocker> blocker = op.blocker();
    if (!blocker || !runTo(blocker->pipe, blocker->ordinal))
      return false;
  }
  return !report->stopped;
}

/// Runs the queue of `pipe` up to the instruction `ordinal`; true when it has
/// been executed.
bool Pipes::runTo(Pipe pipe, uint64_t ordinal) {
  PipeQueue &q = (*this)[pipe];
  uint16_t bit = uint16_t(1u << size_t(pipe));
  if (q.started >= ordinal)
    return true;
  if (pulling & bit)
    return false;
  pulling |= bit;
  while (!report->stopped && q.started < ordinal && (q.waiting.front()->ready() || demand(*q.waiting.front())))
    runHead(pipe);
  pulling &= uint16_t(~bit);
  return !report->stopped && q.started >= ordinal;
}

/// One round over all pipes, consumers first; true if something ran.
bool Pipes::pullAll() {
  uint64_t before = executed;
  for (Pipe pipe : kPullOrder)
    runTo(pipe, (*this)[pipe].issued);
  return executed != before;
}

} // namespace ptoscope
