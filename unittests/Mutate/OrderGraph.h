//===- OrderGraph.h - the order of a run as an explicit graph ---*- C++ -*-===//
//
// A second, plain reading of docs/memory-model.md, for judging mutants: every
// executed instruction is nodes, every rule is edges, and whether two accesses
// are ordered is a question of reachability. It shares nothing with the clocks
// of the race checker, so that a mistake there does not hide itself.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_MUTATE_ORDERGRAPH_H
#define PTOSCOPE_UNITTESTS_MUTATE_ORDERGRAPH_H

#include "ptoscope/Machine/Observer.h"

#include <compare>
#include <map>
#include <optional>
#include <vector>

namespace ptoscope::mutate {

using InstrIndex = uint32_t;

/// An instruction that computes or moves data, in a way that a run of a mutant has
/// too: the n-th one of its pipe.
struct WorkName {
  int64_t block;
  uint8_t core;
  Pipe pipe;
  uint64_t number; ///< from 1, among those that touch memory
  auto operator<=>(const WorkName &) const = default;
};

class OrderGraph {
public:
  /// An instruction has three nodes: it starts, it has ended, and it and all
  /// instructions of its pipe before it have ended.
  enum Moment : uint32_t { Start, End, Done };
  struct Node {
    InstrIndex instr;
    Moment moment;
  };
  struct Executed {
    Instr instr; ///< iterations are not kept
    int64_t block;
  };

  /// Instructions are added in the order in which they take effect, which is a
  /// topological one.
  InstrIndex add(int64_t block, const Instr &instr);
  void edge(Node from, Node to) { before[nodeOf(to)].push_back(uint32_t(nodeOf(from))); }

  size_t size() const { return list.size(); }
  const Executed &operator[](InstrIndex i) const { return list[i]; }

  /// `first` and `second` touch a common byte, and one of them writes it. Both are
  /// work from now on.
  void meet(InstrIndex first, InstrIndex second) { pairs.emplace_back(first, second); }
  void work(InstrIndex i);
  std::optional<InstrIndex> find(const WorkName &name) const;
  bool isWork(InstrIndex i) const { return names.contains(i); }
  WorkName nameOf(InstrIndex work) const { return names.at(work); }
  /// Pairs that meet, in order of execution, each once. A pair is left out when
  /// two others imply it.
  const std::vector<std::pair<InstrIndex, InstrIndex>> &meeting() const { return pairs; }

  /// To be called once, after the last edge.
  void close();
  /// `a` has ended before `b` starts, in every schedule.
  bool ordered(InstrIndex a, InstrIndex b) const { return isBefore(a, {b, Start}); }
  /// `a` has ended before `b` has.
  bool endsBefore(InstrIndex a, InstrIndex b) const { return isBefore(a, {b, End}); }
  /// The fewest instructions that order `a` before `b`, with both; empty when
  /// nothing does.
  std::vector<InstrIndex> chain(InstrIndex a, InstrIndex b) const;

private:
  static size_t nodeOf(Node node) { return size_t(node.instr) * 3 + node.moment; }
  bool isBefore(InstrIndex a, Node node) const { return ended[nodeOf(node) * words + a / 64] >> (a % 64) & 1; }

  std::vector<Executed> list;
  std::vector<std::vector<uint32_t>> before; ///< by node: nodes with an edge to it
  std::vector<std::pair<InstrIndex, InstrIndex>> pairs;
  std::map<WorkName, InstrIndex> byName;
  std::map<InstrIndex, WorkName> names;
  std::map<std::tuple<int64_t, uint8_t, Pipe>, uint64_t> counts;
  size_t words = 0;            ///< of a row of `ended`
  std::vector<uint64_t> ended; ///< by node: a bit per instruction that has ended by then
};

} // namespace ptoscope::mutate

#endif // PTOSCOPE_UNITTESTS_MUTATE_ORDERGRAPH_H
