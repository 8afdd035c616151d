//===- ExpandVmi.cpp - vectors of any length as registers -----------------===//
//
// The frame: which operation is rewritten how, the values that loops and branches
// carry, and the instructions that are made.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ExpandVmi.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

bool ptoscope::hasVmi(func::FuncOp function) {
  return function.walk([](Operation *op) { return isVmi(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

LogicalResult ptoscope::expandVmi(func::FuncOp function) { return VmiExpander(function).run(); }

LogicalResult VmiExpander::run() {
  Block &from = function.getBody().front();
  Block *to = new Block;
  for (BlockArgument argument : from.getArguments())
    mapping.map(argument, to->addArgument(argument.getType(), argument.getLoc()));
  b.setInsertionPointToEnd(to);
  LogicalResult result = expandBlock(from);
  if (succeeded(result))
    b.clone(*from.getTerminator(), mapping);
  function.getBody().push_back(to);
  from.erase();
  return result;
}

const llvm::StringMap<VmiExpander::Handler> &VmiExpander::handlers() {
  static const llvm::StringMap<Handler> table = [] {
    llvm::StringMap<Handler> all;
    auto add = [&](Handler handler, std::initializer_list<StringRef> names) {
      for (StringRef name : names)
        all[name] = handler;
    };
    using E = VmiExpander;
    add(&E::lanewise,
        {"vadd",  "vsub",  "vmul",  "vdiv",   "vmax",  "vmin",  "vabs",  "vneg",   "vrelu", "vexp",  "vln",
         "vsqrt", "vand",  "vor",   "vxor",   "vnot",  "vshl",  "vshr",  "vadds",  "vmuls", "vmaxs", "vmins",
         "vshls", "vshrs", "vaddc", "vaddcs", "vmull", "vmula", "vaxpy", "vlrelu", "vprelu"});
    add(&E::expDifference, {"vexpdif"});
    add(&E::compare, {"vcmp", "vcmps", "cmpf", "cmpi"});
    add(&E::select, {"vsel"});
    add(&E::convert, {"vcvt"});
    add(&E::reinterpret, {"vinterpret_cast"});
    add(&E::createMask, {"create_mask"});
    add(&E::createGroupMask, {"create_group_mask"});
    add(&E::patternMask, {"pset", "pge"});
    add(&E::countMask, {"plt"});
    add(&E::constantMask, {"constant_mask"});
    add(&E::broadcast, {"vbrc"});
    add(&E::counters, {"vci"});
    add(&E::constant, {"constant"});
    add(&E::interleave, {"vintlv", "vdintlv"});
    add(&E::shuffleOp, {"shuffle"});
    add(&E::channels, {"channel_split", "channel_merge"});
    add(&E::lookup, {"vselr"});
    add(&E::prefixIndex, {"active_prefix_index"});
    add(&E::compress, {"compress"});
    add(&E::reduce, {"vcadd", "vcmax", "vcmin"});
    add(&E::histogram, {"vdhist", "vchist"});
    add(&E::identity, {"ensure_layout", "ensure_mask_layout", "ensure_mask_granularity"});
    add(&E::pack, {"pack", "unpack"});
    add(&E::load, {"vload", "stride_load"});
    add(&E::store, {"vstore", "vsstb", "stride_store"});
    add(&E::gather, {"vgather", "gather"});
    add(&E::scatter, {"vscatter"});
    add(&E::maskedLoad, {"masked_load"});
    add(&E::expandLoad, {"expand_load"});
    add(&E::compressStore, {"compress_store"});
    return all;
  }();
  return table;
}

//===----------------------------------------------------------------------===//
// Blocks, loops and branches
//===----------------------------------------------------------------------===//

LogicalResult VmiExpander::expandBlock(Block &from) {
  for (Operation &op : from.without_terminator())
    if (failed(expandOp(&op)))
      return failure();
  return success();
}

LogicalResult VmiExpander::expandInto(Block &from, Block *to) {
  b.setInsertionPointToEnd(to);
  if (failed(expandBlock(from)))
    return failure();
  loc = from.getTerminator()->getLoc();
  return success();
}

LogicalResult VmiExpander::expandOp(Operation *op) {
  loc = op->getLoc();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return expandFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return expandIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return expandWhile(loop);
  if (auto choice = dyn_cast<arith::SelectOp>(op); choice && isVmiValue(choice.getType())) {
    Parts yes = flat(choice.getTrueValue()), no = flat(choice.getFalseValue()), made;
    for (auto [one, other] : llvm::zip(yes, no))
      made.push_back(b.create<arith::SelectOp>(loc, scalar(choice.getCondition()), one, other));
    bind(choice.getResult(), made);
    return success();
  }
  // A look at a vector gets its registers one after the other, at a mask its images for bytes.
  if (auto look = dyn_cast<pto::TPrintOp>(op); look && isVmiValue(look.getValue().getType())) {
    Value value = look.getValue();
    for (Value each : isVmiMask(value.getType()) ? imagesOf(value, 1) : partsOf(value))
      b.create<pto::TPrintOp>(loc, each)->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return success();
  }
  if (!isVmi(op)) {
    b.clone(*op, mapping);
    return success();
  }
  ++origin;
  StringRef name = op->getName().stripDialect();
  name.consume_front("vmi.");
  auto handler = handlers().find(name);
  if (handler == handlers().end())
    return emitCoded(op->emitError(), "not-modelled")
           << "`" << op->getName() << "` is not modelled inside a vector scope";
  LogicalResult result = (this->*handler->second)(cast<Vmi>(op));
  part = -1;
  return result;
}

LogicalResult VmiExpander::expandFor(scf::ForOp loop) {
  Parts inits = flat(loop.getInitArgs());
  auto made = b.create<scf::ForOp>(loc, scalar(loop.getLowerBound()), scalar(loop.getUpperBound()),
                                   scalar(loop.getStep()), inits);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(b);
  // The builder adds a terminator only to loops that carry nothing.
  if (!made.getBody()->empty())
    made.getBody()->back().erase();
  mapping.map(loop.getInductionVar(), made.getInductionVar());
  bind(loop.getRegionIterArgs(), made.getRegionIterArgs());
  if (failed(expandInto(*loop.getBody(), made.getBody())))
    return failure();
  b.create<scf::YieldOp>(loc, flat(loop.getYieldedValues()));
  bind(loop.getResults(), made.getResults());
  return success();
}

LogicalResult VmiExpander::expandIf(scf::IfOp branch) {
  const bool hasElse = !branch.getElseRegion().empty();
  auto made = b.create<scf::IfOp>(loc, flat(branch.getResultTypes()), scalar(branch.getCondition()),
                                  /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Block &from, Block *to) -> LogicalResult {
    if (!to->empty())
      to->back().erase();
    if (failed(expandInto(from, to)))
      return failure();
    b.create<scf::YieldOp>(loc, flat(from.getTerminator()->getOperands()));
    return success();
  };
  if (failed(fill(*branch.thenBlock(), made.thenBlock())) ||
      (hasElse && failed(fill(*branch.elseBlock(), made.elseBlock()))))
    return failure();
  bind(branch.getResults(), made.getResults());
  return success();
}

LogicalResult VmiExpander::expandWhile(scf::WhileOp loop) {
  Parts inits = flat(loop.getInits());
  auto made = b.create<scf::WhileOp>(loc, flat(loop.getResultTypes()), inits);
  OpBuilder::InsertionGuard guard(b);
  auto begin = [&](Region &region, ValueRange arguments) {
    SmallVector<Type> types = flat(arguments.getTypes());
    Block *block = b.createBlock(&region, {}, types, SmallVector<Location>(types.size(), loc));
    bind(arguments, block->getArguments());
    return block;
  };
  Block *before = begin(made.getBefore(), loop.getBeforeArguments());
  if (failed(expandInto(*loop.getBeforeBody(), before)))
    return failure();
  b.create<scf::ConditionOp>(loc, scalar(loop.getConditionOp().getCondition()), flat(loop.getConditionOp().getArgs()));
  Block *after = begin(made.getAfter(), loop.getAfterArguments());
  if (failed(expandInto(*loop.getAfterBody(), after)))
    return failure();
  b.create<scf::YieldOp>(loc, flat(loop.getYieldOp().getResults()));
  bind(loop.getResults(), made.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The width at which masks cross loops and branches.
static constexpr unsigned kCarriedBytes = 4;

static LaneShape carriedShape(MLIRContext *context, int64_t lanes) {
  return {lanes, IntegerType::get(context, 8 * kCarriedBytes), kCarriedBytes};
}

VmiExpander::Parts VmiExpander::flat(ValueRange values) {
  Parts parts;
  for (Value value : values)
    if (isVmiVector(value.getType()))
      llvm::append_range(parts, partsOf(value));
    else if (isVmiMask(value.getType()))
      llvm::append_range(parts, imagesOf(value, kCarriedBytes));
    else
      parts.push_back(scalar(value));
  return parts;
}

SmallVector<Type> VmiExpander::flat(TypeRange types) {
  SmallVector<Type> parts;
  for (Type type : types)
    if (isVmiVector(type))
      parts.append(size_t(shapeOf(type).registers()), shapeOf(type).type());
    else if (isVmiMask(type))
      parts.append(size_t(carriedShape(b.getContext(), vmiLanes(type)).registers()),
                   MaskType::get(b.getContext(), kCarriedBytes));
    else
      parts.push_back(type);
  return parts;
}

void VmiExpander::bind(ValueRange values, ValueRange parts) {
  for (Value value : values) {
    size_t count = flat(TypeRange(value.getType())).size();
    ValueRange own = parts.take_front(count);
    parts = parts.drop_front(count);
    if (isVmiVector(value.getType()))
      vectors[value] = Parts(own);
    else if (isVmiMask(value.getType()))
      masks[value] = {LaneMask::Images, vmiLanes(value.getType()), {}, {}, kCarriedBytes, Parts(own)};
    else
      mapping.map(value, own.front());
  }
}

/// Signless integers are unsigned (VSEQ-5).
static Type registerElement(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer && integer.isSignless()
             ? IntegerType::get(element.getContext(), integer.getWidth(), IntegerType::Unsigned)
             : element;
}

LaneShape VmiExpander::shapeOf(Type type) {
  auto vector = cast<VmiVRegType>(type);
  return {vector.getLanes(), registerElement(vector.getElement()), vector.getElementBytes()};
}

const VmiExpander::Parts &VmiExpander::partsOf(Value vector) { return vectors.find(vector)->second; }

LogicalResult VmiExpander::give(Value vector, Parts parts) {
  vectors[vector] = std::move(parts);
  return success();
}

Value VmiExpander::index(int64_t value) { return b.create<arith::ConstantIndexOp>(loc, value); }

Value VmiExpander::addIndex(Value base, int64_t number) {
  return number ? b.create<arith::AddIOp>(loc, base, index(number)).getResult() : base;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

NamedAttribute VmiExpander::text(StringRef name, StringRef value) {
  return b.getNamedAttr(name, b.getStringAttr(value));
}

NamedAttribute VmiExpander::number(StringRef name, int64_t value) {
  return b.getNamedAttr(name, b.getI64IntegerAttr(value));
}

Operation *VmiExpander::micro(StringRef name, ValueRange operands, TypeRange results,
                              ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc, ("pto." + name).str());
  state.addOperands(operands);
  state.addTypes(results);
  state.addAttributes(attributes);
  Operation *op = b.create(state);
  op->setAttr(kOriginAttr, b.getI64IntegerAttr(origin));
  if (part >= 0)
    op->setAttr(kPartAttr, b.getI64IntegerAttr(part));
  return op;
}

Operation *VmiExpander::sequence(StringRef name, ValueRange operands, TypeRange results,
                                 ArrayRef<NamedAttribute> attributes) {
  auto call = b.create<func::CallOp>(loc, name, results, operands);
  for (NamedAttribute attribute : attributes)
    call->setAttr(attribute.getName(), attribute.getValue());
  call->setAttr(kOriginAttr, b.getI64IntegerAttr(origin));
  return call;
}

VmiExpander::Parts VmiExpander::sequenceOf(StringRef name, ValueRange operands, LaneShape result,
                                           ArrayRef<NamedAttribute> attributes) {
  SmallVector<Type> types(size_t(result.registers()), result.type());
  return Parts(sequence(name, operands, types, attributes)->getResults());
}

Value VmiExpander::splat(Value scalar, LaneShape shape) { return microValue("vbr", scalar, shape.type()); }

Value VmiExpander::splatBits(uint64_t bits, LaneShape shape) {
  const APInt number(8 * shape.bytes, bits);
  TypedAttr constant = b.getIntegerAttr(b.getIntegerType(8 * shape.bytes), number);
  if (shape.element.isF32() || shape.element.isF16())
    constant = b.getFloatAttr(shape.element, APFloat(cast<FloatType>(shape.element).getFloatSemantics(), number));
  return splat(b.create<arith::ConstantOp>(loc, constant).getResult(), shape);
}

VmiExpander::Parts VmiExpander::constantLanes(LaneShape shape, llvm::function_ref<int64_t(int64_t)> lane) {
  std::string bytes(size_t(shape.registers() * LaneShape::kRegisterBytes), '\0');
  for (int64_t i = 0; i < shape.lanes; ++i) {
    int64_t value = lane(i);
    memcpy(bytes.data() + i * shape.bytes, &value, shape.bytes);
  }
  return sequenceOf(sequence::kConstant, {}, shape, text("value", bytes));
}

VmiExpander::Parts VmiExpander::shuffle(ValueRange registers, LaneShape result,
                                        llvm::function_ref<int64_t(int64_t)> from) {
  SmallVector<int32_t> lanes(size_t(result.registers() * result.perRegister()), -1);
  for (int64_t i = 0; i < result.lanes; ++i)
    lanes[size_t(i)] = int32_t(from(i));
  // Registers that are taken as they are.
  Parts parts;
  const int64_t each = result.perRegister();
  for (int64_t k = 0; k < result.registers(); ++k) {
    const int32_t first = lanes[size_t(k * each)];
    bool whole = first >= 0 && first % each == 0;
    for (int64_t i = 0; i < result.lanesIn(k) && whole; ++i)
      whole = lanes[size_t(k * each + i)] == first + i;
    if (!whole)
      break;
    Value part = registers[size_t(first / each)];
    parts.push_back(part.getType() == result.type() ? part : microValue("vbitcast", part, result.type()));
  }
  if (int64_t(parts.size()) == result.registers())
    return parts;
  return sequenceOf(sequence::kShuffle, registers, result,
                    {b.getNamedAttr("from", b.getDenseI32ArrayAttr(lanes)), number("bytes", result.bytes)});
}

VmiExpander::Parts VmiExpander::choose(Value mask, LaneShape shape, const Parts &parts, const Parts &otherwise) {
  Parts chosen;
  // The micro instruction takes no storage types (VSEL-1): their bits are chosen.
  VRegType type = shape.type(), bits = type;
  if (!isa<IntegerType, Float16Type, BFloat16Type, Float32Type>(shape.element))
    bits = VRegType::get(b.getContext(), type.getLanes(), b.getIntegerType(shape.bytes * 8, /*isSigned=*/false));
  auto as = [&](Value part, VRegType wanted) {
    return part.getType() == wanted ? part : microValue("vbitcast", part, wanted);
  };
  for (auto [k, part] : llvm::enumerate(parts)) {
    Value lanes = maskOf(mask, shape.bytes, int64_t(k));
    this->part = int64_t(k);
    chosen.push_back(lanes ? as(microValue("vsel", {as(part, bits), as(otherwise[k], bits), lanes}, bits), type)
                           : part);
  }
  part = -1;
  return chosen;
}

bool VmiExpander::governs(Value mask, LaneShape shape) {
  return mask && llvm::any_of(llvm::seq<int64_t>(0, shape.registers()),
                              [&](int64_t k) { return bool(maskOf(mask, shape.bytes, k)); });
}

VmiExpander::Parts VmiExpander::zeroed(Value mask, LaneShape shape, const Parts &parts) {
  if (!governs(mask, shape))
    return parts;
  return choose(mask, shape, parts, Parts(parts.size(), splatBits(0, shape)));
}
