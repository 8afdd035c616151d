//===- WatchedPages.h - which pages of a memory were touched ----*- C++ -*-===//
//
// Blocks begin with zeroed memories. Giving the pages back to the host does that,
// but costs a system call for each memory and a fault for each page, every time.
// A watched memory has its pages closed until they are touched: the fault handler
// opens them and notes which. From then on, zeroing those is all there is to do.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_MEMORY_WATCHEDPAGES_H
#define PTOSCOPE_LIB_MACHINE_MEMORY_WATCHEDPAGES_H

#include <array>
#include <atomic>
#include <cstdint>

namespace ptoscope {

/// Bytes of a page of the host.
uint64_t pageBytes();

/// One watched memory. All of them are static: the handler looks for an address on any thread (a debugger
/// looks at memories of another one) and must not meet one that has been freed.
class alignas(64) WatchedPages {
public:
  /// Takes over the open bytes at `base`, which become zeros. Null: there are too many bytes or
  /// watched memories, or the host refuses.
  static WatchedPages *watch(uint8_t *base, uint64_t bytes);
  /// Zeros again, and no page counts as touched. False when the host refuses.
  bool watchAnew();
  /// Zeros again.
  void zero();
  /// Opens all pages and forgets the memory. False when the host refuses.
  bool end();

  /// In the fault handler: opens the page of a watched memory; false when there is none at the address.
  static bool open(const uint8_t *address);

  /// Larger memories are not watched: zeroing what was touched is cheap only when that is little.
  static constexpr uint64_t kMaxPages = 512;

private:
  bool openPages(uint64_t page);
  void mark(uint64_t begin, uint64_t end);

  std::atomic<bool> taken{false};
  std::atomic<uint8_t *> base{nullptr}; ///< null: not watched
  std::atomic<uint64_t> pages{0};
  std::array<std::atomic<uint64_t>, kMaxPages / 64> touched{}; ///< a bit per page
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_MEMORY_WATCHEDPAGES_H
