//===- ReuseTest.cpp - checkers that see one block after another ----------===//
//
// Random programs, most of them faulty, through checkers and cores that are used
// again: every report and every byte is that of checkers and cores made for one
// launch. What is kept does not grow.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/Checkers.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <cstring>
#include <random>
#include <unistd.h>

using namespace ptoscope;

namespace {

constexpr uint32_t kSites = 12;
constexpr uint32_t kScopeSite = 3, kLoadSite = 4, kStoreSite = 5;
constexpr uint64_t kGmBytes = 1 << 16;

/// Blocks of 32 bytes that a window may begin with: few, so that accesses meet, and some far apart.
uint32_t placeOf(std::mt19937 &random) {
  return random() % 4 ? random() % 32 * 32 : (random() % 8) * 16384 + random() % 3 * 32;
}

/// What captures[0] seeds: loads and stores of UB, some of them of undefined bytes.
void scope(PtoContext *context, const uint64_t *captures) {
  std::mt19937 random(static_cast<uint32_t>(captures[0]));
  for (unsigned i = 0, n = 1 + random() % 3; i < n; ++i) {
    const uint32_t bytes = random() % 3 ? 256 : 128;
    const uint32_t in = placeOf(random), out = placeOf(random);
    PtoLoadShadow shadow;
    context->scopeIterations[0] = i;
    const uint8_t *source = ptosc_check_load(context, kLoadSite, in, bytes, 32, nullptr, &shadow);
    uint8_t value[256];
    std::memcpy(value, source, bytes);
    const uint64_t active[4] = {~uint64_t(0), 0xff, 0, 0};
    ptosc_undefined_use(context, kLoadSite, 0, shadow.defined, active);
    std::memcpy(
        ptosc_check_store(context, kStoreSite, out, bytes, 32, nullptr, shadow.defined, &shadow.stamp, random() % 2),
        value, bytes);
  }
}

/// A program that arguments[2] and the block seed. Transfers have no order but the one that it asks for.
int32_t kernel(PtoContext *context, const uint64_t *arguments) {
  std::mt19937 random(static_cast<uint32_t>(arguments[2] * 977 + uint64_t(context->blockIdx)));
  int32_t stop = 0;
  auto pipe = [](Pipe p) { return uint32_t(p); };
  auto move = [&](uint32_t site, bool in) {
    PtoTransfer t{};
    t.srcSpace = uint32_t(in ? Space::Gm : Space::Ub);
    t.dstSpace = uint32_t(in ? Space::Ub : Space::Gm);
    t.pipe = pipe(in ? Pipe::MTE2 : Pipe::MTE3);
    t.elementBytes = t.padWidth = 1;
    t.src = in ? arguments[0] + random() % 64 * 32 : placeOf(random);
    t.dst = in ? placeOf(random) : arguments[1] + random() % 64 * 32;
    t.len = random() % 4 ? 256 : 40; // ROW-1: the rest of the last block becomes undefined
    t.count = 1 + random() % 2;
    t.srcStride = t.dstStride = 320;
    stop |= ptosc_transfer(context, site, &t);
  };
  constexpr Pipe kPipes[] = {Pipe::MTE2, Pipe::V, Pipe::MTE3};
  const unsigned length = random() % 8 ? random() % 12 : 200;
  for (unsigned i = 0; i < length && !stop; ++i) {
    context->suIterations[0] = i;
    switch (random() % 8) {
    case 0:
    case 1:
      move(1, true);
      break;
    case 2:
      move(2, false);
      break;
    case 3: {
      const uint64_t captures[] = {random()};
      stop |= ptosc_scope(context, kScopeSite, scope, captures, 1);
      break;
    }
    case 4: {
      const unsigned src = random() % 3, dst = (src + 1 + random() % 2) % 3;
      const int64_t id = random() % 8;
      stop |= ptosc_set_flag(context, 6, pipe(kPipes[src]), pipe(kPipes[dst]), id);
      if (!stop)
        stop |= ptosc_wait_flag(context, 7, pipe(kPipes[src]), pipe(kPipes[dst]), id);
      break;
    }
    case 5:
      stop |= ptosc_barrier(context, 8, pipe(random() % 2 ? Pipe::All : kPipes[random() % 3]));
      break;
    case 6: {
      const uint32_t owner = pipe(kPipes[random() % 3]);
      const int64_t id = random() % 32;
      stop |= ptosc_get_buf(context, 9, owner, id, random() % 2);
      if (!stop)
        stop |= ptosc_rls_buf(context, 10, owner, id, random() % 2);
      break;
    }
    default: {
      uint64_t value = 0;
      if (random() % 2)
        stop |= ptosc_store_scalar(context, 11, uint32_t(Space::Ub), placeOf(random), 4, 0, i);
      else
        stop |= ptosc_load_scalar(context, 11, uint32_t(Space::Ub), placeOf(random), 4, 0, &value);
    }
    }
  }
  return stop;
}

struct Machine {
  Machine() {
    for (uint32_t i = 0; i < kSites; ++i) {
      Site site;
      site.place = {"k.pto", i + 1, 1};
      site.op = "op" + std::to_string(i);
      site.depth = 1;
      site.scope = i == kLoadSite || i == kStoreSite ? SiteId(kScopeSite) : kNoSite;
      sites.add(site);
    }
    image.aiv = kernel;
    image.sites = &sites;
    image.name = "k";
    options.profile = findProfile("a5");
    options.endsWhenFull = false;
  }

  /// All that a launch leaves, as text.
  std::string launch(uint64_t seed, KeptCheckers *checkers, KeptCores *cores) {
    std::vector<uint8_t> x(kGmBytes), y(kGmBytes);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = uint8_t(i * 7 + i / 256);
    GmTable gm;
    const std::vector<uint64_t> arguments = {gm.add(x.data(), x.size(), "%x"), gm.add(y.data(), y.size(), "%y"), seed};
    std::unique_ptr<CheckerFactory> factory = makeCheckers(sites, gm, *options.profile, options.checks, checkers);
    options.observers = factory.get();
    options.kept = cores;
    LaunchResult result = ptoscope::launch(image, gm, arguments, options);
    std::string text;
    for (const Finding &f : result.findings.all()) {
      text += std::to_string(f.place.line) + ": " + f.code + ": " + f.message + " x " + std::to_string(f.count) + "\n";
      for (const Note &n : f.notes)
        text += "  " + std::to_string(n.place.line) + ": " + n.message + "\n";
      for (int64_t i : f.iterations)
        text += " " + std::to_string(i);
      text += f.help + "\n";
    }
    for (uint64_t n : {factory->counts().accesses, factory->counts().bytes, factory->counts().edges,
                       result.stats.instructions, uint64_t(result.stats.blocksDone)})
      text += std::to_string(n) + " ";
    // Blocks that race leave what the host's threads make of it.
    const bool isOrdered = options.blocks == 1;
    return text + (isOrdered ? std::to_string(std::hash<std::string>()(std::string(y.begin(), y.end()))) : "");
  }

  SiteTable sites;
  KernelImage image;
  LaunchOptions options;
};

uint64_t residentKiB() {
  unsigned long size = 0, resident = 0;
  FILE *file = std::fopen("/proc/self/statm", "r");
  const bool read = file && std::fscanf(file, "%lu %lu", &size, &resident) == 2;
  if (file)
    std::fclose(file);
  return read ? resident * uint64_t(sysconf(_SC_PAGESIZE)) / 1024 : 0;
}

} // namespace

TEST(Reuse, ReportsAreThoseOfNewCheckers) {
  for (ScheduleKind kind : {ScheduleKind::Eager, ScheduleKind::Lazy, ScheduleKind::Random}) {
    Machine machine;
    machine.options.schedule = {kind, 5};
    KeptCheckers checkers;
    KeptCores cores;
    unsigned faulty = 0;
    for (uint64_t seed = 0; seed < 150; ++seed) {
      const std::string expected = machine.launch(seed, nullptr, nullptr);
      ASSERT_EQ(machine.launch(seed, &checkers, &cores), expected) << seed;
      faulty += expected.starts_with("2: ") || expected.find("race-") != std::string::npos;
    }
    EXPECT_GT(faulty, 50u); // or there would be little to compare
  }
}

TEST(Reuse, ThreadsGiveOneReport) {
  Machine machine;
  machine.options.blocks = 60;
  machine.options.maxFindings = 1000;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    KeptCheckers checkers;
    KeptCores cores;
    machine.options.threads = 1;
    const std::string expected = machine.launch(seed, nullptr, nullptr);
    for (unsigned threads : {1u, 2u, 4u}) {
      machine.options.threads = threads;
      ASSERT_EQ(machine.launch(seed, &checkers, &cores), expected) << threads;
    }
  }
}

TEST(Reuse, MemoryDoesNotGrow) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep what is freed";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers keep what is freed";
#endif
#endif
  // A kernel whose blocks are alike: block b moves its own 32 bytes.
  Machine machine;
  machine.image.aiv = [](PtoContext *context, const uint64_t *arguments) -> int32_t {
    const uint64_t at = uint64_t(context->blockIdx) * 32;
    PtoTransfer t{};
    t.srcSpace = uint32_t(Space::Gm);
    t.dstSpace = uint32_t(Space::Ub);
    t.pipe = uint32_t(Pipe::MTE2);
    t.elementBytes = t.padWidth = 1;
    t.src = arguments[0] + at;
    t.len = 32;
    t.count = 1;
    if (ptosc_transfer(context, 1, &t) || ptosc_barrier(context, 8, uint32_t(Pipe::All)))
      return 1;
    std::swap(t.srcSpace, t.dstSpace);
    t.pipe = uint32_t(Pipe::MTE3);
    t.src = 0;
    t.dst = arguments[1] + at;
    return ptosc_transfer(context, 2, &t);
  };
  KeptCheckers checkers;
  KeptCores cores;
  constexpr int64_t kBlocks = 100'000;
  std::vector<uint8_t> x(size_t(kBlocks) * 32, 7), y(x.size());
  GmTable gm;
  const std::vector<uint64_t> arguments = {gm.add(x.data(), x.size(), "%x"), gm.add(y.data(), y.size(), "%y"), 0};
  auto launch = [&](int64_t blocks) {
    auto factory = makeCheckers(machine.sites, gm, *machine.options.profile, machine.options.checks, &checkers);
    machine.options.observers = factory.get();
    machine.options.kept = &cores;
    machine.options.blocks = blocks;
    LaunchResult result = ptoscope::launch(machine.image, gm, arguments, machine.options);
    ASSERT_TRUE(result.completed && result.findings.empty());
  };
  std::fill(y.begin(), y.end(), uint8_t(1)); // its pages are there
  launch(2000);
  const uint64_t before = residentKiB();
  launch(kBlocks);
  for (int i = 0; i < 100'000; ++i)
    launch(1);
  EXPECT_LT(residentKiB(), before + 2048);
  EXPECT_EQ(y, x);
}
