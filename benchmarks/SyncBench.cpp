//===- SyncBench.cpp - what a synchronising instruction costs -------------===//
//
// Beside the least that any interpreter does for as many instructions. What a
// program on threads of its own would do for the same hand-over is printed: a
// store with release order, a load with acquire order.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "Native.h"

using namespace ptoscope;

bool bench::sync() {
  struct Loop {
    const char *name;
    uint64_t instructions; ///< that a turn issues
  };
  constexpr Loop kLoops[] = {{"flags", 8}, {"buffers", 6}, {"barriers", 4}, {"mix", 12}};
  constexpr uint64_t kInstructions = 6'000'000; // divisible by all of the above
  constexpr int kRounds = 9;
  Session session;
  bool ok = true;
  std::printf("synchronising instructions, one thread (median of %d rounds of %.0f million)\n", kRounds,
              double(kInstructions) * 1e-6);
  for (const Loop &loop : kLoops) {
    Kernel plain(session, "benchmarks/sync.pto", loop.name, Checks::none());
    Kernel checked(session, "benchmarks/sync.pto", loop.name, Checks());
    std::vector<Argument> arguments = {kInstructions / loop.instructions};
    std::vector<double> off, on, native, least;
    bool runs = true;
    for (int round = 0; round < kRounds && runs; ++round) {
      off.push_back(timedAlone([&] { runs &= plain.run(arguments); }));
      native.push_back(timedAlone([&] { native::handOver(kInstructions); }));
      least.push_back(timedAlone([&] { keep(native::dispatch(kInstructions)); }));
      on.push_back(timedAlone([&] { runs &= checked.run(arguments); }));
    }
    if (!runs) {
      std::printf("synchronisation, %s: does not run\n", loop.name);
      return false;
    }
    double millions = double(kInstructions) * 1e-6;
    std::printf("  %-8s native atomics %.1f million a second, dispatch alone %.1f\n", loop.name,
                millions / median(native), millions / median(least));
    const std::string what = "synchronisation, " + std::string(loop.name);
    report(what + ", checks off", millions / median(off), "M/s");
    report(what + ", checks on", millions / median(on), "M/s");
    ok &= figure(what + ", checks off / dispatch alone", median(off) / median(least), 5);
    ok &= figure(what + ", checks on / dispatch alone", median(on) / median(least), 22);
  }
  return ok;
}
