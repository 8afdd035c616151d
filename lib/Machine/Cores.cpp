//===- Cores.cpp - which core runs ----------------------------------------===//

#include "ptoscope/Machine/Cores.h"

#include "Core.h"

namespace ptoscope {

CoreKind kindOf(const PtoContext *core) { return coreOf(core).kind; }
CoreId idOf(const PtoContext *core) { return coreOf(core).id; }
bool inCluster(const PtoContext *core) { return coreOf(core).setup.mixed; }
unsigned vectorCoresOf(const PtoContext *core) {
  const BlockSetup &setup = coreOf(core).setup;
  return setup.mixed ? setup.vectorCores : 0;
}
bool hasPipe(const PtoContext *core, Pipe pipe) {
  const bool storesMat = pipe == Pipe::MTE3 && coreOf(core).kind == CoreKind::AIC;
  return coreOf(core).pipes.has(pipe) && !(storesMat && profileOf(core).pipeSemaphores);
}
bool ownsMemory(const PtoContext *core, Space space) {
  CoreKind kind = coreOf(core).kind;
  return kind == CoreKind::Unified || (space == Space::Ub) == (kind == CoreKind::AIV);
}

int32_t setSignal(PtoContext *core, SiteId site, Pipe pipe, SignalMode mode, int64_t id) {
  return coreOf(core).signal(site, pipe, mode, id);
}
int32_t waitSignal(PtoContext *core, SiteId site, Pipe pipe, int64_t id, bool ofKind) {
  return coreOf(core).waitSignal(site, pipe, id, ofKind);
}
int32_t countedBarrier(PtoContext *core, SiteId site, int32_t *counter, int64_t participants) {
  return coreOf(core).countedBarrier(site, counter, participants);
}

} // namespace ptoscope
