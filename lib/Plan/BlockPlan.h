//===- BlockPlan.h - what a block of a program lacks in order ---*- C++ -*-===//
//
// Flags and barriers that the accesses of a block need, by position in it; ids
// are chosen later (InsertOrder.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_PLAN_BLOCKPLAN_H
#define PTOSCOPE_LIB_PLAN_BLOCKPLAN_H

#include "ptoscope/Machine/Order.h"
#include "ptoscope/Plan/InsertOrder.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace ptoscope::plan {

inline constexpr Pipe kPipes[] = {Pipe::S, Pipe::V, Pipe::M, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::FIX, Pipe::All};
inline constexpr size_t kCount = std::size(kPipes) - 1, kAll = kCount;
static_assert(kCount == kFlagPipes);
inline constexpr int kNothing = -1;

inline size_t indexOf(Pipe pipe) { return size_t(std::find(kPipes, std::end(kPipes), pipe) - kPipes); }

/// A position for each pipe, or kNothing.
struct Row : std::array<int, kCount> {
  Row() { fill(kNothing); }
  void join(const Row &other) {
    for (size_t i = 0; i < kCount; ++i)
      (*this)[i] = std::max((*this)[i], other[i]);
  }
};
/// What a pipe knows of each pipe.
struct Clock {
  Row ended;  ///< instructions that have ended, up to and with a position
  Row passed; ///< waits that were passed, also those of turns and branches without an instruction
  void join(const Clock &other) {
    ended.join(other.ended);
    passed.join(other.passed);
  }
  void set(size_t pipe, int position) { ended[pipe] = passed[pipe] = position; }
};
using Clocks = std::array<Clock, kCount>;

struct PipeAccess {
  size_t pipe;
  OrderAccess access;
  auto key() const { return std::tuple(access.storage, access.begin, access.end, pipe, access.writes); }
  bool operator<(const PipeAccess &other) const { return key() < other.key(); }
  bool operator==(const PipeAccess &other) const { return key() == other.key(); }
};

/// A set behind position `set` and a wait before position `wait`.
struct FlagPair {
  size_t src, dst;
  int set, wait;
  int knows = kNothing;      ///< how far `src` knows `dst` when it sets
  int knowsLater = kNothing; ///< the same in the next turn; positions of that begin at the size of the block
};

struct BlockPlan;
/// A loop, a branch or a call as one position of a block.
struct Compound {
  std::vector<std::unique_ptr<BlockPlan>> blocks;
  std::vector<PipeAccess> accesses;
  std::array<bool, kCount> active{};
  std::array<std::array<bool, kCount>, kCount> gains{}; ///< [p][q]: p knows all of q that it executed
  Clocks entry;
};

struct BlockPlan {
  const OrderBlock *nodes = nullptr;
  std::vector<FlagPair> pairs, carried;
  std::vector<std::pair<int, size_t>> barriers; ///< before a position, of a pipe
  std::map<int, Compound> compounds;
  std::vector<PipeAccess> accesses;
  Row firstActive, lastActive;
  Clocks end; ///< what pipes know where the block ends
};

std::unique_ptr<BlockPlan> planBlock(const OrderBlock &nodes, const Profile &profile, bool isLoop, unsigned depth);

} // namespace ptoscope::plan

#endif // PTOSCOPE_LIB_PLAN_BLOCKPLAN_H
