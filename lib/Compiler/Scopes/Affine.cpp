//===- Affine.cpp - addresses as sums of symbols --------------------------===//

#include "Scopes/Affine.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Only 64-bit arithmetic is taken apart: narrower sums may wrap.
static bool is64(Type type) { return type.isIndex() || type.isInteger(64) || isa<PtrType>(type); }

void Affine::accumulate(Value value, uint64_t scale, unsigned depth) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.getSignificantBits() <= 64) {
    constant += scale * uint64_t(number.getSExtValue());
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op && depth && is64(value.getType())) {
    APInt factor;
    if (auto add = dyn_cast<arith::AddIOp>(op)) {
      accumulate(add.getLhs(), scale, depth - 1);
      return accumulate(add.getRhs(), scale, depth - 1);
    }
    if (auto sub = dyn_cast<arith::SubIOp>(op)) {
      accumulate(sub.getLhs(), scale, depth - 1);
      return accumulate(sub.getRhs(), -scale, depth - 1);
    }
    if (auto mul = dyn_cast<arith::MulIOp>(op)) {
      if (matchPattern(mul.getRhs(), m_ConstantInt(&factor)))
        return accumulate(mul.getLhs(), scale * uint64_t(factor.getSExtValue()), depth - 1);
      if (matchPattern(mul.getLhs(), m_ConstantInt(&factor)))
        return accumulate(mul.getRhs(), scale * uint64_t(factor.getSExtValue()), depth - 1);
    }
    if (isa<arith::IndexCastOp, CastPtrOp>(op) && is64(op->getOperand(0).getType()))
      return accumulate(op->getOperand(0), scale, depth - 1);
    if (auto add = dyn_cast<AddPtrOp>(op)) {
      accumulate(add.getPtr(), scale, depth - 1);
      return accumulate(add.getIndex(), scale * cast<PtrType>(add.getPtr().getType()).getElementBytes(), depth - 1);
    }
  }
  uint64_t &term = terms[value.getAsOpaquePointer()];
  term += scale;
  if (term == 0)
    terms.erase(value.getAsOpaquePointer());
}

Affine Affine::of(Value value, int64_t scale) {
  Affine result;
  result.accumulate(value, uint64_t(scale), /*depth=*/16);
  return result;
}

Affine &Affine::operator+=(const Affine &other) {
  constant += other.constant;
  for (auto [symbol, factor] : other.terms) {
    uint64_t &term = terms[symbol];
    term += factor;
    if (term == 0)
      terms.erase(symbol);
  }
  return *this;
}

std::optional<int64_t> Affine::minus(const Affine &other) const {
  if (terms != other.terms)
    return std::nullopt;
  return int64_t(constant - other.constant);
}

std::optional<int64_t> Affine::factorOf(BlockArgument value) const {
  int64_t factor = 0;
  for (auto [symbol, times] : terms) {
    Value other = Value::getFromOpaquePointer(symbol);
    if (other == value)
      factor = int64_t(times);
    else if (value.getOwner()->getParent()->isAncestor(other.getParentRegion()))
      return std::nullopt;
  }
  return factor;
}
