//===- ReuseTest.cpp - memories of one block after another ----------------===//
//
// However many blocks a core has run, and whatever they touched, the next one
// finds zeros. Signals that are not of the machine's own making go where they
// would have gone without it.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <csignal>
#include <random>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace ptoscope;

namespace {
struct ReuseTest : ::testing::Test, Bench {
  /// Writes what a scope writes: straight into the memories.
  LaunchResult runScope(const Scope &body) {
    return run([&](Su &su) { su.scope(body); });
  }
};

/// Blocks enough for pages to be given back, watched, kept and watched anew.
constexpr int64_t kManyBlocks = 2500;

/// Reads and dirties some bytes of some memories, other ones in each block.
void dirty(PtoContext *context, int64_t seed) {
  std::mt19937 random(static_cast<uint32_t>(seed));
  for (Space space : {Space::Ub, Space::L1, Space::L0C, Space::L0A}) {
    uint8_t *memory = context->local[size_t(space)];
    const uint32_t bytes = findProfile("a5")->bytes[size_t(space)];
    const unsigned count = random() % 16 ? random() % 4 : 40;
    for (unsigned i = 0; i < count; ++i) {
      const uint32_t at = random() % (random() % 3 ? 8192 : bytes);
      ASSERT_TRUE(memory[at] == 0 || memory[at] == 0xaa) << at;
      memory[at] = 0xaa;
    }
  }
}
void expectZeros(PtoContext *context, std::initializer_list<Space> spaces) {
  for (Space space : spaces) {
    const uint8_t *memory = context->local[size_t(space)];
    const uint32_t bytes = findProfile("a5")->bytes[size_t(space)];
    ASSERT_EQ(std::count(memory, memory + bytes, 0), ptrdiff_t(bytes));
  }
}
} // namespace

TEST_F(ReuseTest, ABlockFindsZerosHoweverManyRanBefore) {
  for (unsigned threads : {1u, 2u}) {
    options.blocks = kManyBlocks;
    options.threads = threads;
    Scope body = [](PtoContext *c) {
      if (c->blockIdx % 50 == 7 || c->blockIdx < 20)
        expectZeros(c, {Space::Ub, Space::L1, Space::L0C, Space::L0A});
      dirty(c, c->blockIdx);
    };
    EXPECT_EQ(codesOf(runScope(body)), "");
  }
}

TEST_F(ReuseTest, ALaunchFindsZerosToo) {
  KeptCores kept;
  options.kept = &kept;
  int64_t launches = 0;
  Scope body = [&](PtoContext *c) {
    if (launches % 50 == 7 || launches < 20)
      expectZeros(c, {Space::Ub, Space::L1});
    dirty(c, launches);
  };
  for (; launches < 1200; ++launches)
    ASSERT_EQ(codesOf(runScope(body)), "");
}

TEST_F(ReuseTest, CoresOfAClusterReachEachOthersMemories) {
  options.blocks = 40;
  auto fromCube = [](Su &su) {
    uint8_t *ub = su.context->local[size_t(Space::Ub)];
    ASSERT_EQ(ub[70000], 0);
    ub[70000] = 0xaa; // of the first vector core
  };
  EXPECT_EQ(codesOf(runMixed(fromCube, [](Su &) {})), "");
}

TEST_F(ReuseTest, StrayAccessesAreFoundAsBefore) {
  options.blocks = 60;
  options.checks = Checks::none();
  options.endsWhenFull = false;
  Scope body = [](PtoContext *c) {
    c->local[size_t(Space::Ub)][c->blockIdx * 4000] = 1;
    if (c->blockIdx == 50)
      c->local[size_t(Space::Ub)][300000] = 1;
  };
  LaunchResult result = runScope(body);
  ASSERT_EQ(result.findings.all().size(), 1u) << textOf(result);
  EXPECT_EQ(result.findings.all()[0].count, 1u);
}

TEST_F(ReuseTest, OtherThreadsMayLook) {
  options.blocks = 40;
  Scope body = [](PtoContext *c) {
    uint8_t seen = 1;
    std::thread([&] { seen = c->local[size_t(Space::Ub)][c->blockIdx * 4096]; }).join();
    EXPECT_EQ(seen, 0);
  };
  EXPECT_EQ(codesOf(runScope(body)), "");
}

TEST_F(ReuseTest, ThreadsThatBlockEverySignal) {
  options.blocks = 40;
  options.threads = 2;
  std::thread([&] {
    sigset_t all, now;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    Scope body = [](PtoContext *c) { c->local[size_t(Space::Ub)][c->blockIdx * 4096] = 1; };
    EXPECT_EQ(codesOf(runScope(body)), "");
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    EXPECT_EQ(sigismember(&now, SIGSEGV), 1); // as it was
  }).join();
}

TEST_F(ReuseTest, ManyCoresAtATime) {
  // More memories than can be watched: the rest is given back as before.
  std::vector<std::unique_ptr<KeptCores>> all;
  Scope body = [](PtoContext *c) {
    uint8_t *ub = c->local[size_t(Space::Ub)];
    ASSERT_EQ(ub[100], 0);
    ub[100] = 0xaa;
  };
  options.blocks = 20;
  for (int i = 0; i < 500; ++i) {
    all.push_back(std::make_unique<KeptCores>());
    options.kept = all.back().get();
    ASSERT_EQ(codesOf(runScope(body)), "") << i;
  }
}

namespace {
using ForeignSignals = ReuseTest;

void setAction(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}
} // namespace

TEST_F(ForeignSignals, SentOnesHaveTheDefaultAction) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (int signal : {SIGSEGV, SIGBUS}) {
    auto sent = [&] {
      setAction(signal, SIG_DFL);
      Scope body = [&](PtoContext *) { kill(getpid(), signal); };
      runScope(body);
      _exit(3);
    };
    EXPECT_EXIT(sent(), ::testing::KilledBySignal(signal), "");
  }
}

TEST_F(ForeignSignals, SentOnesGoToThePreviousHandler) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  static volatile sig_atomic_t taken = 0;
  auto sent = [&] {
    setAction(SIGSEGV, [](int) { taken = taken + 1; });
    Scope body = [&](PtoContext *c) {
      for (int i = 0; i < 10; ++i)
        raise(SIGSEGV);
      c->local[size_t(Space::Ub)][300000] = 1; // ours, still
    };
    LaunchResult result = runScope(body);
    _exit(taken == 10 && result.findings.all().size() == 1 ? 42 : 3);
  };
  EXPECT_EXIT(sent(), ::testing::ExitedWithCode(42), "");
}

TEST_F(ForeignSignals, SentOnesCanBeIgnored) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto sent = [&] {
    setAction(SIGSEGV, SIG_IGN);
    Scope body = [&](PtoContext *) { raise(SIGSEGV); };
    _exit(runScope(body).completed ? 42 : 3);
  };
  EXPECT_EXIT(sent(), ::testing::ExitedWithCode(42), "");
}

TEST_F(ForeignSignals, FaultsOfOtherCodeEndTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto wild = [&] {
    setAction(SIGSEGV, SIG_DFL);
    void *closed = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    options.blocks = 40;
    Scope body = [&](PtoContext *c) {
      c->local[size_t(Space::Ub)][c->blockIdx * 4096] = 1;
      if (c->blockIdx == 30)
        *static_cast<volatile uint8_t *>(closed) = 1;
    };
    runScope(body);
    _exit(3);
  };
  EXPECT_EXIT(wild(), ::testing::KilledBySignal(SIGSEGV), "");
}
