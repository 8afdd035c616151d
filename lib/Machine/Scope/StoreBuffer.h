//===- StoreBuffer.h - stores of a scope that are not visible yet -*- C++ -*-===//
//
// Under a random schedule the stores of a vector scope wait here until a fence
// that covers them or the scope's end, and leave in random order. Scalar stores
// leave in program order among themselves and are seen by scalar loads of the
// same scope. A fence that only orders stores opens a new epoch: later stores
// leave after those of earlier epochs.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SCOPE_STOREBUFFER_H
#define PTOSCOPE_LIB_MACHINE_SCOPE_STOREBUFFER_H

#include "Schedule/Random.h"
#include "ptoscope/Machine/Types.h"

#include <vector>

namespace ptoscope {

class StoreBuffer {
public:
  /// `active`: bit per byte, null = all.
  void addVector(Random &random, uint8_t *target, uint32_t bytes, const uint8_t *data, const uint64_t *active);
  void addScalar(Random &random, uint8_t *target, uint32_t bytes, const uint8_t *data);
  /// Puts pending scalar stores over what a scalar load read from memory.
  void overlay(const uint8_t *target, uint32_t bytes, uint8_t *data) const;
  void fence(Random &random, FenceClasses classes);
  void drain(Random &random);
  bool empty() const { return vectors.empty() && scalars.empty(); }

private:
  struct Store {
    uint8_t *target;
    uint32_t bytes;
    uint32_t epoch;
    size_t data;   ///< index into `arena`
    size_t active; ///< index into `masks`, or kAll
  };
  static constexpr size_t kAll = SIZE_MAX;
  /// Beyond this many stores some leave early: bounds the memory of long scopes.
  static constexpr size_t kMaxStores = 4096;
  /// The same for their bytes, and for those of stores that have left since the
  /// buffer was last empty.
  static constexpr size_t kMaxBytes = 1 << 22;
  bool full() const { return vectors.size() + scalars.size() > 2 * kMaxStores || arena.size() > kMaxBytes; }

  Store make(uint8_t *target, uint32_t bytes, const uint8_t *data, const uint64_t *active);
  void write(const Store &store) const;
  void drainVectors(Random &random);
  void reset();

  std::vector<Store> vectors, scalars;
  std::vector<uint8_t> arena;
  std::vector<uint64_t> masks;
  uint32_t epoch = 0;
};

/// Writes the bytes of `data` whose bit in `active` is set (null = all).
void storeActive(uint8_t *target, uint32_t bytes, const uint8_t *data, const uint64_t *active);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCOPE_STOREBUFFER_H
