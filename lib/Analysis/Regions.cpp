//===- Regions.cpp - what a region does to flags, and its size ------------===//

#include "Regions.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace ptoscope {

static std::optional<int64_t> numberOf(Value value) {
  APInt number;
  if (value && matchPattern(value, m_ConstantInt(&number)) && number.getSignificantBits() <= 64)
    return number.getSExtValue();
  return std::nullopt;
}

std::optional<FlagOp> flagOf(Operation *op) {
  auto fixed = [](auto flag, bool isSet) -> std::optional<FlagOp> {
    return FlagOp{flag.getSrc().getValue(), flag.getDst().getValue(), flag.getId(), {}, isSet};
  };
  auto dynamic = [](auto flag, bool isSet) -> std::optional<FlagOp> {
    return FlagOp{flag.getSrc().getValue(), flag.getDst().getValue(), numberOf(flag.getEvent()), flag.getEvent(),
                  isSet};
  };
  if (auto set = dyn_cast<pto::SetFlagOp>(op))
    return fixed(set, true);
  if (auto wait = dyn_cast<pto::WaitFlagOp>(op))
    return fixed(wait, false);
  if (auto set = dyn_cast<pto::SetFlagDynOp>(op))
    return dynamic(set, true);
  if (auto wait = dyn_cast<pto::WaitFlagDynOp>(op))
    return dynamic(wait, false);
  return std::nullopt;
}

std::optional<int64_t> tripsOf(int64_t low, int64_t high, int64_t step) {
  if (step <= 0)
    return std::nullopt;
  if (high <= low)
    return 0;
  uint64_t distance = uint64_t(high) - uint64_t(low);
  uint64_t trips = distance / uint64_t(step) + (distance % uint64_t(step) != 0);
  return trips <= uint64_t(INT64_MAX) ? std::optional(int64_t(trips)) : std::nullopt;
}

std::optional<int64_t> tripsInText(scf::ForOp loop) {
  auto low = numberOf(loop.getLowerBound()), high = numberOf(loop.getUpperBound()), step = numberOf(loop.getStep());
  return low && high && step ? tripsOf(*low, *high, *step) : std::nullopt;
}

Region *Regions::calleeOf(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return nullptr;
  auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  return callee && !callee.isExternal() ? &callee.getBody() : nullptr;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

uint64_t Regions::size(Region &region) {
  if (auto it = sizes.find(&region); it != sizes.end())
    return it->second;
  uint64_t total = 0;
  for (Operation &op : region.getOps()) {
    ++total;
    if (Region *callee = calleeOf(&op))
      total += size(*callee);
    for (Region &inner : op.getRegions())
      total += size(inner);
  }
  return sizes[&region] = std::min(total, kHuge);
}

uint64_t Regions::unrolled(Region &region, uint64_t otherTurns) {
  if (auto it = unrolledSizes.find(&region); it != unrolledSizes.end())
    return it->second;
  uint64_t total = 0;
  for (Operation &op : region.getOps()) {
    uint64_t turns = 1;
    if (pto::isScope(&op)) {
      total += size(op.getRegion(0)); // looked at once
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      turns = uint64_t(tripsInText(loop).value_or(int64_t(otherTurns)));
    else if (isa<scf::WhileOp>(op))
      turns = otherTurns;
    ++total;
    if (Region *callee = calleeOf(&op))
      total += unrolled(*callee, otherTurns);
    for (Region &inner : op.getRegions())
      if (__builtin_mul_overflow(unrolled(inner, otherTurns), turns, &turns))
        total = kHuge;
      else
        total += turns;
    total = std::min(total, kHuge);
  }
  return unrolledSizes[&region] = total;
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

/// Adds a part that is executed `times` times; no one knows how often when absent.
void Regions::merge(RegionEffects &total, const RegionEffects &part, std::optional<int64_t> times) {
  for (const auto &[key, effect] : part.flags) {
    FlagEffect &own = total.flags[key];
    own.sets |= effect.sets;
    own.uneven |= effect.uneven;
    int64_t net;
    if (effect.net == 0)
      continue;
    if (!times || __builtin_mul_overflow(effect.net, *times, &net) || __builtin_add_overflow(own.net, net, &own.net))
      own.uneven = true;
  }
  for (size_t src = 0; src < kPipeSlots; ++src)
    total.families[src] |= part.families[src];
  total.acquiring |= part.acquiring;
  total.releases |= part.releases;
  total.tiles |= part.tiles;
  total.registers |= part.registers;
  llvm::append_range(total.changed, part.changed);
}

void Regions::add(RegionEffects &total, Operation &op) {
  if (pto::isScope(&op))
    return;
  if (std::optional<FlagOp> flag = flagOf(&op)) {
    if (!flag->isSet)
      total.acquiring |= 1u << unsigned(flag->dst);
    if (flag->id) {
      FlagEffect &effect = total.flags[{flag->src, flag->dst, *flag->id}];
      effect.net += flag->isSet ? 1 : -1;
      effect.sets |= flag->isSet;
    } else {
      total.families[size_t(flag->src)] |= 1u << unsigned(flag->dst);
    }
  } else if (isa<pto::GetBufOp, pto::GetBufDynOp>(op)) {
    total.acquiring |= 1u << unsigned(op.getAttrOfType<pto::PipeAttr>("target").getValue());
  } else if (isa<pto::DsbOp>(op)) {
    total.acquiring |= pipesOf(Domain::All);
  } else if (UnitOp unit = unitOf(&op); unit.flag != UnitFlag::None) {
    total.acquiring |= 1u << unsigned(unit.pipe);
    total.tiles = true;
  } else if (isa<pto::RlsBufOp, pto::RlsBufDynOp>(op)) {
    total.releases = true;
  } else if (const pto::InstrInfo *info = pto::infoOf(&op); info && info->sets) {
    total.registers |= 1u << *info->sets;
  } else if (auto valid = dyn_cast<pto::SetValidShapeOp>(op)) {
    total.changed.push_back(valid.getTile());
  } else if (auto reshape = dyn_cast<pto::TReshapeOp>(op); reshape && reshape.getTarget()) {
    total.changed.push_back(reshape.getTarget());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    RegionEffects both = effects(branch.getThenRegion());
    static const RegionEffects kNothing;
    const RegionEffects &other = branch.getElseRegion().empty() ? kNothing : effects(branch.getElseRegion());
    // A flag that only one branch touches, or by another amount, may end either way.
    for (auto &[key, effect] : both.flags) {
      auto same = other.flags.find(key);
      effect.uneven |= effect.net != (same == other.flags.end() ? 0 : same->second.net);
    }
    RegionEffects rest = other;
    for (auto &[key, effect] : rest.flags) {
      effect.uneven |= effect.net != 0 && !both.flags.count(key);
      effect.net = 0;
    }
    merge(total, both, 1);
    merge(total, rest, 1);
  } else if (Region *callee = calleeOf(&op)) {
    merge(total, effects(*callee), 1);
  } else {
    std::optional<int64_t> times = 1;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      times = tripsInText(loop);
    else if (isa<scf::WhileOp>(op))
      times = std::nullopt;
    for (Region &inner : op.getRegions())
      merge(total, effects(inner), times);
  }
}

const RegionEffects &Regions::effects(Region &region) {
  if (auto it = known.find(&region); it != known.end())
    return *it->second;
  auto total = std::make_unique<RegionEffects>();
  for (Operation &op : region.getOps())
    add(*total, op);
  return *(known[&region] = std::move(total));
}

} // namespace ptoscope
