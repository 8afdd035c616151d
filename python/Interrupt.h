//===- Interrupt.h - Ctrl-C while a kernel runs -----------------*- C++ -*-===//

#ifndef PTOSCOPE_PYTHON_INTERRUPT_H
#define PTOSCOPE_PYTHON_INTERRUPT_H

#include <atomic>
#include <csignal>

namespace ptoscope::python {

/// While it lives in the main thread, SIGINT also stops the machine. Python's own handler is called as well, so
/// that what it wants to raise is raised when the run has returned. A process that ignores the signal or dies of it
/// keeps doing so.
class InterruptScope {
public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;

  /// For LaunchOptions::interrupt; null where Python gives signals to another thread.
  const std::atomic<bool> *flag() const;

private:
  bool installed = false;
};

} // namespace ptoscope::python

#endif // PTOSCOPE_PYTHON_INTERRUPT_H
