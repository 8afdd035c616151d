//===- Fifo.h - a queue that can be looked into -----------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_MACHINE_SCHEDULE_FIFO_H
#define PTOSCOPE_LIB_MACHINE_SCHEDULE_FIFO_H

#include <cstddef>
#include <utility>
#include <vector>

namespace ptoscope {

/// First in, first out, with access by distance from the front.
template <typename T> class Fifo {
public:
  bool empty() const { return first == items.size(); }
  size_t size() const { return items.size() - first; }
  T &front() { return items[first]; }
  const T &front() const { return items[first]; }
  const T &operator[](size_t i) const { return items[first + i]; }
  T &operator[](size_t i) { return items[first + i]; }
  void push(T item) {
    // The dead part in front is reused once it is the larger half.
    if (first > 32 && first * 2 > items.size()) {
      items.erase(items.begin(), items.begin() + std::ptrdiff_t(first));
      first = 0;
    }
    items.push_back(std::move(item));
  }
  T pop() {
    T item = std::move(items[first++]);
    if (first == items.size())
      clear();
    return item;
  }
  void clear() {
    items.clear();
    first = 0;
  }

private:
  std::vector<T> items;
  size_t first = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCHEDULE_FIFO_H
