//===- DmaBench.cpp - transfers against memcpy ----------------------------===//
//
// Once with tiles that stay in the host's cache, where the cost per row and per
// transfer shows, and once over a large buffer, as a kernel would see it.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "Native.h"
#include "ptoscope/Support/Array.h"

#include <cstring>
#include <functional>

using namespace ptoscope;

namespace {

constexpr size_t kBytes = size_t(64) << 20;
constexpr int kRounds = 25;

/// Times both, one after the other, and holds the median of native / ours.
bool compare(const std::string &name, double bytes, double bound, const std::function<bool()> &ours,
             const std::function<void()> &native) {
  bool ok = ours(); // warms up
  native();
  std::vector<double> us, them, ratios;
  for (int round = 0; round < kRounds && ok; ++round) {
    us.push_back(bench::timedAlone([&] { ok &= ours(); }));
    them.push_back(bench::timedAlone(native));
    ratios.push_back(them.back() / us.back());
  }
  if (!ok) {
    std::printf("%s: does not run\n", name.c_str());
    return false;
  }
  std::printf("  %-40s %6.2f GB/s, native %6.2f GB/s\n", name.c_str(), bytes / bench::median(us) * 1e-9,
              bytes / bench::median(them) * 1e-9);
  return bench::figureAtLeast(name + " / native", bench::median(ratios), bound);
}

} // namespace

bool bench::dma() {
  std::optional<ByteBuffer> x = ByteBuffer::allocate(kBytes), y = ByteBuffer::allocate(kBytes),
                            scratch = ByteBuffer::allocate(256 * 1024);
  if (!x || !y || !scratch) {
    std::printf("transfers: not enough memory\n");
    return false;
  }
  for (size_t i = 0; i < kBytes; ++i)
    x->data()[i] = uint8_t((i * 2654435761u) >> 13);
  std::memset(y->data(), 0, kBytes);
  std::memset(scratch->data(), 0, scratch->size());

  Session session;
  Kernel rowsIn(session, "benchmarks/dma.pto", "rows_in", Checks::none());
  Kernel rowsOut(session, "benchmarks/dma.pto", "rows_out", Checks::none());
  Kernel blocks(session, "benchmarks/dma.pto", "blocks", Checks::none());
  Kernel tiles(session, "benchmarks/dma.pto", "tiles", Checks::none());
  for (Kernel *kernel : {&rowsIn, &rowsOut, &blocks, &tiles})
    kernel->keepCopies();
  std::printf("transfers, checks off, one thread (median of %d rounds)\n", kRounds);
  bool ok = true;
  constexpr uint64_t kTurns = 1'000'000;
  std::vector<double> times, least;
  for (int round = 0; round < kRounds && ok; ++round) {
    times.push_back(timedAlone([&] { ok &= blocks.run({x->span(), kTurns}); }));
    least.push_back(timedAlone([&] { keep(native::dispatch(4 * kTurns)); }));
  }
  if (!ok)
    return false;
  report("transfers of 32 bytes, with a PIPE_ALL barrier each", 2e-6 * kTurns / median(times), "M/s");
  ok &= figure("transfers of 32 bytes and barriers / dispatch alone", median(times) / median(least), 8);
  struct Size {
    const char *name;
    size_t bytes; ///< of GM that is visited
    size_t moved; ///< GM bytes passed over in all
  };
  for (Size size : {Size{"in cache", size_t(256) << 10, size_t(512) << 20}, Size{"64 MiB", kBytes, 4 * kBytes}}) {
    size_t rowTiles = size.bytes / native::kRowTileBytes, rowTurns = size.moved / native::kRowTileBytes;
    size_t tileCount = size.bytes / native::kTileBytes, tileTurns = size.moved / native::kTileBytes;
    double rowBytes = double(rowTurns * native::kRows * native::kRowBytes);
    ok &= compare(
        "gapped rows GM to UB, " + std::string(size.name), rowBytes, 0.8,
        [&] { return rowsIn.run({x->span(), uint64_t(rowTurns), uint64_t(rowTiles)}); },
        [&] { native::rowsIn(x->data(), rowTurns, rowTiles, scratch->data()); });
    ok &= compare(
        "gapped rows UB to GM, " + std::string(size.name), rowBytes, 0.8,
        [&] { return rowsOut.run({y->span(), uint64_t(rowTurns), uint64_t(rowTiles)}); },
        [&] { native::rowsOut(y->data(), rowTurns, rowTiles, scratch->data()); });
    ok &= compare(
        "whole tiles GM to UB to GM, " + std::string(size.name), double(size.moved), 0.95,
        [&] { return tiles.run({x->span(), y->span(), uint64_t(tileTurns), uint64_t(tileCount)}); },
        [&] { native::tiles(x->data(), y->data(), tileTurns, tileCount, scratch->data()); });
    if (std::memcmp(x->data(), y->data(), size.bytes) != 0) {
      std::printf("transfers: WRONG RESULT\n");
      return false;
    }
  }
  return ok;
}
