//===- CoreFigures.h - figures that no single instruction has ---*- C++ -*-===//
//
// What the solver takes from a Model besides the costs of instructions, looked up
// once.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_COREFIGURES_H
#define PTOSCOPE_LIB_TIMING_COREFIGURES_H

#include "ptoscope/Timing/Model.h"

namespace ptoscope::timing {

struct CoreFigures {
  explicit CoreFigures(const Model &model)
      : clockMHz(model["clock.mhz"]), issue(model["scalar.issue"]), queueDepth(model["queue.depth"]),
        flagLatency(model["sync.flag.latency"]), barrierLatency(model["sync.barrier.latency"]),
        semaphoreLatency(model["sync.semaphore.latency"]), allCoresLatency(model["sync.all.latency"]),
        signalLatency(model["sync.signal.latency"]), scalarGm(model["scalar.gm"]), scalarLocal(model["scalar.local"]),
        launch(model["launch.start"]), dispatch(model["launch.block"]), hbmRate(model["gm.hbm.rate"]),
        l2Rate(model["gm.l2.rate"]), l2Bytes(model["gm.l2.bytes"]) {}

  double clockMHz;         ///< of the core
  double issue;            ///< cycles between two instructions that the scalar unit issues
  double queueDepth;       ///< instructions that a pipe's queue holds, at least 1
  double flagLatency;      ///< end of a set or release until the other pipe goes on
  double barrierLatency;   ///< last end until what stands behind a barrier starts
  double semaphoreLatency; ///< a set until the wait of another core of the cluster passes
  double allCoresLatency;  ///< last arrival at an all-core barrier until the cores leave
  double signalLatency;    ///< a signal until the wait of another block or device passes
  double scalarGm;         ///< a scalar access to GM
  double scalarLocal;      ///< a scalar access to a memory of the core
  double launch;           ///< of a launch, before its first block and after its last
  double dispatch;         ///< between two blocks on one core
  double hbmRate, l2Rate;  ///< bytes per cycle of the core's clock, all cores together
  double l2Bytes;          ///< capacity of the L2 cache
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_COREFIGURES_H
