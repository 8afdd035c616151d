//===- EventArray.cpp - arrays of event ids -------------------------------===//
//
// The elements lie in memory of the generated code, which allocates them where
// the array is declared. Declaring it, also once more in a loop, makes every
// element unset; a wrong index or an unset element ends the block.
//
//===----------------------------------------------------------------------===//

#include "Scalar/ScalarUnit.h"

namespace ptoscope {

int32_t ScalarUnit::badEventIndex(SiteId at, int64_t n, int64_t index) {
  return report->end("event-array-bounds", at,
                     "index " + std::to_string(index) + " of " + report->opName(at) +
                         " is outside the array of " + plural(uint64_t(n), "event id"),
                     "use an index of 0 to " + std::to_string(n - 1) + ", or declare a larger array");
}

int32_t ScalarUnit::eventArraySet(SiteId at, PtoEventId *array, int64_t n, int64_t index, int64_t eventId) {
  if (uint64_t(index) >= uint64_t(n))
    return badEventIndex(at, n, index);
  changes += !array[index].isSet || array[index].id != eventId;
  array[index] = {eventId, 1};
  return 0;
}

int32_t ScalarUnit::eventArrayGet(SiteId at, const PtoEventId *array, int64_t n, int64_t index,
                                  int64_t *result) {
  if (uint64_t(index) >= uint64_t(n))
    return badEventIndex(at, n, index);
  if (!array[index].isSet)
    return report->end("event-array-unset", at,
                       report->opName(at) + " reads element " + std::to_string(index) + " of an array of " +
                           std::to_string(n) + " event ids, which was never set",
                       "write it with `pto.eventid_array_set` before");
  *result = array[index].id;
  return 0;
}

} // namespace ptoscope
