//===- Issue.cpp - instructions as the scalar unit issues them ------------===//
//
// Each function checks what depends on operands only, numbers the instruction
// in issue order and hands it to the schedule. The scalar unit itself waits in
// these cases: a wait or get on PIPE_S, a PIPE_ALL barrier, the kernel's end,
// and what Sync.cpp adds.
//
//===----------------------------------------------------------------------===//

#include "Group/CoreGroup.h"

#include <cstring>

namespace ptoscope {

int32_t Core::transfer(SiteId site, const PtoTransfer &operands) {
  if (step(site))
    return 1;
  if (operands.pipe >= kPipeSlots || !hasPipe(Pipe(operands.pipe)) || Pipe(operands.pipe) == Pipe::S)
    return internalError(site,
                         "a transfer on " + pipeText(operands.pipe) + ", which this core does not have");
  PlainRows rows;
  if (plainRows(operands, rows)) {
    if (!observer && passDirectly(Pipe(operands.pipe), site)) {
      ++stats.transfers;
      stats.transferBytes += rows.count * rows.len;
      rows.move();
      // A release of mode 1 may have waited for it.
      if (queued)
        pump();
      return stopped;
    }
    planRows(operands, rows);
  } else if (plan(site, operands)) {
    return 1;
  }
  Entry entry = makeEntry(OpKind::Transfer, Pipe(operands.pipe), site);
  entry.transfer = &planned;
  return submit(entry);
}

int32_t Core::setRegister(SiteId site, uint32_t reg, int64_t a, int64_t b) {
  if (step(site))
    return 1;
  auto assign = [&](int64_t &first, int64_t &second) {
    changes += first != a || second != b;
    first = a;
    second = b;
    return 0;
  };
  LoopRegisters &in = registers.outToUb, &out = registers.ubToOut, &l1 = registers.outToL1;
  auto unpack = [&](unsigned firstBits, int64_t &first, int64_t &second) {
    // The second field has 21 bits in every word.
    auto word = uint64_t(a);
    unsigned used = firstBits + 21;
    if (checks.memory && word >> used) {
      Finding f = finding("undefined-by-manual", site,
                          "the word " + hex(word) + " of " + opName(site) + " has bits above bit " +
                              std::to_string(used - 1) + ", which belong to no field; they are ignored");
      f.help = "build the word from two fields that fit";
      addIterations(f, site);
      report(std::move(f));
    }
    a = int64_t(word & ((uint64_t(1) << firstBits) - 1));
    b = int64_t((word >> firstBits) & ((uint64_t(1) << 21) - 1));
    assign(first, second);
    return int32_t(stopped);
  };
  switch (reg) {
  case PTO_REG_LOOP_SIZE_OUTTOUB:
    in.staleSize = false;
    return assign(in.count1, in.count2);
  case PTO_REG_LOOP1_STRIDE_OUTTOUB:
    return assign(in.src1, in.dst1);
  case PTO_REG_LOOP2_STRIDE_OUTTOUB:
    return assign(in.src2, in.dst2);
  case PTO_REG_LOOP_SIZE_UBTOOUT:
    out.staleSize = false;
    return assign(out.count1, out.count2);
  case PTO_REG_LOOP1_STRIDE_UBTOOUT:
    return assign(out.src1, out.dst1);
  case PTO_REG_LOOP2_STRIDE_UBTOOUT:
    return assign(out.src2, out.dst2);
  case PTO_REG_MOV_PAD_VAL:
    if (b != 1 && b != 2 && b != 4)
      return internalError(site, "a pad value of " + std::to_string(b) + " bytes");
    return assign(registers.padValue, registers.padWidth);
  case PTO_REG_LOOP_SIZE_OUTTOL1:
    l1.staleSize = false;
    return unpack(21, l1.count1, l1.count2);
  case PTO_REG_LOOP1_STRIDE_OUTTOL1:
    return unpack(40, l1.src1, l1.dst1);
  case PTO_REG_LOOP2_STRIDE_OUTTOL1:
    return unpack(40, l1.src2, l1.dst2);
  case PTO_REG_PAD_VAL_OUTTOL1:
    changes += registers.padValueOutToL1 != a || !registers.padSetOutToL1;
    registers.padSetOutToL1 = true;
    registers.padValueOutToL1 = a;
    return 0;
  case PTO_REG_FFTS_BASE:
    changes += registers.fftsBase != a;
    registers.fftsBase = a;
    if (checks.memory && !setup.gm->find(uint64_t(a))) {
      Finding f =
          finding("unmapped-gm-address", site,
                  opName(site) + " names the GM address " + hex(uint64_t(a)) + ", where no buffer is");
      f.help = "pass the message area as a parameter of the kernel";
      addIterations(f, site);
      report(std::move(f));
    }
    return stopped;
  }
  return internalError(site, "register number " + std::to_string(reg) + " does not exist");
}

int32_t Core::scope(SiteId site, PtoScopeFunction function, const uint64_t *captures, uint32_t n) {
  if (step(site))
    return 1;
  if (!hasPipe(Pipe::V))
    return internalError(site, "a vector scope on a core without PIPE_V");
  Entry entry = makeEntry(OpKind::Scope, Pipe::V, site);
  entry.function = function;
  entry.captures = captures;
  entry.captureCount = n;
  return submit(entry);
}

int32_t Core::yield(SiteId site, const void *carried, uint64_t n, bool finite) {
  if (step(site))
    return 1;
  // Loops inside this one start afresh with its next turn.
  if (!turns.empty() && setup.sites)
    std::erase_if(turns, [&](const auto &entry) {
      SiteId inner = entry.first;
      for (unsigned guard = 0; inner < setup.sites->size() && guard < 4096; ++guard) {
        inner = (*setup.sites)[inner].loop;
        if (inner == site)
          return true;
      }
      return false;
    });
  if (schedule == ScheduleKind::Random && queued)
    randomTurn();
  if (finite) {
    // Such a loop waits for nobody, but others may be ready for a long time.
    if (++finiteTurns % 64 == 0)
      passTurn(false);
    return stopped;
  }

  auto *bytes = static_cast<const uint8_t *>(carried);
  uint64_t issued = 0;
  for (const PipeQueue &q : queues)
    issued += q.issued;
  // Scalar loads count as issued instructions of S; only pipes matter here.
  issued -= queue(Pipe::S).issued;
  uint64_t others = setup.group ? setup.group->activityOfOthers(*this) : 0;
  uint32_t depth = depthOf(site);
  LoopTurn &turn = turns[site];
  bool same = turn.visited && turn.changes == changes && turn.executed == executed && turn.issued == issued &&
              turn.carried.size() == n && (n == 0 || std::memcmp(turn.carried.data(), bytes, n) == 0) &&
              std::equal(turn.outerIterations.begin(), turn.outerIterations.end(), suIterations,
                         suIterations + depth);
  if (same) {
    // Work that a schedule holds back may still change what the loop reads, and
    // so may other cores.
    bool moved = queued && runAll();
    if (moved || turn.others != others) {
      turn.others = others;
      turn.repeats = 0;
      passTurn(!moved);
      return stopped;
    }
    if (stopped)
      return 1;
    // A short loop in a function that is called twice looks the same as well,
    // but not many times in a row.
    if (++turn.repeats < kSameTurns) {
      passTurn(true);
      return stopped;
    }
    Finding f =
        finding("livelock", site,
                "this loop never ends: since its last turn no instruction ran, no memory was written and "
                "its carried values stayed the same");
    f.notes = blockNotes();
    f.help = "let something the loop waits for write what it reads, or bound the loop";
    addIterations(f, site);
    return fatal(std::move(f));
  }
  turn.visited = true;
  turn.repeats = 0;
  turn.changes = changes;
  turn.executed = executed;
  turn.issued = issued;
  turn.others = others;
  turn.carried.assign(bytes, bytes + n);
  turn.outerIterations.assign(suIterations, suIterations + depth);
  passTurn(false);
  return stopped;
}

int32_t Core::fail(SiteId site, uint32_t failure, int64_t value) {
  if (!runningScope)
    suSite = site;
  if (stopped)
    return 1;
  Finding f;
  switch (failure) {
  case PTO_FAIL_LOOP_STEP:
    f = finding("loop-step", site, "the step of " + opName(site) + " is " + std::to_string(value));
    f.help = "a step has to be at least 1";
    break;
  case PTO_FAIL_DIVISION:
    f = finding("division", site,
                value == 0 ? "the divisor of " + opName(site) + " is 0"
                           : opName(site) + " divides the smallest number of its type by -1");
    f.help = "test the operands before the division";
    break;
  case PTO_FAIL_SHIFT:
    f = finding("shift-range", site,
                opName(site) + " shifts by " + std::to_string(value) +
                    ", which is outside the width of its type");
    f.help = "test the count, or compute in a wider type";
    break;
  case PTO_FAIL_TRAP:
    f = finding("trap", site, "the program reached " + opName(site));
    break;
  case PTO_FAIL_OPERAND:
    f = finding("operand-range", site,
                opName(site) + " gets the number " + std::to_string(value) + ", which is outside its range");
    f.help = "an amount goes from 0 to the number of lanes, a part is 0 or 1";
    break;
  case PTO_WARN_SHIFT_COUNT:
    f = finding("undefined-by-manual", site,
                opName(site) + " shifts by " + std::to_string(value) +
                    ", which is outside the width of its elements; the count is taken modulo the width");
    f.help = "keep the count from 0 to the width minus 1";
    addIterations(f, site);
    report(std::move(f));
    return 0;
  case PTO_WARN_TAIL_COUNT:
    f = finding("negative-tail-count", site,
                opName(site) + " gets the count " + std::to_string(value) + "; taken as unsigned, every lane is on");
    f.help = "keep the count at 0 or above";
    addIterations(f, site);
    report(std::move(f));
    return 0;
  default:
    return internalError(site, "failure number " + std::to_string(failure) + " does not exist");
  }
  addIterations(f, site);
  return fatal(std::move(f));
}

int32_t Core::setCtrl(SiteId site, int64_t value) {
  if (step(site))
    return 1;
  if (value != registers.ctrl)
    ++changes;
  registers.ctrl = value;
  return 0;
}

} // namespace ptoscope
