//===- OrderGraph.cpp - the order of a run as an explicit graph -----------===//

#include "OrderGraph.h"

#include <algorithm>
#include <deque>

namespace ptoscope::mutate {

InstrIndex OrderGraph::add(int64_t block, const Instr &instr) {
  InstrIndex index = InstrIndex(list.size());
  list.push_back({instr, block});
  list.back().instr.iterations = nullptr;
  before.resize(before.size() + 3);
  edge({index, Start}, {index, End});
  edge({index, End}, {index, Done});
  return index;
}

void OrderGraph::work(InstrIndex i) {
  if (names.contains(i))
    return;
  const Instr &instr = list[i].instr;
  uint64_t number = ++counts[{list[i].block, instr.core.index, instr.pipe}];
  WorkName name{list[i].block, instr.core.index, instr.pipe, number};
  names[i] = name;
  byName[name] = i;
}

std::optional<InstrIndex> OrderGraph::find(const WorkName &name) const {
  auto at = byName.find(name);
  return at == byName.end() ? std::nullopt : std::optional(at->second);
}

void OrderGraph::close() {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  words = (list.size() + 63) / 64;
  ended.assign(before.size() * words, 0);
  for (size_t node = 0; node < before.size(); ++node)
    for (uint32_t from : before[node]) {
      for (size_t w = 0; w < words; ++w)
        ended[node * words + w] |= ended[from * words + w];
      if (from % 3 == End)
        ended[node * words + from / 3 / 64] |= uint64_t(1) << (from / 3 % 64);
    }
}

std::vector<InstrIndex> OrderGraph::chain(InstrIndex a, InstrIndex b) const {
  // Backwards from the start of `b`, breadth first.
  constexpr uint32_t kUnseen = ~0u;
  std::vector<uint32_t> next(before.size(), kUnseen);
  uint32_t goal = uint32_t(nodeOf({a, End})), first = uint32_t(nodeOf({b, Start}));
  std::deque<uint32_t> queue{first};
  next[first] = first;
  while (!queue.empty() && next[goal] == kUnseen) {
    uint32_t node = queue.front();
    queue.pop_front();
    for (uint32_t from : before[node])
      if (next[from] == kUnseen) {
        next[from] = node;
        queue.push_back(from);
      }
  }
  std::vector<InstrIndex> path;
  if (next[goal] == kUnseen)
    return path;
  for (uint32_t node = goal;; node = next[node]) {
    // An instruction that the path only counts among those that are done is no link.
    if (node % 3 != Done && (path.empty() || path.back() != node / 3))
      path.push_back(node / 3);
    if (node == first)
      break;
  }
  return path;
}

} // namespace ptoscope::mutate
