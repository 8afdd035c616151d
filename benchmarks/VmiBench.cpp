//===- VmiBench.cpp - vectors of any length beside micro instructions -----===//
//
// The same kernel twice, on registers and on vectors of any length: what it takes
// to run, without and with checks, and to compile.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Kernel.h"
#include "ptoscope/Support/Array.h"

#include <cstring>

using namespace ptoscope;

namespace {

constexpr size_t kTileBytes = 32768;

struct Twins {
  const char *name, *text;
  size_t outBytes; ///< of a tile
  bool halves;
};
constexpr Twins kTwins[] = {
    {"add", "streaming add", 16384, false},
    {"tail", "streaming add under a mask", 16384, false},
    {"half", "scale and add of f16 in f32", 32768, true},
    {"rows", "softmax of rows", 32768, false},
};

/// Least time of `vmi` over least time of `micro`, which take turns.
double ratioOf(const bench::Kernel &vmi, const bench::Kernel &micro, const std::vector<Argument> &arguments) {
  auto times = bench::leastTimes([&] { vmi.run(arguments); }, [&] { micro.run(arguments); });
  return times[0] / times[1];
}

bool measure(Session &session, const Twins &twins) {
  constexpr const char *kFile = "benchmarks/vmi.pto";
  const std::string vmi = std::string(twins.name) + "_vmi", micro = std::string(twins.name) + "_micro";
  bool ok = true;
  for (bool checked : {false, true}) {
    const Checks checks = checked ? Checks() : Checks::none();
    const size_t tiles = checked ? 256 : 1024;
    std::optional<ByteBuffer> x = ByteBuffer::allocate(tiles * kTileBytes),
                              y = ByteBuffer::allocate(tiles * kTileBytes);
    if (!x || !y) {
      std::printf("vmi: not enough memory\n");
      return false;
    }
    for (size_t i = 0; i < x->size() / 4 && !twins.halves; ++i)
      reinterpret_cast<float *>(x->data())[i] = float(i % 4001) / 500.0f - 4.0f;
    for (size_t i = 0; i < x->size() / 2 && twins.halves; ++i)
      reinterpret_cast<uint16_t *>(x->data())[i] = uint16_t(0x3000 + i % 0x1000 + i % 2 * 0x8000);
    std::vector<Argument> arguments = {x->span(), y->span(), uint64_t(tiles)};
    const bench::Kernel ours(session, kFile, vmi, checks), theirs(session, kFile, micro, checks);
    bool isRight = theirs.run(arguments);
    std::vector<uint8_t> expected(y->data(), y->data() + tiles * twins.outBytes);
    std::memset(y->data(), 0, y->size());
    isRight &= ours.run(arguments);
    if (!isRight || std::memcmp(y->data(), expected.data(), expected.size()) != 0) {
      std::printf("%s: WRONG RESULT\n", vmi.c_str());
      return false;
    }
    const std::string what = std::string(twins.text) + (checked ? ", default checks" : ", checks off");
    ok &= bench::figure(what + ": vmi / micro", ratioOf(ours, theirs, arguments), 1.05);
    auto compile = [&](const std::string &name) { bench::Kernel kernel(session, kFile, name, checks); };
    auto times = bench::leastTimes([&] { compile(vmi); }, [&] { compile(micro); });
    ok &= bench::figure(what + ": compiling vmi / micro", times[0] / times[1], 1.2);
  }
  return ok;
}

} // namespace

bool bench::vmi() {
  Session session;
  bool ok = true;
  for (const Twins &twins : kTwins)
    ok &= measure(session, twins);
  return ok;
}
