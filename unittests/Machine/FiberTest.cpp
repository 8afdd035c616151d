//===- FiberTest.cpp - stacks that take turns -----------------------------===//

#include "Group/Fiber.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace ptoscope;

namespace {
struct Counter {
  Fiber fiber;
  std::vector<int> *log = nullptr;
  int name = 0;
  int steps = 0;
  static void run(void *argument) {
    auto &self = *static_cast<Counter *>(argument);
    volatile uint8_t big[64 << 10]; // a deep stack survives switches
    for (int i = 0; i < self.steps; ++i) {
      big[size_t(i) * 1000 % sizeof(big)] = uint8_t(i);
      self.log->push_back(self.name * 100 + i);
      self.fiber.suspend();
    }
  }
};
} // namespace

TEST(Fiber, TakeTurnsAndEnd) {
  std::vector<int> log;
  std::vector<std::unique_ptr<Counter>> fibers;
  for (int i = 0; i < 3; ++i) {
    fibers.push_back(std::make_unique<Counter>());
    fibers[size_t(i)]->log = &log;
    fibers[size_t(i)]->name = i;
    fibers[size_t(i)]->steps = i + 1;
    ASSERT_TRUE(fibers[size_t(i)]->fiber.prepare(&Counter::run, fibers[size_t(i)].get()));
  }
  bool any = true;
  while (any) {
    any = false;
    for (auto &counter : fibers)
      if (counter->fiber.running()) {
        counter->fiber.resume();
        any = true;
      }
  }
  EXPECT_EQ(log, (std::vector<int>{0, 100, 200, 101, 201, 202}));
  // A stack is used again.
  log.clear();
  ASSERT_TRUE(fibers[0]->fiber.prepare(&Counter::run, fibers[0].get()));
  fibers[0]->fiber.resume();
  fibers[0]->fiber.resume();
  EXPECT_FALSE(fibers[0]->fiber.running());
  EXPECT_EQ(log, std::vector<int>{0});
}

TEST(Fiber, ManySwitches) {
  struct Spin {
    Fiber fiber;
    uint64_t turns = 0;
    static void run(void *argument) {
      auto &self = *static_cast<Spin *>(argument);
      while (++self.turns < 100000)
        self.fiber.suspend();
    }
  } spin;
  ASSERT_TRUE(spin.fiber.prepare(&Spin::run, &spin));
  while (spin.fiber.running())
    spin.fiber.resume();
  EXPECT_EQ(spin.turns, 100000u);
}
