//===- ByteLog.h - who touched which bytes last -----------------*- C++ -*-===//
//
// The last read and the last write of each pipe, for every byte of one memory or
// array, as a map of intervals. Pairs of accesses that may need an order come
// out of it; whether they have one is for the caller to say.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_BYTELOG_H
#define PTOSCOPE_LIB_ANALYSIS_BYTELOG_H

#include "ptoscope/Machine/Types.h"

#include "mlir/IR/Operation.h"

#include <algorithm>
#include <map>
#include <vector>

namespace ptoscope {

/// Numbers of storages: those of the memories, then the arrays in GM. Bytes of GM of
/// which no one knows the array have the number of the space.
inline constexpr uint32_t kFirstArray = kSpaceSlots;
inline Space spaceOf(uint32_t storage) { return storage < kFirstArray ? Space(storage) : Space::Gm; }

/// Bytes of an instruction.
struct Piece {
  uint64_t begin = 0, end = 0;
  bool writes = false;
  /// Touched whenever the instruction executes; otherwise a branch, a loop or a
  /// mask inside a scope decides.
  bool certain = true;
  mlir::Operation *op = nullptr; ///< the access; inside a scope not what is issued
  uint32_t storage = uint32_t(Space::Ub);
  bool exact = true;   ///< false: some of these bytes, no one knows which
  bool atomic = false; ///< does not disturb another one
};

/// One execution of one instruction.
struct Instance {
  mlir::Operation *op = nullptr; ///< as issued: a scope is one instruction
  Pipe pipe = Pipe::S;
  uint32_t ordinal = 0; ///< of its pipe, from 1
  uint32_t issue = 0;   ///< of the program
  uint32_t context = 0;
  mlir::Operation *loop = nullptr; ///< innermost around it
  uint32_t turn = 0;               ///< of that loop, from 0
};

struct LoggedAccess {
  Instance instance;
  Piece piece;
};

class ByteLog {
public:
  /// Calls fn(earlier, begin, end) for every earlier access, by any pipe, to
  /// bytes of `access` where one of the two writes; then records it. `whole`:
  /// it executes on every path, so that a write stands for what it covers.
  template <typename Fn> void access(LoggedAccess access, bool whole, Fn fn) {
    accesses.push_back(std::move(access));
    uint32_t id = uint32_t(accesses.size());
    const Piece &piece = accesses.back().piece;
    size_t slot = slotOf(accesses.back().instance.pipe);
    auto it = cut(piece.begin);
    uint64_t at = piece.begin;
    bool writes = piece.writes;
    uint64_t end = piece.end;
    cut(end);
    while (at < end) {
      if (it == nodes.end() || it->first > at) {
        uint64_t gapEnd = it == nodes.end() ? end : std::min(end, it->first);
        it = nodes.emplace_hint(it, at, Node{gapEnd, {}, {}});
      }
      Node &node = it->second;
      ++work;
      for (size_t other = 0; other < kSlots; ++other) {
        if (uint32_t write = node.write[other])
          fn(accesses[write - 1], at, node.end);
        if (uint32_t read = node.read[other]; read && writes)
          fn(accesses[read - 1], at, node.end);
      }
      at = node.end;
      if (writes && whole) {
        it = nodes.erase(it);
      } else {
        (writes ? node.write : node.read)[slot] = id;
        ++it;
      }
    }
    if (writes && whole) {
      Node node{end, {}, {}};
      node.write[slot] = id;
      nodes.emplace_hint(it, accesses[id - 1].piece.begin, node);
    }
  }
  /// Intervals looked at so far.
  uint64_t looked() const { return work; }

private:
  static constexpr size_t kSlots = 7;
  struct Node {
    uint64_t end;
    uint32_t write[kSlots], read[kSlots]; ///< number of an access from 1; 0 = none
  };
  static size_t slotOf(Pipe pipe) {
    constexpr Pipe kPipes[] = {Pipe::S, Pipe::V, Pipe::M, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3};
    return size_t(std::find(kPipes, std::end(kPipes), pipe) - kPipes); // the last is PIPE_FIX
  }
  /// The first interval that does not end before `at`, none crossing it.
  std::map<uint64_t, Node>::iterator cut(uint64_t at) {
    auto next = nodes.lower_bound(at);
    if (next == nodes.begin())
      return next;
    auto before = std::prev(next);
    if (before->second.end <= at)
      return next;
    Node rest = before->second;
    before->second.end = at;
    return nodes.emplace_hint(next, at, rest);
  }

  std::map<uint64_t, Node> nodes;
  std::vector<LoggedAccess> accesses;
  uint64_t work = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_BYTELOG_H
