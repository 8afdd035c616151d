//===- Touches.h - which bytes of on-chip memories are used -----*- C++ -*-===//
//
// Stands between whoever times a run and its checks, and keeps what the instructions
// of the first blocks read and write. Vector scopes are seen where checks are on: code
// without checks does not tell.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TIMING_TOUCHES_H
#define PTOSCOPE_TIMING_TOUCHES_H

#include "ptoscope/Machine/Observer.h"

#include <map>
#include <span>
#include <vector>

namespace ptoscope::timing {

/// Bytes of an on-chip memory that an instruction reads or writes.
struct Touch {
  CoreId core;
  Pipe pipe;
  uint64_t ordinal; ///< of the instruction
  CoreId owner;     ///< of the memory
  Space space;
  uint64_t begin, end;
  bool writes;
};

class Touches final : public ObserverFactory {
public:
  static constexpr uint64_t kDefaultLimit = 400'000;

  /// Keeps whole blocks, from the first on, as long as they have at most `limit` touches in sum.
  /// `next` sees every event, too, and may be null.
  Touches(uint64_t limit, ObserverFactory *next) : limit(limit), next(next) {}

  std::unique_ptr<Observer> beginBlock(int64_t block, FindingList &findings) override;
  void endBlock(int64_t block, std::unique_ptr<Observer>, FindingList &findings) override;

  /// In no order that matters; empty where nothing is kept.
  std::span<const Touch> of(int64_t block) const {
    auto it = blocks.find(block);
    return it == blocks.end() ? std::span<const Touch>() : it->second;
  }
  const std::map<int64_t, std::vector<Touch>> &all() const { return blocks; }

private:
  const uint64_t limit;
  ObserverFactory *next;
  std::map<int64_t, std::vector<Touch>> blocks;
  uint64_t kept = 0;
  bool isFull = false;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_TOUCHES_H
