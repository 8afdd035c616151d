//===- ScalarUnit.cpp - registers, and what a program may not compute -----===//

#include "Scalar/ScalarUnit.h"

namespace ptoscope {

/// A word with two fields, the second one of 21 bits.
int32_t ScalarUnit::unpack(SiteId at, uint64_t word, unsigned firstBits, int64_t &first, int64_t &second) {
  unsigned used = firstBits + 21;
  if (report->checks.memory && word >> used)
    report->tell(at, say::kRegisterBits(word, used - 1));
  auto a = int64_t(word & ((uint64_t(1) << firstBits) - 1));
  auto b = int64_t((word >> firstBits) & ((uint64_t(1) << 21) - 1));
  changes += first != a || second != b;
  first = a;
  second = b;
  return report->stopped;
}

int32_t ScalarUnit::setRegister(SiteId at, uint32_t reg, int64_t a, int64_t b) {
  auto assign = [&](int64_t &first, int64_t &second) {
    changes += first != a || second != b;
    first = a;
    second = b;
    return 0;
  };
  LoopRegisters &in = registers.outToUb, &out = registers.ubToOut, &l1 = registers.outToL1;
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
      return report->internalError(at, say::kBugPadWidth(b));
    return assign(registers.padValue, registers.padWidth);
  case PTO_REG_LOOP_SIZE_OUTTOL1:
    l1.staleSize = false;
    return unpack(at, uint64_t(a), 21, l1.count1, l1.count2);
  case PTO_REG_LOOP1_STRIDE_OUTTOL1:
    return unpack(at, uint64_t(a), 40, l1.src1, l1.dst1);
  case PTO_REG_LOOP2_STRIDE_OUTTOL1:
    return unpack(at, uint64_t(a), 40, l1.src2, l1.dst2);
  case PTO_REG_PAD_VAL_OUTTOL1:
    changes += registers.padValueOutToL1 != a || !registers.padSetOutToL1;
    registers.padSetOutToL1 = true;
    registers.padValueOutToL1 = a;
    return 0;
  case PTO_REG_VECTOR_MASK:
    return assign(registers.mask[0], registers.mask[1]);
  case PTO_REG_FFTS_BASE:
    changes += registers.fftsBase != a;
    registers.fftsBase = a;
    if (report->checks.memory && !memories->find(uint64_t(a)))
      report->tell(at, say::kUnmappedMessages(a));
    return report->stopped;
  }
  return report->internalError(at, say::kBugRegister(reg));
}

int32_t ScalarUnit::fail(SiteId at, uint32_t failure, int64_t value) {
  if (!report->scope)
    site = at;
  if (report->stopped)
    return 1;
  switch (failure) {
  case PTO_FAIL_LOOP_STEP:
    return report->end(at, say::kLoopStep(value));
  case PTO_FAIL_DIVISION:
    return report->end(at, (value == 0 ? say::kDivisionByZero : say::kDivisionOverflow)());
  case PTO_FAIL_SHIFT:
    return report->end(at, say::kShiftRange(value));
  case PTO_FAIL_TRAP:
    return report->end(at, say::kTrap());
  case PTO_FAIL_OPERAND:
    return report->end(at, say::kOperandRange(value));
  case PTO_WARN_SHIFT_COUNT:
    report->tell(at, say::kShiftCount(value));
    return 0;
  case PTO_WARN_TAIL_COUNT:
    report->tell(at, say::kTailCount(value));
    return 0;
  case PTO_WARN_BANK:
    report->tell(at, say::kBank(value, value & 1));
    return 0;
  }
  return report->internalError(at, say::kBugFailure(failure));
}

} // namespace ptoscope
