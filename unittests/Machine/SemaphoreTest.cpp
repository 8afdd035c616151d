//===- SemaphoreTest.cpp - signals between the cores of a cluster ---------===//
//
// Who raises whose counter, what stalls, and what is refused.
// Rules: SEM-1, SEM-2, SEM-3, SEM-4, SEM-6, SEM-7, SEM-8, SEM-10, SEM-12, SEM-13, SEM-14, S6.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

using namespace ptoscope;

namespace {
struct SemaphoreTest : ::testing::Test, Bench {
  Program nothing = [](Su &) {};
  uint32_t set = site("pto.sync.set", 10), wait = site("pto.sync.wait", 20);
};

/// Notes semaphore events as text.
struct Recorder : ObserverFactory {
  std::vector<std::string> events;
  struct One : Observer {
    std::vector<std::string> &events;
    explicit One(std::vector<std::string> &events) : events(events) {}
    static std::string head(const Instr &i) {
      return std::to_string(i.core.index) + std::string(nameOf(i.pipe)).substr(4);
    }
    void syncSet(const Instr &i, CoreId target, int64_t id, uint64_t k, uint8_t) override {
      events.push_back("set " + head(i) + " -> " + std::to_string(target.index) + "." + std::to_string(id) + " k" +
                       std::to_string(k));
    }
    void syncWait(const Instr &i, int64_t id, uint64_t k) override {
      events.push_back("wait " + head(i) + "." + std::to_string(id) + " k" + std::to_string(k));
    }
  };
  std::unique_ptr<Observer> beginBlock(int64_t, FindingList &) override { return std::make_unique<One>(events); }
  void endBlock(int64_t, std::unique_ptr<Observer>, FindingList &) override {}
};
using Events = std::vector<std::string>;
} // namespace

TEST_F(SemaphoreTest, TableOfA5) {
  Recorder recorder;
  options.observers = &recorder;
  // The cube core names AIV1's semaphores with an offset of 16, not 15.
  LaunchResult r = runMixed(
      [&](Su &su) {
        su.syncSet(Pipe::FIX, 1);
        su.syncSet(Pipe::FIX, 17);
        su.syncWait(Pipe::MTE1, 2);
        su.syncWait(Pipe::MTE2, 18);
      },
      [&](Su &su) {
        su.syncWait(Pipe::V, 1);
        su.syncSet(Pipe::MTE3, 2);
      });
  EXPECT_EQ(codesOf(r), "") << textOf(r);
  EXPECT_EQ(r.stats.flags, 8u);
  EXPECT_EQ(recorder.events,
            (Events{"set 0_FIX -> 1.1 k1", "set 0_FIX -> 2.1 k1", "wait 1_V.1 k1", "set 1_MTE3 -> 0.2 k1",
                    "wait 2_V.1 k1", "set 2_MTE3 -> 0.18 k1", "wait 0_MTE1.2 k1", "wait 0_MTE2.18 k1"}));
}

TEST_F(SemaphoreTest, OnlyTheNamedPipeStalls) {
  uint64_t x = pattern(64);
  std::vector<std::string> order;
  Scope first = [&](PtoContext *) { order.push_back("V"); };
  runMixed(
      [&](Su &su) {
        su.syncWait(Pipe::S, 5); // AIV0 has issued everything by then
        order.push_back("set");
        su.syncSet(Pipe::FIX, 0);
      },
      [&](Su &su) {
        if (su.context->subblockIdx)
          return;
        su.syncWait(Pipe::V, 0);
        su.scope(first);
        su.load({.src = x, .len = 64});
        order.push_back(su.context->local[size_t(Space::Ub)][1] == buffers[0][1] ? "loaded" : "late");
        su.syncSet(Pipe::MTE3, 5);
      });
  EXPECT_EQ(order, (Events{"loaded", "set", "V"}));
}

TEST_F(SemaphoreTest, CountersAndLeftovers) {
  // 15 sets before any wait are legal, and so is what is left at the end.
  LaunchResult r = runMixed(
      [&](Su &su) {
        for (int i = 0; i < 15; ++i) {
          su.at(set).syncSet(Pipe::FIX, 3);
          su.at(set).syncSet(Pipe::FIX, 19);
        }
      },
      [&](Su &su) {
        for (int i = 0; i < 14; ++i)
          su.at(wait).syncWait(Pipe::V, 3);
      });
  EXPECT_EQ(codesOf(r), "") << textOf(r);
}

TEST_F(SemaphoreTest, IdRanges) {
  auto cube = [&](int64_t id, bool sets) {
    return codesOf(
        runMixed([&](Su &su) { sets ? su.at(set).syncSet(Pipe::FIX, id) : su.at(wait).syncWait(Pipe::FIX, id); },
                 [&](Su &su) { su.syncSet(Pipe::MTE3, 15); }));
  };
  auto vector = [&](int64_t id, bool sets) {
    return codesOf(
        runMixed([&](Su &su) { su.syncSet(Pipe::FIX, 15), su.syncSet(Pipe::FIX, 31); },
                 [&](Su &su) { sets ? su.at(set).syncSet(Pipe::MTE3, id) : su.at(wait).syncWait(Pipe::V, id); }));
  };
  EXPECT_EQ(cube(31, true), "");
  EXPECT_EQ(cube(31, false), "");
  EXPECT_EQ(cube(32, true), "semaphore-id-range");
  EXPECT_EQ(cube(32, false), "semaphore-id-range");
  EXPECT_EQ(cube(-1, true), "semaphore-id-range");
  EXPECT_EQ(vector(15, true), "");
  EXPECT_EQ(vector(15, false), "");
  EXPECT_EQ(vector(31, false), "undefined-by-manual"); // 15 (SEM-19)
  EXPECT_EQ(vector(32, true), "semaphore-id-range");
  EXPECT_EQ(vector(32, false), "semaphore-id-range");
  EXPECT_EQ(vector(INT64_MIN, false), "semaphore-id-range");
}

TEST_F(SemaphoreTest, FormsWithoutAPipe) {
  uint64_t x = pattern(64), out = buffer(64);
  for (unsigned i = 0; i < 12; ++i) {
    options.schedule = schedule(i);
    std::fill(buffers[1].begin(), buffers[1].end(), uint8_t(0));
    LaunchResult r = runMixed(
        [&](Su &su) {
          su.transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .len = 64});
          su.set(Pipe::MTE2, Pipe::MTE1);
          su.wait(Pipe::MTE2, Pipe::MTE1);
          su.transfer(Space::L1, Space::Ub, Pipe::MTE1, {.len = 64});
          su.syncSet(Pipe::All, 0); // drains MTE2 and MTE1
        },
        [&](Su &su) {
          if (su.context->subblockIdx)
            return;
          su.syncWait(Pipe::All, 0); // the scalar unit waits: what it issues later comes later
          su.store({.dst = out, .len = 64});
        });
    EXPECT_EQ(codesOf(r), "") << textOf(r);
    EXPECT_EQ(buffers[1], buffers[0]) << i;
  }
}

TEST_F(SemaphoreTest, BroadcastAndReduceOfA3) {
  options.profile = findProfile("a3");
  Recorder recorder;
  options.observers = &recorder;
  LaunchResult r = runMixed(
      [&](Su &su) {
        su.crossSet(4);
        su.waitDev(7); // one of AIV0 and one of AIV1
      },
      [&](Su &su) {
        su.waitDev(4);
        su.crossSet(7);
      });
  EXPECT_EQ(codesOf(r), "") << textOf(r);
  EXPECT_EQ(recorder.events, (Events{"set 0_S -> 1.4 k1", "set 0_S -> 2.4 k1", "wait 1_S.4 k1", "set 1_S -> 0.7 k1",
                                     "wait 2_S.4 k1", "set 2_S -> 0.7 k1", "wait 0_S.7 k1"}));
  // Two sets of one vector core are not one of each.
  options.observers = nullptr;
  r = runMixed([&](Su &su) { su.at(wait).waitDev(7); },
               [&](Su &su) {
                 if (su.context->subblockIdx == 0) {
                   su.crossSet(7);
                   su.crossSet(7);
                 }
               });
  EXPECT_EQ(codesOf(r), "deadlock") << textOf(r);
  EXPECT_NE(textOf(r).find("AIV1 never sets it"), std::string::npos) << textOf(r);
  EXPECT_EQ(codesOf(runMixed([&](Su &su) { su.crossSet(16); }, nothing)), "semaphore-id-range");
  EXPECT_EQ(codesOf(runMixed([&](Su &su) { su.waitDev(-1); }, nothing)), "semaphore-id-range");
}

TEST_F(SemaphoreTest, QueuedWorkGoesOnDuringAnSuStall) {
  options.profile = findProfile("a3");
  uint64_t x = pattern(64), out = buffer(64);
  // The AIV's transfers are queued before its scalar unit stalls, and the cube
  // core waits for what they bring.
  LaunchResult r = runMixed(
      [&](Su &su) {
        su.waitDev(1);
        EXPECT_EQ(buffers[1], buffers[0]);
        su.crossSet(2);
      },
      [&](Su &su) {
        if (su.context->subblockIdx == 0) {
          su.load({.src = x, .len = 64});
          su.set(Pipe::MTE2, Pipe::MTE3);
          su.wait(Pipe::MTE2, Pipe::MTE3);
          su.store({.dst = out, .len = 64});
          su.syncSet(Pipe::MTE3, 1);
        } else {
          su.syncSet(Pipe::MTE3, 1);
        }
        su.waitDev(2);
      });
  EXPECT_EQ(codesOf(r), "") << textOf(r);
}

TEST_F(SemaphoreTest, RefusedForms) {
  EXPECT_EQ(codesOf(runMixed([&](Su &su) { su.crossSet(0); }, nothing)), "not-modelled");
  EXPECT_EQ(codesOf(runMixed(nothing, [&](Su &su) { su.waitDev(0); })), "not-modelled");
  EXPECT_EQ(codesOf(runMixed([&](Su &su) { su.syncSet(Pipe::V, 0); }, nothing)), "internal-error");
  EXPECT_EQ(codesOf(runMixed([&](Su &su) { su.syncWait(Pipe(12), 0); }, nothing)), "internal-error");
  EXPECT_EQ(codesOf(runMixed(
                [&](Su &su) {
                  su.syncSet(Pipe::FIX, 0);
                  su.syncSet(Pipe::MTE1, 0);
                },
                nothing)),
            "not-modelled");
  // A core alone: no one answers.
  LaunchResult r = run([&](Su &su) { su.at(wait).syncWait(Pipe::V, 0); });
  EXPECT_EQ(codesOf(r), "deadlock");
  EXPECT_NE(textOf(r).find("this core runs alone"), std::string::npos) << textOf(r);
  EXPECT_EQ(codesOf(run([&](Su &su) { su.syncSet(Pipe::MTE3, 0); })), "");
}

TEST_F(SemaphoreTest, PingPongOfManyTurns) {
  // A pipeline of 1000 tiles with a semaphore each way, under every schedule.
  uint64_t x = pattern(64), out = buffer(64 * 2);
  for (unsigned i = 0; i < 6; ++i) {
    options.schedule = schedule(i);
    LaunchResult r = runMixed(
        [&](Su &su) {
          su.transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .len = 64});
          su.set(Pipe::MTE2, Pipe::MTE1);
          su.wait(Pipe::MTE2, Pipe::MTE1);
          for (int n = 0; n < 1000; ++n)
            for (int64_t k = 0; k < 2; ++k) {
              if (n)
                su.syncWait(Pipe::MTE1, 4 + 16 * k);
              su.transfer(Space::L1, Space::Ub, Pipe::MTE1, {.len = 64, .dstSubblock = k});
              su.set(Pipe::MTE1, Pipe::FIX, k);
              su.wait(Pipe::MTE1, Pipe::FIX, k);
              su.syncSet(Pipe::FIX, 16 * k);
            }
        },
        [&](Su &su) {
          for (int n = 0; n < 1000; ++n) {
            su.syncWait(Pipe::MTE3, 0);
            su.store({.dst = out + 64 * uint64_t(su.context->subblockIdx), .len = 64});
            su.barrier(Pipe::MTE3);
            su.syncSet(Pipe::MTE3, 4);
          }
        });
    ASSERT_EQ(codesOf(r), "") << i << textOf(r);
    EXPECT_TRUE(std::equal(buffers[0].begin(), buffers[0].end(), buffers[1].begin()));
    EXPECT_TRUE(std::equal(buffers[0].begin(), buffers[0].end(), buffers[1].begin() + 64));
  }
}

TEST_F(SemaphoreTest, LookAheadDoesNotDecideTheVerdict) {
  // The cube core queues far more than the cap before anybody answers.
  for (unsigned i = 0; i < 4; ++i) {
    options.schedule = schedule(i);
    LaunchResult r = runMixed(
        [&](Su &su) {
          su.syncWait(Pipe::FIX, 0);
          for (int n = 0; n < 20000; ++n)
            su.barrier(Pipe::FIX);
          su.syncSet(Pipe::All, 0);
        },
        [&](Su &su) {
          if (su.context->subblockIdx)
            return;
          su.syncSet(Pipe::MTE3, 0);
          su.syncWait(Pipe::S, 0);
        });
    EXPECT_EQ(codesOf(r), "") << textOf(r);
  }
}
