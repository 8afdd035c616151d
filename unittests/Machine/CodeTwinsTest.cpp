//===- CodeTwinsTest.cpp - codes that no program text can show ------------===//
//
// Each code with its repaired twin; test/Checkers/codes.txt names them.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <atomic>

using namespace ptoscope;

namespace {

class CodeTwins : public Bench, public ::testing::Test {
protected:
  std::string written(bool readOnly) {
    uint64_t x = buffer(8, readOnly);
    return codesOf(run([&](Su &su) { su.storeScalar(Space::Gm, x, 7); }));
  }
  std::string interrupted(bool yes) {
    std::atomic<bool> interrupt = yes;
    options.interrupt = &interrupt;
    return codesOf(run([&](Su &su) { su.barrier(Pipe::All); }));
  }
  /// A set behind all the waits, or one after each.
  std::string queued(bool setsAlong) {
    options.checks = Checks::none();
    return codesOf(run([&](Su &su) {
      for (uint64_t i = 0; !su.stop && i < (uint64_t(2) << 20); ++i) {
        su.wait(Pipe::MTE2, Pipe::V);
        if (setsAlong)
          su.set(Pipe::MTE2, Pipe::V);
      }
    }));
  }
  std::string barrierOf(Pipe pipe) {
    return codesOf(run([&](Su &su) { su.barrier(pipe); }));
  }
};

TEST_F(CodeTwins, GmReadOnlyBroken) { EXPECT_EQ(written(true), "gm-read-only"); }
TEST_F(CodeTwins, GmReadOnlyRepaired) { EXPECT_EQ(written(false), ""); }
TEST_F(CodeTwins, InterruptedBroken) { EXPECT_EQ(interrupted(true), "interrupted"); }
TEST_F(CodeTwins, InterruptedRepaired) { EXPECT_EQ(interrupted(false), ""); }
TEST_F(CodeTwins, QueueExhaustedBroken) { EXPECT_EQ(queued(false), "queue-exhausted"); }
TEST_F(CodeTwins, QueueExhaustedRepaired) { EXPECT_EQ(queued(true), ""); }
// A vector core has no PIPE_M, and the verifier lets no such program pass.
TEST_F(CodeTwins, InternalErrorBroken) { EXPECT_EQ(barrierOf(Pipe::M), "internal-error"); }
TEST_F(CodeTwins, InternalErrorRepaired) { EXPECT_EQ(barrierOf(Pipe::V), ""); }

} // namespace
