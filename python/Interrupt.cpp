//===- Interrupt.cpp - Ctrl-C while a kernel runs -------------------------===//

#include "Interrupt.h"

#include <unistd.h>

namespace ptoscope::python {

// A signal handler has no argument of ours. Only the main thread uses these.
static std::atomic<bool> interrupted{false};
static struct sigaction pythons;

static void onInterrupt(int signal, siginfo_t *info, void *context) {
  interrupted = true;
  if (pythons.sa_flags & SA_SIGINFO)
    pythons.sa_sigaction(signal, info, context);
  else
    pythons.sa_handler(signal);
}

InterruptScope::InterruptScope() {
  if (gettid() != getpid())
    return;
  sigaction(SIGINT, nullptr, &previous);
  const bool isPlain = !(previous.sa_flags & SA_SIGINFO);
  if (isPlain && (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN))
    return;
  if (!isPlain && previous.sa_sigaction == &onInterrupt)
    return; // a run within a run: the outer one restores
  interrupted = false;
  pythons = previous;
  struct sigaction ours = {};
  ours.sa_sigaction = &onInterrupt;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  installed = sigaction(SIGINT, &ours, nullptr) == 0;
}

InterruptScope::~InterruptScope() {
  if (installed)
    sigaction(SIGINT, &previous, nullptr);
}

const std::atomic<bool> *InterruptScope::flag() const { return installed ? &interrupted : nullptr; }

} // namespace ptoscope::python
