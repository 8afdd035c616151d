//===- Balance.cpp - flags that do not depend on branches -----------------===//

#include "ptoscope/Compiler/Balance.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {
namespace {

/// Two pipes and the event id, or a pipe twice and the buffer id; -1 for ids that are computed.
using Key = std::tuple<Pipe, Pipe, int64_t>;
using Counts = std::map<Key, int64_t>;

/// The id, and 1 for a set or a release, -1 for a wait or a get; 0 for other operations.
std::pair<Key, int64_t> countOf(Operation *op) {
  auto flag = [](auto of, std::optional<int64_t> id, int64_t count) {
    return std::pair(Key{of.getSrc().getValue(), of.getDst().getValue(), id.value_or(-1)}, count);
  };
  auto buffer = [](auto of, std::optional<int64_t> id, int64_t count) {
    return std::pair(Key{of.getTarget().getValue(), of.getTarget().getValue(), id.value_or(-1)}, count);
  };
  if (auto set = dyn_cast<SetFlagOp>(op))
    return flag(set, set.getId(), 1);
  if (auto wait = dyn_cast<WaitFlagOp>(op))
    return flag(wait, wait.getId(), -1);
  if (auto set = dyn_cast<SetFlagDynOp>(op))
    return flag(set, {}, 1);
  if (auto wait = dyn_cast<WaitFlagDynOp>(op))
    return flag(wait, {}, -1);
  if (auto release = dyn_cast<RlsBufOp>(op))
    return buffer(release, release.getStaticId(), 1);
  if (auto get = dyn_cast<GetBufOp>(op))
    return buffer(get, get.getStaticId(), -1);
  if (auto release = dyn_cast<RlsBufDynOp>(op))
    return buffer(release, {}, 1);
  if (auto get = dyn_cast<GetBufDynOp>(op))
    return buffer(get, {}, -1);
  return {Key{}, 0};
}

/// What is left of each flag behind the block; those of which that depends on a branch go to `split`.
Counts leftBehind(Block &block, std::set<Key> &split) {
  Counts left;
  std::map<void *, std::pair<Counts, Counts>> branches; // by condition
  auto add = [](Counts &sum, const Counts &more) {
    for (auto [key, count] : more)
      sum[key] += count;
  };
  for (Operation &op : block) {
    if (auto [key, count] = countOf(&op); count)
      left[key] += count;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      auto &[yes, no] = branches[branch.getCondition().getAsOpaquePointer()];
      add(yes, leftBehind(branch.getThenRegion().front(), split));
      if (!branch.getElseRegion().empty())
        add(no, leftBehind(branch.getElseRegion().front(), split));
      continue;
    }
    // How often a loop turns is another matter.
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (Counts counts = leftBehind(inner, split); !isa<LoopLikeOpInterface>(op))
          add(left, counts);
  }
  for (auto &[condition, counts] : branches) {
    for (auto [key, count] : counts.second)
      counts.first.try_emplace(key);
    for (auto [key, count] : counts.first)
      if (count != counts.second[key])
        split.insert(key);
    add(left, counts.first);
  }
  return left;
}

Counts instructions(ModuleOp module) {
  Counts counts;
  module.walk([&](Operation *op) {
    if (auto [key, count] = countOf(op); count)
      ++counts[key];
  });
  return counts;
}

} // namespace

bool keepsBalance(ModuleOp before, ModuleOp after) {
  std::set<Key> split;
  for (Block &block : after.getBodyRegion())
    leftBehind(block, split);
  Counts old = instructions(before), now = instructions(after);
  return std::ranges::all_of(split, [&](const Key &key) { return old[key] == now[key]; });
}

} // namespace ptoscope
