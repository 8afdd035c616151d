//===- Operation.h - everything that a queue can hold -----------*- C++ -*-===//
//
// One protocol for transfers, scopes, direct instructions, flags, buffers,
// semaphores and barriers. The scalar unit makes an operation on its own stack;
// when nothing holds it up it takes effect there, and otherwise its pipe keeps a
// copy that owns what it needs.
//
// An instruction that brings its meaning with it is a DirectInstruction
// (ptoscope/Machine/Direct.h): it adds bounds, exact regions and the movement of
// undefined bytes, and one operation carries all of them. The class that timing
// looks up is that of the operation's site.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SCHEDULE_OPERATION_H
#define PTOSCOPE_LIB_MACHINE_SCHEDULE_OPERATION_H

#include "Schedule/Random.h"
#include "ptoscope/Machine/Observer.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace ptoscope {

/// What an operation waits for.
struct Wait {
  enum class For : uint8_t {
    Idle,      ///< every pipe of the core
    Flag,      ///< `src`, `dst`, `id`, set `number` times
    Buffer,    ///< releases of buffer `id`
    Work,      ///< of other pipes under buffer `id`
    Semaphore, ///< `id`, set `number` times
    AllCores,  ///< at barrier `id`
    Counter,   ///< of a barrier in global memory, to reach `id`
    Tile,      ///< of L0C, which another instruction passes on
    Queue,     ///< signal `id` of a tile queue, for push or pop `number`
    Signal,    ///< a word of GM, see WaitSignals
  };
  For what = For::Idle;
  Pipe src = Pipe::S, dst = Pipe::S;
  int64_t id = 0;
  uint64_t number = 0;
};

/// An instruction in a queue of this core.
struct Blocker {
  Pipe pipe;
  uint64_t ordinal;
};

class Operation {
public:
  Operation() = default;
  /// Copies own their iterations.
  Operation(const Operation &other) : pipe(other.pipe), depth(other.depth), site(other.site), ordinal(other.ordinal) {
    if (depth == 0)
      return;
    ownIterations = std::make_unique<int64_t[]>(depth);
    std::copy_n(other.iterations, depth, ownIterations.get());
    iterations = ownIterations.get();
  }
  Operation &operator=(const Operation &) = delete;
  virtual ~Operation() = default;

  // Filled in when it is numbered, see Pipes::number.
  Pipe pipe = Pipe::S; ///< whose queue it stands in
  uint8_t depth = 0;   ///< loops that `iterations` numbers
  SiteId site = kNoSite;
  uint64_t ordinal = 0; ///< on its pipe, from 1
  const int64_t *iterations = nullptr;

  /// May it start, given that its predecessors have?
  virtual bool ready() const { return true; }
  /// What it waits for while it is not ready.
  virtual Wait wait() const { return {}; }
  /// The first instruction that has to run before it is ready; none: nothing that is
  /// queued on this core ends the wait.
  virtual std::optional<Blocker> blocker() const { return std::nullopt; }
  /// It has to wait: a copy for the queue. Called once.
  virtual std::unique_ptr<Operation> keep() = 0;
  /// It takes effect.
  virtual void effect(const Instr &) = 0;
  /// On a pipe that ends its instructions in any order, neighbours may take effect
  /// before it.
  virtual bool overtakes() const { return false; }
  /// Under a random schedule: a part of the effect of one that overtakes; true when
  /// it was the last.
  virtual bool advance(const Instr &instr, Random &) {
    effect(instr);
    return true;
  }

private:
  std::unique_ptr<int64_t[]> ownIterations;
};

/// An operation whose copy owns everything.
template <typename Self> class OperationOf : public Operation {
public:
  std::unique_ptr<Operation> keep() override { return std::make_unique<Self>(static_cast<const Self &>(*this)); }
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCHEDULE_OPERATION_H
