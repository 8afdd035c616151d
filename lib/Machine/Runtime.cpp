//===- Runtime.cpp - the C interface of generated code --------------------===//
//
// Each function finds its Core behind the PtoContext and calls the member of
// the same name, of the core or of one of its parts. What only one part is asked for
// counts as a step here.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Runtime.h"
#include "ptoscope/Machine/LoopRuntime.h"

#include "Core.h"
#include "ptoscope/Machine/Onlooker.h"

#include <algorithm>

using ptoscope::Core;
using ptoscope::coreOf;
namespace say = ptoscope::say;

int32_t ptosc_transfer(PtoContext *context, uint32_t site, const PtoTransfer *transfer) {
  return coreOf(context).transfer(site, *transfer);
}
int32_t ptosc_set_register(PtoContext *context, uint32_t site, uint32_t reg, int64_t a, int64_t b) {
  Core &core = coreOf(context);
  return core.step(site) ? 1 : core.scalar.setRegister(site, reg, a, b);
}
int32_t ptosc_set_flag(PtoContext *context, uint32_t site, uint32_t src, uint32_t dst, int64_t id) {
  return coreOf(context).setFlag(site, src, dst, id);
}
int32_t ptosc_wait_flag(PtoContext *context, uint32_t site, uint32_t src, uint32_t dst, int64_t id) {
  return coreOf(context).waitFlag(site, src, dst, id);
}
int32_t ptosc_memory_barrier(PtoContext *context, uint32_t site, uint32_t domain) {
  return coreOf(context).memoryBarrier(site, ptoscope::Domain(domain));
}
int32_t ptosc_cache_invalidate(PtoContext *context, uint32_t site, uint64_t address, uint32_t whole) {
  return coreOf(context).invalidateCache(site, address, whole);
}
int32_t ptosc_message_set(PtoContext *context, uint32_t site, uint32_t pipe, uint32_t mode, int64_t id) {
  return coreOf(context).sendMessage(site, pipe, ptoscope::SignalMode(mode), id);
}
int32_t ptosc_message_wait(PtoContext *context, uint32_t site, uint32_t pipe, int64_t id) {
  return coreOf(context).awaitMessage(site, pipe, id);
}
int32_t ptosc_load_dev(PtoContext *context, uint32_t site, uint64_t address, uint32_t bytes, uint64_t *result) {
  return coreOf(context).loadScalar(site, uint32_t(ptoscope::Space::Gm), address, bytes, false, result,
                                    /*pastCache=*/true);
}
int32_t ptosc_store_dev(PtoContext *context, uint32_t site, uint64_t address, uint32_t bytes, uint64_t value) {
  return coreOf(context).storeScalar(site, uint32_t(ptoscope::Space::Gm), address, bytes, false, value,
                                     /*pastCache=*/true);
}
int32_t ptosc_barrier(PtoContext *context, uint32_t site, uint32_t pipe) { return coreOf(context).barrier(site, pipe); }
int32_t ptosc_event_array(PtoContext *context, uint32_t site, PtoEventId *array, int64_t n) {
  if (coreOf(context).step(site))
    return 1;
  std::fill_n(array, n, PtoEventId{0, 0});
  return 0;
}
int32_t ptosc_event_array_set(PtoContext *context, uint32_t site, PtoEventId *array, int64_t n, int64_t index,
                              int64_t id) {
  Core &core = coreOf(context);
  return core.step(site) ? 1 : core.scalar.eventArraySet(site, array, n, index, id);
}
int32_t ptosc_event_array_get(PtoContext *context, uint32_t site, const PtoEventId *array, int64_t n, int64_t index,
                              int64_t *result) {
  Core &core = coreOf(context);
  return core.step(site) ? 1 : core.scalar.eventArrayGet(site, array, n, index, result);
}
int32_t ptosc_element_set(PtoContext *context, uint32_t site, PtoEventId *element, int64_t bits) {
  Core &core = coreOf(context);
  return core.step(site) ? 1 : core.scalar.eventArraySet(site, element, 1, 0, bits);
}
int32_t ptosc_element_get(PtoContext *context, uint32_t site, const PtoEventId *element, int64_t position,
                          int64_t *bits) {
  Core &core = coreOf(context);
  *bits = element->id;
  if (core.step(site))
    return 1;
  return element->isSet ? 0 : core.report.end(site, say::kElementUnset(position));
}
int32_t ptosc_bad_index(PtoContext *context, uint32_t site, int64_t index, int64_t extent) {
  return coreOf(context).report.end(site, say::kElementBounds(index, extent, extent - 1));
}
void ptosc_look(PtoContext *context, uint32_t number, const void *bytes) {
  const Core &core = coreOf(context);
  if (core.setup.options->onlooker && !core.report.stopped)
    core.setup.options->onlooker->value(context, number, bytes);
}
int32_t ptosc_get_buf(PtoContext *context, uint32_t site, uint32_t pipe, int64_t id, int64_t mode) {
  return coreOf(context).getBuf(site, pipe, id, mode);
}
int32_t ptosc_rls_buf(PtoContext *context, uint32_t site, uint32_t pipe, int64_t id, int64_t mode) {
  return coreOf(context).rlsBuf(site, pipe, id, mode);
}
int32_t ptosc_sync_set(PtoContext *context, uint32_t site, uint32_t pipe, int64_t id) {
  return coreOf(context).syncSet(site, pipe, id);
}
int32_t ptosc_sync_wait(PtoContext *context, uint32_t site, uint32_t pipe, int64_t id) {
  return coreOf(context).syncWait(site, pipe, id);
}
int32_t ptosc_cross_core_set(PtoContext *context, uint32_t site, int64_t id) {
  return coreOf(context).crossCoreSet(site, id);
}
int32_t ptosc_wait_flag_dev(PtoContext *context, uint32_t site, int64_t id) {
  return coreOf(context).waitFlagDev(site, id);
}
int32_t ptosc_syncall(PtoContext *context, uint32_t site, uint32_t coreType, int64_t usedCores) {
  return coreOf(context).syncAll(site, coreType, usedCores);
}
int32_t ptosc_scope(PtoContext *context, uint32_t site, PtoScopeFunction function, const uint64_t *captures,
                    uint32_t n) {
  return coreOf(context).scope(site, function, captures, n);
}
int32_t ptosc_placed_scope(PtoContext *context, uint32_t site, PtoScopeFunction function, const uint64_t *captures,
                           uint32_t n) {
  return coreOf(context).scope(site, function, captures, n, /*asks=*/true);
}
int32_t ptosc_yield(PtoContext *context, uint32_t site, const void *carried, uint64_t n, uint32_t finite) {
  return coreOf(context).yield(site, carried, n, finite != 0);
}
int32_t ptosc_fail(PtoContext *context, uint32_t site, uint32_t failure, int64_t value) {
  return coreOf(context).scalar.fail(site, failure, value);
}
int64_t ptosc_get_ctrl(PtoContext *context) { return coreOf(context).scalar.registers.ctrl; }
int32_t ptosc_set_ctrl(PtoContext *context, uint32_t site, int64_t value) {
  Core &core = coreOf(context);
  if (core.step(site))
    return 1;
  core.elision.settle(); // scopes read the register when they run
  core.scalar.setCtrl(value);
  return 0;
}
int32_t ptosc_bitsort(PtoContext *context, uint32_t site, uint32_t scoreBytes, uint64_t dst, uint64_t scores,
                      uint64_t indices, int64_t repeat) {
  return coreOf(context).bitSort(site, scoreBytes, dst, scores, indices, repeat);
}
int32_t ptosc_mrgsort4(PtoContext *context, uint32_t site, uint32_t scoreBytes, uint64_t dst, uint64_t list0,
                       uint64_t list1, uint64_t list2, uint64_t list3, uint64_t count, uint64_t config) {
  return coreOf(context).mergeSort(site, scoreBytes, dst, {list0, list1, list2, list3}, count, config);
}
int32_t ptosc_get_vms4_sr(PtoContext *context, uint32_t site, uint64_t *result) {
  return coreOf(context).vms4Status(site, result);
}

int32_t ptosc_load_scalar(PtoContext *context, uint32_t site, uint32_t space, uint64_t address, uint32_t bytes,
                          uint32_t inScope, uint64_t *result) {
  return coreOf(context).loadScalar(site, space, address, bytes, inScope != 0, result);
}
int32_t ptosc_store_scalar(PtoContext *context, uint32_t site, uint32_t space, uint64_t address, uint32_t bytes,
                           uint32_t inScope, uint64_t value) {
  return coreOf(context).storeScalar(site, space, address, bytes, inScope != 0, value);
}

const uint8_t *ptosc_check_load(PtoContext *context, uint32_t site, uint32_t address, uint32_t windowBytes,
                                uint32_t alignment, const uint64_t *used, PtoLoadShadow *shadow) {
  return coreOf(context).scopes.checkLoad(site, address, windowBytes, alignment, used, shadow);
}
uint8_t *ptosc_check_store(PtoContext *context, uint32_t site, uint32_t address, uint32_t windowBytes,
                           uint32_t alignment, const uint64_t *active, const uint64_t *defined, const uint32_t *stamps,
                           uint32_t stampCount) {
  return coreOf(context).scopes.checkStore(site, address, windowBytes, alignment, active, defined, stamps, stampCount);
}
uint32_t ptosc_merge_stamps(PtoContext *context, const uint32_t *stamps, uint32_t n) {
  return coreOf(context).scopes.mergeStamps(stamps, n);
}
uint64_t ptosc_check_loop(PtoContext *context, const PtoLoopPlan *plan, uint64_t turns, const int64_t *places,
                          const uint32_t *stamps, uint32_t *carried) {
  return coreOf(context).scopes.checkLoop(*plan, turns, places, stamps, carried);
}
uint32_t ptosc_place_loop(PtoContext *context, const PtoLoopPlan *plan, uint64_t turns, uint64_t fullTurns,
                          const int64_t *places, uint8_t **hosts) {
  return coreOf(context).elision.placeLoop(*plan, turns, fullTurns, places, hosts);
}
void ptosc_undefined_use(PtoContext *context, uint32_t site, uint32_t operand, const uint64_t *defined,
                         const uint64_t *active) {
  coreOf(context).scopes.undefinedUse(site, operand, defined, active);
}
void ptosc_fence(PtoContext *context, uint32_t site, uint32_t fence) { coreOf(context).scopes.fence(site, fence); }

void ptosc_buffered_store(PtoContext *context, uint32_t site, uint8_t *target, uint32_t windowBytes,
                          const uint8_t *bytes, const uint64_t *active) {
  coreOf(context).scopes.bufferedStore(target, windowBytes, bytes, active);
}
void ptosc_partial_store(PtoContext *context, uint32_t site, uint8_t *target, uint32_t windowBytes,
                         const uint8_t *bytes, const uint64_t *active) {
  ptoscope::storeActive(target, windowBytes, bytes, active);
}
void ptosc_check_counts(PtoContext *context, uint32_t site, const void *counts, uint32_t bytes,
                        const uint64_t *active) {
  coreOf(context).scopes.checkCounts(site, static_cast<const uint8_t *>(counts), bytes, active);
}
void ptosc_check_lookup(PtoContext *context, uint32_t site, const void *index, uint32_t bytes) {
  coreOf(context).scopes.checkLookup(site, static_cast<const uint8_t *>(index), bytes);
}
void ptosc_gather(PtoContext *context, uint32_t site, const PtoPlaces *places, void *result, PtoLoadShadow *shadow) {
  coreOf(context).scopes.gather(site, *places, static_cast<uint8_t *>(result), shadow);
}
void ptosc_scatter(PtoContext *context, uint32_t site, const PtoPlaces *places, const void *value,
                   const uint64_t *defined, const uint32_t *stamps, uint32_t stampCount) {
  coreOf(context).scopes.scatter(site, *places, static_cast<const uint8_t *>(value), defined, stamps, stampCount);
}
void ptosc_stream_prime(PtoContext *context, uint32_t site, uint32_t address, PtoAlign *state) {
  coreOf(context).scopes.streamPrime(site, address, state);
}
void ptosc_stream_load(PtoContext *context, uint32_t site, uint32_t address, uint32_t ahead, const PtoAlign *state,
                       PtoAlign *next, void *result, PtoLoadShadow *shadow) {
  coreOf(context).scopes.streamLoad(site, address, ahead, state, next, result, shadow);
}
void ptosc_stream_push(PtoContext *context, uint32_t site, uint32_t address, const PtoAlign *state, PtoAlign *next,
                       const void *bytes, int64_t count, const uint64_t *defined, const uint32_t *stamps,
                       uint32_t stampCount) {
  coreOf(context).scopes.streamPush(site, address, state, next, bytes, count, defined, stamps, stampCount);
}
void ptosc_stream_flush(PtoContext *context, uint32_t site, uint32_t address, uint32_t other, const PtoAlign *state,
                        const uint32_t *stamps, uint32_t stampCount) {
  coreOf(context).scopes.streamFlush(site, address, other, state, stamps, stampCount);
}
uint64_t ptosc_scope_turns(PtoContext *context, uint32_t site, uint64_t turns, uint32_t cost) {
  return coreOf(context).scopeTurns(site, turns, cost);
}
