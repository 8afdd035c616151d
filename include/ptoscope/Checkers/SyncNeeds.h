//===- SyncNeeds.h - which flags and barriers a program needs ---*- C++ -*-===//
//
// Keeps who touched what and what ordered it, for programs that are not too long,
// and says afterwards whether every dependence is still ordered when some flags or
// barriers are left out. The order is that of the race check. Where it is not sure,
// a flag counts as needed.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_SYNCNEEDS_H
#define PTOSCOPE_CHECKERS_SYNCNEEDS_H

#include "ptoscope/Machine/Launch.h"

#include <memory>
#include <span>
#include <vector>

namespace ptoscope {

class SyncNeeds : public ObserverFactory {
public:
  /// Events that are kept by default, of all blocks together.
  static constexpr size_t kMaxEvents = 400'000;

  /// False: the program was too long, and nothing else is known.
  virtual bool isComplete() const = 0;

  /// What can only be left out together: a barrier, all that sets or waits for the same
  /// flags, all that uses the same buffer ids.
  struct Group {
    std::vector<SiteId> sites; ///< rising
    bool isBarrier = false;
  };
  /// Barriers first, then in the order of the text.
  virtual std::vector<Group> groups() const = 0;
  /// Is everything that was ordered, and has to be, ordered without these sites?
  virtual bool isOrderedWithout(std::span<const SiteId> sites) const = 0;
};

/// `next` sees every event. The run needs the race check: without it no one knows what
/// vector scopes touch.
std::unique_ptr<SyncNeeds> makeSyncNeeds(const SiteTable &sites, const Profile &profile, ObserverFactory &next,
                                         size_t maxEvents = SyncNeeds::kMaxEvents);

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_SYNCNEEDS_H
