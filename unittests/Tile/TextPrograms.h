//===- TextPrograms.h - programs as generated code makes them ---*- C++ -*-===//
//
// Functions that call Tile/Runtime.h as the code of a `.pto` program does, and a
// launch around them with every check on.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_TILE_TEXTPROGRAMS_H
#define PTOSCOPE_UNITTESTS_TILE_TEXTPROGRAMS_H

#include "pto/detail/layout.hpp"
#include "ptoscope/Checkers/Checkers.h"
#include "ptoscope/Machine/Launch.h"
#include "ptoscope/Tile/Runtime.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace text {

using namespace ptoscope;
using namespace ptoscope::tile;

struct Shape {
  int rows, cols;
};

/// The fields that a type gives.
inline TileView typeOf(TileType location, Elem elem, Shape shape, BLayout block = BLayout::RowMajor,
                       SLayout inner = SLayout::NoneBox, int fractal = 512, PadValue pad = PadValue::Null) {
  TileView tile{};
  tile.ref.location = uint8_t(location);
  tile.ref.elem = elem;
  tile.ref.blockLayout = uint8_t(block);
  tile.ref.innerLayout = uint8_t(inner);
  tile.ref.fractalBytes = uint16_t(fractal);
  tile.ref.rows = shape.rows;
  tile.ref.cols = shape.cols;
  tile.ref.pad = uint64_t(pad);
  return tile;
}
inline TileView vec(Elem elem, Shape shape, PadValue pad = PadValue::Null) {
  return typeOf(TileType::Vec, elem, shape, BLayout::RowMajor, SLayout::NoneBox, 512, pad);
}

/// A launch of one or more blocks. After a call that says "stop" nothing is called.
class Program {
public:
  std::string arch = "a5";
  int64_t blocks = 1;
  bool automatic = false;
  Schedule schedule;
  Checks checks;

  /// A buffer of GM with these bytes, before a run; its device address.
  uint64_t buffer(std::vector<uint8_t> bytes, bool readOnly = false) {
    buffers.push_back(std::move(bytes));
    std::vector<uint8_t> &own = buffers.back();
    return gm.add(own.data(), own.size(), "%arg" + std::to_string(buffers.size() - 1), readOnly);
  }
  template <typename T> uint64_t buffer(const std::vector<T> &values) {
    std::vector<uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return buffer(std::move(bytes));
  }
  template <typename T> std::vector<T> contents(size_t i) const {
    std::vector<T> values(buffers[i].size() / sizeof(T));
    std::memcpy(values.data(), buffers[i].data(), values.size() * sizeof(T));
    return values;
  }

  LaunchResult run(std::function<void()> body) {
    program = std::move(body);
    const Profile &profile = *findProfile(arch);
    LaunchOptions options;
    options.profile = &profile;
    options.blocks = blocks;
    options.checks = checks;
    options.schedule = schedule;
    std::unique_ptr<CheckerFactory> checkers;
    if (checks.any())
      checkers = makeCheckers(sites, gm, profile, checks);
    options.observers = checkers.get();
    KernelImage image;
    image.aiv = [](PtoContext *context, const uint64_t *arguments) {
      Program &self = *reinterpret_cast<Program *>(arguments[0]);
      self.core = context;
      self.status = 0;
      self.program();
      return self.status;
    };
    image.sites = &sites;
    image.unified = true;
    return launch(image, gm, {reinterpret_cast<uint64_t>(this)}, options);
  }

  // --- what a program calls --------------------------------------------------------------
  TileView alloc(TileView type, int64_t address, int64_t rows, int64_t cols) {
    call("pto.alloc_tile", [&](SiteId site) { return ptosc_tile_alloc(core, site, &type, address, rows, cols); });
    return type;
  }
  TileView alloc(TileView type, int64_t address) { return alloc(type, address, type.ref.rows, type.ref.cols); }
  void setValid(TileView &tile, int64_t rows, int64_t cols) {
    call("pto.set_validshape", [&](SiteId site) { return ptosc_tile_valid(core, site, &tile, rows, cols); });
  }
  TileView subview(const TileView &tile, int64_t row, int64_t col, int64_t rows, int64_t cols, int64_t validRows = -1,
                   int64_t validCols = -1) {
    TileView result{};
    call("pto.subview", [&](SiteId site) {
      return ptosc_tile_subview(core, site, &result, &tile, row, col, rows, cols, validRows < 0 ? rows : validRows,
                                validCols < 0 ? cols : validCols);
    });
    return result;
  }
  GlobalView view(uint64_t pointer, Elem elem, std::vector<int64_t> shape, std::vector<int64_t> stride,
                  int layout = -1) {
    GlobalView result{};
    result.ref.pointer = reinterpret_cast<void *>(pointer);
    result.ref.elem = elem;
    result.ref.layout = uint8_t(layout >= 0 ? layout : shape.size() == 5 ? PTO_LAYOUT_OF_RANK5 : PTO_LAYOUT_OF_OTHERS);
    for (size_t k = 0; k < 5; ++k) {
      const size_t skip = 5 - shape.size();
      result.ref.shape[k] = k < skip ? 1 : shape[k - skip];
      result.ref.stride[k] = k < skip ? 0 : stride[k - skip];
    }
    call("pto.make_tensor_view", [&](SiteId site) { return ptosc_view_make(core, site, &result); });
    return result;
  }
  GlobalView part(const GlobalView &view, std::vector<int64_t> offsets, std::vector<int64_t> sizes) {
    GlobalView result{};
    offsets.insert(offsets.begin(), 5 - offsets.size(), 0);
    sizes.insert(sizes.begin(), 5 - sizes.size(), 1);
    call("pto.partition_view",
         [&](SiteId site) { return ptosc_view_part(core, site, &result, &view, offsets.data(), sizes.data()); });
    return result;
  }
  void issue(const char *record, std::vector<const TileView *> tiles, const GlobalView *global = nullptr,
             std::vector<uint64_t> scalars = {}, uint32_t mode = 0) {
    PtoTileCall given{};
    given.record = indexOf(record);
    given.mode = mode;
    given.tiles = uint32_t(tiles.size());
    given.automatic = automatic;
    std::copy(tiles.begin(), tiles.end(), given.tile);
    std::copy(scalars.begin(), scalars.end(), given.scalar);
    given.global = global;
    std::string name = std::string("pto.") + record;
    for (char &c : name)
      c = char(std::tolower(c));
    call(name, [&](SiteId site) { return ptosc_tile(core, site, &given); });
  }
  uint64_t get(const TileView &tile, int64_t index) {
    uint64_t bits = 0;
    call("pto.tgetval", [&](SiteId site) { return ptosc_tile_get(core, site, &tile, index, &bits); });
    return bits;
  }
  void set(const TileView &tile, int64_t index, uint64_t bits) {
    call("pto.tsetval", [&](SiteId site) { return ptosc_tile_set(core, site, &tile, index, bits); });
  }
  void order() {
    call("pto.vecscope", [&](SiteId site) { return ptosc_tile_order(core, site); });
  }
  void barrier() {
    call("pto.barrier", [&](SiteId site) { return ptosc_barrier(core, site, uint32_t(Pipe::All)); });
  }
  template <typename Fn> void call(const std::string &op, Fn fn) {
    if (!status)
      status = fn(siteOf(op));
  }

  PtoContext *core = nullptr;
  int32_t status = 0;

private:
  SiteId siteOf(const std::string &op) {
    auto [it, isNew] = ids.try_emplace(op, 0);
    if (isNew) {
      Site site;
      site.op = op;
      site.place = {"test.pto", uint32_t(ids.size()), 1};
      it->second = sites.add(std::move(site));
    }
    return it->second;
  }

  SiteTable sites{Language::Pto};
  std::map<std::string, SiteId> ids;
  GmTable gm;
  std::deque<std::vector<uint8_t>> buffers;
  std::function<void()> program;
};

/// "code: message", a line for each finding.
inline std::string textOf(const LaunchResult &result) {
  std::string text;
  for (const Finding &finding : result.findings.all())
    text += finding.code + ": " + finding.message + "\n";
  return text;
}

/// Places in UB for four tiles.
inline constexpr int64_t kA = 0, kB = 16384, kC = 32768, kD = 49152;

template <typename T> Elem elemOf() {
  return std::is_same_v<T, float> ? Elem::f32 : sizeof(T) == 1 ? Elem::i8 : sizeof(T) == 2 ? Elem::i16 : Elem::i32;
}
inline uint64_t bitsOfFloat(float value) { return std::bit_cast<uint32_t>(value); }

using Bytes = std::vector<uint8_t>;

/// UB before and after a program, and what was found.
struct OnUb {
  Bytes before, after;
  std::string found;
};

/// Runs `body` in program order on a UB of random bytes, which `prepare` may change.
inline OnUb onUb(std::function<void(Program &)> body, std::function<void(Bytes &)> prepare = {}, unsigned seed = 1,
                 const char *arch = "a5", const std::function<void(Program &)> &setup = {}) {
  constexpr size_t kBytes = 1 << 16;
  OnUb result{Bytes(kBytes), Bytes(kBytes), ""};
  Program p;
  p.arch = arch;
  p.automatic = true;
  p.checks.init = false;
  if (setup)
    setup(p);
  std::mt19937 random(seed);
  for (uint8_t &byte : result.before)
    byte = uint8_t(random());
  if (prepare)
    prepare(result.before);
  result.found = textOf(p.run([&] {
    uint8_t *ub = p.core->local[size_t(Space::Ub)];
    std::memcpy(ub, result.before.data(), kBytes);
    body(p);
    p.barrier();
    std::memcpy(result.after.data(), ub, kBytes);
  }));
  return result;
}

/// Element `i` from a byte on, and all that follow each other.
template <typename T> T valueAt(const Bytes &bytes, size_t base, size_t i = 0) {
  T value;
  std::memcpy(&value, &bytes[base + i * sizeof(T)], sizeof(T));
  return value;
}
template <typename T> void putAt(Bytes &bytes, size_t base, size_t i, T value) {
  std::memcpy(&bytes[base + i * sizeof(T)], &value, sizeof(T));
}

/// Wants exactly the bytes that `model` makes of those before.
inline void expectUb(const OnUb &run, std::function<void(Bytes &)> model, const std::string &found = "") {
  EXPECT_EQ(run.found, found);
  Bytes wanted = run.before;
  model(wanted);
  for (size_t i = 0; i < wanted.size(); ++i)
    ASSERT_EQ(int(run.after[i]), int(wanted[i])) << "byte " << i;
}

} // namespace text

#endif // PTOSCOPE_UNITTESTS_TILE_TEXTPROGRAMS_H
