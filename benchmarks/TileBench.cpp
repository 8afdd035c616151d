//===- TileBench.cpp - the C++ tile API against native code ---------------===//

#include "TileBench.h"

#include "Command.h"
#include "Native.h"
#include "TileKernels.h"

#include <filesystem>

using namespace pto;
using bench::addTiles, bench::Array, bench::kCols, bench::leastTimes, bench::run, bench::wrong;

namespace {

//===----------------------------------------------------------------------===//
// Streaming addition
//===----------------------------------------------------------------------===//

template <int Rows, int Buffers> bool addition() {
  constexpr size_t kCount = size_t(16) << 20, kElements = Rows * kCols, kTiles = kCount / kElements;
  Array<float> x(kCount), y(kCount), z(kCount), expected(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    x[i] = float(i % 1000) * 0.5f;
    y[i] = float(i % 77) - 20.0f;
  }
  Array<uint8_t> scratch(256 * 1024);
  const std::string what = "tile add, " + std::to_string(Rows) + "x256";
  bool ok = true;
  auto ours = [&](bool checked) {
    return [&, checked] { ok &= run(checked, addTiles<Rows, Buffers>, x, y, z, int64_t(kTiles)); };
  };
  auto clocked = [&] {
    ptoscope::Options options;
    options.unchecked().timing = true;
    ok &= bench::runWith(options, addTiles<Rows, Buffers>, x, y, z, int64_t(kTiles));
  };
  ours(false)();
  native::addPlain(x.data(), y.data(), expected.data(), kCount);
  if (!ok || !(z == expected))
    return wrong(what);
  auto [off, tiled, plain, on, timed] = leastTimes(
      ours(false),
      [&] { native::addTiled(x.data(), y.data(), expected.data(), kTiles, kElements, Buffers, scratch.data()); },
      [&] { native::addPlain(x.data(), y.data(), expected.data(), kCount); }, ours(true), clocked);
  if (!ok || !(z == expected))
    return wrong(what);
  std::printf("  %s tiles of 16 Mi f32: checks off %.1f ms, on %.1f ms; native with the same copies %.1f ms, "
              "plain loop %.1f ms\n",
              what.c_str(), off * 1e3, on * 1e3, tiled * 1e3, plain * 1e3);
  ok &= bench::figure(what + " / native with the same copies", off / tiled, 1.25);
  ok &= bench::figure(what + " / native plain loop", off / plain, 3.3);
  ok &= bench::figure(what + ", with times / without", timed / off, 1.5);
  return bench::figure(what + ", all checks on / checks off", on / off, 1.3) && ok;
}

//===----------------------------------------------------------------------===//
// Loads into fractals
//===----------------------------------------------------------------------===//

/// What is loaded in turn, more than a cache near the processor holds: global memory is not there.
constexpr size_t kSourceBytes = size_t(16) << 20;

template <typename T, int Rows, int Cols> void loadFractals(const T *x, int64_t sources, int64_t turns) {
  using Mat = Tile<TileType::Mat, T, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;
  constexpr int kElements = Rows * Cols;
  using View = GlobalTensor<const T, Shape<1, 1, 1, Rows, Cols>, Stride<kElements, kElements, kElements, Cols, 1>>;
  Mat tile;
  TASSIGN(tile, 0);
  for (int64_t t = 0; t < turns; ++t) {
    View view(x + t % sources * kElements);
    TLOAD(tile, view);
  }
}

template <typename T, int Rows, int Cols> bool fractalLoad(const char *type) {
  constexpr size_t kBytes = size_t(Rows) * Cols * sizeof(T);
  constexpr int64_t kTurns = int64_t(size_t(64) << 20) / int64_t(kBytes);
  constexpr int64_t kSources = int64_t(kSourceBytes / kBytes);
  Array<T> x(kSourceBytes / sizeof(T));
  Array<uint8_t> scratch(kBytes);
  bool ok = true;
  auto [ours, copy] = leastTimes([&] { ok &= run(false, loadFractals<T, Rows, Cols>, x, kSources, kTurns); },
                                 [&] {
                                   native::copyTiles(reinterpret_cast<const uint8_t *>(x.data()), scratch.data(),
                                                     kBytes, size_t(kSources), size_t(kTurns));
                                 });
  const std::string what =
      "ND to NZ load, " + std::string(type) + " " + std::to_string(Rows) + "x" + std::to_string(Cols);
  std::printf("  %s: %.0f ns, memcpy %.0f ns\n", what.c_str(), ours * 1e9 / double(kTurns),
              copy * 1e9 / double(kTurns));
  return bench::figure(what + " / memcpy", ours / copy, 4) && ok;
}

//===----------------------------------------------------------------------===//
// Atomic stores
//===----------------------------------------------------------------------===//

template <AtomicType Atomic> void storeTiles(float *z, int64_t tiles, int64_t turns) {
  constexpr int kRows = 32, kElements = kRows * kCols;
  using Vec = Tile<TileType::Vec, float, kRows, kCols>;
  using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kElements, kElements, kElements, kCols, 1>>;
  Vec tile;
  TASSIGN(tile, 0);
  TEXPANDS(tile, 1.0f);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  for (int64_t t = 0; t < turns; ++t) {
    View view(z + t % tiles * kElements);
    TSTORE<Vec, View, Atomic>(view, tile);
  }
}

bool atomicStore() {
  constexpr int64_t kTiles = 256, kTurns = 1024;
  constexpr size_t kElements = 32 * kCols;
  Array<float> z(kTiles * kElements), tile(kElements, 1.0f);
  bool ok = true;
  auto [atomic, plain, native] =
      leastTimes([&] { ok &= run(false, storeTiles<AtomicType::AtomicAdd>, z, kTiles, kTurns); },
                 [&] { ok &= run(false, storeTiles<AtomicType::AtomicNone>, z, kTiles, kTurns); },
                 [&] { native::addInto(z.data(), tile.data(), kElements, size_t(kTiles), size_t(kTurns)); });
  // The plain store leaves ones, native adds four to them.
  for (size_t i = 0; i < z.size(); ++i)
    ok &= z[i] == 1.0f + float(kTurns / kTiles);
  if (!ok)
    return wrong("atomic store");
  std::printf("  32x256 f32: atomic add store %.2f us, plain store %.2f us, native sum into the same places "
              "%.2f us\n",
              atomic * 1e6 / kTurns, plain * 1e6 / kTurns, native * 1e6 / kTurns);
  ok &= bench::figure("atomic add store / native z[i] += x[i]", atomic / native, 8);
  return bench::figure("atomic add store / plain store", atomic / plain, 8) && ok;
}
//===----------------------------------------------------------------------===//
// Small things
//===----------------------------------------------------------------------===//

void tinyAdds(int64_t turns) {
  Tile<TileType::Vec, float, 1, 8> a, b;
  TASSIGN(a, 0);
  TASSIGN(b, 32);
  TEXPANDS(a, 1.0f);
  TEXPANDS(b, 1.0f);
  for (int64_t t = 0; t < turns; ++t)
    TADD(a, a, b);
}

bool tinyInstruction() {
  constexpr int64_t kTurns = 200000;
  bool ok = true;
  auto [off, on, least] =
      leastTimes([&] { ok &= run(false, tinyAdds, kTurns); }, [&] { ok &= run(true, tinyAdds, kTurns); },
                 [] { bench::keep(native::dispatch(kTurns)); });
  bench::report("TADD of 8 elements, checks off", off * 1e9 / kTurns, "ns");
  bench::report("TADD of 8 elements, all checks on", on * 1e9 / kTurns, "ns");
  ok &= bench::figure("TADD of 8 elements, checks off / dispatch alone", off / least, 27);
  return bench::figure("TADD of 8 elements, all checks on / dispatch alone", on / least, 270) && ok;
}

std::vector<std::string> compileCommand(std::vector<std::string> compiler, const char *level, const char *flag,
                                        const char *file) {
  compiler.insert(compiler.end(),
                  {level, flag, "-c", PTOSCOPE_SOURCE "/benchmarks/" + std::string(file), "-o", "/dev/null"});
  return compiler;
}
std::vector<std::string> plainCompiler(const std::string &compiler) {
  return {compiler, "-std=c++20", "-I" PTOSCOPE_SOURCE "/include"};
}

/// A kernel of four lines beside files that only include headers: the standard ones that it
/// includes through ours, for kernels and for the host profile, and a handful that most
/// programs have. `driver` is `ptoscope c++`, which keeps parsed headers in a folder.
bool compileTime(const std::string &driver) {
  struct Pair {
    const char *name, *flag, *beside;
    double bound;
  };
  constexpr Pair kPairs[] = {{"a four-line kernel / its standard headers, ", "-U__CPU_SIM", "same_headers.cpp", 1.5},
                             {"the same in the host profile, ", "-D__CPU_SIM", "same_headers.cpp", 1.5},
                             {"a four-line kernel / standard headers, ", "-U__CPU_SIM", "standard_headers.cpp", 0.6}};
  std::string cache = std::filesystem::temp_directory_path() / "ptoscope-bench-XXXXXX";
  if (!mkdtemp(cache.data()))
    return false;
  const std::vector<std::string> kept = {"env", "PTOSCOPE_CACHE=" + cache, "PTOSCOPE_CXX=" PTOSCOPE_COMPILER, driver};
  struct Compiler {
    std::string name;
    std::vector<std::string> words;
    std::string beside;
  };
  const std::string clang = PTOSCOPE_COMPILER;
  const Compiler compilers[] = {{"ptoscope c++", kept, clang},
                                {clang.substr(clang.rfind('/') + 1), plainCompiler(clang), clang},
                                {"g++", plainCompiler("g++"), "g++"}};
  bool ok = true;
  for (const Compiler &compiler : compilers)
    for (const char *level : {"-O0", "-O2"})
      for (const Pair &pair : kPairs) {
        const std::string name = compiler.name + " " + level;
        auto times = bench::leastTimes({compileCommand(compiler.words, level, pair.flag, "four_lines.cpp"),
                                        compileCommand(plainCompiler(compiler.beside), level, pair.flag, pair.beside)},
                                       7);
        if (!times)
          return wrong(name);
        double ours = (*times)[0].processor, theirs = (*times)[1].processor;
        bench::report("a four-line kernel, compiled by " + name + " " + pair.flag, ours, "s");
        ok &= bench::figure(pair.name + name, ours / theirs, pair.bound);
      }
  std::filesystem::remove_all(cache);
  return ok;
}

} // namespace

bool bench::tile(const std::string &driver) {
  bool ok = addition<32, 2>();
  ok &= addition<64, 1>();
  ok &= fractalLoad<half, 128, 128>("f16");
  ok &= fractalLoad<float, 128, 128>("f32");
  ok &= fractalLoad<half, 16, 64>("f16");
  ok &= fractalLoad<float, 16, 64>("f32");
  ok &= bench::tileProducts();
  ok &= bench::tileHalf();
  ok &= bench::tileGathers();
  ok &= atomicStore();
  ok &= tinyInstruction();
  return compileTime(driver) && ok;
}
