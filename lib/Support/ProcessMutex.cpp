//===- ProcessMutex.cpp - a mutex that fork waits for ---------------------===//

#include "ptoscope/Support/ProcessMutex.h"

#include <atomic>
#include <pthread.h>
#include <sched.h>

namespace ptoscope {

struct ForkHandlers {
  static inline std::atomic<ProcessMutex *> first = nullptr;
  static inline std::mutex forking;
  static inline ProcessMutex *locked = nullptr; ///< the first of those that are held during a fork

  /// All of them or none: who holds one may be about to lock another.
  static bool lockAll() {
    for (ProcessMutex *mutex = locked; mutex; mutex = mutex->next) {
      if (mutex->mutex.try_lock())
        continue;
      for (ProcessMutex *held = locked; held != mutex; held = held->next)
        held->unlock();
      return false;
    }
    return true;
  }
  static void prepare() {
    forking.lock();
    locked = first.load();
    while (!lockAll())
      sched_yield();
  }
  static void release() {
    for (ProcessMutex *mutex = locked; mutex; mutex = mutex->next)
      mutex->unlock();
    forking.unlock();
  }
};

ProcessMutex::ProcessMutex() {
  static const int registered = pthread_atfork(ForkHandlers::prepare, ForkHandlers::release, ForkHandlers::release);
  static_cast<void>(registered);
  next = ForkHandlers::first.load();
  while (!ForkHandlers::first.compare_exchange_weak(next, this)) {
  }
}

} // namespace ptoscope
