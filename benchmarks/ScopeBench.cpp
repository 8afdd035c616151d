//===- ScopeBench.cpp - scopes against native loops -----------------------===//
//
// What distributions, arithmetic and reductions cost beside the loop one would
// write by hand, and how long a long scope takes to compile.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Kernel.h"
#include "Native.h"
#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/HostLevel.h"
#include "ptoscope/Support/TextRenderer.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>

using namespace ptoscope;

namespace {

constexpr size_t kBytes = size_t(64) << 20;

enum class Data { Bytes, Floats, Halves };

struct Work {
  const char *file, *kernel;
  size_t inBytes, outBytes; ///< of a tile
  unsigned outputs;
  Data data;
  double bound;
  void (*native)(const uint8_t *x, uint8_t *y, uint8_t *z, size_t tiles, uint8_t *scratch);
  size_t tiles = SIZE_MAX;         ///< at most
  std::vector<uint64_t> more = {}; ///< numbers that the kernel takes behind that of tiles
  const char *name = kernel;
};
const Work kShuffles[] = {
    {"benchmarks/shuffle.pto", "deinterleave", 65536, 32768, 2, Data::Bytes, 1.5, native::deinterleave},
    {"benchmarks/shuffle.pto", "upsample", 16384, 32768, 1, Data::Bytes, 1.5, native::upsample},
    {"benchmarks/shuffle.pto", "unpack", 16384, 32768, 1, Data::Bytes, 1.5, native::unpack},
    {"benchmarks/shuffle.pto", "pack", 32768, 16384, 1, Data::Bytes, 1.5, native::pack},
};
const Work kCompute[] = {
    {"benchmarks/compute.pto", "exp_f32", 32768, 32768, 1, Data::Floats, 1.1, native::expF32},
    {"benchmarks/compute.pto", "exp_f16", 32768, 32768, 1, Data::Halves, 1.1, native::expF16},
    {"benchmarks/compute.pto", "scale_add_f16", 32768, 32768, 1, Data::Halves, 1.1, native::scaleAddF16},
    {"benchmarks/compute.pto", "sums", 32768, 512, 1, Data::Floats, 1.5, native::sums},
    {"examples/softmax.pto",
     "two_pass",
     4096,
     4096,
     1,
     Data::Floats,
     1.2,
     native::softmax,
     4096,
     {native::kSoftmaxColumns},
     "softmax of 4096 rows of 1024"},
};

struct Buffers {
  std::optional<ByteBuffer> x = ByteBuffer::allocate(kBytes), y = ByteBuffer::allocate(kBytes),
                            z = ByteBuffer::allocate(kBytes), expected = ByteBuffer::allocate(kBytes),
                            scratch = ByteBuffer::allocate(256 * 1024);
  bool complete() const { return x && y && z && expected && scratch; }

  void fill(Data data) {
    for (size_t i = 0; i < kBytes && data == Data::Bytes; ++i)
      x->data()[i] = uint8_t((i * 2654435761u) >> 13);
    for (size_t i = 0; i < kBytes / 4 && data == Data::Floats; ++i)
      reinterpret_cast<float *>(x->data())[i] = float(i % 4001) / 500.0f - 4.0f;
    for (size_t i = 0; i < kBytes / 2 && data == Data::Halves; ++i) // 2^-14 to 2^2, either sign
      reinterpret_cast<uint16_t *>(x->data())[i] = uint16_t(0x0400 + i % 0x4000 + i % 2 * 0x8000);
  }
};

bool measure(Session &session, const Work &work, Buffers &buffers) {
  auto &[x, y, z, expected, scratch] = buffers;
  buffers.fill(work.data);
  for (auto *buffer : {&y, &z, &expected})
    std::memset((*buffer)->data(), 0, kBytes);
  const size_t tiles = std::min(kBytes / std::max(work.inBytes, work.outBytes), work.tiles);
  bench::Kernel kernel(session, work.file, work.kernel, Checks::none());
  std::vector<Argument> arguments = {x->span(), y->span()};
  if (work.outputs == 2)
    arguments.push_back(z->span());
  arguments.push_back(uint64_t(tiles));
  arguments.insert(arguments.end(), work.more.begin(), work.more.end());
  auto native = [&] {
    work.native(x->data(), expected->data(), expected->data() + kBytes / 2, tiles, scratch->data());
  };
  size_t written = tiles * work.outBytes;
  bool ok = kernel.run(arguments);
  native();
  ok &= std::memcmp(y->data(), expected->data(), written) == 0;
  if (work.outputs == 2)
    ok &= std::memcmp(z->data(), expected->data() + kBytes / 2, written) == 0;
  std::vector<double> ours, theirs, ratios;
  for (int round = 0; round < 21 && ok; ++round) {
    ours.push_back(bench::timedAlone([&] { ok &= kernel.run(arguments); }));
    theirs.push_back(bench::timedAlone(native));
    ratios.push_back(ours.back() / theirs.back());
  }
  if (!ok) {
    std::printf("%s: WRONG RESULT\n", work.name);
    return false;
  }
  std::printf("  %-14s %.1f ms, native with the same copies %.1f ms\n", work.name, bench::median(ours) * 1e3,
              bench::median(theirs) * 1e3);
  return bench::figure(std::string(work.name) + " / native with the same copies", bench::median(ratios), work.bound);
}

bool measureAll(std::span<const Work> list) {
  Buffers buffers;
  if (!buffers.complete()) {
    std::printf("scopes: not enough memory\n");
    return false;
  }
  Session session;
  bool ok = true;
  for (const Work &work : list)
    ok &= measure(session, work, buffers);
  return ok;
}

/// `count` instructions on 16 live registers, as a scope and as C++.
struct LongScope {
  explicit LongScope(unsigned count) {
    pto = "func.func @k(%x: !pto.ptr<f32, gm>) attributes {pto.kernel} {\n"
          "%z = arith.constant 0 : i64\n%c0 = arith.constant 0 : index\n"
          "%ub = pto.castptr %z : i64 -> !pto.ptr<f32, ub>\npto.vecscope {\n"
          "%m = pto.pset_b32 \"PAT_ALL\" : !pto.mask<b32>\n";
    cpp = "typedef float Register __attribute__((vector_size(256)));\nvoid k(Register *ub) {\n";
    constexpr unsigned kLive = 16;
    for (unsigned i = 0; i < kLive; ++i) {
      std::string n = std::to_string(i);
      pto += "%i" + n + " = arith.constant " + std::to_string(64 * i) + " : index\n%v" + n + " = pto.vlds %ub[%i" + n +
             "] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>\n";
      cpp += "Register v" + n + " = ub[" + n + "];\n";
    }
    struct Operation {
      const char *name, *between;
      bool chooses;
    };
    static constexpr Operation kOperations[] = {{"vadd", " + ", false},
                                                {"vmul", " * ", false},
                                                {"vmax", " > ", true},
                                                {"vsub", " - ", false},
                                                {"vmin", " < ", true}};
    unsigned random = 1;
    auto pick = [&](unsigned n) { return (random = random * 1664525 + 1013904223) / 65536 % n; };
    for (unsigned i = kLive; i < count; ++i) {
      const Operation &operation = kOperations[pick(5)];
      std::string a = "v" + std::to_string(i - 1 - pick(kLive)), b = "v" + std::to_string(i - 1 - pick(kLive));
      pto += "%v" + std::to_string(i) + " = pto." + operation.name + " %" + a + ", %" + b +
             ", %m : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>\n";
      cpp += "Register v" + std::to_string(i) + " = " + a + operation.between + b +
             (operation.chooses ? " ? " + a + " : " + b : "") + ";\n";
    }
    for (unsigned i = 0; i < kLive; ++i) {
      std::string last = std::to_string(count - 1 - i), n = std::to_string(i);
      pto += "pto.vsts %v" + last + ", %ub[%i" + n + "], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>\n";
      cpp += "ub[" + n + "] = v" + last + ";\n";
    }
    pto += "}\nreturn\n}\n";
    cpp += "}\n";
  }
  std::string pto, cpp;
};

/// Processor time, of all threads: what shares the machine with us is not counted.
double processorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

double compileTime(const std::string &text, Checks checks) {
  double start = processorSeconds();
  Session session;
  FindingList findings;
  auto program = session.parse("long.pto", text, {}, findings);
  CompileOptions options;
  options.checks = checks;
  if (!program->module || !session.compile(*program, options, findings))
    fputs(renderText(findings.all()).c_str(), stderr);
  return processorSeconds() - start;
}

/// Seconds that clang takes for as much C++, for the same host; negative when it fails.
double clangTime(const std::string &text) {
  std::string path = (std::filesystem::temp_directory_path() / "ptoscope-bench-XXXXXX.cpp").string();
  int file = mkstemps(path.data(), 4);
  if (file < 0)
    return -1;
  bool written = write(file, text.data(), text.size()) == ssize_t(text.size());
  close(file);
#if defined(__x86_64__)
  const std::string host = std::string("-march=") + (plainerHost() ? plainerHost() : "native");
#else
  const std::string host = "-mcpu=native";
#endif
  std::optional<bench::CommandTime> time;
  if (written)
    time = bench::timeCommand({PTOSCOPE_COMPILER, "-O2", host, "-w", "-c", path, "-o", "/dev/null"});
  unlink(path.c_str());
  return time ? time->processor : -1;
}

bool longScope(const std::string &what, Checks checks, double bound) {
  LongScope shorter(500), longer(1000);
  std::vector<double> times, ratios, clang;
  for (int round = 0; round < 7; ++round) {
    times.push_back(compileTime(shorter.pto, checks));
    ratios.push_back(compileTime(longer.pto, checks) / times.back());
    clang.push_back(clangTime(shorter.cpp));
    if (clang.back() < 0)
      return false;
  }
  bench::report("compiling a scope of 500 instructions, " + what, bench::median(times), "s");
  bool ok = bench::figure("compiling 500 instructions / clang -O2, " + what,
                          bench::median(times) / bench::median(clang), bound);
  return bench::figure("1000 instructions / 500, " + what, bench::median(ratios), 2) && ok;
}

} // namespace

bool bench::shuffle() { return measureAll(kShuffles); }
bool bench::compute() { return measureAll(kCompute); }

bool bench::longScopes() {
  bool ok = longScope("checks off", Checks::none(), 1);
  return longScope("default checks", Checks(), 1.5) && ok;
}
