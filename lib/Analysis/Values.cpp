//===- Values.cpp - what is known of scalars and masks --------------------===//

#include "Values.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace ptoscope {

namespace {
/// More loops than this around one address are not followed.
constexpr size_t kMaxTerms = 4;

/// Bits of an integer, index or pointer; 0 for everything else.
unsigned widthOf(Type type) {
  if (type.isIndex() || isa<pto::PtrType>(type))
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() <= 64 ? integer.getWidth() : 0;
}

bool fits(int64_t value, unsigned width) { return width >= 64 || llvm::isIntN(width, value); }
} // namespace

MaybeKnown added(const Known &known, const Known &other, int64_t factor) {
  Known sum = known;
  sum.firstTurn |= other.firstTurn;
  if (other.array) {
    const bool difference = factor == -1 && known.array == other.array;
    if (!difference && (factor != 1 || known.array))
      return std::nullopt;
    sum.array = difference ? 0 : other.array;
  }
  int64_t step;
  if (__builtin_mul_overflow(other.base, factor, &step) || __builtin_add_overflow(sum.base, step, &sum.base))
    return std::nullopt;
  for (const Known::Term &term : other.terms) {
    if (__builtin_mul_overflow(term.step, factor, &step))
      return std::nullopt;
    auto *same = llvm::find_if(sum.terms, [&](const Known::Term &own) { return own.loop == term.loop; });
    if (same == sum.terms.end())
      sum.terms.push_back({term.loop, step});
    else if (__builtin_add_overflow(same->step, step, &same->step))
      return std::nullopt;
  }
  llvm::erase_if(sum.terms, [](const Known::Term &term) { return term.step == 0; });
  if (sum.terms.size() > kMaxTerms)
    return std::nullopt;
  if (sum.firstTurn)
    sum.terms.clear();
  return sum;
}

MaybeKnown Values::sum(const Known &from, const Known &by, int64_t factor) const {
  if (!places || !by.array)
    return added(from, by, factor);
  Known result(from.base);
  result.array = places->sum(from.array, by.array, factor);
  return result;
}

const Known *Values::find(Value value) const {
  auto it = known.find(value);
  return it == known.end() ? nullptr : &it->second;
}

std::optional<int64_t> Values::constant(Value value) const {
  const Known *found = find(value);
  return found && found->isConstant() ? std::optional(found->base) : std::nullopt;
}

MaybeKnown Values::get(Value value) const {
  const Known *found = find(value);
  return found ? MaybeKnown(*found) : std::nullopt;
}

SmallVector<MaybeKnown> Values::get(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return get(value); });
}

const PrefixMask *Values::mask(Value value) const {
  auto it = masks.find(value);
  return it == masks.end() ? nullptr : &it->second;
}

void Values::forget(Value value) {
  known.erase(value);
  if (isa<pto::MaskType>(value.getType()))
    masks.erase(value);
}

void Values::set(Value value, MaybeKnown number) {
  if (number)
    known[value] = std::move(*number);
  else
    forget(value);
}

void Values::set(ValueRange values, ArrayRef<MaybeKnown> numbers) {
  for (auto [value, number] : llvm::zip_equal(values, numbers))
    set(value, number);
}

void Values::setArrays(ValueRange parameters) {
  uint32_t arrays = 0;
  for (Value parameter : parameters)
    if (auto pointer = dyn_cast<pto::PtrType>(parameter.getType()); pointer && pointer.getSpace() == Space::Gm) {
      Known start(0);
      start.array = ++arrays;
      set(parameter, start);
    }
}

uint32_t Values::addLoop(int64_t trips) {
  loops.push_back(trips);
  return uint32_t(loops.size() - 1);
}

std::optional<std::pair<int64_t, int64_t>> Values::extent(const Known &number) const {
  int64_t low = number.base, high = number.base;
  for (const Known::Term &term : number.terms) {
    int64_t reach;
    if (__builtin_mul_overflow(term.step, loops[term.loop] - 1, &reach) ||
        __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
      return std::nullopt;
  }
  return std::pair(low, high);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// What stays a sum over turns: additions, products with a number, casts.
MaybeKnown Values::linear(Operation *op) const {
  auto operand = [&](unsigned i) { return find(op->getOperand(i)); };
  const Known *a = op->getNumOperands() > 0 ? operand(0) : nullptr;
  if (!a)
    return std::nullopt;
  if (isa<pto::CastPtrOp, pto::PtrToIntOp, pto::IntToPtrOp, arith::IndexCastOp, arith::ExtSIOp>(op))
    return *a;
  const Known *b = op->getNumOperands() > 1 ? operand(1) : nullptr;
  if (!b)
    return std::nullopt;
  if (auto add = dyn_cast<pto::AddPtrOp>(op))
    return added(*a, *b, cast<pto::PtrType>(add.getPtr().getType()).getElementBytes());
  if (isa<arith::AddIOp>(op))
    return added(*a, *b);
  if (isa<arith::SubIOp>(op))
    return added(*a, *b, -1);
  if (isa<arith::MulIOp>(op)) {
    if (!a->terms.empty() && !b->terms.empty())
      return std::nullopt;
    const Known &sum = b->terms.empty() ? *a : *b, &factor = b->terms.empty() ? *b : *a;
    MaybeKnown product = added(Known(0), sum, factor.base);
    if (product)
      product->firstTurn |= factor.firstTurn;
    if (product && product->firstTurn)
      product->terms.clear();
    return product;
  }
  return std::nullopt;
}

/// One of the operations on two numbers of one width; nothing where it is undefined.
static std::optional<APInt> binary(Operation *op, const APInt &a, const APInt &b) {
  bool zero = b.isZero(), wraps = a.isMinSignedValue() && b.isAllOnes(), wide = b.uge(b.getBitWidth());
  auto unless = [](bool bad, auto fn) -> std::optional<APInt> {
    return bad ? std::nullopt : std::optional<APInt>(fn());
  };
  return llvm::TypeSwitch<Operation *, std::optional<APInt>>(op)
      .Case([&](arith::AddIOp) { return a + b; })
      .Case([&](arith::SubIOp) { return a - b; })
      .Case([&](arith::MulIOp) { return a * b; })
      .Case([&](arith::DivSIOp) { return unless(zero || wraps, [&] { return a.sdiv(b); }); })
      .Case([&](arith::DivUIOp) { return unless(zero, [&] { return a.udiv(b); }); })
      .Case([&](arith::RemSIOp) { return unless(zero || wraps, [&] { return a.srem(b); }); })
      .Case([&](arith::RemUIOp) { return unless(zero, [&] { return a.urem(b); }); })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::ShLIOp) { return unless(wide, [&] { return a.shl(b); }); })
      .Case([&](arith::ShRSIOp) { return unless(wide, [&] { return a.ashr(b); }); })
      .Case([&](arith::ShRUIOp) { return unless(wide, [&] { return a.lshr(b); }); })
      .Case([&](arith::MinSIOp) { return a.slt(b) ? a : b; })
      .Case([&](arith::MaxSIOp) { return a.sgt(b) ? a : b; })
      .Case([&](arith::MinUIOp) { return a.ult(b) ? a : b; })
      .Case([&](arith::MaxUIOp) { return a.ugt(b) ? a : b; })
      .Default([](Operation *) { return std::nullopt; });
}

MaybeKnown Values::compute(Operation *op) const {
  unsigned width = widthOf(op->getResult(0).getType());
  if (width == 0)
    return std::nullopt;
  if (auto choose = dyn_cast<arith::SelectOp>(op)) {
    const Known *condition = find(choose.getCondition());
    if (!condition || !condition->terms.empty())
      return std::nullopt;
    MaybeKnown chosen = get(condition->base ? choose.getTrueValue() : choose.getFalseValue());
    return chosen && condition->firstTurn ? added(*chosen, *condition, 0) : chosen;
  }
  bool firstTurn = false, sum = false;
  SmallVector<APInt, 2> numbers;
  for (Value operand : op->getOperands()) {
    unsigned bits = widthOf(operand.getType());
    const Known *number = find(operand);
    if (!number || bits == 0)
      return std::nullopt;
    firstTurn |= number->firstTurn;
    sum |= !number->terms.empty() || number->array;
    numbers.push_back(APInt(bits, uint64_t(number->base), /*isSigned=*/true));
  }
  if (sum || isa<pto::AddPtrOp>(op)) {
    // A sum must stay inside its type in every turn.
    MaybeKnown result = linear(op);
    auto range = result ? extent(*result) : std::nullopt;
    return range && fits(range->first, width) && fits(range->second, width) ? result : std::nullopt;
  }
  std::optional<APInt> result;
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    result = APInt(1, arith::applyCmpPredicate(cmp.getPredicate(), numbers[0], numbers[1]));
  else if (isa<pto::CastPtrOp, pto::PtrToIntOp, pto::IntToPtrOp>(op))
    result = numbers[0].zextOrTrunc(width);
  else if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    result = numbers[0].sextOrTrunc(width);
  else if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op))
    result = numbers[0].zextOrTrunc(width);
  else if (numbers.size() == 2 && numbers[0].getBitWidth() == numbers[1].getBitWidth())
    result = binary(op, numbers[0], numbers[1]);
  if (!result)
    return std::nullopt;
  Known known(result->getSExtValue());
  known.firstTurn = firstTurn;
  return known;
}

//===----------------------------------------------------------------------===//
// Vector instructions that give scalars or masks
//===----------------------------------------------------------------------===//

static std::optional<int64_t> patternLanes(StringRef pattern, int64_t lanes) {
  int64_t n;
  if (pattern == "PAT_ALL")
    return lanes;
  if (pattern == "PAT_ALLF")
    return 0;
  if (pattern.consume_front("PAT_VL") && !pattern.getAsInteger(10, n))
    return std::min(n, lanes);
  return std::nullopt;
}

void Values::evaluateMask(Operation *op) {
  Value mask = op->getResult(0);
  masks.erase(mask);
  int64_t lanes = 256 / cast<pto::MaskType>(mask.getType()).getBytes();
  if (auto pattern = op->getAttrOfType<StringAttr>("pattern");
      pattern && isa<pto::PsetB8Op, pto::PsetB16Op, pto::PsetB32Op, pto::PgeB8Op, pto::PgeB16Op, pto::PgeB32Op>(op)) {
    if (auto on = patternLanes(pattern.getValue(), lanes))
      masks[mask] = {*on, false};
    return;
  }
  bool counts = isa<pto::PgeB8Op, pto::PgeB16Op, pto::PgeB32Op, pto::PltB8Op, pto::PltB16Op, pto::PltB32Op>(op);
  const Known *number = counts && op->getNumOperands() == 1 ? find(op->getOperand(0)) : nullptr;
  if (!number || !number->terms.empty() || number->base < 0)
    return;
  int64_t on = std::min(number->base, lanes);
  masks[mask] = {on, number->firstTurn};
  // The rest of `plt` is what is left for the next register.
  if (op->getNumResults() == 2) {
    Known rest(number->base - on);
    rest.firstTurn = number->firstTurn;
    set(op->getResult(1), rest);
  }
}

void Values::evaluate(Operation *op) {
  if (op->getNumResults() == 0)
    return;
  APInt number;
  if (isa<arith::ConstantOp>(op) && matchPattern(op, m_ConstantInt(&number)) && number.getSignificantBits() <= 64) {
    known[op->getResult(0)] = Known(number.getSExtValue());
    return;
  }
  // The pointer of the post-update forms.
  auto next = [&](Value base, Value offset, Value result) {
    const Known *from = find(base), *by = find(offset);
    if (result)
      set(result, from && by ? added(*from, *by, cast<pto::PtrType>(base.getType()).getElementBytes()) : std::nullopt);
  };
  if (auto load = dyn_cast<pto::VldsOp>(op))
    return next(load.getSrc(), load.getOffset(), load.getNext());
  if (auto load = dyn_cast<pto::Vldsx2Op>(op))
    return next(load.getSrc(), load.getOffset(), load.getNext());
  if (auto store = dyn_cast<pto::VstsOp>(op))
    return next(store.getDst(), store.getOffset(), store.getNext());
  if (op->getNumResults() == 1 && !pto::isVectorValue(op->getResult(0).getType())) {
    set(op->getResult(0), compute(op));
    return;
  }
  for (Value result : op->getResults())
    if (!pto::isVectorValue(result.getType()))
      known.erase(result);
  if (isa<pto::MaskType>(op->getResult(0).getType()))
    evaluateMask(op);
}

} // namespace ptoscope
