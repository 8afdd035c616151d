//===- Speed.cpp - what each kind of event costs --------------------------===//
//
// Nanoseconds per event of the checkers alone, on event streams of a streaming
// kernel. A tool: it prints, and checks nothing.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/Checkers.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

using namespace ptoscope;

namespace {

/// Processor time, so that a busy host matters less.
template <typename Fn> double nanosecondsPer(uint64_t n, Fn fn) {
  std::clock_t begin = std::clock();
  fn();
  return double(std::clock() - begin) * (1e9 / CLOCKS_PER_SEC) / double(n);
}

/// The best of several runs.
template <typename Fn> double best(Fn run) {
  double result = run();
  for (int i = 1; i < 7; ++i)
    result = std::min(result, run());
  return result;
}

struct Stream {
  SiteTable sites;
  GmTable gm;
  uint8_t dummy = 0;
  FindingList findings;
  std::unique_ptr<CheckerFactory> factory;
  std::unique_ptr<Observer> observer;
  uint64_t ordinals[kPipeSlots] = {};
  int64_t iteration = 0;

  explicit Stream(Checks checks) {
    for (int i = 0; i < 16; ++i)
      sites.add({.place = {"k.pto", uint32_t(i + 1), 1}, .op = "op", .depth = 1});
    gm.add(&dummy, uint64_t(1) << 40, "%x");
    gm.add(&dummy, uint64_t(1) << 40, "%y");
    factory = makeCheckers(sites, gm, *findProfile("a5"), checks);
    observer = factory->beginBlock(0, findings);
  }
  ~Stream() {
    observer->blockEnd(true);
    factory->endBlock(0, std::move(observer), findings);
    if (!findings.empty())
      std::printf("unexpected finding: %s\n", findings.all()[0].message.c_str());
  }
  Instr instr(Pipe pipe, SiteId site) {
    Instr i{CoreId{1}, pipe, ++ordinals[size_t(pipe)], site, &iteration, 1};
    observer->issue(i);
    observer->start(i);
    return i;
  }
  void transfer(Pipe pipe, SiteId site, uint64_t ub, uint64_t gmOffset, uint64_t bytes) {
    bool in = pipe == Pipe::MTE2;
    const GmObject *object = &gm.objects()[in ? 0 : 1];
    Box local{ub, bytes, {}}, global{object->base + gmOffset, bytes, {}};
    TransferEvent e{in ? Space::Gm : Space::Ub, in ? Space::Ub : Space::Gm, in ? global : local,  in ? local : global,
                    in ? local : global,        in ? object : nullptr,      in ? nullptr : object};
    observer->transfer(instr(pipe, site), e);
  }
  void flag(Pipe src, Pipe dst, int64_t id, uint64_t k) {
    observer->setFlag(instr(src, 8), src, dst, id, k);
    observer->waitFlag(instr(dst, 9), src, dst, id, k);
  }
};

void streamingAdd(const char *name, Checks checks) {
  constexpr uint64_t kTile = 32768;
  constexpr int64_t kTiles = 2000;
  double perTile = best([&] {
    Stream s(checks);
    return nanosecondsPer(kTiles, [&] {
      for (int64_t t = 0; t < kTiles; ++t) {
        s.iteration = t;
        uint64_t k = uint64_t(t) + 1;
        if (t > 0) {
          s.flag(Pipe::V, Pipe::MTE2, 0, k - 1);
          s.flag(Pipe::MTE3, Pipe::V, 0, k - 1);
        }
        s.transfer(Pipe::MTE2, 1, 0, uint64_t(t) * 2 * kTile, kTile);
        s.transfer(Pipe::MTE2, 2, kTile, uint64_t(t) * 2 * kTile + kTile, kTile);
        s.flag(Pipe::MTE2, Pipe::V, 0, k);
        Instr scope = s.instr(Pipe::V, 3);
        s.observer->scopeBegin(scope);
        for (uint64_t at = 0; at < kTile; at += 256) {
          uint64_t defined[16];
          uint32_t stamps[2];
          stamps[0] =
              s.observer->vectorLoad(scope, {4, Space::Ub, nullptr, at, 256, nullptr, VectorLoad, true}, defined);
          stamps[1] = s.observer->vectorLoad(scope, {5, Space::Ub, nullptr, kTile + at, 256, nullptr, VectorLoad, true},
                                             defined);
          s.observer->vectorStore(scope, {6, Space::Ub, nullptr, 2 * kTile + at, 256, nullptr, VectorStore, true},
                                  defined, stamps, 2);
        }
        s.observer->scopeEnd(scope);
        s.flag(Pipe::V, Pipe::MTE3, 0, k);
        s.transfer(Pipe::MTE3, 7, 2 * kTile, uint64_t(t) * kTile, kTile);
      }
    });
  });
  std::printf("streaming add, %-14s %8.1f ns per 256 bytes (3 accesses, transfers and flags included)\n", name,
              perTile / (kTile / 256.0));
}

void transfers(const char *name, Checks checks) {
  constexpr uint64_t kRuns = 5000;
  double each = best([&] {
    Stream s(checks);
    return nanosecondsPer(kRuns, [&] {
      for (uint64_t i = 0; i < kRuns; ++i) {
        s.transfer(Pipe::MTE2, 1, 0, i * 32768, 32768);
        s.observer->barrier(s.instr(Pipe::MTE2, 2), Pipe::MTE2);
      }
    });
  });
  std::printf("32 KiB transfer, %-12s %8.1f ns, %.2f ns per granule\n", name, each, each / 1024);
}

struct Shape {
  const char *name;
  uint64_t offset; ///< of the first access
  uint32_t window; ///< also the step
  bool tail;       ///< the second half is inactive
  bool inPlace;    ///< each load is followed by a store to the same place
};

void vectors(const char *name, Checks checks, bool store, Shape shape) {
  constexpr uint64_t kScopes = 500, kEach = 512;
  const uint64_t half[4] = {~uint64_t(0), ~uint64_t(0), 0, 0};
  double each = best([&] {
    Stream s(checks);
    return nanosecondsPer(kScopes * kEach, [&] {
      for (uint64_t i = 0; i < kScopes; ++i) {
        s.transfer(Pipe::MTE2, 1, 0, 0, 131072 + 256);
        s.flag(Pipe::MTE2, Pipe::V, 0, i + 1);
        Instr scope = s.instr(Pipe::V, 3);
        s.observer->scopeBegin(scope);
        for (uint64_t k = 0; k < kEach; ++k) {
          uint64_t defined[16] = {~uint64_t(0), ~uint64_t(0), ~uint64_t(0), ~uint64_t(0)};
          LocalAccess access{4,       Space::Ub,  nullptr, shape.offset + k * shape.window, shape.window,
                             nullptr, VectorLoad, true};
          uint32_t stamp = 0;
          if (!store || shape.inPlace)
            stamp = s.observer->vectorLoad(scope, access, defined);
          access.active = shape.tail ? half : nullptr;
          access.accessClass = VectorStore;
          access.site = 5;
          if (store)
            s.observer->vectorStore(scope, access, defined, &stamp, 1);
        }
        s.observer->scopeEnd(scope);
        s.flag(Pipe::V, Pipe::MTE2, 0, i + 1);
      }
    });
  });
  std::printf("%s, %-14s %8.1f ns (1/512 of a transfer and flags included)\n", shape.name, name, each);
}

void manyTiles() {
  constexpr uint64_t kTiles = 100000;
  double each = best([&] {
    Stream s{Checks()};
    return nanosecondsPer(kTiles, [&] {
      for (uint64_t i = 0; i < kTiles; ++i) {
        s.iteration = int64_t(i);
        if (i > 0)
          s.flag(Pipe::MTE3, Pipe::MTE2, 0, i);
        s.transfer(Pipe::MTE2, 1, 0, i * 256, 256);
        s.flag(Pipe::MTE2, Pipe::MTE3, 0, i + 1);
        s.transfer(Pipe::MTE3, 2, 0, i * 256, 256);
      }
    });
  });
  std::printf("%llu small tiles              %8.1f ns per tile (2 transfers, 2 flags)\n",
              static_cast<unsigned long long>(kTiles), each);
}

} // namespace

int main() {
  Checks race = Checks::none(), init = Checks::none();
  race.race = true;
  init.init = true;
  for (auto [name, checks] : {std::pair("race and init", Checks()), {"race", race}, {"init", init}}) {
    streamingAdd(name, checks);
    transfers(name, checks);
    vectors(name, checks, false, {"256-byte load          ", 0, 256, false, false});
    vectors(name, checks, true, {"256-byte store         ", 0, 256, false, false});
    vectors(name, checks, true, {"load and store in place", 0, 256, false, true});
    vectors(name, checks, false, {"load off a line        ", 32, 256, false, false});
    vectors(name, checks, true, {"store off a line       ", 32, 256, false, false});
    vectors(name, checks, true, {"store of half a line   ", 0, 256, true, false});
    vectors(name, checks, false, {"128-byte load          ", 0, 128, false, false});
  }
  manyTiles();
}
