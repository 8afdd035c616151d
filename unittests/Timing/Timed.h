//===- Timed.h - programs of the Machine, timed -----------------*- C++ -*-===//

#ifndef PTOSCOPE_UNITTESTS_TIMING_TIMED_H
#define PTOSCOPE_UNITTESTS_TIMING_TIMED_H

#include "../Machine/Bench.h"
#include "ptoscope/Machine/Direct.h"
#include "ptoscope/Machine/Queue.h"
#include "ptoscope/Timing/Timer.h"

#include <gtest/gtest.h>

namespace ptoscope::timing {

/// Keeps everything it is told.
struct Kept : TimelineSink {
  std::vector<Slice> slices;
  std::vector<Arrow> arrows;
  void slice(const Slice &slice) override { slices.push_back(slice); }
  void arrow(const Arrow &arrow) override { arrows.push_back(arrow); }
  /// Of one pipe, in their order.
  std::vector<Slice> of(Pipe pipe, int64_t block = 0, uint8_t core = 1) const {
    std::vector<Slice> own;
    for (const Slice &slice : slices)
      if (slice.track.pipe == pipe && slice.track.block == block && slice.track.core.index == core)
        own.push_back(slice);
    return own;
  }
};

/// A model whose figures a test sets: of the file as built in, what costs beside the
/// instructions themselves is 0.
inline Model plainModel(ProfileId profile = ProfileId::A5) {
  Model model = Model::of(profile);
  for (const char *key : {"sync.flag.latency", "sync.barrier.latency", "sync.semaphore.latency", "sync.all.latency",
                          "sync.signal.latency", "launch.block", "scalar.issue", "sync.op", "gm.shared", "cube.wait"})
    model.set(key, 0);
  return model;
}

/// A bench whose launches are timed.
struct TimedBench : Bench {
  TimedBench() { options.checks = Checks::none(); }

  struct Run {
    LaunchTime time;
    Kept kept;
    LaunchResult result;
    std::unique_ptr<Timer> timer;
    std::unique_ptr<KernelImage> image;
  };
  Run timed(const Program &program, const Model &model, ObserverFactory *next = nullptr) {
    return finish(
        model, next, [&](KernelImage &image) { image.aiv = [](PtoContext *, const uint64_t *) { return 0; }; },
        [&] { return run(program); });
  }
  Run timedCube(const Program &program, const Model &model) {
    return finish(
        model, nullptr, [&](KernelImage &image) { image.aic = [](PtoContext *, const uint64_t *) { return 0; }; },
        [&] { return run(program, true); });
  }
  Run timedMixed(const Program &cube, const Program &vector, const Model &model) {
    return finish(
        model, nullptr, [&](KernelImage &image) { image = mixedImage(); }, [&] { return runMixed(cube, vector); });
  }

private:
  template <typename Make, typename Fn> Run finish(const Model &model, ObserverFactory *next, Make make, Fn fn) {
    Run run;
    run.image = std::make_unique<KernelImage>();
    make(*run.image);
    run.image->sites = &sites;
    run.image->needsAllBlocks = needsAllBlocks;
    run.timer = makeTimer(*run.image, *options.profile, model, options, next);
    options.observers = run.timer.get();
    run.result = fn();
    options.observers = nullptr;
    run.time = run.timer->solve(model, &run.kept);
    return run;
  }
};

/// What a transfer costs alone.
inline Cost costOf(const Model &model, Space from, Space to, uint64_t bytes, uint32_t bursts = 1) {
  Work work;
  work.kind = Work::Kind::Transfer;
  work.from = from;
  work.to = to;
  work.bytes = bytes;
  work.bursts = bursts;
  work.transfers = 1;
  return model.costOf(work);
}

} // namespace ptoscope::timing

#endif // PTOSCOPE_UNITTESTS_TIMING_TIMED_H
