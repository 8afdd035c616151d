//===- Bench.h - programs for the Machine without a compiler ----*- C++ -*-===//
//
// Lets a test write the program of a scalar unit, and vector scopes, as C++
// functions that call Runtime.h. The `Su` wrapper issues instructions until one
// asks to stop, as generated code does.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_MACHINE_BENCH_H
#define PTOSCOPE_UNITTESTS_MACHINE_BENCH_H

#include "ptoscope/Machine/Launch.h"

#include <deque>
#include <functional>
#include <gtest/gtest.h>

namespace ptoscope {

using Scope = std::function<void(PtoContext *)>;

/// Operands of a transfer with the defaults of a single contiguous row.
struct Move {
  uint64_t src = 0, dst = 0;
  int64_t len = 32, count = 1, srcStride = 0, dstStride = 0;
  std::vector<PtoLoop> loops = {};
  uint32_t flags = 0;
  uint32_t elementBytes = 4, padWidth = 4;
  uint64_t padValue = 0;
  int64_t padLeft = 0, padRight = 0;
  int64_t dstSubblock = 0;
};

class Su {
public:
  explicit Su(PtoContext *context) : context(context) {}
  PtoContext *context;
  int32_t stop = 0;
  uint32_t site = 0; ///< of the instructions that follow

  Su &at(uint32_t newSite) {
    site = newSite;
    return *this;
  }
  void transfer(Space srcSpace, Space dstSpace, Pipe pipe, const Move &m) {
    PtoTransfer t{
        uint32_t(srcSpace), uint32_t(dstSpace), uint32_t(pipe), m.flags,      m.elementBytes, m.padWidth, m.padValue,
        m.padLeft,          m.padRight,         m.src,          m.dst,        m.len,          m.count,    m.srcStride,
        m.dstStride,        m.loops.size(),     m.loops.data(), m.dstSubblock};
    if (m.dstSubblock != 0)
      t.flags |= PTO_TRANSFER_SUBBLOCK;
    issue([&] { return ptosc_transfer(context, site, &t); });
  }
  void load(const Move &m) { transfer(Space::Gm, Space::Ub, Pipe::MTE2, m); }
  void store(const Move &m) { transfer(Space::Ub, Space::Gm, Pipe::MTE3, m); }
  void copy(const Move &m) { transfer(Space::Ub, Space::Ub, Pipe::V, m); }
  void set(Pipe src, Pipe dst, int64_t id = 0) {
    issue([&] { return ptosc_set_flag(context, site, uint32_t(src), uint32_t(dst), id); });
  }
  void wait(Pipe src, Pipe dst, int64_t id = 0) {
    issue([&] { return ptosc_wait_flag(context, site, uint32_t(src), uint32_t(dst), id); });
  }
  void syncSet(Pipe pipe, int64_t id) {
    issue([&] { return ptosc_sync_set(context, site, uint32_t(pipe), id); });
  }
  void syncWait(Pipe pipe, int64_t id) {
    issue([&] { return ptosc_sync_wait(context, site, uint32_t(pipe), id); });
  }
  void crossSet(int64_t id) {
    issue([&] { return ptosc_cross_core_set(context, site, id); });
  }
  void waitDev(int64_t id) {
    issue([&] { return ptosc_wait_flag_dev(context, site, id); });
  }
  void syncAll(PtoSyncCores kind, int64_t used = 0) {
    issue([&] { return ptosc_syncall(context, site, kind, used); });
  }
  bool cube() const { return context->local[size_t(Space::L0A)] != nullptr; }
  void barrier(Pipe pipe) {
    issue([&] { return ptosc_barrier(context, site, uint32_t(pipe)); });
  }
  void get(Pipe pipe, int64_t id, int64_t mode = 0) {
    issue([&] { return ptosc_get_buf(context, site, uint32_t(pipe), id, mode); });
  }
  void rls(Pipe pipe, int64_t id, int64_t mode = 0) {
    issue([&] { return ptosc_rls_buf(context, site, uint32_t(pipe), id, mode); });
  }
  void reg(PtoRegister which, int64_t a, int64_t b) {
    issue([&] { return ptosc_set_register(context, site, which, a, b); });
  }
  void ctrl(int64_t value) {
    issue([&] { return ptosc_set_ctrl(context, site, value); });
  }
  /// The function has to outlive the launch.
  void scope(const Scope &body) {
    uint64_t capture = reinterpret_cast<uint64_t>(&body);
    issue([&] {
      return ptosc_scope(
          context, site,
          [](PtoContext *c, const uint64_t *captures) { (*reinterpret_cast<const Scope *>(captures[0]))(c); }, &capture,
          1);
    });
  }
  uint64_t loadScalar(Space space, uint64_t address, uint32_t bytes = 4) {
    uint64_t value = 0;
    issue([&] { return ptosc_load_scalar(context, site, uint32_t(space), address, bytes, 0, &value); });
    return value;
  }
  void storeScalar(Space space, uint64_t address, uint64_t value, uint32_t bytes = 4) {
    issue([&] { return ptosc_store_scalar(context, site, uint32_t(space), address, bytes, 0, value); });
  }
  void yield(uint64_t carried = 0, bool finite = false) {
    issue([&] { return ptosc_yield(context, site, &carried, sizeof(carried), finite); });
  }
  template <typename Fn> void issue(Fn fn) {
    if (!stop)
      stop = fn();
  }
};

using Program = std::function<void(Su &)>;

class Bench {
public:
  Bench() {
    options.profile = findProfile("a5");
    site("pto.unknown", 1); // site 0
  }

  uint32_t site(std::string op, uint32_t line, uint32_t depth = 0, SiteId loop = kNoSite) {
    Site s;
    s.place = {"k.pto", line, 5};
    s.op = std::move(op);
    s.depth = depth;
    s.loop = loop;
    return sites.add(std::move(s));
  }
  uint64_t buffer(size_t bytes, bool readOnly = false) {
    buffers.emplace_back(bytes);
    std::string name = "%arg" + std::to_string(buffers.size() - 1);
    return gm.add(buffers.back().data(), bytes, name, readOnly);
  }
  /// Bytes 0, 1, 2 … from a generator that differs between neighbours.
  uint64_t pattern(size_t bytes, uint32_t seed = 1) {
    uint64_t address = buffer(bytes);
    uint32_t x = seed * 2654435761u + 12345u;
    for (uint8_t &b : buffers.back()) {
      x = x * 1664525u + 1013904223u;
      b = uint8_t(x >> 24);
    }
    return address;
  }

  LaunchResult run(const Program &program, bool cube = false) {
    KernelImage image;
    PtoSuFunction entry = [](PtoContext *context, const uint64_t *arguments) {
      Su su(context);
      (*reinterpret_cast<const Program *>(arguments[0]))(su);
      return su.stop;
    };
    (cube ? image.aic : image.aiv) = entry;
    image.sites = &sites;
    image.name = "k";
    image.needsAllBlocks = needsAllBlocks;
    return launch(image, gm, {reinterpret_cast<uint64_t>(&program)}, options);
  }

  /// A cluster: the cube core runs one program, both vector cores the other.
  LaunchResult runMixed(const Program &cube, const Program &vector) {
    KernelImage image = mixedImage();
    return launch(image, gm, {reinterpret_cast<uint64_t>(&cube), reinterpret_cast<uint64_t>(&vector)}, options);
  }
  KernelImage mixedImage() const {
    KernelImage image;
    image.aic = [](PtoContext *context, const uint64_t *arguments) {
      Su su(context);
      (*reinterpret_cast<const Program *>(arguments[0]))(su);
      return su.stop;
    };
    image.aiv = [](PtoContext *context, const uint64_t *arguments) {
      Su su(context);
      (*reinterpret_cast<const Program *>(arguments[1]))(su);
      return su.stop;
    };
    image.sites = &sites;
    image.name = "k";
    image.needsAllBlocks = needsAllBlocks;
    return image;
  }
  /// Eager, lazy, and some random schedules.
  static Schedule schedule(unsigned i) {
    return i == 0   ? Schedule{ScheduleKind::Eager, 0}
           : i == 1 ? Schedule{ScheduleKind::Lazy, 0}
                    : Schedule{ScheduleKind::Random, i};
  }

  bool needsAllBlocks = false;
  LaunchOptions options;
  SiteTable sites;
  GmTable gm;
  std::deque<std::vector<uint8_t>> buffers;
};

inline std::string codesOf(const LaunchResult &result) {
  std::string text;
  for (const Finding &f : result.findings.all())
    text += (text.empty() ? "" : " ") + f.code;
  return text;
}
inline std::string textOf(const LaunchResult &result) {
  std::string text;
  for (const Finding &f : result.findings.all()) {
    text += f.place.file + ":" + std::to_string(f.place.line) + ": " + f.code + ": " + f.message + "\n";
    for (const Note &n : f.notes)
      text += "  note " + std::to_string(n.place.line) + ": " + n.message + "\n";
    text += "  help: " + f.help + "\n";
    for (const Remedy &remedy : f.remedies)
      text += "  try: " + remedy.help + "\n";
  }
  return text;
}

} // namespace ptoscope

#endif // PTOSCOPE_UNITTESTS_MACHINE_BENCH_H
