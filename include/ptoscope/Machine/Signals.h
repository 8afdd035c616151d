//===- Signals.h - words through which devices meet -------------*- C++ -*-===//
//
// A signal is an int32 word of global memory that scalar units set, add to and wait
// for (COMM-20 to COMM-26). Words are memory like any other: what makes one a signal
// is who touches it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_SIGNALS_H
#define PTOSCOPE_MACHINE_SIGNALS_H

#include "ptoscope/Machine/Launch.h"

#include <array>

namespace ptoscope {

inline constexpr uint32_t kSignalBytes = 4;

/// Up to five extents of words; strides in bytes.
struct SignalWords {
  uint64_t base = 0;
  std::array<int64_t, 5> shape{1, 1, 1, 1, 1};
  std::array<int64_t, 5> stride{};

  bool empty() const {
    for (int64_t extent : shape)
      if (extent <= 0)
        return true;
    return false;
  }
  /// Calls fn(address) in index order until it gives false; true when none did.
  template <typename Fn> bool all(Fn fn) const {
    if (empty())
      return true;
    std::array<int64_t, 5> at{};
    while (true) {
      uint64_t address = base;
      for (size_t i = 0; i < 5; ++i)
        address += uint64_t(at[i] * stride[i]);
      if (!fn(address))
        return false;
      size_t dim = 5;
      while (dim > 0 && ++at[dim - 1] == shape[dim - 1])
        at[--dim] = 0;
      if (dim == 0)
        return true;
    }
  }
};

/// The scalar unit stores or adds at once, whatever its pipes do; then a barrier of all
/// pipes (COMM-22). Nonzero: stop.
int32_t notifySignal(PtoContext *core, SiteId site, uint64_t address, int32_t value, bool add);
/// The scalar unit waits until every word compares as wanted (COMM-23). Nonzero: stop.
int32_t waitSignals(PtoContext *core, SiteId site, const SignalWords &words, int32_t value, SignalCompare compare);
/// One look (COMM-24).
int32_t testSignals(PtoContext *core, SiteId site, const SignalWords &words, int32_t value, SignalCompare compare,
                    bool &result);
/// A program that polls: other cores go on. Reports a poll that nothing can end.
int32_t yieldTurn(PtoContext *core, SiteId site);

/// A program has read `bytes` of global memory past the caches, or set a word there, on its
/// way to meet another core: orders what a signal would (COMM-29). Nonzero: stop.
int32_t noteWordRead(PtoContext *core, SiteId site, uint64_t address, uint64_t bytes);
int32_t noteWordSet(PtoContext *core, SiteId site, const SignalSet &set);
/// It has written a line of its cache back.
int32_t noteFlush(PtoContext *core, SiteId site, uint64_t address, uint64_t bytes);

/// Starts a transfer of an engine, whose objects are filled in. `started` is false when it
/// leaves them, which was reported. Nonzero: stop.
int32_t startEngine(PtoContext *core, SiteId site, EngineTransfer &transfer, bool &started);
int32_t finishEngine(PtoContext *core, SiteId site, uint64_t session, uint64_t number);
ScheduleKind scheduleOf(const PtoContext *core);

/// The caller has set this flag, and no wait has taken it yet.
bool isFlagUp(const PtoContext *core, Pipe src, Pipe dst, int64_t id);
/// Other cores run beside it, and may get a turn.
bool runsWithOthers(const PtoContext *core);
/// The device of a core, and how many there are.
int64_t deviceOf(const PtoContext *core);
int64_t devicesOf(const PtoContext *core);

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_SIGNALS_H
