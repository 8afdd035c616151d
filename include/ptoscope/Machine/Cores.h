//===- Cores.h - which core runs, and signals between cores -----*- C++ -*-===//
//
// What a layer above may ask about the core that runs its program, and how its
// program meets those of other cores. Clusters: MIX-10 to MIX-16; signals: XSYNC-1
// and following.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_CORES_H
#define PTOSCOPE_MACHINE_CORES_H

#include "ptoscope/Machine/Launch.h"

namespace ptoscope {

CoreKind kindOf(const PtoContext *core);
CoreId idOf(const PtoContext *core);
/// The block is a cluster, not a core.
bool inCluster(const PtoContext *core);
/// Vector cores of the cluster; 0 of a core outside clusters.
unsigned vectorCoresOf(const PtoContext *core);
/// By MIX-12, which gives cube cores of a5 no MTE3; that of text (IRSTORE-1) is not meant.
bool hasPipe(const PtoContext *core, Pipe pipe);
/// Does the core have a memory of its own of this kind (MIX-12)? A core with all pipes
/// has all.
bool ownsMemory(const PtoContext *core, Space space);

/// Whom a signal joins (XSYNC-4). The numbers are those of its config word.
enum class SignalMode : uint8_t {
  Kind = 0,    ///< all cores of the sender's kind, of all blocks
  Vectors = 1, ///< the vector cores of a cluster
  Cluster = 2, ///< cube core and vector cores of a cluster; on A5 by semaphores
  Message = 3, ///< on A5: the same as on A2 and A3, in the counters of messages
};

/// A signal that stands in the queue of `pipe`; on PIPE_S the scalar unit sends it at
/// once, whatever is queued. Nonzero: stop.
int32_t setSignal(PtoContext *core, SiteId site, Pipe pipe, SignalMode mode, int64_t id);
/// Waits for a flag of this core. On A2 and A3 the scalar unit stops; on A5 only
/// `pipe`, and flags that a whole kind of cores raises are apart from the others: `ofKind`.
int32_t waitSignal(PtoContext *core, SiteId site, Pipe pipe, int64_t id, bool ofKind);

/// A barrier that counts arrivals in a word of global memory (XSYNC-21): the pipes are
/// drained, `counter` is raised by 1, and the core waits until as many have arrived as make
/// up its round of `participants`.
int32_t countedBarrier(PtoContext *core, SiteId site, int32_t *counter, int64_t participants);

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_CORES_H
