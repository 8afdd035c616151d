//===- SymbolicValues.cpp - scalars and pointers as sums ------------------===//

#include "SymbolicValues.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace ptoscope {

Sum SymbolicValues::get(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.getSignificantBits() <= 48)
    return Sum(number.getBitWidth() == 1 ? int64_t(number.getZExtValue()) : number.getSExtValue());
  auto it = sums.find(value);
  if (it == sums.end())
    it = sums.try_emplace(value, symbols.unknown(Varies::ByInstance)).first;
  return it->second;
}

void SymbolicValues::set(Value value, Sum sum) {
  sums[value] = sum.overflows ? symbols.unknown(Varies::ByInstance) : std::move(sum);
}

/// s when the sum is x - 2 * floor(x / 2) for some x, 1 - s for the opposite: nothing but 0 and 1.
static bool isBit(const Symbols &symbols, const Sum &sum) {
  if (sum.isConstant())
    return sum.base == 0 || sum.base == 1;
  auto isRemainder = [&](const Sum &own) {
    return llvm::any_of(own.terms, [&](const auto &term) {
      const Symbol &floor = symbols[term.first];
      return floor.kind == Symbol::Floor && floor.divisor == 2 && own == floor.a - symbol(term.first) * 2;
    });
  };
  return isRemainder(sum) || isRemainder(Sum(1) - sum);
}

std::optional<Sum> SymbolicValues::truth(Value condition) {
  APInt number;
  if (matchPattern(condition, m_ConstantInt(&number)))
    return Sum(int64_t(number.getZExtValue() & 1));
  Operation *op = condition.getDefiningOp();
  if (auto it = sums.find(condition); !op && it != sums.end()) // carried by a loop
    return isBit(symbols, it->second) ? std::optional(it->second) : std::nullopt;
  if (auto cut = dyn_cast_or_null<arith::TruncIOp>(op)) {
    const Sum own = get(cut.getIn());
    return own - symbols.floorDiv(own, 2) * 2;
  }
  if (auto flip = dyn_cast_or_null<arith::XOrIOp>(op)) {
    std::optional<Sum> a = truth(flip.getLhs()), b = truth(flip.getRhs());
    if (a && b && (a->isConstant() || b->isConstant()))
      return (a->isConstant() ? a->base : b->base) ? Sum(1) - (a->isConstant() ? *b : *a) : a->isConstant() ? b : a;
    return std::nullopt;
  }
  auto cmp = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!cmp || (cmp.getPredicate() != arith::CmpIPredicate::eq && cmp.getPredicate() != arith::CmpIPredicate::ne))
    return std::nullopt;
  Sum a = get(cmp.getLhs()), b = get(cmp.getRhs());
  if (a.isConstant())
    std::swap(a, b);
  if (!b.isConstant() || !isBit(symbols, b) || a.isConstant() || !isBit(symbols, a))
    return std::nullopt;
  const bool isOne = (b.base == 1) == (cmp.getPredicate() == arith::CmpIPredicate::eq);
  return isOne ? a : Sum(1) - a;
}

std::optional<Sum> SymbolicValues::choose(Value condition, const Sum &yes, const Sum &no) {
  if (yes == no)
    return yes;
  const Sum difference = yes - no;
  std::optional<Sum> is = truth(condition);
  if (is && is->isConstant())
    return is->base ? yes : no;
  if (!difference.isConstant())
    return std::nullopt;
  if (is)
    return no + *is * difference.base;
  // One of the two.
  Symbol either{Symbol::Between, Varies::ByInstance, "", {}, {}, 3, {}};
  const SymbolId id = symbols.add(std::move(either));
  symbols[id].facts = {symbol(id), Sum(1) - symbol(id)};
  return (difference.base < 0 ? yes : no) + symbol(id) * std::abs(difference.base);
}

/// Towards zero is downwards only for what is not negative; a signed division of
/// something else is not followed.
static bool cannotBeNegative(const Symbols &symbols, const Sum &sum) {
  for (auto [id, factor] : sum.terms)
    for (const Sum &fact : symbols[id].facts)
      if (const Sum more = sum - fact; more.isConstant() && more.base >= 0)
        return true;
  if (sum.base < 0)
    return false;
  return llvm::all_of(sum.terms, [&](const auto &term) {
    const Symbol &own = symbols[term.first];
    if (term.second < 0)
      return false;
    if (own.kind == Symbol::Block || own.kind == Symbol::Blocks || own.kind == Symbol::Quotient)
      return true;
    if (own.kind == Symbol::Floor)
      return cannotBeNegative(symbols, own.a);
    // A fact that says so by itself: symbol + constant >= 0.
    return llvm::any_of(own.facts, [&](const Sum &fact) {
      return fact.terms.size() == 1 && fact.terms.begin()->first == term.first && fact.terms.begin()->second == 1 &&
             fact.base <= 0;
    });
  });
}

std::optional<Sum> SymbolicValues::divide(const Sum &a, const Sum &b, bool isSigned) {
  if (isSigned && !(cannotBeNegative(symbols, a) && (b.isConstant() || cannotBeNegative(symbols, b)))) {
    // The quotient of two arguments is one symbol, whatever their signs.
    if (b.isConstant() || symbols.varies(a) != Varies::Never || symbols.varies(b) != Varies::Never)
      return std::nullopt;
  }
  usesUnsigned |= !isSigned || !b.isConstant();
  if (b.isConstant())
    return b.base > 0 ? std::optional(symbols.floorDiv(a, b.base)) : std::nullopt;
  return symbols.quotient(a, b);
}

/// `sum` is 0 or `bits`, and is the other one now.
std::optional<Sum> SymbolicValues::flipped(const Sum &sum, const Sum &bits) {
  if (!bits.isConstant() || bits.base <= 0)
    return std::nullopt;
  Sum bit;
  bit.base = sum.base / bits.base;
  for (auto [id, factor] : sum.terms)
    if (factor % bits.base == 0)
      bit.terms[id] = factor / bits.base;
  return bit * bits.base == sum && isBit(symbols, bit) ? std::optional(bits - sum) : std::nullopt;
}

std::optional<Sum> SymbolicValues::compute(Operation *op) {
  auto a = [&] { return get(op->getOperand(0)); };
  auto b = [&] { return get(op->getOperand(1)); };
  auto bytes = [](Value pointer) { return int64_t(cast<pto::PtrType>(pointer.getType()).getElementBytes()); };
  auto rest = [&](std::optional<Sum> quotient) -> std::optional<Sum> {
    if (!quotient || !b().isConstant())
      return std::nullopt;
    return a() - *quotient * b().base;
  };
  using Result = std::optional<Sum>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<pto::CastPtrOp, pto::PtrToIntOp, pto::IntToPtrOp, arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>([&](auto) -> Result {
        if (!op->getResult(0).getType().isIntOrIndex() && !isa<pto::PtrType>(op->getResult(0).getType()))
          return std::nullopt;
        if (op->getOperand(0).getType().isInteger(1))
          return isa<arith::ExtUIOp>(op) ? truth(op->getOperand(0)) : std::nullopt;
        // Numbers of addresses are assumed to fit into 32 bits, and not into fewer.
        if (auto to = dyn_cast<IntegerType>(op->getResult(0).getType()))
          if (auto from = dyn_cast<IntegerType>(op->getOperand(0).getType());
              to.getWidth() < 32 && (!from || from.getWidth() > to.getWidth()))
            return std::nullopt;
        usesUnsigned |= isa<arith::IndexCastUIOp, arith::ExtUIOp>(op);
        return a();
      })
      .Case([&](pto::AddPtrOp add) -> Result { return a() + b() * bytes(add.getPtr()); })
      .Case([&](arith::AddIOp) -> Result { return a() + b(); })
      .Case([&](arith::SubIOp) -> Result { return a() - b(); })
      .Case([&](arith::MulIOp) -> Result { return symbols.product(a(), b()); })
      .Case([&](arith::DivSIOp) { return divide(a(), b(), true); })
      .Case([&](arith::DivUIOp) { return divide(a(), b(), false); })
      .Case([&](arith::RemSIOp) { return rest(divide(a(), b(), true)); })
      .Case([&](arith::RemUIOp) { return rest(divide(a(), b(), false)); })
      .Case([&](arith::ShLIOp) -> Result {
        return b().isConstant() && b().base >= 0 && b().base < 40 ? Result(a() * (int64_t(1) << b().base))
                                                                  : std::nullopt;
      })
      .Case<arith::ShRUIOp, arith::ShRSIOp>([&](auto) -> Result {
        usesUnsigned |= isa<arith::ShRUIOp>(op);
        return b().isConstant() && b().base >= 0 && b().base < 40
                   ? Result(symbols.floorDiv(a(), int64_t(1) << b().base))
                   : std::nullopt;
      })
      .Case([&](arith::AndIOp) -> Result {
        if (!b().isConstant() || !op->getResult(0).getType().isIntOrIndex())
          return std::nullopt;
        const int64_t mask = b().base;
        if (mask < 0 && llvm::isPowerOf2_64(uint64_t(-mask))) // rounds down
          return symbols.floorDiv(a(), -mask) * -mask;
        if (mask > 0 && llvm::isPowerOf2_64(uint64_t(mask) + 1)) // remainder
          return a() - symbols.floorDiv(a(), mask + 1) * (mask + 1);
        return std::nullopt;
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) -> Result {
        usesUnsigned |= isa<arith::MinUIOp>(op);
        return symbols.least(a(), b());
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) -> Result {
        usesUnsigned |= isa<arith::MaxUIOp>(op);
        return symbols.most(a(), b());
      })
      .Case([&](arith::XOrIOp) -> Result { return flipped(a(), b()); })
      .Case([&](arith::SelectOp own) -> Result {
        return choose(own.getCondition(), get(own.getTrueValue()), get(own.getFalseValue()));
      })
      .Case([&](pto::GetSubblockIdxOp) -> Result { return Sum(0); })
      .Case([&](pto::GetSubblockNumOp) -> Result { return Sum(1); })
      .Default([](Operation *) { return std::nullopt; });
}

void SymbolicValues::evaluate(Operation *op) {
  for (Value operand : op->getOperands())
    if (uint32_t array = arrayOf(operand))
      for (Value result : op->getResults())
        if (isa<pto::PtrType>(result.getType()))
          arrays[result] = array;
  // The pointer of the post-update forms.
  auto next = [&](Value base, Value offset, Value result) {
    if (result)
      set(result, get(base) + get(offset) * int64_t(cast<pto::PtrType>(base.getType()).getElementBytes()));
  };
  if (auto load = dyn_cast<pto::VldsOp>(op))
    return next(load.getSrc(), load.getOffset(), load.getNext());
  if (auto load = dyn_cast<pto::Vldsx2Op>(op))
    return next(load.getSrc(), load.getOffset(), load.getNext());
  if (auto store = dyn_cast<pto::VstsOp>(op))
    return next(store.getDst(), store.getOffset(), store.getNext());
  if (op->getNumResults() != 1 || matchPattern(op, m_Constant()))
    return;
  Type type = op->getResult(0).getType();
  if ((!type.isIntOrIndex() && !isa<pto::PtrType>(type)) || type.isInteger(1))
    return;
  if (std::optional<Sum> sum = compute(op))
    set(op->getResult(0), std::move(*sum));
}

/// A number that goes round: 1 - x, x ^ c, (x + 1) % c, or x + 1 == c ? 0 : x + 1.
std::optional<Sum> SymbolicValues::around(Value argument, const Sum &init, Value next, const Sum &turns) {
  Operation *by = next.getDefiningOp();
  if (!by || !init.isConstant() || init.base < 0)
    return std::nullopt;
  auto constant = [](Value value) {
    APInt number;
    if (!matchPattern(value, m_ConstantInt(&number)))
      return int64_t(-1);
    return number.getBitWidth() == 1 ? int64_t(number.getZExtValue()) : number.getSExtValue();
  };
  auto isNext = [&](Value value) { // x + 1
    auto add = value.getDefiningOp<arith::AddIOp>();
    return add && add.getLhs() == argument && constant(add.getRhs()) == 1;
  };
  int64_t other = -1, count = -1;
  if (auto flip = dyn_cast<arith::XOrIOp>(by); flip && flip.getLhs() == argument)
    other = constant(flip.getRhs());
  else if (auto rest = dyn_cast<arith::SubIOp>(by); rest && rest.getRhs() == argument)
    other = constant(rest.getLhs());
  else if (isa<arith::RemSIOp, arith::RemUIOp>(by) && isNext(by->getOperand(0)))
    count = constant(by->getOperand(1));
  else if (auto wrap = dyn_cast<arith::SelectOp>(by); wrap && isNext(wrap.getFalseValue()))
    if (auto end = wrap.getCondition().getDefiningOp<arith::CmpIOp>(); end && constant(wrap.getTrueValue()) == 0 &&
                                                                       end.getLhs() == wrap.getFalseValue() &&
                                                                       end.getPredicate() == arith::CmpIPredicate::eq)
      count = constant(end.getRhs());
  if (other > 0 && (init.base == 0 || init.base == other))
    return init + (turns - symbols.floorDiv(turns, 2) * 2) * (init.base ? -other : other);
  if (count > init.base) {
    const Sum all = turns + init;
    return all - symbols.floorDiv(all, count) * count;
  }
  return std::nullopt;
}

void SymbolicValues::carry(scf::ForOp loop, const Sum &turns) {
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value init = loop.getInitArgs()[i], next = yield->getOperand(unsigned(i));
    if (isa<pto::PtrType>(argument.getType()))
      arrays[argument] = arrayOf(init);
    Operation *by = next.getDefiningOp();
    if (next == argument) {
      set(argument, get(init));
      continue;
    }
    if (std::optional<Sum> round = around(argument, get(init), next, turns)) {
      set(argument, std::move(*round));
      continue;
    }
    if (!by || by->getNumOperands() != 2 || by->getOperand(0) != argument ||
        !isa<arith::AddIOp, pto::AddPtrOp, arith::SubIOp>(by))
      continue;
    const Sum step = get(by->getOperand(1));
    if (!step.isConstant() || !matchPattern(by->getOperand(1), m_Constant()))
      continue;
    int64_t factor = isa<arith::SubIOp>(by) ? -1 : 1;
    if (auto add = dyn_cast<pto::AddPtrOp>(by))
      factor = cast<pto::PtrType>(add.getPtr().getType()).getElementBytes();
    set(argument, get(init) + turns * (step.base * factor));
  }
}

void SymbolicValues::condition(Value value, std::vector<Sum> &whenTrue, std::vector<Sum> &whenFalse) {
  if (std::optional<Sum> is = truth(value)) {
    whenTrue.push_back(*is - Sum(1));
    whenFalse.push_back(*is * -1);
    return;
  }
  if (auto both = value.getDefiningOp<arith::AndIOp>()) {
    std::vector<Sum> ignored;
    condition(both.getLhs(), whenTrue, ignored);
    condition(both.getRhs(), whenTrue, ignored);
    return;
  }
  auto cmp = value.getDefiningOp<arith::CmpIOp>();
  if (!cmp)
    return;
  const Sum a = get(cmp.getLhs()), b = get(cmp.getRhs());
  using P = arith::CmpIPredicate;
  const P predicate = cmp.getPredicate();
  usesUnsigned |= predicate >= P::ult;
  switch (predicate) {
  case P::eq:
    whenTrue.insert(whenTrue.end(), {a - b, b - a});
    break;
  case P::ne:
    whenFalse.insert(whenFalse.end(), {a - b, b - a});
    break;
  case P::slt:
  case P::ult:
    whenTrue.push_back(b - a - Sum(1));
    whenFalse.push_back(a - b);
    break;
  case P::sle:
  case P::ule:
    whenTrue.push_back(b - a);
    whenFalse.push_back(a - b - Sum(1));
    break;
  case P::sgt:
  case P::ugt:
    whenTrue.push_back(a - b - Sum(1));
    whenFalse.push_back(b - a);
    break;
  case P::sge:
  case P::uge:
    whenTrue.push_back(a - b);
    whenFalse.push_back(b - a - Sum(1));
    break;
  }
}

} // namespace ptoscope
