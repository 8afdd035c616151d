//===- Core.h - one core: scalar-unit state, pipes, memories ----*- C++ -*-===//
//
// A core runs the program of its scalar unit (SU) on the caller's stack. The SU
// issues into queues; pipes run inside the SU's calls: at once under the eager
// schedule, on demand under the lazy one, at random times under random ones.
// When the SU has to wait, it pumps the pipes until it may go on; when nothing
// moves, another core of its group gets a turn, and without one that is a
// deadlock. So a core needs no stack of its own per pipe.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_CORE_H
#define PTOSCOPE_LIB_MACHINE_CORE_H

#include "Group/Cluster.h"
#include "Memory/LocalMemory.h"
#include "Scope/PlaceBlocks.h"
#include "Schedule/Queue.h"
#include "Scope/StoreBuffer.h"
#include "ptoscope/Machine/Launch.h"

#include <optional>
#include <string>
#include <unordered_map>

struct PtoWrite;

namespace ptoscope {

class CoreGroup;

/// Lets a block wait until all lower blocks have finished.
class BlockOrder {
public:
  virtual ~BlockOrder() = default;
  virtual void waitForLowerBlocks(int64_t block) = 0;
};

/// The legacy DMA registers with their reset values (DREG-11).
struct LoopRegisters {
  int64_t count1 = 1, count2 = 1;
  int64_t src1 = 0, dst1 = 0, src2 = 0, dst2 = 0;
  bool staleSize = false; ///< a grouped transfer came after the size was set
};
struct Registers {
  LoopRegisters outToUb, ubToOut, outToL1;
  bool padSetOutToL1 = false; ///< set_pad_val_outtol1 was executed
  int64_t padValueOutToL1 = 0;
  int64_t fftsBase = 0;
  int64_t padValue = 0; ///< raw bits
  int64_t padWidth = 1; ///< bytes of padValue that count
  int64_t ctrl = 0;
};

/// What the last turn of a loop looked like, to tell a livelock.
struct LoopTurn {
  bool visited = false;
  uint32_t repeats = 0; ///< turns in a row that were all the same
  uint64_t changes = 0, executed = 0, issued = 0;
  uint64_t others = 0; ///< activity of the other cores
  std::vector<uint8_t> carried;
  std::vector<int64_t> outerIterations;
};

/// Settings of a block, the same for its cores.
struct BlockSetup {
  const LaunchOptions *options = nullptr;
  const GmTable *gm = nullptr;
  const SiteTable *sites = nullptr;
  FindingList *findings = nullptr;
  Observer *observer = nullptr; ///< may be null
  BlockOrder *order = nullptr;
  int64_t block = 0;
  Cluster *cluster = nullptr;
  bool mixed = false;         ///< the cluster has all its cores
  bool resident = false;      ///< all blocks of the launch are in the group
  CoreGroup *group = nullptr; ///< null: this core runs alone
};

class Core : public PtoContext {
public:
  Core();

  /// Ready for a new block: memories zero, registers reset, queues empty.
  /// False when the host refuses the memory.
  bool begin(CoreKind kind, CoreId id, const BlockSetup &setup);
  /// After begin() of all cores of a cluster: who sees whose memory.
  void joinCluster();
  /// Runs the program and what it leaves queued; true when it came to its end.
  bool run(PtoSuFunction program, const uint64_t *arguments);
  /// The program has ended: runs what it left queued; true when it came to its end.
  bool finish();

  // Scalar/Issue.cpp: instructions of the scalar unit. Nonzero: stop.
  int32_t transfer(SiteId site, const PtoTransfer &operands);
  int32_t setRegister(SiteId site, uint32_t reg, int64_t a, int64_t b);
  int32_t setFlag(SiteId site, uint32_t src, uint32_t dst, int64_t id);
  int32_t waitFlag(SiteId site, uint32_t src, uint32_t dst, int64_t id);
  int32_t barrier(SiteId site, uint32_t pipe);
  int32_t getBuf(SiteId site, uint32_t pipe, int64_t id, int64_t mode);
  int32_t rlsBuf(SiteId site, uint32_t pipe, int64_t id, int64_t mode);
  // Scalar/EventArray.cpp
  int32_t eventArray(SiteId site, PtoEventId *array, int64_t n);
  int32_t eventArraySet(SiteId site, PtoEventId *array, int64_t n, int64_t index, int64_t id);
  int32_t eventArrayGet(SiteId site, const PtoEventId *array, int64_t n, int64_t index, int64_t *result);
  // Sync/Semaphores.cpp: other cores.
  int32_t syncSet(SiteId site, uint32_t pipe, int64_t id);
  int32_t syncWait(SiteId site, uint32_t pipe, int64_t id);
  int32_t crossCoreSet(SiteId site, int64_t id);
  int32_t waitFlagDev(SiteId site, int64_t id);
  int32_t syncAll(SiteId site, uint32_t coreType, int64_t usedCores);
  int32_t scope(SiteId site, PtoScopeFunction function, const uint64_t *captures, uint32_t n);
  int32_t yield(SiteId site, const void *carried, uint64_t n, bool finite);
  int32_t fail(SiteId site, uint32_t failure, int64_t value);
  int32_t setCtrl(SiteId site, int64_t value);
  int64_t getCtrl() const { return registers.ctrl; }

  // Sort/SortRun.cpp
  int32_t bitSort(SiteId site, uint32_t scoreBytes, uint64_t dst, uint64_t scores, uint64_t indices, int64_t repeat);
  int32_t mergeSort(SiteId site, uint32_t scoreBytes, uint64_t dst, const std::array<uint64_t, kMergeLists> &lists,
                    uint64_t count, uint64_t config);
  int32_t vms4Status(SiteId site, uint64_t *result);

  // Direct.cpp
  int32_t direct(SiteId site, const DirectInstruction &instruction, std::span<const DirectHull> hulls);
  int32_t directScalar(SiteId site, const DirectInstruction &instruction);
  void openToHost(Space space, uint64_t begin, uint64_t bytes);
  int32_t reportAt(SiteId site, std::string_view code, std::string message, std::string help, bool fatal);
  void stopBlock();
  bool isResident() const { return setup.resident || blockNum == 1; }

  // Scalar/ScalarMemory.cpp
  int32_t loadScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope,
                     uint64_t *result);
  int32_t storeScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope,
                      uint64_t value);

  // Scope/Scope.cpp: inside a running vector scope.
  const uint8_t *checkLoad(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                           const uint64_t *used, PtoLoadShadow *shadow);
  uint8_t *checkStore(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                      const uint64_t *active, const uint64_t *defined, const uint32_t *stamps,
                      uint32_t stampCount);
  uint32_t mergeStamps(const uint32_t *stamps, uint32_t n);
  void undefinedUse(SiteId site, uint32_t operand, const uint64_t *defined, const uint64_t *active);
  void fence(SiteId site, uint32_t fence);
  void bufferedStore(SiteId site, uint8_t *target, uint32_t bytes, const uint8_t *data,
                     const uint64_t *active);
  void partialStore(SiteId site, uint8_t *target, uint32_t bytes, const uint8_t *data,
                    const uint64_t *active);
  void checkCounts(SiteId site, const uint8_t *counts, uint32_t bytes, const uint64_t *active);
  void checkLookup(SiteId site, const uint8_t *index, uint32_t bytes);
  void gather(SiteId site, const PtoPlaces &places, uint8_t *result, PtoLoadShadow *shadow);
  void scatter(SiteId site, const PtoPlaces &places, const uint8_t *value, const uint64_t *defined,
               const uint32_t *stamps, uint32_t stampCount);
  void streamPrime(SiteId site, uint32_t address, PtoAlign *state);
  void compareAhead(SiteId site, uint32_t address, const PtoAlign *state, const uint8_t *bytes);
  void streamLoad(SiteId site, uint32_t address, const PtoAlign *state, PtoAlign *next, void *result,
                  PtoLoadShadow *shadow);
  void streamPush(SiteId site, uint32_t address, const PtoAlign *state, PtoAlign *next, const void *bytes,
                  int64_t count, const uint64_t *defined, const uint32_t *stamps, uint32_t stampCount);
  void streamFlush(SiteId site, uint32_t address, uint32_t other, const PtoAlign *state, const uint32_t *stamps,
                   uint32_t stampCount);
  int32_t scopePoll(SiteId site);

  uint8_t *memory(Space space) const { return local[size_t(space)]; }
  LocalMemories &localMemories() { return memories; }
  CoreKind coreKind() const { return kind; }
  uint32_t sizeOf(Space space) const { return bytesOf(space); }
  bool isStopped() const { return stopped; }
  void stop() { stopped = true; }
  /// Rises with everything this core does that another one can see.
  uint64_t effects() const { return executed + changes; }
  LaunchStats statistics() const {
    LaunchStats result = stats;
    result.instructions = executed;
    return result;
  }

private:
  friend class CoreGroup;   // explains why a group is stuck
  friend struct GroupGraph; // likewise

  // --- Core.cpp ---------------------------------------------------------------
  /// Counts a step of the SU; true: stop.
  bool step(SiteId site) {
    suSite = site;
    if (++steps >= pollAt) [[unlikely]]
      poll();
    return stopped;
  }
  void poll();
  void report(Finding finding);
  /// Reports and ends the block.
  int32_t fatal(Finding finding);
  int32_t refuseBetweenClusters(SiteId site);
  int32_t internalError(SiteId site, std::string message);
  Finding finding(std::string_view code, SiteId site, std::string message) const;
  /// Gives a finding the iterations of the loops around `site`, those around
  /// the running scope first.
  void addIterations(Finding &finding, SiteId site) const;
  Place place(SiteId site) const { return setup.sites ? setup.sites->placeOf(site) : Place{}; }
  /// "`pto.vadd`", or "the instruction" for an unknown site.
  std::string opName(SiteId site) const;
  /// The same with the distribution, if it has one.
  std::string accessName(SiteId site) const;
  /// "file:3:5", or "an unknown place".
  std::string placeText(SiteId site) const;
  /// "PIPE_V -> PIPE_MTE2, EVENT_ID2 (`NAME`)": the name if `site` wrote one.
  std::string flagText(Pipe src, Pipe dst, int64_t eventId, SiteId site) const;
  /// The event as `site` would write it: "EVENT_ID2", or its symbolic name.
  std::string eventName(int64_t eventId, SiteId site) const;
  uint32_t depthOf(SiteId site) const {
    if (!setup.sites || site >= setup.sites->size())
      return 0;
    uint32_t depth = (*setup.sites)[site].depth;
    return depth < PTO_MAX_LOOP_DEPTH ? depth : uint32_t(PTO_MAX_LOOP_DEPTH);
  }
  bool flagExists(uint32_t src, uint32_t dst, int64_t eventId) const {
    return src < kPipeSlots && dst < kPipeSlots && ((flagTargets[src] >> dst) & 1) &&
           uint64_t(eventId) < uint64_t(kEventIds);
  }
  int32_t badBuffer(SiteId site, int64_t bufferId, int64_t mode);
  int32_t badEventIndex(SiteId site, int64_t n, int64_t index);
  int32_t badFlag(SiteId site, uint32_t src, uint32_t dst, int64_t eventId);
  bool hasPipe(Pipe pipe) const { return size_t(pipe) < kPipeSlots && ((pipeSet >> size_t(pipe)) & 1); }
  uint32_t bytesOf(Space space) const { return localBytes[size_t(space)]; }

  Entry makeEntry(OpKind kind, Pipe pipe, SiteId site);
  Instr instr(const Entry &entry) const {
    return {id, entry.pipe, entry.ordinal, entry.site, entry.iterations, entry.depth};
  }
  /// Under the eager schedule: takes an instruction that is ready past its pipe, if
  /// nothing stands before it, and tells observers so (`passing`). False: it needs an
  /// entry.
  bool passDirectly(Pipe pipe, SiteId site) {
    PipeQueue &q = queue(pipe);
    if (schedule != ScheduleKind::Eager || !q.waiting.empty())
      return false;
    ++q.issued;
    ++q.started;
    executed += pipe != Pipe::S;
    if (observer) {
      passing = {id, pipe, q.issued, site, suIterations, depthOf(site)};
      observer->issue(passing);
      observer->start(passing);
    }
    return true;
  }
  PipeQueue &queue(Pipe pipe) { return queues[size_t(pipe)]; }
  const PipeQueue &queue(Pipe pipe) const { return queues[size_t(pipe)]; }
  Flag &flag(Pipe src, Pipe dst, int64_t eventId) {
    return flags[(size_t(src) * kPipeSlots + size_t(dst)) * size_t(kEventIds) + size_t(eventId)];
  }
  const Flag &flag(Pipe src, Pipe dst, int64_t eventId) const {
    return const_cast<Core *>(this)->flag(src, dst, eventId);
  }

  /// Runs, queues or delays an instruction that is ready to be issued.
  int32_t submit(Entry &entry);
  void enqueue(Entry &entry);
  /// May the instruction start, given that its predecessors have?
  bool ready(const Entry &entry) const;
  bool prefixEnded(const PipePrefix &prefix) const;
  /// Neighbours of it on MTE2 or MTE3 may take effect before it.
  static bool overtakes(const Entry &entry);
  /// The instruction takes effect.
  void execute(Entry &entry);
  void executeTransfer(const Entry &entry);
  void announceTransfer(const Entry &entry);
  void executeScope(const Entry &entry);
  void reportFault(const Entry &entry);
  void executeSet(const Entry &entry);
  /// Reports a flag that is set more than once.
  void reportOverwritten(const Flag &flag, Pipe src, Pipe dst, int64_t eventId, const int64_t *iterations,
                         uint32_t depth);
  void executeRelease(const Entry &entry);
  /// Takes the head of a queue and executes it (random: starts it).
  void runHead(Pipe pipe);
  /// Runs whatever can run; true if something did.
  bool runAll();
  /// Eager: runs heads until all are blocked.
  bool pump();
  /// Blocks the SU until `entry`, an instruction of PIPE_S, is ready.
  int32_t suWait(Entry &entry);
  /// Blocks the SU until every queue is empty, for `entry` or for the end of
  /// the program; false when that never happens.
  bool drain(const Entry *entry);
  /// Blocks the SU until another core has done something. False when no other
  /// core runs; true says nothing about what was waited for.
  bool park(const Entry *entry);
  /// Lets other cores go on although this one could.
  void passTurn(bool spinning);
  uint64_t blockSteps() const;
  /// Reports `code` ("interrupted", "max-steps") and ends the block.
  int32_t endBlock(std::string_view code, SiteId site, std::string message, std::string help);
  void finishSu(Entry &entry);
  void checkLeftovers();

  // --- Transfer/Plan.cpp ---------------------------------------------------------
  /// Resolves and checks a transfer into `planned`. Nonzero: stop.
  int32_t plan(SiteId site, const PtoTransfer &operands);
  /// Recognises the ordinary transfer: rows between GM and a memory of this core,
  /// without padding, registers or atomics, about which there is nothing to say.
  /// False: it may be of another kind; nothing is decided.
  bool plainRows(const PtoTransfer &operands, PlainRows &rows);
  void planRows(const PtoTransfer &operands, const PlainRows &rows);
  bool planTarget(SiteId site, const PtoTransfer &operands);
  bool planOperands(SiteId site, const PtoTransfer &operands);
  bool checkOperands(SiteId site, const PtoTransfer &operands, const OperandLimits &limits);
  void checkLoopSize(SiteId site);
  bool shapeRows(SiteId site, const PtoTransfer &operands);
  bool planAtomic(SiteId site);
  bool planLocalSide(SiteId site, bool isSource);
  bool planGmSide(SiteId site, bool isSource);
  void planOverlap(SiteId site);
  void planPadding(SiteId site, const PtoTransfer &operands);
  LoopRegisters *loopRegisters();
  void mergeRows();

  // --- Sync/Semaphores.cpp -----------------------------------------------------------------
  SemaphoreName ownSemaphore(int64_t semaphore) const { return {id.index, semaphore}; }
  /// The semaphores that a set of this core with number `n` raises; 0 to 2.
  unsigned targetsOf(int64_t n, SemaphoreName (&targets)[2]) const;
  bool semaphoreReady(const Entry &entry) const;
  void executeSyncSet(const Entry &entry);
  void executeSyncWait(const Entry &entry);
  int32_t issueSet(SiteId site, Pipe pipe, int64_t n);
  int32_t issueWait(SiteId site, Pipe pipe, int64_t n);
  int32_t badSemaphore(SiteId site, int64_t n, int64_t limit);

  // --- Sort/SortRun.cpp ----------------------------------------------------------------
  int32_t issueSort(SiteId site, const Sort &sort);
  void checkMerge(SiteId site, const Sort &sort, uint64_t count, uint64_t config);
  void executeSort(const Entry &entry);
  void executeGroups(const Entry &entry);
  void executeMerge(const Entry &entry);
  bool sortRange(const Entry &entry, uint64_t address, uint64_t bytes, uint32_t alignment, std::string_view verb);
  void checkSortOverlap(const Entry &entry, uint64_t input, uint64_t inputBytes, uint64_t bytes);
  void observeSort(const Entry &entry, uint64_t address, uint64_t bytes, bool writes);

  // --- Direct.cpp -------------------------------------------------------------------
  bool hullInside(SiteId site, const DirectHull &hull);
  void badGmHull(SiteId site, const DirectHull &hull, const GmObject *object);
  void takeEffect(const Instr &instruction, const DirectInstruction &direct);

  // --- Schedule/Lazy.cpp ------------------------------------------------------------
  bool demand(const Entry &entry);
  bool runTo(Pipe pipe, uint64_t ordinal);
  bool pullAll();

  // --- Schedule/RandomOrder.cpp ------------------------------------------------------------
  void randomTurn();
  bool randomStep();
  void moveSomeRows(PipeQueue &queue);

  // --- Schedule/Stuck.cpp ---------------------------------------------------------------------
  int32_t deadlock(const Entry *suEntry);
  std::string waitText(const Entry &entry) const;
  std::string flagLine(const char *op, Pipe src, Pipe dst, int64_t eventId, SiteId site) const;
  SiteId outermostLoop(SiteId site) const;
  SiteId unprimedLoop(const Entry &wait) const;
  bool proposeSet(Finding &finding, const Entry &wait) const;
  void proposeDrain(Finding &finding, Pipe src, Pipe dst, int64_t event, const Flag &flag) const;
  /// "add.pto:24".
  static std::string lineText(const Place &place) { return place.file + ":" + std::to_string(place.line); }
  std::string causeText(const Entry &entry, bool suBlocked) const;
  std::optional<Pipe> blockerOf(const Entry &entry) const;
  /// Where this core stands; and all cores of its block.
  std::vector<Note> standingNotes() const;
  std::vector<Note> blockNotes() const;
  std::string cycleFrom(Pipe start, std::vector<Pipe> &members) const;

  // --- ScalarMemory.cpp, Scope.cpp ---------------------------------------------------
  struct ScalarTarget {
    uint8_t *host = nullptr; ///< null: nothing there
    const GmObject *object = nullptr;
    uint32_t skipFront = 0, present = 0; ///< which bytes of the value exist
  };
  /// What a scalar load and store begin with: a step, its place on PIPE_S, the
  /// checks and the event. False when nothing is to be accessed.
  bool beginScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope, bool writes,
                   ScalarTarget &target);
  bool resolveScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool isStore,
                     ScalarTarget &target);
  void observeScalar(SiteId site, uint32_t space, const ScalarTarget &target, uint64_t address,
                     uint32_t bytes, bool inScope, bool isStore);
  void reportAccess(SiteId site, Finding finding);
  /// True when nothing about a vector access needs a second look.
  bool plainWindow(uint32_t address, uint32_t windowBytes, uint32_t alignment) const {
    // An empty window wraps and is looked at.
    return !stopped && windowBytes - 1 < kWindowBytes &&
           uint64_t(address) + windowBytes <= bytesOf(Space::Ub) &&
           (alignment <= 1 || address % alignment == 0 || !checks.memory);
  }
  bool windowInside(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                    const uint64_t *touched, std::string_view verb);
  const uint8_t *checkOddLoad(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                              const uint64_t *used, PtoLoadShadow *shadow);
  uint8_t *checkOddStore(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                         const uint64_t *active, const uint64_t *defined, const uint32_t *stamps,
                         uint32_t stampCount);

  // --- Scope/Places.cpp, Scope/Streams.cpp ------------------------------------------------
  bool placeInside(SiteId site, const PtoPlaces &places, uint32_t lane, uint64_t address, bool stores);
  template <typename Index> void enumerateElements(SiteId site, const PtoPlaces &places, bool stores);
  void enumerateBlocks(SiteId site, const PtoPlaces &places, bool stores);
  void enumeratePlaces(SiteId site, const PtoPlaces &places, bool stores);
  void reportPlace(SiteId site, std::string_view code, std::string message, std::string help, uint64_t address,
                   uint32_t bytes);
  void writeStream(SiteId site, const PtoWrite &write, const uint64_t *defined, const uint32_t *stamps,
                   uint32_t stampCount);
  void brokenStream(SiteId site, std::string message, uint32_t address);

  // What issuing touches every time comes first and stands together.
  bool stopped = false;
  bool traced = false; ///< someone wants loop iterations
  Checks checks;       ///< constant during a block, as all that begin() takes from its arguments
  CoreKind kind = CoreKind::AIV;
  CoreId id;
  ScheduleKind schedule = ScheduleKind::Eager;
  uint16_t pipeSet = 0;
  SiteId suSite = kNoSite; ///< where the scalar unit stands
  uint64_t steps = 0, pollAt = 1;
  uint64_t queued = 0;   ///< entries in all queues
  uint64_t executed = 0; ///< instructions of pipes
  LaunchStats stats;
  Observer *observer = nullptr;
  Instr passing{};                                ///< that passDirectly let pass last
  /// What ordinary transfers to and from GM used last. The object's fields beside it
  /// keep its own memory out of the way.
  struct LastObject {
    uint64_t base = 0, bytes = 0;
    uint8_t *host = nullptr;
    const GmObject *object = nullptr; ///< null: none
    bool readOnly = false;
  };
  LastObject lastObject[2];
  std::array<uint32_t, kSpaceSlots> localBytes{}; ///< the profile's
  std::array<uint16_t, kPipeSlots> flagTargets{}; ///< per source, bit per destination of a flag
  Registers registers;
  const Profile *profile = nullptr;
  std::array<PipeQueue, kPipeSlots> queues;
  std::vector<Flag> flags;
  std::array<BufferId, size_t(kBufferIds)> buffers;

  // The scalar unit.
  BlockSetup setup;
  /// Rises with every memory write of the SU and every register change.
  uint64_t changes = 0;
  std::unordered_map<SiteId, LoopTurn> turns;
  const Entry *suBlockedOn = nullptr; ///< while another core has its turn
  bool suEnded = false;               ///< the program has returned
  uint32_t finiteTurns = 0;
  uint64_t loneBarriers = 0; ///< all-core barriers of a core that runs alone

  // Pipes.
  uint16_t pulling = 0; ///< lazy: pipes being run to some point
  bool lowerBlocksDone = false;
  Transfer planned; ///< of the transfer being issued
  std::vector<PtoLoop> planLoops;

  // Sorts.
  struct MergeStatus {
    uint64_t value = 0; ///< VMS4_SR: records taken from each list, 16 bits each
    Instr writer{};     ///< the merge issued last; its ordinal is 0 without one
  } vms4;
  std::vector<uint8_t> sortRecords, sortInput;

  std::vector<DirectRegion> directRegions; ///< reused between instructions

  // Random schedules.
  Random random;
  uint64_t phaseLeft = 0;
  uint32_t suBias = 0;
  std::array<uint8_t, kPipeSlots> priority{};

  // The running scope.
  const Entry *runningScope = nullptr;
  Instr scopeInstr{}; ///< what observers are told of it
  StoreBuffer storeBuffer;
  static constexpr size_t kWindowBytes = 2048;
  std::vector<uint8_t> zeros, scratch;
  PlaceBlocks placeBlocks;

  LocalMemories memories;

  static constexpr uint64_t kLookAhead = 4096;
  static constexpr uint64_t kMaxQueued = uint64_t(1) << 20;
  static constexpr uint64_t kPollInterval = 256;
  static constexpr uint32_t kSameTurns = 16;
};

/// Consumers first: the order in which lazy schedules pull.
inline constexpr Pipe kPullOrder[] = {Pipe::FIX, Pipe::MTE3, Pipe::V, Pipe::M, Pipe::MTE1, Pipe::MTE2};

std::string hex(uint64_t value);
/// "UB", as messages write it.
std::string spaceText(Space space);
/// "PIPE_V"; "pipe number N" where there is none.
std::string pipeText(uint32_t pipe);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_CORE_H
