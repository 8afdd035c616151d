//===- Interrupt.h - Ctrl-C -------------------------------------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_INTERRUPT_H
#define PTOSCOPE_TOOLS_INTERRUPT_H

#include <atomic>
#include <csignal>

namespace ptoscope {

/// Work looks at it and ends at the next good point.
inline std::atomic<bool> interrupted{false};

/// What must put things back before it ends.
inline void onInterrupt(int) { interrupted = true; }
/// What only reads: a second one kills.
inline void onFirstInterrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_INTERRUPT_H
