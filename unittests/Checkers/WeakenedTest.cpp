//===- WeakenedTest.cpp - weak checkers of queues, signals and engines ----===//
//
// What random programs do not have: signals of tile queues, flags of all cores of a kind,
// words that blocks meet by, and transfers of engines. Each has a legal program and a
// broken one. The checker says so; one that misses such an order stays silent about the
// broken program, one that does not know it reports the legal one. So these programs would
// bring such a mistake to light.
//
//===----------------------------------------------------------------------===//

#include "../EndToEnd/Weakened.h"
#include "../Machine/Bench.h"
#include "ptoscope/Machine/Cores.h"
#include "ptoscope/Machine/Queue.h"
#include "ptoscope/Machine/Signals.h"

#include <optional>

using namespace ptoscope;
using ptoscope::randomprogram::Weakness, ptoscope::randomprogram::WeakenedFactory;

namespace {

struct Weakened : ::testing::Test, Bench {
  static constexpr int64_t kBytes = 64;
  uint64_t x = pattern(16 * kBytes), y = buffer(16 * kBytes), words = buffer(64);
  bool signals = false; ///< blocks meet by words
  using Launch = std::function<LaunchResult(bool broken)>;

  bool races(const Launch &program, bool broken, std::optional<Weakness> weakness) {
    std::fill(buffers[2].begin(), buffers[2].end(), uint8_t(0));
    std::unique_ptr<CheckerFactory> checkers =
        signals ? makeSignalCheckers(sites, *options.profile, options.checks, options.blocks, 1)
                : makeCheckers(sites, gm, *options.profile, options.checks);
    std::optional<WeakenedFactory> weakened;
    options.observers = checkers.get();
    if (weakness)
      options.observers = &weakened.emplace(*checkers, *weakness);
    options.signals = signals;
    LaunchResult result = program(broken);
    EXPECT_TRUE(result.completed) << textOf(result);
    for (const Finding &finding : result.findings.all())
      if (finding.code.starts_with("race-"))
        return true;
    return false;
  }

  void expectCaught(const Launch &program, Weakness misses, Weakness invents) {
    for (unsigned i = 0; i < 6; ++i) {
      options.schedule = schedule(i);
      EXPECT_FALSE(races(program, false, std::nullopt)) << i;
      EXPECT_TRUE(races(program, true, std::nullopt)) << i;
    }
    // Weaknesses take effect in the order of issue, which the eager schedule follows.
    options.schedule = schedule(0);
    EXPECT_FALSE(races(program, true, misses));
    EXPECT_TRUE(races(program, false, invents));
  }
};

void flag(Su &su, Pipe src, Pipe dst) {
  su.set(src, dst);
  su.wait(src, dst);
}

TEST_F(Weakened, Queues) { // FIFO-20
  QueueShape shape;
  shape.toVector = true;
  shape.slots = shape.ahead = 2;
  shape.slotBytes = kBytes;
  constexpr int kTurns = 2; // as many as entries: nothing waits for space, and all takes effect in the order of issue
  expectCaught(
      [&](bool broken) {
        Program cube = [&](Su &su) { // broken: speaks for another pipe than the one that fills the entry
          su.issue([&] { return openQueue(su.context, su.site, shape); });
          const uint8_t peers = queuePeers(su.context, false), data = shape.dataId(true);
          for (int turn = 0; turn < kTurns; ++turn) {
            su.transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .len = kBytes});
            flag(su, Pipe::MTE2, Pipe::MTE1);
            su.issue([&] { return awaitSpace(su.context, su.site, Pipe::MTE1, uint8_t(data + 1), peers); });
            for (int64_t k = 0; k < 2; ++k)
              su.transfer(Space::L1, Space::Ub, Pipe::MTE1,
                          {.dst = uint64_t(turn % 2 * kBytes), .len = kBytes, .dstSubblock = k});
            flag(su, Pipe::MTE1, Pipe::MTE2);
            su.issue([&] { return signalQueue(su.context, su.site, broken ? Pipe::FIX : Pipe::MTE1, data, peers); });
          }
        };
        Program vector = [&](Su &su) {
          su.issue([&] { return openQueue(su.context, su.site, shape); });
          const uint8_t peers = queuePeers(su.context, false), data = shape.dataId(true);
          for (int turn = 0; turn < kTurns; ++turn) {
            su.issue([&] { return awaitData(su.context, su.site, Pipe::MTE3, data, peers); });
            su.store({.src = uint64_t(turn % 2 * kBytes),
                      .dst = y + uint64_t(su.context->subblockIdx * kBytes),
                      .len = kBytes});
            su.barrier(Pipe::MTE3);
            su.issue([&] { return freeQueue(su.context, su.site, Pipe::MTE3, uint8_t(data + 1), peers); });
          }
        };
        return runMixed(cube, vector);
      },
      Weakness::QueuesDrain, Weakness::NoQueues);
}

TEST_F(Weakened, FlagsOfAllCores) { // XSYNC-8
  needsAllBlocks = true;
  options.blocks = 2;
  expectCaught(
      [&](bool broken) {
        Program nothing = [](Su &) {};
        Program vector = [&](Su &su) { // broken: speaks for the loads, not for the store
          const int64_t own = su.context->blockIdx * 2 + su.context->subblockIdx, other = (own + 2) % 4;
          su.load({.src = x, .len = kBytes});
          flag(su, Pipe::MTE2, Pipe::MTE3);
          su.store({.dst = y + uint64_t(own * kBytes), .len = kBytes});
          su.issue(
              [&] { return setSignal(su.context, su.site, broken ? Pipe::MTE2 : Pipe::MTE3, SignalMode::Kind, 0); });
          su.issue([&] { return waitSignal(su.context, su.site, Pipe::MTE2, 0, /*ofKind=*/true); });
          su.load({.src = y + uint64_t(other * kBytes), .dst = 1024, .len = kBytes});
        };
        return runMixed(nothing, vector);
      },
      Weakness::LaunchDrain, Weakness::NoLaunchFlags);
}

TEST_F(Weakened, Words) { // COMM-22, COMM-25
  needsAllBlocks = signals = true;
  options.blocks = 2;
  expectCaught(
      [&](bool broken) {
        return run([&](Su &su) { // broken: the word may overtake the store
          SignalWords word;
          word.base = words;
          if (su.context->blockIdx == 1) {
            su.issue([&] { return waitSignals(su.context, su.site, word, 1, SignalCompare::EQ); });
            return su.load({.src = y, .len = kBytes});
          }
          su.load({.src = x, .len = kBytes});
          flag(su, Pipe::MTE2, Pipe::MTE3);
          su.store({.dst = y, .len = kBytes});
          if (!broken)
            su.barrier(Pipe::All);
          su.issue([&] { return notifySignal(su.context, su.site, words, 1, /*add=*/false); });
        });
      },
      Weakness::SignalsDrain, Weakness::NoSignals);
}

TEST_F(Weakened, Engines) { // COMM-51
  needsAllBlocks = signals = true;
  options.blocks = 2;
  expectCaught(
      [&](bool broken) {
        return run([&](Su &su) { // broken: tells before it knows that the transfer has ended
          SignalWords word;
          word.base = words;
          if (su.context->blockIdx == 1) {
            su.issue([&] { return waitSignals(su.context, su.site, word, 1, SignalCompare::EQ); });
            return su.load({.src = y, .len = kBytes});
          }
          EngineTransfer transfer{1, 1, Box{x, kBytes, {}}, Box{y, kBytes, {}}};
          bool started = false;
          su.issue([&] { return startEngine(su.context, su.site, transfer, started); });
          EXPECT_TRUE(started);
          if (!broken)
            su.issue([&] { return finishEngine(su.context, su.site, 1, 1); });
          su.issue([&] { return notifySignal(su.context, su.site, words, 1, /*add=*/false); });
        });
      },
      Weakness::EnginesUnseen, Weakness::NoEngineEnds);
}

} // namespace
