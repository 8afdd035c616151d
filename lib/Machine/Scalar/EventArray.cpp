//===- EventArray.cpp - arrays of event ids -------------------------------===//
//
// The elements lie in memory of the generated code, which allocates them where
// the array is declared. Declaring it, also once more in a loop, makes every
// element unset; a wrong index or an unset element ends the block.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <algorithm>

namespace ptoscope {

int32_t Core::eventArray(SiteId site, PtoEventId *array, int64_t n) {
  if (step(site))
    return 1;
  std::fill_n(array, n, PtoEventId{0, 0});
  return 0;
}

int32_t Core::badEventIndex(SiteId site, int64_t n, int64_t index) {
  Finding f = finding("event-array-bounds", site,
                      "index " + std::to_string(index) + " of " + opName(site) + " is outside the array of " +
                          std::to_string(n) + (n == 1 ? " event id" : " event ids"));
  f.help = "use an index of 0 to " + std::to_string(n - 1) + ", or declare a larger array";
  addIterations(f, site);
  return fatal(std::move(f));
}

int32_t Core::eventArraySet(SiteId site, PtoEventId *array, int64_t n, int64_t index, int64_t eventId) {
  if (step(site))
    return 1;
  if (uint64_t(index) >= uint64_t(n))
    return badEventIndex(site, n, index);
  changes += !array[index].isSet || array[index].id != eventId;
  array[index] = {eventId, 1};
  return 0;
}

int32_t Core::eventArrayGet(SiteId site, const PtoEventId *array, int64_t n, int64_t index, int64_t *result) {
  if (step(site))
    return 1;
  if (uint64_t(index) >= uint64_t(n))
    return badEventIndex(site, n, index);
  if (!array[index].isSet) {
    Finding f = finding("event-array-unset", site,
                        opName(site) + " reads element " + std::to_string(index) + " of an array of " +
                            std::to_string(n) + " event ids, which was never set");
    f.help = "write it with `pto.eventid_array_set` before";
    addIterations(f, site);
    return fatal(std::move(f));
  }
  *result = array[index].id;
  return 0;
}

} // namespace ptoscope
