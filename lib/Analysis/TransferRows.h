//===- TransferRows.h - the rows that a transfer moves ----------*- C++ -*-===//
//
// Length, counts and steps of a transfer in bytes, from its operands and registers.
// Written once for numbers and for sums over symbols: `Numbers` has the arithmetic and
// says what an operand is.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_TRANSFERROWS_H
#define PTOSCOPE_LIB_ANALYSIS_TRANSFERROWS_H

#include "ptoscope/Dialect/PTO/PTO.h"

#include <optional>

namespace ptoscope {

template <typename Number> struct TransferRows {
  struct Dim {
    Number count, src, dst;
  };
  mlir::Value src, dst;
  Number len{};     ///< of a row
  Number fillEnd{}; ///< of a destination row with its padding
  llvm::SmallVector<Dim, 4> dims;
};

/// Nothing when an operand is not known. Numbers: `Number`; `get(Value)` and
/// `word(register, index)`, nothing when unknown; `isOne`; `times(Number, int64_t)`; `sum`;
/// `most`; `roundUp(Number, int64_t)`.
template <typename Numbers>
std::optional<TransferRows<typename Numbers::Number>> transferRows(pto::TransferOpInterface op, const Profile &profile,
                                                                   Numbers &numbers) {
  using pto::TransferRole;
  using Number = typename Numbers::Number;
  const pto::TransferInfo &info = op.getInfo();
  const int64_t unit = info.unit(profile.id);
  bool good = true;
  auto checked = [&](std::optional<Number> known) {
    good &= known.has_value();
    return known.value_or(Number(0));
  };
  auto number = [&](mlir::Value value) { return checked(numbers.get(value)); };
  auto role = [&](TransferRole role) {
    mlir::Value value = op.get(role);
    return value ? number(value) : Number(0);
  };
  TransferRows<Number> rows{op.get(TransferRole::Src), op.get(TransferRole::Dst), role(TransferRole::Len), {}, {}};
  // A stride means nothing in a dimension that runs once.
  auto dim = [&](Number count, auto src, auto dst) {
    const bool once = numbers.isOne(count);
    rows.dims.push_back({count, once ? Number(0) : src(), once ? Number(0) : dst()});
  };
  dim(
      role(TransferRole::Count), [&] { return role(TransferRole::SrcStep); },
      [&] { return role(TransferRole::DstStep); });
  mlir::OperandRange loops = op.getRole(TransferRole::Loops);
  for (size_t i = 0; i + 2 < loops.size(); i += 3)
    dim(number(loops[i]), [&] { return number(loops[i + 1]); }, [&] { return number(loops[i + 2]); });
  if (llvm::ArrayRef<PtoRegister> reads = info.registers(); reads.size() >= 3)
    for (size_t outer : {0, 1})
      dim(
          checked(numbers.word(reads[0], outer)), [&] { return checked(numbers.word(reads[1 + outer], 0)); },
          [&] { return checked(numbers.word(reads[1 + outer], 1)); });
  if (info.steps == pto::StepModel::Gap)
    for (Number *step : {&rows.dims[0].src, &rows.dims[0].dst})
      *step = numbers.sum(*step, rows.len);
  for (Number *operand : {&rows.len, &rows.dims[0].src, &rows.dims[0].dst})
    *operand = numbers.times(*operand, unit);
  mlir::Value select = op.get(TransferRole::PadSelect);
  const bool pads = op.get(TransferRole::Pad) || (select && !numbers.isZero(number(select)));
  rows.fillEnd = rows.len;
  if (pads) {
    const int64_t element = std::max(1u, mlir::cast<pto::PtrType>(rows.dst.getType()).getElementBytes());
    const Number beside = numbers.sum(role(TransferRole::Left), role(TransferRole::Right));
    const Number end = numbers.sum(rows.len, numbers.times(beside, element));
    rows.fillEnd = numbers.most(numbers.roundUp(end, kBlockBytes), numbers.times(role(TransferRole::DstStep), unit));
  }
  return good ? std::optional(std::move(rows)) : std::nullopt;
}

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_TRANSFERROWS_H
