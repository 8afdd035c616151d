//===- Cluster.cpp - signals and barriers between cores, in C++ -----------===//
//
// What the words and ids of a signal mean for the core that runs (XSYNC-1 to XSYNC-32).
// The Machine counts; this layer knows the spellings and says what has no meaning.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "pto/detail/cluster_abi.hpp"
#include "ptoscope/Machine/ClusterSentences.h"

namespace ptoscope::tile {

namespace {
constexpr int64_t kIds = 16;

Context::SiteEntry &siteOf(Context &context, const Spelling &by) { return context.siteOf(by.name, by.source); }

bool isA5(const Context &context) { return profileOf(context.core).pipeSemaphores; }

/// False: the core has no such pipe, and that was reported.
bool namesPipe(Context &context, SiteId site, uint32_t pipe) {
  if (pipe <= uint32_t(Pipe::FIX) && pipe != uint32_t(Pipe::All) && hasPipe(context.core, Pipe(pipe)))
    return true;
  const CoreKind kind = context.kind;
  const bool elsewhere = pipe <= uint32_t(Pipe::MTE3) || pipe == uint32_t(Pipe::FIX);
  if (elsewhere && kind != CoreKind::Unified)
    context.report(site,
                   say::kPipeNamed(Pipe(pipe), say::coreText(kind), say::otherCoreText(kind), say::otherMacro(kind)),
                   /*fatal=*/true);
  else
    context.report(site, say::kSignalPipe(pipeText(pipe)), /*fatal=*/true);
  return false;
}

/// False: the id is none of this core's, and that was reported.
bool namesId(Context &context, SiteId site, int64_t id, int64_t ids) {
  if (id >= 0 && id < ids)
    return true;
  context.report(site, say::kSignalId(id, ids - 1), /*fatal=*/true);
  return false;
}

/// An own signal with an id that SYNCALL uses.
void noteReserved(Context &context, SiteId site, int64_t id) {
  if (id % kIds < 11 || id % kIds > 14) [[likely]]
    return;
  LaunchSignals &signals = context.launch.signals;
  bool clash = false;
  {
    std::lock_guard lock(signals.mutex);
    clash = signals.reserved.try_emplace(id, site).second && signals.syncAll;
  }
  if (clash)
    context.report(site, say::kReservedId(id));
}

void noteSyncAllRuns(Context &context) {
  LaunchSignals &signals = context.launch.signals;
  std::map<int64_t, SiteId> clashes;
  {
    std::lock_guard lock(signals.mutex);
    if (!std::exchange(signals.syncAll, true))
      clashes = signals.reserved;
  }
  for (const auto &[id, site] : clashes)
    context.report(site, say::kReservedId(id));
}

void needMessageArea(Context &context, SiteId site) {
  if (isA5(context) || context.launch.messageArea || std::exchange(context.signals.areaKnown, true))
    return;
  context.report(site, say::kAreaUnset());
}

void send(Context &context, SiteId site, Pipe pipe, SignalMode mode, int64_t id, bool automatic) {
  if (automatic)
    context.leave(context.orderAll(site));
  context.leave(setSignal(context.core, site, pipe, mode, id));
}
void await(Context &context, SiteId site, Pipe pipe, int64_t id, bool ofKind) {
  context.leave(waitSignal(context.core, site, pipe, id, ofKind));
}

/// Cores that a set of the cube core has to name one by one on A5.
unsigned vectorsOf(const Context &context) {
  const unsigned vectors = vectorCoresOf(context.core);
  return context.kind == CoreKind::AIC && vectors ? vectors : 1;
}

/// The signal of a library function, whose ids are in range: to the other kind of core.
void sendAcross(Context &context, SiteId site, Pipe pipe, int64_t id, bool automatic) {
  if (!isA5(context))
    return send(context, site, pipe, SignalMode::Cluster, id, automatic);
  for (unsigned i = 0; i < vectorsOf(context); ++i)
    send(context, site, pipe, SignalMode::Cluster, id + i * kIds, automatic);
}
void awaitAcross(Context &context, SiteId site, Pipe pipe, int64_t id) {
  for (unsigned i = 0; i < (isA5(context) ? vectorsOf(context) : 1); ++i)
    await(context, site, pipe, id + i * kIds, /*ofKind=*/false);
}
} // namespace

// --- signals ----------------------------------------------------------------------------

void setMessageArea(uint64_t, const Spelling &by) {
  Context &context = Context::here();
  siteOf(context, by);
  context.signals.areaKnown = true;
}

void signalByWord(uint32_t pipe, uint64_t config, bool automatic, const Spelling &by) {
  Context &context = Context::here();
  const SiteId site = siteOf(context, by).id;
  const uint64_t base = config & 15, mode = config >> 4 & 15;
  if (base != 1)
    return context.report(site, say::kSignalBase(config, base), /*fatal=*/true);
  if (mode > uint64_t(SignalMode::Cluster))
    return context.report(site, say::kSignalMode(config, mode), /*fatal=*/true);
  const int64_t id = config >> 8 > INT64_MAX ? INT64_MAX : int64_t(config >> 8);
  if (!namesId(context, site, id, kIds) || !namesPipe(context, site, pipe))
    return;
  if (isA5(context) && SignalMode(mode) != SignalMode::Kind)
    return context.report(site, say::kModeOfA3(mode, intraBlockLine("set", Pipe(pipe), id)), /*fatal=*/true);
  if (SignalMode(mode) == SignalMode::Vectors && context.kind == CoreKind::AIC)
    return context.report(site, say::kModeOfVectors(), /*fatal=*/true);
  needMessageArea(context, site);
  noteReserved(context, site, id);
  send(context, site, Pipe(pipe), SignalMode(mode), id, automatic);
}

void signalCluster(uint32_t pipe, int64_t id, bool automatic, const Spelling &by) {
  Context &context = Context::here();
  if (id >= 0 && id < kIds)
    return signalByWord(pipe, 1 | uint64_t(SignalMode::Cluster) << 4 | uint64_t(id) << 8, automatic, by);
  namesId(context, siteOf(context, by).id, id, kIds);
}

void waitDevice(uint32_t pipe, int64_t id, const Spelling &by) {
  Context &context = Context::here();
  const SiteId site = siteOf(context, by).id;
  if (!namesId(context, site, id, kIds) || !namesPipe(context, site, pipe))
    return;
  noteReserved(context, site, id);
  await(context, site, Pipe(pipe), id, isA5(context));
}

/// False: there is no such signal on this target, or from this core.
static bool intraBlock(Context &context, SiteId site, uint32_t pipe, int64_t id, const char *instead) {
  if (!isA5(context)) {
    context.report(site, say::kIntraBlockOfA5(profileOf(context.core).name, instead), /*fatal=*/true);
    return false;
  }
  return namesId(context, site, id, context.kind == CoreKind::AIV ? kIds : 2 * kIds) && namesPipe(context, site, pipe);
}

void setIntraBlock(uint32_t pipe, int64_t id, bool automatic, const Spelling &by) {
  Context &context = Context::here();
  const SiteId site = siteOf(context, by).id;
  if (!intraBlock(context, site, pipe, id, "ffts_cross_core_sync"))
    return;
  noteReserved(context, site, id);
  send(context, site, Pipe(pipe), SignalMode::Cluster, id, automatic);
}

void waitIntraBlock(uint32_t pipe, int64_t id, const Spelling &by) {
  Context &context = Context::here();
  const SiteId site = siteOf(context, by).id;
  if (!intraBlock(context, site, pipe, id, "wait_flag_dev"))
    return;
  noteReserved(context, site, id);
  await(context, site, Pipe(pipe), id, /*ofKind=*/false);
}

// --- barriers over the launch -------------------------------------------------------------

namespace {
constexpr uint32_t kVectorsOnly = 0, kCubesOnly = 1, kMix = 2; ///< pto::SyncCoreType
constexpr uint32_t kMachineCores[] = {PTO_SYNC_AIV_ONLY, PTO_SYNC_AIC_ONLY, PTO_SYNC_MIX};

/// What every form does first. False: this core passes, or the barrier cannot be met.
bool enterBarrier(Context &context, SiteId site, uint32_t cores, bool hard) {
  const CoreKind kind = context.kind;
  context.leave(ptosc_barrier(context.core, site, uint32_t(Pipe::All)));
  if (kind != CoreKind::Unified && cores != kMix && (kind == CoreKind::AIC) != (cores == kCubesOnly))
    return false;
  if (!isResident(context.core)) {
    context.report(site, say::kTooManyBlocks(context.core->blockNum), /*fatal=*/true);
    return false;
  }
  const bool alone = kind != CoreKind::Unified && !inCluster(context.core);
  if (alone && cores == kMix && hard) {
    context.report(site, say::kMixAlone(say::otherCoreText(kind)), /*fatal=*/true);
    return false;
  }
  if (alone && kind == CoreKind::AIC && hard && !isA5(context))
    context.report(site, say::kCubesAlone(profileOf(context.core).name));
  return true;
}
} // namespace

void syncAllHard(uint32_t cores, const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf("SYNCALL", source).id;
  if (!enterBarrier(context, site, cores, /*hard=*/true))
    return;
  noteSyncAllRuns(context);
  context.leave(ptosc_syncall(context.core, site, kMachineCores[cores % 3], 0));
}

void syncAllSoft(uint32_t cores, void *workspace, int64_t usedCores, int64_t cubeBlocks, int64_t vectorCores,
                 const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf("SYNCALL", source).id;
  if (!enterBarrier(context, site, cores, /*hard=*/false))
    return;
  auto *counter = reinterpret_cast<int32_t *>(hostOf(context.core, reinterpret_cast<uintptr_t>(workspace)));
  const GmObject *object = objectAt(context.core, reinterpret_cast<uintptr_t>(workspace));
  if (!counter || object->readOnly || reinterpret_cast<uintptr_t>(workspace) + 4 > object->base + object->bytes ||
      reinterpret_cast<uintptr_t>(workspace) % 4 != 0)
    return context.report(site, say::kSoftWorkspace(), /*fatal=*/true);
  const int64_t blocks = context.core->blockNum, vectors = vectorCoresOf(context.core);
  // How many there are of the kind, and how many the headers count without being told.
  const bool clusters = inCluster(context.core);
  int64_t present = blocks, counted = blocks;
  if (clusters && cores == kVectorsOnly)
    present = blocks * vectors;
  if (clusters && cores == kMix) {
    present = blocks * (1 + vectors);
    counted = (cubeBlocks ? cubeBlocks : blocks) * (1 + (vectorCores ? vectorCores : vectors));
  }
  const int64_t participants = usedCores > 0 ? usedCores : counted;
  if (participants > present)
    return context.report(site, say::kSoftTooMany(participants, present), /*fatal=*/true);
  LaunchSignals &signals = context.launch.signals;
  bool first = false;
  {
    std::lock_guard lock(signals.mutex);
    first = signals.workspaces.try_emplace(counter, true).second;
  }
  if (first && usedCores <= 0 && participants != present)
    context.report(site, say::kSoftCount(participants, present));
  if (first && (*counter < 0 || *counter % participants != 0))
    return context.report(site, say::kSoftNotZero(*counter, participants), /*fatal=*/true);
  context.leave(countedBarrier(context.core, site, counter, participants));
}

// --- handshakes of libraries -------------------------------------------------------------

int64_t agreeOnSlot(int64_t block, const Source &source) {
  constexpr int64_t kControl = 12;
  Context &context = Context::here();
  const SiteId site = context.siteOf("TSYNC_CVID", source).id;
  if (isA5(context) || !inCluster(context.core))
    return block;
  noteReserved(context, site, kControl);
  if (context.kind == CoreKind::AIC) {
    needMessageArea(context, site);
    send(context, site, Pipe::MTE2, SignalMode::Cluster, kControl, /*automatic=*/false);
  } else {
    await(context, site, Pipe::S, kControl, /*ofKind=*/false);
  }
  return block;
}

void handshake(Handshake step, HandshakePath path, int64_t id, bool automatic, const Source &source) {
  constexpr const char *kNames[] = {"TSync_Custom::record", "TSync_Custom::wait", "TSync_Custom::allocate",
                                    "TSync_Custom::free"};
  Context &context = Context::here();
  const SiteId site = context.siteOf(kNames[size_t(step)], source).id;
  if (!namesId(context, site, id, kIds - 1))
    return;
  const bool fromCube = path == HandshakePath::CubeByGm || path == HandshakePath::CubeToUb;
  const bool producer = step == Handshake::Record || step == Handshake::Allocate;
  const CoreKind wanted = producer == fromCube ? CoreKind::AIC : CoreKind::AIV;
  if (context.kind != CoreKind::Unified && context.kind != wanted)
    return context.report(site, say::kHandshakeCore(say::coreText(context.kind), say::coreText(wanted)),
                          /*fatal=*/true);
  const bool a5 = isA5(context);
  const Pipe produces = fromCube ? Pipe::FIX : Pipe::MTE3;
  const Pipe consumes = path == HandshakePath::CubeToUb     ? Pipe::V
                        : path == HandshakePath::VectorToL1 ? Pipe::MTE1
                                                            : Pipe::MTE2;
  switch (step) {
  case Handshake::Record:
    if (!a5)
      needMessageArea(context, site);
    noteReserved(context, site, id);
    return sendAcross(context, site, produces, id, automatic);
  case Handshake::Wait:
    return awaitAcross(context, site, a5 ? consumes : Pipe::S, id);
  case Handshake::Free:
    if (!a5)
      needMessageArea(context, site);
    noteReserved(context, site, id + 1);
    return sendAcross(context, site, !a5 ? Pipe::MTE2 : fromCube ? consumes : Pipe::MTE1, id + 1, automatic);
  case Handshake::Allocate:
    return awaitAcross(context, site, a5 ? produces : Pipe::S, id + 1);
  }
}

// --- events between cores ------------------------------------------------------------------

/// PIPE_FIX of the event table is the store pipe of a vector core (MIX-14).
static Pipe ownPipe(const Context &context, uint32_t pipe) {
  return context.kind == CoreKind::AIV && pipe == uint32_t(Pipe::FIX) ? Pipe::MTE3 : Pipe(pipe);
}

void setCrossEvent(uint32_t src, uint32_t dst, int64_t id, bool automatic, const Source &source) {
  Context &context = Context::here();
  if (context.kind == CoreKind::Unified)
    return src == dst || automatic ? void() : setFlag(src, dst, id, source);
  const SiteId site = context.siteOf("Event::Record", source).id;
  const Pipe pipe = ownPipe(context, src);
  if (!namesId(context, site, id, kIds) || !namesPipe(context, site, uint32_t(pipe)))
    return;
  needMessageArea(context, site);
  noteReserved(context, site, id);
  sendAcross(context, site, pipe, id, automatic);
}

void waitCrossEvent(uint32_t src, uint32_t dst, int64_t id, bool automatic, const Source &source) {
  Context &context = Context::here();
  if (context.kind == CoreKind::Unified)
    return automatic ? void() : src == dst ? barrier(dst, source) : waitFlag(src, dst, id, source);
  const SiteId site = context.siteOf("Event::Wait", source).id;
  const Pipe pipe = isA5(context) ? ownPipe(context, dst) : Pipe::S;
  if (!namesId(context, site, id, kIds) || !namesPipe(context, site, uint32_t(pipe)))
    return;
  awaitAcross(context, site, pipe, id);
}

void refuseCrossToken(const Source &source) {
  Context &context = Context::here();
  if (context.kind != CoreKind::Unified)
    context.report(context.siteOf("Event", source).id, say::kCrossToken(), /*fatal=*/true);
}

// --- identity ----------------------------------------------------------------------------------

int64_t subblockCountAt(const Source &source) {
  Context &context = Context::here();
  if (context.kind != CoreKind::AIC)
    return context.core->subblockNum;
  if (!std::exchange(context.signals.subblocksTold, true))
    context.report(context.siteOf("get_subblockdim", source).id, say::kCubeSubblocks());
  return 1;
}

} // namespace ptoscope::tile
