//===- Scalar.cpp - scalar work of a kernel -------------------------------===//
//
// Counters, registers and accesses to global memory past the caches (SURF-27 to
// SURF-31). Kernels use these to wait for each other: each lets other cores run.
// They meet accesses of other cores on purpose, so no race is looked for.
//
//===----------------------------------------------------------------------===//

#include "pto/detail/scalar_abi.hpp"

#include "Context.h"
#include "pto/detail/modes.hpp"
#include "ptoscope/Machine/Signals.h"
#include "ptoscope/Machine/SurfaceSentences.h"
#include "ptoscope/Support/Half.h"

#include <atomic>
#include <bit>
#include <cstring>
#include <thread>

namespace ptoscope::tile {

/// Lets others go on. A loop of a launch that reads the same again and again while no
/// one else does anything is a deadlock; host threads may change memory at any time.
static void letOthersRun(Context &context, SiteId site, const void *seen, size_t bytes, bool ends) {
  if (context.launch.isLaunch()) {
    // How often the line ran does not tell one turn of a loop from the next.
    context.core->suIterations[0] = 0;
    context.leave(ptosc_yield(context.core, site, seen, bytes, ends));
  } else {
    std::this_thread::yield();
  }
}

uint64_t systemCount(const Source &source) {
  // The same in every run: a turn is worth some cycles.
  constexpr uint64_t kCyclesPerTurn = 32;
  static std::atomic<uint64_t> count = 0;
  Context &context = Context::here();
  letOthersRun(context, context.siteOf("get_sys_cnt", source).id, nullptr, 0, /*ends=*/true);
  return count += kCyclesPerTurn;
}

/// False: there is nothing at the address, and that was reported.
static bool isThere(Context &context, SiteId site, const void *data) {
  // The first pages of an address space are no one's.
  if (reinterpret_cast<uintptr_t>(data) >= 1 << 12)
    return true;
  context.report(site, say::kScalarNull(), /*fatal=*/true);
  return false;
}

uint64_t loadUncached(const void *data, uint32_t bytes, const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf("ld_dev", source).id;
  if (!isThere(context, site, data))
    return 0;
  uint64_t seen[2] = {0, reinterpret_cast<uintptr_t>(data)};
  const auto load = [&]<typename T>(T) {
    const T value = std::atomic_ref<T>(*static_cast<T *>(const_cast<void *>(data))).load();
    std::memcpy(&seen[0], &value, sizeof(T));
  };
  if (seen[1] % bytes != 0)
    std::memcpy(&seen[0], data, bytes);
  else if (bytes == 8)
    load(uint64_t());
  else if (bytes == 4)
    load(uint32_t());
  else if (bytes == 2)
    load(uint16_t());
  else
    load(uint8_t());
  context.leave(noteWordRead(context.core, site, seen[1], bytes));
  letOthersRun(context, site, seen, sizeof(seen), /*ends=*/false);
  return seen[0];
}

void storeUncached(void *data, uint32_t bytes, uint64_t value, const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf("st_dev", source).id;
  if (!isThere(context, site, data))
    return;
  const auto store = [&]<typename T>(T narrow) { std::atomic_ref<T>(*static_cast<T *>(data)).store(narrow); };
  if (reinterpret_cast<uintptr_t>(data) % bytes != 0)
    std::memcpy(data, &value, bytes);
  else if (bytes == 8)
    store(value);
  else if (bytes == 4)
    store(uint32_t(value));
  else if (bytes == 2)
    store(uint16_t(value));
  else
    store(uint8_t(value));
  SignalSet set{reinterpret_cast<uintptr_t>(data), /*adds=*/false, /*isSignal=*/false, {}, {}};
  if (bytes == kSignalBytes)
    set.after = int32_t(value);
  context.leave(noteWordSet(context.core, site, set));
  letOthersRun(context, site, nullptr, 0, /*ends=*/true);
}

/// A sum in the element's own arithmetic.
static uint64_t sumOf(Elem elem, uint64_t a, uint64_t b) {
  switch (elem) {
  case Elem::f32:
    return std::bit_cast<uint32_t>(std::bit_cast<float>(uint32_t(a)) + std::bit_cast<float>(uint32_t(b)));
  case Elem::f16:
    return f32ToF16(f16ToF32(uint16_t(a)) + f16ToF32(uint16_t(b)));
  case Elem::bf16:
    return f32ToBF16(bf16ToF32(uint16_t(a)) + bf16ToF32(uint16_t(b)));
  default:
    return a + b;
  }
}

uint64_t addUncached(void *data, Elem elem, uint64_t value, const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf("atomicAdd", source).id;
  if (!isThere(context, site, data))
    return 0;
  const auto add = [&]<typename T>(T) -> uint64_t {
    std::atomic_ref<T> place(*static_cast<T *>(data));
    T before = place.load();
    while (!place.compare_exchange_weak(before, T(sumOf(elem, before, value)))) {
    }
    return before;
  };
  const unsigned bits = bitsOf(elem);
  const uint64_t before = bits == 64   ? add(uint64_t())
                          : bits == 32 ? add(uint32_t())
                          : bits == 16 ? add(uint16_t())
                                       : add(uint8_t());
  SignalSet set{reinterpret_cast<uintptr_t>(data), /*adds=*/true, /*isSignal=*/false, {}, {}};
  if (elem == Elem::i32 || elem == Elem::u32) {
    set.before = int32_t(before);
    set.after = int32_t(before + value);
  }
  context.leave(noteWordSet(context.core, site, set));
  letOthersRun(context, site, &before, sizeof(before), /*ends=*/true);
  return before;
}

uint64_t controlRegister() { return uint64_t(ptosc_get_ctrl(Context::here().core)); }
void setControlRegister(uint64_t value, const Source &source) {
  Context &context = Context::here();
  context.leave(ptosc_set_ctrl(context.core, context.siteOf("set_ctrl", source).id, int64_t(value)));
}

void setStoreAtomic(uint32_t mode) { Context::here().storesAdd = mode != 0; }
void setScalarAtomic(uint32_t operation) { Context::here().scalarAtomic = operation; }
uint32_t scalarAtomic() { return Context::here().scalarAtomic; }

void openGlobalToHost() {
  Context &context = Context::here();
  ptoscope::openToHost(context.core, Space::Ub, 0, 0);
  context.leave(0);
}

void Context::makeStoreAdd(Call &call, SiteId site) {
  if (!takesSelected(call))
    return;
  if (!hasAtomic(call.operands.global.ref.elem))
    return report(site, say::kStoreCannotAdd());
  combine(call, AtomicType::AtomicAdd);
}

} // namespace ptoscope::tile
