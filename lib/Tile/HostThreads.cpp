//===- HostThreads.cpp - host threads as cores ----------------------------===//
//
// What `pto::cpu_sim` and NPUMemoryModel tell of a thread (SURF-44 to SURF-51). It
// outlives the thread's blocks: each takes it over when it begins. Inside a launch the
// core that runs is meant, not the thread.
//
//===----------------------------------------------------------------------===//

#include "HostThreads.h"
#include "Run.h"

#include "pto/detail/cpu_sim_abi.hpp"
#include "ptoscope/launch.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ptoscope::tile {

namespace {
struct OfThread {
  Identity identity;
  int target = -1;
  bool launchFailed = false;
  std::unique_ptr<uint8_t[]> registers;
};
thread_local OfThread ofThread;
std::atomic<int> defaultTarget = -1;
std::atomic<bool> programIsOfA3 = false;

/// A core of a launch that runs on this thread; null: kernels are called directly.
Context *launched() {
  Context *context = Context::running();
  return context && context->launch.isLaunch() ? context : nullptr;
}

void give(Context &context, const Identity &identity) {
  PtoContext &core = *context.core;
  core.blockIdx = identity.block;
  core.blockNum = std::max<int64_t>(core.blockNum, int64_t(identity.block) + 1);
  core.subblockIdx = identity.subblock;
  core.subblockNum = identity.subblocks;
  context.cookie = identity.cookie;
}

/// A number of the environment; 0: none.
uint32_t numberFrom(const char *name) {
  const char *text = std::getenv(name);
  uint32_t number = 0;
  if (!text)
    return 0;
  const char *end = text + std::strlen(text);
  auto [stop, error] = std::from_chars(text, end, number);
  return error == std::errc() && stop == end ? number : 0;
}
} // namespace

// --- who runs --------------------------------------------------------------------------------

Identity identityOfThread() {
  if (Context *context = launched()) {
    const PtoContext &core = *context->core;
    return {uint32_t(core.blockIdx), uint32_t(core.subblockIdx), uint32_t(core.subblockNum), context->cookie};
  }
  return ofThread.identity;
}

void setIdentityOfThread(const Identity &identity) {
  if (Context *context = launched())
    return give(*context, identity);
  ofThread.identity = identity;
  if (Context *context = Context::running())
    give(*context, identity);
}

void takeIdentity(Context &context) { give(context, ofThread.identity); }

// --- launches ----------------------------------------------------------------------------------

uint32_t configuredCores() {
  const uint32_t cores = numberFrom("PTO_CPU_SIM_NUM_CORES");
  return cores ? cores : 4;
}

void launchCores(uint32_t blocks, uint32_t subblocks, void (*invoke)(void *), void *kernel) {
  endDirectCalls();
  struct Cores {
    uint32_t blocks, subblocks;
    void (*invoke)(void *);
    void *kernel;
  } cores{blocks, subblocks, invoke, kernel};
  const auto run = [](void *argument) {
    const Cores &cores = *static_cast<Cores *>(argument);
    PtoContext &core = *Context::here().core;
    const int64_t number = core.blockIdx;
    core.blockIdx = number / cores.subblocks;
    core.blockNum = cores.blocks;
    core.subblockIdx = number % cores.subblocks;
    core.subblockNum = cores.subblocks;
    cores.invoke(cores.kernel);
  };
  Options options;
  options.arch = archOfThread();
  options.cookie = ofThread.identity.cookie;
  // They may wait for each other in global memory.
  if (int64_t(blocks) * subblocks > 1)
    noteSyncAll();
  Result result = detail::launch(options, int64_t(blocks) * subblocks, nullptr, 0, run, &cores);
  result.print();
  ofThread.launchFailed |= !result.ok();
}

bool launchesWereFine() { return !std::exchange(ofThread.launchFailed, false); }

// --- memories ------------------------------------------------------------------------------------

const char *archOfThread() {
  int target = ofThread.target >= 0 ? ofThread.target : defaultTarget.load();
  if (target < 0 && programIsOfA3)
    target = 0;
  return target < 0 ? nullptr : target == 0 ? "a3" : "a5";
}
bool noteTarget() { return programIsOfA3 = true; }
int targetOfThread() { return ofThread.target; }
int targetOfThreads() { return defaultTarget; }
void setTargetOfThreads(int target) { defaultTarget = target; }
void setTargetOfThread(int target) {
  if (target != ofThread.target && !launched())
    endDirectCalls(); // the next block has the target
  ofThread.target = target;
}

void takeSizes(Profile &profile) {
  constexpr std::pair<const char *, Space> kSizes[] = {{"PTO_CPU_SIM_UB_BYTES", Space::Ub},
                                                       {"PTO_CPU_SIM_L1_BYTES", Space::L1},
                                                       {"PTO_CPU_SIM_L0A_BYTES", Space::L0A},
                                                       {"PTO_CPU_SIM_L0B_BYTES", Space::L0B},
                                                       {"PTO_CPU_SIM_L0C_BYTES", Space::L0C}};
  // What observers remember of a memory grows with it.
  constexpr uint32_t kMost = 64 << 20;
  for (auto [name, space] : kSizes)
    if (uint32_t bytes = numberFrom(name))
      profile.bytes[size_t(space)] = std::min(bytes, kMost);
}

uint8_t *memoryOfThread(uint8_t location) {
  const Space space = spaceOf(location);
  return space == Space::None ? nullptr : Context::here().base(space);
}

uint8_t *registersOfThread() {
  constexpr size_t kBytes = 64 << 10;
  if (!ofThread.registers)
    ofThread.registers = std::make_unique<uint8_t[]>(kBytes);
  return ofThread.registers.get();
}

bool isInMemoryOfThread(uint64_t address) {
  const PtoContext *core = Context::here().core;
  for (size_t i = 0; i < kSpaceSlots; ++i)
    if (core->local[i] && address - reinterpret_cast<uintptr_t>(core->local[i]) < profileOf(core).reachOf(Space(i)))
      return true;
  return false;
}

void clearMemoriesOfThread() {
  Context &context = Context::here();
  for (size_t i = 0; i < kSpaceSlots; ++i) {
    const auto space = Space(i);
    const uint32_t bytes = context.core->local[i] ? profileOf(context.core).reachOf(space) : 0;
    if (!bytes)
      continue;
    ptoscope::openToHost(context.core, space, 0, bytes);
    std::memset(context.core->local[i], 0, bytes);
  }
  context.leave(0);
}

// --- the rest --------------------------------------------------------------------------------------

uint32_t cubeCores() {
  const char *arch = archOfThread();
  return findProfile(arch ? arch : "a5")->aicCores;
}

uint64_t hostTime() {
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

} // namespace ptoscope::tile
