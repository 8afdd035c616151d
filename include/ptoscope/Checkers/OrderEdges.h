//===- OrderEdges.h - which instructions a run puts in order ----*- C++ -*-===//
//
// Observes a run and keeps its order edges (docs/auditing.md). For an instruction Q
// that does work, and a pipe p, the last instruction of p that has ended in every
// schedule before Q starts is the frontier of Q on p. There is an edge from that
// instruction to Q if the frontier is later than it was for the instruction before Q
// on Q's pipe, and no other edge to Q implies it. What brings the order about, a flag of any
// number, a barrier or a buffer id, is no part of an edge; it is kept for messages.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_ORDEREDGES_H
#define PTOSCOPE_CHECKERS_ORDEREDGES_H

#include "ptoscope/Machine/Launch.h"

#include <memory>
#include <vector>

namespace ptoscope {

struct OrderEdge {
  /// One end. Vector cores of a cluster are alike.
  struct End {
    bool cube = false; ///< on the cube core
    Pipe pipe = Pipe::S;
    SiteId site = kNoSite;
    auto operator<=>(const End &) const = default;
  };
  End from, to;
  /// By how many turns of each loop around both, outermost first, `to` is later; at most
  /// kMaxTurns.
  std::vector<int64_t> turns;
  static constexpr int64_t kMaxTurns = 9;

  /// What brought it about, the first time.
  enum class Means : uint8_t { ProgramOrder, Flag, Barrier, Buffer, UnitFlag, Semaphore, Queue, CoresBarrier };
  Means means = Means::ProgramOrder;
  int64_t id = -1;           ///< of flags, buffers, semaphores and queues
  SiteId waited = kNoSite;   ///< the wait, the barrier or the get
  SiteId signaled = kNoSite; ///< the set or the release, if it is known

  bool isSame(const OrderEdge &other) const { return from == other.from && to == other.to && turns == other.turns; }
};

/// "flag", "barrier", …
std::string_view nameOf(OrderEdge::Means means);

class OrderEdges : public ObserverFactory {
public:
  /// Instructions that are followed, of all blocks together.
  static constexpr size_t kMaxInstructions = 200'000;

  /// By site of `to`, then of `from`. Of all blocks and cores together, each once.
  virtual std::vector<OrderEdge> edges() const = 0;
  /// Every instruction that did work, whether or not an edge has it.
  virtual std::vector<OrderEdge::End> work() const = 0;
  /// False: the run was longer than what is followed.
  virtual bool isComplete() const = 0;
};

/// `next` sees every event, and may be null.
std::unique_ptr<OrderEdges> makeOrderEdges(const SiteTable &sites, const Profile &profile, ObserverFactory *next,
                                           size_t maxInstructions = OrderEdges::kMaxInstructions);

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_ORDEREDGES_H
