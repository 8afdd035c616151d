//===- TextBench.cpp - tile programs in text ------------------------------===//
//
// Beside the same kernels through the C++ tile API, beside programs of the micro
// level, and beside mlir-opt, which reads the same text in its generic form and
// knows nothing of it.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Kernel.h"
#include "TextTwins.h"

#include <filesystem>
#include <fstream>

using bench::Array;
using ptoscope::Argument, ptoscope::Checks, ptoscope::Session;

namespace {

//===----------------------------------------------------------------------===//
// Beside the C++ tile API
//===----------------------------------------------------------------------===//

template <typename T> std::span<uint8_t> bytesOf(Array<T> &array) {
  return {reinterpret_cast<uint8_t *>(array.data()), array.size() * sizeof(T)};
}

/// `cpp` runs the same kernel; both write to `result`.
template <typename Cpp>
bool twins(Session &session, const std::string &what, const std::string &kernel, const std::vector<Argument> &arguments,
           Array<float> &result, Cpp cpp, double checkedBound) {
  bench::Kernel plain(session, "benchmarks/tile.pto", kernel, Checks::none()),
      checked(session, "benchmarks/tile.pto", kernel, Checks());
  bool ok = plain.run(arguments);
  Array<float> expected(result.size());
  std::copy(result.data(), result.data() + result.size(), expected.data());
  std::fill(result.data(), result.data() + result.size(), 0.0f);
  ok = ok && cpp(false) && result == expected && checked.run(arguments) && result == expected;
  if (!ok)
    return bench::wrong(what + ", text and C++");
  auto [text, api, on, apiOn] = bench::leastTimes([&] { ok &= plain.run(arguments); }, [&] { ok &= cpp(false); },
                                                  [&] { ok &= checked.run(arguments); }, [&] { ok &= cpp(true); });
  std::printf("  %s: text %.2f ms, C++ %.2f ms; all checks on %.2f ms, %.2f ms\n", what.c_str(), text * 1e3, api * 1e3,
              on * 1e3, apiOn * 1e3);
  ok &= bench::figure(what + ", text / C++", text / api, 1.1);
  ok &= bench::figure(what + ", text / C++, all checks on", on / apiOn, 1.1);
  return bench::figure(what + " in text, all checks on / checks off", on / text, checkedBound) && ok;
}

bool besideCpp() {
  constexpr size_t kTiles = 1024, kCount = kTiles * 32 * 256, kWide = 512, kRowTiles = 256;
  Session session;
  Array<float> x(kCount), y(kCount), z(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    x[i] = float(i % 1000) * 0.5f;
    y[i] = float(i % 77) - 20.0f;
  }
  bool ok = twins(
      session, "tile add", "add", {bytesOf(x), bytesOf(y), bytesOf(z), uint64_t(kTiles / 2)}, z,
      [&](bool checks) { return bench::addTwin(checks, x, y, z, int64_t(kTiles)); }, 3);
  Array<float> logits(kRowTiles * 16 * kWide), shares(logits.size());
  for (size_t i = 0; i < logits.size(); ++i)
    logits[i] = float(i % 4001) / 500.0f - 4.0f;
  ok &= twins(
      session, "tile softmax", "softmax", {bytesOf(logits), bytesOf(shares), uint64_t(kRowTiles)}, shares,
      [&](bool checks) { return bench::softmaxTwin(checks, logits, shares, int64_t(kRowTiles)); }, 3);
  Array<float> a(kWide * kWide), b(kWide * kWide), c(kWide * kWide);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = float(i % 13) - 6.0f;
    b[i] = float(i % 7) - 3.0f;
  }
  return twins(
             session, "tile product 512^3", "product", {bytesOf(a), bytesOf(b), bytesOf(c), uint64_t(2)}, c,
             [&](bool checks) { return bench::productTwin(checks, a, b, c, 2); }, 3) &&
         ok;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// A file of its own for a text, until the end of the scope.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &text = "") {
    path = (std::filesystem::temp_directory_path() / "ptoscope-bench-XXXXXX").string();
    if (int file = mkstemp(path.data()); file >= 0)
      close(file);
    std::ofstream(path) << text;
  }
  TemporaryFile(const TemporaryFile &) = delete;
  ~TemporaryFile() { unlink(path.c_str()); }

  std::string path;
};

bool tiny(const std::string &ptoscope) {
  auto run = [&](const char *file) {
    std::vector<std::string> words = {ptoscope, "run", PTOSCOPE_SOURCE "/benchmarks/" + std::string(file)};
    for (const char *array : {"random:f32:256:1", "random:f32:256:2", "zeros:f32:256"})
      words.insert(words.end(), {"--arg", array});
    return words;
  };
  auto times = bench::leastTimes({run("tiny_tiles.pto"), run("tiny_registers.pto")}, 25);
  if (!times)
    return false;
  double tiles = (*times)[0].wall, registers = (*times)[1].wall;
  bench::report("tiny tile program end to end, default checks", tiles * 1e3, "ms");
  return bench::figure("tiny tile program end to end / micro-level twin", tiles / registers, 1);
}

/// As compilers unroll: parts of two arrays, loaded, computed with and stored. Level 2 leaves addresses out.
std::string longProgram(int instructions, bool addresses) {
  const std::string tile = "!pto.tile_buf<vec, 1x256xf32>", view = "!pto.tensor_view<?xf32>",
                    part = "!pto.partition_tensor_view<256xf32>";
  std::string text = "module attributes {pto.target_arch = \"a5\", pto.kernel_kind = #pto.kernel_kind<vector>} {\n"
                     "  func.func @long(%x: !pto.ptr<f32>, %z: !pto.ptr<f32>, %n: index) attributes {pto.entry} {\n"
                     "    %c1 = arith.constant 1 : index\n    %c256 = arith.constant 256 : index\n";
  for (const char *array : {"x", "z"})
    text += std::string("    %v") + array + " = pto.make_tensor_view %" + array +
            ", shape = [%n], strides = [%c1] : " + view + "\n";
  for (int k = 0; k < instructions / 5; ++k) {
    const std::string at = std::to_string(k);
    text += "    %i" + at + " = arith.constant " + std::to_string(k * 256) + " : index\n";
    for (const char *array : {"x", "z"})
      text += std::string("    %p") + array + at + " = pto.partition_view %v" + array + ", offsets = [%i" + at +
              "], sizes = [%c256] : " + view + " -> " + part + "\n";
    for (int j = 0; j < 3; ++j) {
      const std::string name = std::string(1, char('a' + j)) + "_" + at;
      if (addresses)
        text += "    %at_" + name + " = arith.constant " + std::to_string((k % 4 * 3 + j) * 1024) + " : i64\n";
      text += "    %" + name + " = pto.alloc_tile" + (addresses ? " addr = %at_" + name : "") + " : " + tile + "\n";
    }
    const std::string pair = " : " + tile + ", " + tile + ") outs(%";
    text += "    pto.tload ins(%px" + at + " : " + part + ") outs(%a_" + at + " : " + tile + ")\n";
    text += "    pto.texp ins(%a_" + at + " : " + tile + ") outs(%b_" + at + " : " + tile + ")\n";
    text += "    pto.tadd ins(%a_" + at + ", %b_" + at + pair + "c_" + at + " : " + tile + ")\n";
    text += "    pto.tmul ins(%c_" + at + ", %b_" + at + pair + "a_" + at + " : " + tile + ")\n";
    text += "    pto.tstore ins(%a_" + at + " : " + tile + ") outs(%pz" + at + " : " + part + ")\n";
  }
  return text + "    return\n  }\n}\n";
}

/// 6 MB, which have to be read anyway: mlir-opt reads the generic form and prints no more than the module's name.
bool parsing(const std::string &ptoscope) {
  TemporaryFile text(longProgram(24000, true)), generic;
  if (!bench::timeCommand({ptoscope, "opt", text.path, "--mlir-print-op-generic", "-o", generic.path}))
    return bench::wrong("a long tile program");
  auto times = bench::leastTimes({{ptoscope, "check", text.path},
                                  {PTOSCOPE_MLIR_OPT, "--allow-unregistered-dialect", "--mlir-disable-threading",
                                   "--mlir-print-skip-regions", generic.path, "-o", "/dev/null"}},
                                 5);
  if (!times)
    return false;
  double ours = (*times)[0].processor, theirs = (*times)[1].processor;
  bench::report("check of a tile program of 6 MB", ours, "s");
  return bench::figure("check of a tile program of 6 MB / mlir-opt", ours / theirs, 2);
}

/// Passes over a long program, and over one four times as long. Reading and printing it
/// is most of the time and grows faster than the text once that has left the host's
/// cache, so growth is judged beside them.
bool passes(const std::string &ptoscope) {
  struct Pass {
    const char *what, *option;
    bool addresses;
    double bound; ///< of 10000 instructions beside mlir-opt on nothing
  };
  const Pass kPasses[] = {{"pto-plan-memory", "--pto-plan-memory", false, 40},
                          {"pto-insert-sync", "--pto-insert-sync", true, 60}};
  bool ok = true;
  for (const Pass &pass : kPasses) {
    TemporaryFile shorter(longProgram(10000, pass.addresses)), longer(longProgram(40000, pass.addresses));
    auto times = bench::leastTimes({{ptoscope, "opt", pass.option, shorter.path},
                                    {ptoscope, "opt", pass.option, longer.path},
                                    {ptoscope, "opt", shorter.path},
                                    {ptoscope, "opt", longer.path},
                                    {PTOSCOPE_MLIR_OPT, "/dev/null"}},
                                   5);
    if (!times)
      return false;
    auto seconds = [&](size_t i) { return (*times)[i].processor; };
    const std::string what = pass.what;
    bench::report(what + ", 10000 tile instructions", seconds(0), "s");
    ok &= bench::figure(what + ", 10000 tile instructions / mlir-opt on nothing", seconds(0) / seconds(4), pass.bound);
    bench::report(what + ", 40000 tile instructions / 10000", seconds(1) / seconds(0), "x");
    bench::report("reading and printing them, 40000 / 10000", seconds(3) / seconds(2), "x");
    ok &= bench::figure(what + ", growth / that of reading and printing",
                        seconds(1) / seconds(0) / (seconds(3) / seconds(2)), 1.15);
  }
  return ok;
}

/// Compiling an unrolled program and running it once, and one four times as long.
bool unrolled(const std::string &ptoscope) {
  TemporaryFile shorter(longProgram(1000, true)), longer(longProgram(4000, true));
  auto command = [&](const TemporaryFile &file) {
    return std::vector<std::string>{ptoscope,           "run",   file.path, "--arg", "random:f32:204800:1", "--arg",
                                    "zeros:f32:204800", "--arg", "204800"};
  };
  auto times = bench::leastTimes({command(shorter), command(longer)}, 5);
  if (!times)
    return false;
  double once = (*times)[0].processor, more = (*times)[1].processor;
  bench::report("run of 4000 tile instructions without a loop, default checks", more, "s");
  return bench::figure("run of 4000 tile instructions without a loop / 1000", more / once, 4.6);
}

} // namespace

bool bench::tileText(const std::string &ptoscope) {
  bool ok = besideCpp();
  ok &= tiny(ptoscope);
  ok &= parsing(ptoscope);
  ok &= unrolled(ptoscope);
  return passes(ptoscope) && ok;
}
