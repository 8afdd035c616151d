//===- Checkers.h - race and definedness checks of a launch -----*- C++ -*-===//
//
// Observers that see every access and every edge of a run and report races
// (race-raw, race-war, race-waw, race-scope, race-blocks) and uses of bytes
// no one wrote (init-read, init-scalar, init-store-gm). They change nothing.
// The memory and sync checks live in Machine, where the accesses are made.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_CHECKERS_H
#define PTOSCOPE_CHECKERS_CHECKERS_H

#include "ptoscope/Machine/Launch.h"

#include <array>
#include <atomic>
#include <memory>

namespace ptoscope {

/// What was checked, over all blocks that have ended.
struct CheckCounts {
  uint64_t instructions = 0; ///< that took effect on a pipe
  uint64_t accesses = 0;     ///< sides of transfers, vector and scalar accesses
  uint64_t bytes = 0;        ///< of these accesses
  uint64_t flags = 0;        ///< sets and waits
  uint64_t edges = 0;        ///< barriers, buffer acquires and releases, fences
  int64_t blocks = 0;

  void add(const CheckCounts &other);
};

/// Checkers that have seen blocks, with their tables, for further blocks and launches of the same kernel. Profile and
/// checks of these launches have to be the same. Several launches may use it at once.
class KeptCheckers {
public:
  KeptCheckers() = default;
  ~KeptCheckers();
  KeptCheckers(const KeptCheckers &) = delete;

  /// Null when there is none.
  std::unique_ptr<Observer> take();
  void keep(std::unique_ptr<Observer> checker);

private:
  /// As many as blocks that are open at a time on a few threads; further ones are made and freed. No lock: threads
  /// take and give one for each block.
  std::array<std::atomic<Observer *>, 64> idle{};
};

class CheckerFactory : public ObserverFactory {
public:
  /// Complete once the launch has returned.
  virtual const CheckCounts &counts() const = 0;
  /// The next block finds the memories of the last one of `ended`, and with them which bytes are defined.
  virtual void inherit(CheckerFactory &ended) = 0;
};

/// The tables must outlive the factory. Only `race` and `init` of `checks`
/// matter here; with both off the observers do nothing. `kept` may be null.
std::unique_ptr<CheckerFactory> makeCheckers(const SiteTable &sites, const GmTable &gm, const Profile &profile,
                                             Checks checks, KeptCheckers *kept = nullptr);
/// The same for blocks that meet by signals, on one device or several.
std::unique_ptr<CheckerFactory> makeSignalCheckers(const SiteTable &sites, const Profile &profile, Checks checks,
                                                   int64_t blocks, int64_t devices);

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_CHECKERS_H
