//===- ProcessMutex.h - a mutex that fork waits for -------------*- C++ -*-===//
//
// For state of the whole process. A child has only the thread that forked: what another
// thread had locked at that moment would stay locked there for ever. fork() therefore
// takes every such mutex first, and both processes go on with all of them free.
// Whoever holds one must not fork.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_PROCESSMUTEX_H
#define PTOSCOPE_SUPPORT_PROCESSMUTEX_H

#include <mutex>

namespace ptoscope {

/// Lives as long as the process.
class ProcessMutex {
public:
  ProcessMutex();
  ProcessMutex(const ProcessMutex &) = delete;
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }

private:
  friend struct ForkHandlers;
  std::mutex mutex;
  ProcessMutex *next; ///< of all
};

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_PROCESSMUTEX_H
