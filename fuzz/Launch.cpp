//===- Launch.cpp - launches of C++ kernels, as descriptors ---------------===//
//
// Options, blocks, buffers and cores of a launch are taken from the input, and so
// is what the kernel does: addresses of tiles, pointers, extents and strides of
// views, flags. All of it reaches the library as plain numbers that a program can
// get wrong.
//
//===----------------------------------------------------------------------===//

#include "Input.h"

#include "pto/pto-inst.hpp"
#include "ptoscope/launch.hpp"

#include <array>
#include <cstring>
#include <vector>

using namespace pto;

namespace {

/// Bytes of the input, one number after another; zeros behind its end.
class Numbers {
public:
  explicit Numbers(std::string_view bytes) : bytes(bytes) {}
  bool atEnd() const { return bytes.empty(); }

  template <typename T> T take() {
    T value{};
    const size_t size = std::min(sizeof(T), bytes.size());
    memcpy(&value, bytes.data(), size);
    bytes.remove_prefix(size);
    return value;
  }
  unsigned below(unsigned n) { return take<uint8_t>() % n; }
  /// Mostly one that makes sense, with its neighbours and the ends of the range among them.
  int64_t number() {
    static constexpr int64_t kOdd[] = {0,         -1,        INT64_MAX,       INT64_MIN, INT32_MAX,
                                       INT32_MIN, 1ll << 32, (1ll << 48) - 1, 1ll << 40, -4096};
    const unsigned kind = below(8);
    return kind < 4 ? take<uint8_t>() : kind < 6 ? take<int16_t>() * 32 : kind == 6 ? kOdd[below(10)] : take<int64_t>();
  }

private:
  std::string_view bytes;
};

constexpr int kRows = 8, kCols = 64;
using Vec = Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using Extents = Shape<DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC>;
using Steps = Stride<DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC>;
using View = GlobalTensor<float, Extents, Steps>;

/// What every block does: the same numbers for each.
struct Kernel {
  std::string_view input;
  float *buffers[2];

  void operator()() const {
    Numbers n(input);
    const auto extent = [&] { return int(n.below(4) ? n.below(10) : n.number()); };
    const auto view = [&] {
      // Far from any buffer, too: a kernel may compute any address.
      float *pointer = reinterpret_cast<float *>(reinterpret_cast<uintptr_t>(buffers[n.below(2)]) +
                                                 uintptr_t(n.below(4) ? 0 : n.number()));
      const bool plain = n.below(2);
      const Extents extents =
          plain ? Extents(1, 1, 1, kRows, kCols) : Extents(extent(), extent(), extent(), extent(), extent());
      const Steps steps = plain ? Steps(kRows * kCols, kRows * kCols, kRows * kCols, kCols, 1)
                                : Steps(n.number(), n.number(), n.number(), n.number(), n.below(4) ? 1 : n.number());
      return View(pointer, extents, steps);
    };
    std::array<Vec, 3> tiles{Vec(kRows, kCols), Vec(kRows, kCols), Vec(kRows, kCols)};
    for (size_t i = 0; i < tiles.size(); ++i)
      TASSIGN(tiles[i], uint64_t(n.below(8) ? i * kRows * kCols * sizeof(float) : uint64_t(n.number())));
    for (unsigned steps = 0; steps < 32 && !n.atEnd(); ++steps) {
      Vec &a = tiles[n.below(3)], &b = tiles[n.below(3)], &c = tiles[n.below(3)];
      switch (n.below(10)) {
      case 0: {
        View from = view();
        TLOAD(a, from);
        break;
      }
      case 1: {
        View to = view();
        TSTORE(to, a);
        break;
      }
      case 2:
        TADD(a, b, c);
        break;
      case 3:
        TEXP(a, b);
        break;
      case 4:
        set_flag(n.below(2) ? PIPE_MTE2 : PIPE_V, n.below(2) ? PIPE_V : PIPE_MTE3, event_t(n.below(12)));
        break;
      case 5:
        wait_flag(n.below(2) ? PIPE_MTE2 : PIPE_V, n.below(2) ? PIPE_V : PIPE_MTE3, event_t(n.below(12)));
        break;
      case 6:
        pipe_barrier(n.below(2) ? PIPE_ALL : PIPE_V);
        break;
      case 7:
        TASSIGN(a, uint64_t(n.number()));
        break;
      case 8:
        a = Vec(extent(), extent());
        TASSIGN(a, uint64_t(n.below(64)) * 32);
        break;
      case 9:
        TADDS(a, b, n.take<float>());
        break;
      }
    }
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Numbers n(ptoscope::fuzz::textOf(data, size));
  static const char *const kArchs[] = {nullptr, "a5", "a3", "a2", "", "b7"};
  ptoscope::Options options;
  options.arch = kArchs[n.below(20) ? n.below(4) : n.below(6)];
  const uint8_t checks = n.below(2) ? 15 : n.take<uint8_t>();
  options.race = checks & 1;
  options.memory = checks & 2;
  options.init = checks & 4;
  options.sync = checks & 8;
  options.schedule = ptoscope::Options::Order(n.below(3));
  options.seed = n.take<uint8_t>();
  options.threads = n.below(8) ? 1 : n.below(4);
  options.maxFindings = n.below(4) ? 20 : n.below(3);
  options.maxSteps = 2000;
  options.ubBytes = n.below(8) ? 0 : n.take<uint32_t>();
  options.fullFill = n.below(2);
  options.timing = n.below(4) == 0;
  std::vector<float> x(kRows * kCols, 1), y(kRows * kCols, 2);
  std::vector<ptoscope::detail::BufferRef> buffers;
  buffers.push_back({x.data(), n.below(8) ? x.size() * sizeof(float) : n.below(255), "x", n.below(4) == 0});
  buffers.push_back(
      {y.data(), n.below(8) ? y.size() * sizeof(float) : n.below(255), n.below(2) ? "y" : nullptr, n.below(4) == 0});
  if (n.below(8) == 0) // a part of one of the others, or nothing
    buffers.push_back({n.below(2) ? x.data() + n.below(100) : nullptr, n.below(200), nullptr, n.below(2) == 0});
  const int64_t blocks = n.below(8) ? 1 + n.below(3) : n.below(2) ? -int64_t(n.below(100)) : n.below(40);
  ptoscope::detail::Cores cores;
  Kernel kernel{{}, {x.data(), y.data()}};
  const ptoscope::detail::CoreProgram program{[](void *self) { (*static_cast<Kernel *>(self))(); }, &kernel};
  cores.vector = n.below(20) ? program : ptoscope::detail::CoreProgram{};
  cores.cube = n.below(8) ? ptoscope::detail::CoreProgram{} : program;
  cores.unified = !cores.cube.invoke && n.below(8);
  cores.vectorCores = n.below(8) ? 2 : n.take<int8_t>();
  kernel.input = ptoscope::fuzz::textOf(data, size);
  kernel.input.remove_prefix(std::min<size_t>(size, 24));

  const ptoscope::Result result = ptoscope::detail::launchCores(options, blocks, buffers.data(), buffers.size(), cores);
  for (size_t i = 0; i < result.size(); ++i)
    ptoscope::fuzz::require(strcmp(result[i].code, "internal-error") != 0, result[i].message);
  ptoscope::fuzz::require(result.completed() || !result.ok(), "what did not complete is not right");
  ptoscope::fuzz::require(result.completed() || result.size() > 0 || options.maxFindings == 0,
                          "what did not complete says why");
  return 0;
}
