//===- LocalMemory.cpp - reservations and the fault handler ---------------===//
//
// A signal handler has no argument of ours, so this file keeps the only static
// state of the library: the memories of the running core (one pointer per
// thread) and the handler that was installed before ours.
//
//===----------------------------------------------------------------------===//

#include "Memory/LocalMemory.h"

#include "ptoscope/Support/ProcessMutex.h"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

namespace ptoscope {

#ifdef PTOSCOPE_RESERVED_BYTES
static constexpr uint64_t kReserveBytes = PTOSCOPE_RESERVED_BYTES;
#else
static constexpr uint64_t kReserveBytes = (uint64_t(1) << 32) + (uint64_t(64) << 10);
#endif
/// Stray pages that are open at a time: a scope that walks through all of a reservation must not take as much of the
/// host. More than one access can open, or it would never come to its end.
static constexpr uint64_t kMostStrayBytes = uint64_t(64) << 20;

/// What a signal handler may use: plain static data.
struct FaultHandler {
  static thread_local LocalMemories *running;
  static ProcessMutex installing;
  static struct sigaction previousSegv, previousBus;
  static thread_local uint64_t foreignPc;      ///< of the last fault that is not ours
  static thread_local unsigned foreignRepeats; ///< how often in a row
  static thread_local uint64_t strayBytes;     ///< opened since pages were last closed

  static void handle(int signal, siginfo_t *info, void *context);
  static bool open(uint8_t *address, void *context);
  /// Only system calls: the handler does it, too.
  static void closeStray(LocalMemories &memories);
  static void install();
};
thread_local LocalMemories *FaultHandler::running = nullptr;
ProcessMutex FaultHandler::installing;
struct sigaction FaultHandler::previousSegv, FaultHandler::previousBus;
thread_local uint64_t FaultHandler::foreignPc = 0;
thread_local unsigned FaultHandler::foreignRepeats = 0;
thread_local uint64_t FaultHandler::strayBytes = 0;

static uint64_t pcOf(void *context) {
  [[maybe_unused]] auto *ucontext = static_cast<ucontext_t *>(context);
#if defined(__x86_64__)
  return uint64_t(ucontext->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return ucontext->uc_mcontext.pc;
#else
  return 0;
#endif
}

bool FaultHandler::open(uint8_t *address, void *context) {
  LocalMemories *memories = running;
  if (!memories)
    return false;
  for (size_t i = 0; i < kSpaceSlots; ++i) {
    LocalMemories::Guarded &space = memories->spaces[i];
    if (!space.base || address < space.base || address >= space.base + kReserveBytes)
      continue;
    uint64_t offset = uint64_t(address - space.base);
    if (offset < space.openBytes)
      return false;
    // A scope that walks far outside faults page by page; widening steps keep
    // the number of faults logarithmic.
    uint64_t page = pageBytes();
    uint64_t widen = std::min<uint64_t>(memories->faultCount / 16, 8);
    uint64_t low = offset / page * page;
    uint64_t high = std::min(low + (page << widen), kReserveBytes);
    strayBytes += high - low;
    if (strayBytes > kMostStrayBytes) {
      closeStray(*memories);
      strayBytes = high - low;
    }
    if (mprotect(space.base + low, high - low, PROT_READ | PROT_WRITE) != 0)
      return false;
    if (space.strayHigh == 0) {
      space.strayLow = low;
      space.strayHigh = high;
    } else {
      space.strayLow = std::min(space.strayLow, low);
      space.strayHigh = std::max(space.strayHigh, high);
    }
    ++memories->faultCount;
    if (!memories->faultPending) {
      memories->firstFault = {Space(i), offset, pcOf(context)};
      memories->faultPending = 1;
    }
    return true;
  }
  return false;
}

void FaultHandler::handle(int signal, siginfo_t *info, void *context) {
  int savedErrno = errno;
  // What kill, raise and the like send has no address, and no instruction that would be tried again.
  const bool isSent = info->si_code <= 0;
  auto *address = static_cast<uint8_t *>(info->si_addr);
  if (!isSent && (open(address, context) || WatchedPages::open(address))) {
    errno = savedErrno;
    return;
  }
  const struct sigaction &previous = signal == SIGBUS ? previousBus : previousSegv;
  const bool isIgnored = !(previous.sa_flags & SA_SIGINFO) && previous.sa_handler == SIG_IGN;
  const bool callable = (previous.sa_flags & SA_SIGINFO) || (previous.sa_handler != SIG_DFL && !isIgnored);
  // A previous handler that returns without a repair would bring us back here
  // forever; after a few times the default action ends the process.
  uint64_t pc = isSent ? 0 : pcOf(context);
  foreignRepeats = !isSent && pc == foreignPc ? foreignRepeats + 1 : 0;
  foreignPc = pc;
  if (isSent && isIgnored) {
    // Faults cannot be ignored.
  } else if (!callable || foreignRepeats >= 4) {
    struct sigaction plain = {};
    plain.sa_handler = SIG_DFL;
    sigemptyset(&plain.sa_mask);
    sigaction(signal, &plain, nullptr);
    if (isSent)
      raise(signal); // taken when this handler returns
  } else if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else {
    previous.sa_handler(signal);
  }
  errno = savedErrno;
}

void FaultHandler::install() {
  std::lock_guard lock(installing);
  // False: it is there.
  auto one = [](int signal, struct sigaction &previous) {
    struct sigaction current = {};
    sigaction(signal, nullptr, &current);
    if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == &FaultHandler::handle)
      return false;
    previous = current;
    struct sigaction ours = {};
    ours.sa_sigaction = &FaultHandler::handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(signal, &ours, nullptr);
    return true;
  };
  pageBytes(); // computed before a handler may ask for it
  if (one(SIGSEGV, previousSegv))
    one(SIGBUS, previousBus);
}

void installFaultHandler() { FaultHandler::install(); }

LocalMemories::~LocalMemories() {
  for (Guarded &space : spaces) {
    if (space.watched)
      space.watched->end();
    if (space.base)
      munmap(space.base, kReserveBytes);
  }
}

bool LocalMemories::reserve(const Profile &wanted, uint16_t spacesWanted) {
  profile = &wanted;
  for (size_t i = 0; i < kSpaceSlots; ++i) {
    Guarded &space = spaces[i];
    uint64_t page = pageBytes();
    uint64_t open = (wanted.reachOf(Space(i)) + page - 1) & ~(page - 1);
    if (open == 0 || space.openBytes == open || !(spacesWanted >> i & 1))
      continue;
    if (space.watched && !std::exchange(space.watched, nullptr)->end())
      return false;
    if (!space.base) {
      void *memory = mmap(nullptr, kReserveBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED)
        return false;
      space.base = static_cast<uint8_t *>(memory);
    } else if (mprotect(space.base, space.openBytes, PROT_NONE) != 0) {
      return false;
    }
    if (mprotect(space.base, open, PROT_READ | PROT_WRITE) != 0)
      return false;
    space.openBytes = open;
  }
  return true;
}

bool LocalMemories::clear() {
  ++clears;
  bool fine = true;
  for (Guarded &space : spaces)
    if (space.base)
      fine = clear(space) && fine;
  return fine;
}

bool LocalMemories::clear(Guarded &space) {
  const bool begins = clears >= kUnwatchedBlocks && (clears - kUnwatchedBlocks) % kWatchedBlocks == 0;
  if (space.watched && !begins) {
    space.watched->zero();
    return true;
  }
  if (space.watched && space.watched->watchAnew())
    return true;
  if (space.watched && !std::exchange(space.watched, nullptr)->end())
    return false;
  if (begins)
    space.watched = WatchedPages::watch(space.base, space.openBytes);
  return space.watched || madvise(space.base, space.openBytes, MADV_DONTNEED) == 0;
}

void FaultHandler::closeStray(LocalMemories &memories) {
  strayBytes = 0;
  for (LocalMemories::Guarded &space : memories.spaces) {
    if (space.strayHigh == 0)
      continue;
    uint64_t bytes = space.strayHigh - space.strayLow;
    madvise(space.base + space.strayLow, bytes, MADV_DONTNEED);
    mprotect(space.base + space.strayLow, bytes, PROT_NONE);
    space.strayLow = space.strayHigh = 0;
  }
}

void LocalMemories::closeFaultedPages() {
  FaultHandler::closeStray(*this);
  firstFault = {};
  faultCount = 0;
  faultPending = 0;
}

static sigset_t faultSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGSEGV);
  sigaddset(&set, SIGBUS);
  return set;
}

FaultsUnblocked::FaultsUnblocked() {
  const sigset_t faults = faultSignals();
  changed = pthread_sigmask(SIG_UNBLOCK, &faults, &before) == 0 &&
            (sigismember(&before, SIGSEGV) == 1 || sigismember(&before, SIGBUS) == 1);
}
FaultsUnblocked::~FaultsUnblocked() {
  if (changed)
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

FaultScope::FaultScope(LocalMemories &memories) : previous(FaultHandler::running) { FaultHandler::running = &memories; }
FaultScope::~FaultScope() { FaultHandler::running = previous; }

} // namespace ptoscope
