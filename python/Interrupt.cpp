//===- Interrupt.cpp - Ctrl-C while a kernel runs -------------------------===//

#include "Interrupt.h"

#include <unistd.h>

namespace ptoscope::python {

// A signal handler has no argument of ours. Only the main thread uses these.
static std::atomic<bool> interrupted{false};
static struct sigaction pythons;
static bool within = false;

static void onInterrupt(int signal, siginfo_t *info, void *context) {
  interrupted = true;
  if (pythons.sa_flags & SA_SIGINFO)
    pythons.sa_sigaction(signal, info, context);
  else if (pythons.sa_handler != SIG_DFL && pythons.sa_handler != SIG_IGN)
    pythons.sa_handler(signal);
}

InterruptScope::InterruptScope() {
  static thread_local const bool isMain = gettid() == getpid();
  if (!isMain || within)
    return; // a run within a run: the outer one restores
  struct sigaction ours = {};
  ours.sa_sigaction = &onInterrupt;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  interrupted = false;
  if (sigaction(SIGINT, &ours, &pythons) != 0)
    return;
  if (!(pythons.sa_flags & SA_SIGINFO) && (pythons.sa_handler == SIG_DFL || pythons.sa_handler == SIG_IGN)) {
    sigaction(SIGINT, &pythons, nullptr);
    return;
  }
  installed = within = true;
}

InterruptScope::~InterruptScope() {
  if (!installed)
    return;
  sigaction(SIGINT, &pythons, nullptr);
  within = false;
}

const std::atomic<bool> *InterruptScope::flag() const { return installed ? &interrupted : nullptr; }

} // namespace ptoscope::python
