//===- Reuse.h - memory that checkers keep from block to block --*- C++ -*-===//
//
// A checker that has seen a block is used for another one: what it holds becomes
// empty, and its memory stays. What a single block made large is given back.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_REUSE_H
#define PTOSCOPE_CHECKERS_REUSE_H

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace ptoscope {

/// Bytes of one container that are kept.
inline constexpr size_t kMaxKeptBytes = size_t(256) << 10;

template <typename Vector> bool isTooLargeToKeep(const Vector &vector) {
  return vector.capacity() * sizeof(typename Vector::value_type) > kMaxKeptBytes;
}

/// Empties a vector.
template <typename Vector> void emptyForReuse(Vector &vector) {
  if (isTooLargeToKeep(vector))
    vector = Vector();
  else
    vector.clear();
}

/// Gives all elements their first value, which has only zero bits.
template <typename Vector> void zeroForReuse(Vector &vector) {
  static_assert(std::is_trivially_copyable_v<typename Vector::value_type>);
  if (isTooLargeToKeep(vector))
    vector = Vector(vector.size());
  else
    std::memset(static_cast<void *>(vector.data()), 0, vector.size() * sizeof(typename Vector::value_type));
}

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_REUSE_H
