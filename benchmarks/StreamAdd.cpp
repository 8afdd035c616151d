//===- StreamAdd.cpp - streaming addition against native code -------------===//

#include "Kernel.h"
#include "Native.h"
#include "ptoscope/Support/Array.h"

#include <cstring>
#include <sys/resource.h>

using namespace ptoscope;

namespace {

constexpr size_t kTiles = 8192, kElements = kTiles * 32 * 256; // 64 Mi

long peakKiB() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

} // namespace

bool bench::streamAdd() {
  size_t bytes = kElements * sizeof(float);
  std::optional<ByteBuffer> a = ByteBuffer::allocate(bytes), b = ByteBuffer::allocate(bytes),
                            sum = ByteBuffer::allocate(bytes), expected = ByteBuffer::allocate(bytes),
                            scratch = ByteBuffer::allocate(256 * 1024);
  if (!a || !b || !sum || !expected || !scratch) {
    std::printf("streaming add: not enough memory\n");
    return false;
  }
  auto *fa = reinterpret_cast<float *>(a->data()), *fb = reinterpret_cast<float *>(b->data());
  for (size_t i = 0; i < kElements; ++i) {
    fa[i] = float(i % 1000) * 0.5f;
    fb[i] = float(i % 77) - 20.0f;
  }
  // Every buffer is touched before anything is timed.
  std::memset(sum->data(), 0, bytes);
  std::memset(expected->data(), 0, bytes);
  std::memset(scratch->data(), 0, scratch->size());

  Session session;
  const std::string path = "examples/double_buffer_flags.pto";
  Kernel plain(session, path, "", Checks::none()), copying(session, path, "", Checks::none()),
      checked(session, path, "", Checks()), clocked(session, path, "", Checks::none(), /*isTimed=*/true);
  std::vector<Argument> arguments = {a->span(), b->span(), sum->span(), uint64_t(kTiles)};
  copying.keepCopies();
  bool ok = true;
  auto *fe = reinterpret_cast<float *>(expected->data());
  // One round warms up and proves the result; then five interleaved rounds.
  long before = peakKiB();
  ok &= plain.run(arguments);
  long grown = peakKiB() - before;
  native::addPlain(fa, fb, fe, kElements);
  ok &= std::memcmp(sum->data(), fe, bytes) == 0;
  std::vector<double> ours, withCopies, tiled, untiled, withChecks, withTimes;
  for (int round = 0; round < 5; ++round) {
    ours.push_back(timed([&] { ok &= plain.run(arguments); }));
    withCopies.push_back(timed([&] { ok &= copying.run(arguments); }));
    tiled.push_back(timed([&] { native::addTiled(fa, fb, fe, kTiles, 32 * 256, 2, scratch->data()); }));
    untiled.push_back(timed([&] { native::addPlain(fa, fb, fe, kElements); }));
    withChecks.push_back(timed([&] { ok &= checked.run(arguments); }));
    withTimes.push_back(timed([&] { ok &= clocked.run(arguments); }));
  }
  if (!ok || std::memcmp(sum->data(), fe, bytes) != 0) {
    std::printf("streaming add: WRONG RESULT\n");
    return false;
  }
  double us = median(ours), copied = median(withCopies), copies = median(tiled), loop = median(untiled),
         slow = median(withChecks);
  std::printf("streaming add of 64 Mi f32, 32x256 tiles, double-buffered, one thread (median of 5)\n");
  std::printf(
      "  ptoscope, checks off %.1f ms, with copies %.1f ms (compiled in %.1f ms), checks on %.1f ms (compiled in "
      "%.1f ms)\n",
      us * 1e3, copied * 1e3, plain.compileSeconds * 1e3, slow * 1e3, checked.compileSeconds * 1e3);
  std::printf("  native with the same copies %.1f ms, native plain loop %.1f ms (copies / plain %.2f)\n", copies * 1e3,
              loop * 1e3, copies / loop);
  ok &= figure("streaming add with its copies / native with the same copies", copied / copies, 1.25);
  ok &= figure("streaming add / native plain loop", us / loop, 1.1);
  ok &= figure("streaming add, all checks on / checks off, with its copies", slow / copied, 1.8);
  ok &= figure("streaming add with its copies, with times / without", median(withTimes) / copied, 1.5);
  ok &= figure("streaming add, peak memory beyond the buffers, checks off", double(grown) / 1024, 128, "MiB");
  ok &=
      figure("streaming add, peak memory beyond the buffers, checks on", double(peakKiB() - before) / 1024, 128, "MiB");
  return ok;
}
