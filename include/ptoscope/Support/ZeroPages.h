//===- ZeroPages.h - vectors whose untouched pages cost nothing -*- C++ -*-===//

#ifndef PTOSCOPE_SUPPORT_ZEROPAGES_H
#define PTOSCOPE_SUPPORT_ZEROPAGES_H

#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptoscope {

/// For types whose first value has only zero bits: memory comes zeroed, and no one
/// writes it before it is used.
template <typename T> struct ZeroPages {
  using value_type = T;
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

  ZeroPages() = default;
  template <typename U> ZeroPages(const ZeroPages<U> &) {}
  T *allocate(size_t count) {
    if (isLarge(count)) {
      void *pages = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (pages != MAP_FAILED)
        return static_cast<T *>(pages);
    } else if (void *memory = std::calloc(count, sizeof(T))) {
      return static_cast<T *>(memory);
    }
    throw std::bad_alloc();
  }
  void deallocate(T *memory, size_t count) {
    if (isLarge(count))
      munmap(memory, count * sizeof(T));
    else
      std::free(memory);
  }
  template <typename U> void construct(U *) {}
  template <typename U, typename... Args> void construct(U *at, Args &&...args) {
    std::construct_at(at, std::forward<Args>(args)...);
  }
  bool operator==(const ZeroPages &) const = default;

private:
  /// calloc would clear all of a block that has been used before.
  static bool isLarge(size_t count) { return count * sizeof(T) >= size_t(64) << 10; }
};

template <typename T> using ZeroedVector = std::vector<T, ZeroPages<T>>;

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_ZEROPAGES_H
