//===- SyncBench.cpp - synchronising instructions a second ----------------===//
//
// Native is the least a program on threads of its own would do for the same
// hand-over: a store with release order, a load with acquire order.
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
    std::vector<double> off, on, native;
    bool runs = true;
    for (int round = 0; round < kRounds && runs; ++round) {
      off.push_back(timedAlone([&] { runs &= plain.run(arguments); }));
      native.push_back(timedAlone([&] { native::handOver(kInstructions); }));
      on.push_back(timedAlone([&] { runs &= checked.run(arguments); }));
    }
    if (!runs) {
      std::printf("synchronisation, %s: does not run\n", loop.name);
      return false;
    }
    double millions = double(kInstructions) * 1e-6;
    std::printf("  %-8s native atomics %.1f million a second\n", loop.name, millions / median(native));
    ok &= figureAtLeast("synchronisation, " + std::string(loop.name) + ", checks off", millions / median(off),
                        30, "M/s");
    ok &= figureAtLeast("synchronisation, " + std::string(loop.name) + ", checks on", millions / median(on),
                        8, "M/s");
  }
  return ok;
}
