//===- ScopeUnit.h - inside a running vector scope --------------*- C++ -*-===//
//
// Runs the function of a scope, checks its vector accesses before they are made
// and tells the observer of them. A bad access is suppressed: a load reads zeros,
// a store goes to scratch memory.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SCOPE_SCOPEUNIT_H
#define PTOSCOPE_LIB_MACHINE_SCOPE_SCOPEUNIT_H

#include "Memory/LocalMemory.h"
#include "Memory/Memories.h"
#include "Schedule/Operation.h"
#include "Scope/PlaceBlocks.h"
#include "Scope/StoreBuffer.h"

struct PtoLoopPlan;
struct PtoWrite;

namespace ptoscope {

class ScopeUnit {
public:
  ScopeUnit() = default;
  /// Random schedules delay stores with `random`.
  ScopeUnit(const BlockSetup &setup, PtoContext &context, Report &report, const Memories &memories,
            LocalMemories &guarded, Random &random)
      : report(&report), memories(&memories), guarded(&guarded), observer(setup.observer),
        onlooker(setup.options->onlooker), plainStores(observer && !onlooker), random(&random),
        ubMemory(memories.base(Space::Ub)), ubSize(memories.bytesOf(Space::Ub)), checked(setup.options->checks.memory),
        delays(setup.options->schedule.kind == ScheduleKind::Random), context(&context), turns(setup.scopeRegions) {}

  void run(const Instr &instr, PtoScopeFunction function, const uint64_t *captures);
  bool isRunning() const { return running; }
  const Instr &instr() const { return scopeInstr; } ///< the scope that runs, or ran last

  const uint8_t *checkLoad(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                           const uint64_t *used, PtoLoadShadow *shadow);
  uint8_t *checkStore(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment, const uint64_t *active,
                      const uint64_t *defined, const uint32_t *stamps, uint32_t stampCount);
  uint32_t mergeStamps(const uint32_t *stamps, uint32_t n) { return observer ? observer->mergeStamps(stamps, n) : 0; }
  /// Loops.cpp: ptosc_check_loop.
  uint64_t checkLoop(const PtoLoopPlan &plan, uint64_t turns, const int64_t *places, const uint32_t *stamps,
                     uint32_t *carried);
  void undefinedUse(SiteId site, uint32_t operand, const uint64_t *defined, const uint64_t *active);
  void fence(SiteId site, uint32_t fence);
  void bufferedStore(uint8_t *target, uint32_t bytes, const uint8_t *data, const uint64_t *active);
  /// A scalar load of UB inside the scope has read `value`: puts delayed stores over it.
  void overlay(const uint8_t *target, uint32_t bytes, uint8_t *value) const {
    if (!storeBuffer.empty())
      storeBuffer.overlay(target, bytes, value);
  }
  /// A scalar store to UB inside the scope; false: it is not delayed.
  bool delayScalar(uint8_t *target, uint32_t bytes, const uint8_t *data) {
    if (delays)
      storeBuffer.addScalar(*random, target, bytes, data);
    return delays;
  }

  // Places.cpp
  void checkCounts(SiteId site, const uint8_t *counts, uint32_t bytes, const uint64_t *active);
  void checkLookup(SiteId site, const uint8_t *index, uint32_t bytes);
  void gather(SiteId site, const PtoPlaces &places, uint8_t *result, PtoLoadShadow *shadow);
  void scatter(SiteId site, const PtoPlaces &places, const uint8_t *value, const uint64_t *defined,
               const uint32_t *stamps, uint32_t stampCount);

  // Streams.cpp
  void streamPrime(SiteId site, uint32_t address, PtoAlign *state);
  void streamLoad(SiteId site, uint32_t address, uint32_t ahead, const PtoAlign *state, PtoAlign *next, void *result,
                  PtoLoadShadow *shadow);
  void streamPush(SiteId site, uint32_t address, const PtoAlign *state, PtoAlign *next, const void *bytes,
                  int64_t count, const uint64_t *defined, const uint32_t *stamps, uint32_t stampCount);
  void streamFlush(SiteId site, uint32_t address, uint32_t other, const PtoAlign *state, const uint32_t *stamps,
                   uint32_t stampCount);

  uint64_t scopes = 0;         ///< that have run
  uint64_t vectorAccesses = 0; ///< that were checked

private:
  static constexpr size_t kWindowBytes = 2048;

  uint64_t ubBytes() const { return ubSize; }
  uint8_t *ub() const { return ubMemory; }
  bool observed() const { return observer && running; }
  static uint8_t *elsewhere(std::vector<uint8_t> &window) {
    window.resize(kWindowBytes);
    return window.data();
  }
  void reportFault(SiteId site);
  /// True when nothing about a vector access needs a second look.
  bool plainWindow(uint32_t address, uint32_t windowBytes, uint32_t alignment) const {
    // An empty window wraps and is looked at.
    return !report->stopped && windowBytes - 1 < kWindowBytes && uint64_t(address) + windowBytes <= ubBytes() &&
           ((address & (alignment - 1)) == 0 || !checked); // a power of two, and a division is slow
  }
  bool windowInside(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment, const uint64_t *touched,
                    std::string_view verb);
  const uint8_t *checkOddLoad(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                              const uint64_t *used, PtoLoadShadow *shadow);
  uint8_t *checkOddStore(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                         const uint64_t *active, const uint64_t *defined, const uint32_t *stamps, uint32_t stampCount);
  bool placeInside(SiteId site, const PtoPlaces &places, uint32_t lane, uint64_t address, bool stores);
  template <typename Index> void enumerateElements(SiteId site, const PtoPlaces &places, bool stores);
  void enumerateBlocks(SiteId site, const PtoPlaces &places, bool stores);
  bool plainBlocks(const PtoPlaces &places) const;
  void scatterBlocks(SiteId site, const PtoPlaces &places, const uint8_t *value, const uint64_t *defined,
                     const uint32_t *stamps, uint32_t stampCount);
  void beginPlaces();
  template <typename Body> bool plainElements(const PtoPlaces &places, Body body);
  void enumeratePlaces(SiteId site, const PtoPlaces &places, bool stores);
  void compareAhead(SiteId site, uint32_t address, const PtoAlign *state, const uint8_t *bytes);
  void writeStream(SiteId site, const PtoWrite &write, const uint64_t *defined, const uint32_t *stamps,
                   uint32_t stampCount);
  void brokenStream(SiteId site, const Fact &fact, uint32_t address);

  Report *report = nullptr;
  const Memories *memories = nullptr;
  LocalMemories *guarded = nullptr;
  Observer *observer = nullptr;
  Onlooker *onlooker = nullptr;
  bool plainStores = false; ///< the observer alone is told of stores
  Random *random = nullptr;
  uint8_t *ubMemory = nullptr;
  uint64_t ubSize = 0;
  bool checked = false; ///< for bounds and alignment
  bool delays = false;
  bool running = false;
  PtoContext *context = nullptr;
  Instr scopeInstr{}; ///< what observers are told of the scope
  StoreBuffer storeBuffer;
  std::vector<uint64_t> turns; ///< of the regions of the running scope; empty: code does not count
  /// What bad loads read, and what bad stores write; made when there is one.
  std::vector<uint8_t> zeros, scratch;
  std::unique_ptr<PlaceBlocks> placeBlocks; ///< made by the first gather or scatter
};

class ScopeOperation final : public Operation {
public:
  ScopeOperation(ScopeUnit &unit, PtoScopeFunction function, const uint64_t *captures, uint32_t count)
      : unit(&unit), function(function), captures(captures), count(count) {}
  ScopeOperation(const ScopeOperation &other)
      : Operation(other), unit(other.unit), function(other.function), own(other.captures, other.captures + other.count),
        captures(own.data()), count(other.count) {}
  std::unique_ptr<Operation> keep() override { return std::make_unique<ScopeOperation>(*this); }
  void effect(const Instr &instr) override { unit->run(instr, function, captures); }

private:
  ScopeUnit *unit;
  PtoScopeFunction function;
  std::vector<uint64_t> own; ///< of a copy
  const uint64_t *captures;
  uint32_t count;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCOPE_SCOPEUNIT_H
