//===- Ring.h - a queue that reuses its items -------------------*- C++ -*-===//

#ifndef PTOSCOPE_CHECKERS_RING_H
#define PTOSCOPE_CHECKERS_RING_H

#include "ptoscope/Checkers/Reuse.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace ptoscope {

/// First in, first out, in a circle of items that are made once: pushing and
/// popping costs neither memory nor construction.
template <typename T> class Ring {
public:
  bool empty() const { return count == 0; }
  size_t size() const { return count; }
  T &operator[](size_t i) { return items[(first + i) & (items.size() - 1)]; }
  const T &operator[](size_t i) const { return items[(first + i) & (items.size() - 1)]; }
  T &front() { return items[first]; }
  const T &front() const { return items[first]; }
  T &back() { return (*this)[count - 1]; }
  const T &back() const { return (*this)[count - 1]; }

  /// The new last item; holds whatever it held before.
  T &push() {
    if (count == items.size()) [[unlikely]]
      grow();
    return (*this)[count++];
  }
  void pop() {
    first = (first + 1) & (items.size() - 1);
    --count;
  }
  /// Removes one item; those before it move.
  void erase(size_t at) {
    for (; at > 0; --at)
      (*this)[at] = (*this)[at - 1];
    pop();
  }
  void clear() { count = 0; }
  /// Empty, for another block.
  void reset() {
    first = count = 0;
    if (isTooLargeToKeep(items))
      items = std::vector<T>();
  }

private:
  void grow() {
    std::vector<T> larger(items.empty() ? 4 : 2 * items.size());
    for (size_t i = 0; i < count; ++i)
      larger[i] = std::move((*this)[i]);
    items.swap(larger);
    first = 0;
  }

  std::vector<T> items; ///< a power of two of them
  size_t first = 0, count = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_RING_H
