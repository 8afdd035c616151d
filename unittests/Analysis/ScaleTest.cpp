//===- ScaleTest.cpp - the static check takes linear time -----------------===//
//
// Programs of 1 000, 10 000 and 100 000 instructions, of several shapes, all of
// them correct: the check says nothing, from 10 000 to 100 000 instructions it
// takes at most 13 times as long, and less than 2 seconds for the largest.
// Processor time of this thread is measured, the least of three for small
// programs; differences below 100 ms are noise. Likewise pto-insert-sync.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Analysis/InsertSync.h"
#include "ptoscope/Analysis/StaticCheck.h"
#include "ptoscope/Driver/Session.h"

#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <array>
#include <ctime>
#include <iostream>

using namespace ptoscope;

namespace {

constexpr unsigned kTiles = 128;

double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// Writes text and counts the instructions.
struct Writer {
  std::string text;
  size_t lines = 0, values = 0;

  void line(const std::string &what) {
    text += what + "\n";
    ++lines;
  }
  void flag(const std::string &src, const std::string &dst, size_t id) {
    std::string pair = "[\"PIPE_" + src + "\", \"PIPE_" + dst + "\", \"EVENT_ID" + std::to_string(id % 8) + "\"]";
    line("pto.set_flag" + pair);
    line("pto.wait_flag" + pair);
  }
  static std::string tile(size_t k) { return "%p" + std::to_string(k % kTiles); }
  void load(size_t k) {
    line("pto.mte_gm_ub %g" + std::to_string(k % kTiles) + ", " + tile(k) +
         ", %z, %len nburst(%one, %z, %z) : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64");
  }
  void store(size_t k) {
    line("pto.mte_ub_gm " + tile(k) + ", %h" + std::to_string(k % kTiles) +
         ", %len nburst(%one, %z, %z) : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64");
  }
  void scope(size_t from, size_t to) {
    std::string value = "%v" + std::to_string(values++);
    line("pto.vecscope {");
    line(value + " = pto.vlds " + tile(from) + "[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>");
    line("pto.vsts " + value + ", " + tile(to) + "[%c0] : !pto.vreg<64xf32>, !pto.ptr<f32, ub>");
    text += "}\n";
  }
  /// A tile through all engines, in order with everything before it.
  void work(size_t k) {
    flag("V", "MTE2", k);
    flag("MTE3", "MTE2", k);
    line("pto.pipe_barrier \"PIPE_MTE2\"");
    load(k);
    flag("MTE2", "V", k);
    scope(k, k + 1);
    flag("V", "MTE3", k);
    line("pto.pipe_barrier \"PIPE_MTE3\"");
    store(k + 1);
    flag("MTE3", "V", k);
  }
  void open(const std::string &what) { line(what + " {"); }
  void close() { text += "}\n"; }
  void loop(const std::string &bound) {
    open("scf.for %i" + std::to_string(values++) + " = %c0 to " + bound + " step %c1");
  }

  std::string program() const {
    std::string head =
        "module attributes {pto.target_arch = \"a5\"} {\n"
        "func.func @k(%gm: !pto.ptr<f32, gm>, %out: !pto.ptr<f32, gm>, %n: index, %b: i1) attributes {pto.kernel} {\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%c4 = arith.constant 4 : index\n%c1000 = arith.constant 1000 : index\n"
        "%z = arith.constant 0 : i64\n%one = arith.constant 1 : i64\n%len = arith.constant 256 : i64\n";
    for (unsigned k = 0; k < kTiles; ++k) {
      std::string number = std::to_string(k);
      head += "%a" + number + " = arith.constant " + std::to_string(1024 * k) + " : i64\n%p" + number +
              " = pto.castptr %a" + number + " : i64 -> !pto.ptr<f32, ub>\n%i" + number + "_ = arith.constant " +
              std::to_string(1024 * k) + " : index\n";
      for (auto [name, array] : {std::pair("%g", "%gm"), {"%h", "%out"}})
        head +=
            name + number + " = pto.addptr " + array + ", %i" + number + "_ : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>\n";
    }
    return head + text + "return\n}\n}\n";
  }
};

/// Tile instructions in loads, sums and stores of their own rows; no flags.
std::string tileProgram(size_t instructions) {
  const std::string tile = "!pto.tile_buf<vec, 8x64xf32>", part = "!pto.partition_tensor_view<8x64xf32>",
                    view = "!pto.tensor_view<?x64xf32>";
  std::string text = "module attributes {pto.target_arch = \"a5\", pto.kernel_kind = #pto.kernel_kind<vector>} {\n"
                     "func.func @k(%src: !pto.ptr<f32, gm>, %dst: !pto.ptr<f32, gm>) attributes {pto.entry} {\n"
                     "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
                     "%c8 = arith.constant 8 : index\n%c64 = arith.constant 64 : index\n"
                     "%rows = arith.constant 1000000 : index\n";
  for (auto [name, pointer] : {std::pair("%x", "%src"), {"%y", "%dst"}})
    text += std::string(name) + " = pto.make_tensor_view " + pointer +
            ", shape = [%rows, %c64], strides = [%c64, %c1] : " + view + "\n";
  for (unsigned k = 0; k < 64; ++k)
    text += "%a" + std::to_string(k) + " = arith.constant " + std::to_string(2048 * k) + " : i64\n%t" +
            std::to_string(k) + " = pto.alloc_tile addr = %a" + std::to_string(k) + " : " + tile + "\n";
  for (size_t k = 0; 4 * k < instructions; ++k) {
    const std::string number = std::to_string(k), a = "%t" + std::to_string(k % 64),
                      b = "%t" + std::to_string((k + 1) % 64);
    text += "%r" + number + " = arith.constant " + std::to_string(8 * k) + " : index\n";
    for (auto [name, whole] : {std::pair("%p", "%x"), {"%q", "%y"}})
      text += name + number + " = pto.partition_view " + whole + ", offsets = [%r" + number +
              ", %c0], sizes = [%c8, %c64] : " + view + " -> " + part + "\n";
    text += "pto.tload ins(%p" + number + " : " + part + ") outs(" + a + " : " + tile + ")\n";
    for (const std::string &out : {b, a})
      text += "pto.tadd ins(" + a + ", " + a + " : " + tile + ", " + tile + ") outs(" + out + " : " + tile + ")\n";
    text += "pto.tstore ins(" + b + " : " + tile + ") outs(%q" + number + " : " + part + ")\n";
  }
  return text + "return\n}\n}\n";
}

struct Shape {
  const char *name;
  std::function<void(Writer &, size_t)> step; ///< adds instructions; its number
};

const Shape kShapes[] = {
    {"straight", [](Writer &w, size_t k) { w.work(k); }},
    {"buffer ids",
     [](Writer &w, size_t k) {
       std::string id = std::to_string(k % 32);
       for (const char *pipe : {"MTE2", "V", "MTE3"}) {
         w.line("pto.get_buf \"PIPE_" + std::string(pipe) + "\", " + id + ", 0");
         if (pipe[0] == 'V')
           w.scope(2 * (k % 32), 2 * (k % 32) + 1);
         else
           pipe[3] == '2' ? w.load(2 * (k % 32)) : w.store(2 * (k % 32) + 1);
         w.line("pto.rls_buf \"PIPE_" + std::string(pipe) + "\", " + id + ", 0");
       }
       if (k % 32 == 31)
         w.line("pto.barrier #pto.pipe<PIPE_ALL>");
     }},
    {"branches",
     [](Writer &w, size_t k) {
       w.open("scf.if %b");
       w.work(k);
       w.text += "} else {\n";
       w.work(k + 3);
       w.close();
     }},
    {"loops",
     [](Writer &w, size_t k) {
       w.loop(k % 3 == 0 ? "%c4" : k % 3 == 1 ? "%c1000" : "%n");
       w.work(k);
       w.close();
     }},
    {"nests",
     [](Writer &w, size_t k) {
       for (size_t depth = 0; depth < 20; ++depth) {
         w.loop(depth % 2 ? "%n" : "%c1000");
         w.work(k + depth);
       }
       w.text += std::string(20, '}') + "\n";
     }},
    {"branches in branches",
     [](Writer &w, size_t k) {
       for (size_t depth = 0; depth < 100; ++depth) {
         w.open("scf.if %b");
         w.work(k + depth);
       }
       w.text += std::string(100, '}') + "\n";
     }},
    {"waits in front of sets",
     [](Writer &w, size_t k) {
       std::string pair = "[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID" + std::to_string(k % 8) + "\"]";
       w.line("pto.wait_flag" + pair);
       for (size_t i = 0; i < 4; ++i)
         w.scope(k + i, k + i);
       for (size_t i = 0; i < 4; ++i)
         w.load(k + i);
       w.line("pto.set_flag" + pair);
       w.line("pto.barrier #pto.pipe<PIPE_ALL>");
     }},
};

/// What a sanitizer may cost.
#if __has_feature(address_sanitizer)
constexpr double kSlower = 10;
#else
constexpr double kSlower = 1;
#endif

/// Least time of so many turns; the check must find nothing.
double secondsFor(const Shape &shape, size_t instructions, int turns) {
  Writer writer;
  for (size_t k = 0; writer.lines < instructions; ++k)
    shape.step(writer, k);
  Session session;
  FindingList refusals;
  auto parsed = session.parse("scale.pto", writer.program(), {}, refusals);
  EXPECT_TRUE(parsed->module) << shape.name << (refusals.empty() ? "" : refusals.all().front().message);
  double least = 1e9;
  for (int turn = 0; turn < turns && parsed->module; ++turn) {
    FindingList findings;
    double before = threadSeconds();
    checkStatically(*parsed, findings);
    least = std::min(least, threadSeconds() - before);
    EXPECT_TRUE(findings.empty()) << shape.name << ": " << findings.all().front().code << ", line "
                                  << findings.all().front().place.line << ": " << findings.all().front().message;
  }
  return least;
}

} // namespace

/// Hosts change their speed by more than growth may differ from linear: what is too slow is
/// measured again. So the largest program is measured once an attempt, and those that it is
/// compared with more often.
constexpr int kAttempts = 3;

TEST(Scale, Linear) {
  for (const Shape &shape : kShapes) {
    std::array<double, 3> seconds;
    auto isLinear = [&] { return seconds[2] < 13 * seconds[1] + 0.1 && seconds[1] < 13 * seconds[0] + 0.1; };
    for (int attempt = 0; attempt < kAttempts && (attempt == 0 || !isLinear()); ++attempt) {
      seconds = {secondsFor(shape, 1000, 3), secondsFor(shape, 10000, 3), secondsFor(shape, 100000, 1)};
      std::cout << shape.name << ": " << seconds[0] << " s, " << seconds[1] << " s, " << seconds[2] << " s\n";
    }
    EXPECT_LT(seconds[2], 2.0 * kSlower) << shape.name;
    EXPECT_TRUE(isLinear()) << shape.name;
  }
}

/// To give a program of so many tile instructions its flags; what was inserted is followed by
/// the check, which must find nothing.
static double secondsToInsert(size_t instructions) {
  Session session;
  FindingList findings;
  auto parsed = session.parse("tiles.pto", tileProgram(instructions), {}, findings);
  EXPECT_TRUE(parsed->module) << findings.all().front().message;
  mlir::PassManager passes(parsed->module->getContext());
  passes.addPass(createInsertSyncPass());
  double before = threadSeconds();
  EXPECT_TRUE(succeeded(passes.run(*parsed->module)));
  double seconds = threadSeconds() - before;
  before = threadSeconds();
  checkStatically(*parsed, findings);
  std::cout << "insert-sync: " << seconds << " s; check of what it prints: " << threadSeconds() - before << " s\n";
  EXPECT_TRUE(findings.empty()) << findings.all().front().code << ": " << findings.all().front().message;
  return seconds;
}

// 10 000 tile instructions get their flags within a second, and time grows linearly.
TEST(Scale, InsertSync) {
  double small = 0, large = 0;
  auto isLinear = [&] { return small < 1.0 * kSlower && large < 6 * small + 0.1; };
  for (int attempt = 0; attempt < kAttempts && (attempt == 0 || !isLinear()); ++attempt) {
    small = secondsToInsert(10000);
    large = secondsToInsert(40000);
  }
  EXPECT_TRUE(isLinear()) << small << " s, " << large << " s";
}
