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
  return report->end(at, say::kEventArrayBounds(index, n, n - 1));
}

int32_t ScalarUnit::eventArraySet(SiteId at, PtoEventId *array, int64_t n, int64_t index, int64_t eventId) {
  if (uint64_t(index) >= uint64_t(n))
    return badEventIndex(at, n, index);
  changes += !array[index].isSet || array[index].id != eventId;
  array[index] = {eventId, 1};
  return 0;
}

int32_t ScalarUnit::eventArrayGet(SiteId at, const PtoEventId *array, int64_t n, int64_t index, int64_t *result) {
  if (uint64_t(index) >= uint64_t(n))
    return badEventIndex(at, n, index);
  if (!array[index].isSet)
    return report->end(at, say::kEventArrayUnset(index, n));
  *result = array[index].id;
  return 0;
}

} // namespace ptoscope
