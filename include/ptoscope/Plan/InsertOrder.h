//===- InsertOrder.h - flags and barriers a program needs -------*- C++ -*-===//
//
// Finds the sets, waits and barriers that make pipes run as if instructions ended
// one after another (ORDER-9). Knows what instructions touch, not what they are.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_PLAN_INSERTORDER_H
#define PTOSCOPE_PLAN_INSERTORDER_H

#include "ptoscope/Machine/Types.h"

#include <array>
#include <vector>

namespace ptoscope {

/// Bytes [begin, end) of a storage: a memory, or an array in GM. Storages have no
/// byte in common.
struct OrderAccess {
  uint32_t storage;
  uint64_t begin, end;
  bool writes;
};

/// Event ids that flags of a program use, a bit each, by source and destination.
inline constexpr size_t kFlagPipes = 7;
using FlagIds = std::array<std::array<uint8_t, kFlagPipes>, kFlagPipes>;

/// A program as a tree: what is executed one after the other.
struct OrderNode {
  enum Kind : uint8_t {
    Work,    ///< an instruction of `pipe`
    Loop,    ///< its one block any number of times
    Branch,  ///< one of its blocks, or none
    Barrier, ///< of `pipe`, which the program has already
    Call,    ///< its one block, which has its order already, and then a barrier of all pipes
  };
  Kind kind = Work;
  Pipe pipe = Pipe::S;
  uint32_t tag = 0; ///< the caller's
  std::vector<OrderAccess> accesses{};
  std::vector<std::vector<OrderNode>> blocks{};
  FlagIds ids{}; ///< of a call
};
using OrderBlock = std::vector<OrderNode>;

struct OrderInsertion {
  enum Kind : uint8_t { Set, Wait, Barrier } kind;
  Pipe src, dst; ///< of a barrier: `src`
  uint8_t id;    ///< of a flag
  uint32_t tag;  ///< of the node that it stands beside
  bool after;    ///< or before it
};

/// In the order in which those beside one node stand. `used` gets all event ids of the
/// program; one that is called by others uses high ones, as long as others use low ones.
std::vector<OrderInsertion> insertOrder(const OrderBlock &program, const Profile &profile, FlagIds *used = nullptr,
                                        bool isCalled = false);

} // namespace ptoscope

#endif // PTOSCOPE_PLAN_INSERTORDER_H
