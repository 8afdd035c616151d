//===- Fiber.cpp - switching stacks ---------------------------------------===//
//
// Boost.Context's fcontext functions do the switch. AddressSanitizer is told of
// every one, or it would take the new stack for a wild pointer; ThreadSanitizer, or
// it would take what one stack did for what the other did.
//
//===----------------------------------------------------------------------===//

#include "Group/Fiber.h"

#include <boost/context/detail/fcontext.hpp>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PTOSCOPE_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define PTOSCOPE_ASAN 1
#endif
#ifdef PTOSCOPE_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PTOSCOPE_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace ptoscope {

namespace context = boost::context::detail;

/// Leaving a stack; `saved` is null when no one comes back to it.
static void leave([[maybe_unused]] void **saved, [[maybe_unused]] const void *bottom, [[maybe_unused]] size_t bytes) {
#ifdef PTOSCOPE_ASAN
  __sanitizer_start_switch_fiber(saved, bottom, bytes);
#endif
}
/// Arriving on a stack; tells where the one that was left lies.
static void arrive([[maybe_unused]] void *saved, [[maybe_unused]] const void **bottom, [[maybe_unused]] size_t *bytes) {
#ifdef PTOSCOPE_ASAN
  __sanitizer_finish_switch_fiber(saved, bottom, bytes);
#endif
}

#ifdef PTOSCOPE_TSAN
static void *newName() { return __tsan_create_fiber(0); }
static void *currentName() { return __tsan_get_current_fiber(); }
static void dropName(void *name) {
  if (name)
    __tsan_destroy_fiber(name);
}
static void switchTo(void *name) { __tsan_switch_to_fiber(name, 0); }
#else
static void *newName() { return nullptr; }
static void *currentName() { return nullptr; }
static void dropName(void *) {}
static void switchTo(void *) {}
#endif

struct FiberEntry {
  static void enter(context::transfer_t from) {
    auto *fiber = static_cast<Fiber *>(from.data);
    fiber->outside = from.fctx;
    arrive(nullptr, &fiber->outsideBottom, &fiber->outsideBytes);
    fiber->function(fiber->argument);
    fiber->started = false;
    switchTo(fiber->outsideName);
    leave(nullptr, fiber->outsideBottom, fiber->outsideBytes);
    context::jump_fcontext(fiber->outside, nullptr);
  }
};

Fiber::~Fiber() {
  dropName(insideName);
  if (mapping)
    munmap(mapping, mappedBytes);
}

bool Fiber::prepare(Function newFunction, void *newArgument) {
  if (!mapping) {
    guardBytes = size_t(sysconf(_SC_PAGESIZE));
    mappedBytes = guardBytes + kStackBytes;
    void *memory =
        mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return false;
    mapping = static_cast<uint8_t *>(memory);
    // Stacks grow down: what runs off the end meets the guard.
    if (mprotect(mapping, guardBytes, PROT_NONE) != 0)
      return false;
    insideName = newName();
  }
  function = newFunction;
  argument = newArgument;
  started = true;
  inside = context::make_fcontext(mapping + mappedBytes, kStackBytes, &FiberEntry::enter);
  return true;
}

void Fiber::resume() {
  void *saved = nullptr;
  outsideName = currentName();
  switchTo(insideName);
  leave(&saved, mapping + guardBytes, kStackBytes);
  context::transfer_t from = context::jump_fcontext(inside, this);
  arrive(saved, nullptr, nullptr);
  inside = from.fctx;
}

void Fiber::suspend() {
  void *saved = nullptr;
  switchTo(outsideName);
  leave(&saved, outsideBottom, outsideBytes);
  context::transfer_t from = context::jump_fcontext(outside, nullptr);
  arrive(saved, &outsideBottom, &outsideBytes);
  outside = from.fctx;
}

} // namespace ptoscope
