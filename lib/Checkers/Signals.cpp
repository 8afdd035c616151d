//===- Signals.cpp - signals, as the checker of a block sees them ---------===//
//
// COMM-25, COMM-26.
//
//===----------------------------------------------------------------------===//

#include "BlockChecker.h"

namespace ptoscope {

SignalOrder::Knowledge BlockChecker::tellOthers(const Instr &instr) {
  uint64_t number = order.tellOthers(instr);
  const VectorClock &told = order.arrivals()[kFirstSignalChannel + instr.core.index].back();
  return signals->tell(block, instr.core, number, told, instr.site);
}

void BlockChecker::learnFromOthers(const Instr &instr, const SignalOrder::Knowledge &told) {
  VectorClock learnt = signals->learn(block, instr.core, order.clock(begin(instr)), told);
  if (learnt.ended[kFirstBarrierCount + kFirstSignalChannel + instr.core.index])
    order.learnFromOthers(instr, learnt);
}

void BlockChecker::signalSet(const Instr &instr, const SignalSet &set) {
  begin(instr);
  ++totals.flags;
  if (signals)
    signals->set(block, instr.core, set, tellOthers(instr), instr.site);
}

void BlockChecker::signalFlush(const Instr &instr, uint64_t first, uint64_t end) {
  begin(instr);
  if (signals)
    signals->flush(first, end, tellOthers(instr));
}

void BlockChecker::signalLook(const Instr &instr, uint64_t first, uint64_t end) {
  begin(instr);
  if (signals)
    learnFromOthers(instr, signals->look(first, end));
}

void BlockChecker::signalWait(const Instr &instr, const SignalWait &wait) {
  const VectorClock &clock = order.clock(begin(instr));
  ++totals.flags;
  if (signals)
    learnFromOthers(instr, signals->read(block, instr.core, clock, wait, instr.site));
}

void BlockChecker::engineStart(const Instr &instr, const EngineTransfer &transfer) {
  begin(instr);
  count(transfer.src.bytes());
  count(transfer.dst.bytes());
  if (signals)
    signals->startEngine(transfer, block, tellOthers(instr), instr.site);
}

void BlockChecker::engineDone(const Instr &instr, uint64_t session, uint64_t number) {
  begin(instr);
  ++totals.flags;
  if (signals)
    learnFromOthers(instr, signals->finishEngine(session, number));
}

} // namespace ptoscope
