//===- AtomicOrder.h - atomic updates in the order of blocks ----*- C++ -*-===//

#ifndef PTOSCOPE_LIB_MACHINE_MEMORY_ATOMICORDER_H
#define PTOSCOPE_LIB_MACHINE_MEMORY_ATOMICORDER_H

#include "Setup.h"

namespace ptoscope {

/// Float sums are formed in block order, whatever the number of threads: the first
/// atomic update of a block waits for all lower blocks.
class AtomicOrder {
public:
  AtomicOrder() = default;
  AtomicOrder(BlockOrder *order, int64_t block) : order(order), block(block) {}
  void enter() {
    if (order)
      order->waitForLowerBlocks(block);
    order = nullptr;
  }

private:
  BlockOrder *order = nullptr; ///< null: the lower blocks are done
  int64_t block = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_MEMORY_ATOMICORDER_H
