//===- Fiber.h - a stack of its own for a scalar unit -----------*- C++ -*-===//
//
// Cores that wait for one another each run on a fiber: a call that blocks
// leaves the stack as it stands and another core goes on. Switches happen only
// between a fiber and the stack that resumed it, on one host thread. Nothing is
// thrown and nothing is unwound across a switch; a fiber has to run to its end
// before it is prepared again or destroyed.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_GROUP_FIBER_H
#define PTOSCOPE_LIB_MACHINE_GROUP_FIBER_H

#include <cstddef>
#include <cstdint>

namespace ptoscope {

class Fiber {
public:
  using Function = void (*)(void *argument);
  /// As much as a thread of the host has, since C++ kernels are written for one; only touched pages cost.
  static constexpr size_t kStackBytes = size_t(8) << 20;

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Makes the next resume() start `function`. False when the host refuses the
  /// stack.
  bool prepare(Function function, void *argument);
  /// Runs the fiber until it suspends or its function returns.
  void resume();
  /// Back to whoever resumed; called on the fiber.
  void suspend();
  bool running() const { return started; }

private:
  friend struct FiberEntry;

  uint8_t *mapping = nullptr; ///< a guard page, then the stack
  size_t mappedBytes = 0, guardBytes = 0;
  void *inside = nullptr;  ///< where the fiber stands
  void *outside = nullptr; ///< where the resuming stack stands
  Function function = nullptr;
  void *argument = nullptr;
  bool started = false; ///< prepared and not at its end
  // What AddressSanitizer has to know of the two stacks.
  const void *outsideBottom = nullptr;
  size_t outsideBytes = 0;
  // What ThreadSanitizer calls them; null without it.
  void *insideName = nullptr, *outsideName = nullptr;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_GROUP_FIBER_H
