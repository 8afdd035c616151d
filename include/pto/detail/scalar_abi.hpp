//===- scalar_abi.hpp - scalar work of a core, in the library ---*- C++ -*-===//

#ifndef PTO_DETAIL_SCALAR_ABI_HPP
#define PTO_DETAIL_SCALAR_ABI_HPP

#include "pto/detail/abi.hpp"

namespace ptoscope::tile {

/// Counts up; other cores get a turn.
PTO_API uint64_t systemCount(const Source &source);
/// Scalar accesses to global memory past the caches; other cores get a turn.
PTO_API uint64_t loadUncached(const void *data, uint32_t bytes, const Source &source);
PTO_API void storeUncached(void *data, uint32_t bytes, uint64_t value, const Source &source);
/// Adds to an element of global memory in one step; the bits it had before.
PTO_API uint64_t addUncached(void *data, Elem elem, uint64_t value, const Source &source);
/// Waits for earlier work on a memory: 0 and 3 all, 1 global memory, 2 UB.
PTO_API void memoryBarrier(uint32_t memory, const Source &source);
PTO_API uint64_t controlRegister();
PTO_API void setControlRegister(uint64_t value, const Source &source);
/// What stores of tiles to global memory do from now on: 0 copy, 1 add.
PTO_API void setStoreAtomic(uint32_t mode);
/// What st_atomic does from now on: 0 store, 1 add, as at the beginning.
PTO_API void setScalarAtomic(uint32_t operation);
PTO_API uint32_t scalarAtomic();
/// The host is about to look at global memory: lets the pipes go on.
PTO_API void openGlobalToHost();

} // namespace ptoscope::tile

#endif // PTO_DETAIL_SCALAR_ABI_HPP
