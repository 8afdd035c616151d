//===- Transfers.cpp - transfers and the registers they take --------------===//
//
// From operands by role to the fields of PtoTransfer. No instruction is named:
// what is not an operand stands in the record.
//
//===----------------------------------------------------------------------===//

#include "Program/ProgramLowering.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

LogicalResult ProgramLowering::setRegister(Operation *op, PtoRegister reg) {
  Value first = op->getOperand(0), second = b.const64(0);
  if (op->getNumOperands() > 1)
    second = mapped(op->getOperand(1));
  else if (!isa<PtrType>(first.getType())) // a pad value comes with its width
    second = b.const64(bitsOf(first.getType()) / 8);
  return issue(op, "ptosc_set_register", {b.const32(reg), b.toBits(mapped(first)), second});
}

namespace {

/// Where an operand goes; 0 where there is none.
struct Word {
  TransferRole role;
  size_t offset;
};
/// Operands that have no effect on data, but a range.
struct Hint {
  TransferRole role;
  size_t offset;
  uint64_t limit;

  /// True when the operand is absent or a constant that needs no look at run time.
  bool isPlain(Value value) const {
    APInt constant;
    return !value || (matchPattern(value, m_ConstantInt(&constant)) && constant.ule(limit));
  }
};

constexpr Word kWords[] = {
    {TransferRole::Len, offsetof(PtoTransfer, len)},
    {TransferRole::SrcStep, offsetof(PtoTransfer, srcStride)},
    {TransferRole::DstStep, offsetof(PtoTransfer, dstStride)},
    {TransferRole::Count, offsetof(PtoTransfer, count)},
    {TransferRole::Left, offsetof(PtoTransfer, padLeft)},
    {TransferRole::Right, offsetof(PtoTransfer, padRight)},
    {TransferRole::Subblock, offsetof(PtoTransfer, dstSubblock)},
};
constexpr Hint kHints[] = {
    {TransferRole::Sid, offsetof(PtoTransfer, sid), 15},
    {TransferRole::L2, offsetof(PtoTransfer, l2), 3},
    {TransferRole::Cache, offsetof(PtoTransfer, cache), 15},
};

} // namespace

LogicalResult ProgramLowering::issueTransfer(TransferOpInterface op) {
  const TransferInfo &info = op.getInfo();
  Value record = b.stack(sizeof(PtoTransfer), 8);
  auto put = [&](size_t offset, Value value, unsigned bytes = 8) {
    b.store(value, b.ptrAdd(record, int64_t(offset)), bytes);
  };
  auto word = [&](TransferRole role) {
    Value value = op.get(role);
    return value ? mapped64(value) : b.const64(0);
  };
  for (const Word &field : kWords)
    put(field.offset, word(field.role));
  if (info.steps == StepModel::Gap)
    put(offsetof(PtoTransfer, blockBytes), b.const64(info.unit(options.profile->id)));
  // Only values that are not known to be harmless are worth a check.
  bool hints = !llvm::all_of(kHints, [&](const Hint &hint) { return hint.isPlain(op.get(hint.role)); });
  if (hints)
    for (const Hint &hint : kHints)
      put(hint.offset, word(hint.role));

  Value pad = op.get(TransferRole::Pad);
  Value flags = b.const32((info.readCount ? PTO_TRANSFER_REGISTERS : 0) | (pad ? PTO_TRANSFER_PAD : 0) |
                          (op.get(TransferRole::Subblock) ? PTO_TRANSFER_SUBBLOCK : 0) |
                          (info.steps == StepModel::Gap ? PTO_TRANSFER_BLOCKS : 0) | (hints ? PTO_TRANSFER_HINTS : 0));
  if (Value select = op.get(TransferRole::PadSelect))
    flags = b.ori(flags, b.create<arith::ExtUIOp>(b.loc, b.i32(), mapped(select)));
  Value src = op.get(TransferRole::Src), dst = op.get(TransferRole::Dst);
  put(offsetof(PtoTransfer, srcSpace), b.const32(unsigned(info.src)), 4);
  put(offsetof(PtoTransfer, dstSpace), b.const32(unsigned(info.dst)), 4);
  put(offsetof(PtoTransfer, pipe), b.const32(unsigned(*infoOf(op)->pipe)), 4);
  put(offsetof(PtoTransfer, flags), flags, 4);
  put(offsetof(PtoTransfer, elementBytes), b.const32(cast<PtrType>(dst.getType()).getElementBytes()), 4);
  put(offsetof(PtoTransfer, padWidth), b.const32(pad ? bitsOf(pad.getType()) / 8 : 0), 4);
  put(offsetof(PtoTransfer, padValue), pad ? b.toBits(mapped(pad)) : b.const64(0));
  put(offsetof(PtoTransfer, src), mapped(src));
  put(offsetof(PtoTransfer, dst), mapped(dst));

  OperandRange steps = op.getRole(TransferRole::Loops);
  Value loops = steps.empty() ? b.nullPtr() : b.stack(8 * int64_t(steps.size()), 8);
  for (auto [i, value] : llvm::enumerate(steps))
    b.store(mapped64(value), b.ptrAdd(loops, int64_t(8 * i)), 8);
  put(offsetof(PtoTransfer, loopCount), b.const64(int64_t(steps.size()) / 3));
  put(offsetof(PtoTransfer, loops), loops);
  return issue(op, "ptosc_transfer", {record});
}
