//===- WatchedPages.cpp - which pages of a memory were touched ------------===//
//
// What the handler uses is static, lock-free and free of allocation.
//
//===----------------------------------------------------------------------===//

#include "Memory/WatchedPages.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace ptoscope {

/// Memories that can be watched at a time; those of further cores are given back as a whole.
static constexpr unsigned kMaxWatched = 4096;
static std::array<WatchedPages, kMaxWatched> all;
static std::atomic<unsigned> used{0}; ///< entries of `all` that were ever taken

uint64_t pageBytes() {
  static const uint64_t bytes = uint64_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

WatchedPages *WatchedPages::watch(uint8_t *base, uint64_t bytes) {
  const uint64_t pages = bytes / pageBytes();
  if (pages > kMaxPages)
    return nullptr;
  for (unsigned i = 0; i < kMaxWatched; ++i) {
    WatchedPages &entry = all[i];
    if (entry.taken.load(std::memory_order_relaxed) || entry.taken.exchange(true))
      continue;
    for (unsigned known = used; known <= i && !used.compare_exchange_weak(known, i + 1);) {
    }
    entry.pages = pages;
    entry.base = base;
    if (entry.watchAnew())
      return &entry;
    entry.end();
    return nullptr;
  }
  return nullptr;
}

bool WatchedPages::watchAnew() {
  uint8_t *const begin = base;
  const uint64_t bytes = pages * pageBytes();
  if (madvise(begin, bytes, MADV_DONTNEED) != 0 || mprotect(begin, bytes, PROT_NONE) != 0)
    return false;
  for (std::atomic<uint64_t> &word : touched)
    word.store(0, std::memory_order_relaxed);
  return true;
}

void WatchedPages::zero() {
  const uint64_t page = pageBytes();
  uint8_t *const begin = base.load(std::memory_order_relaxed);
  const uint64_t words = (pages.load(std::memory_order_relaxed) + 63) / 64;
  for (uint64_t word = 0; word < words; ++word)
    for (uint64_t rest = touched[word].load(std::memory_order_relaxed); rest;) {
      const unsigned first = unsigned(std::countr_zero(rest)), count = unsigned(std::countr_one(rest >> first));
      std::memset(begin + (word * 64 + first) * page, 0, count * page);
      rest = first + count == 64 ? 0 : rest & (~uint64_t(0) << (first + count));
    }
}

bool WatchedPages::end() {
  const bool opened = mprotect(base, pages * pageBytes(), PROT_READ | PROT_WRITE) == 0;
  base = nullptr;
  taken = false;
  return opened;
}

void WatchedPages::mark(uint64_t begin, uint64_t end) {
  for (uint64_t i = begin; i < end; ++i)
    touched[i / 64].fetch_or(uint64_t(1) << i % 64, std::memory_order_relaxed);
}

/// A memory that is touched from one end to the other faults page by page; steps that grow with what is open keep
/// the number of faults logarithmic.
bool WatchedPages::openPages(uint64_t page) {
  unsigned isOpen = 0;
  for (const std::atomic<uint64_t> &word : touched)
    isOpen += unsigned(std::popcount(word.load(std::memory_order_relaxed)));
  const uint64_t count = pages, last = std::min<uint64_t>(page + std::max(1u, isOpen / 4), count);
  uint8_t *const begin = base;
  const uint64_t bytes = pageBytes();
  if (mprotect(begin + page * bytes, (last - page) * bytes, PROT_READ | PROT_WRITE) == 0) {
    mark(page, last);
    return true;
  }
  // The host may have too many mappings: one for the whole memory needs fewer.
  if (mprotect(begin, count * bytes, PROT_READ | PROT_WRITE) != 0)
    return false;
  mark(0, count);
  return true;
}

bool WatchedPages::open(const uint8_t *address) {
  static thread_local unsigned repeats = 0;
  for (unsigned i = 0, count = used; i < count; ++i) {
    const uint8_t *const begin = all[i].base;
    if (!begin || address < begin || address >= begin + all[i].pages * pageBytes())
      continue;
    const uint64_t page = uint64_t(address - begin) / pageBytes();
    // Another thread may have opened it meanwhile; a page that is open and faults time and again has another reason.
    const bool isOpen = all[i].touched[page / 64] >> page % 64 & 1;
    repeats = isOpen ? repeats + 1 : 0;
    return repeats < 4 && all[i].openPages(page);
  }
  return false;
}

} // namespace ptoscope
