//===- CheckBench.cpp - what the checkers cost ----------------------------===//
//
// Time with all checks beside time without, checked instructions beside the least
// that any checker does for them, and memory: it follows what a program has
// touched, not how long it runs.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "Native.h"
#include "ptoscope/Support/Array.h"

#include <cstring>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace ptoscope;

namespace {

struct Ratio {
  const char *what, *file, *kernel;
  size_t arrays[4]; ///< bytes of each array argument; 0 = no more of them
  size_t elementBytes;
  std::vector<uint64_t> numbers; ///< the other arguments
  double bound;
};

const Ratio kRatios[] = {
    {"streaming add", "examples/double_buffer_flags.pto", "", {32 << 20, 32 << 20, 32 << 20}, 4, {1024}, 1.8},
    {"streaming add by buffer ids",
     "examples/double_buffer_ids.pto",
     "",
     {32 << 20, 32 << 20, 32 << 20},
     4,
     {1024},
     1.8},
    {"streaming sum of four tiles", "benchmarks/checks.pto", "four_tiles", {64 << 20, 16 << 20}, 4, {1024}, 1.8},
    {"softmax in two passes", "examples/softmax.pto", "two_pass", {8192000, 8192000}, 4, {500, 4096}, 2.5},
    {"softmax in two passes, rows of 1024",
     "examples/softmax.pto",
     "two_pass",
     {16 << 20, 16 << 20},
     4,
     {4096, 1024},
     2.5},
    {"softmax in two passes, short rows", "examples/softmax.pto", "two_pass", {4000000, 4000000}, 4, {1000, 1000}, 2.5},
    {"softmax, online", "examples/softmax.pto", "online", {8192000, 8192000}, 4, {500, 4096}, 2.5},
    {"softmax, online, short rows", "examples/softmax.pto", "online", {4000000, 4000000}, 4, {1000, 1000}, 2.5},
    {"layer normalisation",
     "examples/layer_norm.pto",
     "",
     {4096000, 8192, 8192, 4096000},
     2,
     {500, 4096},
     3}, // half registers
};

/// Small numbers of either sign, as f32 or f16.
ByteBuffer filled(size_t bytes, size_t elementBytes) {
  std::optional<ByteBuffer> buffer = ByteBuffer::allocate(bytes);
  if (!buffer) {
    std::printf("checks: not enough memory\n");
    std::exit(1);
  }
  for (size_t i = 0; i < bytes / 4 && elementBytes == 4; ++i)
    reinterpret_cast<float *>(buffer->data())[i] = float(i % 4001) / 500.0f - 4.0f;
  for (size_t i = 0; i < bytes / 2 && elementBytes == 2; ++i)
    reinterpret_cast<uint16_t *>(buffer->data())[i] = uint16_t(0x3000 + i % 0x1000 + i % 2 * 0x8000);
  return std::move(*buffer);
}

bool ratio(Session &session, const Ratio &work) {
  bench::Kernel plain(session, work.file, work.kernel, Checks::none()),
      checked(session, work.file, work.kernel, Checks());
  plain.keepCopies(); // what is checked copies, too
  std::vector<ByteBuffer> buffers;
  for (size_t bytes : work.arrays)
    if (bytes)
      buffers.push_back(filled(bytes, work.elementBytes));
  std::vector<Argument> arguments;
  for (ByteBuffer &buffer : buffers)
    arguments.push_back(buffer.span());
  for (uint64_t number : work.numbers)
    arguments.push_back(number);
  // The same bytes with and without, and everything is touched before it is timed.
  ByteBuffer &result = buffers.back();
  bool ok = plain.run(arguments);
  std::vector<uint8_t> expected(result.data(), result.data() + result.size());
  std::memset(result.data(), 0, result.size());
  ok &= checked.run(arguments) && std::memcmp(result.data(), expected.data(), expected.size()) == 0;
  // The best of each: whatever shares the machine only ever adds.
  double off = 1e9, on = 1e9;
  for (int round = 0; round < 9 && ok; ++round) {
    off = std::min(off, bench::timedAlone([&] { ok &= plain.run(arguments); }));
    on = std::min(on, bench::timedAlone([&] { ok &= checked.run(arguments); }));
  }
  if (!ok) {
    std::printf("%s: WRONG RESULT\n", work.what);
    return false;
  }
  std::printf("  %s: checks off %.1f ms, on %.1f ms\n", work.what, off * 1e3, on * 1e3);
  return bench::figure(std::string(work.what) + ", all checks on / checks off", on / off, work.bound);
}

struct Rate {
  const char *what, *kernel;
  uint64_t instructions;        ///< of a turn
  uint64_t registers, elements; ///< that a turn loads and stores, whole and one by one
  uint64_t turns;
  double bound;
};
constexpr Rate kRates[] = {
    {"streaming scopes", "scopes", 1024, 768, 0, 10000, 3.3}, // three times the rate that access by access has
    {"one long scope", "one_scope", 6, 3, 0, 500000, 40},
    {"scopes with gathers, scatters, partial masks", "gathers", 1024, 256, 128 * 2 * 61, 2000, 5.2},
    {"scopes with partial masks", "tails", 1024, 512, 0, 4000, 40},
};

bool rate(Session &session, const Rate &work) {
  bench::Kernel kernel(session, "benchmarks/checks.pto", work.kernel, Checks());
  std::vector<Argument> arguments = {work.turns};
  double best = 1e9, native = 1e9;
  bool ok = true;
  for (int round = 0; round < 7 && ok; ++round) {
    best = std::min(best, bench::timedAlone([&] { ok &= kernel.run(arguments); }));
    native = std::min(native, bench::timedAlone([&] {
                        bench::keep(native::marks(work.turns * work.registers, work.turns * work.elements));
                      }));
  }
  if (!ok) {
    std::printf("%s: does not run\n", work.what);
    return false;
  }
  bench::report(std::string(work.what) + ", checked vector instructions",
                double(work.turns * work.instructions) * 1e-6 / best, "M/s");
  return bench::figure(std::string(work.what) + ", all checks on / marks alone", best / native, work.bound);
}

/// A field of /proc/self/status in MiB.
double memory(const std::string &field) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kib = 0; word == field && status >> kib)
      return kib / 1024;
  return -1;
}

struct Growth {
  const char *what, *kernel;
  unsigned arrays; ///< of 16 MiB
  uint64_t instructions, turns;
  double bound;     ///< MiB
  bool flat = true; ///< the bytes it touches do not grow with its turns
};
constexpr Growth kGrowths[] = {
    {"scopes", "scopes", 0, 1024, 6000, 64},
    {"one scope without end", "one_scope", 0, 6, 500000, 400, false}, // loads of the same bytes pile up, to a limit
    {"transfers", "transfers", 2, 4, 300000, 64},
    {"scattered scalar stores", "scattered", 1, 1, 1200000, 150},
    {"rows that nobody waits for", "alternating", 1, 2, 400000, 150},
};

/// Peak memory in MiB that a checked run adds to its buffers, in a process of
/// its own; -1 when it fails.
double peak(const Growth &work, uint64_t turns) {
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    Session session;
    bench::Kernel kernel(session, "benchmarks/checks.pto", work.kernel, Checks());
    std::vector<ByteBuffer> buffers;
    std::vector<Argument> arguments;
    for (unsigned i = 0; i < work.arrays; ++i)
      buffers.push_back(filled(size_t(16) << 20, 4));
    for (ByteBuffer &buffer : buffers)
      arguments.push_back(buffer.span());
    arguments.push_back(turns);
    double before = memory("VmRSS:"), grown = kernel.run(arguments) ? memory("VmHWM:") - before : -1;
    _exit(write(ends[1], &grown, sizeof(grown)) == sizeof(grown) ? 0 : 1);
  }
  close(ends[1]);
  double grown = -1;
  if (child < 0 || read(ends[0], &grown, sizeof(grown)) != sizeof(grown))
    grown = -1;
  close(ends[0]);
  if (child > 0)
    waitpid(child, nullptr, 0);
  return grown;
}

bool bounded(const Growth &work, uint64_t turns, double bound, double *grown) {
  *grown = peak(work, turns);
  if (*grown < 0)
    std::printf("%s: does not run\n", work.what);
  return bench::figure(std::string(work.what) + ", memory of the checkers, " +
                           std::to_string(turns * work.instructions / 1000000) + " million",
                       *grown, bound, "MiB") &&
         *grown >= 0;
}

/// Four times the turns take no more memory; 16 MiB are noise.
bool growth(const Growth &work) {
  double once = 0, more = 0;
  bool ok = bounded(work, work.turns, work.bound, &once);
  ok &= bounded(work, 4 * work.turns, work.bound, &more);
  return (!work.flat || bench::figure(std::string(work.what) + ", memory, four times as long / once",
                                      (more + 16) / (once + 16), 1.25)) &&
         ok;
}

} // namespace

bool bench::checks() {
  Session session;
  bool ok = true;
  for (const Ratio &work : kRatios)
    ok &= ratio(session, work);
  for (const Rate &work : kRates)
    ok &= rate(session, work);
  for (const Growth &work : kGrowths)
    ok &= growth(work);
  return ok;
}

bool bench::longChecks() {
  bool ok = true;
  double grown = 0;
  for (const Growth &work : kGrowths)
    ok &= bounded(work, 100'000'000 / work.instructions + 1, 512, &grown);
  return ok;
}
