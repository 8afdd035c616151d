//===- Lazy.cpp - nothing runs before something needs it ------------------===//
//
// Consumer-first pull. A blocked wait demands exactly the prefix of the queue
// that holds its set or release; that prefix may demand others in turn. A pipe
// that is already being pulled cannot be demanded again: it stands at the very
// wait that started the chain.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

namespace ptoscope {

/// Tries to make `entry` ready; true when it is.
bool Core::demand(const Entry &entry) {
  switch (entry.kind) {
  case OpKind::WaitFlag: {
    const Flag &f = flag(entry.src, entry.dst, entry.id);
    if (f.setsDone >= entry.number)
      return true;
    uint64_t missing = entry.number - f.setsDone;
    if (f.queuedSets.size() < missing)
      return false;
    runTo(entry.src, f.queuedSets[missing - 1]);
    break;
  }
  case OpKind::GetBuf:
    while (!stopped && !ready(entry)) {
      const PendingRelease next = buffers[size_t(entry.id)].pending.front();
      if (!runTo(next.pipe, next.ordinal))
        return false;
    }
    break;
  case OpKind::RlsBuf:
    for (Pipe pipe : kPullOrder)
      if (entry.prefix && queue(pipe).started < (*entry.prefix)[size_t(pipe)] &&
          !runTo(pipe, (*entry.prefix)[size_t(pipe)]))
        return false;
    break;
  default:
    break;
  }
  return !stopped && ready(entry);
}

/// Runs the queue of `pipe` up to the instruction `ordinal`; true when it has
/// been executed.
bool Core::runTo(Pipe pipe, uint64_t ordinal) {
  PipeQueue &q = queue(pipe);
  uint16_t bit = uint16_t(1u << size_t(pipe));
  if (q.started >= ordinal)
    return true;
  if (pulling & bit)
    return false;
  pulling |= bit;
  while (!stopped && q.started < ordinal && (ready(q.waiting.front()) || demand(q.waiting.front())))
    runHead(pipe);
  pulling &= uint16_t(~bit);
  return !stopped && q.started >= ordinal;
}

/// One round over all pipes, consumers first; true if something ran.
bool Core::pullAll() {
  uint64_t before = executed;
  for (Pipe pipe : kPullOrder)
    runTo(pipe, queue(pipe).issued);
  return executed != before;
}

} // namespace ptoscope
